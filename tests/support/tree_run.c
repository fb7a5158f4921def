#include "tests/support/tree_run.h"

#include <math.h>

#include "sim/base/pose.h"
#include "sim/base/rng.h"
#include "tests/support/check.h"

pal_tree_state *tree_run_open(const pal_tree *tree, pal_inertia inertia, double dt) {
    const pal_tree_options options = {.dt = dt, .inertia = inertia, .threads = 1};
    pal_tree_state *state = NULL;
    pal_err err = {0};
    CHECK_OK(pal_tree_check(tree, &err), err);
    CHECK_OK(pal_tree_open(tree, &options, &state, &err), err);
    return state;
}

static int32_t modes_of(const pal_tree *tree, int32_t domain) {
    return tree->class_[tree->domain[domain].kind].r;
}

void tree_run_scatter(pal_tree_state *state, double size, uint64_t seed) {
    const pal_tree *tree = pal_tree_of(state);
    pal_rng rng = pal_rng_make(seed, 3);
    for (int32_t i = 0; i < tree->domain_count; i++) {
        double q[3][PAL_DOMAIN_MOST_MODES];
        for (int32_t l = 0; l < modes_of(tree, i); l++) {
            q[0][l] = pal_rng_uniform(&rng, -size, size);
            q[1][l] = pal_rng_uniform(&rng, -10.0 * size, 10.0 * size);
            q[2][l] = pal_rng_uniform(&rng, -100.0 * size, 100.0 * size);
        }
        pal_tree_set(state, i, q[0], q[1], q[2]);
    }
    if (tree->flies) {
        double x[3], turn[3][3], v[3], w[3], by[4];
        for (int k = 0; k < 3; k++) {
            x[k] = pal_rng_uniform(&rng, -1.0, 1.0);
            v[k] = pal_rng_uniform(&rng, -1.0, 1.0);
            w[k] = pal_rng_uniform(&rng, -2.0, 2.0);
        }
        pal_turn_of_vector(x, by);
        pal_turn_matrix(by, turn);
        pal_tree_set_root(state, x, turn, v, w);
    }
    pal_tree_settle(state);
}

void tree_run_push(pal_tree_state *state, const point_tree *t, double size, uint64_t seed,
                   double *force) {
    pal_rng rng = pal_rng_make(seed, 4);
    for (int32_t i = 0; i < t->tree.domain_count; i++) {
        const point_class *p = &t->points[t->domain[i].kind];
        const int32_t r = modes_of(&t->tree, i);
        for (int k = 0; k < POINTS; k++) {
            double u[3 * PAL_DOMAIN_MOST_MODES], *f = force + 3 * (i * POINTS + k);
            for (int e = 0; e < 3 * r; e++) {
                u[e] = p->u[k][e / r][e % r];
            }
            for (int a = 0; a < 3; a++) {
                f[a] = pal_rng_uniform(&rng, -size, size);
            }
            pal_tree_push(state, i, p->x[k], u, f);
        }
    }
}

double tree_run_apart(const pal_tree_state *a, const pal_tree_state *b) {
    const pal_tree *tree = pal_tree_of(a);
    double apart[2] = {0}, most[2] = {0};
    for (int32_t i = 0; i < tree->domain_count; i++) {
        double one[2][PAL_DOMAIN_MOST_MODES], two[2][PAL_DOMAIN_MOST_MODES];
        pal_tree_get(a, i, one[0], one[1], NULL);
        pal_tree_get(b, i, two[0], two[1], NULL);
        for (int32_t l = 0; l < modes_of(tree, i); l++) {
            for (int k = 0; k < 2; k++) {
                apart[k] = fmax(apart[k], fabs(one[k][l] - two[k][l]));
                most[k] = fmax(most[k], fabs(two[k][l]));
            }
        }
    }
    return fmax(apart[0] / most[0], apart[1] / most[1]);
}

bool tree_run_finite(const pal_tree_state *state) {
    const pal_tree *tree = pal_tree_of(state);
    double sum = 0.0;
    for (int32_t i = 0; i < tree->domain_count; i++) {
        double q[3][PAL_DOMAIN_MOST_MODES], x[3], turn[3][3], v[3], w[3];
        pal_tree_get(state, i, q[0], q[1], q[2]);
        pal_tree_frame(state, i, x, turn);
        pal_tree_twist(state, i, v, w);
        for (int32_t l = 0; l < modes_of(tree, i); l++) {
            sum += fabs(q[0][l]) + fabs(q[1][l]) + fabs(q[2][l]);
        }
        for (int k = 0; k < 3; k++) {
            sum += fabs(x[k]) + fabs(v[k]) + fabs(w[k]);
            sum += fabs(turn[k][0]) + fabs(turn[k][1]) + fabs(turn[k][2]);
        }
    }
    return isfinite(sum);
}

double tree_run_energy(pal_tree_state *state) {
    pal_tree_energy now;
    pal_tree_measure(state, &now);
    return now.kinetic + now.strain;
}
