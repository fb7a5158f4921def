// Long vectors, plainly. BLAS would wake its threads for them, which then wait for more work in a
// busy loop and take the processor from the assembly.
#ifndef PAL_BASE_VECN_H
#define PAL_BASE_VECN_H

#include <math.h>
#include <stdint.h>

static inline double pal_dot(int64_t n, const double *a, const double *b) {
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < n; i++) {
        sum[0] += a[i] * b[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static inline double pal_norm(int64_t n, const double *a) {
    return sqrt(pal_dot(n, a, a));
}

// y += a x
static inline void pal_add_scaled(int64_t n, double a, const double *x, double *y) {
    for (int64_t i = 0; i < n; i++) {
        y[i] += a * x[i];
    }
}

#endif
