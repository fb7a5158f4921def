// A surface that moves by made-up smooth shapes: a linear body with its tree, for contact tests.
#ifndef PAL_TESTS_SOFT_SURFACE_H
#define PAL_TESTS_SOFT_SURFACE_H

#include "sim/contact/bdtree_build.h"
#include "sim/mesh/surface.h"
#include "tests/support/random.h"

typedef struct soft_surface {
    pal_surface surface;
    double *basis;        // [vertex_count][3][r], waves of size 1 about as long as the body
    double *q, *velocity; // [r]
    pal_body body;
    pal_bdtree tree;
} soft_surface;

// A ball of radius 1 about the origin (8 n^2 triangles), or the boundary of nx x ny x nz cubes from
// the origin to size.
void soft_open_ball(soft_surface *soft, int n, int32_t r, test_random *seed);
void soft_open_box(soft_surface *soft, const int cells[3], const double size[3], int32_t r,
                   test_random *seed);

// The same for a surface made before, which it takes over.
void soft_open(soft_surface *soft, int32_t r, test_random *seed);
void soft_close(soft_surface *soft);

// Random q that moves the points by about `size`; all q zero when it is 0.
void soft_deform(soft_surface *soft, double size, test_random *seed);

#endif
