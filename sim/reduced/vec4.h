// Four doubles at a time, for the run-time kernels. Internal to sim/reduced. All RT safe.
#ifndef PAL_REDUCED_VEC4_H
#define PAL_REDUCED_VEC4_H

#pragma GCC diagnostic ignored                                                                     \
    "-Wpsabi" // all functions here are inlined: their ABI does not matter

typedef double pal_vec4 __attribute__((vector_size(32), may_alias));

static inline pal_vec4 pal_load4(const double *x) { // 32-byte aligned
    return *(const pal_vec4 *)(const void *)x;
}

static inline void pal_store4(double *x, pal_vec4 value) { // 32-byte aligned
    *(pal_vec4 *)(void *)x = value;
}

// Lane t is the sum of the lanes of d[t].
static inline pal_vec4 pal_sum_rows4(const pal_vec4 *d) {
    pal_vec4 a = __builtin_shufflevector(d[0], d[1], 0, 4, 2, 6) +
                 __builtin_shufflevector(d[0], d[1], 1, 5, 3, 7);
    pal_vec4 b = __builtin_shufflevector(d[2], d[3], 0, 4, 2, 6) +
                 __builtin_shufflevector(d[2], d[3], 1, 5, 3, 7);
    return __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

// Rows to columns, in place.
static inline void pal_transpose4(pal_vec4 *d) {
    pal_vec4 a = __builtin_shufflevector(d[0], d[1], 0, 4, 2, 6);
    pal_vec4 b = __builtin_shufflevector(d[0], d[1], 1, 5, 3, 7);
    pal_vec4 c = __builtin_shufflevector(d[2], d[3], 0, 4, 2, 6);
    pal_vec4 e = __builtin_shufflevector(d[2], d[3], 1, 5, 3, 7);
    d[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    d[1] = __builtin_shufflevector(b, e, 0, 1, 4, 5);
    d[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    d[3] = __builtin_shufflevector(b, e, 2, 3, 6, 7);
}

// The sum of the lanes.
static inline double pal_sum4(pal_vec4 a) {
    return (a[0] + a[2]) + (a[1] + a[3]);
}

#endif
