// The selector language, the same on the command line and in scenes:
//
//   x<0.01   z>=0.2 & y<1   vertices:3,7,10-20   region:bone   near:(x,y,z):radius   surface   all
//
// with ! (binds tightest), &, | and brackets; `none` selects nothing. Lengths in metres, after any
// scaling; coordinates within 1e-9 of the mesh's longest side are equal, so that x=0.1 and x<0.1
// mean what they say after rounding. `vertices` counts from 0 in the order of the file. Names with
// blanks are quoted: region:"left lobe". A vertex is in the regions of its elements. An element is
// selected by its centroid (x, y, z, near), by its own region, and by vertices/surface when
// all/any of its vertices are.
#ifndef PAL_MESH_SELECT_H
#define PAL_MESH_SELECT_H

#include "sim/mesh/volmesh.h"

// Syntax only (a scene is checked before its mesh exists). Errors point at the column.
pal_status pal_select_check(const char *selector, pal_err *err);

// selected[v] = 1 or 0 for every vertex; *count (may be NULL) = how many. Selecting nothing is not
// an error here; naming a vertex or region that does not exist is.
pal_status pal_select_vertices(const pal_volmesh *mesh, const char *selector, uint8_t *selected,
                               int32_t *count, pal_err *err);
pal_status pal_select_elements(const pal_volmesh *mesh, const char *selector, uint8_t *selected,
                               int32_t *count, pal_err *err);

#endif
