// The signed distance to a closed rigid surface, sampled on a grid and interpolated: negative
// inside. Tricubic (Catmull-Rom in each direction), so that distance and gradient are continuous
// and the samples are met exactly. Outside the grid
//
//     d(x) = sqrt(d(y)^2 + |x - y|^2),      y the point of the grid's box nearest to x,
//
// which is continuous, never more than the true distance (the box is convex and holds the surface)
// and changes by no more than one moves. Its gradient jumps where one leaves the grid.
#ifndef PAL_CONTACT_DISTFIELD_H
#define PAL_CONTACT_DISTFIELD_H

#include <stdint.h>

typedef struct pal_distfield {
    double origin[3];      // m, of sample (0, 0, 0)
    double cell;           // m
    int32_t count[3];      // samples along each axis, at least 4
    const float *distance; // [count[2]][count[1]][count[0]] m
} pal_distfield;

// How far, in cells, the interpolation may be off the true distance: by 0.56 where the nearest
// points of the surface lie all around (the middle of a ball), less elsewhere; and the nearest
// sample off the true distance, half the diagonal of a cell.
#define PAL_DISTFIELD_ERROR 0.6
#define PAL_DISTFIELD_ABOUT 0.87

// The distance at x and, unless NULL, its gradient (unit, or zero where there is none). NaN where x
// is not finite. RT safe.
double pal_distfield_at(const pal_distfield *field, const double x[3], double gradient[3]);

// The distance by the nearest sample. NaN where x is not finite. RT safe.
double pal_distfield_about(const pal_distfield *field, const double x[3]);

#endif
