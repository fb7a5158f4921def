#include "sim/contact/distfield.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "sim/base/vec3.h"

typedef float lanes __attribute__((vector_size(16))); // four floats, for the vector units

// Catmull-Rom weights of four samples at t in [0, 1] between the middle two, and their slopes.
static inline void weigh(float t, lanes *w, lanes *slope) {
    static const lanes zero = {0.0f, 1.0f, 0.0f, 0.0f}, one = {-0.5f, 0.0f, 0.5f, 0.0f};
    static const lanes two = {1.0f, -2.5f, 2.0f, -0.5f}, three = {-0.5f, 1.5f, -1.5f, 0.5f};
    *w = zero + t * (one + t * (two + t * three));
    *slope = one + t * (2.0f * two + t * 3.0f * three);
}

static inline float total(lanes a) {
    return (a[0] + a[2]) + (a[1] + a[3]);
}

// The value at a place in the cells of the grid, and its gradient. A row of four samples along x is
// one vector; rows are weighed in y and z, the result in x.
static double interpolate(const pal_distfield *field, const int32_t at[3], const float t[3],
                          double gradient[3]) {
    lanes w[3], slope[3];
    for (int c = 0; c < 3; c++) {
        weigh(t[c], &w[c], &slope[c]);
    }
    const int64_t row = field->count[0], plane = row * field->count[1];
    const float *corner = field->distance + (at[2] - 1) * plane + (at[1] - 1) * row + (at[0] - 1);
    lanes value = {0.0f}, along_y = {0.0f}, along_z = {0.0f};
    for (int k = 0; k < 4; k++) {
        lanes line = {0.0f}, line_y = {0.0f};
        for (int j = 0; j < 4; j++) {
            lanes sample;
            memcpy(&sample, corner + k * plane + j * row, sizeof sample);
            line += w[1][j] * sample;
            line_y += slope[1][j] * sample;
        }
        value += w[2][k] * line;
        along_y += w[2][k] * line_y;
        along_z += slope[2][k] * line;
    }
    const double per_cell = 1.0 / field->cell;
    gradient[0] = (double)total(slope[0] * value) * per_cell;
    gradient[1] = (double)total(w[0] * along_y) * per_cell;
    gradient[2] = (double)total(w[0] * along_z) * per_cell;
    return (double)total(w[0] * value);
}

double pal_distfield_at(const pal_distfield *field, const double x[3], double gradient[3]) {
    const double per_cell = 1.0 / field->cell;
    double beyond[3], g[3], out2 = 0.0;
    int32_t at[3];
    float t[3];
    for (int c = 0; c < 3; c++) {
        // In cells, within the samples that have a neighbour on either side.
        const double place = (x[c] - field->origin[c]) * per_cell;
        const double low = 1.0, high = (double)(field->count[c] - 2);
        double inside = place > low ? place : low; // in this order: no jumps, and numbers only
        inside = inside < high ? inside : high;
        at[c] = (int32_t)inside;
        at[c] = at[c] > field->count[c] - 3 ? field->count[c] - 3 : at[c];
        t[c] = (float)(inside - at[c]);
        beyond[c] = (place - inside) * field->cell;
        out2 += beyond[c] * beyond[c];
    }
    if (!(out2 < INFINITY)) {
        if (gradient != NULL) {
            gradient[0] = gradient[1] = gradient[2] = 0.0;
        }
        return NAN;
    }
    double d = interpolate(field, at, t, g);
    if (out2 > 0.0) {
        const double far = sqrt(d * d + out2);
        for (int c = 0; c < 3; c++) {
            g[c] = ((beyond[c] == 0.0 ? d * g[c] : 0.0) + beyond[c]) / far;
        }
        d = far;
    }
    if (gradient != NULL) {
        const double length = pal_norm3(g), part = length > 0.0 ? 1.0 / length : 0.0;
        for (int c = 0; c < 3; c++) {
            gradient[c] = g[c] * part;
        }
    }
    return d;
}

double pal_distfield_about(const pal_distfield *field, const double x[3]) {
    const double per_cell = 1.0 / field->cell;
    double out2 = 0.0;
    int64_t at[3];
    for (int c = 0; c < 3; c++) {
        const double place = (x[c] - field->origin[c]) * per_cell;
        const double low = 1.0, high = (double)(field->count[c] - 2);
        double inside = place > low ? place : low; // in this order: no jumps, and numbers only
        inside = inside < high ? inside : high;
        out2 += (place - inside) * (place - inside);
        at[c] = (int64_t)(inside + 0.5);
    }
    if (!(out2 < INFINITY)) {
        return NAN;
    }
    const int64_t row = field->count[0], plane = row * field->count[1];
    const double d = (double)field->distance[at[2] * plane + at[1] * row + at[0]];
    return out2 > 0.0 ? sqrt(d * d + out2 * field->cell * field->cell) : d;
}
