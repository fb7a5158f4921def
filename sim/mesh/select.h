// The selector language, the same on the command line and in scenes:
//
//   x<0.01   z>=20 mm & y<1   x<min+5 mm   y>max-10%   z<40%   vertices:3,7,10-20   region:bone
//   set:top   near:(x,y,z):radius   box:(x,y,z):(x,y,z)   surface   all
//
// with ! (binds tightest), &, | and brackets; `none` selects nothing.
//
// A coordinate is a length, after any scaling: in metres, or with its unit (m dm cm mm um nm km
// in); `min` or `max`, the ends of the mesh along that axis, plus or minus a length or a share; or
// a share of the extent, counted from `min` (40%). So in near: and box: too, whose corners are any
// two opposite ones; both hold what lies on their border.
//
// < and > are exact, but for the rounding of a coordinate on its way (8 units in the last place of
// the largest one): a node of a grid at 0.30000000000000004 is not beyond 0.3, and x<1e-9 holds
// what lies at 0. For =, <=, >=, near: and box:, coordinates within 1e-9 of the mesh's longest side
// are equal.
//
// `vertices` counts from 0 in the order of the file. Names with blanks are quoted:
// region:"left lobe". A set is a list of elements or vertices that the file names (VEGA *SET, Gmsh
// physical groups, whole-numbered cell arrays of VTK as "array=value"); region: and set: find each
// other's names where their own have none. A vertex is in the regions and sets of its elements. An
// element is selected by its centroid (x, y, z, near, box), by its own region or set, by vertices
// when all of its vertices are, and by surface or a set of vertices when any is.
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

// The error where a selector selects nothing: what the format says ("--fix 'x>9' selects no
// vertex"), and the box of the mesh. Returns `status`.
pal_status pal_select_nothing(const pal_volmesh *mesh, pal_status status, pal_err *err,
                              const char *format, ...) PAL_PRINTF(4, 5);

#endif
