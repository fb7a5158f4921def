// How much of each cell of a grid is inside a closed surface.
//
// 55 lines along each axis go through a cell (fewer in large grids); along a line the length inside
// is exact. A cell takes the mean of the axes, each weighted by how often the surface crosses its
// lines there: by the area that it turns to them. So a wall across an axis is exact, wherever it
// lies, and a curved surface is cut to about a hundredth of a cell. Inside is where the winding
// number is above 0, of triangles that face outwards as pal_surface_orient says: solids that
// overlap count once, a cavity is filled.
#ifndef PAL_MESH_VOXEL_SHARE_H
#define PAL_MESH_VOXEL_SHARE_H

#include "sim/mesh/voxelize.h"

// No voxel has less: mass and stiffness of a corner that is hardly there stay 1/50 of a whole
// one's, and their matrices within a factor 50 of the conditioning of whole voxels. Stiffness and
// mass shrink together, so that no slow motion comes with it; and what carries a point of the
// surface gets weights as small as the share of its voxel, so that the dent under a load stays
// bounded.
#define PAL_SHARE_FLOOR 0.02

// turn [triangle_count] as of pal_surface_orient; share [cells], 0 to 1, of the cells that the
// surface goes through and those that are inside; 0 elsewhere.
pal_status pal_voxel_shares(const pal_surface *surface, const uint8_t *turn, const pal_grid *grid,
                            const pal_progress *progress, float *share, pal_err *err);

#endif
