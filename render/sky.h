// How much of the light a body and the floor under it receive: what part of the sky, and of a broad
// lamp, each point sees past the body itself. Found by drawing the body from many directions.
#ifndef PAL_RENDER_SKY_H
#define PAL_RENDER_SKY_H

#include "sim/mesh/surface.h"

enum { PAL_FLOOR_CELLS = 128 };

typedef struct pal_sky {
    float *open; // [vertex_count] 0..1, part of the surroundings seen
    float *lamp; // [vertex_count] 0..1, part of the lamp seen
    // Light on the floor, 0..1, on a square grid of points; 1 far from the body.
    float *floor; // [PAL_FLOOR_CELLS + 1][PAL_FLOOR_CELLS + 1], x fastest
    double floor_corner[2], floor_step;
} pal_sky;

// `body` in its deformed shape, `normal` [vertex_count][3] of unit length and outwards, `lamp` the
// unit direction to the lamp, `floor` the height of the floor. On failure *sky is empty. Any
// thread.
pal_status pal_sky_build(const pal_surface *body, const double *normal, const double *lamp,
                         double floor, pal_sky *sky, pal_err *err);
void pal_sky_free(pal_sky *sky);

// Light at a point of the floor, 0..1.
double pal_sky_floor(const pal_sky *sky, double x, double y);

#endif
