// The cells of a shell's points. Private to shell_build.c.
#ifndef PAL_CONTACT_SHELL_CELL_H
#define PAL_CONTACT_SHELL_CELL_H

#include "sim/contact/shell_sample.h"

// The polygon of point i: what of its tangent plane is nearer to it than to any other point in the
// grid that looks the same way (a Voronoi cell). The grid's cells are as large as the spacing.
// Returns how far its farthest corner is, m.
float pal_shell_cell_cut(const pal_shell_point *point, int32_t i, const pal_shell_grid *grid,
                         pal_shell_cell *cell);

#endif
