// Dense LDL^T with the right-hand side folded in, for matrices of the size of a reduced body. RT
// safe.
#ifndef PAL_REDUCED_LDLT_H
#define PAL_REDUCED_LDLT_H

#include <stdbool.h>
#include <stdint.h>

// Doubles in a row of the augmented matrix: n rounded up to 4, and a block more for the right-hand
// side.
static inline int32_t pal_ldlt_stride(int32_t n) {
    return ((n + 3) & ~3) + 4;
}

// a [n rounded up to 4][stride], 32-byte aligned, n <= PAL_MAX_R: upper triangle of the matrix (in
// whole blocks of 4 columns), the right-hand side in column stride - 4 (what is beside it does not
// matter); padding rows and columns are set by the function. Leaves the factor in a, fills x [n
// rounded up to 4] (padding zero). False when a pivot is not safely positive: x is then not filled.
bool pal_ldlt_solve(int32_t n, double *a, double *x);

// With the factor that pal_ldlt_solve has left in a (A = L D L^T):
//
// x [n][stride], one right-hand side a column, becomes D^-1/2 L^-1 x, so that the dot product of
// two columns is b_i^T A^-1 b_j. stride: columns, a multiple of 4; x 32-byte aligned.
void pal_ldlt_halve(int32_t n, const double *a, double *x, int32_t stride);
// x [n rounded up to 4] becomes A^-1 x.
void pal_ldlt_apply(int32_t n, const double *a, double *x);

#endif
