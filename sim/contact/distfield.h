// The signed distance to a closed rigid surface, sampled on a grid and interpolated: negative
// inside. Continuous everywhere; outside the grid it goes on growing with the distance to it.
#ifndef PAL_CONTACT_DISTFIELD_H
#define PAL_CONTACT_DISTFIELD_H

#include <stdint.h>

typedef struct pal_distfield {
    double origin[3];      // m, of sample (0, 0, 0)
    double cell;           // m
    int32_t count[3];      // samples along each axis, at least 2
    const float *distance; // [count[2]][count[1]][count[0]] m
} pal_distfield;

// The distance at x and, unless NULL, its gradient (unit, or zero where there is none). RT safe.
double pal_distfield_at(const pal_distfield *field, const double x[3], double gradient[3]);

#endif
