#include "app/sketch_window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/window_files.h"
#include "app/work_window.h"
#include "render/hud_style.h"
#include "render/mouse_hand.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/mesh/embed_build.h"

static const double grip_share = 0.03; // of the body's size: the radius of what is taken hold of
static const double stiff =
    9.0; // times as stiff as the body there: nine tenths of the cursor's way
static const double apart_share = 0.02; // of the body's size: a force that moves it so far counts

typedef struct board {
    pal_sketch_desk *desk;
    pal_work_window w;
    pal_stage_spec spec;
    pal_model model; // enough of one to draw: the modes are its basis
    double *places;
    double size;     // m, of the body
    bool pulls;      // the mouse pulls,
    double grip[3];  // m, at this point of the body at rest
    double place[3]; // m, towards here
    pal_recorder recorder;
} board;

// ---- opening

// The parts of a model that a stage looks at; mesh, surface and held vertices are borrowed.
static pal_status make_model(board *b, pal_err *err) {
    const pal_scene_body *body = b->desk->body;
    const pal_modes *modes = &b->desk->sketch->modes;
    pal_model *m = &b->model;
    m->r = modes->count < PAL_SNAPSHOT_R ? modes->count : PAL_SNAPSHOT_R;
    m->mesh = body->mesh;
    m->surface = body->surface;
    m->held = body->held;
    m->region_count = body->mesh.region_count;
    m->region = PAL_NEW(pal_model_region, m->region_count, err);
    m->basis = PAL_NEW(double, modes->rows * m->r, err);
    b->places = PAL_NEW(double, 3 * (int64_t)m->surface.vertex_count, err);
    if (m->region == NULL || m->basis == NULL || b->places == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t g = 0; g < m->region_count; g++) {
        snprintf(m->region[g].name, sizeof m->region[g].name, "%s", body->mesh.regions[g].name);
        m->region[g].material = body->material[g];
    }
    for (int64_t i = 0; i < modes->rows; i++) {
        for (int32_t k = 0; k < m->r; k++) {
            m->basis[i * m->r + k] = modes->psi[k * modes->rows + i];
        }
    }
    return pal_embedding_build(&m->mesh, m->surface.x, m->surface.vertex_count, &m->embedding, NULL,
                               err);
}

static void close_board(board *b) {
    if (b->recorder.on) {
        pal_recorder_end(&b->recorder, PAL_OK, NULL);
    }
    pal_work_close(&b->w);
    pal_embedding_free(&b->model.embedding);
    free(b->model.region);
    free(b->model.basis);
    free(b->places);
    free(b);
}

static pal_status open_board(board *b, pal_err *err) {
    char title[160];
    snprintf(title, sizeof title, "%.100s, sketch - palpate", b->desk->scene->name);
    pal_status status = make_model(b, err);
    if (status == PAL_OK) {
        status = pal_work_open(&b->w, title, b->desk->scene->name, PAL_UI_IN_SKETCH, err);
    }
    b->spec.model = &b->model;
    b->spec.up = b->desk->scene->up;
    if (status == PAL_OK) {
        status = pal_stage_open(&b->w.stage, &b->w.context, &b->spec, err);
    }
    if (status == PAL_OK) {
        b->size = pal_work_size(b->model.surface.x, b->model.surface.vertex_count);
        b->w.shot.r = b->model.r;
    }
    return status;
}

// ---- pulling

static double softness(const pal_sketch *sketch) { // m/N of what is held, the mean of its axes
    return (sketch->hold.c[0][0] + sketch->hold.c[1][1] + sketch->hold.c[2][2]) / 3.0;
}

// Takes hold of what is under the cursor, if anything is.
static bool grab(board *b) {
    const pal_camera camera = pal_stage_tell(b->w.stage).camera;
    pal_sketch *sketch = b->desk->sketch;
    pal_pick pick;
    pal_err err = {0};
    double ray[3];
    pal_stage_places(b->w.stage, b->places);
    pal_camera_ray(&camera, b->w.in.x, b->w.in.y, ray);
    if (!pal_pick_surface(&b->model.surface, b->places, camera.eye, ray, &pick)) {
        return false;
    }
    if (pal_sketch_grab_at(sketch, pick.point, grip_share * b->size, &err) != PAL_OK) {
        pal_work_say(&b->w, true, "%.250s", err.text);
        return false;
    }
    memcpy(b->grip, pick.point, sizeof b->grip);
    sketch->separation = isnan(b->desk->separation)
                             ? apart_share * b->size / fmax(softness(sketch), 1e-300)
                             : b->desk->separation;
    return true;
}

static void keep(board *b, bool whatever) {
    pal_sketch *sketch = b->desk->sketch;
    const double separation = sketch->separation;
    pal_err err = {0};
    bool kept = false;
    sketch->separation = whatever ? 0.0 : separation;
    if (pal_sketch_keep(sketch, &kept, &err) != PAL_OK) {
        pal_work_say(&b->w, true, "%.250s", err.text);
    } else if (kept) {
        b->desk->unsaved = true;
        b->desk->largest_force = fmax(b->desk->largest_force, pal_norm3(sketch->hold.force));
    } else if (whatever) {
        pal_work_say(&b->w, false, "nothing new to keep: pull first");
    }
    sketch->separation = separation;
}

static void pull(board *b) {
    const pal_camera camera = pal_stage_tell(b->w.stage).camera;
    pal_sketch *sketch = b->desk->sketch;
    double place[3], to[3];
    if (pal_view_plane_point(&camera, b->grip, b->w.in.x, b->w.in.y, place)) {
        memcpy(b->place, place, sizeof place);
        for (int c = 0; c < 3; c++) {
            to[c] = sketch->hold.rest[c] + place[c] - b->grip[c];
        }
        pal_sketch_drag(sketch, to, stiff / fmax(softness(sketch), 1e-300));
        b->desk->largest_move = fmax(b->desk->largest_move, pal_norm3(sketch->hold.moved));
        keep(b, false);
    }
}

static void move(void *user) {
    board *b = user;
    const bool pressed = b->w.in.left && !b->w.before.left;
    if (pressed && b->w.frames > 0) {
        b->pulls = grab(b);
    }
    if (b->pulls && !b->w.in.left) {
        pal_sketch_release(b->desk->sketch);
        b->pulls = false;
    }
    if (b->pulls) {
        pull(b);
    }
    pal_work_mouse(&b->w, b->pulls);
    for (int32_t k = 0; k < b->w.shot.r; k++) {
        b->w.shot.q[k] = b->desk->sketch->q[k];
    }
}

// ---- keys

static void save(board *b) {
    pal_err err = {0};
    if (b->desk->sketch->load_count == 0) {
        pal_work_say(&b->w, false, "nothing is kept yet: pull at the body");
    } else if (b->desk->save(b->desk->context, &err) != PAL_OK) {
        pal_work_say(&b->w, true, "%.250s", err.text);
    } else {
        b->desk->unsaved = false;
        pal_work_say(&b->w, false, "saved: %.250s", b->desk->file);
    }
}

static void change_film(board *b) {
    pal_err err = {0};
    pal_status status = PAL_OK;
    if (b->recorder.on) {
        status = pal_recorder_end(&b->recorder, PAL_OK, &err);
        pal_work_say(&b->w, false, "filmed: %.250s", b->recorder.sink.path);
    } else if (b->w.target.width > 0) {
        status =
            pal_recorder_begin(&b->recorder, &b->w.target, b->desk->scene->name, b->w.now, &err);
        pal_work_say(&b->w, false, "filming to %.250s", b->recorder.sink.path);
    }
    if (status != PAL_OK) {
        pal_work_say(&b->w, true, "%.250s", err.text);
    }
}

static void change_deform(board *b) {
    pal_stage_spec spec = b->spec;
    pal_stage *stage;
    pal_err err = {0};
    spec.way = pal_stage_tell(b->w.stage).way == PAL_DEFORM_GPU ? PAL_DEFORM_CPU : PAL_DEFORM_GPU;
    if (pal_stage_open(&stage, &b->w.context, &spec, &err) != PAL_OK) {
        pal_work_say(&b->w, true, "%.250s", err.text);
        return;
    }
    pal_stage_close(b->w.stage);
    b->w.stage = stage;
    b->spec = spec;
    pal_work_say(&b->w, false, "deformed on the %s", spec.way == PAL_DEFORM_GPU ? "GPU" : "CPU");
}

static void act(void *user, pal_ui_action action) {
    board *b = user;
    switch (action) {
    case PAL_UI_KEEP:
        keep(b, true);
        break;
    case PAL_UI_UNDO:
        b->desk->unsaved = pal_sketch_undo(b->desk->sketch) || b->desk->unsaved;
        break;
    case PAL_UI_SAVE:
        save(b);
        break;
    case PAL_UI_FILM:
        change_film(b);
        break;
    case PAL_UI_DEFORM:
        change_deform(b);
        break;
    default:
        break;
    }
}

// ---- a frame

static void draw_over(void *user) {
    board *b = user;
    const pal_sketch *sketch = b->desk->sketch;
    char mode[96];
    snprintf(mode, sizeof mode, "%d load%s kept, %.3g N now", (int)sketch->load_count,
             sketch->load_count == 1 ? "" : "s", pal_norm3(sketch->hold.force));
    const pal_hud_words words = {.scene = b->desk->scene->name,
                                 .device = "linear model",
                                 .mode = mode,
                                 .recording = b->recorder.on};
    if (b->pulls) { // from where the body is held to where it is pulled
        const pal_camera camera = pal_stage_tell(b->w.stage).camera;
        double held[3], from[3], to[3];
        for (int c = 0; c < 3; c++) {
            held[c] = b->grip[c] + sketch->hold.moved[c];
        }
        pal_camera_project(&camera, held, from);
        pal_camera_project(&camera, b->place, to);
        const double s = b->w.view.scale;
        pal_overlay_line(b->w.overlay, from[0] / s, from[1] / s, to[0] / s, to[1] / s, 3.0,
                         pal_hud_alarm);
        pal_overlay_disc(b->w.overlay, from[0] / s, from[1] / s, 6.0, pal_hud_alarm);
    }
    pal_hud_draw_title(b->w.overlay, &b->w.shot, &words, &b->w.layout);
}

static void drawn(void *user) {
    board *b = user;
    b->w.filming = b->recorder.on;
    pal_err film;
    const pal_status added =
        b->recorder.on ? pal_recorder_add(&b->recorder, &b->w.target, b->w.now, &film) : PAL_OK;
    if (added != PAL_OK) {
        pal_recorder_end(&b->recorder, added == PAL_ERR_USAGE ? PAL_OK : added, NULL);
        pal_work_say(&b->w, true, "%.250s", film.text);
    }
}

pal_status pal_sketch_window(pal_sketch_desk *desk, pal_err *err) {
    static const pal_work_calls calls = {
        .act = act, .move = move, .draw_over = draw_over, .drawn = drawn};
    board *b = PAL_NEW(board, 1, err);
    if (b == NULL) {
        return PAL_ERR_MEMORY;
    }
    b->desk = desk;
    pal_status status = open_board(b, err);
    if (status == PAL_OK) {
        status = pal_work_run(&b->w, &calls, b, err);
        desk->frames = b->w.frames;
    }
    close_board(b);
    return status;
}
