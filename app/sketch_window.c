#include "app/sketch_window.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/window_files.h"
#include "render/gl_stage.h"
#include "render/hud.h"
#include "render/hud_style.h"
#include "render/mouse_hand.h"
#include "render/ui_view.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/mesh/embed_build.h"

static const double frame_seconds = 1.0 / 60.0, message_seconds = 5.0;
static const double grip_share = 0.03; // of the body's size: the radius of what is taken hold of
static const double stiff =
    9.0; // times as stiff as the body there: nine tenths of the cursor's way
static const double apart_share = 0.02; // of the body's size: a force that moves it so far counts

typedef struct board {
    pal_sketch_desk *desk;
    pal_gl_context context;
    pal_gl_target target;
    pal_overlay *overlay;
    pal_stage *stage;
    pal_stage_spec spec;
    pal_model model; // enough of one to draw: the modes are its basis
    pal_snapshot shot;
    double *places;
    double size; // m, of the body
    pal_view view;
    pal_ui ui;
    pal_ui_input in, before;
    bool fitted, shows_help, end;
    bool pulls;      // the mouse pulls,
    double grip[3];  // m, at this point of the body at rest
    double place[3]; // m, towards here
    char message[300];
    bool alarming;
    double message_until, now;
    pal_recorder recorder;
} board;

static void say(board *b, bool alarming, const char *format, ...) PAL_PRINTF(3, 4);
static void say(board *b, bool alarming, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(b->message, sizeof b->message, format, args);
    va_end(args);
    b->alarming = alarming;
    b->message_until = b->now + message_seconds;
}

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
    if (b->context.maker != NULL && !b->context.lost) {
        pal_stage_close(b->stage);
        pal_overlay_close(b->overlay);
        pal_gl_target_free(&b->target);
        pal_gl_close(&b->context);
    }
    pal_embedding_free(&b->model.embedding);
    free(b->model.region);
    free(b->model.basis);
    free(b->places);
    free(b);
}

static double measure(const pal_surface *surface) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double diagonal[3];
    for (int64_t i = 0; i < 3 * (int64_t)surface->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], surface->x[i]);
        high[i % 3] = fmax(high[i % 3], surface->x[i]);
    }
    pal_sub3(high, low, diagonal);
    return pal_norm3(diagonal);
}

static pal_status open_board(board *b, pal_err *err) {
    char title[160];
    snprintf(title, sizeof title, "%.100s, sketch - palpate", b->desk->scene->name);
    const pal_gl_window_options window = {.title = title, .width = 1280, .height = 800};
    pal_status status = make_model(b, err);
    if (status == PAL_OK) {
        status = pal_gl_open_window(&b->context, &window, err);
    }
    if (status == PAL_OK) {
        status = pal_overlay_open(&b->overlay, err);
    }
    b->spec.model = &b->model;
    if (status == PAL_OK) {
        status = pal_stage_open(&b->stage, &b->context, &b->spec, err);
    }
    if (status == PAL_OK) {
        b->size = measure(&b->model.surface);
        b->target.quick = b->context.software;
        b->shot.r = b->model.r;
        b->shot.rate = 1.0;
        for (int i = 0; i < PAL_SNAPSHOT_REGIONS; i++) {
            b->shot.softer[i] = 1.0;
        }
        pal_view_defaults(&b->view);
        pal_ui_open(&b->ui, &b->context, PAL_UI_IN_SKETCH);
    }
    return status;
}

// ---- pulling

static double softness(const pal_sketch *sketch) { // m/N of what is held, the mean of its axes
    return (sketch->hold.c[0][0] + sketch->hold.c[1][1] + sketch->hold.c[2][2]) / 3.0;
}

// Takes hold of what is under the cursor, if anything is.
static bool grab(board *b) {
    const pal_camera camera = pal_stage_tell(b->stage).camera;
    pal_sketch *sketch = b->desk->sketch;
    pal_pick pick;
    pal_err err = {0};
    double ray[3];
    pal_stage_places(b->stage, b->places);
    pal_camera_ray(&camera, b->in.x, b->in.y, ray);
    if (!pal_pick_surface(&b->model.surface, b->places, camera.eye, ray, &pick)) {
        return false;
    }
    if (pal_sketch_grab_at(sketch, pick.point, grip_share * b->size, &err) != PAL_OK) {
        say(b, true, "%.250s", err.text);
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
        say(b, true, "%.250s", err.text);
    } else if (kept) {
        b->desk->unsaved = true;
        b->desk->largest_force = fmax(b->desk->largest_force, pal_norm3(sketch->hold.force));
    } else if (whatever) {
        say(b, false, "nothing new to keep: pull first");
    }
    sketch->separation = separation;
}

static void pull(board *b) {
    const pal_camera camera = pal_stage_tell(b->stage).camera;
    pal_sketch *sketch = b->desk->sketch;
    double place[3], to[3];
    if (pal_view_plane_point(&camera, b->grip, b->in.x, b->in.y, place)) {
        memcpy(b->place, place, sizeof place);
        for (int c = 0; c < 3; c++) {
            to[c] = sketch->hold.rest[c] + place[c] - b->grip[c];
        }
        pal_sketch_drag(sketch, to, stiff / fmax(softness(sketch), 1e-300));
        b->desk->largest_move = fmax(b->desk->largest_move, pal_norm3(sketch->hold.moved));
        keep(b, false);
    }
}

static void move(board *b) {
    const bool pressed = b->in.left && !b->before.left;
    if (pressed && b->desk->frames > 0) {
        b->pulls = grab(b);
    }
    if (b->pulls && !b->in.left) {
        pal_sketch_release(b->desk->sketch);
        b->pulls = false;
    }
    if (b->pulls) {
        pull(b);
    }
    const bool shifts = b->in.middle || (b->in.left && b->in.shift && !b->pulls);
    const bool turns = !shifts && !pressed && (b->in.right || (b->in.left && !b->pulls));
    pal_ui_view_mouse(&b->view, &b->in, &b->before, turns && (b->before.left || b->before.right),
                      shifts, b->in.wheel, b->target.width, b->target.height);
    for (int32_t k = 0; k < b->shot.r; k++) {
        b->shot.q[k] = b->desk->sketch->q[k];
    }
}

// ---- keys

static void save(board *b) {
    pal_err err = {0};
    if (b->desk->sketch->load_count == 0) {
        say(b, false, "nothing is kept yet: pull at the body");
    } else if (b->desk->save(b->desk->context, &err) != PAL_OK) {
        say(b, true, "%.250s", err.text);
    } else {
        b->desk->unsaved = false;
        say(b, false, "saved: %.250s", b->desk->file);
    }
}

static void take_picture(board *b) {
    char path[PAL_WINDOW_PATH];
    pal_err err = {0};
    if (b->desk->frames > 0) {
        const bool good = pal_window_shoot(&b->target, b->desk->scene->name, path, &err) == PAL_OK;
        say(b, !good, "%s%.250s", good ? "picture: " : "", good ? path : err.text);
    }
}

static void change_film(board *b) {
    pal_err err = {0};
    pal_status status = PAL_OK;
    if (b->recorder.on) {
        status = pal_recorder_end(&b->recorder, PAL_OK, &err);
        say(b, false, "filmed: %.250s", b->recorder.sink.path);
    } else if (b->target.width > 0) {
        status = pal_recorder_begin(&b->recorder, &b->target, b->desk->scene->name, b->now, &err);
        say(b, false, "filming to %.250s", b->recorder.sink.path);
    }
    if (status != PAL_OK) {
        say(b, true, "%.250s", err.text);
    }
}

static void change_deform(board *b) {
    pal_stage_spec spec = b->spec;
    pal_stage *stage;
    pal_err err = {0};
    spec.way = pal_stage_tell(b->stage).way == PAL_DEFORM_GPU ? PAL_DEFORM_CPU : PAL_DEFORM_GPU;
    if (pal_stage_open(&stage, &b->context, &spec, &err) != PAL_OK) {
        say(b, true, "%.250s", err.text);
        return;
    }
    pal_stage_close(b->stage);
    b->stage = stage;
    b->spec = spec;
    say(b, false, "deformed on the %s", spec.way == PAL_DEFORM_GPU ? "GPU" : "CPU");
}

static void act(board *b, pal_ui_action action) {
    const char *said;
    if (pal_ui_view_key(&b->view, action)) {
        return;
    }
    if (pal_ui_show_key(&b->view, action, &said)) {
        say(b, false, "%s", said);
        return;
    }
    switch (action) {
    case PAL_UI_HELP:
        b->shows_help = !b->shows_help;
        break;
    case PAL_UI_END:
        b->end = b->end || !b->shows_help;
        b->shows_help = false;
        break;
    case PAL_UI_FIT:
        b->fitted = false;
        break;
    case PAL_UI_KEEP:
        keep(b, true);
        break;
    case PAL_UI_UNDO:
        b->desk->unsaved = pal_sketch_undo(b->desk->sketch) || b->desk->unsaved;
        break;
    case PAL_UI_SAVE:
        save(b);
        break;
    case PAL_UI_SCREENSHOT:
        take_picture(b);
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

static void draw_over(board *b) {
    const pal_sketch *sketch = b->desk->sketch;
    char mode[96];
    snprintf(mode, sizeof mode, "%d load%s kept, %.3g N now", (int)sketch->load_count,
             sketch->load_count == 1 ? "" : "s", pal_norm3(sketch->hold.force));
    const pal_hud_words words = {.scene = b->desk->scene->name,
                                 .device = "linear model",
                                 .mode = mode,
                                 .recording = b->recorder.on};
    pal_stage_label(b->stage, b->overlay);
    if (b->pulls) { // from where the body is held to where it is pulled
        const pal_camera camera = pal_stage_tell(b->stage).camera;
        double held[3], from[3], to[3];
        for (int c = 0; c < 3; c++) {
            held[c] = b->grip[c] + sketch->hold.moved[c];
        }
        pal_camera_project(&camera, held, from);
        pal_camera_project(&camera, b->place, to);
        const double s = b->view.scale;
        pal_overlay_line(b->overlay, from[0] / s, from[1] / s, to[0] / s, to[1] / s, 3.0,
                         pal_hud_alarm);
        pal_overlay_disc(b->overlay, from[0] / s, from[1] / s, 6.0, pal_hud_alarm);
    }
    pal_hud_draw_title(b->overlay, &b->shot, &words);
    pal_hud_draw_message(b->overlay, b->now < b->message_until ? b->message : NULL, b->alarming);
    if (b->shows_help) {
        pal_hud_draw_help(b->overlay, PAL_UI_IN_SKETCH);
    }
}

static pal_status draw(board *b, pal_err *err) {
    int32_t width, height;
    pal_gl_size(&b->context, &width, &height);
    if (width < 1 || height < 1) {
        return PAL_OK; // iconified
    }
    pal_status status = pal_gl_target_size(&b->target, &b->context, width, height, err);
    b->view.scale = b->in.scale;
    b->view.quick = b->context.software;
    if (status == PAL_OK && !b->fitted) {
        status = pal_stage_fit(b->stage, &b->view, width, height, &b->shot, 0.8, err);
        b->fitted = true;
    }
    if (status == PAL_OK) {
        status = pal_stage_draw(b->stage, &b->target, &b->view, &b->shot, err);
    }
    if (status == PAL_OK) {
        pal_overlay_begin(b->overlay, width, height, b->view.scale);
        draw_over(b);
        status = pal_overlay_end(b->overlay, err);
    }
    if (status == PAL_OK && b->recorder.on) {
        pal_err film;
        const pal_status added = pal_recorder_add(&b->recorder, &b->target, b->now, &film);
        if (added != PAL_OK) {
            pal_recorder_end(&b->recorder, added == PAL_ERR_USAGE ? PAL_OK : added, NULL);
            say(b, true, "%.250s", film.text);
        }
    }
    if (status == PAL_OK) {
        status = pal_gl_ask(&b->context, err);
    }
    if (status == PAL_OK) {
        pal_gl_target_show(&b->target, &b->context);
        status = pal_gl_present(&b->context, err);
        b->desk->frames++;
    }
    return status;
}

static pal_status run_board(board *b, pal_err *err) {
    pal_status status = PAL_OK;
    while (status == PAL_OK && !b->end) {
        b->now = pal_seconds();
        b->before = b->in;
        pal_ui_poll(&b->ui, &b->context, 0.0, &b->in);
        b->end = b->in.close;
        for (int i = 0; i < b->in.action_count; i++) {
            act(b, b->in.action[i]);
        }
        move(b);
        status =
            b->context.lost ? pal_fail(err, PAL_ERR_IO, "the display has gone away") : draw(b, err);
        const double left = b->now + frame_seconds - pal_seconds();
        if (left > 0.0) {
            nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * left)}, NULL);
        }
    }
    return status;
}

pal_status pal_sketch_window(pal_sketch_desk *desk, pal_err *err) {
    board *b = PAL_NEW(board, 1, err);
    if (b == NULL) {
        return PAL_ERR_MEMORY;
    }
    b->desk = desk;
    pal_status status = open_board(b, err);
    if (status == PAL_OK) {
        status = run_board(b, err);
    }
    close_board(b);
    return status;
}
