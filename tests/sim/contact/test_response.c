// The contact problem: complementarity, the friction cone, grasps, adhesion, and what happens with
// numbers that are none.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/contact/response.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

enum { MOST = 12, STRIDE = 40 };

static double w[3 * MOST][STRIDE], gap[3 * MOST], force[3 * MOST];
static pal_contact_law law[MOST];

void setUp(void) {
    memset(w, 0, sizeof w);
    memset(gap, 0, sizeof gap);
    memset(force, 0, sizeof force);
    for (int i = 0; i < MOST; i++) {
        law[i] = (pal_contact_law){.normal = {1.0, 0.0, 0.0}};
    }
}
void tearDown(void) {
}

static pal_response problem_of(int count) {
    return (pal_response){.count = count,
                          .stride = STRIDE,
                          .w = &w[0][0],
                          .free = gap,
                          .law = law,
                          .force = force,
                          .sweeps = 20000,
                          .tolerance = 1e-18};
}

// W = B B^T + a little on the diagonal: several points that mostly move together.
static void fill_random(test_random *random, int count) {
    static double b[3 * MOST][6];
    for (int i = 0; i < 3 * count; i++) {
        for (int k = 0; k < 6; k++) {
            b[i][k] = random_number(random);
        }
    }
    for (int i = 0; i < 3 * count; i++) {
        for (int j = 0; j < 3 * count; j++) {
            w[i][j] = i == j ? 2e-4 : 0.0;
            for (int k = 0; k < 6; k++) {
                w[i][j] += 1e-3 * b[i][k] * b[j][k];
            }
        }
        gap[i] = 1e-3 * random_number(random);
    }
}

static void motion_of(int i, int count, double delta[3]) {
    for (int a = 0; a < 3; a++) {
        delta[a] = gap[3 * i + a] + (a == 0 ? law[i].softness * force[3 * i] : 0.0);
        for (int j = 0; j < 3 * count; j++) {
            delta[a] += w[3 * i + a][j] * force[j];
        }
    }
}

// Rubbing points that mostly move together take Gauss-Seidel hundreds of sweeps, and tens from the
// last tick's answer. Solved at once as they stand, they take a few.
static void few_sweeps_do(double friction) {
    enum { TRIALS = 40, TICKS = 10 };
    test_random random = {11};
    int sweeps = 0, sliding = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        fill_random(&random, MOST);
        memset(force, 0, sizeof force);
        for (int i = 0; i < MOST; i++) {
            law[i].friction = friction;
            law[i].softness = 1e-5;
            gap[3 * i] -= 2e-3;
        }
        for (int tick = 0; tick <= TICKS; tick++) {
            pal_response problem = problem_of(MOST);
            problem.tolerance = 1e-9;
            TEST_ASSERT_EQUAL_UINT32(0, pal_response_solve(&problem));
            TEST_ASSERT_TRUE(problem.residual <= problem.tolerance);
            sweeps += tick > 0 ? problem.sweeps_done : 0;
            for (int k = 0; k < 3 * MOST; k++) {
                gap[k] += 2e-6 * random_number(&random);
            }
        }
        for (int i = 0; i < MOST; i++) {
            const double rub = hypot(force[3 * i + 1], force[3 * i + 2]);
            sliding += force[3 * i] > 0.0 && rub > 0.999 * friction * force[3 * i];
        }
    }
    const double mean = (double)sweeps / (TRIALS * TICKS);
    printf("friction %g: %.1f sweeps a tick to 1e-9 m, %.1f points slide\n", friction, mean,
           (double)sliding / TRIALS);
    TEST_ASSERT_TRUE(friction == 0.0 || sliding > TRIALS);
    TEST_ASSERT_TRUE(mean < 10.0);
}

static void test_from_tick_to_tick_a_few_sweeps_do(void) {
    few_sweeps_do(0.0);
    few_sweeps_do(0.1);
    few_sweeps_do(0.4);
    few_sweeps_do(0.8);
}

static void test_forces_push_and_surfaces_do_not_overlap(void) {
    test_random random = {3};
    int pushing = 0, open = 0;
    for (int trial = 0; trial < 100; trial++) {
        fill_random(&random, MOST);
        memset(force, 0, sizeof force);
        pal_response problem = problem_of(MOST);
        TEST_ASSERT_EQUAL_UINT32(0, pal_response_solve(&problem));
        for (int i = 0; i < MOST; i++) {
            double delta[3];
            motion_of(i, MOST, delta);
            TEST_ASSERT_TRUE(force[3 * i] >= 0.0);
            TEST_ASSERT_TRUE(delta[0] >= -1e-12);
            TEST_ASSERT_TRUE(force[3 * i] * delta[0] < 1e-12);
            TEST_ASSERT_TRUE(force[3 * i + 1] == 0.0 && force[3 * i + 2] == 0.0); // no friction
            pushing += force[3 * i] > 0.0;
            open += delta[0] > 1e-9;
        }
    }
    TEST_ASSERT_TRUE(pushing > 100 && open > 100);
}

static void test_friction_sticks_within_the_cone_and_slides_against_the_motion(void) {
    test_random random = {4};
    int sticking = 0, sliding = 0;
    for (int trial = 0; trial < 100; trial++) {
        fill_random(&random, 4);
        memset(force, 0, sizeof force);
        for (int i = 0; i < 4; i++) {
            law[i].friction = 0.3;
            gap[3 * i] -= 1e-3;
        }
        pal_response problem = problem_of(4);
        pal_response_solve(&problem);
        for (int i = 0; i < 4; i++) {
            double delta[3], *f = force + 3 * i;
            motion_of(i, 4, delta);
            const double rub = hypot(f[1], f[2]), slip = hypot(delta[1], delta[2]);
            TEST_ASSERT_TRUE(rub <= 0.3 * f[0] * (1.0 + 1e-9) + 1e-15);
            if (rub < 0.29 * f[0]) {
                TEST_ASSERT_TRUE(slip < 1e-10);
                sticking++;
            } else if (slip > 1e-6 && rub > 0.0) { // opposite directions
                TEST_ASSERT_DOUBLE_WITHIN(1e-6, -1.0,
                                          (f[1] * delta[1] + f[2] * delta[2]) / (rub * slip));
                sliding++;
            }
        }
    }
    TEST_ASSERT_TRUE(sticking > 20 && sliding > 20);
}

// One spring of 1 kN/m, 1 mm deep: 1 N; half as much against a surface that is as soft.
static void test_softness_is_in_series(void) {
    w[0][0] = w[1][1] = w[2][2] = 1e-3;
    gap[0] = -1e-3;
    pal_response problem = problem_of(1);
    pal_response_solve(&problem);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, force[0]);
    law[0].softness = 1e-3;
    pal_response_solve(&problem);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, force[0]);
}

static void test_a_grasp_pulls_and_adhesion_pulls_up_to_its_strength(void) {
    w[0][0] = w[1][1] = w[2][2] = 1e-3;
    gap[0] = 2e-3;
    gap[1] = 1e-3;
    law[0].held = true;
    pal_response problem = problem_of(1);
    pal_response_solve(&problem);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -2.0, force[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -1.0, force[1]);
    law[0].held = false;
    law[0].adhesion = 0.5;
    pal_response_solve(&problem);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.5, force[0]);
}

static void test_a_warm_start_needs_fewer_sweeps_and_comes_to_the_same(void) {
    test_random random = {5};
    fill_random(&random, MOST);
    pal_response problem = problem_of(MOST);
    problem.tolerance = 1e-10;
    pal_response_solve(&problem);
    const int cold = problem.sweeps_done;
    double first[3 * MOST];
    memcpy(first, force, sizeof first);
    pal_response_solve(&problem);
    TEST_ASSERT_TRUE(problem.sweeps_done < cold && problem.sweeps_done <= 2);
    for (int k = 0; k < 3 * MOST; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, first[k], force[k]);
    }
}

// The same problem in turned axes has the turned answer.
// Points that nearly move as one, all of them overlapping to begin with: few push in the end, and
// those that would have to pull are found out within a tick's sweeps.
static void test_few_that_push_are_found_among_many(void) {
    test_random random = {6};
    int pushing = 0, unsolved = 0;
    for (int trial = 0; trial < 300; trial++) {
        fill_random(&random, MOST);
        for (int k = 0; k < 9 * MOST * MOST; k++) { // the tool gives way under all of them
            const int i = k / (3 * MOST), j = k % (3 * MOST);
            w[i][j] += (i % 3 == j % 3 ? 4e-3 : 0.0) - (i == j ? 1.98e-4 : 0.0);
        }
        for (int k = 0; k < 3 * MOST; k++) {
            gap[k] -= 1e-3;
        }
        memset(force, 0, sizeof force);
        pal_response problem = problem_of(MOST);
        problem.sweeps = 12;
        problem.tolerance = 1e-8;
        pal_response_solve(&problem);
        unsolved += problem.residual > 1e-6;
        for (int i = 0; i < MOST; i++) {
            pushing += force[3 * i] > 0.0;
        }
    }
    TEST_ASSERT_TRUE(pushing > 300 && pushing < 300 * MOST / 2);
    TEST_ASSERT_EQUAL_INT(0, unsolved);
}

static void test_the_answer_turns_with_the_axes(void) {
    enum { COUNT = 3 };
    test_random random = {6};
    fill_random(&random, COUNT);
    const double c = cos(0.7), q[3][3] = {{c, -sin(0.7), 0.0}, {sin(0.7), c, 0.0}, {0.0, 0.0, 1.0}};
    for (int i = 0; i < COUNT; i++) {
        law[i].friction = 0.4;
        gap[3 * i] -= 1e-3;
    }
    pal_response problem = problem_of(COUNT);
    pal_response_solve(&problem);
    double expected[3 * COUNT] = {0.0}, turned_w[3 * COUNT][STRIDE] = {{0.0}};
    double turned_gap[3 * COUNT] = {0.0};
    for (int i = 0; i < COUNT; i++) {
        for (int a = 0; a < 3; a++) {
            law[i].normal[a] = q[a][0];
            for (int b = 0; b < 3; b++) {
                expected[3 * i + a] += q[a][b] * force[3 * i + b];
                turned_gap[3 * i + a] += q[a][b] * gap[3 * i + b];
            }
        }
    }
    for (int row = 0; row < 3 * COUNT; row++) {
        for (int column = 0; column < 3 * COUNT; column++) {
            for (int k = 0; k < 9; k++) {
                turned_w[row][column] += q[row % 3][k / 3] * q[column % 3][k % 3] *
                                         w[row / 3 * 3 + k / 3][column / 3 * 3 + k % 3];
            }
        }
    }
    memset(force, 0, sizeof force);
    problem.w = &turned_w[0][0];
    problem.free = turned_gap;
    pal_response_solve(&problem);
    for (int k = 0; k < 3 * COUNT; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected[k], force[k]);
    }
    TEST_ASSERT_TRUE(fabs(expected[0]) + fabs(expected[3]) + fabs(expected[6]) > 1e-3);
}

static void test_no_number_makes_no_force(void) {
    w[0][0] = w[1][1] = w[2][2] = 1e-3;
    gap[0] = NAN;
    force[0] = 1.0;
    pal_response problem = problem_of(1);
    problem.sweeps = 10;
    TEST_ASSERT_EQUAL_UINT32(PAL_OUT_NAN, pal_response_solve(&problem));
    TEST_ASSERT_TRUE(force[0] == 0.0 && force[1] == 0.0 && force[2] == 0.0);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_forces_push_and_surfaces_do_not_overlap);
    RUN_TEST(test_from_tick_to_tick_a_few_sweeps_do);
    RUN_TEST(test_friction_sticks_within_the_cone_and_slides_against_the_motion);
    RUN_TEST(test_softness_is_in_series);
    RUN_TEST(test_a_grasp_pulls_and_adhesion_pulls_up_to_its_strength);
    RUN_TEST(test_a_warm_start_needs_fewer_sweeps_and_comes_to_the_same);
    RUN_TEST(test_few_that_push_are_found_among_many);
    RUN_TEST(test_the_answer_turns_with_the_axes);
    RUN_TEST(test_no_number_makes_no_force);
    return UNITY_END();
}
