// The laws of a sampled wall: the exact border against the eigenvalues of the closed loop, and the
// simple law as its first term.
#include "haptics/feel/stability.h"

#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static const double T = 1e-3;
static const pal_hand firm = {.mass = 0.3, .k_h = 500.0, .b_h = 6.0, .k_g = 1000.0, .b_g = 5.0};

// ---- the closed loop as one matrix, made without any of what is tested
//
// The plant is stepped from every unit state by 200 Runge-Kutta steps a tick; the loop's state is
// the plant's, the last reading, the velocity and the forces that are on their way.

enum { PLANT = 4, WAY = 12, LOOP = PLANT + 2 + WAY, STEPS = 200 };

static void slope(const pal_wall_plant *p, const double z[PLANT], double force, double out[PLANT]) {
    const pal_hand *h = &p->hand;
    const double grip = h->mass > 0.0 ? h->k_g * (z[2] - z[0]) + h->b_g * (z[3] - z[1]) : 0.0;
    out[0] = z[1];
    out[1] = (force - p->damping * z[1] + grip) / p->mass;
    out[2] = h->mass > 0.0 ? z[3] : 0.0;
    out[3] = h->mass > 0.0 ? -(h->k_h * z[2] + h->b_h * z[3] + grip) / h->mass : 0.0;
}

static void move(const pal_wall_plant *p, double z[PLANT], double force, double seconds) {
    const int steps = (int)ceil(STEPS * seconds / T);
    const double h = steps > 0 ? seconds / steps : 0.0;
    for (int n = 0; n < steps; n++) {
        double k[4][PLANT], at[PLANT];
        slope(p, z, force, k[0]);
        for (int s = 1; s < 4; s++) {
            for (int i = 0; i < PLANT; i++) {
                at[i] = z[i] + (s == 3 ? h : 0.5 * h) * k[s - 1][i];
            }
            slope(p, at, force, k[s]);
        }
        for (int i = 0; i < PLANT; i++) {
            z[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
        }
    }
}

// One tick of the whole loop. way[0] is the force sent last.
static void tick(const pal_wall_plant *p, double K, double B, double s[LOOP]) {
    double *z = s, *last = &s[PLANT], *velocity = &s[PLANT + 1], *way = &s[PLANT + 2];
    const double share = T / (T + p->velocity_filter);
    *velocity += share * ((z[0] - *last) / T - *velocity);
    *last = z[0];
    memmove(way + 1, way, (WAY - 1) * sizeof *way);
    way[0] = -K * z[0] - B * *velocity;
    const int ticks = (int)floor(p->delay / T + 1e-9);
    const double part = p->delay - ticks * T;
    move(p, z, way[ticks + 1], fmax(part, 0.0));
    move(p, z, way[ticks], T - fmax(part, 0.0));
}

static double spectral_radius(const pal_wall_plant *p, double K, double B) {
    double a[LOOP * LOOP], re[LOOP], im[LOOP], radius = 0.0;
    for (int j = 0; j < LOOP; j++) {
        double s[LOOP] = {0.0};
        s[j] = 1.0;
        tick(p, K, B, s);
        for (int i = 0; i < LOOP; i++) {
            const bool nobody = p->hand.mass == 0.0 && (j == 2 || j == 3);
            a[i * LOOP + j] = nobody ? 0.0 : s[i];
        }
    }
    TEST_ASSERT_EQUAL_INT(0, LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', LOOP, a, LOOP, re, im, NULL,
                                           LOOP, NULL, LOOP));
    for (int i = 0; i < LOOP; i++) {
        radius = fmax(radius, hypot(re[i], im[i]));
    }
    return radius;
}

// The border lies between eigenvalues inside and outside the unit circle.
static void check_border(const pal_wall_plant *plant, double B) {
    const double border = pal_stability_border(plant, B);
    char text[160];
    snprintf(text, sizeof text, "m %g b %g B %g delay %g filter %g hand %g: %g", plant->mass,
             plant->damping, B, plant->delay, plant->velocity_filter, plant->hand.mass, border);
    TEST_ASSERT_TRUE_MESSAGE(border > 0.0 && isfinite(border), text);
    TEST_ASSERT_TRUE_MESSAGE(spectral_radius(plant, 0.9998 * border, B) < 1.0, text);
    TEST_ASSERT_TRUE_MESSAGE(spectral_radius(plant, 1.0002 * border, B) > 1.0, text);
    TEST_ASSERT_TRUE_MESSAGE(spectral_radius(plant, 0.3 * border, B) < 1.0, text);
}

static void test_the_border_is_where_an_eigenvalue_leaves_the_unit_circle(void) {
    static const double delays[] = {0.0, 0.37e-3, 1e-3, 3e-3};
    static const double dampers[] = {0.0, 0.5, 4.0, 12.0};
    for (int d = 0; d < 4; d++) {
        for (int k = 0; k < 4; k++) {
            pal_wall_plant plant = {
                .dt = T, .delay = delays[d], .mass = 0.045, .damping = 0.5, .hand = {0}};
            check_border(&plant, dampers[k]);
            plant.velocity_filter = 3e-3;
            check_border(&plant, dampers[k]);
            plant.hand = firm;
            check_border(&plant, dampers[k]);
        }
    }
}

static void test_the_largest_damper_is_where_it_alone_becomes_unstable(void) {
    for (int d = 0; d < 3; d++) {
        const pal_wall_plant plant = {.dt = T,
                                      .delay = d * 0.8e-3,
                                      .mass = 0.045,
                                      .damping = 0.1,
                                      .velocity_filter = d == 1 ? 0.0 : 3e-3};
        const double largest = pal_stability_largest_damper(&plant);
        // K just above 0: the free device has an eigenvalue of 1 in its own right.
        TEST_ASSERT_TRUE(spectral_radius(&plant, 1e-2, 0.999 * largest) < 1.0);
        TEST_ASSERT_TRUE(spectral_radius(&plant, 1e-2, 1.001 * largest) > 1.0);
        TEST_ASSERT_TRUE(pal_stability_border(&plant, 1.001 * largest) == 0.0);
        TEST_ASSERT_TRUE(pal_stability_border(&plant, 0.99 * largest) > 0.0);
    }
}

// Under 10 ms a hand of medium grip on 200 g is stable, unstable, and stable again as K grows.
static void test_stability_that_comes_back_is_that_of_the_eigenvalues(void) {
    const pal_wall_plant plant = {
        .dt = T,
        .delay = 10e-3,
        .mass = 0.2,
        .damping = 0.05,
        .velocity_filter = 3e-3,
        .hand = {.mass = 0.2, .k_h = 300.0, .b_h = 4.5, .k_g = 650.0, .b_g = 3.0}};
    int changes = 0;
    bool before = true;
    for (double B = 0.0; B < 60.0; B += 11.0) {
        for (double K = 50.0; K < 5000.0; K *= 1.17) {
            const double radius = spectral_radius(&plant, K, B);
            bool stable;
            pal_stability_judge(&plant, B, &K, 1, &stable);
            changes += B == 0.0 && stable != before;
            before = stable;
            TEST_ASSERT_EQUAL_INT(radius < 1.0, stable);
        }
    }
    TEST_ASSERT_EQUAL_INT(3, changes); // out at 601 N/m, back, and out at 1,206
}

// Halving b tau / m halves how far the border is from the law: b tau / (6 m) without a damper, up
// to the sampling.
static void test_the_law_is_the_first_term_of_the_border(void) {
    for (double mass = 0.2; mass < 3.3; mass *= 2.0) {
        const pal_wall_plant plant = {.dt = T, .delay = 9.5e-3, .mass = mass, .damping = 1.0};
        const double tau = 10e-3, off = pal_stability_border(&plant, 0.0) * tau - 1.0;
        const double epsilon = tau / mass;
        TEST_ASSERT_DOUBLE_WITHIN(0.1 * epsilon / 6.0 + 0.2 * epsilon * epsilon, epsilon / 6.0,
                                  off);
    }
}

static void test_the_closed_forms(void) {
    const pal_wall_plant plant = {.dt = T,
                                  .delay = 0.5e-3,
                                  .mass = 0.045,
                                  .damping = 0.3,
                                  .friction = 0.02,
                                  .resolution = 100e-6};
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 400.0, pal_stability_passive(&plant, 0.1));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 400.0, pal_stability_passive(&plant, -0.1));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 400.0, pal_stability_law(&plant, 0.1));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 400.0, pal_stability_quantised(&plant)); // 2 c / Delta < 600
    TEST_ASSERT_TRUE(isinf(pal_stability_speed(&plant, 399.0, 0.1)));
    // V = (4/pi) 0.02 / (800 * 1e-3 - 0.4), and a damper of the same strength lifts the law to K
    const double V = pal_stability_speed(&plant, 800.0, 0.1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0636619772, V);
    const pal_wall_plant damped = pal_stability_damped(&plant, V);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 800.0, pal_stability_law(&damped, 0.1));
    // With the exact border in its place
    const double exact = pal_stability_border_speed(&plant, 800.0, 0.1);
    const pal_wall_plant more = pal_stability_damped(&plant, exact);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 800.0, pal_stability_border(&more, 0.1));
    TEST_ASSERT_TRUE(isinf(pal_stability_border_speed(&plant, 390.0, 0.1)));
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_border_is_where_an_eigenvalue_leaves_the_unit_circle);
    RUN_TEST(test_the_largest_damper_is_where_it_alone_becomes_unstable);
    RUN_TEST(test_stability_that_comes_back_is_that_of_the_eigenvalues);
    RUN_TEST(test_the_law_is_the_first_term_of_the_border);
    RUN_TEST(test_the_closed_forms);
    return UNITY_END();
}
