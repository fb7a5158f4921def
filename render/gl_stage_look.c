// Looking at a stage: fitting the view to it, and where its points are.
#include <math.h>
#include <stdlib.h>

#include "render/gl_stage_parts.h"
#include "sim/base/memory.h"

enum { STEP = 7 }; // of this many points one is looked at, for the fit

// Body and tools, as places [.][3]; returns how many.
static int64_t gather(pal_stage *s, const pal_snapshot *shot, double *x) {
    int64_t count = 0;
    if (s->has_body) {
        const float *place = pal_gl_body_places(&s->body);
        for (int64_t i = 0; i < s->body.deform.point_count; i += STEP) {
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
        for (int k = 0; k < 7; k++, count++) { // the ball about it, and the end of its handle
            const double handle =
                s->spec.tool[h].kind == PAL_LOOK_BALL ? PAL_HANDLE_RADII * s->bound[h] : 0.0;
            double turn[3][3];
            pal_turn_matrix(shot->hand[h].tool.turn, turn);
            for (int c = 0; c < 3; c++) {
                const double side = k / 2 == c ? (k % 2 ? 1.0 : -1.0) * s->bound[h] : 0.0;
                x[3 * count + c] = shot->hand[h].tool.x[c] + (k < 6 ? side : handle * turn[c][2]);
            }
        }
    }
    return count;
}

pal_status pal_stage_fit(pal_stage *s, pal_view *view, int32_t width, int32_t height,
                         const pal_snapshot *shot, double zoom, pal_err *err) {
    const int64_t points = s->has_body ? s->body.deform.point_count / STEP + 1 : 8;
    double *x = PAL_NEW(double, 3 * (points + 7 * PAL_SNAPSHOT_HANDS), err);
    if (x == NULL) {
        return PAL_ERR_MEMORY;
    }
    if (s->has_body) {
        pal_gl_body_update(&s->body, &s->shaders, shot, s->body.tone);
    }
    const int64_t count = gather(s, shot, x);
    pal_view_fit(view, width, height, x, count, zoom);
    free(x);
    return PAL_OK;
}

void pal_stage_places(pal_stage *s, double *x) {
    const float *place = s->has_body ? pal_gl_body_places(&s->body) : NULL;
    for (int64_t i = 0; place != NULL && i < 3 * (int64_t)s->body.deform.point_count; i++) {
        x[i] = place[4 * (i / 3) + i % 3];
    }
}
