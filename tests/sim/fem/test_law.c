// Laws of the elastic laws: energy, force and stiffness of one element by each of them.
#include "sim/fem/law.h"

#include <math.h>
#include <string.h>

#include "sim/base/mat3.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

enum { TRIALS = 12, DOFS = 3 * PAL_MAX_NODES };

static const pal_material tissue = {12e3, 0.4, 1000.0};
static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static test_random rng;

void setUp(void) {
    rng.state = 7;
}
void tearDown(void) {
}

typedef struct element {
    int dofs;
    double x[PAL_MAX_NODES][3], u[PAL_MAX_NODES][3];
    pal_quadrature quadrature;
} element;

// A tet or a dented cube of about 1 cm by turns, whose corners move by up to `size` of that.
static element some_element(int trial, double size) {
    element e = {.dofs = trial % 2 == 0 ? 12 : 24};
    const pal_element_kind kind = trial % 2 == 0 ? PAL_TET4 : PAL_HEX8;
    do {
        for (int a = 0; a < (int)kind; a++) {
            const double *from = corner[kind == PAL_TET4 && a == 3   ? 4
                                        : kind == PAL_TET4 && a == 2 ? 3
                                                                     : a];
            for (int c = 0; c < 3; c++) {
                e.x[a][c] = 0.01 * (from[c] + 0.15 * random_number(&rng));
            }
        }
    } while (!pal_quadrature_make(&e.quadrature, kind, e.x, PAL_GAUSS_EXACT));
    random_fill(&rng, 0.01 * size, e.u[0], (size_t)e.dofs);
    return e;
}

static double energy_of(pal_law law, element *e, double *force, double *stiffness) {
    return pal_law_element(law, &e->quadrature, &tissue, e->u, force, stiffness);
}

static double largest(const double *a, int count) {
    double most = 0.0;
    for (int k = 0; k < count; k++) {
        most = fmax(most, fabs(a[k]));
    }
    return most;
}

static void test_force_is_the_gradient_of_energy_and_stiffness_that_of_force(void) {
    const double h = 1e-7;
    for (int trial = 0; trial < TRIALS; trial++) {
        for (int law = 0; law < PAL_LAWS; law++) {
            element e = some_element(trial, 0.2);
            double force[DOFS], stiffness[DOFS * DOFS], up[DOFS], down[DOFS];
            TEST_ASSERT_TRUE(isfinite(energy_of((pal_law)law, &e, force, stiffness)));
            const double strong = largest(force, e.dofs);
            const double stiff = largest(stiffness, e.dofs * e.dofs);
            for (int k = 0; k < e.dofs; k++) {
                double *at = &e.u[k / 3][k % 3];
                *at += h;
                const double above = energy_of((pal_law)law, &e, up, NULL);
                *at -= 2.0 * h;
                const double below = energy_of((pal_law)law, &e, down, NULL);
                *at += h;
                TEST_ASSERT_DOUBLE_WITHIN(1e-6 * strong, force[k], (above - below) / (2.0 * h));
                for (int l = 0; l < e.dofs; l++) {
                    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6 * stiff, stiffness[l * e.dofs + k],
                                                      (up[l] - down[l]) / (2.0 * h),
                                                      pal_law_name((pal_law)law));
                }
            }
        }
    }
}

// u = (R - 1) x + t
static void move_rigidly(element *e, double angle) {
    const double r[3][3] = {{cos(angle), -sin(angle), 0}, {sin(angle), cos(angle), 0}, {0, 0, 1}};
    for (int a = 0; a < e->dofs / 3; a++) {
        for (int c = 0; c < 3; c++) {
            const int turned = (c + 1) % 3; // about the y axis
            double moved = 0.003 * (c + 1);
            for (int k = 0; k < 3; k++) {
                moved += r[turned][(k + 1) % 3] * e->x[a][k];
            }
            e->u[a][c] = moved - e->x[a][c];
        }
    }
}

static void test_a_rigid_motion_makes_no_force_but_in_the_linear_law(void) {
    for (int trial = 0; trial < TRIALS; trial++) {
        for (int law = 0; law < PAL_LAWS; law++) {
            element e = some_element(trial, 0.0);
            double force[DOFS];
            move_rigidly(&e, 2.0);
            const double energy = energy_of((pal_law)law, &e, force, NULL);
            if (law == PAL_LAW_LINEAR) {
                TEST_ASSERT_TRUE(largest(force, e.dofs) > 0.1);
                continue;
            }
            TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, energy);
            TEST_ASSERT_TRUE(largest(force, e.dofs) < 1e-12);
        }
    }
}

// At rest the stiffness is that of the linear law, and small forces differ by second order only.
static void test_all_agree_to_first_order(void) {
    for (int trial = 0; trial < TRIALS; trial++) {
        element e = some_element(trial, 1e-5), rest = e;
        double linear[DOFS], force[DOFS], ke[DOFS * DOFS], k[DOFS * DOFS];
        memset(rest.u, 0, sizeof rest.u);
        energy_of(PAL_LAW_LINEAR, &rest, NULL, ke);
        energy_of(PAL_LAW_LINEAR, &e, linear, NULL);
        for (int law = PAL_LAW_LINEAR + 1; law < PAL_LAWS; law++) {
            energy_of((pal_law)law, &rest, force, k);
            TEST_ASSERT_TRUE(largest(force, e.dofs) < 1e-12);
            TEST_ASSERT_TRUE(check_relative_difference(k, ke, (size_t)(e.dofs * e.dofs)) < 1e-12);
            energy_of((pal_law)law, &e, force, NULL);
            TEST_ASSERT_TRUE(check_relative_difference(force, linear, (size_t)e.dofs) < 1e-3);
        }
    }
}

// P of the neo-Hookean law in one direction, by hand: mu (s - 1/s) + lambda ln J / s.
static void test_neo_hookean_stress_of_a_stretch_is_that_by_hand(void) {
    static const double stretch[3] = {0.3, 1.4, 1.1};
    element e = some_element(1, 0.0);
    double force[DOFS], volume = 0.0;
    for (int p = 0; p < e.quadrature.points; p++) {
        volume += e.quadrature.weight[p];
    }
    for (int k = 0; k < 24; k++) {
        e.u[k / 3][k % 3] = (stretch[k % 3] - 1.0) * e.x[k / 3][k % 3];
    }
    energy_of(PAL_LAW_NEO_HOOKEAN, &e, force, NULL);
    const double mu = 12e3 / 2.8, lambda = 0.4 * 12e3 / (1.4 * 0.2);
    const double log_j = log(stretch[0] * stretch[1] * stretch[2]);
    for (int c = 0; c < 3; c++) { // sum x_a f_a = volume P
        double moment = 0.0;
        for (int a = 0; a < 8; a++) {
            moment += e.x[a][c] * force[3 * a + c];
        }
        const double p = mu * (stretch[c] - 1.0 / stretch[c]) + lambda * log_j / stretch[c];
        TEST_ASSERT_DOUBLE_WITHIN(1e-10 * fabs(p) * volume, p * volume, moment);
    }
}

// Inside out there is no energy, and nothing that is not a number; halfway there it grows.
static void test_inside_out_is_an_outcome(void) {
    for (int law = 0; law < PAL_LAWS; law++) {
        element e = some_element(0, 0.0);
        double force[DOFS], stiffness[DOFS * DOFS];
        const bool stops = law == PAL_LAW_COROTATIONAL || law == PAL_LAW_NEO_HOOKEAN;
        for (int c = 0; c < 3; c++) { // the last corner goes through the opposite face
            e.u[3][c] = 1.5 * ((e.x[0][c] + e.x[1][c] + e.x[2][c]) / 3.0 - e.x[3][c]);
        }
        const double energy = energy_of((pal_law)law, &e, force, stiffness);
        TEST_ASSERT_TRUE(stops ? energy == INFINITY : isfinite(energy));
        for (int k = 0; k < 12 * 12; k++) {
            TEST_ASSERT_TRUE(isfinite(force[k % 12]) && isfinite(stiffness[k]));
        }
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_force_is_the_gradient_of_energy_and_stiffness_that_of_force);
    RUN_TEST(test_a_rigid_motion_makes_no_force_but_in_the_linear_law);
    RUN_TEST(test_all_agree_to_first_order);
    RUN_TEST(test_neo_hookean_stress_of_a_stretch_is_that_by_hand);
    RUN_TEST(test_inside_out_is_an_outcome);
    return UNITY_END();
}
