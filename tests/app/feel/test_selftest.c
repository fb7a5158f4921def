// The analytic wall in a closed loop with the simulated device agrees with the theory, and the
// command says so, or fails.
#include "app/feel/selftest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/picture.h"
#include "tests/support/program.h"
#include "tests/support/sanitized.h"

static pal_err err;

void setUp(void) {
}
void tearDown(void) {
}

static const double dampings[] = {0.1, 0.5, 1.0}, delays[] = {0.0, 1e-3, 3e-3};

static pal_wall_loop alone(const char *profile, double b, double delay) {
    pal_wall_loop loop;
    pal_wall_loop_defaults(&loop, pal_device_profile(profile));
    loop.device.device_damping = b;
    loop.device.delay = delay;
    loop.device.velocity_filter = 0.0;
    return loop;
}

static double critical(const pal_wall_loop *loop, double B, double guess) {
    double K;
    CHECK_OK(pal_wall_loop_critical_stiffness(loop, B, guess, &K, &err), err);
    return K;
}

// ---- stiffness

// On every device (35 to 300 g), all nine pairs: K is that of the exact border of the sampled loop
// to a thousandth, and that of the law, K < (b + B) / (T/2 + t_d), to a hundredth wherever the
// exact border is. So what is beyond (b = 1, 3 ms on less than 75 g) is the law's own error.
static void test_critical_stiffness_is_that_of_the_exact_border_and_of_the_law_within_it(void) {
    static const char *const device[] = {"touchx", "touch", "premium", "omega", "sigma"};
    for (int k = 0; k < 9 * 5; k += SANITIZED_OR(8, 1)) {
        const int i = k % 9;
        const double b = dampings[i % 3];
        const pal_wall_loop loop = alone(device[k / 9], b, delays[i / 3]);
        const pal_wall_plant plant = pal_wall_loop_plant(&loop);
        for (int share = 0; share < SANITIZED_OR(1, 2); share++) {
            const double B = 0.5 * share * b, law = pal_stability_law(&plant, B);
            const double exact = pal_stability_border(&plant, B);
            const double measured = critical(&loop, B, 1.2 * law);
            TEST_ASSERT_DOUBLE_WITHIN(1e-3 * exact, exact, measured);
            if (fabs(exact / law - 1.0) <= 0.01) {
                TEST_ASSERT_DOUBLE_WITHIN(0.01 * law, law, measured);
            } else { // the longest delay with the most damping, on what is light
                TEST_ASSERT_TRUE(plant.mass < 0.075 && i == 8);
            }
        }
    }
}

// The law is the first term in x = (b + B) tau / m: what it leaves out falls as 1 / m, and is
// 1.30 % for b = 1 N s/m and 3 ms on 45 g.
static void test_what_the_law_leaves_out_falls_with_the_mass(void) {
    const pal_wall_loop loop = alone("touch", 1.0, 3e-3);
    pal_wall_plant plant = pal_wall_loop_plant(&loop);
    double before = 0.0;
    for (int k = 0; k < 5; k++, plant.mass *= 2.0) {
        const double off = pal_stability_border(&plant, 0.0) / pal_stability_law(&plant, 0.0) - 1.0;
        TEST_ASSERT_DOUBLE_WITHIN(k == 0 ? 1e-4 : 0.05 * before, k == 0 ? 0.0130 : 0.5 * before,
                                  off);
        before = off;
    }
}

// On a light device, with any damper, filter and hand: to a thousandth of the exact border.
static void test_critical_stiffness_is_that_of_the_exact_border(void) {
    static const struct {
        double b, B, delay, filter;
        const char *grip;
    } cases[] = {
        {1.0, 0.0, 3e-3, 0.0, "none"},     // 1.3 % above the law
        {0.05, 2.0, 0.0, 3e-3, "none"},    // 45 % below it
        {0.05, 6.0, 1.4e-3, 3e-3, "none"}, // where more damping gives no more
        {0.05, 0.0, 0.0, 3e-3, "loose"},   {0.05, 4.0, 1e-3, 3e-3, "firm"},
    };
    bool known;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += SANITIZED_OR(2, 1)) {
        pal_wall_loop loop = alone("touch", cases[i].b, cases[i].delay);
        loop.device.velocity_filter = cases[i].filter;
        loop.device.hand = pal_hand_grip(cases[i].grip, &known);
        const pal_wall_plant plant = pal_wall_loop_plant(&loop);
        const double border = pal_stability_border(&plant, cases[i].B);
        TEST_ASSERT_DOUBLE_WITHIN(1e-3 * border, border, critical(&loop, cases[i].B, 0.8 * border));
        const double law = pal_stability_law(&plant, cases[i].B);
        TEST_ASSERT_TRUE(fabs(border / law - 1.0) > 0.012); // the simple law says something else
    }
}

// ---- speed

static void test_friction_keeps_swings_stable_up_to_the_speed_of_the_law(void) {
    static const double above[] = {1.5, 2.5, 5.0};
    for (int i = 0; i < 6; i += SANITIZED_OR(3, 1)) {
        pal_wall_loop loop = alone("touch", i < 3 ? 0.1 : 0.5, 0.0);
        loop.device.friction = 0.13;
        const pal_wall_plant plant = pal_wall_loop_plant(&loop);
        const double K = above[i % 3] * pal_stability_law(&plant, 0.0);
        const double law = 4.0 / 3.14159265358979 * 0.13 / (K * 0.5e-3 - plant.damping);
        const double exact = pal_stability_border_speed(&plant, K, 0.0);
        double speed;
        CHECK_OK(pal_wall_loop_critical_speed(&loop, K, 0.0, 0.8 * law, &speed, &err), err);
        TEST_ASSERT_DOUBLE_WITHIN(0.03 * law, law, speed);
        TEST_ASSERT_DOUBLE_WITHIN(0.01 * exact, exact, speed);
    }
}

// A delay of 1 ms on 45 g at five times the law: the first term is 6 % off, the exact loop 3 %.
static void test_where_the_speed_law_ends(void) {
    pal_wall_loop loop = alone("touch", 0.5, 1e-3);
    loop.device.friction = 0.13;
    const pal_wall_plant plant = pal_wall_loop_plant(&loop);
    const double K = 5.0 * pal_stability_law(&plant, 0.0);
    const double law = pal_stability_speed(&plant, K, 0.0);
    double speed;
    CHECK_OK(pal_wall_loop_critical_speed(&loop, K, 0.0, law, &speed, &err), err);
    TEST_ASSERT_TRUE(speed > 1.05 * law && speed < 1.07 * law);
    const double exact = pal_stability_border_speed(&plant, K, 0.0);
    TEST_ASSERT_TRUE(speed > exact && speed < 1.05 * exact);
}

static void test_what_is_not_near_the_guess_is_not_found(void) {
    const pal_wall_loop loop = alone("touch", 0.1, 0.0); // 200 N/m
    TEST_ASSERT_TRUE(isnan(critical(&loop, 0.0, 0.5)));
}

// ---- the passivity controller

static void test_the_controller_holds_what_is_unstable_without_it_up_to_a_bound(void) {
    pal_wall_loop loop = alone("touch", 0.05, 0.0);
    loop.device.velocity_filter = 3e-3;
    loop.speed = 0.1;
    bool grows;
    CHECK_OK(pal_wall_loop_grows(&loop, 2000.0, 0.0, &grows, &err), err);
    TEST_ASSERT_TRUE(grows);
    loop.passivity = true;
    CHECK_OK(pal_wall_loop_grows(&loop, 2000.0, 0.0, &grows, &err), err);
    TEST_ASSERT_FALSE(grows);
    CHECK_OK(pal_wall_loop_grows(&loop, 30000.0, 0.0, &grows, &err), err);
    TEST_ASSERT_TRUE(grows);
    loop.device.delay = 3e-3;
    CHECK_OK(pal_wall_loop_grows(&loop, 2000.0, 0.0, &grows, &err), err);
    TEST_ASSERT_TRUE(grows);
}

// ---- the map and the verdict

static void test_the_map_agrees_with_the_border_and_can_be_drawn(void) {
    pal_wall_loop loop;
    pal_stability_map map;
    pal_chart_series series[PAL_MAP_LINES];
    pal_chart chart;
    pal_wall_loop_defaults(&loop, pal_device_profile("falcon"));
    loop.device.delay = 0.5e-3;
    CHECK_OK(pal_stability_map_make(&map, &loop, pal_device_profile("falcon"), true, NULL, &err),
             err);
    TEST_ASSERT_TRUE(map.agreement > 0.995);
    int64_t stable = 0;
    for (int32_t i = 0; i < map.rows * map.columns; i++) {
        stable += map.value[i] == 1.0;
    }
    TEST_ASSERT_TRUE(stable > map.rows * map.columns / 4 && stable < map.rows * map.columns);
    TEST_ASSERT_EQUAL_INT(6, map.line_count); // its own delay, the law, 0, 1, 3 ms, the maker
    pal_stability_map_chart(&map, series, &chart);
    TEST_ASSERT_TRUE(chart.map == map.value && chart.series_count == 6 && chart.map_zones);
    pal_stability_map_free(&map);
}

static void test_a_verdict_fails_for_each_thing_that_is_off(void) {
    pal_selftest test = {.border_count = 2, .speed_count = 1, .map = {.agreement = 1.0}};
    for (int i = 0; i < 2; i++) {
        test.border[i] = (pal_selftest_border){.law = 100.0, .exact = 100.45, .measured = 100.4};
    }
    test.border[1].law = 90.0; // beyond the law: the border alone counts
    test.speed[0] = (pal_selftest_speed){.law = 1.0, .exact = 1.01, .measured = 1.02};
    for (int i = 0; i < PAL_SELFTEST_GRIPS; i++) {
        test.safe[i] = (pal_selftest_safe){.exact = 50.0, .measured = 50.04};
    }
    pal_selftest_verdict v = pal_selftest_judge(&test);
    TEST_ASSERT_TRUE(v.passed && v.beyond == 1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.004, v.law);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.02, v.speed);
    double *const numbers[] = {&test.border[0].measured, &test.border[1].measured,
                               &test.speed[0].measured, &test.safe[3].measured,
                               &test.map.agreement};
    const double wrong[] = {100.6, 102.0, 1.031, NAN, 0.9};
    for (int i = 0; i < 5; i++) {
        const double right = *numbers[i];
        *numbers[i] = wrong[i];
        TEST_ASSERT_FALSE(pal_selftest_judge(&test).passed);
        *numbers[i] = right;
    }
    TEST_ASSERT_TRUE(pal_selftest_judge(&test).passed);
}

// ---- the command

static void test_the_command_tells_and_draws(void) {
    char png[256]; // the next run uses the scratch name, too
    snprintf(png, sizeof png, "%s", check_scratch("map.png"));
    program_run("selftest --quick --quiet --json --device premium --picture %s", png);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    cJSON *root = program_json();
    TEST_ASSERT_TRUE(cJSON_IsTrue(cJSON_GetObjectItem(root, "passed")));
    const cJSON *worst = cJSON_GetObjectItem(root, "worst");
    TEST_ASSERT_TRUE(program_number(worst, "stiffness_to_exact") < 1e-3);
    TEST_ASSERT_TRUE(program_number(worst, "stiffness_to_law") < 0.01);
    TEST_ASSERT_TRUE(program_number(worst, "beyond_the_law") == 0.0);
    program_array(root, "critical_stiffness", 9);
    const cJSON *none = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "grips"), "none");
    TEST_ASSERT_DOUBLE_WITHIN(1.0, 100.0,
                              program_number(none, "measured_n_per_m")); // 0.05 / 0.5e-3
    TEST_ASSERT_TRUE(program_number(none, "with_friction_n_per_m") > 1000.0);
    cJSON_Delete(root);
    pal_image image;
    TEST_ASSERT_TRUE(picture_read(png, &image));
    pal_image_free(&image);
}

static void test_the_command_refuses_what_it_does_not_know(void) {
    program_run("selftest --device tuoch");
    program_fails(2, "did you mean 'touch'");
    program_run("selftest --delay 0.2");
    program_fails(2, "--delay");
    program_run("selftest --picture map.jpg");
    program_fails(2, ".png");
    program_run("selftest --svg nowhere/there/map.svg");
    TEST_ASSERT_TRUE(program.code != 0);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_critical_stiffness_is_that_of_the_exact_border_and_of_the_law_within_it);
    RUN_TEST(test_what_the_law_leaves_out_falls_with_the_mass);
    RUN_TEST(test_critical_stiffness_is_that_of_the_exact_border);
    RUN_TEST(test_friction_keeps_swings_stable_up_to_the_speed_of_the_law);
    RUN_TEST(test_where_the_speed_law_ends);
    RUN_TEST(test_what_is_not_near_the_guess_is_not_found);
    RUN_TEST(test_the_controller_holds_what_is_unstable_without_it_up_to_a_bound);
    RUN_TEST(test_the_map_agrees_with_the_border_and_can_be_drawn);
    RUN_TEST(test_a_verdict_fails_for_each_thing_that_is_off);
    RUN_TEST(test_the_command_tells_and_draws);
    RUN_TEST(test_the_command_refuses_what_it_does_not_know);
    return UNITY_END();
}
