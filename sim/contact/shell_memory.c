#include "sim/contact/shell_memory.h"

#include <math.h>

#include "sim/base/vec3.h"

// How far the cells that are remembered may have gone, by dq, beside a tool that was shifted: what
// the centre did, and how much more or less another place of theirs may have done.
static double beside_tool(const pal_shell_memory *m, const pal_shell *shell, const double *dq,
                          const double shift[3]) {
    const float *row = shell->motion + 3 * (int64_t)m->centre * shell->stride;
    double apart[3] = {-shift[0], -shift[1], -shift[2]}, more = 0.0;
    for (int32_t l = 0; l < shell->size; l++) {
        for (int c = 0; c < 3; c++) {
            apart[c] += (double)row[c * shell->stride + l] * dq[l];
        }
        more += fabs(dq[l]) * (double)m->spread[l];
    }
    return pal_norm3(apart) + more;
}

double pal_shell_memory_speed(const pal_shell_memory *m, const pal_shell *shell,
                              const double *velocity) {
    static const double none[3] = {0.0, 0.0, 0.0};
    return m->valid && m->centre >= 0 ? beside_tool(m, shell, velocity, none) * (1.0 + 1e-6)
                                      : INFINITY;
}

void pal_shell_memory_pass(pal_shell_memory *m, const pal_shell *shell, const pal_body *body,
                           const pal_shell_query *query) {
    const pal_shape *shape = query->shape;
    double shift[3], turn[3], dq[PAL_MAX_R], any = 0.0;
    pal_sub3(query->pose.x, m->pose.x, shift);
    pal_turn_between(m->pose.turn, query->pose.turn, turn);
    for (int32_t l = 0; l < shell->size; l++) {
        dq[l] = body->q[l] - m->q[l];
        any += fabs(dq[l]) * (double)shell->farthest[l];
        m->q[l] = body->q[l];
    }
    any += pal_norm3(shift);
    const double near = m->valid && m->centre >= 0 ? beside_tool(m, shell, dq, shift) : any;
    double by = pal_norm3(turn) * (shape->bound + pal_norm3(shape->centre));
    if (body->dent != NULL) {
        by += *body->dent_travel - m->dent_travel;
        m->dent_travel = *body->dent_travel;
    }
    m->pose = query->pose;
    m->moved += (any + by) * (1.0 + 1e-9);
    m->moved_near += (near < any ? near * (1.0 + 1e-6) : any) + by * (1.0 + 1e-9);
}
