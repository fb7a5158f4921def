// Mass-scaled principal components: the best r-dimensional basis of a set of shapes in the metric
// |u|^2 = u.M u [BJ05 App. A], by the eigenvectors of their Gram matrix.
#ifndef PAL_BASIS_MASS_PCA_H
#define PAL_BASIS_MASS_PCA_H

#include "sim/fem/problem.h"

// shapes [count][rows] full vectors; basis U [rows][r] with U^T M U = I, best direction first, the
// largest entry of each column positive; sigma [r] singular values (may be NULL). Fewer than r
// independent shapes are an error.
pal_status pal_mass_pca(const pal_fem *fem, const double *shapes, int32_t count, int32_t r,
                        double *basis, double *sigma, pal_err *err);

// Makes the columns of u [count][free dofs] mass-orthonormal (Cholesky QR, twice), keeping the span
// of every first few.
pal_status pal_mass_orthonormalise(const pal_fem *fem, int32_t count, double *u, pal_err *err);

// max |U^T M U - I| of a basis [rows][r].
pal_status pal_mass_orthonormality(const pal_fem *fem, const double *basis, int32_t r,
                                   double *error, pal_err *err);

#endif
