// Vertices that others carry: meshes that do not meet vertex by vertex become one body.
//
//     x_v = sum_k w_k x_k,   sum_k w_k = 1,   at rest too
//
// so that a carried vertex goes along with every affine motion of its carriers, however far they
// turn. It has no freedom of its own: with u = T u_free, a problem's energy is V(T u_free), its
// force T^T R, its stiffness T^T K T and its mass T^T M T.
#ifndef PAL_FEM_TIE_H
#define PAL_FEM_TIE_H

#include "sim/fem/problem.h"

typedef struct pal_ties {
    int32_t count;
    int32_t *vertex;  // [count] carried, each once
    int32_t *start;   // [count + 1] its carriers
    int32_t *carrier; // [start[count]] vertices; carried ones among them by ties before this one
    double *weight;   // [start[count]]
} pal_ties;

// Room for `count` ties of `most` carriers together; count = 0 at first. On failure *ties is empty.
pal_status pal_ties_alloc(pal_ties *ties, int32_t count, int64_t most, pal_err *err);
// One more tie, of `carriers` vertices; those of weight 0 are left out.
void pal_ties_add(pal_ties *ties, int32_t vertex, int32_t carriers, const int32_t *carrier,
                  const double *weight);
void pal_ties_free(pal_ties *ties);

// Whether each vertex that is carried is so once, is not held, has its carriers before it, and is
// where they put it at rest; is_carried [vertex_count] is filled. The error names the vertex.
pal_status pal_ties_check(const pal_ties *ties, const pal_volmesh *mesh, const uint8_t *held,
                          uint8_t *is_carried, pal_err *err);

// Fills fem->carried, where the free vertices have been numbered.
pal_status pal_fem_take_ties(pal_fem *fem, const pal_ties *ties, pal_err *err);

#endif
