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

// How much of a voxel that the surface goes through is body. WHOLE: all of it, so that the body is
// larger than its surface by about half a voxel all round. SHARE: what is inside (voxel_share.h),
// so that mass and stiffness are those of the surface; a surface that is open is an error. AUTO:
// shares where the surface is closed, else whole voxels.
typedef enum pal_fill { PAL_FILL_WHOLE, PAL_FILL_SHARE, PAL_FILL_AUTO } pal_fill;

// `resolution` voxels along the longest side of the bounding box (2..512). Cavities that nothing
// opens are filled. Parts that would hang together only by an edge or a corner are joined as by
// pal_grid_close_hinges; parts that do not touch stay apart. mesh->share is NULL when every voxel
// is whole.
pal_status pal_voxelize(const pal_surface *surface, int32_t resolution, pal_fill fill,
                        const pal_progress *progress, pal_volmesh *mesh, pal_err *err);

// One voxel for every cell with a label >= 0; labels are regions 0..region_count-1. Vertices and
// voxels come in the order of the grid, x fastest.
pal_status pal_voxels_of_grid(const pal_grid *grid, const int16_t *label, int32_t region_count,
                              pal_volmesh *mesh, pal_err *err);

// A part that touches the rest only by edges or corners can turn about them freely, and the
// stiffness matrix is singular. Fills the one or two cells between (with the label of a neighbour)
// wherever two parts touch so and no faces join them. *added_count (may be NULL): cells filled.
pal_status pal_grid_close_hinges(const pal_grid *grid, int16_t *label, int32_t *added_count,
                                 pal_err *err);

#endif
