// Looking at a stage: fitting the view to it, and where its points are.
#include <math.h>
#include <stdlib.h>

#include "render/gl_stage_parts.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

// Body and tools, as places [.][3]; returns how many.
static int64_t gather(pal_stage *s, const pal_snapshot *shot, double *x) {
    int64_t count = 0;
    if (s->has_body) {
        const float *place = pal_gl_body_places(&s->body);
        for (int64_t i = 0; i < pal_gl_body_points(&s->body); i++) {
            for (int c = 0; c < 3; c++) {
                x[3 * count + c] = place[4 * i + c];
            }
            count++;
        }
    }
    for (int k = 0; !s->has_body && k < 8; k++, count++) {
        for (int c = 0; c < 3; c++) {
            x[3 * count + c] = s->box[k >> c & 1][c];
        }
    }
    for (int32_t h = 0; h < shot->hand_count && h < s->spec.tool_count; h++) {
        const pal_pose *pose = &shot->hand[h].tool;
        double turn[3][3];
        pal_turn_matrix(pose->turn, turn);
        for (int k = 0; k < 8; k++, count++) {
            const double corner[3] = {s->tool_box[h][k & 1][0], s->tool_box[h][k >> 1 & 1][1],
                                      s->tool_box[h][k >> 2][2]};
            for (int c = 0; c < 3; c++) {
                x[3 * count + c] = pose->x[c] + pal_dot3(turn[c], corner);
            }
        }
    }
    return count;
}

// The ends of the forces' arrows, as long as a view makes them; returns how many.
static int64_t gather_arrows(const pal_stage *s, const pal_snapshot *shot, const pal_view *view,
                             int32_t width, int32_t height, double *x) {
    pal_camera camera;
    int64_t count = 0;
    pal_view_camera(view, width, height, &camera);
    for (int32_t h = 0; h < shot->hand_count && h < s->spec.tool_count; h++) {
        const pal_snapshot_hand *hand = &shot->hand[h];
        const double size = pal_norm3(hand->force);
        const double length = pal_stage_arrow(s, size, height, fmax(view->scale, 1.0)) *
                              view->distance / camera.focal;
        for (int c = 0; length > 0.0 && c < 3; c++) {
            x[3 * count + c] = hand->tool.x[c] + length * hand->force[c] / size;
        }
        count += length > 0.0;
    }
    return count;
}

// Room for axes and their numbers about the box; returns how many places.
static int64_t gather_axes(const pal_stage *s, double *x) {
    static const double room = 0.2; // of the reach
    for (int k = 0; k < 8; k++) {
        for (int c = 0; c < 3; c++) {
            const int high = k >> c & 1;
            const bool level = c != pal_up_axis(s->spec.up);
            x[3 * k + c] = s->box[high][c] + (high ? room : -room) * s->reach * level;
        }
    }
    return 8;
}

pal_status pal_stage_fit(pal_stage *s, pal_view *view, int32_t width, int32_t height,
                         const pal_layout *layout, const pal_snapshot *shot, double zoom,
                         pal_err *err) {
    const int64_t points = s->has_body ? pal_gl_body_points(&s->body) : 8;
    double *x = PAL_NEW(double, 3 * (points + 8 + 9 * PAL_SNAPSHOT_HANDS), err);
    if (x == NULL) {
        return PAL_ERR_MEMORY;
    }
    view->up = s->spec.up;
    if (s->has_body) {
        pal_gl_body_update(&s->body, &s->shaders, shot, s->body.tone);
    }
    int64_t count = gather(s, shot, x);
    if (view->axes && view->labels) {
        count += gather_axes(s, x + 3 * count);
    }
    pal_view_fit(view, width, height, x, count, zoom);
    if (view->force && !view->trainer && zoom <= 1.0) {
        const int64_t arrows = gather_arrows(s, shot, view, width, height, x + 3 * count);
        pal_view_fit(view, width, height, x, count + arrows, zoom);
    }
    if (zoom > 1.0 && shot->hand_count > 0 && s->spec.tool_count > 0) { // towards the first tool
        for (int c = 0; c < 3; c++) {
            view->centre[c] += (1.0 - 1.0 / zoom) * (shot->hand[0].tool.x[c] - view->centre[c]);
        }
    }
    if (layout != NULL) {
        pal_view_shift(view, width, height, (const double[2]){0.0, 1.0}, layout->body);
    }
    free(x);
    return PAL_OK;
}

void pal_stage_places(pal_stage *s, double *x) {
    const float *place = s->has_body ? pal_gl_body_places(&s->body) : NULL;
    for (int64_t i = 0; place != NULL && i < 3 * (int64_t)pal_gl_body_points(&s->body); i++) {
        x[i] = place[4 * (i / 3) + i % 3];
    }
}
