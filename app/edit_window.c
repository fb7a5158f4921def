#include "app/edit_window.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/domain_show.h"
#include "app/work_window.h"
#include "render/hud_style.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/mesh/faces.h"
#include "sim/mesh/pick.h"

static const double brush_share = 0.03; // of the body's size: the brush at first
static const double brush_step = 1.2;

typedef enum tool { TOOL_ONE, TOOL_BRUSH, TOOL_BOX, TOOLS } tool;
static const char *const tool_name[TOOLS] = {"a click", "brush", "box"};

typedef struct board {
    pal_editing *editing;
    const char *file;
    pal_work_window w;
    pal_model model;          // the mesh in the colours of now
    int32_t *face, faces;     // of the surface's triangles, in their order
    int32_t triangles_a_face; //
    uint8_t *stroke; // [element_count] what the mouse has touched since the button went down
    double brush;    // m
    tool tool;
    bool takes, strokes;
    double from[2];  // pixels, where a box begins
    int32_t copy_of; // element that is copied from, -1: none yet
    bool painted;
} board;

static const pal_volmesh *mesh_of(const board *b) {
    return pal_domain_edit_mesh(b->editing->edit);
}

static const char *name_of(const board *b, int32_t domain) {
    return pal_domain_edit_labels(b->editing->edit)->name[domain];
}

// ---- opening

// The stage anew, in the colours of now. On failure there is none.
static pal_status paint(board *b, pal_err *err) {
    pal_stage_close(b->w.stage);
    b->w.stage = NULL;
    pal_model_free(&b->model);
    pal_status status = pal_domain_show_mesh(mesh_of(b), pal_domain_edit_labels(b->editing->edit),
                                             0.0, &b->model, err);
    if (status != PAL_OK) {
        return status;
    }
    memcpy(b->model.held, b->editing->cut->body.held, (size_t)b->model.mesh.vertex_count);
    const pal_stage_spec spec = {.model = &b->model, .up = b->editing->cut->scene.up};
    return pal_stage_open(&b->w.stage, &b->w.context, &spec, err);
}

static pal_status open_board(board *b, pal_err *err) {
    char title[160];
    snprintf(title, sizeof title, "%.100s, domains - palpate", b->editing->cut->source);
    b->stroke = PAL_NEW(uint8_t, mesh_of(b)->element_count, err);
    pal_status status = b->stroke != NULL ? pal_boundary_faces(mesh_of(b), &b->face, &b->faces, err)
                                          : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = pal_work_open(&b->w, title, "domains", PAL_UI_IN_EDIT, err);
    }
    if (status == PAL_OK) {
        b->brush = brush_share * pal_work_size(mesh_of(b)->x, mesh_of(b)->vertex_count);
        b->triangles_a_face = mesh_of(b)->kind == PAL_TET4 ? 1 : 2;
        b->copy_of = -1;
        b->tool = TOOL_BRUSH;
        b->w.shot.r = 1;
        b->w.view.colouring = PAL_BY_REGION;
        b->w.view.wireframe = true;
    }
    return status;
}

static void close_board(board *b) {
    pal_work_close(&b->w);
    pal_model_free(&b->model);
    free(b->face);
    free(b->stroke);
    free(b);
}

// ---- picking

// The element whose face is under the cursor, and where; -1: none.
static int32_t pick(const board *b, double point[3]) {
    if (b->w.frames == 0) {
        return -1;
    }
    const pal_camera camera = pal_stage_tell(b->w.stage).camera;
    pal_pick found;
    double ray[3];
    pal_camera_ray(&camera, b->w.in.x, b->w.in.y, ray);
    if (!pal_pick_surface(&b->model.surface, NULL, camera.eye, ray, &found)) {
        return -1;
    }
    memcpy(point, found.point, sizeof found.point);
    const int32_t face = b->face[found.triangle / b->triangles_a_face];
    return face / pal_faces_of_kind(mesh_of(b)->kind)->face_count;
}

// Everything whose middle is in the rectangle of the screen, through the whole body.
static void touch_box(board *b) {
    const pal_camera camera = pal_stage_tell(b->w.stage).camera;
    const pal_volmesh *mesh = mesh_of(b);
    for (int32_t e = 0; e < mesh->element_count; e++) {
        double x[3], screen[3];
        pal_domain_middle(mesh, e, x);
        pal_camera_project(&camera, x, screen);
        b->stroke[e] = screen[2] > 0.0 && screen[0] >= fmin(b->from[0], b->w.in.x) &&
                       screen[0] <= fmax(b->from[0], b->w.in.x) &&
                       screen[1] >= fmin(b->from[1], b->w.in.y) &&
                       screen[1] <= fmax(b->from[1], b->w.in.y);
    }
}

static void touch(board *b) {
    double point[3];
    const int32_t e = pick(b, point);
    if (e < 0) {
        return;
    }
    b->stroke[e] = 1;
    if (b->tool == TOOL_BRUSH) {
        const pal_volmesh *mesh = mesh_of(b);
        pal_domain_select_ball(mesh, point, b->brush, b->editing->selected);
        for (int32_t k = 0; k < mesh->element_count; k++) {
            b->stroke[k] |= b->editing->selected[k];
        }
    }
}

// ---- changes

static void command(board *b, const char *text) {
    pal_err err = {0};
    if (pal_editing_do(b->editing, text, &err) != PAL_OK) {
        pal_work_say(&b->w, true, "%.250s", err.text);
    } else {
        b->painted = false;
        pal_work_say(&b->w, false, "%s", text);
    }
}

// What a stroke has touched is given to the domain, or taken from it: one step.
static void end_stroke(board *b) {
    pal_err err = {0};
    int32_t moved = 0;
    const char *name = name_of(b, pal_domain_edit_current(b->editing->edit));
    if (b->tool == TOOL_BOX) {
        touch_box(b);
    }
    if (pal_domain_edit_give(b->editing->edit, b->stroke, b->takes, &moved, &err) != PAL_OK) {
        pal_work_say(&b->w, true, "%.250s", err.text);
    } else if (moved > 0) {
        b->painted = false;
        pal_work_say(&b->w, false, "%d elements %s '%s'", (int)moved,
                     b->takes ? "taken from" : "added to", name);
    }
}

// A name that was typed, at its end.
static void take_name(board *b) {
    char text[PAL_UI_LINE + 8];
    const char *old = name_of(b, pal_domain_edit_current(b->editing->edit));
    if (b->w.in.line_done && strcmp(b->w.in.line, old) != 0) {
        snprintf(text, sizeof text, "rename %s", b->w.in.line);
        command(b, text);
    }
}

static void move(void *user) {
    board *b = user;
    take_name(b);
    double point[3];
    const bool pressed = b->w.in.left && !b->w.before.left;
    if (pressed && b->w.frames > 0) {
        b->strokes = b->tool == TOOL_BOX || pick(b, point) >= 0;
        b->from[0] = b->w.in.x;
        b->from[1] = b->w.in.y;
        memset(b->stroke, 0, (size_t)mesh_of(b)->element_count);
    }
    if (b->strokes && b->tool != TOOL_BOX && b->w.in.left) {
        touch(b);
    }
    if (b->strokes && !b->w.in.left) {
        b->strokes = false;
        end_stroke(b);
    }
    pal_work_mouse(&b->w, b->strokes);
}

// ---- keys

static void make_new(board *b) {
    const pal_domain_labels *labels = pal_domain_edit_labels(b->editing->edit);
    char text[64];
    for (int32_t n = labels->count;; n++) { // the first number that is free
        bool taken = false;
        snprintf(text, sizeof text, "new domain %d", (int)n);
        for (int32_t d = 0; d < labels->count; d++) {
            taken = taken || strcmp(labels->name[d], text + 4) == 0;
        }
        if (!taken) {
            break;
        }
    }
    command(b, text);
}

static void choose(board *b, int32_t domain) {
    char text[PAL_DOMAIN_NAME + 16];
    snprintf(text, sizeof text, "choose %s", name_of(b, domain));
    command(b, text);
}

static void choose_under(board *b) {
    double point[3];
    const int32_t e = pick(b, point);
    if (e >= 0) {
        choose(b, pal_domain_edit_labels(b->editing->edit)->label[e]);
    }
}

// First over an element of the domain, then over the one that is to be its copy.
static void copy(board *b) {
    const pal_domain_labels *labels = pal_domain_edit_labels(b->editing->edit);
    const int32_t current = pal_domain_edit_current(b->editing->edit);
    double point[3], from[3], to[3], shift[3];
    const int32_t e = pick(b, point);
    if (e < 0) {
        b->copy_of = -1;
        pal_work_say(&b->w, false, "no copy: nothing is under the cursor");
    } else if (b->copy_of < 0 && labels->label[e] != current) {
        pal_work_say(&b->w, true, "to copy '%s', begin over one of its elements",
                     labels->name[current]);
    } else if (b->copy_of < 0) {
        b->copy_of = e;
        pal_work_say(&b->w, false, "copy of '%s': now K over the element that matches this one",
                     labels->name[current]);
    } else {
        char name[PAL_DOMAIN_NAME];
        pal_err err = {0};
        pal_domain_middle(mesh_of(b), b->copy_of, from);
        pal_domain_middle(mesh_of(b), e, to);
        pal_sub3(to, from, shift);
        snprintf(name, sizeof name, "%.48s copy %d", labels->name[current], (int)labels->count);
        b->copy_of = -1;
        if (pal_editing_copy(b->editing, name, shift, &err) != PAL_OK) {
            pal_work_say(&b->w, true, "%.250s", err.text);
        } else {
            const bool shares = b->editing->note[0] == '\0';
            b->painted = false;
            pal_work_say(&b->w, !shares, "%s%.64s%.250s", shares ? "a copy of one class: " : "",
                         shares ? name : "", b->editing->note);
        }
    }
}

static void save(board *b) {
    pal_err err = {0};
    const bool good = pal_editing_save(b->editing, b->file, &err) == PAL_OK;
    pal_work_say(&b->w, !good, "%s%.250s", good ? "saved: " : "", good ? b->file : err.text);
}

// What the mouse does with elements; false: another key.
static bool change_tool(board *b, pal_ui_action action) {
    switch (action) {
    case PAL_UI_TAKE:
        b->takes = !b->takes;
        return true;
    case PAL_UI_TOOL:
        b->tool = (b->tool + 1) % TOOLS;
        return true;
    case PAL_UI_BIGGER:
        b->brush *= brush_step;
        return true;
    case PAL_UI_SMALLER:
        b->brush /= brush_step;
        return true;
    default:
        return false;
    }
}

static void act(void *user, pal_ui_action action) {
    board *b = user;
    if (change_tool(b, action)) {
        return;
    }
    const int32_t count = pal_domain_edit_labels(b->editing->edit)->count;
    switch (action) {
    case PAL_UI_UNDO:
        command(b, "undo");
        break;
    case PAL_UI_REDO:
        command(b, "redo");
        break;
    case PAL_UI_NEW:
        make_new(b);
        break;
    case PAL_UI_NAME:
        pal_ui_write(&b->w.ui, name_of(b, pal_domain_edit_current(b->editing->edit)));
        break;
    case PAL_UI_NEXT:
        choose(b, (pal_domain_edit_current(b->editing->edit) + 1) % count);
        break;
    case PAL_UI_CHOOSE:
        choose_under(b);
        break;
    case PAL_UI_COPY:
        copy(b);
        break;
    case PAL_UI_SAVE:
        save(b);
        break;
    default:
        break;
    }
}

// ---- a frame

static void draw_tool(board *b) {
    const double s = b->w.view.scale;
    if (b->tool == TOOL_BOX && b->strokes) {
        pal_overlay_frame(b->w.overlay, fmin(b->from[0], b->w.in.x) / s,
                          fmin(b->from[1], b->w.in.y) / s, fabs(b->w.in.x - b->from[0]) / s,
                          fabs(b->w.in.y - b->from[1]) / s, 2.0, pal_hud_alarm);
    }
    double point[3], centre[3], edge[3], side[3];
    if (b->tool == TOOL_BRUSH && pick(b, point) >= 0) { // a ring as large as the brush is there
        enum { CORNERS = 48 };
        const pal_camera camera = pal_stage_tell(b->w.stage).camera;
        float ring[2 * (CORNERS + 1)];
        for (int c = 0; c < 3; c++) {
            side[c] = point[c] + b->brush * camera.right[c];
        }
        pal_camera_project(&camera, point, centre);
        pal_camera_project(&camera, side, edge);
        const double radius = hypot(edge[0] - centre[0], edge[1] - centre[1]);
        for (int k = 0; k <= CORNERS; k++) {
            const double angle = 6.283185307179586 * k / CORNERS;
            ring[2 * k] = (float)((centre[0] + radius * cos(angle)) / s);
            ring[2 * k + 1] = (float)((centre[1] + radius * sin(angle)) / s);
        }
        pal_overlay_polyline(b->w.overlay, ring, CORNERS + 1, 2.0, pal_hud_alarm);
    }
}

static void draw_name(board *b) {
    char text[PAL_UI_LINE + 80];
    snprintf(text, sizeof text, "name: %s_   (Enter keeps it, Esc does not)", b->w.in.line);
    pal_work_say(&b->w, false, "%s", text);
}

static void draw_over(void *user) {
    board *b = user;
    if (b->w.in.writes) {
        draw_name(b);
    }
    const int32_t current = pal_domain_edit_current(b->editing->edit);
    char mode[200], brush[32] = "";
    if (b->tool == TOOL_BRUSH) {
        snprintf(brush, sizeof brush, " %.3g mm", 1e3 * b->brush);
    }
    snprintf(mode, sizeof mode, "'%.16s', %d; %s%s %s", name_of(b, current),
             (int)pal_domain_edit_count(b->editing->edit, current), tool_name[b->tool], brush,
             b->takes ? "takes" : "adds");
    const pal_hud_words words = {
        .scene = b->editing->cut->source, .device = "domains", .mode = mode};
    draw_tool(b);
    pal_hud_draw_title(b->w.overlay, &b->w.shot, &words, &b->w.layout);
}

static pal_status prepare(void *user, pal_err *err) {
    board *b = user;
    pal_status status = b->painted ? PAL_OK : paint(b, err);
    b->painted = status == PAL_OK;
    return status;
}

pal_status pal_edit_window(pal_editing *editing, const char *file, pal_err *err) {
    static const pal_work_calls calls = {
        .act = act, .move = move, .prepare = prepare, .draw_over = draw_over};
    board *b = PAL_NEW(board, 1, err);
    if (b == NULL) {
        return PAL_ERR_MEMORY;
    }
    b->editing = editing;
    b->file = file;
    pal_status status = open_board(b, err);
    if (status == PAL_OK) {
        status = pal_work_run(&b->w, &calls, b, err);
    }
    close_board(b);
    return status;
}
