// Velocity over an adaptive window: smooth over the steps of an encoder, and not late at a turn.
#include "haptics/window.h"

#include <math.h>

#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static const double dt = 1e-3, step = 55e-6;

static double count(double x) {
    return step * round(x / step);
}

// The velocity after this reading, along x; y and z stand still.
static double add(pal_window *window, double x) {
    double velocity[3];
    pal_window_add(window, (const double[3]){x, 1.0, -1.0});
    pal_window_velocity(window, dt, velocity);
    TEST_ASSERT_TRUE(velocity[1] == 0.0 && velocity[2] == 0.0);
    return velocity[0];
}

static void test_there_is_none_before_the_second_reading(void) {
    pal_window window;
    pal_window_init(&window, step);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, add(&window, 0.3));
    TEST_ASSERT_EQUAL_DOUBLE(0.0, add(&window, 0.3));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, step / 2.0 / dt, add(&window, 0.3 + step));
}

// The bare difference is off by up to a step a tick: 55 mm/s. Over a window of n it is one nth.
static void test_an_even_motion_is_smooth_at_every_speed(void) {
    const double speeds[] = {0.003, -0.01, 0.03, 0.1, -0.5};
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        pal_window window;
        pal_window_init(&window, step);
        double last = 0.0;
        for (int k = 0; k < 300; k++) {
            double v = add(&window, count(speeds[i] * dt * k));
            if (k > PAL_WINDOW) {
                TEST_ASSERT_DOUBLE_WITHIN(1.1 * step / (PAL_WINDOW * dt), speeds[i], v);
                TEST_ASSERT_TRUE(fabs(v - last) < 1.5 * step / (PAL_WINDOW * dt));
            }
            last = v;
        }
    }
}

static void test_a_turn_is_seen_within_a_few_ticks(void) {
    pal_window window;
    pal_window_init(&window, step);
    for (int k = 0; k < 100; k++) {
        add(&window, count(0.1 * dt * k));
    }
    double v = 0.0;
    for (int k = 1; k <= 4; k++) {
        v = add(&window, count(0.1 * dt * (99 - k)));
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.04, -0.1, v);
}

static void test_what_stands_still_has_no_velocity(void) {
    pal_window window;
    pal_window_init(&window, step);
    double v = 0.0;
    for (int k = 0; k < 100; k++) {
        v = add(&window, count(0.1 * dt * (k < 50 ? k : 50)));
    }
    TEST_ASSERT_EQUAL_DOUBLE(0.0, v);
    for (int k = 0; k < 4 * PAL_WINDOW; k++) { // between two steps, back and forth
        v = add(&window, k % 2 == 0 ? step : 0.0);
        TEST_ASSERT_TRUE(k < PAL_WINDOW || fabs(v) <= 1.01 * step / (PAL_WINDOW - 1) / dt);
    }
}

static void test_a_reading_that_is_no_number_passes(void) {
    pal_window window;
    pal_window_init(&window, step);
    for (int k = 0; k < 10; k++) {
        add(&window, 1e-4 * k);
    }
    pal_window_add(&window, (const double[3]){NAN, 1.0, -1.0});
    double v = 0.0;
    for (int k = 11; k < 11 + PAL_WINDOW; k++) {
        v = add(&window, 1e-4 * k);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.1, v);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_there_is_none_before_the_second_reading);
    RUN_TEST(test_an_even_motion_is_smooth_at_every_speed);
    RUN_TEST(test_a_turn_is_seen_within_a_few_ticks);
    RUN_TEST(test_what_stands_still_has_no_velocity);
    RUN_TEST(test_a_reading_that_is_no_number_passes);
    return UNITY_END();
}
