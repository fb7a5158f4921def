// A basis for a domain that carries others: how it answers to what hangs on its ports. (MATH.md 2)
//
//   - boundary modes: the static response to a force along and a torque about each axis on each
//     port, the port moving as its vertices' weights say; their mass-PCA, each load as large as the
//     mass that hangs there, when they are too many;
//   - linear modes;
//   - the derivatives of the boundary modes under those loads, K phi_ij = -(H:phi_i) phi_j: those
//     that add most to what is there, one after the other.
//
// A body that is not held answers in the complement of its rigid motions.
#ifndef PAL_MODEL_BAKE_BOUNDARY_H
#define PAL_MODEL_BAKE_BOUNDARY_H

#include "sim/model/bake_basis.h"

// How a basis of `size` is shared. At least PAL_BOUNDARY_DERIVATIVES are derivatives where it
// leaves room for them beside the six boundary modes of one port; smaller ones take the linear
// modes first.
enum { PAL_BOUNDARY_DERIVATIVES = 14 };

// baked->basis is there already.
pal_status pal_bake_boundary(pal_fem *fem, const pal_basis_spec *spec, const pal_progress *progress,
                             pal_baked_basis *baked, pal_bake_times *times, pal_err *err);

#endif
