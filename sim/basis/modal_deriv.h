// Modal derivatives: how the linear modes bend as the body moves along them [BJ05 5.1, App. D].
//
//     anchored:  K Phi_ij = -(H:Psi_i) Psi_j,  symmetric in i, j                              (14)
//     free:      (K - lambda_i M) Phi_ij = (M Psi_i Psi_i^T - I) (H:Psi_i) Psi_j,
//                Psi_i^T M Phi_ij = 0                                                         (29)
//
// (H:a) b is the second directional derivative of the internal force at rest; H is never formed.
#ifndef PAL_BASIS_MODAL_DERIV_H
#define PAL_BASIS_MODAL_DERIV_H

#include "sim/basis/eigen.h"

typedef struct pal_derivatives {
    int32_t count;
    int64_t rows; // 3 * vertex_count
    int32_t *i;   // [count]
    int32_t *j;   // [count]
    double *phi;  // [count][rows] full vectors
} pal_derivatives;

// All derivatives of the first k modes: k(k+1)/2 of them when anchored, ordered (0,0) (0,1) (1,1)
// (0,2)...; all k*k when free, ordered by i. For a free body, modes beyond the first k (about k/2,
// at least 6) make it much faster and are asked for.
pal_status pal_modal_derivatives(pal_fem *fem, const pal_modes *modes, int32_t k,
                                 const pal_progress *progress, pal_derivatives *derivatives,
                                 pal_err *err);
void pal_derivatives_free(pal_derivatives *derivatives);

// The right-hand sides alone: out [k(k+1)/2][free dofs] = (H:a_i) a_j for i <= j, ordered as above;
// a [k][rows] full vectors.
pal_status pal_hessian_products(const pal_fem *fem, const double *a, int32_t k, double *out,
                                pal_err *err);

#endif
