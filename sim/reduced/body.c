#include "sim/reduced/body.h"

#include <stddef.h>
#include <string.h>

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

// What the dent adds at a point.
static void add_dent(const pal_body *body, int32_t point, double x[3]) {
    const pal_embedding *e = body->embedding;
    for (int64_t k = (int64_t)point * e->nodes; k < (int64_t)(point + 1) * e->nodes; k++) {
        const double *u = body->dent + 3 * (int64_t)e->vertex[k];
        for (int c = 0; c < 3; c++) {
            x[c] += e->weight[k] * u[c];
        }
    }
}

static void linear_position(const pal_body *body, int32_t point, double x[3]) {
    const double *rest = body->rest + 3 * (int64_t)point;
    dot3(rows_of(body, point), body->q, body->size, x);
    for (int c = 0; c < 3; c++) {
        x[c] += rest[c];
    }
    if (body->dent != NULL && *body->dent_bound > 0.0) {
        add_dent(body, point, x);
    }
}

static void linear_velocity(const pal_body *body, int32_t point, double v[3]) {
    dot3(rows_of(body, point), body->velocity, body->size, v);
}

static void linear_add_row(const pal_body *body, int32_t point, const double direction[3],
                           double *row) {
    int32_t r = body->size;
    const double *x = rows_of(body, point), *y = x + r, *z = y + r;
    for (int32_t l = 0; l < r; l++) {
        row[l] += direction[0] * x[l] + direction[1] * y[l] + direction[2] * z[l];
    }
}

static const pal_body_functions linear_functions = {
    .position = linear_position,
    .velocity = linear_velocity,
    .add_row = linear_add_row,
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
