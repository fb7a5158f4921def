// The cells of a shell's points. Private to shell_build.c.
#ifndef PAL_CONTACT_SHELL_CELL_H
#define PAL_CONTACT_SHELL_CELL_H

#include "sim/contact/shell_sample.h"

// The polygon of point i: what of its tangent plane is nearer to it than to any other point in the
// grid that looks the same way (a Voronoi cell). The grid's cells are as large as the spacing.
// Returns how far its farthest corner is, m.
float pal_shell_cell_cut(const pal_shell_point *point, int32_t i, const pal_shell_grid *grid,
                         pal_shell_cell *cell);

// Directions that a tool may come from, about as far from one another each.
enum { PAL_SHELL_WAYS = 64 };
typedef struct pal_shell_ways {
    float way[3][PAL_SHELL_WAYS]; // unit, along the point's axes
} pal_shell_ways;
void pal_shell_ways_make(pal_shell_ways *ways);

// What the surface over a cell reaches to, over the triangles that its point can come to.
void pal_shell_cell_hull(const pal_body *body, const int32_t *beside, const pal_shell_point *point,
                         const pal_shell_cell *cell, double reach, const pal_shell_ways *ways,
                         pal_shell_hull *hull, float *bend, float *sway, // [size]
                         pal_shell_over *over);                          // NULL: not wanted

#endif
