#include "sim/reduced/body.h"

enum { LANES = 4 };

// out = the three rows of a point's basis [3][r] times q. Sums in lanes, for the vector units.
static void three_dots(const double *rows, const double *q, int32_t r, double out[3]) {
    const double *x = rows, *y = rows + r, *z = rows + 2 * (int64_t)r;
    double sum[3][LANES] = {{0.0}};
    int32_t l = 0;
    for (; l + LANES <= r; l += LANES) {
        for (int k = 0; k < LANES; k++) {
            sum[0][k] += x[l + k] * q[l + k];
            sum[1][k] += y[l + k] * q[l + k];
            sum[2][k] += z[l + k] * q[l + k];
        }
    }
    for (int k = 0; l < r; l++, k++) {
        sum[0][k] += x[l] * q[l];
        sum[1][k] += y[l] * q[l];
        sum[2][k] += z[l] * q[l];
    }
    for (int c = 0; c < 3; c++) {
        out[c] = (sum[c][0] + sum[c][1]) + (sum[c][2] + sum[c][3]);
    }
}

static const double *rows_of(const pal_body *body, int32_t point) {
    return body->basis + 3 * (int64_t)point * body->size;
}

static void linear_position(const pal_body *body, int32_t point, double x[3]) {
    const double *rest = body->rest + 3 * (int64_t)point;
    three_dots(rows_of(body, point), body->q, body->size, x);
    for (int c = 0; c < 3; c++) {
        x[c] += rest[c];
    }
}

static void linear_velocity(const pal_body *body, int32_t point, double v[3]) {
    three_dots(rows_of(body, point), body->velocity, body->size, v);
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
