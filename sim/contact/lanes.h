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

// A sum of r products of factors rounded to single precision is off by at most this share of the
// sum of their sizes (u = 2^-24).
static inline double pal_lanes_share(int32_t size) {
    return 1.01 * (size + 8) * 0.5 * FLT_EPSILON;
}

#endif
