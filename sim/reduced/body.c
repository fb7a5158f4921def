#include "sim/reduced/body.h"

#include <stddef.h>

enum { LANES = 8 };

// Sums in lanes, for the vector units.
static double dot(const double *restrict a, const double *restrict q, int32_t r) {
    double sum[LANES] = {0.0};
    int32_t l = 0;
    for (; l + LANES <= r; l += LANES) {
        for (int k = 0; k < LANES; k++) {
            sum[k] += a[l + k] * q[l + k];
        }
    }
    for (int k = 0; l < r; l++, k++) {
        sum[k] += a[l] * q[l];
    }
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
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
    const double *rows = rows_of(body, point);
    for (int c = 0; c < 3; c++) {
        x[c] = rest[c] + dot(rows + c * body->size, body->q, body->size);
    }
    if (body->dent != NULL && *body->dent_bound > 0.0) {
        add_dent(body, point, x);
    }
}

static void linear_velocity(const pal_body *body, int32_t point, double v[3]) {
    const double *rows = rows_of(body, point);
    for (int c = 0; c < 3; c++) {
        v[c] = dot(rows + c * body->size, body->velocity, body->size);
    }
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
