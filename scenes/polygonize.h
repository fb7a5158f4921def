// The surface of a solid as triangles, closed and manifold.
#ifndef PAL_SCENES_POLYGONIZE_H
#define PAL_SCENES_POLYGONIZE_H

#include "scenes/solid.h"
#include "sim/mesh/surface.h"

// h: edge of the sampling cells, about the length of a triangle's edge. What is thinner than h may
// be lost. An error when the solid is empty or has more than 2^27 cells.
pal_status pal_polygonize(const pal_solid *solid, double h, pal_surface *surface, pal_err *err);

#endif
