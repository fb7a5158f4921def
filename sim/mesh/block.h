// A box of cubes as voxels or tets: the body of benchmarks and tests.
#ifndef PAL_MESH_BLOCK_H
#define PAL_MESH_BLOCK_H

#include "sim/mesh/volmesh.h"

// n[0] x n[1] x n[2] cubes of edge h from the origin, x fastest; tets are six to a cube, all cubes
// cut alike.
pal_status pal_mesh_block(pal_element_kind kind, const int32_t n[3], double h, pal_volmesh *mesh,
                          pal_err *err);

#endif
