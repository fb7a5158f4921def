// Eight doubles side by side: the same number of eight instances, or of eight ports. Internal to
// sim/substruct. All RT safe.
#ifndef PAL_SUBSTRUCT_VEC8_H
#define PAL_SUBSTRUCT_VEC8_H

#pragma GCC diagnostic ignored                                                                     \
    "-Wpsabi" // all functions here are inlined: their ABI does not matter

#include <stdbool.h>

enum { PAL_LANES8 = 8 };

typedef double pal_vec8 __attribute__((vector_size(64), may_alias));

static inline pal_vec8 pal_splat8(double x) {
    return x - (pal_vec8){0};
}

// The number at `k` of eight places.
static inline pal_vec8 pal_gather8(const double *const from[PAL_LANES8], int k) {
    return (pal_vec8){from[0][k], from[1][k], from[2][k], from[3][k],
                      from[4][k], from[5][k], from[6][k], from[7][k]};
}

// Whether a > b in all lanes; no NaN is.
static inline bool pal_all_above8(pal_vec8 a, pal_vec8 b) {
    typedef long long mask8 __attribute__((vector_size(64)));
    const mask8 m = a > b;
    return (m[0] & m[1] & m[2] & m[3] & m[4] & m[5] & m[6] & m[7]) != 0;
}

static inline double pal_sum8(pal_vec8 a) {
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

#endif
