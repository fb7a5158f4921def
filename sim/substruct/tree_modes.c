// A step of no time from rest answers to a unit force on a mode by a column of M^-1. With the
// stiffness at rest K = L L^T, block by block, the squares of the angular frequencies are the
// eigenvalues of L^T M^-1 L.
//
// Under L1 and L2 a domain does not feel the deformation of its children: M^-1 K is block
// triangular along the tree, and its eigenvalues are those of the blocks on the diagonal.
#include "sim/substruct/tree_modes.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/substruct/tree_state.h"

static const pal_domain_class *class_of(const pal_tree *tree, int32_t domain) {
    return &tree->class_[tree->domain[domain].kind];
}

// a [n][n], column `first` + l: all q'' under a unit force on mode l of a domain.
static void fill_column(pal_tree_state *s, int32_t domain, int32_t l, int32_t column, int32_t n,
                        double *a) {
    const pal_tree *tree = s->tree;
    const pal_frame *f = &s->frame[domain];
    double *force = pal_lane(s, f, s->block[f->block].f, l);
    *force = f->to_class;
    s->block[f->block].pushed = true;
    pal_tree_step(s); // forgets the force
    for (int32_t i = 0, row = 0; i < tree->domain_count; i++) {
        double answer[PAL_DOMAIN_MOST_MODES];
        pal_tree_get(s, i, NULL, NULL, answer);
        for (int32_t m = 0; m < class_of(tree, i)->r; m++, row++) {
            const bool felt = s->options.inertia == PAL_INERTIA_EXACT || i == domain;
            a[(size_t)row * (size_t)n + (size_t)column] = felt ? answer[m] : 0.0;
        }
    }
}

// L of a domain's stiffness at rest, lower triangle.
static pal_status factor_stiffness(const pal_tree *tree, int32_t domain, double *l, pal_err *err) {
    const pal_domain *d = &tree->domain[domain];
    const pal_domain_class *c = class_of(tree, domain);
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

// Columns or rows [r] of a, `step` apart, times L: out_j = sum_i in_i L_ij.
static void times_factor(const double *l, int32_t r, double *a, size_t step) {
    for (int32_t j = 0; j < r; j++) { // L_ij = 0 for i < j: in place
        double sum = 0.0;
        for (int32_t i = j; i < r; i++) {
            sum += a[(size_t)i * step] * l[i * r + j];
        }
        a[(size_t)j * step] = sum;
    }
}

// a becomes L^T a L.
static pal_status scale_by_stiffness(const pal_tree *tree, int32_t n, double *a, pal_err *err) {
    double *l = PAL_NEW(double, PAL_DOMAIN_MOST_MODES *PAL_DOMAIN_MOST_MODES, err);
    pal_status status = l != NULL ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t i = 0, first = 0; status == PAL_OK && i < tree->domain_count; i++) {
        const int32_t r = class_of(tree, i)->r;
        status = factor_stiffness(tree, i, l, err);
        for (int32_t k = 0; status == PAL_OK && k < n; k++) {
            times_factor(l, r, a + (size_t)k * (size_t)n + (size_t)first, 1);
        }
        for (int32_t k = 0; status == PAL_OK && k < n; k++) {
            times_factor(l, r, a + (size_t)first * (size_t)n + (size_t)k, (size_t)n);
        }
        first += r;
    }
    free(l);
    return status;
}

static pal_status solve(const pal_tree *tree, pal_tree_state *s, int32_t n, int32_t count,
                        double *hz, pal_err *err) {
    double *a = PAL_NEW(double, (size_t)n *(size_t)n, err), *square = PAL_NEW(double, n, err);
    pal_status status = a != NULL && square != NULL ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t i = 0, column = 0; status == PAL_OK && i < tree->domain_count; i++) {
        for (int32_t l = 0; l < class_of(tree, i)->r; l++, column++) {
            fill_column(s, i, l, column, n, a);
        }
    }
    if (status == PAL_OK) {
        status = scale_by_stiffness(tree, n, a, err);
    }
    if (status == PAL_OK && LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', n, a, n, square) != 0) {
        status = pal_fail(err, PAL_ERR_NUMERIC, "the frequencies of the tree were not found");
    }
    for (int32_t k = 0; status == PAL_OK && k < count; k++) {
        hz[k] = sqrt(fmax(square[k], 0.0)) / (2.0 * acos(-1.0));
    }
    free(a);
    free(square);
    return status;
}

pal_status pal_tree_frequencies(const pal_tree *tree, pal_inertia inertia, int32_t count,
                                double *hz, pal_err *err) {
    const pal_tree_options options = {.inertia = inertia, .threads = 1};
    int64_t n = 0;
    for (int32_t i = 0; i < tree->domain_count; i++) {
        n += class_of(tree, i)->r;
    }
    if (n > PAL_TREE_MOST_VIBRATIONS || n < count) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%d frequencies of a tree of %lld modes: at least as many modes are "
                        "needed, and at most %d can be dealt with",
                        (int)count, (long long)n, PAL_TREE_MOST_VIBRATIONS);
    }
    pal_tree_state *state = NULL;
    pal_status status = pal_tree_open(tree, &options, &state, err);
    if (status == PAL_OK) {
        status = solve(tree, state, (int32_t)n, count, hz, err);
    }
    pal_tree_close(state);
    return status;
}
