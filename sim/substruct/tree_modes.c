// A step of the time h from rest answers to forces f on the modes by
//
//     q'' = (M + s K)^-1 f,   s = h^2 / 4,
//
// since the matrix of the step is that of the tree, eliminated exactly. With the stiffness at rest
// K = L L^T, block by block, the squares of the angular frequencies are the eigenvalues lambda of
// L^T M^-1 L: steps of no time.
//
// Under L1 and L2 a domain does not feel the deformation of its children: M^-1 K is block
// triangular along the tree, and its eigenvalues are those of the blocks on the diagonal. Domains
// of one depth do not feel each other, so their columns come out of the same steps.
//
// Under exact inertia a small tree is solved densely. For a large one the largest eigenvalues
// 1 / (1 + s lambda) of C = 1 - s L^T (M + s K)^-1 L are found by iterating a subspace, each
// product one step of the tree; s is so long that those of the lowest frequencies stand apart from
// others. (Trees of equal parts have the same frequency more than once, which Lanczos finds by
// rounding.)
#include "sim/substruct/tree_modes.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/substruct/tree_state.h"

// Modes that are solved densely; vectors of the subspace for each frequency that is wanted.
enum { DENSE = 300, WIDE = 6, MOST_ITERATIONS = 1000 };
static const double TOLERANCE = 1e-11; // the change of eigenvalues in an iteration, relative
static const double LONG = 1e3;        // s times the lowest lambda of any domain by itself
static const double TINY = 1e-6;       // of a force: the step is linear, but its end is a place too

typedef struct vibrating {
    pal_tree tree; // without damping
    pal_domain_class *class_;
    pal_tree_state *state;
    int32_t n;      // modes in all
    int32_t *first; // [domain_count + 1] the modes of each domain
    double **l;     // [domain_count] L [r][r], lower triangle
} vibrating;

static int32_t size_of(const vibrating *v, int32_t domain) {
    return v->first[domain + 1] - v->first[domain];
}

// ---- the stiffness

static pal_status factor_stiffness(const pal_tree *tree, int32_t domain, double *l, pal_err *err) {
    const pal_domain *d = &tree->domain[domain];
    const pal_domain_class *c = &tree->class_[d->kind];
    const double factor = d->stiffness * d->scale * d->scale * d->scale;
    for (int32_t i = 0; i < c->r; i++) {
        for (int32_t j = 0; j < c->r; j++) {
            const int32_t low = i < j ? i : j, high = i < j ? j : i;
            l[i * c->r + j] = j > i ? 0.0 : factor * c->quartic.p[pal_pair_at(low, high)];
        }
    }
    return c->r == 0 || LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', c->r, l, c->r) == 0
               ? PAL_OK
               : pal_fail(err, PAL_ERR_INPUT,
                          "class '%s': its stiffness at rest is not positive definite", c->name);
}

// out_j = sum_i in_i L_ij, in place, of numbers `step` apart: L^T x.
static void times_factor(const double *l, int32_t r, double *a, size_t step) {
    for (int32_t j = 0; j < r; j++) { // L_ij = 0 for i < j
        double sum = 0.0;
        for (int32_t i = j; i < r; i++) {
            sum += a[(size_t)i * step] * l[i * r + j];
        }
        a[(size_t)j * step] = sum;
    }
}

// The lowest eigenvalue that a domain has by itself (M = s^5 of its class), or a little more.
static double lowest_alone(const pal_tree *tree) {
    double lowest = INFINITY;
    for (int32_t i = 0; i < tree->domain_count; i++) {
        const pal_domain *d = &tree->domain[i];
        const pal_domain_class *c = &tree->class_[d->kind];
        for (int32_t k = 0; k < c->r; k++) {
            const double own = c->quartic.p[pal_pair_at(k, k)];
            lowest = fmin(lowest, own * d->stiffness / (d->scale * d->scale));
        }
    }
    return lowest;
}

// ---- steps

// Forces on the modes of a domain, for the next step.
static void force(vibrating *v, int32_t domain, int32_t mode, double value) {
    const pal_frame *f = &v->state->frame[domain];
    *pal_lane(v->state, f, v->state->block[f->block].f, mode) = f->to_class * value;
    v->state->block[f->block].pushed = true;
}

// All q'' [n] that those forces make; then it is at rest again.
static void answer(vibrating *v, double *a) {
    const bool moves = v->state->options.dt > 0.0, flies = v->tree.flies;
    const double still[3] = {0.0, 0.0, 0.0};
    pal_tree_step(v->state); // forgets the forces
    for (int32_t i = 0; i < v->tree.domain_count; i++) {
        pal_tree_get(v->state, i, NULL, NULL, a + v->first[i]);
        if (moves) {
            pal_tree_set(v->state, i, NULL, NULL, NULL);
        }
    }
    if (moves && flies) {
        double turn[3][3];
        memcpy(turn, v->tree.root_turn, sizeof turn);
        pal_tree_set_root(v->state, v->tree.root_x, turn, still, still);
    }
    if (moves) {
        pal_tree_settle(v->state);
    }
}

// ---- lumped inertia

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Column `mode` of the block [r][r] of each domain of one depth; a [n] is room.
static void fill_depth(vibrating *v, int32_t depth, int32_t mode, double **block, double *a) {
    for (int32_t i = 0; i < v->tree.domain_count; i++) {
        if (mode < size_of(v, i) && pal_tree_depth(&v->tree, i) == depth) {
            force(v, i, mode, 1.0);
        }
    }
    answer(v, a);
    for (int32_t i = 0; i < v->tree.domain_count; i++) {
        const int32_t r = size_of(v, i);
        for (int32_t k = 0; mode < r && k < r && pal_tree_depth(&v->tree, i) == depth; k++) {
            block[i][k * r + mode] = a[v->first[i] + k];
        }
    }
}

// The eigenvalues [r] of L^T A L.
static bool solve_block(const double *l, int32_t r, double *a, double *value) {
    for (int32_t k = 0; k < r; k++) {
        times_factor(l, r, a + k * r, 1);
    }
    for (int32_t k = 0; k < r; k++) {
        times_factor(l, r, a + k, (size_t)r);
    }
    return r == 0 || LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', r, a, r, value) == 0;
}

static pal_status solve_lumped(vibrating *v, int32_t count, double *lambda, pal_err *err) {
    const int32_t domains = v->tree.domain_count;
    double **block = PAL_NEW(double *, domains, err);
    double *a = PAL_NEW(double, v->n, err), *all = PAL_NEW(double, v->n, err);
    int32_t deepest = 0, most = 0;
    pal_status status = block != NULL && a != NULL && all != NULL ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t i = 0; status == PAL_OK && i < domains; i++) {
        const int32_t r = size_of(v, i), depth = pal_tree_depth(&v->tree, i);
        block[i] = PAL_NEW(double, (size_t)r *(size_t)r, err);
        status = block[i] != NULL ? PAL_OK : PAL_ERR_MEMORY;
        deepest = depth > deepest ? depth : deepest;
        most = r > most ? r : most;
    }
    for (int32_t k = 0; status == PAL_OK && k < (deepest + 1) * most; k++) {
        fill_depth(v, k / most, k % most, block, a);
    }
    for (int32_t i = 0; status == PAL_OK && i < domains; i++) {
        if (!solve_block(v->l[i], size_of(v, i), block[i], all + v->first[i])) {
            status = pal_fail(err, PAL_ERR_NUMERIC, "the frequencies of the tree were not found");
        }
    }
    if (status == PAL_OK) {
        qsort(all, (size_t)v->n, sizeof *all, ascending);
        memcpy(lambda, all, (size_t)count * sizeof *all);
    }
    for (int32_t i = 0; block != NULL && i < domains; i++) {
        free(block[i]);
    }
    free(block);
    free(a);
    free(all);
    return status;
}

// ---- exact inertia

// y = L^T (M + s K)^-1 L x; may be the same.
static void multiply(vibrating *v, const double *x, double *y) {
    for (int32_t i = 0; i < v->tree.domain_count; i++) {
        const int32_t r = size_of(v, i);
        for (int32_t k = 0; k < r; k++) {
            double sum = 0.0;
            for (int32_t j = 0; j <= k; j++) {
                sum += v->l[i][k * r + j] * x[v->first[i] + j];
            }
            force(v, i, k, TINY * sum);
        }
    }
    answer(v, y);
    for (int32_t i = 0; i < v->tree.domain_count; i++) {
        times_factor(v->l[i], size_of(v, i), y + v->first[i], 1);
    }
    for (int32_t k = 0; k < v->n; k++) {
        y[k] /= TINY;
    }
}

static pal_status solve_dense(vibrating *v, int32_t count, double *lambda, pal_err *err) {
    const size_t n = (size_t)v->n;
    double *a = PAL_NEW(double, n *n, err), *x = PAL_NEW(double, n, err);
    double *all = PAL_NEW(double, n, err);
    pal_status status = a != NULL && x != NULL && all != NULL ? PAL_OK : PAL_ERR_MEMORY;
    for (size_t k = 0; status == PAL_OK && k < n; k++) {
        memset(x, 0, n * sizeof *x);
        x[k] = 1.0;
        multiply(v, x, a + k * n);
    }
    if (status == PAL_OK && LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', v->n, a, v->n, all) != 0) {
        status = pal_fail(err, PAL_ERR_NUMERIC, "the frequencies of the tree were not found");
    }
    for (int32_t k = 0; status == PAL_OK && k < count; k++) {
        lambda[k] = all[k];
    }
    free(a);
    free(x);
    free(all);
    return status;
}

typedef struct subspace {
    int32_t n, m;    // vectors of n numbers, m of them
    double *x, *y;   // [m][n] orthonormal; C times them
    double *g, *tau; // [m][m], [m]
    double *value;   // [m] ascending
} subspace;

static pal_status alloc_subspace(subspace *b, int32_t n, int32_t m, pal_err *err) {
    const size_t size = (size_t)n * (size_t)m;
    *b = (subspace){.n = n, .m = m};
    b->x = PAL_NEW(double, size, err);
    b->y = PAL_NEW(double, size, err);
    b->g = PAL_NEW(double, (size_t)m *(size_t)m, err);
    b->tau = PAL_NEW(double, m, err);
    b->value = PAL_NEW(double, m, err);
    if (!b->x || !b->y || !b->g || !b->tau || !b->value) {
        return PAL_ERR_MEMORY;
    }
    uint64_t state = 0x9e3779b97f4a7c15u; // a fixed, rough start: the same every time
    for (size_t i = 0; i < size; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        b->y[i] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
    }
    return PAL_OK;
}

// x becomes an orthonormal basis of y, y = C x, and x, y those combinations for which x^T C x is
// diagonal (then y is nearer to the wanted space than x was). Vectors are columns to LAPACK.
static bool iterate(vibrating *v, subspace *b, double s) {
    const int n = b->n, m = b->m;
    memcpy(b->x, b->y, (size_t)n * (size_t)m * sizeof *b->x);
    bool solved = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, n, m, b->x, n, b->tau) == 0 &&
                  LAPACKE_dorgqr(LAPACK_COL_MAJOR, n, m, m, b->x, n, b->tau) == 0;
    for (int64_t k = 0; solved && k < m; k++) {
        multiply(v, b->x + k * n, b->y + k * n);
        for (int64_t i = k * n; i < (k + 1) * n; i++) {
            b->y[i] = b->x[i] - s * b->y[i];
        }
    }
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, m, n, 1.0, b->x, n, b->y, n, 0.0, b->g,
                m);
    solved = solved && LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', m, b->g, m, b->value) == 0;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, m, m, 1.0, b->y, n, b->g, m, 0.0,
                b->x, n);
    double *other = b->x;
    b->x = b->y;
    b->y = other;
    return solved && isfinite(b->value[0]) && isfinite(b->value[m - 1]);
}

static pal_status solve_sparse(vibrating *v, int32_t count, double *lambda, pal_err *err) {
    const double s = LONG / lowest_alone(&v->tree);
    subspace b;
    pal_status status = alloc_subspace(&b, v->n, WIDE * count, err);
    double change = INFINITY;
    pal_tree_set_dt(v->state, 2.0 * sqrt(s));
    for (int k = 0; status == PAL_OK && change > TOLERANCE; k++) {
        if (k == MOST_ITERATIONS || !iterate(v, &b, s)) {
            status = pal_fail(err, PAL_ERR_NUMERIC, "the frequencies of the tree were not found");
        }
        change = 0.0;
        for (int32_t i = 0; i < count; i++) { // the largest come last
            const double now = (1.0 / b.value[b.m - 1 - i] - 1.0) / s;
            change = fmax(change, k > 0 ? fabs(now - lambda[i]) / now : INFINITY);
            lambda[i] = now;
        }
    }
    free(b.x);
    free(b.y);
    free(b.g);
    free(b.tau);
    free(b.value);
    return status;
}

// ---- both

static void close_(vibrating *v) {
    pal_tree_close(v->state);
    for (int32_t i = 0; v->l != NULL && i < v->tree.domain_count; i++) {
        free(v->l[i]);
    }
    free(v->l);
    free(v->first);
    free(v->class_);
}

static pal_status open_(vibrating *v, const pal_tree *tree, pal_inertia inertia, pal_err *err) {
    const pal_tree_options options = {.inertia = inertia, .threads = 1};
    *v = (vibrating){.tree = *tree};
    v->class_ = PAL_NEW(pal_domain_class, tree->class_count, err);
    v->first = PAL_NEW(int32_t, (size_t)tree->domain_count + 1, err);
    v->l = PAL_NEW(double *, tree->domain_count, err);
    pal_status status =
        v->class_ != NULL && v->first != NULL && v->l != NULL ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < tree->class_count; k++) {
        v->class_[k] = tree->class_[k];
        v->class_[k].alpha = v->class_[k].beta = 0.0;
    }
    v->tree.class_ = v->class_;
    for (int32_t i = 0; status == PAL_OK && i < tree->domain_count; i++) {
        const int32_t r = tree->class_[tree->domain[i].kind].r;
        v->first[i + 1] = v->first[i] + r;
        v->l[i] = PAL_NEW(double, (size_t)r *(size_t)r, err);
        status = v->l[i] != NULL ? factor_stiffness(tree, i, v->l[i], err) : PAL_ERR_MEMORY;
    }
    v->n = status == PAL_OK ? v->first[tree->domain_count] : 0;
    return status == PAL_OK ? pal_tree_open(&v->tree, &options, &v->state, err) : status;
}

pal_status pal_tree_frequencies(const pal_tree *tree, pal_inertia inertia, int32_t count,
                                double *hz, pal_err *err) {
    vibrating v;
    pal_blas_share(false); // all products here are small
    pal_status status = open_(&v, tree, inertia, err);
    if (status == PAL_OK && v.n < count) {
        status = pal_fail(err, PAL_ERR_INPUT,
                          "%d frequencies of a tree of %d modes: at least as many are needed",
                          (int)count, (int)v.n);
    }
    if (status == PAL_OK) {
        status = inertia != PAL_INERTIA_EXACT              ? solve_lumped(&v, count, hz, err)
                 : v.n <= DENSE || v.n <= 2 * WIDE * count ? solve_dense(&v, count, hz, err)
                                                           : solve_sparse(&v, count, hz, err);
    }
    for (int32_t k = 0; status == PAL_OK && k < count; k++) {
        hz[k] = sqrt(fmax(hz[k], 0.0)) / (2.0 * acos(-1.0));
    }
    close_(&v);
    return status;
}
