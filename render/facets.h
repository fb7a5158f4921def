// A surface as it is shaded: its points, once for each smooth part that meets there. Which
// triangles round a point belong to one normal is settled at rest (an edge sharper than 44 degrees
// parts them, and so does the border of a material region, for its colour); how the normal points
// follows the deformation: it is the sum of the area vectors
//
//     n = sum over the triangles (p, a, b) of (x_a - x_p) x (x_b - x_p)
//
// of the places as they are. Any thread.
#ifndef PAL_RENDER_FACETS_H
#define PAL_RENDER_FACETS_H

#include <stdbool.h>

#include "sim/mesh/surface.h"

typedef struct pal_facets {
    bool turned;            // the surface is inside out: its triangles are clockwise from outside
    int32_t count;          // corners of smooth parts
    int32_t triangle_count; //
    int32_t *point;         // [count] of the surface
    uint16_t *region;       // [count]
    int32_t *first;         // [count + 1] of each one's pairs
    int32_t *pair;          // [first[count]][2] points a and b; outwards also when the surface is
                            // inside out
    int32_t *triangle;      // [triangle_count][3] of corners
} pal_facets;

// region [triangle_count], NULL: all 0. On failure *facets is empty.
pal_status pal_facets_build(const pal_surface *surface, const uint16_t *region, pal_facets *facets,
                            pal_err *err);
void pal_facets_free(pal_facets *facets);

typedef struct pal_facet_corner { // what is drawn
    float x[3], tone;
    float normal[3];
} pal_facet_corner;

// The corners [count] for points [.][4] = (x, tone).
void pal_facets_shade(const pal_facets *facets, const float *point, pal_facet_corner *corner);

#endif
