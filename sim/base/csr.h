// Sparse square matrices by compressed rows, columns ascending; a symmetric one holds both
// triangles.
#ifndef PAL_BASE_CSR_H
#define PAL_BASE_CSR_H

#include <stdint.h>

typedef struct pal_csr {
    int64_t n;      // rows = columns
    int64_t *start; // [n + 1]
    int64_t *col;   // [start[n]]
    double *value;  // [start[n]]
} pal_csr;

// y = A x. Any thread.
void pal_csr_multiply(const pal_csr *a, const double *x, double *y);

// The norm of |A| |x|: how large the terms of A x are before they cancel. A x cannot be known to
// less than this times the rounding unit. Any thread.
double pal_csr_term_norm(const pal_csr *a, const double *x);

#endif
