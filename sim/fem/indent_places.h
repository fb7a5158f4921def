// Places all over a body's surface for the unilateral problem (pal_indent_points) of a body that is
// known by its compliance between vertices.
#ifndef PAL_FEM_INDENT_PLACES_H
#define PAL_FEM_INDENT_PLACES_H

#include "sim/fem/indent.h"

typedef struct pal_indent_places {
    int32_t count, vertex_count;
    double *x;       // [count][3] m, at rest
    int32_t *corner; // [count][3] into `vertex`
    double *weight;  // [count][3]
    int32_t *vertex; // [vertex_count] of the mesh, with those that are held
} pal_indent_places;

// Those of the mesh's own facets that look towards the ball and that it may touch, as densely as
// they stay few. None is an error.
pal_status pal_indent_places_make(pal_indent_places *places, const pal_fem *fem,
                                  const pal_indent_spec *spec, pal_err *err);
void pal_indent_places_free(pal_indent_places *places);

// w [3 count][3 count] = H of_vertices H^T and a thin skin, which places need that outnumber
// vertices; of_vertices [3 vertex_count][3 vertex_count] m/N.
pal_status pal_indent_places_carry(const pal_indent_places *places, const double *of_vertices,
                                   double *w, pal_err *err);

#endif
