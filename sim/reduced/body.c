#include "sim/reduced/body.h"

#include <stddef.h>
#include <string.h>

#include "sim/base/vecn.h"
#include "sim/reduced/newmark.h"
#include "sim/reduced/vec4.h"

enum { LANES = 4 };

static pal_vec4 load(const double *x) { // aligned or not
    pal_vec4 v;
    memcpy(&v, x, sizeof v);
    return v;
}

// Three rows times q. The last four of a row whose length is no multiple of four are taken from its
// end, those that were there already times zero.
static void dot3(const double *rows, const double *q, int32_t r, double out[3]) {
    static const double last[8] = {0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0};
    pal_vec4 sum[4] = {{0.0}};
    int32_t l = 0;
    for (; l + LANES <= r; l += LANES) {
        const pal_vec4 part = load(q + l);
        sum[0] += load(rows + l) * part;
        sum[1] += load(rows + r + l) * part;
        sum[2] += load(rows + 2 * r + l) * part;
    }
    if (l < r && r >= LANES) {
        const double *end = rows + r - LANES;
        const pal_vec4 part = load(last + (r - l)) * load(q + r - LANES);
        sum[0] += load(end) * part;
        sum[1] += load(end + r) * part;
        sum[2] += load(end + 2 * r) * part;
        l = r;
    }
    const pal_vec4 total = pal_sum_rows4(sum);
    for (int c = 0; c < 3; c++) {
        out[c] = total[c];
        for (int32_t k = l; k < r; k++) {
            out[c] += rows[c * r + k] * q[k];
        }
    }
}

static const double *rows_of(const pal_body *body, int32_t point) {
    return body->basis + 3 * (int64_t)point * body->size;
}

// Displacements of volume vertices, carried to a point.
static void carry(const pal_body *body, const double *displacement, int32_t point,
                  double u_point[3]) {
    const pal_embedding *e = body->embedding;
    u_point[0] = u_point[1] = u_point[2] = 0.0;
    if (displacement == NULL || !(*body->dent_bound > 0.0)) {
        return;
    }
    for (int64_t k = (int64_t)point * e->nodes; k < (int64_t)(point + 1) * e->nodes; k++) {
        const double *u = displacement + 3 * (int64_t)e->vertex[k];
        for (int c = 0; c < 3; c++) {
            u_point[c] += e->weight[k] * u[c];
        }
    }
}

void pal_body_dent(const pal_body *body, int32_t point, double u[3]) {
    carry(body, body->dent, point, u);
}

void pal_body_yielding(const pal_body *body, int32_t point, double u[3]) {
    carry(body, body->yielding, point, u);
}

static void linear_undented(const pal_body *body, int32_t point, double x[3]) {
    const double *rest = body->rest + 3 * (int64_t)point;
    dot3(rows_of(body, point), body->q, body->size, x);
    for (int c = 0; c < 3; c++) {
        x[c] += rest[c];
    }
}

static void linear_position(const pal_body *body, int32_t point, double x[3]) {
    double dent[3];
    pal_body_dent(body, point, dent);
    linear_undented(body, point, x);
    for (int c = 0; c < 3; c++) {
        x[c] += dent[c];
    }
}

static void linear_velocity(const pal_body *body, int32_t point, double v[3]) {
    dot3(rows_of(body, point), body->velocity, body->size, v);
}

static void linear_add_rows(const pal_body *body, int32_t point, double weight,
                            double *restrict rows, int32_t stride) {
    const int32_t r = body->size;
    const double *from = rows_of(body, point);
    for (int c = 0; c < 3; c++) {
        for (int32_t l = 0; l < r; l++) {
            rows[c * stride + l] += weight * from[c * r + l];
        }
    }
}

static pal_outcome linear_begin(const pal_body *body, const double *f) {
    return pal_newmark_begin(body->stepper, f);
}

static const double *linear_free_motion(const pal_body *body) {
    return pal_newmark_free(body->stepper);
}

static void linear_halve(const pal_body *body, double *x, int32_t stride) {
    pal_newmark_halve(body->stepper, x, stride);
}

static pal_outcome linear_finish(const pal_body *body, const double *contact_force) {
    return pal_newmark_finish(body->stepper, contact_force);
}

static bool linear_lasting(const pal_body *body, int32_t count, const double *force, int32_t stride,
                           double *work) {
    for (int32_t k = 0; k < count; k++) {
        const double *f = force + (int64_t)k * stride;
        _Alignas(32) double way[PAL_MAX_R] = {0.0};
        pal_add_scaled(body->size, 1.0, f, way);
        if (!pal_newmark_settle(body->stepper, way)) {
            return false;
        }
        work[k] = pal_dot(body->size, f, way);
    }
    return true;
}

static pal_outcome linear_step(const pal_body *body, const double *f, const pal_spring *spring,
                               int32_t count, double *force) {
    return pal_newmark_step(body->stepper, f, spring, count, force);
}

static const pal_body_functions linear_functions = {
    .position = linear_position,
    .velocity = linear_velocity,
    .add_rows = linear_add_rows,
    .undented = linear_undented,
    .yielding = pal_body_yielding,
    .begin = linear_begin,
    .free_motion = linear_free_motion,
    .halve = linear_halve,
    .finish = linear_finish,
    .lasting = linear_lasting,
    .step = linear_step,
};

void pal_body_init_linear(pal_body *body, int32_t size, int32_t point_count, int32_t triangle_count,
                          const int32_t *triangle, const double *rest, const double *basis,
                          const double *q, const double *velocity) {
    *body = (pal_body){
        .functions = &linear_functions,
        .size = size,
        .point_count = point_count,
        .triangle_count = triangle_count,
        .triangle = triangle,
        .rest = rest,
        .basis = basis,
        .q = q,
        .velocity = velocity,
    };
}

void pal_body_attach(pal_body *body, pal_newmark *newmark) {
    body->stepper = newmark;
}
