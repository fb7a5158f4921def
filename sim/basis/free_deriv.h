// Modal derivatives of a free body (see modal_deriv.h, eq. 29).
#ifndef PAL_BASIS_FREE_DERIV_H
#define PAL_BASIS_FREE_DERIV_H

#include "sim/basis/modal_deriv.h"

// products [k(k+1)/2][free dofs] from pal_hessian_products; fills derivatives->phi (all k*k).
pal_status pal_free_derivatives(pal_fem *fem, const pal_modes *modes, int32_t k,
                                const double *products, const pal_progress *progress,
                                pal_derivatives *derivatives, pal_err *err);

#endif
