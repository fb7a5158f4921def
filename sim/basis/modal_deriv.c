#include "sim/basis/modal_deriv.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/packed.h"
#include "sim/base/sparse_chol.h"
#include "sim/basis/free_deriv.h"
#include "sim/fem/assemble.h"

// A factor of K(0), which must be positive definite.
static pal_status factor_rest(pal_fem *fem, pal_chol **chol, pal_err *err) {
    bool positive = false;
    pal_status status = pal_fem_evaluate(fem, NULL, NULL, NULL, true, err);
    if (status != PAL_OK) {
        return status;
    }
    *chol = pal_chol_create(&fem->stiffness, err);
    status = *chol ? pal_chol_factor(*chol, &fem->stiffness, &positive, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK && !positive) {
        status = pal_fail(err, PAL_ERR_NUMERIC, "the stiffness matrix at rest is singular");
    }
    return status;
}

// Solves for the right-hand sides in groups, so that progress can be shown.
static pal_status solve_groups(pal_chol *chol, int64_t dofs, int32_t count, double *b,
                               const pal_progress *progress, pal_err *err) {
    enum { GROUP = 64 };
    for (int32_t first = 0; first < count; first += GROUP) {
        int32_t some = count - first < GROUP ? count - first : GROUP;
        pal_status status = pal_chol_solve(chol, some, b + first * dofs, err);
        if (status != PAL_OK) {
            return status;
        }
        pal_progress_report(progress, "modal derivatives",
                            0.3 + 0.7 * (double)(first + some) / count);
    }
    return PAL_OK;
}

// K Phi_ij = -(H:Psi_i) Psi_j                                                     [BJ05 eq. 14]
static pal_status anchored(pal_fem *fem, double *b, int32_t pairs, const pal_progress *progress,
                           pal_err *err) {
    int64_t dofs = pal_fem_dofs(fem);
    pal_chol *chol = NULL;
    pal_status status = factor_rest(fem, &chol, err);
    for (int32_t n = 0; status == PAL_OK && n < pairs; n++) {
        cblas_dscal((int)dofs, -1.0, b + n * dofs, 1);
    }
    if (status == PAL_OK) {
        status = solve_groups(chol, dofs, pairs, b, progress, err);
    }
    pal_chol_free(chol);
    return status;
}

static void list_pairs(pal_derivatives *out, int32_t k, bool is_free) {
    int32_t n = 0;
    for (int32_t first = 0; first < k; first++) {
        for (int32_t second = 0; second < (is_free ? k : first + 1); second++, n++) {
            out->i[n] = is_free ? first : second;
            out->j[n] = is_free ? second : first;
        }
    }
}

static pal_status allocate(const pal_fem *fem, int32_t k, pal_derivatives *out, pal_err *err) {
    memset(out, 0, sizeof *out);
    out->count = fem->rigid_modes > 0 ? k * k : (int32_t)pal_pairs(k);
    out->rows = 3 * (int64_t)fem->mesh->vertex_count;
    out->i = PAL_NEW(int32_t, out->count, err);
    out->j = PAL_NEW(int32_t, out->count, err);
    out->phi = PAL_NEW(double, (size_t)out->count *(size_t)out->rows, err);
    return out->i && out->j && out->phi ? PAL_OK : PAL_ERR_MEMORY;
}

pal_status pal_modal_derivatives(pal_fem *fem, const pal_modes *modes, int32_t k,
                                 const pal_progress *progress, pal_derivatives *derivatives,
                                 pal_err *err) {
    bool is_free = fem->rigid_modes > 0;
    int64_t dofs = pal_fem_dofs(fem);
    int32_t pairs = (int32_t)pal_pairs(k);
    double *b = PAL_NEW(double, (size_t)pairs *(size_t)dofs, err);
    pal_status status = allocate(fem, k, derivatives, err);
    status = b == NULL ? PAL_ERR_MEMORY : status;
    pal_progress_report(progress, "modal derivatives", 0.0);
    if (status == PAL_OK) {
        status = pal_hessian_products(fem, modes->psi, k, b, err);
    }
    pal_progress_report(progress, "modal derivatives", 0.3);
    if (status == PAL_OK) {
        list_pairs(derivatives, k, is_free);
        status = is_free ? pal_free_derivatives(fem, modes, k, b, progress, derivatives, err)
                         : anchored(fem, b, pairs, progress, err);
    }
    for (int32_t n = 0; status == PAL_OK && !is_free && n < pairs; n++) {
        pal_fem_to_full(fem, b + n * dofs, derivatives->phi + n * derivatives->rows);
    }
    free(b);
    if (status != PAL_OK) {
        pal_derivatives_free(derivatives);
    }
    return status;
}

void pal_derivatives_free(pal_derivatives *derivatives) {
    free(derivatives->i);
    free(derivatives->j);
    free(derivatives->phi);
    memset(derivatives, 0, sizeof *derivatives);
}
