// LANES doubles side by side (1, 2, 4 or 8, set by who includes this): the same number of as many
// ports; and 3 x 3 matrices and vectors of them, matrices row by row. Internal to sim/substruct.
// All RT safe.
#ifndef PAL_SUBSTRUCT_LANES_H
#define PAL_SUBSTRUCT_LANES_H

#pragma GCC diagnostic ignored                                                                     \
    "-Wpsabi" // all functions here are inlined: their ABI does not matter

#include <stdbool.h>

#if LANES == 1
typedef double vec;
#else
typedef double vec __attribute__((vector_size(8 * LANES), may_alias));
#endif

// One of them.
#define LANE(x, lane)    (((double *)&(x))[lane])
#define LANE_OF(x, lane) (((const double *)&(x))[lane])

static inline vec splat(double x) {
    return x - (vec){0};
}

// Whether a > b in all lanes; no NaN is.
static inline bool all_above(vec a, vec b) {
#if LANES == 1
    return a > b;
#else
    typedef long long mask __attribute__((vector_size(8 * LANES)));
    const mask m = a > b;
    long long all = -1;
    for (int lane = 0; lane < LANES; lane++) {
        all &= m[lane];
    }
    return all != 0;
#endif
}

static inline double sum_lanes(vec a) {
    double part[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        part[lane] = LANE_OF(a, lane);
    }
    for (int half = LANES / 2; half > 0; half /= 2) {
        for (int lane = 0; lane < half; lane++) {
            part[lane] += part[lane + half];
        }
    }
    return part[0];
}

static inline void multiply(const vec *a, const vec *b, vec *out) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
}

// out = a^T b
static inline void multiply_transposed(const vec *a, const vec *b, vec *out) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
        }
    }
}

static inline void apply(const vec *m, const vec *x, vec *y) {
    const vec a = x[0], b = x[1], c = x[2];
    for (int i = 0; i < 3; i++) {
        y[i] = m[3 * i] * a + m[3 * i + 1] * b + m[3 * i + 2] * c;
    }
}

static inline void apply_transposed(const vec *m, const vec *x, vec *y) {
    const vec a = x[0], b = x[1], c = x[2];
    for (int i = 0; i < 3; i++) {
        y[i] = m[i] * a + m[3 + i] * b + m[6 + i] * c;
    }
}

static inline void cross(const vec *a, const vec *b, vec *out) {
    const vec x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
}

// 2 skew(m)
static inline void axial(const vec *m, vec *x) {
    x[0] = m[7] - m[5];
    x[1] = m[2] - m[6];
    x[2] = m[3] - m[1];
}

static inline void apply_symmetric(const vec *g, const vec *x, vec *y) {
    const vec a = x[0], b = x[1], c = x[2];
    y[0] = g[0] * a + g[1] * b + g[2] * c;
    y[1] = g[1] * a + g[3] * b + g[4] * c;
    y[2] = g[2] * a + g[4] * b + g[5] * c;
}

#endif
