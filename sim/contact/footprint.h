// Over which vertices of the volume mesh a touch spreads its force: those that carry the cell of
// the shell that it stands for. A force at a bare point would dent a mesh that is finer than the
// cells too easily; spread over the cells, few touches press like many.
#ifndef PAL_CONTACT_FOOTPRINT_H
#define PAL_CONTACT_FOOTPRINT_H

#include "sim/base/status.h"
#include "sim/contact/shell.h"

enum { PAL_FOOTPRINT_VERTICES = 24 }; // of one cell: the weightiest

typedef struct pal_footprint {
    const pal_shell *shell; // borrowed
    int32_t *count;         // [cells of the shell, in its order]
    int32_t *vertex;        // [cells][PAL_FOOTPRINT_VERTICES]
    float *weight;          // [cells][PAL_FOOTPRINT_VERTICES], each cell's sum to 1
    uint8_t *spreads;       // [cells] not 0 where the mesh is finer than the cell, see shell.h
} pal_footprint;

// The body at rest, linear and with its embedding. Set-up only; both cores.
pal_status pal_footprint_build(const pal_shell *shell, const pal_body *body,
                               const double *vertex_x, // [vertices of the volume mesh][3]
                               pal_footprint *footprint, pal_err *err);
void pal_footprint_free(pal_footprint *footprint);

// How large the elements are that carry a place of the surface, m: how far its vertices are apart.
double pal_footprint_element(const pal_body *body, const double *vertex_x, int32_t triangle,
                             const double weight[3]);

#endif
