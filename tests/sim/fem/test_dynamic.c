// Full dynamics under loads over time, and through steps that are too long for Newton.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/basis/eigen.h"
#include "sim/fem/dynamic.h"
#include "sim/fem/static.h"
#include "tests/support/block_body.h"
#include "tests/support/check.h"

enum { MOST_STEPS = 200 };
static const double pi = 3.14159265358979323846;

void setUp(void) {
}

void tearDown(void) {
}

// What is kept of a run: the mean of the vertices x > 0.19, and the energy.
typedef struct history {
    const pal_fem *fem;
    int count;
    double tip[MOST_STEPS + 1][3], energy[MOST_STEPS + 1];
} history;

static bool keep(void *user, int step, double time, const double *u, const double *v,
                 double kinetic, double strain) {
    (void)time;
    (void)v;
    history *h = user;
    TEST_ASSERT_TRUE(step <= MOST_STEPS);
    h->energy[step] = kinetic + strain;
    h->count = step + 1;
    return pal_fem_probe(h->fem, "x>0.19", u, h->tip[step], NULL) == PAL_OK;
}

// Runs a body under a total load on the vertices x > 0.19.
static void run(block_body *body, const double total[3], const pal_dynamic_options *options,
                history *h) {
    pal_err err = {0};
    double *f = calloc(3 * (size_t)body->mesh.vertex_count, sizeof *f);
    h->fem = &body->fem;
    CHECK_OK(pal_fem_add_load(&body->fem, "x>0.19", total, f, &err), err);
    CHECK_OK(pal_dynamic_run(&body->fem, f, options, NULL, keep, h, &err), err);
    free(f);
}

static double half_sine(void *user, double time) {
    double duration = *(double *)user;
    return time < duration ? sin(pi * time / duration) : 0.0;
}

static double one(void *user, double time) {
    (void)user;
    (void)time;
    return 1.0;
}

static const block_shape slender = {.kind = PAL_HEX8, .n = {4, 1, 1}, .h = 0.05};

static void test_a_load_factor_of_one_is_a_load_that_stays(void) {
    block_body body;
    history with, without;
    const double total[3] = {0.0, -0.5, 0.2};
    pal_dynamic_options options = {.dt = 0.005, .steps = 20, .alpha = 0.1, .beta = 1e-3};
    block_open(&body, &slender);
    run(&body, total, &options, &without);
    options.load_factor = one;
    run(&body, total, &options, &with);
    TEST_ASSERT_EQUAL_INT(0, memcmp(with.tip, without.tip, 21 * sizeof with.tip[0]));
    block_close(&body);
}

// A free block of mass m under a half sine wave of force moves off at 2 F T / (pi m).
static void test_a_pulse_gives_a_free_body_its_impulse(void) {
    block_body body;
    history h;
    double duration = 0.02;
    const double total[3] = {3.0, 0.0, 0.0};
    block_shape shape = slender;
    shape.is_free = true;
    shape.material = (pal_material){1e7, 0.3, 1000.0};
    pal_dynamic_options options = {
        .dt = 2e-4, .steps = 200, .beta = 1e-4, .load_factor = half_sine, .load_user = &duration};
    block_open(&body, &shape);
    run(&body, total, &options, &h);
    // Over the second half nothing pushes, and the damping has stilled the waves.
    double speed = (h.tip[200][0] - h.tip[125][0]) / (75.0 * options.dt);
    double expected = 2.0 * total[0] * duration / (pi * body.fem.total_mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * expected, expected, speed);
    block_close(&body);
}

static void test_energy_stays_after_an_undamped_pulse(void) {
    block_body body;
    history h;
    double duration = 0.05;
    const double total[3] = {0.0, -1.0, 0.0};
    pal_dynamic_options options = {
        .dt = 2e-3, .steps = 120, .load_factor = half_sine, .load_user = &duration};
    block_open(&body, &slender);
    run(&body, total, &options, &h);
    for (int k = 26; k < h.count; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(0.02 * h.energy[26], h.energy[26], h.energy[k]);
    }
    block_close(&body);
}

// Long steps under a load that bends the block by three quarters of its length: Newton fails in
// some of them, they are taken in parts, and the damped motion ends in the static equilibrium.
static void test_steps_too_long_for_newton_are_taken_in_parts(void) {
    pal_err err = {0};
    block_body body;
    history h;
    pal_static_report report;
    const double total[3] = {0.0, -10.0, 0.0};
    const pal_dynamic_options options = {.dt = 0.08, .steps = 25, .alpha = 8.0, .beta = 0.009};
    block_open(&body, &slender);
    run(&body, total, &options, &h);
    size_t rows = 3 * (size_t)body.mesh.vertex_count;
    double *f = calloc(rows, sizeof *f), *u = calloc(rows, sizeof *u), tip[3], d[3];
    CHECK_OK(pal_fem_add_load(&body.fem, "x>0.19", total, f, &err), err);
    CHECK_OK(pal_static_solve(&body.fem, f, NULL, NULL, u, &report, &err), err);
    CHECK_OK(pal_fem_probe(&body.fem, "x>0.19", u, tip, &err), err);
    pal_sub3(h.tip[options.steps], tip, d);
    TEST_ASSERT_TRUE(pal_norm3(tip) > 0.14);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * pal_norm3(tip), 0.0, pal_norm3(d));
    free(f);
    free(u);
    block_close(&body);
}

// Steps so long that no part of them is short enough.
static void test_hopeless_steps_are_an_error_that_says_what_to_do(void) {
    pal_err err = {0};
    block_body body;
    const double total[3] = {0.0, -40.0, 0.0};
    const pal_dynamic_options options = {.dt = 0.64, .steps = 40, .alpha = 1.0};
    block_open(&body, &slender);
    double *f = calloc(3 * (size_t)body.mesh.vertex_count, sizeof *f);
    CHECK_OK(pal_fem_add_load(&body.fem, "x>0.19", total, f, &err), err);
    CHECK_FAILS(PAL_ERR_NUMERIC, "smaller --dt",
                pal_dynamic_run(&body.fem, f, &options, NULL, NULL, NULL, &err), err);
    free(f);
    block_close(&body);
}

static void test_no_memory_is_lost_when_there_is_too_little(void) {
    pal_err err = {0};
    block_body body;
    const double total[3] = {0.0, -0.1, 0.0};
    const pal_dynamic_options options = {.dt = 0.005, .steps = 2, .beta = 1e-3};
    block_open(&body, &slender);
    double *f = calloc(3 * (size_t)body.mesh.vertex_count, sizeof *f);
    CHECK_OK(pal_fem_add_load(&body.fem, "x>0.19", total, f, &err), err);
    pal_status status = PAL_ERR_MEMORY;
    for (int allowed = 0; status != PAL_OK && allowed < 1000; allowed++) {
        pal_memory_fail_after(allowed);
        status = pal_dynamic_run(&body.fem, f, &options, NULL, NULL, NULL, &err);
        pal_memory_fail_after(-1);
        TEST_ASSERT_TRUE(status == PAL_OK || status == PAL_ERR_MEMORY);
    }
    TEST_ASSERT_EQUAL_INT(PAL_OK, status);
    free(f);
    block_close(&body);
}

// Begun with a small velocity along its first mode, a body swings as that mode alone does: to
// s / omega after a quarter of the period, and its energy stays what it began with.
static void test_a_velocity_at_the_start_swings_in_its_mode(void) {
    block_body body;
    history h;
    pal_modes modes;
    pal_err err = {0};
    const double none[3] = {0.0, 0.0, 0.0}, speed = 1e-5;
    enum { STEPS = 100 };
    block_open(&body, &slender);
    CHECK_OK(pal_modes_solve(&body.fem, 1, NULL, &modes, &err), err);
    const double omega = sqrt(modes.lambda[0]);
    double *velocity = calloc((size_t)modes.rows, sizeof *velocity), tip[3];
    for (int64_t i = 0; i < modes.rows; i++) {
        velocity[i] = speed * modes.psi[i];
    }
    const pal_dynamic_options options = {
        .dt = 0.5 * pi / omega / STEPS, .steps = STEPS, .velocity = velocity};
    run(&body, none, &options, &h);
    CHECK_OK(pal_fem_probe(&body.fem, "x>0.19", velocity, tip, &err), err);
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-3 * pal_norm3(tip) / omega, tip[c] / omega, h.tip[STEPS][c]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * speed * speed, 0.5 * speed * speed, h.energy[0]);
    for (int k = 1; k <= STEPS; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-4 * h.energy[0], h.energy[0], h.energy[k]);
    }
    free(velocity);
    pal_modes_free(&modes);
    block_close(&body);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_load_factor_of_one_is_a_load_that_stays);
    RUN_TEST(test_a_pulse_gives_a_free_body_its_impulse);
    RUN_TEST(test_energy_stays_after_an_undamped_pulse);
    RUN_TEST(test_steps_too_long_for_newton_are_taken_in_parts);
    RUN_TEST(test_hopeless_steps_are_an_error_that_says_what_to_do);
    RUN_TEST(test_no_memory_is_lost_when_there_is_too_little);
    RUN_TEST(test_a_velocity_at_the_start_swings_in_its_mode);
    return UNITY_END();
}
