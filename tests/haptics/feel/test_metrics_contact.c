// Metrics of touching and leaving: pop-through, free space, latency, onsets.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/synthetic.h"

static pal_feel_trace trace;

void setUp(void) {
}
void tearDown(void) {
    pal_feel_trace_free(&trace);
}

static pal_score score(pal_metric_id metric) {
    return synthetic_score(&trace, NULL, metric);
}

static void open_press(pal_trial_kind kind) {
    const synthetic s = synthetic_press();
    synthetic_open(&trace, kind, &s);
}

// ---- pop-through

// From 700 on the tool has gone through a sheet: nothing is touched and it goes on down.
static void tunnel(double radius) {
    synthetic s = synthetic_press();
    s.depth = 12e-3;
    synthetic_open(&trace, PAL_TRIAL_PRESS, &s);
    trace.tool_radius = radius;
    for (int64_t k = 0; k < trace.count; k++) {
        pal_tick_record *row = &trace.row[k];
        row->tool[2] = fmax(row->position[2] + radius, k < 700 ? radius : -1.0);
        if (k >= 700) {
            memset(row->force, 0, sizeof row->force);
            memset(row->normal, 0, sizeof row->normal);
            row->touching = 0;
        }
    }
}

static void test_a_tool_that_leaves_where_it_came_in_has_not_popped_through(void) {
    open_press(PAL_TRIAL_PRESS);
    synthetic_expect(score(PAL_METRIC_POP_THROUGH), 0.0, 0.0, PAL_VERDICT_PASS);
    trace.missing = PAL_FEEL_NO_TOOL | PAL_FEEL_NO_NORMAL | PAL_FEEL_NO_FRICTION;
    synthetic_expect(score(PAL_METRIC_POP_THROUGH), 0.0, 0.0, PAL_VERDICT_PASS);
}

static void test_a_tunnelled_sheet_is_seen(void) {
    tunnel(1e-3); // the hand is 2 mm deep then, and the ball falls back to it
    const pal_score got = score(PAL_METRIC_POP_THROUGH);
    synthetic_expect(got, 1.0, 0.0, PAL_VERDICT_FAIL);
    trace.missing = PAL_FEEL_NO_TOOL | PAL_FEEL_NO_NORMAL | PAL_FEEL_NO_FRICTION;
    synthetic_expect(score(PAL_METRIC_POP_THROUGH), 1.0, 0.0, PAL_VERDICT_FAIL);
}

// In by one side of a sheet; and when it leaves by the first, it goes through once more.
static void test_a_normal_that_turns_over_is_a_pass(void) {
    open_press(PAL_TRIAL_PRESS);
    for (int64_t k = 800; k < trace.count; k++) {
        trace.row[k].normal[2] *= -1.0;
        trace.row[k].point[2] = -2e-3;
    }
    synthetic_expect(score(PAL_METRIC_POP_THROUGH), 2.0, 0.0, PAL_VERDICT_FAIL);
}

// Sideways out of contact, as deep as it was: over an edge, not through the surface.
static void test_an_edge_is_left_and_not_gone_through(void) {
    tunnel(1e-3);
    for (int64_t k = 0; k < trace.count; k++) {
        pal_tick_record *row = &trace.row[k];
        row->position[0] += 20e-3 * fmax(0.0, row->time - 0.5);
        row->tool[0] = row->position[0];
        row->tool[2] = 1e-3;
        row->point[0] = row->position[0];
        row->position[2] = fmax(row->position[2], -2e-3);
    }
    synthetic_expect(score(PAL_METRIC_POP_THROUGH), 0.0, 0.0, PAL_VERDICT_PASS);
    trace.missing = PAL_FEEL_NO_TOOL | PAL_FEEL_NO_NORMAL | PAL_FEEL_NO_FRICTION;
    synthetic_expect(score(PAL_METRIC_POP_THROUGH), 0.0, 0.0, PAL_VERDICT_PASS);
}

// ---- hand against body

// The device is pushed with `times` what pushes the body, as a damper on the hand's speed would.
static pal_score score_of_push(double times) {
    open_press(PAL_TRIAL_PRESS);
    for (int64_t k = 0; k < trace.count; k++) {
        for (int c = 0; c < 3; c++) {
            trace.row[k].push[c] = trace.row[k].force[c] / times;
        }
    }
    return score(PAL_METRIC_PUSH);
}

static void test_the_hand_is_compared_with_the_push_on_the_body(void) {
    synthetic_expect(score_of_push(1.0), 0.0, 1e-12, PAL_VERDICT_PASS);
    tearDown();
    synthetic_expect(score_of_push(1.02), 0.02, 1e-9, PAL_VERDICT_PASS);
    tearDown();
    synthetic_expect(score_of_push(0.95), -0.05, 1e-9, PAL_VERDICT_FAIL);
    trace.missing = PAL_FEEL_NO_FRICTION;
    synthetic_expect(score(PAL_METRIC_PUSH), NAN, 0.0, PAL_VERDICT_UNKNOWN);
}

// What the device cannot give is not compared.
static void test_ticks_beyond_the_devices_force_are_left_out(void) {
    score_of_push(2.0);
    trace.limits.max_force = 1e-6;
    synthetic_expect(score(PAL_METRIC_PUSH), NAN, 0.0, PAL_VERDICT_UNKNOWN);
    trace.limits.max_force = 1e3;
    synthetic_expect(score(PAL_METRIC_PUSH), 1.0, 1e-9, PAL_VERDICT_FAIL);
}

// ---- free space

static void test_free_space_is_free_or_leaks(void) {
    open_press(PAL_TRIAL_FREE);
    synthetic_expect(score(PAL_METRIC_LEAK), 0.0, 0.0, PAL_VERDICT_PASS);
    trace.row[100].force[1] = -1e-6;
    synthetic_expect(score(PAL_METRIC_LEAK), 1e-6, 1e-12, PAL_VERDICT_FAIL);
}

static void test_what_the_slew_limit_takes_back_is_no_leak(void) {
    open_press(PAL_TRIAL_PRESS);
    const int64_t last = pal_feel_contact(&trace, 0).last;
    for (int64_t k = 1; k <= 4; k++) {
        trace.row[last + k].force[2] = 0.1;
        trace.row[last + k].outcome = PAL_OUT_SLEW;
    }
    synthetic_expect(score(PAL_METRIC_LEAK), 0.0, 0.0, PAL_VERDICT_PASS);
    trace.row[last + 4].outcome = 0; // it goes on by itself
    synthetic_expect(score(PAL_METRIC_LEAK), 0.1, 1e-12, PAL_VERDICT_FAIL);
}

static void test_a_trace_without_touches_tells_no_leak_but_of_a_free_trial(void) {
    open_press(PAL_TRIAL_ANY);
    trace.missing = PAL_FEEL_NO_TOUCH;
    synthetic_expect(score(PAL_METRIC_LEAK), NAN, 0.0, PAL_VERDICT_UNKNOWN);
    trace.kind = PAL_TRIAL_FREE;
    synthetic_expect(score(PAL_METRIC_LEAK), 2.0, 1e-9, PAL_VERDICT_FAIL);
}

// ---- latency

// The forces of the rows, so many ticks later.
static void delay_forces(int64_t ticks) {
    for (int64_t k = trace.count - 1; k >= 0; k--) {
        memcpy(trace.row[k].force, trace.row[k >= ticks ? k - ticks : 0].force,
               sizeof trace.row[k].force);
    }
}

static void test_latency_is_counted_from_the_first_touch(void) {
    static const int late[] = {0, 1, 3};
    for (int i = 0; i < 3; i++) {
        open_press(PAL_TRIAL_PRESS);
        delay_forces(late[i]);
        synthetic_expect(score(PAL_METRIC_LATENCY), late[i], 0.0,
                         late[i] <= 1 ? PAL_VERDICT_PASS : PAL_VERDICT_FAIL);
        trace.delay = 5e-3; // of the actuator
        synthetic_expect(score(PAL_METRIC_LATENCY), late[i] + 5.0, 1e-9, PAL_VERDICT_FAIL);
        tearDown();
    }
}

static void test_latency_without_touches_is_the_shift_that_fits(void) {
    synthetic s = synthetic_press();
    s.resolution = 55e-6;
    for (int late = 0; late < 5; late += 2) {
        synthetic_open(&trace, PAL_TRIAL_PRESS, &s);
        delay_forces(late);
        trace.missing = PAL_FEEL_NO_TOUCH | PAL_FEEL_NO_NORMAL | PAL_FEEL_NO_FRICTION;
        synthetic_expect(score(PAL_METRIC_LATENCY), late, 0.0,
                         late <= 1 ? PAL_VERDICT_PASS : PAL_VERDICT_FAIL);
        tearDown();
    }
}

// ---- onsets

static void open_tap(pal_feel_trace *tap, double speed, double damping) {
    synthetic s = synthetic_press();
    s.above = 20e-3;
    s.speed = speed;
    s.hold = 0.0;
    s.damping = damping;
    synthetic_open(tap, PAL_TRIAL_TAP, &s);
}

// A spring's rate-hardness is its stiffness; its force at rest is what it has at its depth.
static void test_rate_hardness_of_a_spring_is_its_stiffness(void) {
    open_tap(&trace, 0.1, 0.0);
    synthetic_expect(score(PAL_METRIC_RATE_HARDNESS), 500.0, 25.0, PAL_VERDICT_REPORTED);
    synthetic_expect(score(PAL_METRIC_ONSET), 1e-3 / 4e-3, 0.03, PAL_VERDICT_REPORTED);
    const double soft = score(PAL_METRIC_RATE_HARDNESS).value;
    tearDown();
    open_tap(&trace, 0.1, 3.0); // a damper hits harder at once
    TEST_ASSERT_TRUE(score(PAL_METRIC_RATE_HARDNESS).value > 1.5 * soft);
}

static void test_a_slow_touch_is_no_impact(void) {
    open_tap(&trace, 5e-3, 0.0);
    synthetic_expect(score(PAL_METRIC_RATE_HARDNESS), NAN, 0.0, PAL_VERDICT_UNKNOWN);
}

static void expect_order(const pal_feel_trace tap[3], double value, pal_verdict verdict) {
    pal_scorecard card = {0};
    pal_err err = {0};
    CHECK_OK(pal_feel_measure_taps(tap, 3, &card, &err), err);
    TEST_ASSERT_EQUAL_INT(1, card.count);
    synthetic_expect(card.score[0], value, 0.0, verdict);
    pal_scorecard_free(&card);
}

static void test_faster_taps_hit_harder(void) {
    pal_feel_trace tap[3];
    for (int i = 0; i < 3; i++) {
        open_tap(&tap[i], 0.05 * (1 << i), 0.0);
    }
    expect_order(tap, 0.0, PAL_VERDICT_PASS);
    for (int64_t k = 0; k < tap[2].count; k++) { // the fastest hits softly
        tap[2].row[k].force[2] *= 0.1;
    }
    expect_order(tap, 2.0, PAL_VERDICT_FAIL);
    for (int i = 1; i < 3; i++) { // three of one speed have no order
        pal_feel_trace_free(&tap[i]);
        open_tap(&tap[i], 0.05, 0.0);
    }
    expect_order(tap, NAN, PAL_VERDICT_UNKNOWN);
    for (int i = 0; i < 3; i++) {
        pal_feel_trace_free(&tap[i]);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_tool_that_leaves_where_it_came_in_has_not_popped_through);
    RUN_TEST(test_a_tunnelled_sheet_is_seen);
    RUN_TEST(test_a_normal_that_turns_over_is_a_pass);
    RUN_TEST(test_an_edge_is_left_and_not_gone_through);
    RUN_TEST(test_the_hand_is_compared_with_the_push_on_the_body);
    RUN_TEST(test_ticks_beyond_the_devices_force_are_left_out);
    RUN_TEST(test_free_space_is_free_or_leaks);
    RUN_TEST(test_what_the_slew_limit_takes_back_is_no_leak);
    RUN_TEST(test_a_trace_without_touches_tells_no_leak_but_of_a_free_trial);
    RUN_TEST(test_latency_is_counted_from_the_first_touch);
    RUN_TEST(test_latency_without_touches_is_the_shift_that_fits);
    RUN_TEST(test_rate_hardness_of_a_spring_is_its_stiffness);
    RUN_TEST(test_a_slow_touch_is_no_impact);
    RUN_TEST(test_faster_taps_hit_harder);
    return UNITY_END();
}
