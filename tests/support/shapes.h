// Small meshes and surfaces that tests make for themselves.
#ifndef PAL_TESTS_SHAPES_H
#define PAL_TESTS_SHAPES_H

#include "sim/mesh/surface.h"
#include "sim/mesh/volmesh.h"

// The box from 0 to size (m), nx x ny x nz voxels, or the same with six tets in each.
void shape_box(pal_volmesh *mesh, pal_element_kind kind, int nx, int ny, int nz,
               const double size[3]);

// Adds to a surface (which may be empty) a closed sphere of 8 n^2 triangles, a box of 12.
void shape_add_sphere(pal_surface *surface, const double *centre, double radius, int n);
void shape_add_box(pal_surface *surface, const double *low, const double *high);

#endif
