// What of a surface a ray meets first: under the cursor, or from above. Pure; any thread.
#ifndef PAL_MESH_PICK_H
#define PAL_MESH_PICK_H

#include <stdbool.h>

#include "sim/mesh/surface.h"

typedef struct pal_pick {
    int32_t triangle;
    int32_t vertex;   // of its corners, the nearest
    double weight[3]; // barycentric
    double point[3];  // m
    double normal[3]; // unit, out of the surface
    double along;     // of the ray's direction
} pal_pick;

// The first place where the ray from `origin` along `direction` (any length but 0) meets the
// surface with its vertices at x [vertex_count][3] (NULL: as the surface has them). Both sides
// count; a ray along an edge meets one of its triangles. False: nothing, and *pick is as it was.
bool pal_pick_surface(const pal_surface *surface, const double *x, const double origin[3],
                      const double direction[3], pal_pick *pick);

// The same place on a surface that has moved on: point and normal anew.
void pal_pick_follow(const pal_surface *surface, const double *x, pal_pick *pick);

#endif
