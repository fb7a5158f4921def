// Laws of the step with contact: a ball on a soft block, moved by a hand that does not give way.
#include <math.h>

#include "tests/support/check.h"
#include "tests/support/live_block.h"
#include "tests/support/touch_bench.h"

void setUp(void) {
}
void tearDown(void) {
}

static const double above = LIVE_BLOCK_TOP + 0.005; // where the ball just touches

static void test_free_space_is_exactly_free(void) {
    touch_bench b;
    touch_bench_open(&b, live_block_model(), 200.0);
    touch_bench_go(&b, 0.03, 0.03, above + 0.01);
    touch_bench_travel(&b, 0.04, 0.02, above + 5e-4, 100, 50);
    TEST_ASSERT_TRUE(pal_norm3(b.tool.force) == 0.0 && b.tool.set.count == 0);
    for (int32_t i = 0; i < b.live.body.size; i++) {
        TEST_ASSERT_TRUE(b.live.body.q[i] == 0.0);
    }
    TEST_ASSERT_TRUE(b.tool.pose.x[0] == 0.04); // the tool is where the hand is
    touch_bench_close(&b);
}

static void test_a_press_pushes_up_and_grows_with_depth_and_ends_with_it(void) {
    touch_bench b;
    touch_bench_open(&b, live_block_model(), 200.0);
    touch_bench_go(&b, 0.03, 0.03, above + 0.002);
    double last = 0.0;
    for (int mm = 1; mm <= 5; mm++) {
        touch_bench_travel(&b, 0.03, 0.03, above - 1e-3 * mm, 200, 300);
        TEST_ASSERT_TRUE(b.tool.force[2] > last);
        TEST_ASSERT_TRUE(fabs(b.tool.force[0]) < 0.02 * b.tool.force[2]);
        TEST_ASSERT_TRUE(b.tool.depth < 3e-4);
        last = b.tool.force[2];
    }
    TEST_ASSERT_TRUE(last > 0.05);
    // In balance: what the tool feels, the block carries
    double carried[PAL_MAX_R], norm = 0.0, off = 0.0;
    pal_newmark_evaluate(b.live.newmark, b.live.body.q, carried, NULL);
    for (int32_t i = 0; i < b.live.body.size; i++) {
        off += (carried[i] - b.world->reduced[i]) * (carried[i] - b.world->reduced[i]);
        norm += carried[i] * carried[i];
    }
    TEST_ASSERT_TRUE(off < 1e-6 * norm && norm > 0.0);
    touch_bench_travel(&b, 0.03, 0.03, above + 0.01, 100, 10);
    TEST_ASSERT_TRUE(pal_norm3(b.tool.force) == 0.0);
    touch_bench_close(&b);
}

// The hand never meets more than the stiffness that its device bears.
static void test_the_coupling_makes_up_what_the_body_lacks_in_softness(void) {
    touch_bench b;
    touch_bench_open(&b, live_block_model(), 50.0);
    touch_bench_go(&b, 0.03, 0.03, above + 0.002);
    touch_bench_travel(&b, 0.03, 0.03, above - 4e-3, 400, 300);
    const double first = b.tool.force[2];
    touch_bench_go(&b, 0.03, 0.03, above - 4.1e-3);
    TEST_ASSERT_TRUE(b.tool.compliance > 0.0);
    TEST_ASSERT_DOUBLE_WITHIN(0.05 * 50.0, 50.0, (b.tool.force[2] - first) / 1e-4);
    touch_bench_close(&b);
}

static void test_friction_holds_up_to_its_cone_and_rubs_with_its_ratio(void) {
    touch_bench b;
    touch_bench_open(&b, live_block_model(), 200.0);
    b.live.law[0].static_friction = 0.5;
    b.live.law[0].dynamic_friction = 0.3;
    touch_bench_go(&b, 0.025, 0.03, above + 0.002);
    touch_bench_travel(&b, 0.025, 0.03, above - 3e-3, 300, 300);
    double breakaway = 0.0, sum = 0.0;
    int count = 0;
    for (int k = 1; k <= 1500; k++) { // 10 mm/s
        touch_bench_go(&b, 0.025 + 1e-5 * k, 0.03, above - 3e-3);
        const double ratio = -b.tool.force[0] / b.tool.force[2];
        breakaway = fmax(breakaway, ratio);
        if (k > 1000) {
            sum += ratio;
            count++;
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.05 * 0.5, 0.5, breakaway);
    TEST_ASSERT_DOUBLE_WITHIN(0.05 * 0.3, 0.3, sum / count);
    touch_bench_close(&b);
}

// Without friction the force is square to the surface, and sliding over the block makes no steps.
static void test_sliding_makes_no_steps(void) {
    touch_bench b;
    touch_bench_open(&b, live_block_model(), 200.0);
    touch_bench_go(&b, 0.02, 0.025, above + 0.002);
    touch_bench_travel(&b, 0.02, 0.025, above - 3e-3, 300, 300);
    double last = b.tool.force[2], step = 0.0;
    for (int k = 1; k <= 1000; k++) {
        touch_bench_go(&b, 0.02 + 2e-5 * k, 0.025 + 1e-5 * k, above - 3e-3);
        step = fmax(step, fabs(b.tool.force[2] - last) / last);
        last = b.tool.force[2];
    }
    TEST_ASSERT_TRUE(step < 0.02);
    touch_bench_close(&b);
}

static void test_a_tool_that_begins_inside_waits_until_it_is_out(void) {
    touch_bench b;
    touch_bench_open(&b, live_block_model(), 200.0);
    touch_bench_go(&b, 0.03, 0.03, 0.015); // in the middle of the block: no surface within the ball
    touch_bench_travel(&b, 0.03, 0.03, above - 2e-3, 200, 10);
    TEST_ASSERT_TRUE(pal_norm3(b.tool.force) == 0.0 && !b.tool.cleared);
    touch_bench_travel(&b, 0.03, 0.03, above + 2e-3, 100, 10);
    TEST_ASSERT_TRUE(b.tool.cleared);
    touch_bench_travel(&b, 0.03, 0.03, above - 2e-3, 100, 10);
    TEST_ASSERT_TRUE(b.tool.force[2] > 0.01);
    touch_bench_close(&b);
}

static void test_a_grasp_pulls_the_body_along_and_lets_go(void) {
    touch_bench b;
    touch_bench_open(&b, live_block_model(), 200.0);
    b.tool.options.grasp_stiffness = 500.0;
    touch_bench_go(&b, 0.03, 0.03, above + 0.002);
    touch_bench_travel(&b, 0.03, 0.03, above, 100, 10);
    pal_pose goal = b.tool.goal;
    for (int k = 1; k <= 500; k++) {
        goal.x[2] = above + 1e-5 * k;
        pal_tool_aim(&b.tool, &goal, true);
        pal_step(b.world);
    }
    TEST_ASSERT_TRUE(b.tool.held.on && b.tool.force[2] < -0.05); // the block pulls the tool down
    TEST_ASSERT_TRUE(b.live.body.q[0] != 0.0);
    touch_bench_travel(&b, 0.03, 0.03, above + 0.005, 1, 500);
    TEST_ASSERT_TRUE(!b.tool.held.on && pal_norm3(b.tool.force) == 0.0);
    touch_bench_close(&b);
}

static void test_adhesion_pulls_before_it_tears_off(void) {
    touch_bench b;
    touch_bench_open(&b, live_block_model(), 200.0);
    b.live.law[0].adhesion = 2000.0; // N/m^2
    touch_bench_go(&b, 0.03, 0.03, above + 0.002);
    touch_bench_travel(&b, 0.03, 0.03, above - 2e-3, 200, 200);
    double least = 0.0;
    for (int k = 1; k <= 600; k++) {
        touch_bench_go(&b, 0.03, 0.03, above - 2e-3 + 1e-5 * k);
        least = fmin(least, b.tool.force[2]);
    }
    TEST_ASSERT_TRUE(least < -1e-3);
    TEST_ASSERT_TRUE(pal_norm3(b.tool.force) == 0.0);
    touch_bench_close(&b);
}

static void test_a_number_that_is_none_makes_no_force(void) {
    touch_bench b;
    touch_bench_open(&b, live_block_model(), 200.0);
    touch_bench_go(&b, 0.03, 0.03, above + 0.002);
    touch_bench_travel(&b, 0.03, 0.03, above - 2e-3, 200, 10);
    b.load[0] = NAN;
    TEST_ASSERT_TRUE(touch_bench_go(&b, 0.03, 0.03, above - 2e-3) & PAL_OUT_NAN);
    TEST_ASSERT_TRUE(pal_norm3(b.tool.force) == 0.0);
    b.load[0] = 0.0;
    touch_bench_travel(&b, 0.03, 0.03, above + 2e-3, 100, 10);
    touch_bench_travel(&b, 0.03, 0.03, above - 2e-3, 100, 10);
    TEST_ASSERT_TRUE(b.tool.force[2] > 0.01);
    touch_bench_close(&b);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_free_space_is_exactly_free);
    RUN_TEST(test_a_press_pushes_up_and_grows_with_depth_and_ends_with_it);
    RUN_TEST(test_the_coupling_makes_up_what_the_body_lacks_in_softness);
    RUN_TEST(test_friction_holds_up_to_its_cone_and_rubs_with_its_ratio);
    RUN_TEST(test_sliding_makes_no_steps);
    RUN_TEST(test_a_tool_that_begins_inside_waits_until_it_is_out);
    RUN_TEST(test_a_grasp_pulls_the_body_along_and_lets_go);
    RUN_TEST(test_adhesion_pulls_before_it_tears_off);
    RUN_TEST(test_a_number_that_is_none_makes_no_force);
    return UNITY_END();
}
