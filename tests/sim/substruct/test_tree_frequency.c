// Factors on frequencies that change while a tree moves.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unity.h>

#include "sim/substruct/tree_modes.h"
#include "tests/support/check.h"
#include "tests/support/sanitized.h"
#include "tests/support/tree_run.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { DOMAINS = 9 };

typedef struct grown {
    point_shape shape;
    point_tree t;
} grown;

static void grow(grown *g, double damping, uint64_t seed) {
    point_spec spec = {.class_count = 3,
                       .r = {5, 4, 3},
                       .ports = {4, 3, 1},
                       .deepest = 3,
                       .stiffness = 9e4,
                       .size = 0.2,
                       .beta = damping,
                       .scaled = true,
                       .convex = true};
    point_shape_grow(&g->shape, &spec, DOMAINS, seed);
    point_tree_make(&g->t, &spec, seed);
}

static void fell(grown *g) {
    point_tree_free(&g->t);
    point_shape_free(&g->shape);
}

static void set_all(pal_tree_state *state, double frequency) { // times what it is
    for (int32_t i = 0; i < DOMAINS; i++) {
        pal_tree_set_stiffness(state, i, frequency * frequency * pal_tree_stiffness(state, i));
    }
}

static const double beta = 4e-3; // s

// Hz: of the root's first coordinate as it swings through zero, once damping has left the lowest
// vibration alone; as it would be without damping, f_d^2 = f^2 (1 - (beta pi f)^2).
static double measure(pal_tree_state *state, double dt) {
    double q[PAL_DOMAIN_MOST_MODES], last = 0.0, first = -1.0, now = 0.0;
    int crossings = 0;
    for (int step = 0; step < 7000; step++) {
        pal_tree_step(state);
        pal_tree_get(state, 0, q, NULL, NULL);
        if (step > 4000 && last < 0.0 && q[0] >= 0.0) {
            now = dt * (step - q[0] / (q[0] - last));
            crossings++;
            first = first < 0.0 ? now : first;
        }
        last = q[0];
    }
    TEST_ASSERT_TRUE(crossings > 3);
    const double damped = (crossings - 1) / (now - first);
    double free_of = damped;
    for (int k = 0; k < 20; k++) {
        free_of = damped / sqrt(1.0 - pow(beta * acos(-1.0) * free_of, 2.0));
    }
    return free_of;
}

// Without gravity all frequencies go with the factor.
static void test_the_lowest_frequency_goes_with_the_factor(void) {
    static const double factor[3] = {0.5, 1.3, 2.0};
    for (int k = 0; k < SANITIZED_OR(1, 3); k++) {
        grown g;
        const double dt = 1e-3;
        double lowest;
        pal_err err = {0};
        grow(&g, beta, 3);
        CHECK_OK(pal_tree_frequencies(&g.t.tree, PAL_INERTIA_EXACT, 1, &lowest, &err), err);
        pal_tree_state *state = tree_run_open(&g.t.tree, PAL_INERTIA_EXACT, dt);
        tree_run_scatter(state, 1e-4, 1);
        const double before = measure(state, dt);
        set_all(state, factor[k]);
        const double after = measure(state, dt);
        printf("lowest frequency %.4f Hz (of the matrices %.4f); times %g: %.4f Hz, %.5f of that\n",
               before, lowest, factor[k], after, after / (factor[k] * before));
        TEST_ASSERT_DOUBLE_WITHIN(2e-3, 1.0, before / lowest);
        TEST_ASSERT_DOUBLE_WITHIN(2e-3, factor[k], after / before);
        pal_tree_close(state);
        fell(&g);
    }
}

// So do all others: the same motion, faster by the factor, whatever the inertia.
static void test_the_motion_is_the_same_and_faster(void) {
    const double dt = 1e-3, factor = 2.0;
    for (int inertia = 0; inertia < 3; inertia++) {
        grown g;
        grow(&g, 0.0, 4);
        pal_tree_state *slow = tree_run_open(&g.t.tree, (pal_inertia)inertia, dt);
        pal_tree_state *fast = tree_run_open(&g.t.tree, (pal_inertia)inertia, dt / factor);
        double apart = 0.0, most = 0.0;
        tree_run_scatter(slow, 1e-5, 2);
        for (int32_t i = 0; i < DOMAINS; i++) {
            double q[3][PAL_DOMAIN_MOST_MODES];
            pal_tree_get(slow, i, q[0], q[1], q[2]);
            for (int32_t l = 0; l < g.t.class_[g.t.domain[i].kind].r; l++) {
                q[1][l] *= factor;
                q[2][l] *= factor * factor;
            }
            pal_tree_set(fast, i, q[0], q[1], q[2]);
        }
        pal_tree_settle(fast);
        set_all(fast, factor);
        for (int step = 0; step < 200; step++) {
            TEST_ASSERT_EQUAL_UINT32(0, pal_tree_step(slow) | pal_tree_step(fast));
        }
        for (int32_t i = 0; i < DOMAINS; i++) {
            double one[PAL_DOMAIN_MOST_MODES], two[PAL_DOMAIN_MOST_MODES];
            pal_tree_get(slow, i, one, NULL, NULL);
            pal_tree_get(fast, i, two, NULL, NULL);
            for (int32_t l = 0; l < g.t.class_[g.t.domain[i].kind].r; l++) {
                apart = fmax(apart, fabs(one[l] - two[l]));
                most = fmax(most, fabs(one[l]));
            }
        }
        TEST_ASSERT_LESS_THAN_DOUBLE(1e-9 * most, apart);
        pal_tree_close(slow);
        pal_tree_close(fast);
        fell(&g);
    }
}

// A factor on one domain, set while the tree is open, is that of a tree opened with it, bit by bit.
static void test_a_factor_that_is_set_is_one_from_the_start(void) {
    for (int32_t domain = 0; domain < DOMAINS; domain++) {
        grown g;
        double force[3 * POINTS * DOMAINS];
        grow(&g, 1e-3, 5);
        pal_tree_state *set = tree_run_open(&g.t.tree, PAL_INERTIA_EXACT, 1e-3);
        pal_tree_set_stiffness(set, domain, 0.49);
        g.t.domain[domain].stiffness = 0.49;
        pal_tree_state *opened = tree_run_open(&g.t.tree, PAL_INERTIA_EXACT, 1e-3);
        for (int step = 0; step < 100; step++) {
            tree_run_push(set, &g.t, 0.2, (uint64_t)step, force);
            tree_run_push(opened, &g.t, 0.2, (uint64_t)step, force);
            pal_tree_step(set);
            pal_tree_step(opened);
        }
        for (int32_t i = 0; i < DOMAINS; i++) {
            double one[2][PAL_DOMAIN_MOST_MODES], two[2][PAL_DOMAIN_MOST_MODES];
            const size_t size = (size_t)g.t.class_[g.t.domain[i].kind].r * sizeof(double);
            pal_tree_get(set, i, one[0], one[1], NULL);
            pal_tree_get(opened, i, two[0], two[1], NULL);
            TEST_ASSERT_EQUAL_MEMORY(two[0], one[0], size);
            TEST_ASSERT_EQUAL_MEMORY(two[1], one[1], size);
        }
        pal_tree_close(set);
        pal_tree_close(opened);
        fell(&g);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_lowest_frequency_goes_with_the_factor);
    RUN_TEST(test_the_motion_is_the_same_and_faster);
    RUN_TEST(test_a_factor_that_is_set_is_one_from_the_start);
    return UNITY_END();
}
