// A gamepad's sticks as a hand.
#include "devices/gamepad.h"

#include <math.h>

#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static const double right[3] = {0.0, 1.0, 0.0}, up[3] = {0.0, 0.0, 1.0}, back[3] = {1.0, 0.0, 0.0};

static pal_wish step(pal_gamepad_state state, double dt, int times) {
    const pal_gamepad_options options = pal_gamepad_defaults();
    pal_wish wish = {.pose = PAL_POSE_IDENTITY};
    for (int k = 0; k < times; k++) {
        pal_gamepad_step(&options, &state, right, up, back, dt, &wish);
    }
    return wish;
}

static void test_a_stick_in_its_dead_zone_does_nothing_and_grows_from_its_rim(void) {
    double out[2];
    for (int k = 0; k < 36; k++) {
        const double angle = 0.1745 * k;
        pal_gamepad_shape((double[2]){0.149 * cos(angle), 0.149 * sin(angle)}, 0.15, out);
        TEST_ASSERT_TRUE(out[0] == 0.0 && out[1] == 0.0);
        pal_gamepad_shape((double[2]){0.16 * cos(angle), 0.16 * sin(angle)}, 0.15, out);
        TEST_ASSERT_TRUE(hypot(out[0], out[1]) < 1e-3 && hypot(out[0], out[1]) > 0.0);
        pal_gamepad_shape((double[2]){cos(angle), sin(angle)}, 0.15, out);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, cos(angle), out[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, sin(angle), out[1]);
    }
    pal_gamepad_shape((double[2]){1.0, 1.0}, 0.15, out); // square gates
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, hypot(out[0], out[1]));
    pal_gamepad_shape((double[2]){NAN, 1.0}, 0.15, out);
    TEST_ASSERT_TRUE(out[0] == 0.0 && out[1] == 0.0);
    pal_gamepad_shape((double[2]){INFINITY, 1.0}, 0.15, out);
    TEST_ASSERT_TRUE(out[0] == 0.0 && out[1] == 0.0);
}

static void test_the_sticks_move_as_the_eye_sees_it(void) {
    const double speed = pal_gamepad_defaults().speed;
    pal_wish wish = step((pal_gamepad_state){.left = {1.0, 0.0}}, 0.01, 100);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, speed, wish.pose.x[1]);
    wish = step((pal_gamepad_state){.left = {0.0, 1.0}}, 0.01, 100);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, speed, wish.pose.x[2]);
    wish = step((pal_gamepad_state){.trigger = {0.0, 1.0}}, 0.01, 100); // away from the eye
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, -speed, wish.pose.x[0]);
    wish = step((pal_gamepad_state){.trigger = {1.0, 1.0}}, 0.01, 100);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, wish.pose.x[0]);
    wish = step((pal_gamepad_state){.trigger = {-1.0, -1.0}}, 0.01, 100);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, wish.pose.x[0]);
}

static void test_the_way_does_not_depend_on_the_frame_rate(void) {
    const pal_gamepad_state state = {.left = {0.5, -0.3}, .right = {0.4, 0.0}};
    const pal_wish a = step(state, 1.0 / 30.0, 30), b = step(state, 1.0 / 240.0, 240);
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, a.pose.x[c], b.pose.x[c]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, a.pose.turn[c], b.pose.turn[c]);
    }
}

static void test_a_frame_that_hung_makes_no_jump(void) {
    const pal_gamepad_state state = {.left = {1.0, 0.0}};
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.1 * pal_gamepad_defaults().speed,
                              step(state, 30.0, 1).pose.x[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, step(state, -1.0, 1).pose.x[1]);
}

static void test_it_turns_and_presses_and_is_precise(void) {
    double by[3];
    pal_wish wish = step((pal_gamepad_state){.right = {1.0, 0.0}, .buttons = 1}, 0.01, 100);
    pal_turn_to_vector(wish.pose.turn, by);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, pal_gamepad_defaults().spin, by[2]);
    TEST_ASSERT_EQUAL_UINT32(1, wish.buttons);
    wish = step((pal_gamepad_state){.left = {1.0, 0.0}, .buttons = PAL_GAMEPAD_PRECISE}, 0.01, 100);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.25 * pal_gamepad_defaults().speed, wish.pose.x[1]);
    TEST_ASSERT_EQUAL_UINT32(0, wish.buttons);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_stick_in_its_dead_zone_does_nothing_and_grows_from_its_rim);
    RUN_TEST(test_the_sticks_move_as_the_eye_sees_it);
    RUN_TEST(test_the_way_does_not_depend_on_the_frame_rate);
    RUN_TEST(test_a_frame_that_hung_makes_no_jump);
    RUN_TEST(test_it_turns_and_presses_and_is_precise);
    return UNITY_END();
}
