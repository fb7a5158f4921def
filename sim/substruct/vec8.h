// Eight doubles side by side: the same number of eight instances, or of eight ports. Internal to
// sim/substruct. All RT safe.
#ifndef PAL_SUBSTRUCT_VEC8_H
#define PAL_SUBSTRUCT_VEC8_H

#pragma GCC diagnostic ignored                                                                     \
    "-Wpsabi" // all functions here are inlined: their ABI does not matter

enum { PAL_LANES8 = 8 };

typedef double pal_vec8 __attribute__((vector_size(64), may_alias));

static inline pal_vec8 pal_splat8(double x) {
    return x - (pal_vec8){0};
}

static inline double pal_sum8(pal_vec8 a) {
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

#endif
