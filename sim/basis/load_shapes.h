// Shapes of the body under recorded or scripted loads, for a basis from them [BJ05 5.2].
#ifndef PAL_BASIS_LOAD_SHAPES_H
#define PAL_BASIS_LOAD_SHAPES_H

#include "sim/fem/problem.h"

typedef struct pal_shapes {
    int32_t count;
    double *u; // [count][3 vertex_count] full vectors
} pal_shapes;

// Goes through the loads (force [load_count][3 vertex_count], N) in order. A load nearer than
// force_separation [N, the sum over vertices of |difference|] to the last one taken is skipped; the
// full static equilibrium is solved for the others; a shape nearer than shape_separation [kg^1/2 m,
// mass metric] to the last one kept is dropped.
pal_status pal_shapes_under_loads(pal_fem *fem, const double *force, int32_t load_count,
                                  double force_separation, double shape_separation,
                                  const pal_progress *progress, pal_shapes *shapes, pal_err *err);
void pal_shapes_free(pal_shapes *shapes);

#endif
