// (K - lambda_i M) x = b with b orthogonal to Psi_i. The matrix is indefinite and singular, but in
// the eigenvectors it is diagonal: along the known modes W (rigid, and the linear modes computed)
// the solution is x_k = (psi_k . b) / (lambda_k - lambda_i); in their complement lambda > lambda_i,
// so the matrix is positive definite there and conjugate gradients, preconditioned by one factor of
// K + s M, need few iterations.
#include "sim/basis/free_deriv.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/packed.h"
#include "sim/base/sparse_chol.h"
#include "sim/basis/rigid.h"
#include "sim/fem/assemble.h"

enum { MOST_ITERATIONS = 400 };
static const double TOLERANCE = 1e-11; // on |residual| / |b|, for eq. 29 to 1e-8

typedef struct free_solver {
    pal_fem *fem;
    pal_chol *chol; // of K + s M
    int n;
    int known;      // rigid + linear modes
    double *w;      // [known][n] mass-orthonormal
    double *mw;     // [known][n] M W
    double *lambda; // [known]
    // For one i, all k right-hand sides side by side:
    int32_t columns;
    double *b, *x, *r, *z, *p, *ap; // [columns][n]
    double *work;                   // [n]
} free_solver;

// b -= M W (W^T b): leaves the part that has no component along the known modes.
static void project_force(const free_solver *s, double *b) {
    for (int k = 0; k < s->known; k++) {
        double part = cblas_ddot(s->n, s->w + (int64_t)k * s->n, 1, b, 1);
        cblas_daxpy(s->n, -part, s->mw + (int64_t)k * s->n, 1, b, 1);
    }
}

static void project_shape(const free_solver *s, double *x) {
    for (int k = 0; k < s->known; k++) {
        double part = cblas_ddot(s->n, s->mw + (int64_t)k * s->n, 1, x, 1);
        cblas_daxpy(s->n, -part, s->w + (int64_t)k * s->n, 1, x, 1);
    }
}

// out = (K - lambda M) x
static void apply(free_solver *s, double lambda, const double *x, double *out) {
    pal_csr_multiply(&s->fem->stiffness, x, out);
    pal_fem_multiply_mass(s->fem, x, s->work);
    cblas_daxpy(s->n, -lambda, s->work, 1, out, 1);
}

// x += the solution along the known modes; a mode as good as degenerate with i is left out (it is
// in the span of the linear modes anyway).
static void solve_known(const free_solver *s, double lambda, const double *b, double *x) {
    for (int k = 0; k < s->known; k++) {
        double gap = s->lambda[k] - lambda;
        if (fabs(gap) > 1e-8 * lambda) {
            double part = cblas_ddot(s->n, s->w + (int64_t)k * s->n, 1, b, 1);
            cblas_daxpy(s->n, part / gap, s->w + (int64_t)k * s->n, 1, x, 1);
        }
    }
}

// z = (K + s M)^-1 r for all columns, kept in the complement.
static pal_status precondition(free_solver *s, pal_err *err) {
    memcpy(s->z, s->r, (size_t)s->columns * (size_t)s->n * sizeof *s->z);
    pal_status status = pal_chol_solve(s->chol, s->columns, s->z, err);
    for (int32_t c = 0; status == PAL_OK && c < s->columns; c++) {
        project_shape(s, s->z + (int64_t)c * s->n);
    }
    return status;
}

typedef struct column_state {
    double rz, target;
    bool done;
} column_state;

// One conjugate-gradient update of one column; needs z.
static void advance(free_solver *s, double lambda, int iteration, int32_t c, column_state *state) {
    int64_t at = (int64_t)c * s->n;
    double rz = cblas_ddot(s->n, s->r + at, 1, s->z + at, 1);
    double keep = iteration == 0 ? 0.0 : rz / state->rz;
    state->rz = rz;
    for (int i = 0; i < s->n; i++) {
        s->p[at + i] = s->z[at + i] + keep * s->p[at + i];
    }
    apply(s, lambda, s->p + at, s->ap + at);
    project_force(s, s->ap + at);
    double size = rz / cblas_ddot(s->n, s->p + at, 1, s->ap + at, 1);
    cblas_daxpy(s->n, size, s->p + at, 1, s->x + at, 1);
    cblas_daxpy(s->n, -size, s->ap + at, 1, s->r + at, 1);
    state->done = cblas_dnrm2(s->n, s->r + at, 1) <= state->target;
}

// Conjugate gradients for all columns at once (one blocked solve an iteration); r holds the
// projected right-hand sides and x collects the answers.
static pal_status solve_complement(free_solver *s, double lambda, column_state *state,
                                   pal_err *err) {
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        bool all_done = true;
        for (int32_t c = 0; c < s->columns; c++) {
            all_done = all_done && state[c].done;
        }
        if (all_done) {
            return PAL_OK;
        }
        pal_status status = precondition(s, err);
        if (status != PAL_OK) {
            return status;
        }
        for (int32_t c = 0; c < s->columns; c++) {
            if (!state[c].done) {
                advance(s, lambda, iteration, c, &state[c]);
            }
        }
    }
    return pal_fail(err, PAL_ERR_NUMERIC,
                    "the modal derivatives of the free body did not converge; use fewer modes");
}

// Phi_ij for one i and all j into s->x.
static pal_status solve_mode(free_solver *s, const pal_modes *modes, int32_t i,
                             const double *products, pal_err *err) {
    double lambda = modes->lambda[i];
    const double *psi = s->w + (int64_t)(6 + i) * s->n, *mpsi = s->mw + (int64_t)(6 + i) * s->n;
    column_state *state = PAL_NEW(column_state, s->columns, err);
    if (state == NULL) {
        return PAL_ERR_MEMORY;
    }
    memset(s->x, 0, (size_t)s->columns * (size_t)s->n * sizeof *s->x);
    for (int32_t j = 0; j < s->columns; j++) {
        int64_t pair = i <= j ? pal_pair_at(i, j) : pal_pair_at(j, i);
        double *b = s->b + (int64_t)j * s->n, *r = s->r + (int64_t)j * s->n;
        // b = (M Psi_i Psi_i^T - I) (H:Psi_i) Psi_j                            [BJ05 eq. 29]
        memcpy(b, products + pair * s->n, (size_t)s->n * sizeof *b);
        double along = cblas_ddot(s->n, psi, 1, b, 1);
        cblas_dscal(s->n, -1.0, b, 1);
        cblas_daxpy(s->n, along, mpsi, 1, b, 1);
        state[j].target = TOLERANCE * cblas_dnrm2(s->n, b, 1);
        memcpy(r, b, (size_t)s->n * sizeof *r);
        project_force(s, r);
        state[j].done = cblas_dnrm2(s->n, r, 1) <= state[j].target;
    }
    pal_status status = solve_complement(s, lambda, state, err);
    for (int32_t j = 0; j < s->columns; j++) {
        solve_known(s, lambda, s->b + (int64_t)j * s->n, s->x + (int64_t)j * s->n);
    }
    free(state);
    return status;
}

static pal_status prepare(free_solver *s, const pal_modes *modes, int32_t k, pal_err *err) {
    size_t n = (size_t)pal_fem_dofs(s->fem);
    s->n = (int)n;
    s->known = 6 + modes->count;
    s->columns = k;
    s->w = PAL_NEW(double, (size_t)s->known *n, err);
    s->mw = PAL_NEW(double, (size_t)s->known *n, err);
    s->lambda = PAL_NEW(double, s->known, err);
    s->work = PAL_NEW(double, n, err);
    double **block[] = {&s->b, &s->x, &s->r, &s->z, &s->p, &s->ap};
    bool enough = s->w && s->mw && s->lambda && s->work;
    for (size_t b = 0; b < sizeof block / sizeof *block; b++) {
        *block[b] = PAL_NEW(double, (size_t)k *n, err);
        enough = enough && *block[b];
    }
    if (!enough) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_rigid_modes(s->fem, s->w, err);
    for (int m = 0; m < modes->count; m++) {
        pal_fem_to_free(s->fem, modes->psi + m * modes->rows, s->w + (int64_t)(6 + m) * s->n);
        s->lambda[6 + m] = modes->lambda[m];
    }
    for (int m = 0; m < s->known; m++) {
        pal_fem_multiply_mass(s->fem, s->w + (int64_t)m * s->n, s->mw + (int64_t)m * s->n);
    }
    return status;
}

// Factors K + s M with s the lowest elastic eigenvalue.
static pal_status factor(free_solver *s, double shift, pal_err *err) {
    pal_csr shifted;
    pal_status status = pal_fem_evaluate(s->fem, NULL, NULL, NULL, true, err);
    if (status == PAL_OK) {
        status = pal_fem_new_matrix(s->fem, &shifted, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    pal_fem_combine(s->fem, 1.0, shift, &shifted);
    bool positive = false;
    s->chol = pal_chol_create(&shifted, err);
    status = s->chol ? pal_chol_factor(s->chol, &shifted, &positive, err) : PAL_ERR_MEMORY;
    free(shifted.value);
    return status == PAL_OK && !positive
               ? pal_fail(err, PAL_ERR_NUMERIC, "the shifted stiffness matrix is not positive")
               : status;
}

pal_status pal_free_derivatives(pal_fem *fem, const pal_modes *modes, int32_t k,
                                const double *products, const pal_progress *progress,
                                pal_derivatives *derivatives, pal_err *err) {
    free_solver s = {.fem = fem};
    pal_status status = prepare(&s, modes, k, err);
    if (status == PAL_OK) {
        status = factor(&s, modes->lambda[0], err);
    }
    for (int32_t i = 0; status == PAL_OK && i < k; i++) {
        status = solve_mode(&s, modes, i, products, err);
        for (int32_t j = 0; status == PAL_OK && j < k; j++) {
            pal_fem_to_full(fem, s.x + (int64_t)j * s.n,
                            derivatives->phi + ((int64_t)i * k + j) * derivatives->rows);
        }
        pal_progress_report(progress, "modal derivatives", 0.3 + 0.7 * (i + 1) / k);
    }
    pal_chol_free(s.chol);
    double *vector[] = {s.w, s.mw, s.lambda, s.work, s.b, s.x, s.r, s.z, s.p, s.ap};
    for (size_t v = 0; v < sizeof vector / sizeof *vector; v++) {
        free(vector[v]);
    }
    return status;
}
