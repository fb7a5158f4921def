// Whatever is done to a tree, its state stays finite and the outcome says so: loads that are not
// numbers, pushes beyond all measure, stiffness that is not positive, interfaces squeezed flat; and
// under pulls and wind it runs on and on.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#include "sim/base/memory.h"
#include "sim/base/rng.h"
#include "tests/support/sanitized.h"
#include "tests/support/tree_run.h"

enum { ON = SANITIZED_OR(200, 2000) }; // steps that a tree runs on by itself

void setUp(void) {
}
void tearDown(void) {
}

static const char *const inertia_name[3] = {"interface", "centre", "exact"};

typedef struct grown {
    point_shape shape;
    point_tree t;
} grown;

static void grow(grown *g, int32_t count, bool flies, uint64_t seed) {
    point_spec spec = {.class_count = 4,
                       .r = {5, 4, 0, 3},
                       .ports = {8, 3, 1, 1},
                       .deepest = 3,
                       .stiffness = 9e4,
                       .size = 0.2,
                       .alpha = 0.5,
                       .beta = 1e-3,
                       .flies = flies,
                       .scaled = true,
                       .convex = true};
    point_shape_grow(&g->shape, &spec, count, seed);
    point_tree_make(&g->t, &spec, seed);
}

static void fell(grown *g) {
    point_tree_free(&g->t);
    point_shape_free(&g->shape);
}

// A force on one point of a domain.
static void push_one(pal_tree_state *state, const point_tree *t, int32_t domain,
                     const double *force) {
    const point_class *p = &t->points[t->domain[domain].kind];
    const int32_t r = t->class_[t->domain[domain].kind].r;
    double u[3 * PAL_DOMAIN_MOST_MODES];
    for (int e = 0; e < 3 * r; e++) {
        u[e] = p->u[9][e / r][e % r];
    }
    pal_tree_push(state, domain, p->x[9], u, force);
}

// Runs on by itself, always finite; and `calm`: in the end without any outcome.
static void check_runs_on(pal_tree_state *state, bool calm) {
    pal_outcome late = 0;
    for (int step = 0; step < ON; step++) {
        const pal_outcome outcome = pal_tree_step(state);
        late |= step >= ON / 4 * 3 ? outcome : 0;
        TEST_ASSERT_TRUE(step % 50 != 0 || tree_run_finite(state));
    }
    TEST_ASSERT_TRUE(tree_run_finite(state));
    TEST_ASSERT_TRUE(!calm || late == 0);
}

static void test_loads_that_are_not_numbers_are_caught(void) {
    static const double bad[3] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int k = 0; k < 18; k++) {
        grown g;
        grow(&g, 14, k % 2 == 1, (uint64_t)k);
        pal_tree_state *state = tree_run_open(&g.t.tree, (pal_inertia)(k / 6), 1e-3);
        tree_run_scatter(state, 0.002, 3);
        double before[PAL_DOMAIN_MOST_MODES], after[PAL_DOMAIN_MOST_MODES];
        pal_tree_get(state, 1, before, NULL, NULL);
        push_one(state, &g.t, 13, (double[3]){0.0, bad[k % 3], 0.0});
        TEST_ASSERT_TRUE((pal_tree_step(state) & PAL_OUT_NAN) != 0);
        TEST_ASSERT_TRUE(tree_run_finite(state));
        pal_tree_get(state, 1, after, NULL, NULL);
        for (int32_t l = 0; l < g.t.class_[g.t.domain[1].kind].r; l++) {
            TEST_ASSERT_EQUAL_DOUBLE(before[l], after[l]);
        }
        pal_tree_blow(state, 2, (double[3]){bad[(k + 1) % 3], 0.0, 0.0});
        TEST_ASSERT_TRUE((pal_tree_step(state) & PAL_OUT_NAN) != 0);
        TEST_ASSERT_TRUE(tree_run_finite(state));
        pal_tree_blow(state, 2, (double[3]){0.0, 0.0, 0.0});
        TEST_ASSERT_EQUAL_UINT32(0, pal_tree_step(state));
        check_runs_on(state, true);
        pal_tree_close(state);
        fell(&g);
    }
}

// (Lumped trees that fly may go on swinging: what their parents feel is not what is there.)
static void test_pushes_beyond_all_measure_are_survived(void) {
    for (int k = 0; k < 24; k++) {
        grown g;
        const bool flies = k % 2 == 1;
        const pal_inertia inertia = (pal_inertia)(k / 2 % 3);
        grow(&g, 14, flies, (uint64_t)k);
        pal_tree_state *state = tree_run_open(&g.t.tree, inertia, 1e-3);
        const double size = pow(10.0, 4.0 + 4.0 * (k / 6)); // N: 10 kN, and what nobody can push
        pal_rng rng = pal_rng_make((uint64_t)k, 9);
        pal_outcome seen = 0;
        for (int step = 0; step < 50; step++) {
            const int32_t domain = (int32_t)(pal_rng_next(&rng) % 14);
            const double force[3] = {pal_rng_uniform(&rng, -size, size),
                                     pal_rng_uniform(&rng, -size, size),
                                     pal_rng_uniform(&rng, -size, size)};
            push_one(state, &g.t, domain, force);
            seen |= pal_tree_step(state);
            TEST_ASSERT_TRUE(tree_run_finite(state));
        }
        TEST_ASSERT_TRUE(size < 1e7 || seen != 0);
        check_runs_on(state, k < 6);
        pal_tree_close(state);
        fell(&g);
    }
}

// A stiffness that is negative at rest, strongly enough that no step can be taken as it is.
// Numbers, but no state of a body: their energy is beyond all numbers.
static void test_huge_states_end_in_ones_with_a_finite_energy(void) {
    static const double huge[] = {1e60, 1e90, 1e150, 1e300};
    for (int k = 0; k < 24; k++) {
        grown g;
        grow(&g, 14, k % 2 == 1, (uint64_t)k);
        pal_tree_state *state = tree_run_open(&g.t.tree, (pal_inertia)(k / 8), 1e-3);
        double q[PAL_DOMAIN_MOST_MODES] = {huge[k % 4], -huge[k % 4]}, strain, kinetic;
        pal_tree_set(state, 1, k % 3 == 0 ? NULL : q, k % 3 == 0 ? q : NULL, NULL);
        pal_tree_settle(state);
        for (int step = 0; step < 60; step++) {
            pal_tree_step(state);
        }
        pal_tree_energies(state, &strain, &kinetic);
        TEST_ASSERT_TRUE(strain + kinetic < 1e3);
        TEST_ASSERT_TRUE(tree_run_finite(state));
        pal_tree_close(state);
        fell(&g);
    }
}

static void test_an_indefinite_stiffness_is_caught(void) {
    for (int inertia = 0; inertia < 3; inertia++) {
        grown g;
        grow(&g, 14, false, 4);
        pal_quartic *q = &g.t.class_[1].quartic;
        for (int32_t l = 0; l < q->r; l++) {
            q->p[pal_pair_at(l, l)] = l == 1 ? -1e8 : q->p[pal_pair_at(l, l)];
        }
        pal_tree_state *state = tree_run_open(&g.t.tree, (pal_inertia)inertia, 1e-3);
        tree_run_scatter(state, 0.001, 3);
        TEST_ASSERT_TRUE((pal_tree_step(state) & PAL_OUT_NOT_SPD) != 0);
        for (int step = 0; step < ON; step++) {
            pal_tree_step(state);
            TEST_ASSERT_TRUE(step % 20 != 0 || tree_run_finite(state));
        }
        TEST_ASSERT_TRUE(tree_run_finite(state));
        pal_tree_close(state);
        fell(&g);
    }
}

// Far from rest: interfaces squeezed flat and turned over.
static void test_squeezed_interfaces_slow_down_and_do_not_explode(void) {
    for (int flies = 0; flies < 2; flies++) {
        double worst = 0.0;
        pal_outcome seen = 0;
        for (uint64_t seed = 1; seed <= 4; seed++) {
            grown g;
            grow(&g, 12, flies != 0, seed);
            pal_tree_state *state = tree_run_open(&g.t.tree, PAL_INERTIA_EXACT, 1e-3);
            tree_run_scatter(state, 0.1, seed);
            for (int32_t i = 0; i < 12; i++) {
                double q[PAL_DOMAIN_MOST_MODES];
                pal_tree_get(state, i, q, NULL, NULL);
                pal_tree_set(state, i, q, NULL, NULL);
            }
            pal_tree_settle(state);
            const double start = tree_run_energy(state);
            for (int step = 0; step < SANITIZED_OR(800, 3000); step++) {
                seen |= pal_tree_step(state);
                double strain, kinetic; // as the step began
                pal_tree_energies(state, &strain, &kinetic);
                worst = fmax(worst, (strain + kinetic) / start);
            }
            TEST_ASSERT_TRUE(tree_run_finite(state));
            pal_tree_close(state);
            fell(&g);
        }
        printf("interfaces squeezed flat, %s: highest energy / start %.3g\n",
               flies ? "free" : "anchored", worst);
        TEST_ASSERT_TRUE((seen & PAL_OUT_SWUNG_UP) != 0);
        TEST_ASSERT_LESS_THAN_DOUBLE(2.0 + 1e-5, worst); // the slack of exact inertia
    }
}

// ---- on and on

// Pulls that come and go, and gusts; the largest |q| relative to what the pulls hold at rest.
static void run_on(pal_inertia inertia, bool flies, double seconds, uint64_t seed) {
    grown g;
    grow(&g, 20, flies, seed);
    pal_tree_state *state = tree_run_open(&g.t.tree, inertia, 1e-3);
    const double gravity[3] = {0.0, -9.81, 0.0};
    pal_rng rng = pal_rng_make(seed, 11);
    double pull[3] = {0}, most = 0.0;
    int32_t pulled = 1;
    int bits = 0;
    if (!flies) {
        pal_tree_set_gravity(state, gravity);
    }
    for (int step = 0; step < (int)(seconds * 1e3); step++) {
        if (step % 250 == 0) {
            pulled = (int32_t)(pal_rng_next(&rng) % 20);
            for (int k = 0; k < 3; k++) {
                pull[k] = step % 1000 < 750 ? pal_rng_uniform(&rng, -20.0, 20.0) : 0.0;
            }
        }
        push_one(state, &g.t, pulled, pull);
        for (int32_t i = 0; i < 20 && step % 10 == 0; i++) {
            const double gust = 3.0 * sin(0.004 * step + i);
            pal_tree_blow(state, i, (double[3]){gust, 0.3 * gust, -0.5 * gust});
        }
        bits += pal_tree_step(state) != 0;
        if (step % 100 == 99) {
            TEST_ASSERT_TRUE(tree_run_finite(state));
            for (int32_t i = 0; i < 20; i++) {
                double q[PAL_DOMAIN_MOST_MODES];
                pal_tree_get(state, i, q, NULL, NULL);
                for (int32_t l = 0; l < g.t.class_[g.t.domain[i].kind].r; l++) {
                    most = fmax(most, fabs(q[l]));
                }
            }
        }
    }
    printf("%s, %s, seed %d, %g s of pulls and wind: |q| up to %.3g, %d steps with an outcome\n",
           inertia_name[inertia], flies ? "free" : "anchored", (int)seed, seconds, most, bits);
    // Lumped subtrees do not react on what carries them: they may swing up until they are braked.
    TEST_ASSERT_LESS_THAN_DOUBLE(inertia == PAL_INERTIA_EXACT ? 0.1 : 1.0, most);
    TEST_ASSERT_TRUE(inertia != PAL_INERTIA_EXACT || bits == 0);
    pal_tree_close(state);
    fell(&g);
}

// PALPATE_LONG=1: 60 s each, as the law says.
static void test_pulls_and_wind_are_survived(void) {
    const bool is_long = getenv("PALPATE_LONG") != NULL;
    for (int inertia = 0; inertia < 3; inertia++) {
        for (int flies = 0; flies < 2; flies++) {
            for (uint64_t seed = 1; seed <= (is_long ? 4 : 1); seed++) {
                run_on((pal_inertia)inertia, flies != 0, is_long ? 60.0 : SANITIZED_OR(0.5, 4.0),
                       seed);
            }
        }
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_loads_that_are_not_numbers_are_caught);
    RUN_TEST(test_pushes_beyond_all_measure_are_survived);
    RUN_TEST(test_huge_states_end_in_ones_with_a_finite_energy);
    RUN_TEST(test_an_indefinite_stiffness_is_caught);
    RUN_TEST(test_squeezed_interfaces_slow_down_and_do_not_explode);
    RUN_TEST(test_pulls_and_wind_are_survived);
    return UNITY_END();
}
