// Sparse Cholesky of the symmetric matrices of one finite-element pattern, over CHOLMOD: the
// pattern is ordered and analysed once, then factored with as many sets of values as one likes.
// Baking only; one thread at a time.
#ifndef PAL_BASE_SPARSE_CHOL_H
#define PAL_BASE_SPARSE_CHOL_H

#include <stdbool.h>

#include "sim/base/csr.h"
#include "sim/base/status.h"

typedef struct pal_chol pal_chol;

// Orders and analyses the pattern of a, a symmetric matrix of 3x3 blocks (rows 3i..3i+2 share their
// columns): the ordering is found on the graph of blocks. NULL with *err filled on failure.
pal_chol *pal_chol_create(const pal_csr *a, pal_err *err);
void pal_chol_free(pal_chol *chol);

// Entries of the factor that the analysis foresees.
double pal_chol_entries(const pal_chol *chol);

// Factors a (of the analysed pattern). *positive says whether it is positive definite; if not, the
// status is still PAL_OK but nothing can be solved.
pal_status pal_chol_factor(pal_chol *chol, const pal_csr *a, bool *positive, pal_err *err);

// The same of a + shift I, with the smallest shift tried (none, then from 1e-4 of the mean diagonal
// up) that makes it positive definite; a keeps the shift. *positive = false: none did.
pal_status pal_chol_factor_shifted(pal_chol *chol, pal_csr *a, bool *positive, pal_err *err);

// Solves in place for `count` right-hand sides b [count][n], on all threads.
pal_status pal_chol_solve(pal_chol *chol, int count, double *b, pal_err *err);

#endif
