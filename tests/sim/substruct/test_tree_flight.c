// A tree that flies freely keeps its momentum: by the shipped step, and by its accelerations alone,
// which also keep the energy. Anchored and released, energy never rises above its start.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

#include "sim/base/memory.h"
#include "sim/base/pose.h"
#include "sim/substruct/tree_state.h"
#include "tests/support/sanitized.h"
#include "tests/support/tree_run.h"

enum {
    SEEDS = SANITIZED_OR(1, 3),
    FLIGHT = SANITIZED_OR(500, 5000),     // ms
    ALONE = SANITIZED_OR(200, 2500),      // steps of 0.2 ms
    RELEASED = SANITIZED_OR(1000, 10000), // ms
};

void setUp(void) {
}
void tearDown(void) {
}

static const char *const inertia_name[3] = {"interface", "centre", "exact"};

static point_spec flying_spec(void) {
    return (point_spec){.class_count = 4,
                        .r = {5, 4, 0, 3},
                        .ports = {5, 2, 1, 1},
                        .deepest = 3,
                        .stiffness = 900.0,
                        .size = 0.2,
                        .flies = true,
                        .scaled = true,
                        .convex = true};
}

typedef struct drift { // from the start, relative
    double linear, angular, energy;
} drift;

// Against sums of |momentum| that the parts could have: m |v| and m |v| size of the start.
static void measure(pal_tree_state *state, const pal_tree_energy *start, drift *most) {
    pal_tree_energy now;
    double apart[3], turned[3];
    pal_tree_measure(state, &now);
    pal_sub3(now.momentum, start->momentum, apart);
    pal_sub3(now.spin, start->spin, turned);
    const double energy = start->kinetic + start->strain;
    most->linear = fmax(most->linear, pal_norm3(apart) / pal_norm3(start->momentum));
    most->angular = fmax(most->angular, pal_norm3(turned) / pal_norm3(start->spin));
    most->energy = fmax(most->energy, fabs(now.kinetic + now.strain - energy) / energy);
}

static void test_the_step_keeps_momentum_in_free_flight(void) {
    for (int inertia = 0; inertia < 3; inertia++) {
        drift most = {0};
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            point_spec spec = flying_spec();
            point_shape shape;
            point_tree t;
            pal_tree_energy start;
            spec.beta = inertia == PAL_INERTIA_EXACT ? 1e-4 : 2e-2;
            point_shape_grow(&shape, &spec, 15, seed);
            point_tree_make(&t, &spec, seed);
            pal_tree_state *state = tree_run_open(&t.tree, (pal_inertia)inertia, 1e-3);
            tree_run_scatter(state, 0.005, seed);
            pal_tree_measure(state, &start);
            for (int step = 0; step < FLIGHT; step++) {
                TEST_ASSERT_EQUAL_UINT32(0, pal_tree_step(state));
                if (step % 10 == 9) {
                    measure(state, &start, &most);
                }
            }
            pal_tree_close(state);
            point_tree_free(&t);
            point_shape_free(&shape);
        }
        printf("%s, %d ms of free flight: momentum drifts by %.1e, angular by %.1e, relative\n",
               inertia_name[inertia], FLIGHT, most.linear, most.angular);
        TEST_ASSERT_LESS_THAN_DOUBLE(1e-10, most.linear);
        TEST_ASSERT_LESS_THAN_DOUBLE(1e-10, most.angular);
    }
}

// ---- the accelerations alone

// All that moves: q and v of all domains, the root's place, turn (quaternion), and its velocities
// in the world.
typedef struct flight {
    int32_t modes;
    double y[2 * 128 + 13];
} flight;

static void put(pal_tree_state *state, const flight *f) {
    const pal_tree *tree = pal_tree_of(state);
    const double *root = f->y + 2 * f->modes;
    double turn[3][3], own[6], unit[4], norm = 0.0;
    for (int32_t i = 0, first = 0; i < tree->domain_count; i++) {
        pal_tree_set(state, i, f->y + first, f->y + f->modes + first, NULL);
        first += tree->class_[tree->domain[i].kind].r;
    }
    for (int k = 0; k < 4; k++) {
        norm += root[3 + k] * root[3 + k];
    }
    for (int k = 0; k < 4; k++) {
        unit[k] = root[3 + k] / sqrt(norm);
    }
    pal_turn_matrix(unit, turn);
    for (int k = 0; k < 3; k++) {
        own[k] = turn[0][k] * root[7] + turn[1][k] * root[8] + turn[2][k] * root[9];
        own[3 + k] = turn[0][k] * root[10] + turn[1][k] * root[11] + turn[2][k] * root[12];
    }
    pal_tree_set_root(state, root, turn, own, own + 3);
    pal_tree_settle(state);
}

static void take(const pal_tree_state *state, flight *f) {
    const pal_tree *tree = pal_tree_of(state);
    double *root = f->y + 2 * f->modes, turn[3][3], own[6], vector[3];
    for (int32_t i = 0, first = 0; i < tree->domain_count; i++) {
        pal_tree_get(state, i, f->y + first, f->y + f->modes + first, NULL);
        first += tree->class_[tree->domain[i].kind].r;
    }
    pal_tree_frame(state, 0, root, turn);
    pal_tree_twist(state, 0, own, own + 3);
    const double cosine = 0.5 * (turn[0][0] + turn[1][1] + turn[2][2] - 1.0);
    vector[0] = turn[2][1] - turn[1][2];
    vector[1] = turn[0][2] - turn[2][0];
    vector[2] = turn[1][0] - turn[0][1];
    const double sine = 0.5 * pal_norm3(vector), angle = atan2(sine, cosine);
    for (int k = 0; k < 3; k++) {
        vector[k] *= angle / (2.0 * sine);
    }
    pal_turn_of_vector(vector, root + 3);
    for (int k = 0; k < 3; k++) {
        root[7 + k] = pal_dot3(turn[k], own);
        root[10 + k] = pal_dot3(turn[k], own + 3);
    }
}

// y' by the step's own accelerations: a step of no time finds them and moves nothing.
static void derive(pal_tree_state *state, const flight *f, double *rate) {
    const pal_tree *tree = pal_tree_of(state);
    const double *root = f->y + 2 * f->modes;
    double *out = rate + 2 * f->modes, x[3], turn[3][3];
    put(state, f);
    pal_tree_frame(state, 0, x, turn);
    TEST_ASSERT_EQUAL_UINT32(0, pal_tree_step(state));
    memcpy(rate, f->y + f->modes, (size_t)f->modes * sizeof *rate);
    for (int32_t i = 0, first = f->modes; i < tree->domain_count; i++) {
        pal_tree_get(state, i, NULL, NULL, rate + first);
        first += tree->class_[tree->domain[i].kind].r;
    }
    const double spin[4] = {0.0, 0.5 * root[10], 0.5 * root[11], 0.5 * root[12]};
    pal_turn_multiply(spin, root + 3, out + 3);
    for (int k = 0; k < 3; k++) {
        out[k] = root[7 + k];
        out[7 + k] = pal_dot3(turn[k], state->frame[0].accel);
        out[10 + k] = pal_dot3(turn[k], state->frame[0].accel + 3);
    }
}

// One step of the classical fourth-order Runge-Kutta.
static void runge_kutta(pal_tree_state *state, flight *f, double h) {
    const int32_t n = 2 * f->modes + 13;
    double k[4][2 * 128 + 13];
    for (int stage = 0; stage < 4; stage++) {
        flight at = *f;
        const double ahead = stage == 3 ? h : 0.5 * h;
        for (int32_t i = 0; stage > 0 && i < n; i++) {
            at.y[i] += ahead * k[stage - 1][i];
        }
        derive(state, &at, k[stage]);
    }
    for (int32_t i = 0; i < n; i++) {
        f->y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
}

static void test_accelerations_alone_keep_momentum_and_energy(void) {
    drift most = {0};
    for (uint64_t seed = 1; seed <= SANITIZED_OR(1, 2); seed++) {
        point_spec spec = flying_spec();
        point_shape shape;
        point_tree t;
        pal_tree_energy start;
        flight f = {0};
        point_shape_grow(&shape, &spec, 9, seed);
        point_tree_make(&t, &spec, seed);
        f.modes = point_tree_first(&t, 9);
        pal_tree_state *state = tree_run_open(&t.tree, PAL_INERTIA_EXACT, 0.0);
        tree_run_scatter(state, 0.02, seed);
        pal_tree_measure(state, &start);
        take(state, &f);
        for (int step = 0; step < ALONE; step++) {
            runge_kutta(state, &f, 2e-4);
            if (step % 50 == 49) {
                put(state, &f);
                measure(state, &start, &most);
            }
        }
        pal_tree_close(state);
        point_tree_free(&t);
        point_shape_free(&shape);
    }
    printf("the accelerations under Runge-Kutta, %g s: momentum %.1e, angular %.1e, energy %.1e\n",
           2e-4 * ALONE, most.linear, most.angular, most.energy);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-8, most.linear);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-8, most.angular);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-8, most.energy);
}

// ---- released

// The highest energy of a run, relative to its start: bent by `size`, at rest, let go.
static double release(pal_inertia inertia, double beta, double size, bool flies, uint64_t seed) {
    point_spec spec = flying_spec();
    point_shape shape;
    point_tree t;
    double highest = 0.0;
    spec.flies = flies;
    spec.beta = beta;
    point_shape_grow(&shape, &spec, 12, seed);
    point_tree_make(&t, &spec, seed);
    pal_tree_state *state = tree_run_open(&t.tree, inertia, 1e-3);
    tree_run_scatter(state, size, seed);
    for (int32_t i = 0; i < 12; i++) {
        double q[PAL_DOMAIN_MOST_MODES];
        pal_tree_get(state, i, q, NULL, NULL);
        pal_tree_set(state, i, q, NULL, NULL);
    }
    pal_tree_settle(state);
    const double start = tree_run_energy(state);
    for (int step = 0; step < RELEASED && highest < 1e3; step++) {
        TEST_ASSERT_EQUAL_UINT32(0, pal_tree_step(state) & ~PAL_OUT_NOT_SPD);
        if (step < 500 || step % 16 == 0) {
            highest = fmax(highest, tree_run_energy(state) / start);
        }
    }
    pal_tree_close(state);
    point_tree_free(&t);
    point_shape_free(&shape);
    return highest;
}

// Bent until interfaces are up to 40 % off their shape at rest. (Where an interface is squeezed
// into a line, the turn of its child is no longer a smooth function of q, and the law ends.)
static void test_energy_never_rises_above_its_start(void) {
    static const double size[4] = {0.02, 0.02, 0.03, 0.03}, beta[4] = {1e-4, 1e-3, 1e-4, 1e-3};
    for (int k = 0; k < 4; k++) {
        double worst[2] = {0};
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            for (int flies = 0; flies < 2; flies++) {
                const double highest =
                    release(PAL_INERTIA_EXACT, beta[k], size[k], flies != 0, seed);
                worst[flies] = fmax(worst[flies], highest);
            }
        }
        printf("exact, beta %.0e s, released from q = %g: highest energy / start - 1: anchored "
               "%.1e, free %.1e\n",
               beta[k], size[k], worst[0] - 1.0, worst[1] - 1.0);
        TEST_ASSERT_LESS_THAN_DOUBLE(1.0, worst[0]);
        TEST_ASSERT_LESS_THAN_DOUBLE(1.0, worst[1]);
    }
    for (int inertia = 0; inertia < 2; inertia++) { // no reaction on the parent: no such law
        double worst = 0.0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            worst = fmax(worst, release((pal_inertia)inertia, 1e-2, 0.01, false, seed));
        }
        printf("%s, beta 1e-02 s, released from q = 0.01: highest energy / start %.3g\n",
               inertia_name[inertia], worst);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_step_keeps_momentum_in_free_flight);
    RUN_TEST(test_accelerations_alone_keep_momentum_and_energy);
    RUN_TEST(test_energy_never_rises_above_its_start);
    return UNITY_END();
}
