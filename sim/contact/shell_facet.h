// The triangles over the tangent plane of a shell's point, and ways over them. Private to
// shell_move.c. RT safe.
#ifndef PAL_CONTACT_SHELL_FACET_H
#define PAL_CONTACT_SHELL_FACET_H

#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/contact/shell_move.h"

enum { WALK = 24 }; // triangles of a walk

typedef struct facet { // a triangle that is at hand
    int32_t triangle;
    double corner[3][3]; // deformed
    double flat[3][2];   // at rest, in the tangent plane
    double normal[3];    // deformed, unit (zero when it has no area)
    double gram[3];      // of the deformed edges from corner 0: 11, 12, 22
    double edge[2][3];
} facet;

typedef struct place {
    int32_t triangle;
    double weight[3];
    double x[3];
    double distance;
    double gradient[3];
    double normal[3]; // of the triangle
} place;

// Twice the area that a triangle has in the tangent plane, and its corners there.
static inline double flatten(const pal_shell_tool *tool, const pal_shell_point *point,
                             int32_t triangle, double flat[3][2]) {
    const pal_body *body = tool->places.body;
    for (int k = 0; k < 3; k++) {
        double apart[3];
        const int32_t p = body->triangle[3 * (int64_t)triangle + k];
        pal_sub3(body->rest + 3 * (int64_t)p, point->x, apart);
        flat[k][0] = pal_dot3(apart, point->axis[0]);
        flat[k][1] = pal_dot3(apart, point->axis[1]);
    }
    return (flat[1][0] - flat[0][0]) * (flat[2][1] - flat[0][1]) -
           (flat[1][1] - flat[0][1]) * (flat[2][0] - flat[0][0]);
}

// Whether the surface goes on in that triangle: it does not turn too far from the point's normal.
static inline bool goes_on(const pal_shell_tool *tool, const pal_shell_point *point,
                           int32_t triangle, double flat[3][2]) {
    if (triangle < 0) {
        return false;
    }
    const pal_body *body = tool->places.body;
    const int32_t *corner = body->triangle + 3 * (int64_t)triangle;
    double e1[3], e2[3], normal[3];
    pal_sub3(body->rest + 3 * (int64_t)corner[1], body->rest + 3 * (int64_t)corner[0], e1);
    pal_sub3(body->rest + 3 * (int64_t)corner[2], body->rest + 3 * (int64_t)corner[0], e2);
    pal_cross3(e1, e2, normal);
    return flatten(tool, point, triangle, flat) > PAL_SHELL_FOLD * pal_norm3(normal);
}

static inline void weigh(double flat[3][2], const double u[2], double weight[3]) {
    double to[3][2], sum = 0.0;
    for (int k = 0; k < 3; k++) {
        to[k][0] = flat[k][0] - u[0];
        to[k][1] = flat[k][1] - u[1];
    }
    for (int k = 0; k < 3; k++) {
        const double *a = to[(k + 1) % 3], *b = to[(k + 2) % 3];
        weight[k] = a[0] * b[1] - a[1] * b[0];
        sum += weight[k];
    }
    for (int k = 0; k < 3; k++) {
        weight[k] /= sum;
    }
}

// The place over the tangent plane of these weights.
static inline void unweigh(double flat[3][2], const double weight[3], double u[2]) {
    for (int c = 0; c < 2; c++) {
        u[c] = weight[0] * flat[0][c] + weight[1] * flat[1][c] + weight[2] * flat[2][c];
    }
}

static inline int most_outside(const double weight[3]) {
    int least = 0;
    for (int k = 1; k < 3; k++) {
        least = weight[k] < weight[least] ? k : least;
    }
    return least;
}

// The edge over which one first leaves a triangle on the way from one place to another; -1: none.
static inline int first_edge(const double from[3], const double to[3]) {
    int edge = -1;
    double first = INFINITY;
    for (int k = 0; k < 3; k++) {
        const double t = to[k] < 0.0 ? from[k] / (from[k] - to[k]) : INFINITY;
        if (t < first) {
            first = t;
            edge = k;
        }
    }
    return edge;
}

// The part low..high of the way from a along `along` that is in the cell; empty where it is not.
static inline void part_in_cell(const pal_shell_cell *cell, const double a[2],
                                const double along[2], double *low, double *high) {
    for (int32_t i = 0; i < cell->corner_count; i++) {
        const float *p = cell->corner[i];
        const float *q = cell->corner[i + 1 < cell->corner_count ? i + 1 : 0];
        const double side[2] = {(double)q[0] - (double)p[0], (double)q[1] - (double)p[1]};
        // inside: at + t rate >= 0
        const double at = side[0] * (a[1] - (double)p[1]) - side[1] * (a[0] - (double)p[0]);
        const double rate = side[0] * along[1] - side[1] * along[0];
        if (rate > 0.0) {
            *low = fmax(*low, -at / rate);
        } else if (rate < 0.0) {
            *high = fmin(*high, -at / rate);
        }
    }
}

// The nearest place of the edge opposite to corner k that is in the cell.
static inline void stop_at_edge(const pal_shell_cell *cell, double flat[3][2], int k,
                                const double u[2], double weight[3]) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double along[2] = {flat[j][0] - flat[i][0], flat[j][1] - flat[i][1]};
    const double length2 = along[0] * along[0] + along[1] * along[1];
    const double t = along[0] * (u[0] - flat[i][0]) + along[1] * (u[1] - flat[i][1]);
    double share = length2 > 0.0 ? t / length2 : 0.0, low = 0.0, high = 1.0;
    part_in_cell(cell, flat[i], along, &low, &high);
    share = low > high ? 0.5 * (low + high) : share < low ? low : share > high ? high : share;
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    weight[k] = 0.0;
    weight[i] = 1.0 - share;
    weight[j] = share;
}

// From triangle *triangle (whose corners are in flat) to the one over u, over edges; stops where
// the surface ends or folds away.
static inline void walk(const pal_shell_tool *tool, const pal_shell_point *point,
                        const pal_shell_cell *cell, const double u[2], int32_t *triangle,
                        double flat[3][2], double weight[3]) {
    for (int step = 0; step < WALK; step++) {
        weigh(flat, u, weight);
        const int k = most_outside(weight);
        if (!(weight[k] < 0.0)) {
            return;
        }
        double next_flat[3][2];
        const int32_t next = tool->shell->beside[3 * (int64_t)*triangle + k];
        if (step == WALK - 1 || !goes_on(tool, point, next, next_flat)) {
            stop_at_edge(cell, flat, k, u, weight);
            return;
        }
        *triangle = next;
        memcpy(flat, next_flat, sizeof next_flat);
    }
}

// The point of the cell nearest to u.
static inline void clamp_to_cell(const pal_shell_cell *cell, double u[2]) {
    double best = INFINITY, nearest[2] = {u[0], u[1]};
    bool inside = true;
    for (int32_t i = 0; i < cell->corner_count; i++) {
        const float *a = cell->corner[i];
        const float *b = cell->corner[i + 1 < cell->corner_count ? i + 1 : 0];
        const double along[2] = {(double)b[0] - (double)a[0], (double)b[1] - (double)a[1]};
        const double to[2] = {u[0] - (double)a[0], u[1] - (double)a[1]};
        if (along[0] * to[1] - along[1] * to[0] >= 0.0) {
            continue; // on the inner side of this edge
        }
        inside = false;
        const double length2 = along[0] * along[0] + along[1] * along[1];
        const double t = along[0] * to[0] + along[1] * to[1];
        const double share = t <= 0.0 ? 0.0 : t >= length2 ? 1.0 : t / length2;
        const double p[2] = {(double)a[0] + share * along[0], (double)a[1] + share * along[1]};
        const double squared = (u[0] - p[0]) * (u[0] - p[0]) + (u[1] - p[1]) * (u[1] - p[1]);
        if (squared < best) {
            best = squared;
            nearest[0] = p[0];
            nearest[1] = p[1];
        }
    }
    if (!inside) {
        u[0] = nearest[0];
        u[1] = nearest[1];
    }
}

// Weights in another triangle of a place on the edge that they share, opposite to corner k here.
static inline void carry_over(const pal_shell_tool *tool, int32_t from, int k,
                              const double weight[3], int32_t to, double carried[3]) {
    int back = 0;
    for (int i = 0; i < 3; i++) {
        back = tool->shell->beside[3 * (int64_t)to + i] == from ? i : back;
    }
    carried[back] = 0.0; // both run counter-clockwise, so the edge runs the other way there
    carried[(back + 1) % 3] = weight[(k + 2) % 3];
    carried[(back + 2) % 3] = weight[(k + 1) % 3];
}

#endif
