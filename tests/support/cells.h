// Bodies of voxels drawn as text, with a domain for each letter.
#ifndef PAL_TESTS_CELLS_H
#define PAL_TESTS_CELLS_H

#include "sim/mesh/volmesh.h"

// n[0] x n[1] x n[2] cubes of edge h from the origin, x fastest; map has a character for each: '.'
// is no cube, 'a' is one of label 0, 'b' of label 1, ... *label [element_count] is a heap array.
void cells_open(const int32_t n[3], double h, const char *map, pal_volmesh *mesh, int32_t **label);

// Three hexahedra in a row along x: label 0 in the middle, label 1 a unit cube, and label 2 the
// same half as large and turned half round about z.
void cells_spindle(pal_volmesh *mesh, int32_t **label);

#endif
