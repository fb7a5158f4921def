// Laws of a tool with mass: it keeps its momentum, settles on the hand, and presses as one without.
#include <math.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/hands_bench.h"
#include "tests/support/live_block.h"

void setUp(void) {
}
void tearDown(void) {
}

static const double radius = 5e-3, mass = 0.02, inertia = 2e-5;
static const double none[3] = {0.0, 0.0, 0.0};
static const double far = 0.2, middle = 0.03, top = LIVE_BLOCK_TOP;

static hands_bench b;

static void open_dynamic(double length, double damping, double turn_damping) {
    pal_tool_options tool = hands_tool(radius, length, 240.0, 0.4);
    pal_tool_make_dynamic(&tool, mass, inertia, 0.0, 0.0);
    tool.damping = damping >= 0.0 ? damping : tool.damping;
    tool.turn_damping = turn_damping >= 0.0 ? turn_damping : tool.turn_damping;
    hands_bench_open(&b, live_block_model(), &tool, 1);
}

static double distance(const double a[3], const double c[3]) {
    double d[3];
    pal_sub3(a, c, d);
    return pal_norm3(d);
}

// The hand goes off at 0.2 m/s and stops at once; what it feels in sum is the tool's momentum.
static void test_the_hand_feels_the_momentum_of_a_tool_that_it_stops(void) {
    const double damping[] = {-1.0, 0.0};
    for (int i = 0; i < 2; i++) {
        double impulse[3] = {0.0}, x = 0.0;
        open_dynamic(0.0, damping[i], -1.0);
        hands_bench_put(&b, 0, (double[3]){x, middle, far}, none);
        hands_bench_step(&b);
        for (int k = 0; k < 500; k++) {
            x += 2e-4;
            hands_bench_put(&b, 0, (double[3]){x, middle, far}, none);
            hands_bench_step(&b);
        }
        const double before = b.tool[0].velocity[0];
        if (damping[i] != 0.0) { // it goes with the hand, which bears nothing
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.2, before);
            TEST_ASSERT_TRUE(pal_norm3(b.tool[0].felt) < 1e-6);
        }
        double most = 0.0;
        for (int k = 0; k < 40; k++) {
            hands_bench_step(&b);
            for (int c = 0; c < 3; c++) {
                impulse[c] += HANDS_DT * b.tool[0].felt[c];
            }
            most = fmax(most, b.tool[0].pose.x[0] - x);
        }
        // m v' = m v - sum of what the coupling bears, to rounding
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, mass * (before - b.tool[0].velocity[0]), impulse[0]);
        TEST_ASSERT_TRUE(most > 2e-4); // it swings on
        TEST_ASSERT_TRUE(pal_norm3(b.tool[0].force) == 0.0);
        hands_bench_close(&b);
    }
}

static void test_a_turning_tool_keeps_its_spin_and_settles_on_the_hand(void) {
    double impulse = 0.0, off[3];
    open_dynamic(0.05, -1.0, -1.0);
    hands_bench_put(&b, 0, (double[3]){0.0, middle, far}, none);
    hands_bench_step(&b);
    hands_bench_travel(&b, 0, b.at[0].x, (double[3]){0.0, 0.0, 1.0}, 500, 0);
    const double before = b.tool[0].spin[2];
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 2.0, before);
    for (int k = 0; k < 30; k++) {
        hands_bench_step(&b);
        impulse += HANDS_DT * b.tool[0].felt_torque[2];
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, inertia * (before - b.tool[0].spin[2]), impulse);
    for (int k = 0; k < 500; k++) {
        hands_bench_step(&b);
    }
    pal_turn_between(b.tool[0].pose.turn, b.at[0].turn, off);
    TEST_ASSERT_TRUE(pal_norm3(off) < 1e-9 && pal_norm3(b.tool[0].felt_torque) < 1e-9);
    hands_bench_close(&b);
}

static void test_a_free_swing_settles_on_the_hand(void) {
    open_dynamic(0.0, -1.0, -1.0);
    hands_bench_put(&b, 0, (double[3]){0.0, middle, far}, none);
    hands_bench_step(&b);
    hands_bench_travel(&b, 0, (double[3]){0.05, middle, far}, none, 50, 0);
    TEST_ASSERT_TRUE(distance(b.tool[0].pose.x, b.at[0].x) > 1e-4);
    for (int k = 0; k < 500; k++) {
        hands_bench_step(&b);
    }
    TEST_ASSERT_TRUE(distance(b.tool[0].pose.x, b.at[0].x) < 1e-9);
    TEST_ASSERT_TRUE(pal_norm3(b.tool[0].felt) < 1e-6);
    hands_bench_close(&b);
}

// What a slow press is felt as, force and torque, with the mass or without.
static void press(double length, bool dynamic, double x, double z, const double turn[3],
                  double felt[6]) {
    pal_tool_options tool = hands_tool(radius, length, 240.0, 0.4);
    tool.fixed_coupling = true;
    if (dynamic) {
        pal_tool_make_dynamic(&tool, mass, inertia, 0.0, 0.0);
    }
    hands_bench_open(&b, live_block_model(), &tool, 1);
    hands_bench_put(&b, 0, (double[3]){x, middle, top + 0.01}, turn);
    hands_bench_step(&b);
    hands_bench_travel(&b, 0, (double[3]){x, middle, z}, turn, 2000, 1500);
    memcpy(felt, b.tool[0].felt, 3 * sizeof *felt);
    memcpy(felt + 3, b.tool[0].felt_torque, 3 * sizeof *felt);
    hands_bench_close(&b);
}

static void test_static_and_dynamic_agree_in_a_slow_press(void) {
    const double lying[3] = {0.0, 1.5707963267948966, 0.0};
    double without[6], with[6];
    press(0.0, false, middle, top + 0.002, none, without);
    press(0.0, true, middle, top + 0.002, none, with);
    TEST_ASSERT_TRUE(without[2] > 0.05);
    TEST_ASSERT_DOUBLE_WITHIN(0.005 * without[2], without[2], with[2]);

    // A shaft may settle on other points of the surface, with another lever
    press(0.08, false, -0.01, top + 0.002, lying, without);
    press(0.08, true, -0.01, top + 0.002, lying, with);
    TEST_ASSERT_TRUE(without[2] > 0.05 && without[4] < -1e-3);
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * without[2], without[2], with[2]);
    TEST_ASSERT_DOUBLE_WITHIN(0.12 * fabs(without[4]), without[4], with[4]);
}

// Implicit: however stiff the coupling, a strike stays outside and comes to rest.
static void test_a_stiff_coupling_is_stable_in_a_strike(void) {
    const double stiffness[] = {100.0, 1e4, 1e6};
    for (int i = 0; i < 3; i++) {
        pal_tool_options tool = hands_tool(radius, 0.0, stiffness[i], 0.0);
        pal_tool_make_dynamic(&tool, mass, inertia, 0.0, 0.0);
        hands_bench_open(&b, live_block_model(), &tool, 1);
        hands_bench_put(&b, 0, (double[3]){middle, middle, top + 0.05}, none);
        hands_bench_step(&b);
        hands_bench_travel(&b, 0, (double[3]){middle, middle, top + 0.002}, none, 48, 1500);
        TEST_ASSERT_TRUE(b.tool[0].depth < 1e-3 && b.tool[0].force[2] > 0.0);
        TEST_ASSERT_TRUE(pal_norm3(b.tool[0].velocity) < 1e-4);
        TEST_ASSERT_DOUBLE_WITHIN(0.01 * b.tool[0].force[2], b.tool[0].force[2], b.tool[0].felt[2]);
        hands_bench_close(&b);
    }
}

// A tool with mass that begins in the body waits as any other, and then has no speed.
static void test_it_begins_at_rest_when_it_comes_out(void) {
    open_dynamic(0.0, -1.0, -1.0);
    hands_bench_put(&b, 0, (double[3]){middle, middle, 0.015}, none);
    hands_bench_step(&b);
    for (int k = 0; k < 60; k++) {
        hands_bench_put(&b, 0, (double[3]){middle, middle, 0.015 + 5e-4 * k}, none);
        hands_bench_step(&b);
        TEST_ASSERT_TRUE(pal_norm3(b.tool[0].force) == 0.0);
        TEST_ASSERT_TRUE(b.tool[0].cleared || pal_norm3(b.tool[0].felt) == 0.0);
    }
    TEST_ASSERT_TRUE(b.tool[0].cleared);
    hands_bench_close(&b);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_hand_feels_the_momentum_of_a_tool_that_it_stops);
    RUN_TEST(test_a_turning_tool_keeps_its_spin_and_settles_on_the_hand);
    RUN_TEST(test_a_free_swing_settles_on_the_hand);
    RUN_TEST(test_static_and_dynamic_agree_in_a_slow_press);
    RUN_TEST(test_a_stiff_coupling_is_stable_in_a_strike);
    RUN_TEST(test_it_begins_at_rest_when_it_comes_out);
    return UNITY_END();
}
