// What a tree holds stays within what was put into it, under every inertia; and what keeps it so
// does not show where it is not wanted.
#include <math.h>
#include <stdio.h>
#include <unity.h>

#include "sim/base/rng.h"
#include "sim/base/vec3.h"
#include "tests/support/sanitized.h"
#include "tests/support/tree_run.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { DOMAINS = 20 };
static const char *const inertia_name[3] = {"interface", "centre", "exact"};
static const double slack[3] = {20.0, 20.0, 2.0}; // as tree_guard.c states

typedef struct grown {
    point_shape shape;
    point_tree t;
    pal_tree_state *state;
} grown;

static void grow(grown *g, pal_inertia inertia, bool flies, double alpha, double beta,
                 uint64_t seed) {
    point_spec spec = {.class_count = 4,
                       .r = {5, 4, 0, 3},
                       .ports = {8, 3, 1, 1},
                       .deepest = 6,
                       .stiffness = 9e4,
                       .size = 0.2,
                       .alpha = alpha,
                       .beta = beta,
                       .flies = flies,
                       .scaled = true,
                       .convex = true};
    point_shape_grow(&g->shape, &spec, DOMAINS, seed);
    point_tree_make(&g->t, &spec, seed);
    g->state = tree_run_open(&g->t.tree, inertia, 1e-3);
}

static void fell(grown *g) {
    pal_tree_close(g->state);
    point_tree_free(&g->t);
    point_shape_free(&g->shape);
}

static int64_t acts(const grown *g) {
    const pal_tree_guard guard = pal_tree_guarded(g->state);
    return guard.slowed + guard.put_back;
}

static double held(const grown *g) { // as the last step began
    return pal_tree_guarded(g->state).held;
}

// J, of all masses turning about the root's frame at 0.2 rad/s.
static double slow_turn(const grown *g) {
    static double x[DOMAINS * POINTS][3], mass[DOMAINS * POINTS];
    double q[DOMAINS * PAL_DOMAIN_MOST_MODES] = {0}, root[6] = {0}, energy = 0.0;
    point_tree_place(&g->t, q, root, x[0]);
    point_tree_masses(&g->t, mass);
    for (int i = 0; i < DOMAINS * POINTS; i++) {
        double apart[3];
        pal_sub3(x[i], g->t.tree.root_x, apart);
        energy += 0.5 * 0.2 * 0.2 * mass[i] * pal_dot3(apart, apart);
    }
    return energy;
}

// A force on a point of a domain for one step; the work that it did.
static double pull(grown *g, int32_t domain, const double *force) {
    const point_class *p = &g->t.points[g->t.domain[domain].kind];
    const int32_t r = g->t.class_[g->t.domain[domain].kind].r;
    double u[3 * PAL_DOMAIN_MOST_MODES], from[3], to[3], v[3];
    for (int e = 0; e < 3 * r; e++) {
        u[e] = p->u[9][e / r][e % r];
    }
    pal_tree_point(g->state, domain, p->x[9], u, from, v);
    pal_tree_push(g->state, domain, p->x[9], u, force);
    TEST_ASSERT_EQUAL_UINT32(0, pal_tree_step(g->state) & PAL_OUT_NAN);
    pal_tree_point(g->state, domain, p->x[9], u, to, v);
    pal_sub3(to, from, v);
    return pal_dot3(v, force);
}

// Pulls of up to `size` newtons that come and are let go; the most that was held, over what may be:
// `slack` times the largest rise of the pulls' work in any stretch of time, and a slow turn. (Of a
// tree that flies both without its rigid motion, as the tree itself tells.)
static double pull_about(grown *g, double size, int steps, uint64_t seed, double may) {
    pal_rng rng = pal_rng_make(seed, 5);
    const double least = slow_turn(g);
    double force[3] = {0}, work = 0.0, lowest = 0.0, risen = 0.0, worst = 0.0;
    int32_t at = 0;
    for (int step = 0; step < steps; step++) {
        if (step % 200 == 0) {
            at = (int32_t)(pal_rng_next(&rng) % DOMAINS);
            for (int c = 0; c < 3; c++) {
                force[c] = step % 400 == 0 ? pal_rng_uniform(&rng, -size, size) : 0.0;
            }
        }
        const double done = pull(g, at, force);
        work = g->t.tree.flies ? pal_tree_guarded(g->state).work : work + done;
        lowest = fmin(lowest, work);
        risen = fmax(risen, work - lowest);
        worst = fmax(worst, held(g) / (may * risen + least));
    }
    return worst;
}

static void test_what_is_held_is_within_what_was_put_in(void) {
    int64_t lumped = 0;
    for (int k = 0; k < 6; k++) {
        const pal_inertia inertia = (pal_inertia)(k / 2);
        double worst = 0.0;
        int64_t acted = 0;
        for (uint64_t seed = 1; seed <= SANITIZED_OR(1, 4); seed++) {
            grown g;
            grow(&g, inertia, k % 2 == 1, 0.0, 1e-3, seed);
            worst =
                fmax(worst, pull_about(&g, 60.0, SANITIZED_OR(1000, 3000), seed, slack[inertia]));
            acted += acts(&g);
            fell(&g);
        }
        printf("%s, %s: held at most %.3g of what it may, %lld steps put right\n",
               inertia_name[inertia], k % 2 ? "free" : "anchored", worst, (long long)acted);
        TEST_ASSERT_LESS_THAN_DOUBLE(1.05, worst);
        TEST_ASSERT_TRUE(inertia == PAL_INERTIA_EXACT ? acted == 0 : IS_SANITIZED || acted > 0);
        lumped += acted;
    }
    TEST_ASSERT_TRUE(lumped > 0);
}

// Hard pulls under gravity: where steps were put right it comes to rest, and where it must, as
// exact inertia that was never pulled does. (Lumped inertia by itself may go on swinging a little.)
static void test_it_comes_to_rest_where_it_must(void) {
    static const double gravity[3] = {0.0, -9.81, 0.0};
    int cases = 0;
    for (int k = 0; k < SANITIZED_OR(2, 4); k++) {
        const uint64_t seed = (uint64_t)(1 + k / 2);
        grown calm, pulled;
        grow(&calm, PAL_INERTIA_EXACT, false, 8.0, 1e-3, seed);
        grow(&pulled, (pal_inertia)(k % 2), false, 8.0, 1e-3, seed);
        pal_tree_set_gravity(calm.state, gravity);
        pal_tree_set_gravity(pulled.state, gravity);
        pull_about(&pulled, 60.0, 1000, seed, 1.0);
        for (int step = 0; step < 5000; step++) {
            pal_tree_step(calm.state);
            pal_tree_step(pulled.state);
        }
        double strain, kinetic;
        const bool acted = acts(&pulled) > 0;
        pal_tree_energies(pulled.state, &strain, &kinetic);
        cases += acted;
        printf("%s, seed %d, after pulls: %lld steps put right, moving %.1e of what it holds\n",
               inertia_name[k % 2], (int)seed, (long long)acts(&pulled), kinetic / strain);
        for (int32_t i = 0; i < DOMAINS && acted; i++) {
            double one[PAL_DOMAIN_MOST_MODES], two[PAL_DOMAIN_MOST_MODES];
            pal_tree_get(pulled.state, i, one, NULL, NULL);
            pal_tree_get(calm.state, i, two, NULL, NULL);
            for (int32_t l = 0; l < pulled.t.class_[pulled.t.domain[i].kind].r; l++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-7, two[l], one[l]);
            }
        }
        TEST_ASSERT_TRUE(!acted || kinetic < 1e-9 * strain);
        fell(&calm);
        fell(&pulled);
    }
    TEST_ASSERT_TRUE(cases >= SANITIZED_OR(2, 3));
}

static void test_gentle_motion_is_left_alone(void) {
    for (int k = 0; k < 6; k++) {
        for (uint64_t seed = 1; seed <= SANITIZED_OR(1, 4); seed++) {
            grown g;
            grow(&g, (pal_inertia)(k / 2), k % 2 == 1, 0.0, 1e-3, seed);
            pull_about(&g, 0.003, SANITIZED_OR(1000, 3000), seed, 1.0);
            const pal_tree_guard guard = pal_tree_guarded(g.state);
            TEST_ASSERT_EQUAL_INT64(0, guard.slowed + guard.put_back + guard.exact);
            fell(&g);
        }
    }
}

// Without any damping nothing takes out what the errors of steps make.
static void test_undamped_exact_stays_bounded(void) {
    for (int flies = 0; flies < 2; flies++) {
        grown g;
        double worst = 0.0;
        grow(&g, PAL_INERTIA_EXACT, flies != 0, 0.0, 0.0, 3);
        tree_run_scatter(g.state, 0.01, 3);
        const double start = tree_run_energy(g.state);
        for (int step = 0; step < SANITIZED_OR(1000, 10000); step++) {
            pal_tree_step(g.state);
            double strain, kinetic;
            pal_tree_energies(g.state, &strain, &kinetic);
            worst = fmax(worst, (strain + kinetic) / start);
        }
        printf("undamped, %s: highest energy / start %.4f, %lld steps put right\n",
               flies ? "free" : "anchored", worst, (long long)acts(&g));
        TEST_ASSERT_LESS_THAN_DOUBLE(slack[PAL_INERTIA_EXACT] + 1e-9, worst);
        fell(&g);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_what_is_held_is_within_what_was_put_in);
    RUN_TEST(test_it_comes_to_rest_where_it_must);
    RUN_TEST(test_gentle_motion_is_left_alone);
    RUN_TEST(test_undamped_exact_stays_bounded);
    return UNITY_END();
}
