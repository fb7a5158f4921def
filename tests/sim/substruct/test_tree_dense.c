// The elimination over blocks finds what a plain dense solve of the same equations finds, in all
// three pictures of inertia; blocks of eight are eight single ones; one domain alone is the single
// body.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#include "sim/base/memory.h"
#include "sim/base/pose.h"
#include "sim/base/rng.h"
#include "sim/reduced/newmark.h"
#include "sim/substruct/tree_state.h"
#include "tests/support/dense_tree.h"
#include "tests/support/tree_run.h"

void setUp(void) {
}
void tearDown(void) {
}

static const char *const inertia_name[3] = {"interface", "centre", "exact"};

// Rigid and deformable classes, many instances of each: blocks of eight, partly filled, and single
// ones.
static point_spec mixed_spec(void) {
    return (point_spec){.class_count = 4,
                        .r = {5, 4, 0, 3},
                        .ports = {11, 2, 1, 1},
                        .stiffness = 900.0,
                        .size = 0.2,
                        .alpha = 0.7,
                        .beta = 2e-2,
                        .scaled = true};
}

static double check_dense(pal_inertia inertia, bool flies, bool planar, uint64_t seed) {
    point_spec spec = mixed_spec();
    point_shape shape;
    point_tree t;
    dense_tree dense;
    spec.deepest = 3;
    spec.stiffness = 9e4;
    spec.flies = flies;
    spec.planar = planar;
    point_shape_grow(&shape, &spec, 24, seed);
    point_tree_make(&t, &spec, seed);
    dense_tree_open(&dense, &t);
    pal_tree_state *state = tree_run_open(&t.tree, inertia, 1e-3);
    const double gravity[3] = {0.3, -9.81, 1.0};
    double force[24 * POINTS * 3], worst = 0.0;
    double *expected = PAL_NEW(double, dense.modes, NULL);
    pal_tree_set_gravity(state, gravity);
    tree_run_scatter(state, 0.01, seed);
    for (int step = 0; step < 4; step++) {
        double apart = 0.0, most = 0.0;
        tree_run_push(state, &t, 0.3, seed + (uint64_t)step, force);
        dense_tree_solve(&dense, state, inertia, 1e-3, gravity, force, expected);
        TEST_ASSERT_EQUAL_UINT32(0, pal_tree_step(state));
        for (int32_t i = 0, first = 0; i < 24; first += t.class_[t.domain[i].kind].r, i++) {
            double a[PAL_DOMAIN_MOST_MODES];
            pal_tree_get(state, i, NULL, NULL, a);
            for (int32_t l = 0; l < t.class_[t.domain[i].kind].r; l++) {
                apart = fmax(apart, fabs(a[l] - expected[first + l]));
                most = fmax(most, fabs(expected[first + l]));
            }
        }
        worst = fmax(worst, apart / most);
    }
    free(expected);
    pal_tree_close(state);
    dense_tree_close(&dense);
    point_tree_free(&t);
    point_shape_free(&shape);
    return worst;
}

static void test_elimination_is_the_dense_solve(void) {
    for (int inertia = 0; inertia < 3; inertia++) {
        double worst[2] = {0};
        for (uint64_t seed = 1; seed <= 6; seed++) {
            for (int flies = 0; flies < 2; flies++) {
                const double apart =
                    check_dense((pal_inertia)inertia, flies != 0, seed % 2 == 0, seed);
                worst[flies] = fmax(worst[flies], apart);
            }
        }
        printf("%s: q'' against the dense solve, relative: anchored %.1e, free %.1e\n",
               inertia_name[inertia], worst[0], worst[1]);
        TEST_ASSERT_LESS_THAN_DOUBLE(1e-9, worst[0]);
        TEST_ASSERT_LESS_THAN_DOUBLE(1e-9, worst[1]);
    }
}

// ---- blocks of eight

// The same tree with a class of its own for each instance (that of the shared one, copied): nothing
// can be stepped side by side.
static pal_tree apart_tree(const point_tree *t, pal_domain_class **classes, pal_domain **domains) {
    const int32_t n = t->tree.domain_count;
    pal_tree alone = t->tree;
    *classes = PAL_NEW(pal_domain_class, n, NULL);
    *domains = PAL_NEW(pal_domain, n, NULL);
    for (int32_t i = 0; i < n; i++) {
        (*classes)[i] = t->class_[t->domain[i].kind];
        (*domains)[i] = t->domain[i];
        (*domains)[i].kind = i;
    }
    alone.class_count = n;
    alone.class_ = *classes;
    alone.domain = *domains;
    return alone;
}

// Blocks of eight, filled (at [1]) and not; then those of four.
static void count_blocks(const pal_tree_state *state, int *blocks) {
    for (int32_t i = 0; i < state->block_count; i++) {
        const int32_t width = state->block[i].width;
        if (width > 1) {
            blocks[(width == PAL_LANES8 ? 0 : 2) + (state->block[i].count == width)]++;
        }
    }
}

static double check_blocks(pal_inertia inertia, bool flies, int32_t count, uint64_t seed,
                           int *blocks) {
    point_spec spec = mixed_spec();
    point_shape shape;
    point_tree t;
    pal_domain_class *classes;
    pal_domain *domains;
    spec.ports[0] = 30;
    spec.ports[1] = 3;
    spec.deepest = 3;
    spec.flies = flies;
    spec.convex = true;
    point_shape_grow(&shape, &spec, count, seed);
    point_tree_make(&t, &spec, seed);
    const pal_tree alone = apart_tree(&t, &classes, &domains);
    pal_tree_state *one = tree_run_open(&alone, inertia, 1e-3);
    pal_tree_state *many = tree_run_open(&t.tree, inertia, 1e-3);
    double *force = PAL_NEW(double, 3 * POINTS * count, NULL), worst = 0.0;
    count_blocks(many, blocks);
    tree_run_scatter(one, 0.004, seed);
    tree_run_scatter(many, 0.004, seed);
    for (int step = 0; step < 200; step++) {
        tree_run_push(one, &t, 0.2, (uint64_t)step, force);
        tree_run_push(many, &t, 0.2, (uint64_t)step, force);
        const pal_outcome outcome = pal_tree_step(one);
        const bool lumped = inertia != PAL_INERTIA_EXACT; // it may make energy
        TEST_ASSERT_EQUAL_UINT32(0, outcome & ~(lumped ? (pal_outcome)PAL_OUT_SWUNG_UP : 0));
        TEST_ASSERT_EQUAL_UINT32(outcome, pal_tree_step(many));
        worst = fmax(worst, tree_run_apart(one, many));
    }
    free(force);
    free(classes);
    free(domains);
    pal_tree_close(one);
    pal_tree_close(many);
    point_tree_free(&t);
    point_shape_free(&shape);
    return worst;
}

static void test_domains_side_by_side_are_single_ones(void) {
    for (int inertia = 0; inertia < 3; inertia++) {
        double worst = 0.0;
        int blocks[4] = {0};
        for (int32_t count = 5; count <= 69; count += 16) { // lanes filled and not
            worst = fmax(worst, check_blocks((pal_inertia)inertia, count % 32 < 16, count,
                                             (uint64_t)count, blocks));
        }
        for (int kind = 0; kind < 4; kind++) {
            TEST_ASSERT_GREATER_THAN_INT(0, blocks[kind]);
        }
        printf("%s: blocks against single ones, relative, over 200 steps: %.1e\n",
               inertia_name[inertia], worst);
        TEST_ASSERT_LESS_THAN_DOUBLE(1e-11, worst);
    }
}

// ---- one domain

static void test_one_domain_is_the_single_body(void) {
    const int32_t kind[1] = {0}, parent[1] = {-1}, port[1] = {0}, r = 12;
    const point_spec spec = {.class_count = 1,
                             .r = {r},
                             .ports = {1},
                             .domain_count = 1,
                             .kind = kind,
                             .parent = parent,
                             .port = port,
                             .stiffness = 900.0,
                             .size = 0.2,
                             .alpha = 0.8,
                             .beta = 3e-4,
                             .convex = true};
    point_tree t;
    double worst = 0.0;
    point_tree_make(&t, &spec, 5);
    void *memory = pal_alloc(pal_newmark_bytes(r, PAL_DOUBLE), 1, NULL);
    const pal_newmark_options options = {
        .dt = 1e-3, .alpha = spec.alpha, .beta = spec.beta, .newton_iterations = 1};
    pal_newmark *body = pal_newmark_init(memory, &t.class_[0].quartic, NULL, PAL_DOUBLE, &options);
    for (int inertia = 0; inertia < 3; inertia++) {
        pal_tree_state *state = tree_run_open(&t.tree, (pal_inertia)inertia, 1e-3);
        pal_newmark_set_state(body, NULL, NULL, NULL);
        for (int step = 0; step < 1000; step++) {
            double u[3 * 12], f[12], q[12], v[12], push[3], local[3], apart = 0.0, most = 0.0;
            for (int e = 0; e < 3 * r; e++) {
                u[e] = t.points[0].u[7][e / r][e % r];
            }
            for (int a = 0; a < 3; a++) {
                push[a] = 30.0 * sin(0.01 * (double)step * (1.0 + a));
            }
            for (int a = 0; a < 3; a++) {
                local[a] = t.tree.root_turn[0][a] * push[0] + t.tree.root_turn[1][a] * push[1] +
                           t.tree.root_turn[2][a] * push[2];
            }
            for (int32_t l = 0; l < r; l++) {
                f[l] = u[l] * local[0] + u[r + l] * local[1] + u[2 * r + l] * local[2];
            }
            pal_tree_push(state, 0, t.points[0].x[7], u, push);
            TEST_ASSERT_EQUAL_UINT32(0, pal_tree_step(state));
            TEST_ASSERT_EQUAL_UINT32(0, pal_newmark_step(body, f, NULL, 0, NULL));
            pal_tree_get(state, 0, q, v, NULL);
            for (int32_t l = 0; l < r; l++) {
                apart = fmax(apart, fabs(q[l] - pal_newmark_q(body)[l]));
                most = fmax(most, fabs(q[l]));
            }
            worst = fmax(worst, apart / most);
        }
        pal_tree_close(state);
    }
    printf("one domain against the single body, relative, over 1000 steps: %.1e\n", worst);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-10, worst);
    free(memory);
    point_tree_free(&t);
}

// ---- turns of interfaces

typedef struct course { // how q moves near a moment: q + v t + a t^2 / 2
    double q[64], v[64], a[64];
} course;

static void put(pal_tree_state *state, const course *c, double t) {
    const pal_tree *tree = pal_tree_of(state);
    for (int32_t i = 0, first = 0; i < tree->domain_count; i++) {
        double q[PAL_DOMAIN_MOST_MODES], v[PAL_DOMAIN_MOST_MODES];
        const int32_t r = tree->class_[tree->domain[i].kind].r;
        for (int32_t l = 0; l < r; l++) {
            const double a = c->a[first + l];
            q[l] = c->q[first + l] + t * (c->v[first + l] + 0.5 * t * a);
            v[l] = c->v[first + l] + t * a;
        }
        pal_tree_set(state, i, q, v, NULL);
        first += r;
    }
    pal_tree_settle(state);
}

// Twist of a domain in the world's axes.
static void world_twist(const pal_tree_state *state, int32_t domain, double *twist) {
    double x[3], turn[3][3], own[6];
    pal_tree_frame(state, domain, x, turn);
    pal_tree_twist(state, domain, own, own + 3);
    for (int k = 0; k < 3; k++) {
        twist[k] = pal_dot3(turn[k], own);
        twist[3 + k] = pal_dot3(turn[k], own + 3);
    }
}

// The angular velocity between two turns h apart.
static void rate_of_turn(double (*before)[3], double (*after)[3], double h, double *w) {
    double m[3][3], sine[3];
    for (int e = 0; e < 9; e++) {
        m[e / 3][e % 3] = pal_dot3(after[e / 3], before[e % 3]); // after before^T
    }
    sine[0] = 0.5 * (m[2][1] - m[1][2]);
    sine[1] = 0.5 * (m[0][2] - m[2][0]);
    sine[2] = 0.5 * (m[1][0] - m[0][1]);
    const double length = pal_norm3(sine);
    for (int k = 0; k < 3; k++) {
        w[k] = sine[k] * (length > 0.0 ? asin(length) / length : 1.0) / h;
    }
}

static void check_turns(bool planar, uint64_t seed, double *worst) {
    point_spec spec = mixed_spec();
    point_shape shape;
    point_tree t;
    course c = {{0}, {0}, {0}};
    spec.planar = planar;
    spec.ports[0] = 2;
    point_shape_grow(&shape, &spec, 8, seed);
    point_tree_make(&t, &spec, seed);
    pal_tree_state *state = tree_run_open(&t.tree, PAL_INERTIA_EXACT, 1e-9);
    tree_run_scatter(state, 0.05, seed);
    for (int32_t i = 0; i < 8; i++) {
        const int32_t first = point_tree_first(&t, i);
        pal_tree_get(state, i, c.q + first, c.v + first, NULL);
    }
    put(state, &c, 0.0);
    TEST_ASSERT_EQUAL_UINT32(0, pal_tree_step(state)); // finds q'' and the frames' accelerations
    double accelerates[8][6];
    for (int32_t i = 0; i < 8; i++) {
        pal_tree_get(state, i, NULL, NULL, c.a + point_tree_first(&t, i));
        memcpy(accelerates[i], state->frame[i].accel, sizeof accelerates[i]);
    }
    for (int32_t i = 1; i < 8; i++) {
        static const double at[4] = {-2.0, -1.0, 1.0, 2.0};
        static const double weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
        const double h = 2e-4, near = 1e-5;
        double x[3], turn[3][3], before[3][3], after[3][3], accel[6] = {0}, twist[6], rate[3];
        const double *own = accelerates[i];
        for (int k = 0; k < 4; k++) {
            put(state, &c, at[k] * h);
            world_twist(state, i, twist);
            for (int e = 0; e < 6; e++) {
                accel[e] += weight[k] * twist[e] / h;
            }
        }
        put(state, &c, -near);
        pal_tree_frame(state, i, x, before);
        put(state, &c, near);
        pal_tree_frame(state, i, x, after);
        rate_of_turn(before, after, 2.0 * near, rate);
        put(state, &c, 0.0);
        world_twist(state, i, twist);
        pal_tree_frame(state, i, x, turn);
        for (int k = 0; k < 3; k++) {
            const double linear = pal_dot3(turn[k], own), angular = pal_dot3(turn[k], own + 3);
            worst[0] = fmax(worst[0], fabs(rate[k] - twist[3 + k]) / pal_norm3(twist + 3));
            worst[1] = fmax(worst[1], fabs(accel[k] - linear) / pal_norm3(own));
            worst[2] = fmax(worst[2], fabs(accel[3 + k] - angular) / pal_norm3(own + 3));
        }
    }
    pal_tree_close(state);
    point_tree_free(&t);
    point_shape_free(&shape);
}

static void test_turns_and_their_rates_are_derivatives(void) {
    for (int planar = 0; planar < 2; planar++) {
        double worst[3] = {0};
        for (uint64_t seed = 1; seed <= 5; seed++) {
            check_turns(planar != 0, seed, worst);
        }
        printf("%s interfaces, against differences, relative: omega %.1e, v' %.1e, omega' %.1e\n",
               planar ? "planar" : "spatial", worst[0], worst[1], worst[2]);
        for (int k = 0; k < 3; k++) {
            TEST_ASSERT_LESS_THAN_DOUBLE(1e-6, worst[k]);
        }
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_elimination_is_the_dense_solve);
    RUN_TEST(test_domains_side_by_side_are_single_ones);
    RUN_TEST(test_one_domain_is_the_single_body);
    RUN_TEST(test_turns_and_their_rates_are_derivatives);
    return UNITY_END();
}
