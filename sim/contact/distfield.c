#include "sim/contact/distfield.h"

#include <math.h>
#include <stddef.h>

#include "sim/base/vec3.h"

// Catmull-Rom weights of four samples at t in [0, 1] between the middle two, and their slopes.
static void weigh(float t, float w[4], float slope[4]) {
    const float t2 = t * t, t3 = t2 * t;
    w[0] = -0.5f * t + t2 - 0.5f * t3;
    w[1] = 1.0f - 2.5f * t2 + 1.5f * t3;
    w[2] = 0.5f * t + 2.0f * t2 - 1.5f * t3;
    w[3] = -0.5f * t2 + 0.5f * t3;
    slope[0] = -0.5f + 2.0f * t - 1.5f * t2;
    slope[1] = -5.0f * t + 4.5f * t2;
    slope[2] = 0.5f + 4.0f * t - 4.5f * t2;
    slope[3] = -t + 1.5f * t2;
}

// The value at a place in the cells of the grid, and its gradient. Sums in lanes of four along x:
// the four samples of a row, weighed in y and z, then weighed in x at the end.
static double interpolate(const pal_distfield *field, const int32_t at[3], const float t[3],
                          double gradient[3]) {
    float w[3][4], slope[3][4];
    for (int c = 0; c < 3; c++) {
        weigh(t[c], w[c], slope[c]);
    }
    const int64_t row = field->count[0], plane = row * field->count[1];
    const float *corner = field->distance + (at[2] - 1) * plane + (at[1] - 1) * row + (at[0] - 1);
    float value[4] = {0.0f}, along_y[4] = {0.0f}, along_z[4] = {0.0f};
    for (int k = 0; k < 4; k++) {
        float line[4] = {0.0f}, line_y[4] = {0.0f};
        for (int j = 0; j < 4; j++) {
            const float *sample = corner + k * plane + j * row;
            for (int i = 0; i < 4; i++) {
                line[i] += w[1][j] * sample[i];
                line_y[i] += slope[1][j] * sample[i];
            }
        }
        for (int i = 0; i < 4; i++) {
            value[i] += w[2][k] * line[i];
            along_y[i] += w[2][k] * line_y[i];
            along_z[i] += slope[2][k] * line[i];
        }
    }
    float total = 0.0f, g[3] = {0.0f};
    for (int i = 0; i < 4; i++) {
        total += w[0][i] * value[i];
        g[0] += slope[0][i] * value[i];
        g[1] += w[0][i] * along_y[i];
        g[2] += w[0][i] * along_z[i];
    }
    for (int c = 0; c < 3; c++) {
        gradient[c] = (double)g[c] / field->cell;
    }
    return (double)total;
}

double pal_distfield_at(const pal_distfield *field, const double x[3], double gradient[3]) {
    double beyond[3], g[3], out2 = 0.0;
    int32_t at[3];
    float t[3];
    for (int c = 0; c < 3; c++) {
        // In cells, within the samples that have a neighbour on either side. NaN is kept.
        const double place = (x[c] - field->origin[c]) / field->cell;
        const double low = 1.0, high = (double)(field->count[c] - 2);
        const double inside = place < low ? low : place > high ? high : place;
        if (!isfinite(place)) {
            if (gradient != NULL) {
                gradient[0] = gradient[1] = gradient[2] = 0.0;
            }
            return NAN;
        }
        at[c] = (int32_t)inside;
        at[c] = at[c] > field->count[c] - 3 ? field->count[c] - 3 : at[c];
        t[c] = (float)(inside - at[c]);
        beyond[c] = (place - inside) * field->cell;
        out2 += beyond[c] * beyond[c];
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
        const double length = pal_norm3(g);
        for (int c = 0; c < 3; c++) {
            gradient[c] = length > 0.0 ? g[c] / length : 0.0;
        }
    }
    return d;
}
