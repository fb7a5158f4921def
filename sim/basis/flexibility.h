// The elastic flexibility of a body: displacements under loads. Where the body is held it is K^-1;
// a body that is not held has no K^-1, its flexibility is
//
//     A = (I - W W^T M) K^g (I - M W W^T)     W [n][6] rigid motions, W^T M W = I
//
// the answer, free of rigid motion, to a load less the inertia of the rigid acceleration that it
// causes. Such a load is in equilibrium by itself, so K^g may be the inverse of K with six springs
// that just stop every rigid motion: they carry nothing. Baking only.
#ifndef PAL_BASIS_FLEXIBILITY_H
#define PAL_BASIS_FLEXIBILITY_H

#include "sim/base/sparse_chol.h"
#include "sim/fem/problem.h"

typedef struct pal_flexibility {
    int64_t n;      // free dofs
    pal_chol *chol; // borrowed, factored
    double *w, *mw; // [6][n] of a body that is not held, else NULL
} pal_flexibility;

// Factors fem->stiffness, which holds K at rest, with supports where the body is not held. chol was
// created for its pattern, and is borrowed.
pal_status pal_flexibility_factor(const pal_fem *fem, pal_chol *chol, pal_flexibility *flexibility,
                                  pal_err *err);
void pal_flexibility_free(pal_flexibility *flexibility);

// Takes the rigid inertia out of a load, and rigid motion out of a shape [n], in place; nothing to
// do where the body is held. Any thread.
void pal_flexibility_balance(const pal_flexibility *flexibility, double *load);
void pal_flexibility_clean(const pal_flexibility *flexibility, double *shape);

// x [count][n] <- A x.
pal_status pal_flexibility_apply(const pal_flexibility *flexibility, int32_t count, double *x,
                                 pal_err *err);

#endif
