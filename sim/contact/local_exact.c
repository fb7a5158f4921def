// G from whole columns of K^-1, three a vertex, many at a time.
//
// A body that is not held has no K^-1. Its elastic flexibility is
//
//     A = (I - W W^T M) K^g (I - M W W^T)     W [n][6] rigid motions, W^T M W = I
//
// the answer, free of rigid motion, to a load less the inertia of the rigid acceleration that it
// causes. Such a load is in equilibrium by itself, so K^g may be the inverse of K with six springs
// that just stop every rigid motion: they carry nothing.
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/base/vec3.h"
#include "sim/basis/rigid.h"
#include "sim/contact/local_parts.h"

enum { BATCH_BYTES = 64 << 20, LEAST_BATCH = 16, MOST_BATCH = 256, RIGID = 6 };

typedef struct batch {
    pal_local_job *job;
    int32_t first, count; // rows
    double *x;            // [3 count][n]
    double *w, *mw;       // [6][n] of a body that is not held, else NULL
} batch;

// x -= A (B^T x)
static void take_out(int64_t n, const double *a, const double *b, double *x) {
    for (int k = 0; k < RIGID; k++) {
        cblas_daxpy((int)n, -cblas_ddot((int)n, b + k * n, 1, x, 1), a + k * n, 1, x, 1);
    }
}

// The three unit loads of a vertex, less their rigid inertia.
static void set_load(void *context, int index, int thread) {
    (void)thread;
    batch *b = context;
    int64_t n = b->job->n;
    for (int c = 0; c < 3; c++) {
        double *x = b->x + (3 * (int64_t)index + c) * n;
        memset(x, 0, (size_t)n * sizeof *x);
        x[3 * (int64_t)pal_local_free_index(b->job, b->first + index) + c] = 1.0;
        if (b->w != NULL) {
            take_out(n, b->mw, b->w, x);
        }
    }
}

// The blocks of one row: (K^-1)_ba = (K^-1)_ab^T less the modes' share.
static void keep_row(void *context, int index, int thread) {
    (void)thread;
    batch *b = context;
    const pal_local_job *job = b->job;
    pal_local *local = job->local;
    int32_t row = b->first + index, r = job->r;
    double *x = b->x + 3 * (int64_t)index * job->n;
    for (int c = 0; b->w != NULL && c < 3; c++) {
        take_out(job->n, b->w, b->mw, x + c * job->n);
    }
    const double *vb = job->v + 3 * (int64_t)row * r;
    for (int64_t k = local->first[row]; k < local->first[row + 1]; k++) {
        int32_t a = local->column[k];
        int64_t at = 3 * (int64_t)pal_local_free_index(job, a);
        const double *va = job->v + 3 * (int64_t)a * r;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double modes = 0.0; // U_b (U^T K U)^-1 U_a^T
                for (int32_t l = 0; l < r; l++) {
                    modes += vb[i * r + l] * va[j * r + l];
                }
                local->block[9 * k + 3 * i + j] = (float)(x[i * job->n + at + j] - modes);
            }
        }
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

// Factors K, or K with supports; makes the rigid motions then.
static pal_status factor(batch *b, pal_chol *chol, pal_err *err) {
    const pal_fem *fem = b->job->fem;
    int64_t n = b->job->n;
    pal_csr supported = fem->stiffness;
    pal_status status = PAL_OK;
    if (fem->rigid_modes > 0) {
        status = pal_fem_new_matrix(fem, &supported, err);
        b->w = PAL_NEW(double, RIGID *n, err);
        b->mw = PAL_NEW(double, RIGID *n, err);
        if (status != PAL_OK || !b->w || !b->mw) {
            return PAL_ERR_MEMORY;
        }
        status = pal_rigid_modes(fem, b->w, err);
        for (int k = 0; k < RIGID; k++) {
            pal_fem_multiply_mass(fem, b->w + k * n, b->mw + k * n);
        }
        memcpy(supported.value, fem->stiffness.value, (size_t)supported.start[n] * sizeof(double));
        add_supports(fem, b->w, supported.value);
    }
    bool positive = false;
    if (status == PAL_OK) {
        status = pal_chol_factor(chol, &supported, &positive, err);
    }
    if (fem->rigid_modes > 0) {
        free(supported.value);
    }
    return status == PAL_OK && !positive
               ? pal_fail(err, PAL_ERR_NUMERIC,
                          "the stiffness at rest is not positive definite; look at the mesh with "
                          "'palpate info'")
               : status;
}

pal_status pal_local_exact(pal_local_job *job, pal_chol *chol, pal_err *err) {
    int32_t rows = job->local->row_count;
    int64_t fit = BATCH_BYTES / (24 * job->n);
    int32_t size = (int32_t)(fit < LEAST_BATCH ? LEAST_BATCH : fit > MOST_BATCH ? MOST_BATCH : fit);
    batch b = {.job = job, .x = PAL_NEW(double, 3 * (int64_t)size * job->n, err)};
    pal_status status = b.x != NULL ? factor(&b, chol, err) : PAL_ERR_MEMORY;
    for (; status == PAL_OK && b.first < rows; b.first += size) {
        b.count = rows - b.first < size ? rows - b.first : size;
        pal_parallel_for(b.count, set_load, &b);
        status = pal_chol_solve(chol, 3 * b.count, b.x, err);
        if (status == PAL_OK) {
            pal_parallel_for(b.count, keep_row, &b);
        }
        pal_progress_report(job->progress, "local compliance",
                            (double)(b.first + b.count) / (double)rows);
    }
    free(b.x);
    free(b.w);
    free(b.mw);
    return status;
}
