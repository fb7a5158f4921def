#include "sim/base/csr.h"

#include <math.h>

void pal_csr_multiply(const pal_csr *a, const double *x, double *y) {
    for (int64_t r = 0; r < a->n; r++) {
        double sum = 0.0;
        for (int64_t k = a->start[r]; k < a->start[r + 1]; k++) {
            sum += a->value[k] * x[a->col[k]];
        }
        y[r] = sum;
    }
}

double pal_csr_term_norm(const pal_csr *a, const double *x) {
    double squares = 0.0;
    for (int64_t r = 0; r < a->n; r++) {
        double sum = 0.0;
        for (int64_t k = a->start[r]; k < a->start[r + 1]; k++) {
            sum += fabs(a->value[k] * x[a->col[k]]);
        }
        squares += sum * sum;
    }
    return sqrt(squares);
}
