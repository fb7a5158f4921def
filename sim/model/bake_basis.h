// The basis step of a bake: from a finite-element problem to U, as the spec asks.
#ifndef PAL_MODEL_BAKE_BASIS_H
#define PAL_MODEL_BAKE_BASIS_H

#include "sim/model/bake.h"

typedef struct pal_baked_basis {
    double *basis; // [3 vertex_count][r]
    int32_t mode_count;
    double *frequencies_hz; // [mode_count]
} pal_baked_basis;

// Fills *baked and the times of its stages.
pal_status pal_bake_basis(pal_fem *fem, const pal_basis_spec *spec, const pal_progress *progress,
                          pal_baked_basis *baked, pal_bake_times *times, pal_err *err);
void pal_baked_basis_free(pal_baked_basis *baked);

#endif
