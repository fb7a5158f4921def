#include "sim/basis/flexibility.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/basis/rigid.h"

enum { RIGID = 6 };

// x -= A (B^T x)
static void take_out(int64_t n, const double *a, const double *b, double *x) {
    for (int k = 0; k < RIGID; k++) {
        cblas_daxpy((int)n, -cblas_ddot((int)n, b + k * n, 1, x, 1), a + k * n, 1, x, 1);
    }
}

void pal_flexibility_balance(const pal_flexibility *flexibility, double *load) {
    if (flexibility->w != NULL) {
        take_out(flexibility->n, flexibility->mw, flexibility->w, load);
    }
}

void pal_flexibility_clean(const pal_flexibility *flexibility, double *shape) {
    if (flexibility->w != NULL) {
        take_out(flexibility->n, flexibility->w, flexibility->mw, shape);
    }
}

// Adds springs to six dofs of three vertices far apart, so that no rigid motion is left: each is
// the dof whose motion is the least explained by those taken.
static void add_supports(const pal_fem *fem, const double *w, double *value) {
    const pal_csr *k = &fem->stiffness;
    double taken[RIGID][RIGID];
    for (int s = 0; s < RIGID; s++) {
        int64_t best = 0;
        double most = -1.0, row[RIGID];
        for (int64_t d = 0; d < k->n; d++) {
            double left = 0.0;
            for (int i = 0; i < RIGID; i++) {
                row[i] = w[i * k->n + d];
            }
            for (int t = 0; t < s; t++) {
                double along = cblas_ddot(RIGID, row, 1, taken[t], 1);
                cblas_daxpy(RIGID, -along, taken[t], 1, row, 1);
            }
            left = cblas_ddot(RIGID, row, 1, row, 1);
            if (left > most) {
                most = left;
                best = d;
                for (int i = 0; i < RIGID; i++) {
                    taken[s][i] = row[i] / sqrt(left);
                }
            }
        }
        for (int64_t e = k->start[best]; e < k->start[best + 1]; e++) {
            value[e] *= k->col[e] == best ? 2.0 : 1.0;
        }
    }
}

// The rigid motions, and K with supports in *supported.
static pal_status support(const pal_fem *fem, pal_flexibility *flexibility, pal_csr *supported,
                          pal_err *err) {
    int64_t n = flexibility->n;
    pal_status status = pal_fem_new_matrix(fem, supported, err);
    flexibility->w = PAL_NEW(double, RIGID *n, err);
    flexibility->mw = PAL_NEW(double, RIGID *n, err);
    if (status != PAL_OK || !flexibility->w || !flexibility->mw) {
        return PAL_ERR_MEMORY;
    }
    status = pal_rigid_modes(fem, flexibility->w, err);
    for (int k = 0; k < RIGID; k++) {
        pal_fem_multiply_mass(fem, flexibility->w + k * n, flexibility->mw + k * n);
    }
    memcpy(supported->value, fem->stiffness.value, (size_t)supported->start[n] * sizeof(double));
    add_supports(fem, flexibility->w, supported->value);
    return status;
}

pal_status pal_flexibility_factor(const pal_fem *fem, pal_chol *chol, pal_flexibility *flexibility,
                                  pal_err *err) {
    *flexibility = (pal_flexibility){.n = pal_fem_dofs(fem), .chol = chol};
    pal_csr supported = {0};
    bool is_free = fem->rigid_modes > 0, positive = false;
    pal_status status = is_free ? support(fem, flexibility, &supported, err) : PAL_OK;
    if (status == PAL_OK) {
        status = pal_chol_factor(chol, is_free ? &supported : &fem->stiffness, &positive, err);
    }
    free(supported.value);
    if (status == PAL_OK && !positive) {
        status = pal_fail(err, PAL_ERR_NUMERIC,
                          "the stiffness at rest is not positive definite; look at the mesh with "
                          "'palpate info'");
    }
    if (status != PAL_OK) {
        pal_flexibility_free(flexibility);
    }
    return status;
}

void pal_flexibility_free(pal_flexibility *flexibility) {
    free(flexibility->w);
    free(flexibility->mw);
    *flexibility = (pal_flexibility){0};
}

pal_status pal_flexibility_apply(const pal_flexibility *flexibility, int32_t count, double *x,
                                 pal_err *err) {
    for (int32_t k = 0; k < count; k++) {
        pal_flexibility_balance(flexibility, x + k * flexibility->n);
    }
    pal_status status = pal_chol_solve(flexibility->chol, count, x, err);
    for (int32_t k = 0; status == PAL_OK && k < count; k++) {
        pal_flexibility_clean(flexibility, x + k * flexibility->n);
    }
    return status;
}
