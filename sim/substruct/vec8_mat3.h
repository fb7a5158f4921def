// 3-vectors and 3 x 3 matrices (row by row) of eight numbers side by side. Internal to
// sim/substruct. All RT safe.
#ifndef PAL_SUBSTRUCT_VEC8_MAT3_H
#define PAL_SUBSTRUCT_VEC8_MAT3_H

#include "sim/substruct/vec8.h"

static inline void pal_mat8_multiply(const pal_vec8 *a, const pal_vec8 *b, pal_vec8 *out) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
}

// out = a^T b
static inline void pal_mat8_multiply_transposed(const pal_vec8 *a, const pal_vec8 *b,
                                                pal_vec8 *out) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
        }
    }
}

static inline void pal_mat8_apply(const pal_vec8 *m, const pal_vec8 *x, pal_vec8 *y) {
    const pal_vec8 a = x[0], b = x[1], c = x[2];
    for (int i = 0; i < 3; i++) {
        y[i] = m[3 * i] * a + m[3 * i + 1] * b + m[3 * i + 2] * c;
    }
}

static inline void pal_mat8_apply_transposed(const pal_vec8 *m, const pal_vec8 *x, pal_vec8 *y) {
    const pal_vec8 a = x[0], b = x[1], c = x[2];
    for (int i = 0; i < 3; i++) {
        y[i] = m[i] * a + m[3 + i] * b + m[6 + i] * c;
    }
}

static inline void pal_cross8(const pal_vec8 *a, const pal_vec8 *b, pal_vec8 *out) {
    const pal_vec8 x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
}

#endif
