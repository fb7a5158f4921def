// The motion of hand and device, against solutions in closed form and against Runge-Kutta.
#include "devices/two_mass.h"

#include <math.h>

#include "tests/support/check.h"
#include "tests/support/sim_device.h"

void setUp(void) {
}
void tearDown(void) {
}

static pal_two_mass make(const pal_sim_options *options) {
    pal_two_mass model;
    pal_err err;
    CHECK_OK(pal_two_mass_init(&model, options, &err), err);
    return model;
}

// ---- Against Runge-Kutta ------------------------------------------------------------------------

static void derive(const pal_sim_options *o, const double z[4], double force, double u,
                   double d[4]) {
    const pal_hand *g = &o->hand;
    double grip = g->k_g * (z[2] - z[0]) + g->b_g * (z[3] - z[1]);
    d[0] = z[1];
    d[1] = (force - o->device_damping * z[1] + grip) / o->limits.mass;
    d[2] = z[3];
    d[3] = (g->k_h * (u - z[2]) - g->b_h * z[3] - grip) / g->mass;
}

static void runge_kutta(const pal_sim_options *o, double z[4], double force, const double u[2],
                        double h) {
    static const double at[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    double slope[4] = {0}, sum[4] = {0}, y[4];
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 4; i++) {
            y[i] = z[i] + at[stage] * h * slope[i];
        }
        derive(o, y, force, u[0] + at[stage] * (u[1] - u[0]), slope);
        for (int i = 0; i < 4; i++) {
            sum[i] += weight[stage] * slope[i];
        }
    }
    for (int i = 0; i < 4; i++) {
        z[i] += h / 6.0 * sum[i];
    }
}

static void test_the_motion_is_that_of_runge_kutta(void) {
    pal_sim_options options = sim_held("firm");
    options.device_damping = 0.7;
    pal_two_mass model = make(&options);
    double z[4] = {0.01, -0.2, -0.02, 0.1}, y[4];
    memcpy(y, z, sizeof y);
    double h = model.step_max, time = 0.0;
    for (int k = 0; k < 1600; k++, time += h) {
        double force = k % 300 < 150 ? 1.0 : -2.0;
        double u[2] = {0.03 * time, 0.03 * (time + h)};
        pal_two_mass_step(&model, z, force, u[0], u[1], h);
        for (int i = 0; i < 10; i++) {
            double fine[2] = {0.03 * (time + i * h / 10), 0.03 * (time + (i + 1) * h / 10)};
            runge_kutta(&options, y, force, fine, h / 10);
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.0, check_relative_difference(z, y, 4));
}

static void test_the_length_of_the_steps_does_not_matter(void) {
    double end[3][4];
    for (int k = 0; k < 3; k++) {
        pal_sim_options options = sim_held("medium");
        options.substeps = (int[]){1, 8, 400}[k];
        pal_two_mass model = make(&options);
        double h = 1e-3 / options.substeps;
        memcpy(end[k], (double[4]){0.0, 1.0, 0.01, 0.0}, sizeof end[k]);
        for (int i = 0; i < 200 * options.substeps; i++) {
            pal_two_mass_step(&model, end[k], 1.5, 0.0, 0.0, h);
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.0, check_relative_difference(end[0], end[2], 4));
    TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0.0, check_relative_difference(end[1], end[2], 4));
}

static void test_energy_is_kept_without_damping(void) {
    pal_sim_options options = sim_held("firm");
    options.hand.b_h = options.hand.b_g = 0.0;
    pal_two_mass model = make(&options);
    const pal_hand *g = &options.hand;
    double z[4] = {0.01, 0.5, 0.0, -0.3}, first = 0.0;
    for (int k = 0; k <= 100000; k++) {
        double energy = 0.5 * (options.limits.mass * z[1] * z[1] + g->mass * z[3] * z[3] +
                               g->k_g * (z[2] - z[0]) * (z[2] - z[0]) + g->k_h * z[2] * z[2]);
        first = k == 0 ? energy : first;
        TEST_ASSERT_DOUBLE_WITHIN(1e-11 * first, first, energy);
        pal_two_mass_step(&model, z, 0.0, 0.0, 0.0, model.step_max);
    }
}

// ---- Friction -----------------------------------------------------------------------------------

static void test_a_sliding_device_stops_where_its_energy_is_spent(void) {
    pal_sim_options options = sim_alone();
    options.friction = 0.26;
    pal_two_mass model = make(&options);
    double m = options.limits.mass, v = 0.3, z[4] = {0.0, v, 0.0, 0.0};
    double stop = m * v / options.friction; // s
    double h = model.step_max;
    for (int k = 0; k < 800; k++) {
        pal_two_mass_step(&model, z, 0.0, 0.0, 0.0, h);
        double t = fmin((k + 1) * h, stop);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, v * t - 0.5 * options.friction / m * t * t, z[0]);
    }
    TEST_ASSERT_TRUE(z[1] == 0.0);
}

static void test_friction_holds_below_breakaway_and_not_above(void) {
    pal_sim_options options = sim_alone();
    options.friction = 0.26;
    pal_two_mass model = make(&options);
    double z[4] = {0.0};
    for (int k = 0; k < 1000; k++) {
        pal_two_mass_step(&model, z, k % 2 ? 0.2599 : -0.2599, 0.0, 0.0, model.step_max);
        TEST_ASSERT_TRUE(z[0] == 0.0 && z[1] == 0.0);
    }
    double h = model.step_max;
    for (int k = 1; k <= 1000; k++) {
        pal_two_mass_step(&model, z, -0.36, 0.0, 0.0, h);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, -0.5 * 0.1 / options.limits.mass * k * h * k * h, z[0]);
    }
}

// The arm creeps forward through a held device: it lets go when the grip's pull exceeds c.
static void test_a_slow_hand_breaks_the_device_away_at_the_friction(void) {
    pal_sim_options options = sim_held("firm");
    options.friction = 0.26;
    pal_two_mass model = make(&options);
    const pal_hand *g = &options.hand;
    double z[4] = {0.0}, u = 0.0, speed = 1e-4, h = model.step_max;
    while (z[0] == 0.0 && u < 1.0) {
        pal_two_mass_step(&model, z, 0.0, u, u + speed * h, h);
        u += speed * h;
    }
    double pull = g->k_g * z[2]; // the stuck device loads arm and grip in series
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, options.friction, pull);
    TEST_ASSERT_DOUBLE_WITHIN(5e-5, options.friction * (1.0 / g->k_g + 1.0 / g->k_h), u);
}

// Each half swing of a spring with friction loses 2 c / k, and it stops within c / k of the middle.
static void test_a_swing_with_friction_loses_the_same_each_time(void) {
    pal_sim_options options = sim_alone();
    options.friction = 0.05;
    options.hand = (pal_hand){.mass = 1e6, .k_g = 200.0}; // a wall that does not move
    pal_two_mass model = make(&options);
    double band = options.friction / options.hand.k_g, start = 9.5 * band;
    double z[4] = {start, 0.0, 0.0, 0.0}, turn = start;
    int turns = 0;
    for (int k = 0; k < 16000; k++) {
        double before = z[1];
        pal_two_mass_step(&model, z, 0.0, 0.0, 0.0, model.step_max);
        if (before != 0.0 && before * z[1] <= 0.0) {
            turns++;
            TEST_ASSERT_DOUBLE_WITHIN(2e-3 * band, fabs(fabs(turn) - 2.0 * band), fabs(z[0]));
            turn = z[0];
        }
    }
    TEST_ASSERT_EQUAL_INT(5, turns); // 9.5, 7.5, 5.5, 3.5, 1.5, and stuck at 0.5
    TEST_ASSERT_TRUE(z[1] == 0.0 && fabs(z[0]) <= band);
}

static void test_too_stiff_a_device_is_refused(void) {
    pal_sim_options options = sim_alone();
    pal_two_mass model;
    pal_err err;
    options.device_damping = 1e6;
    CHECK_FAILS(PAL_ERR_USAGE, "more mass", pal_two_mass_init(&model, &options, &err), err);
    options.device_damping = 100.0; // stiff, but bearable: v = v0 exp(-t b/m)
    model = make(&options);
    double z[4] = {0.0, 1.0, 0.0, 0.0};
    for (int k = 0; k < 4; k++) {
        pal_two_mass_step(&model, z, 0.0, 0.0, 0.0, model.step_max);
    }
    double exact = exp(-4.0 * model.step_max * options.device_damping / options.limits.mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, exact, z[1]);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_motion_is_that_of_runge_kutta);
    RUN_TEST(test_the_length_of_the_steps_does_not_matter);
    RUN_TEST(test_energy_is_kept_without_damping);
    RUN_TEST(test_a_sliding_device_stops_where_its_energy_is_spent);
    RUN_TEST(test_friction_holds_below_breakaway_and_not_above);
    RUN_TEST(test_a_slow_hand_breaks_the_device_away_at_the_friction);
    RUN_TEST(test_a_swing_with_friction_loses_the_same_each_time);
    RUN_TEST(test_too_stiff_a_device_is_refused);
    return UNITY_END();
}
