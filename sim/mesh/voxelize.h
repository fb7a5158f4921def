// A triangle soup to a solid voxel mesh [BJ05 3.1]: every voxel that a triangle touches, and every
// voxel inside. Robust to holes, self-intersections and inconsistent orientation.
#ifndef PAL_MESH_VOXELIZE_H
#define PAL_MESH_VOXELIZE_H

#include "sim/base/progress.h"
#include "sim/mesh/surface.h"
#include "sim/mesh/volmesh.h"

typedef struct pal_grid { // cells x fastest: cell (i,j,k) = i + n[0] * (j + n[1] * k)
    int32_t n[3];
    double origin[3]; // lower corner of cell (0,0,0)
    double h;         // edge of a cell
} pal_grid;

// `resolution` voxels along the longest side of the bounding box (2..512).
pal_status pal_voxelize(const pal_surface *surface, int32_t resolution,
                        const pal_progress *progress, pal_volmesh *mesh, pal_err *err);

// One voxel for every cell with a label >= 0; labels are regions 0..region_count-1.
pal_status pal_voxels_of_grid(const pal_grid *grid, const int16_t *label, int32_t region_count,
                              pal_volmesh *mesh, pal_err *err);

#endif
