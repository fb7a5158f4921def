// Reduced coordinates in single precision, padded with zeros to whole lanes, as bounds that follow
// them want them. RT safe.
#ifndef PAL_CONTACT_LANES_H
#define PAL_CONTACT_LANES_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/reduced/newmark.h"

#pragma GCC diagnostic ignored "-Wpsabi" // all functions here are inlined: no ABI

enum { PAL_LANES = 8 };

typedef float pal_lanes_sum __attribute__((vector_size(32))); // PAL_LANES floats

static inline pal_lanes_sum pal_lanes_at(const float *x) { // aligned or not
    pal_lanes_sum v;
    memcpy(&v, x, sizeof v);
    return v;
}

typedef struct pal_lanes {
    float q[PAL_MAX_R + PAL_LANES];
    float size[PAL_MAX_R + PAL_LANES]; // |q|
} pal_lanes;

static inline int32_t pal_lanes_stride(int32_t size) {
    return (size + PAL_LANES - 1) / PAL_LANES * PAL_LANES;
}

static inline void pal_lanes_load(pal_lanes *lanes, const double *q, int32_t size) {
    int32_t stride = pal_lanes_stride(size);
    for (int32_t l = 0; l < stride; l++) {
        lanes->q[l] = l < size ? (float)q[l] : 0.0f;
        lanes->size[l] = fabsf(lanes->q[l]);
    }
}

static inline float pal_lanes_total(pal_lanes_sum s) {
    return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

// The totals of eight such sums, each added up in the same order.
static inline pal_lanes_sum pal_lanes_totals(const pal_lanes_sum s[8]) {
    pal_lanes_sum half[4], quarter[2];
    for (int k = 0; k < 4; k++) {
        half[k] = __builtin_shufflevector(s[2 * k], s[2 * k + 1], 0, 1, 2, 3, 8, 9, 10, 11) +
                  __builtin_shufflevector(s[2 * k], s[2 * k + 1], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (int k = 0; k < 2; k++) {
        quarter[k] =
            __builtin_shufflevector(half[2 * k], half[2 * k + 1], 0, 2, 4, 6, 8, 10, 12, 14) +
            __builtin_shufflevector(half[2 * k], half[2 * k + 1], 1, 3, 5, 7, 9, 11, 13, 15);
    }
    return __builtin_shufflevector(quarter[0], quarter[1], 0, 2, 4, 6, 8, 10, 12, 14) +
           __builtin_shufflevector(quarter[0], quarter[1], 1, 3, 5, 7, 9, 11, 13, 15);
}

// A sum of r products of factors rounded to single precision is off by at most this share of the
// sum of their sizes (u = 2^-24).
static inline double pal_lanes_share(int32_t size) {
    return 1.01 * (size + 8) * 0.5 * FLT_EPSILON;
}

#endif
