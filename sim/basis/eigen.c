// ARPACK's Lanczos in shift-invert mode: OP = (K - sigma M)^-1 M, largest first. sigma is 0 for an
// anchored body, and for a free one a negative number, small beside the lowest eigenvalues, so that
// K - sigma M is positive definite; its rigid modes are known and taken out of every vector, since
// Lanczos finds a sixfold eigenvalue only by rounding. A small problem, or nearly all modes of one,
// goes to LAPACK.
#include "sim/basis/eigen.h"

#include <arpack/arpack.h>
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/sparse_chol.h"
#include "sim/basis/rigid.h"
#include "sim/fem/assemble.h"
#include "sim/fem/pattern.h"

enum { DENSE_DOFS = 240, MOST_RESTARTS = 300 };
static const double TOLERANCE = 1e-13; // of eigenvalues, relative
static const double SHIFT = 0.01;      // of a bound of the lowest eigenvalue

typedef struct solver {
    pal_fem *fem;
    int n;          // free dofs
    int wanted;     // modes to find, rigid ones not counted
    int rigid;      // how many of those there are
    double *w;      // [rigid][n] the rigid modes, taken out of everything
    double shift;   // -sigma
    double typical; // an upper bound of the lowest elastic eigenvalue
    double *lambda; // [wanted]
    double *psi;    // [wanted][n]
    double *work;   // [n]
} solver;

static double rayleigh(solver *s, const double *x) {
    pal_fem_multiply_mass(s->fem, x, s->work);
    double mass = cblas_ddot(s->n, x, 1, s->work, 1);
    pal_csr_multiply(&s->fem->stiffness, x, s->work);
    return cblas_ddot(s->n, x, 1, s->work, 1) / mass;
}

// The smallest Rayleigh quotient of smooth fields (quadratics of the coordinates, less their rigid
// part in a free body): an upper bound of the lowest elastic eigenvalue, of the right size.
static pal_status estimate_lowest(solver *s, pal_err *err) {
    double *field = PAL_NEW(double, s->n, err);
    pal_status status = field ? PAL_OK : PAL_ERR_MEMORY;
    s->typical = INFINITY;
    for (int k = 0; status == PAL_OK && k < 18; k++) {
        int axis = k % 3, a = k / 3 % 3, b = k < 9 ? a : (a + 1) % 3;
        for (int i = 0; i < s->n; i++) {
            const double *x = s->fem->mesh->x + 3 * (int64_t)s->fem->free_vertex[i / 3];
            field[i] = i % 3 == axis ? x[a] * x[b] : 0.0;
        }
        pal_project_out(s->fem, s->w, s->rigid, field, s->work);
        pal_project_out(s->fem, s->w, s->rigid, field, s->work);
        double quotient = rayleigh(s, field);
        s->typical = quotient > 0.0 && quotient < s->typical ? quotient : s->typical;
    }
    s->shift = s->rigid > 0 ? SHIFT * s->typical : 0.0;
    free(field);
    return status;
}

// ---- ARPACK

typedef struct lanczos {
    int ncv;
    double *resid, *v, *workd, *workl;
    pal_chol *chol;
} lanczos;

static pal_status factor_shifted(solver *s, lanczos *l, pal_err *err) {
    pal_csr shifted;
    pal_status status = pal_fem_new_matrix(s->fem, &shifted, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_fem_combine(s->fem, 1.0, s->shift, &shifted);
    bool positive = false;
    l->chol = pal_chol_create(&shifted, err);
    status = l->chol ? pal_chol_factor(l->chol, &shifted, &positive, err) : PAL_ERR_MEMORY;
    free(shifted.value);
    if (status == PAL_OK && !positive) {
        return pal_fail(err, PAL_ERR_NUMERIC,
                        "the stiffness matrix is singular: a part of the body can move freely, "
                        "perhaps hanging by an edge or a vertex only ('palpate info' counts such "
                        "hinges)");
    }
    return status;
}

// The Rayleigh quotient of a rough vector after a few inverse iterations: a sharper bound of the
// lowest eigenvalue than smooth fields give where the body has thin parts. x [n] is room.
static pal_status sharpen_lowest(solver *s, const lanczos *l, double *x, double *bound,
                                 pal_err *err) {
    pal_status status = PAL_OK;
    memcpy(x, l->resid, (size_t)s->n * sizeof *x);
    for (int k = 0; status == PAL_OK && k < 3; k++) {
        pal_fem_multiply_mass(s->fem, x, s->work);
        memcpy(x, s->work, (size_t)s->n * sizeof *x);
        status = pal_chol_solve(l->chol, 1, x, err);
        pal_project_out(s->fem, s->w, s->rigid, x, s->work);
        cblas_dscal(s->n, 1.0 / cblas_dnrm2(s->n, x, 1), x, 1);
    }
    pal_project_out(s->fem, s->w, s->rigid, x, s->work);
    *bound = rayleigh(s, x);
    return status;
}

// A shift far above the lowest eigenvalues hides what is between them, and Lanczos takes long: then
// it is made smaller.
static pal_status factor_well_shifted(solver *s, lanczos *l, pal_err *err) {
    enum { MOST = 4 };
    pal_status status = factor_shifted(s, l, err);
    for (int k = 0; status == PAL_OK && s->rigid > 0 && k < MOST; k++) {
        double bound;
        status = sharpen_lowest(s, l, l->workd, &bound, err);
        if (status != PAL_OK || !(bound > 0.0) || !(SHIFT * bound < 0.1 * s->shift)) {
            break;
        }
        s->typical = bound;
        s->shift = SHIFT * bound;
        pal_chol_free(l->chol);
        l->chol = NULL;
        status = factor_shifted(s, l, err);
    }
    return status;
}

static pal_status prepare_lanczos(solver *s, lanczos *l, pal_err *err) {
    size_t n = (size_t)s->n;
    l->ncv = 2 * s->wanted + 20 < s->n ? 2 * s->wanted + 20 : s->n;
    size_t ncv = (size_t)l->ncv;
    l->resid = PAL_NEW(double, n, err);
    l->v = PAL_NEW(double, n *ncv, err);
    l->workd = PAL_NEW(double, 3 * n, err);
    l->workl = PAL_NEW(double, ncv *(ncv + 8), err);
    if (!l->resid || !l->v || !l->workd || !l->workl) {
        return PAL_ERR_MEMORY;
    }
    // A fixed, rough starting vector: the same modes every time.
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        l->resid[i] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
    }
    pal_project_out(s->fem, s->w, s->rigid, l->resid, s->work);
    return factor_well_shifted(s, l, err);
}

// Serves one reverse-communication request.
static pal_status serve(solver *s, lanczos *l, int ido, const int *ipntr, pal_err *err) {
    double *x = l->workd + ipntr[0] - 1, *y = l->workd + ipntr[1] - 1;
    if (ido == 2) { // y = M x
        pal_fem_multiply_mass(s->fem, x, y);
        return PAL_OK;
    }
    if (ido == -1) { // y = OP x
        pal_fem_multiply_mass(s->fem, x, y);
    } else { // y = OP x, with M x at hand
        memcpy(y, l->workd + ipntr[2] - 1, (size_t)s->n * sizeof *y);
    }
    pal_status status = pal_chol_solve(l->chol, 1, y, err);
    pal_project_out(s->fem, s->w, s->rigid, y, s->work);
    return status;
}

static pal_status extract(solver *s, lanczos *l, int *iparam, int *ipntr, pal_err *err) {
    int *select = PAL_NEW(int, l->ncv, err), info = 0;
    if (select == NULL) {
        return PAL_ERR_MEMORY;
    }
    dseupd_c(1, "A", select, s->lambda, s->psi, s->n, -s->shift, "G", s->n, "LM", s->wanted,
             TOLERANCE, l->resid, l->ncv, l->v, s->n, iparam, ipntr, l->workd, l->workl,
             l->ncv * (l->ncv + 8), &info);
    free(select);
    return info == 0 ? PAL_OK
                     : pal_fail(err, PAL_ERR_NUMERIC, "ARPACK could not give the modes (dseupd %d)",
                                info);
}

static pal_status iterate(solver *s, lanczos *l, const pal_progress *progress, pal_err *err) {
    int iparam[11] = {1, 0, MOST_RESTARTS, 1, 0, 0, 3}, ipntr[14] = {0}, ido = 0, info = 1;
    int solves = 0, expected = 2 * l->ncv;
    for (;;) {
        dsaupd_c(&ido, "G", s->n, "LM", s->wanted, TOLERANCE, l->resid, l->ncv, l->v, s->n, iparam,
                 ipntr, l->workd, l->workl, l->ncv * (l->ncv + 8), &info);
        if (ido != -1 && ido != 1 && ido != 2) {
            break;
        }
        pal_status status = serve(s, l, ido, ipntr, err);
        if (status != PAL_OK) {
            return status;
        }
        solves += ido != 2;
        pal_progress_report(progress, "modes",
                            solves < expected ? (double)solves / expected : 0.99);
    }
    if (info != 0 || iparam[4] < s->wanted) {
        return pal_fail(err, PAL_ERR_NUMERIC,
                        "ARPACK found %d of %d modes (dsaupd %d); ask for fewer modes", iparam[4],
                        s->wanted, info);
    }
    return extract(s, l, iparam, ipntr, err);
}

static pal_status solve_sparse(solver *s, const pal_progress *progress, pal_err *err) {
    lanczos l = {0};
    pal_status status = prepare_lanczos(s, &l, err);
    if (status == PAL_OK) {
        status = iterate(s, &l, progress, err);
    }
    pal_chol_free(l.chol);
    free(l.resid);
    free(l.v);
    free(l.workd);
    free(l.workl);
    return status;
}

// ---- LAPACK

// Row-major dense copies of K and M.
static void fill_dense(solver *s, double *k, double *m) {
    const pal_csr *a = &s->fem->stiffness;
    for (int64_t r = 0; r < a->n; r++) {
        for (int64_t e = a->start[r]; e < a->start[r + 1]; e++) {
            k[r * a->n + a->col[e]] = a->value[e];
        }
    }
    for (int32_t i = 0; i < s->fem->free_count; i++) {
        for (int32_t b = s->fem->block_start[i]; b < s->fem->block_start[i + 1]; b++) {
            for (int c = 0; c < 3; c++) {
                int64_t row = 3 * (int64_t)i + c, col = 3 * (int64_t)s->fem->block_col[b] + c;
                m[row * a->n + col] = s->fem->mass[b];
            }
        }
    }
}

static pal_status solve_dense(solver *s, pal_err *err) {
    size_t n = (size_t)s->n;
    double *k = PAL_NEW(double, n *n, err), *m = PAL_NEW(double, n *n, err);
    double *all = PAL_NEW(double, n, err);
    pal_status status = k && m && all ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        fill_dense(s, k, m);
        // Both are symmetric, so row-major is column-major; eigenvectors come as columns = our
        // rows.
        int info = LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'U', s->n, k, s->n, m, s->n, all);
        if (info != 0) {
            status =
                pal_fail(err, PAL_ERR_NUMERIC, "LAPACK could not find the modes (dsygvd %d)", info);
        }
    }
    if (status == PAL_OK) {
        memcpy(s->lambda, all + s->rigid, (size_t)s->wanted * sizeof *all);
        memcpy(s->psi, k + (size_t)s->rigid * n, (size_t)s->wanted * n * sizeof *k);
    }
    free(k);
    free(m);
    free(all);
    return status;
}

// ---- both

// Ascending eigenvalues (ARPACK gives them so, but does not promise it).
static void sort_modes(solver *s) {
    for (int i = 1; i < s->wanted; i++) {
        for (int j = i; j > 0 && s->lambda[j] < s->lambda[j - 1]; j--) {
            double lambda = s->lambda[j];
            s->lambda[j] = s->lambda[j - 1];
            s->lambda[j - 1] = lambda;
            cblas_dswap(s->n, s->psi + (int64_t)j * s->n, 1, s->psi + (int64_t)(j - 1) * s->n, 1);
        }
    }
}

// Mass 1 and the largest entry positive.
static void normalise(solver *s, double *x) {
    pal_fem_multiply_mass(s->fem, x, s->work);
    double scale = 1.0 / sqrt(cblas_ddot(s->n, x, 1, s->work, 1));
    int largest = (int)cblas_idamax(s->n, x, 1);
    cblas_dscal(s->n, x[largest] < 0.0 ? -scale : scale, x, 1);
}

// |K psi - lambda M psi| / |K psi|
static double residual(solver *s, const double *x, double lambda, double *scratch) {
    pal_csr_multiply(&s->fem->stiffness, x, scratch);
    double size = cblas_dnrm2(s->n, scratch, 1);
    pal_fem_multiply_mass(s->fem, x, s->work);
    cblas_daxpy(s->n, -lambda, s->work, 1, scratch, 1);
    return cblas_dnrm2(s->n, scratch, 1) / size;
}

// The largest ratio of stiffness to mass on the diagonal: of the size of the highest eigenvalue.
static double highest(const solver *s) {
    const pal_fem *fem = s->fem;
    double most = 0.0;
    for (int32_t i = 0; i < fem->free_count; i++) {
        for (int32_t b = fem->block_start[i]; b < fem->block_start[i + 1]; b++) {
            for (int c = 0; fem->block_col[b] == i && c < 3; c++) {
                most =
                    fmax(most, fem->stiffness.value[pal_fem_entry(fem, i, b, c, c)] / fem->mass[b]);
            }
        }
    }
    return most;
}

// No mode but the rigid ones may be without stiffness.
static pal_status check_spectrum(const solver *s, pal_err *err) {
    double zero = 1e-9 * s->typical + 1e-14 * highest(s); // the second part is rounding
    int zeros = 0;
    while (zeros < s->wanted && s->lambda[zeros] < zero) {
        zeros++;
    }
    if (zeros == 0) {
        return PAL_OK;
    }
    return pal_fail(err, PAL_ERR_NUMERIC,
                    "%d modes%s have no stiffness: a part of the body can move freely, perhaps "
                    "hanging by an edge or a vertex only ('palpate info' counts such hinges)",
                    zeros, s->rigid > 0 ? " beside the rigid ones" : "");
}

static pal_status hand_over(solver *s, int32_t count, pal_modes *modes, pal_err *err) {
    modes->count = count;
    modes->rigid = s->rigid;
    modes->rows = 3 * (int64_t)s->fem->mesh->vertex_count;
    modes->lambda = PAL_NEW(double, count, err);
    modes->psi = PAL_NEW(double, (size_t)count *(size_t)modes->rows, err);
    double *scratch = PAL_NEW(double, s->n, err);
    if (!modes->lambda || !modes->psi || !scratch) {
        free(scratch);
        return PAL_ERR_MEMORY;
    }
    for (int32_t k = 0; k < count; k++) {
        double *x = s->psi + (int64_t)k * s->n;
        normalise(s, x);
        modes->lambda[k] = s->lambda[k];
        double r = residual(s, x, modes->lambda[k], scratch);
        modes->residual_max = r > modes->residual_max ? r : modes->residual_max;
        pal_fem_to_full(s->fem, x, modes->psi + k * modes->rows);
    }
    free(scratch);
    return PAL_OK;
}

static pal_status check_count(const pal_fem *fem, int32_t count, pal_err *err) {
    int64_t most = pal_fem_dofs(fem) - fem->rigid_modes;
    if (count < 1) {
        return pal_fail(err, PAL_ERR_USAGE, "at least one mode must be asked for");
    }
    if (count > most) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "%d modes asked for, but %d free vertices have only %lld; ask for fewer or "
                        "use a finer mesh",
                        count, fem->free_count, (long long)most);
    }
    return PAL_OK;
}

pal_status pal_modes_solve(pal_fem *fem, int32_t count, const pal_progress *progress,
                           pal_modes *modes, pal_err *err) {
    memset(modes, 0, sizeof *modes);
    pal_status status = check_count(fem, count, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_progress_report(progress, "modes", 0.0);
    solver s = {
        .fem = fem, .n = (int)pal_fem_dofs(fem), .wanted = count, .rigid = fem->rigid_modes};
    s.lambda = PAL_NEW(double, s.wanted, err);
    s.psi = PAL_NEW(double, (size_t)s.wanted *(size_t)s.n, err);
    s.work = PAL_NEW(double, s.n, err);
    s.w = PAL_NEW(double, (size_t)s.rigid *(size_t)s.n, err);
    status = s.lambda && s.psi && s.work && s.w ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK && s.rigid > 0) {
        status = pal_rigid_modes(fem, s.w, err);
    }
    if (status == PAL_OK) {
        status = pal_fem_evaluate(fem, NULL, NULL, NULL, true, err);
    }
    if (status == PAL_OK) {
        status = estimate_lowest(&s, err);
    }
    if (status == PAL_OK) {
        bool dense = s.n <= DENSE_DOFS || s.wanted + s.rigid > s.n / 2;
        status = dense ? solve_dense(&s, err) : solve_sparse(&s, progress, err);
    }
    if (status == PAL_OK) {
        sort_modes(&s);
        status = check_spectrum(&s, err);
    }
    if (status == PAL_OK) {
        status = hand_over(&s, count, modes, err);
    }
    if (status != PAL_OK) {
        pal_modes_free(modes);
    }
    free(s.lambda);
    free(s.psi);
    free(s.work);
    free(s.w);
    return status;
}

void pal_modes_free(pal_modes *modes) {
    free(modes->lambda);
    free(modes->psi);
    memset(modes, 0, sizeof *modes);
}
