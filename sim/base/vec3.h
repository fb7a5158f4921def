// 3-vectors as double[3]. All RT safe.
#ifndef PAL_BASE_VEC3_H
#define PAL_BASE_VEC3_H

#include <math.h>

static inline double pal_dot3(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double pal_norm3(const double *a) {
    return sqrt(pal_dot3(a, a));
}

static inline void pal_cross3(const double *a, const double *b, double *out) {
    double x = a[1] * b[2] - a[2] * b[1];
    double y = a[2] * b[0] - a[0] * b[2];
    double z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline void pal_sub3(const double *a, const double *b, double *out) {
    for (int c = 0; c < 3; c++) {
        out[c] = a[c] - b[c];
    }
}

#endif
