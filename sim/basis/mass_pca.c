#include "sim/basis/mass_pca.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"

enum { GRAM_ROWS = 16 }; // of one task, whatever the number of threads

typedef struct gram_job {
    int32_t count;
    int n;
    const double *x;
    double *mx, *gram;
} gram_job;

static void gram_rows(void *context, int index, int thread) {
    (void)thread;
    const gram_job *job = context;
    int32_t first = index * GRAM_ROWS;
    int32_t rows = job->count - first < GRAM_ROWS ? job->count - first : GRAM_ROWS;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, job->count, job->n, 1.0,
                job->x + (int64_t)first * job->n, job->n, job->mx, job->n, 0.0,
                job->gram + (int64_t)first * job->count, job->count);
}

// gram [count][count] = X^T M X for x [count][n]; mx [count][n] receives M X.
static void gram_matrix(const pal_fem *fem, int32_t count, const double *x, double *mx,
                        double *gram) {
    gram_job job = {count, (int)pal_fem_dofs(fem), x, mx, gram};
    for (int32_t k = 0; k < count; k++) {
        pal_fem_multiply_mass(fem, x + (int64_t)k * job.n, mx + (int64_t)k * job.n);
    }
    pal_parallel_for((count + GRAM_ROWS - 1) / GRAM_ROWS, gram_rows, &job);
}

pal_status pal_mass_orthonormalise(const pal_fem *fem, int32_t count, double *u, pal_err *err) {
    int n = (int)pal_fem_dofs(fem);
    double *mu = PAL_NEW(double, (size_t)count *(size_t)n, err);
    double *gram = PAL_NEW(double, (size_t)count *(size_t)count, err);
    pal_status status = mu && gram ? PAL_OK : PAL_ERR_MEMORY;
    for (int round = 0; status == PAL_OK && round < 2; round++) {
        gram_matrix(fem, count, u, mu, gram);
        // gram = L L^T, then U <- L^-1 U (rows are vectors here).
        if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', count, gram, count) != 0) {
            status = pal_fail(err, PAL_ERR_NUMERIC, "the basis vectors are not independent");
        } else {
            cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, count, n,
                        1.0, gram, count, u, n);
        }
    }
    free(mu);
    free(gram);
    return status;
}

// The r leading combinations of the shapes z [count][n], each of mass 1: u [r][n].
static pal_status leading(const pal_fem *fem, int32_t count, int32_t r, const double *z, double *u,
                          double *sigma, pal_err *err) {
    int n = (int)pal_fem_dofs(fem);
    double *mz = PAL_NEW(double, (size_t)count *(size_t)n, err);
    double *gram = PAL_NEW(double, (size_t)count *(size_t)count, err);
    double *value = PAL_NEW(double, count, err);
    pal_status status = mz && gram && value ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        gram_matrix(fem, count, z, mz, gram);
        if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', count, gram, count, value) != 0) {
            status = pal_fail(err, PAL_ERR_NUMERIC, "the principal components did not converge");
        }
    }
    int32_t rank = 0;
    while (status == PAL_OK && rank < count && value[count - 1 - rank] > 1e-14 * value[count - 1]) {
        rank++;
    }
    if (status == PAL_OK && rank < r) {
        status = pal_fail(err, PAL_ERR_USAGE,
                          "a basis of %d was asked for, but the shapes span only %d dimensions; "
                          "ask for a smaller basis or use more modes or loads",
                          r, rank);
    }
    for (int32_t k = 0; status == PAL_OK && k < r; k++) {
        const double *vector = gram + (int64_t)(count - 1 - k) * count; // ascending eigenvalues
        double s = sqrt(value[count - 1 - k]);
        cblas_dgemv(CblasRowMajor, CblasTrans, count, n, 1.0 / s, z, n, vector, 1, 0.0,
                    u + (int64_t)k * n, 1);
        if (sigma != NULL) {
            sigma[k] = s;
        }
    }
    free(mz);
    free(gram);
    free(value);
    return status;
}

// basis [rows][r] from u [r][n], the largest entry of each column positive.
static pal_status hand_over(const pal_fem *fem, int32_t r, const double *u, double *basis,
                            pal_err *err) {
    int n = (int)pal_fem_dofs(fem);
    int64_t rows = 3 * (int64_t)fem->mesh->vertex_count;
    double *full = PAL_NEW(double, rows, err);
    if (full == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t k = 0; k < r; k++) {
        const double *uk = u + (int64_t)k * n;
        double sign = uk[cblas_idamax(n, uk, 1)] < 0.0 ? -1.0 : 1.0;
        pal_fem_to_full(fem, uk, full);
        for (int64_t row = 0; row < rows; row++) {
            basis[row * r + k] = sign * full[row];
        }
    }
    free(full);
    return PAL_OK;
}

pal_status pal_mass_pca(const pal_fem *fem, const double *shapes, int32_t count, int32_t r,
                        double *basis, double *sigma, pal_err *err) {
    int64_t n = pal_fem_dofs(fem), rows = 3 * (int64_t)fem->mesh->vertex_count;
    if (r < 1 || r > count) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "a basis of %d was asked for, but there are only %d shapes", r, count);
    }
    double *z = PAL_NEW(double, (size_t)(count * n), err);
    double *u = PAL_NEW(double, (size_t)(r * n), err);
    pal_status status = z && u ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < count; k++) {
        pal_fem_to_free(fem, shapes + k * rows, z + k * n);
    }
    if (status == PAL_OK) {
        status = leading(fem, count, r, z, u, sigma, err);
    }
    if (status == PAL_OK) {
        status = pal_mass_orthonormalise(fem, r, u, err);
    }
    if (status == PAL_OK) {
        status = hand_over(fem, r, u, basis, err);
    }
    free(z);
    free(u);
    return status;
}

pal_status pal_mass_orthonormality(const pal_fem *fem, const double *basis, int32_t r,
                                   double *error, pal_err *err) {
    size_t n = (size_t)pal_fem_dofs(fem);
    double *u = PAL_NEW(double, (size_t)r *n, err), *mu = PAL_NEW(double, (size_t)r *n, err);
    double *gram = PAL_NEW(double, (size_t)r *(size_t)r, err);
    if (!u || !mu || !gram) {
        free(u);
        free(mu);
        free(gram);
        return PAL_ERR_MEMORY;
    }
    pal_fem_basis_to_free(fem, basis, r, u);
    gram_matrix(fem, r, u, mu, gram);
    *error = 0.0;
    for (int32_t k = 0; k < r * r; k++) {
        *error = fmax(*error, fabs(gram[k] - (k / r == k % r)));
    }
    free(u);
    free(mu);
    free(gram);
    return PAL_OK;
}
