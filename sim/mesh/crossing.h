// Where a line along an axis goes through a triangle. Lines through edges and vertices are decided
// as if they were moved a little, so that a closed surface is crossed the same number of times each
// way. Internal to the voxelizer.
#ifndef PAL_MESH_CROSSING_H
#define PAL_MESH_CROSSING_H

#include <stdbool.h>

// The line along axis w through (pu, pv), coordinates of the axes u = (w + 1) % 3 and v = (w + 2) %
// 3. False when it misses the triangle. *depth: where it goes through; *enters: whether the
// triangle faces against the axis.
bool pal_axis_crossing(double (*x)[3], int w, double pu, double pv, double *depth, bool *enters);

#endif
