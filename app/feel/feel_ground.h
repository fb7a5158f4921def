// The surface of a body at rest, as the planning of trials looks at it. Set-up only.
#ifndef PAL_APP_FEEL_GROUND_H
#define PAL_APP_FEEL_GROUND_H

#include "app/feel/feel.h"

typedef struct pal_ground {
    const pal_body *body; // at rest, borrowed
    const pal_bdtree *tree;
    const uint16_t *region; // [triangle_count] of the body, borrowed
    pal_body whole;         // of a tree of domains, whose own body has no arrays: the two above
    pal_bdtree own;
    double (*middle)[3]; // [triangle_count] of each triangle, m
    double (*normal)[3]; // [triangle_count] out of the body, as long as its area is large
    int32_t
        *order; // [triangle_count] by the x of their middles; NULL: so few that all are looked at
} pal_ground;

typedef struct pal_spot { // a place on the surface
    double x[3];
    double normal[3]; // out of the body, the mean over a disk
    int32_t triangle;
} pal_spot;

// Of the suite's body, whose look is open.
pal_status pal_ground_open(pal_ground *ground, const pal_feel *feel, pal_err *err);
void pal_ground_close(pal_ground *ground);

// Those triangles that may lie within the radius of x, one after the other; -1: no more.
typedef struct pal_ground_near {
    int32_t at, end;
} pal_ground_near;
pal_ground_near pal_ground_about(const pal_ground *ground, const double x[3], double radius);
int32_t pal_ground_next(const pal_ground *ground, pal_ground_near *near);

// The place nearest to x; its normal is the mean within `radius`, over the same side of a thin
// part. Returns the distance, below 0 inside the body.
double pal_ground_nearest(const pal_ground *ground, const double x[3], double radius,
                          pal_spot *spot);

// Where the way from a to b enters the body first; false: it does not.
bool pal_ground_meet(const pal_ground *ground, const double a[3], const double b[3], double radius,
                     pal_spot *spot);

// Goes over the surface from spot[0] along a direction, step by step (m), at most `most` spots in
// all; ends where the surface does, or turns by more than `turn` (rad) in a step. Returns their
// count.
int pal_ground_walk(const pal_ground *ground, const double along[3], double step, double radius,
                    double turn, int most, pal_spot *spot);

// How far a place stands out of its surroundings within `radius`, in radii: above 0 on edges and
// corners, 0 in the plane. `down` is the direction along the surface in which it falls most.
double pal_ground_sharpness(const pal_ground *ground, const pal_spot *spot, double radius,
                            double down[3]);

// By how much the surface falls off from a place in the direction in which it does so least, 1/m:
// the smaller principal curvature of the paraboloid nearest to it within `radius`. Above 0 on
// corners; 0 on straight edges and in the plane.
double pal_ground_bulge(const pal_ground *ground, const pal_spot *spot, double radius);

// The part of v across n, made unit; false: there is none.
bool pal_ground_flatten(const double v[3], const double n[3], double out[3]);

#endif
