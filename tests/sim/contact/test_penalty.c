// The penalty form of contact against the compliance form, and its own laws.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/live_block.h"
#include "tests/support/sanitized.h"
#include "tests/support/sheet.h"
#include "tests/support/touch_bench.h"

static const double middle = 0.03, clear = 0.002; // m
static const double bears = 600.0;                // N/m, of the device

void setUp(void) {
}
void tearDown(void) {
}

static void open_bench(touch_bench *b, pal_contact_form form, int32_t most) {
    touch_bench_open(b, live_block_model(), bears);
    b->world->form = form;
    b->tool.options.most = most;
}

// The force of a slow press `depth` deep, and how far the tool's place is below the surface.
static double press(pal_contact_form form, int32_t most, double depth, double *z) {
    touch_bench b;
    const double top = LIVE_BLOCK_TOP + TOUCH_RADIUS;
    open_bench(&b, form, most);
    touch_bench_go(&b, middle, middle, top + clear);
    touch_bench_travel(&b, middle, middle, top - depth, 600, 400);
    const double force = b.tool.force[2];
    *z = b.tool.pose.x[2];
    touch_bench_close(&b);
    return force;
}

static void test_a_slow_press_is_that_of_the_compliance_form(void) {
    static const int32_t most[] = {1, 4, 32};
    static const double depth[] = {1e-3, 3e-3};
    for (size_t m = 0; m < sizeof most / sizeof *most; m++) {
        for (size_t d = 0; d < sizeof depth / sizeof *depth; d++) {
            if (IS_SANITIZED && m != 2 * d) { // one touch, and many deeper
                continue;
            }
            double z[2];
            const double by_w = press(PAL_CONTACT_COMPLIANCE, most[m], depth[d], &z[0]);
            const double by_springs = press(PAL_CONTACT_PENALTY, most[m], depth[d], &z[1]);
            printf("%d touches, %.0f mm: %.4f N and %.4f N, tools at %.4f and %.4f mm\n",
                   (int)most[m], 1e3 * depth[d], by_w, by_springs, 1e3 * z[0], 1e3 * z[1]);
            TEST_ASSERT_TRUE(by_w > 0.05);
            TEST_ASSERT_DOUBLE_WITHIN(0.03 * by_w, by_w, by_springs);
            TEST_ASSERT_DOUBLE_WITHIN(0.03 * depth[d], z[0], z[1]);
        }
    }
}

static void test_free_space_is_free(void) {
    touch_bench b;
    open_bench(&b, PAL_CONTACT_PENALTY, 32);
    for (int k = 0; k < SANITIZED_OR(100, 500); k++) {
        const double x = middle + 0.02 * sin(0.05 * k);
        touch_bench_go(&b, x, middle, LIVE_BLOCK_TOP + TOUCH_RADIUS + 3e-3);
        for (int c = 0; c < 3; c++) {
            TEST_ASSERT_TRUE(b.tool.force[c] == 0.0 && b.tool.torque[c] == 0.0);
            TEST_ASSERT_TRUE(b.tool.pose.x[c] == b.tool.goal.x[c]);
        }
    }
    for (int32_t l = 0; l < b.live.body.size; l++) {
        TEST_ASSERT_TRUE(b.live.body.q[l] == 0.0);
    }
    touch_bench_close(&b);
}

// A rod that may turn in the hand, laid on a sheet off its middle: what is left when it rests.
static void lay_rod(pal_contact_form form, double force[3], double torque[3], double place[3]) {
    sheet s;
    const double lying = 0.5 * 1.5707963;
    sheet_open(&s, sheet_model(false), 5e-3, 0.03, bears);
    s.world->form = form;
    s.tool.options.fixed_coupling = true;
    s.tool.options.turn_stiffness = 0.5;
    pal_pose goal = PAL_POSE_IDENTITY;
    goal.turn[0] = cos(lying);
    goal.turn[2] = sin(lying);
    for (int k = 0; k < 1500; k++) {
        const double high = 4e-3 * (1.0 - fmin(1.0, k / 500.0));
        memcpy(goal.x, (double[3]){0.022, 0.027, SHEET_THICK + 3.5e-3 + high}, sizeof goal.x);
        TEST_ASSERT_EQUAL_UINT32(0, sheet_go(&s, &goal) & PAL_OUT_NAN);
    }
    memcpy(force, s.tool.force, sizeof s.tool.force);
    memcpy(torque, s.tool.torque, sizeof s.tool.torque);
    memcpy(place, s.tool.pose.x, sizeof s.tool.pose.x);
    sheet_close(&s);
}

static void test_torques_are_those_of_the_compliance_form(void) {
    double f[2][3], m[2][3], x[2][3];
    lay_rod(PAL_CONTACT_COMPLIANCE, f[0], m[0], x[0]);
    lay_rod(PAL_CONTACT_PENALTY, f[1], m[1], x[1]);
    printf("%.4f N, %.3f mN m and %.4f N, %.3f mN m\n", pal_norm3(f[0]), 1e3 * pal_norm3(m[0]),
           pal_norm3(f[1]), 1e3 * pal_norm3(m[1]));
    TEST_ASSERT_TRUE(pal_norm3(m[0]) > 1e-3);
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_DOUBLE_WITHIN(0.03 * pal_norm3(f[0]), f[0][c], f[1][c]);
        TEST_ASSERT_DOUBLE_WITHIN(0.03 * pal_norm3(m[0]), m[0][c], m[1][c]);
        TEST_ASSERT_DOUBLE_WITHIN(5e-5, x[0][c], x[1][c]);
    }
}

// Struck, dragged and drawn off again, no touch ever pulls at the tool.
static void test_it_never_pulls(void) {
    touch_bench b;
    double most = 0.0;
    open_bench(&b, PAL_CONTACT_PENALTY, 32);
    for (int k = 0; k < SANITIZED_OR(1000, 4000); k++) {
        const double z =
            LIVE_BLOCK_TOP + TOUCH_RADIUS + 2e-3 - 6e-3 * fabs(sin(2e-3 * k * k / 400.0));
        TEST_ASSERT_EQUAL_UINT32(0, touch_bench_go(&b, middle + 0.01 * sin(0.01 * k), middle, z) &
                                        PAL_OUT_NAN);
        for (int32_t i = 0; i < b.tool.last.count; i++) {
            TEST_ASSERT_TRUE(pal_dot3(b.tool.last.force[i], b.tool.set.item[i].normal) >= 0.0);
        }
        most = fmax(most, pal_norm3(b.tool.force));
    }
    TEST_ASSERT_TRUE(most > 0.3);
    touch_bench_close(&b);
}

// What the hand gets out of a press and release, at most, at several speeds, through a coupling
// that takes nothing back.
static void test_press_and_release_make_no_energy(void) {
    static const int ticks[] = {20, 60, 300};
    for (size_t s = 0; s < SANITIZED_OR(2, sizeof ticks / sizeof *ticks); s++) {
        touch_bench b;
        double made = 0.0, given = 0.0, last = LIVE_BLOCK_TOP + TOUCH_RADIUS + clear;
        open_bench(&b, PAL_CONTACT_PENALTY, 32);
        b.tool.options.fixed_coupling = true;
        touch_bench_go(&b, middle, middle, last);
        for (int k = 1; k <= 4 * ticks[s]; k++) {
            const double way = k < ticks[s]       ? (double)k / ticks[s]
                               : k < 3 * ticks[s] ? 1.0
                                                  : 4.0 - (double)k / ticks[s];
            const double z = LIVE_BLOCK_TOP + TOUCH_RADIUS + clear - 5e-3 * way;
            touch_bench_go(&b, middle, middle, z);
            given -= b.tool.felt[2] * (z - last); // the hand's work
            made = fmax(made, -given);
            last = z;
        }
        printf("%d ms: the hand gave %.4f mJ, at least %.4f mJ\n", ticks[s], 1e3 * given,
               -1e3 * made);
        TEST_ASSERT_TRUE(made <= 1e-4);
        touch_bench_close(&b);
    }
}

// In the hand's own loop, with the coupling that takes back what it gives way by.
static void test_a_press_in_the_loop_makes_no_energy(void) {
    for (int form = PAL_CONTACT_COMPLIANCE; form <= PAL_CONTACT_PENALTY; form++) {
        live_block rig;
        pal_sim_options sim;
        pal_sim_truth truth;
        double given = 0.0, most = 0.0, before[3];
        live_block_sim(&sim, live_block_press, 3);
        live_block_open(&rig, &sim, NULL);
        rig.servo->own.world.form = (pal_contact_form)form;
        for (int k = 0; k < LIVE_BLOCK_PRESS_TICKS + 200; k++) {
            pal_sim_read_truth(&rig.device, &truth);
            memcpy(before, truth.position, sizeof before);
            const pal_tick_record now = live_block_tick(&rig);
            pal_sim_read_truth(&rig.device, &truth);
            for (int c = 0; c < 3; c++) {
                given -= now.force[c] * (truth.position[c] - before[c]);
            }
            most = fmax(most, pal_norm3(now.force));
        }
        printf("%s form: %.3f N, takes %.4f mJ, %.4f made\n",
               form == PAL_CONTACT_PENALTY ? "penalty" : "compliance", most, 1e3 * given,
               1e3 * rig.servo->own.hand[0].passivity.made);
        TEST_ASSERT_TRUE(most > 0.5);
        TEST_ASSERT_TRUE(given > -1e-4);
        TEST_ASSERT_TRUE(rig.servo->own.hand[0].passivity.made <= 1e-4);
        live_block_close(&rig);
    }
}

// How much the force of a still hand shakes in the last 200 ticks, N.
static double shake(sheet *s, const double at[3], double turn, double *mean) {
    double low = INFINITY, high = -INFINITY;
    pal_pose goal = PAL_POSE_IDENTITY;
    goal.turn[0] = cos(0.5 * turn);
    goal.turn[2] = sin(0.5 * turn); // about y: the shaft lies down along x
    for (int k = 0; k < 1200; k++) {
        memcpy(goal.x, at, sizeof goal.x);
        goal.x[2] += 2e-3 * (1.0 - fmin(1.0, k / 300.0)) * 2.0;
        TEST_ASSERT_EQUAL_UINT32(0, sheet_go(s, &goal) & PAL_OUT_NAN);
        if (k >= 1000) {
            low = fmin(low, s->tool.force[2]);
            high = fmax(high, s->tool.force[2]);
        }
    }
    *mean = 0.5 * (low + high);
    return high - low;
}

// Light and thin under a ball and under a rod that lies on it: where forces that lag would shake.
static void test_a_thin_sheet_under_a_still_tool_is_still(void) {
    for (int rod = 0; rod < 2; rod++) {
        sheet s;
        double mean;
        sheet_open(&s, sheet_model(false), 5e-3, rod ? 0.04 : 0.0, bears);
        s.world->form = PAL_CONTACT_PENALTY;
        s.tool.options.fixed_coupling = true;
        const double at[3] = {rod ? 0.01 : 0.03, 0.03, SHEET_THICK + 5e-3 - 1.5e-3};
        const double shaken = shake(&s, at, rod ? 1.5707963 : 0.0, &mean);
        printf("%s: %.4f N, shakes by %.2e N\n", rod ? "rod" : "ball", mean, shaken);
        TEST_ASSERT_TRUE(mean > 0.01);
        TEST_ASSERT_TRUE(shaken < 0.002);
        sheet_close(&s);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_slow_press_is_that_of_the_compliance_form);
    RUN_TEST(test_torques_are_those_of_the_compliance_form);
    RUN_TEST(test_free_space_is_free);
    RUN_TEST(test_it_never_pulls);
    RUN_TEST(test_press_and_release_make_no_energy);
    RUN_TEST(test_a_press_in_the_loop_makes_no_energy);
    RUN_TEST(test_a_thin_sheet_under_a_still_tool_is_still);
    return UNITY_END();
}
