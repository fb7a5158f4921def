// Builds the reduced quartic of a mesh and a basis (MATH.md 1; BJ05 App. B by another road). With
// G_i the gradient of basis vector i at a quadrature point, e1_i = sym(G_i), e2_ij = sym(G_i^T G_j)
// and the elastic inner product <A,B> = lambda trA trB + 2 mu A:B,
//
//     P_ij = <e1_i,e1_j>,  Q_ijk = <e1_i,e2_jk> + <e1_j,e2_ik> + <e1_k,e2_ij>,
//     S_ijkl = <e2_ij,e2_kl> + <e2_ik,e2_jl> + <e2_il,e2_jk>,      integrated over the body.
#ifndef PAL_REDUCED_QUARTIC_BUILD_H
#define PAL_REDUCED_QUARTIC_BUILD_H

#include "sim/base/progress.h"
#include "sim/base/status.h"
#include "sim/mesh/volmesh.h"
#include "sim/reduced/quartic.h"

// The tables of one region for lambda = 1 (mu = 0) and for mu = 1 (lambda = 0), from basis U
// [3 vertex_count][r]. The tables are allocated already (pal_quartic_alloc). Uses all threads; the
// result does not depend on their number.
pal_status pal_quartic_build(const pal_volmesh *mesh, int32_t region, const double *basis,
                             int32_t r, const pal_progress *progress, pal_quartic *per_lambda,
                             pal_quartic *per_mu, pal_err *err);

pal_status pal_quartic_alloc(pal_quartic *quartic, int32_t r, pal_err *err); // zeroed
void pal_quartic_free(pal_quartic *quartic);

#endif
