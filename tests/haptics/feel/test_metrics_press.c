// Metrics of a press against what is known: stiffness, full elements, penetration, energy.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/synthetic.h"

static pal_feel_trace trace;
static pal_feel_truth truth;

void setUp(void) {
    pal_feel_truth_none(&truth);
}
void tearDown(void) {
    pal_feel_trace_free(&trace);
    pal_feel_truth_free(&truth);
}

static void open_press(pal_trial_kind kind, double resolution) {
    synthetic s = synthetic_press();
    s.resolution = resolution;
    synthetic_open(&trace, kind, &s);
}

static pal_score score(pal_metric_id metric) {
    return synthetic_score(&trace, &truth, metric);
}

// ---- stiffness

static void test_windows_are_where_the_hand_did_it(void) {
    open_press(PAL_TRIAL_PRESS, 55e-6);
    const pal_feel_window contact = pal_feel_contact(&trace, 0), hold = pal_feel_hold(&trace);
    TEST_ASSERT_INT_WITHIN(4, 501, (int)contact.first); // 5 mm at 10 mm/s; steps of the encoder
    TEST_ASSERT_INT_WITHIN(4, 2800, (int)contact.last);
    TEST_ASSERT_INT_WITHIN(60, 900, (int)hold.first);
    TEST_ASSERT_INT_WITHIN(60, 2400, (int)hold.last);
    TEST_ASSERT_TRUE(pal_feel_contact(&trace, 1).first > pal_feel_contact(&trace, 1).last);
    TEST_ASSERT_TRUE(pal_feel_slide(&trace).first > pal_feel_slide(&trace).last);
    double *depth = pal_feel_depths(&trace), *energy = pal_feel_energy(&trace);
    TEST_ASSERT_NOT_NULL(depth);
    TEST_ASSERT_NOT_NULL(energy);
    TEST_ASSERT_DOUBLE_WITHIN(60e-6, 4e-3, depth[1500]);
    TEST_ASSERT_DOUBLE_WITHIN(0.05 * 4e-3, 0.5 * 500.0 * 4e-3 * 4e-3, energy[1500]);
    free(depth);
    free(energy);
}

static void test_the_slope_is_that_of_the_spring(void) {
    for (int i = 0; i < 2; i++) {
        open_press(PAL_TRIAL_PRESS, i * 55e-6);
        synthetic_expect(score(PAL_METRIC_SLOPE), 500.0, 5.0, PAL_VERDICT_REPORTED);
        pal_feel_trace_free(&trace);
    }
}

// A light body bounces at the first touch; the press is the contact that lasts.
static void test_a_bounce_is_not_the_press(void) {
    open_press(PAL_TRIAL_PRESS, 0.0);
    for (int64_t k = 300; k < 320; k++) {
        trace.row[k].touching = 1;
        trace.row[k].normal[2] = 1.0;
        trace.row[k].force[2] = trace.row[k].push[2] = 0.05;
    }
    TEST_ASSERT_EQUAL_INT(300, (int)pal_feel_contact(&trace, 0).first);
    synthetic_expect(score(PAL_METRIC_SLOPE), 500.0, 5.0, PAL_VERDICT_REPORTED);
}

static void test_stiffness_is_compared_with_the_models_own(void) {
    static const pal_metric_id ids[] = {PAL_METRIC_STIFFNESS, PAL_METRIC_STIFFNESS_AT_1N};
    for (int i = 0; i < 4; i++) {
        open_press(PAL_TRIAL_PRESS, i % 2 * 55e-6);
        synthetic_expect(score(ids[i / 2]), NAN, 0.0, PAL_VERDICT_UNKNOWN); // no truth
        truth.own = synthetic_force(&trace, 1.0 / 1.05, 1);
        synthetic_expect(score(ids[i / 2]), 0.05, 1e-6, PAL_VERDICT_PASS);
        free(truth.own);
        truth.own = synthetic_force(&trace, 1.0 / 0.9, 1);
        synthetic_expect(score(ids[i / 2]), -0.1, 1e-6, PAL_VERDICT_FAIL);
        tearDown();
    }
}

static void test_a_press_below_1_n_says_so(void) {
    synthetic s = synthetic_press();
    s.stiffness = 200.0;
    synthetic_open(&trace, PAL_TRIAL_PRESS, &s);
    truth.own = synthetic_force(&trace, 1.0, 1);
    const pal_score got = score(PAL_METRIC_STIFFNESS_AT_1N);
    synthetic_expect(got, NAN, 0.0, PAL_VERDICT_UNKNOWN);
    TEST_ASSERT_NOT_NULL(strstr(got.note, "0.78 N"));
}

static void test_what_is_too_weak_to_be_felt_is_not_judged(void) {
    synthetic s = synthetic_press();
    s.stiffness = 5.0; // 10 mN at 2 mm
    synthetic_open(&trace, PAL_TRIAL_PRESS, &s);
    truth.own = synthetic_force(&trace, 1.5, 1);
    synthetic_expect(score(PAL_METRIC_STIFFNESS), NAN, 0.0, PAL_VERDICT_UNKNOWN);
    free(truth.own);
    truth.own = synthetic_force(&trace, 3.0, 1); // but the model's own would be felt
    synthetic_expect(score(PAL_METRIC_STIFFNESS), 1.0 / 3.0 - 1.0, 1e-6, PAL_VERDICT_FAIL);
}

static void test_felt_stiffness_is_of_the_hold_or_of_both_ways(void) {
    for (int held = 0; held < 2; held++) {
        synthetic s = synthetic_press();
        s.hold = held ? 1.5 : 0.0;
        s.damping = held ? 0.0 : 2.0; // against the motion on both ways: cancels
        synthetic_open(&trace, PAL_TRIAL_PRESS, &s);
        synthetic undamped = s;
        undamped.damping = 0.0;
        pal_feel_trace own;
        synthetic_open(&own, PAL_TRIAL_PRESS, &undamped);
        truth.own = synthetic_force(&own, 1.0 / 1.02, 1);
        synthetic_expect(score(PAL_METRIC_FELT), 0.02, 2e-3, PAL_VERDICT_PASS);
        free(truth.own);
        truth.own = synthetic_force(&own, 1.05, 1);
        synthetic_expect(score(PAL_METRIC_FELT), 1.0 / 1.05 - 1.0, 2e-3, PAL_VERDICT_FAIL);
        pal_feel_trace_free(&own);
        tearDown();
    }
}

// ---- full elements

static void test_indentation_is_the_worst_millimetre_down_to_5(void) {
    synthetic s = synthetic_press();
    s.depth = 8e-3;
    synthetic_open(&trace, PAL_TRIAL_PRESS, &s);
    synthetic_expect(score(PAL_METRIC_INDENTATION), NAN, 0.0, PAL_VERDICT_UNKNOWN);
    truth.full = synthetic_force(&trace, 1.0 / 1.03, 10);
    strcpy(truth.full_note, "elements");
    for (int64_t k = 0; k < trace.count; k++) { // what is deeper is not judged
        truth.full[3 * k + 2] *= trace.row[k].position[2] < -5.1e-3 ? 2.0 : 1.0;
    }
    synthetic_expect(score(PAL_METRIC_INDENTATION), 0.03, 1e-6, PAL_VERDICT_PASS);
    for (int64_t k = 0; k < trace.count; k++) {
        const double depth = -trace.row[k].position[2];
        truth.full[3 * k + 2] *= depth > 2.005e-3 && depth < 3.005e-3 ? 1.03 / 0.9 : 1.0;
    }
    const pal_score got = score(PAL_METRIC_INDENTATION);
    synthetic_expect(got, -0.1, 1e-3, PAL_VERDICT_FAIL);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(got.note, "2.0 to 3.0 mm"), got.note);
}

// A spoon of 2 N/m: 20 mN are reached at 10 mm.
static void test_a_dent_that_is_not_felt_is_not_judged(void) {
    synthetic s = synthetic_press();
    s.depth = 8e-3;
    synthetic_open(&trace, PAL_TRIAL_PRESS, &s);
    truth.full = synthetic_force(&trace, 2.0, 10);
    for (int64_t k = 0; k < 3 * trace.count; k++) {
        trace.row[k / 3].force[k % 3] *= 1e-3;
        truth.full[k] *= 1e-3;
    }
    const pal_score got = score(PAL_METRIC_INDENTATION);
    synthetic_expect(got, NAN, 0.0, PAL_VERDICT_UNKNOWN);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(got.note, "not felt"), got.note);
}

static void test_bending_and_the_error_along_the_path(void) {
    synthetic s = synthetic_press();
    s.depth = 20e-3;
    synthetic_open(&trace, PAL_TRIAL_BEND, &s);
    truth.full = synthetic_force(&trace, 1.0 / 1.06, 7);
    truth.basis = synthetic_force(&trace, 8.0 / 1.06, 7);
    synthetic_expect(score(PAL_METRIC_BENDING), 0.06, 1e-6, PAL_VERDICT_PASS);
    synthetic_expect(score(PAL_METRIC_PATH_ERROR), 0.06, 1e-6, PAL_VERDICT_REPORTED);
    trace.kind = PAL_TRIAL_PRESS;
    synthetic_expect(score(PAL_METRIC_BASIS_ALONE), 8.0, 1e-6, PAL_VERDICT_REPORTED);
    trace.kind = PAL_TRIAL_BEND;
    free(truth.full);
    truth.full = synthetic_force(&trace, 1.0 / 1.1, 7);
    synthetic_expect(score(PAL_METRIC_BENDING), 0.1, 1e-6, PAL_VERDICT_FAIL);
}

static void test_hertz_is_compared_at_1_mm(void) {
    open_press(PAL_TRIAL_PRESS, 55e-6);
    truth.hertz = 0.5 / 1.08;
    const double half_step = 0.5 * 55e-6 / 1e-3; // that the first touch is known to
    synthetic_expect(score(PAL_METRIC_HERTZ), 0.08, 1.5 * half_step, PAL_VERDICT_REPORTED);
}

// ---- the tool stays outside

static void test_penetration_is_of_forces_up_to_1_n(void) {
    open_press(PAL_TRIAL_PRESS, 0.0);
    for (int64_t k = 0; k < trace.count; k++) {
        trace.row[k].depth = trace.row[k].force[2] > 1.0 ? 2e-3 : 0.4e-3;
    }
    synthetic_expect(score(PAL_METRIC_PENETRATION), 0.4e-3, 1e-12, PAL_VERDICT_PASS);
    trace.row[560].depth = 0.6e-3;
    synthetic_expect(score(PAL_METRIC_PENETRATION), 0.6e-3, 1e-12, PAL_VERDICT_FAIL);
    for (int64_t k = 0; k < trace.count; k++) { // a wall on the device itself
        memcpy(trace.row[k].tool, trace.row[k].position, sizeof trace.row[k].tool);
    }
    synthetic_expect(score(PAL_METRIC_PENETRATION), NAN, 0.0, PAL_VERDICT_UNKNOWN);
    for (int64_t k = 0; k < trace.count;
         k++) { // a body that is softer than the coupling is not one
        trace.row[k].strain = 1e-6;
    }
    synthetic_expect(score(PAL_METRIC_PENETRATION), 0.6e-3, 1e-12, PAL_VERDICT_FAIL);
    trace.missing = PAL_FEEL_NO_DEPTH;
    synthetic_expect(score(PAL_METRIC_PENETRATION), NAN, 0.0, PAL_VERDICT_UNKNOWN);
}

// ---- energy

// A force that is late by tau on both ways makes 2 K v tau D, less what is cut off at both ends. A
// held force is half a tick late by itself.
static void test_a_late_force_makes_the_energy_of_its_delay(void) {
    for (int i = 0; i < 4; i++) {
        synthetic s = synthetic_press();
        s.speed = 20e-3;
        s.hold = 0.0;
        s.resolution = i % 2 * 55e-6;
        synthetic_open(&trace, PAL_TRIAL_PRESS, &s);
        trace.delay = i / 2 * 5.5e-3;
        const double tau = trace.delay + 0.5e-3, deep = s.depth - 0.5 * s.speed * tau;
        const double made = 2.0 * s.stiffness * s.speed * tau * deep;
        synthetic_expect(score(PAL_METRIC_ENERGY), made, 0.03 * made + (i % 2 ? 10e-6 : 1e-6),
                         i / 2 ? PAL_VERDICT_FAIL : PAL_VERDICT_PASS);
        tearDown();
    }
}

// Energy that was in the body before is not made.
static void test_a_body_that_swings_may_give_back(void) {
    synthetic s = synthetic_press();
    s.speed = 20e-3;
    s.hold = 0.0;
    synthetic_open(&trace, PAL_TRIAL_PRESS, &s);
    trace.delay = 5.5e-3;
    const double made = score(PAL_METRIC_ENERGY).value;
    for (int64_t k = 0; k < 260; k++) {
        trace.row[k].kinetic = 0.2e-3;
    }
    synthetic_expect(score(PAL_METRIC_ENERGY), made - 0.2e-3, 1e-9, PAL_VERDICT_FAIL);
}

// A damped press loses 2 B v D of a peak of K D^2 / 2 + B v D.
static void test_hysteresis_is_compared_with_the_models_own(void) {
    synthetic s = synthetic_press();
    s.damping = 5.0;
    s.hold = 0.0;
    synthetic_open(&trace, PAL_TRIAL_PRESS, &s);
    synthetic_expect(score(PAL_METRIC_HYSTERESIS), NAN, 0.0, PAL_VERDICT_UNKNOWN);
    truth.own = synthetic_force(&trace, 1.3, 1); // a share: strength does not matter
    const pal_score got = score(PAL_METRIC_HYSTERESIS);
    synthetic_expect(got, 0.0, 0.02, PAL_VERDICT_PASS);
    const double put_in = 0.5 * 500.0 * 16e-6 + 5.0 * 10e-3 * 4e-3;
    const double lost = 2.0 * 5.0 * 10e-3 * 4e-3 / put_in;
    TEST_ASSERT_DOUBLE_WITHIN(0.01, lost, strtod(got.note, NULL) / 100.0);
    s.damping = 10.0;
    pal_feel_trace other;
    synthetic_open(&other, PAL_TRIAL_PRESS, &s);
    free(truth.own);
    truth.own = synthetic_force(&other, 1.0, 1);
    pal_feel_trace_free(&other);
    const double own = 2.0 * 10.0 * 10e-3 * 4e-3 / (put_in + 5.0 * 10e-3 * 4e-3);
    synthetic_expect(score(PAL_METRIC_HYSTERESIS), lost / own - 1.0, 0.02, PAL_VERDICT_FAIL);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_windows_are_where_the_hand_did_it);
    RUN_TEST(test_the_slope_is_that_of_the_spring);
    RUN_TEST(test_a_bounce_is_not_the_press);
    RUN_TEST(test_stiffness_is_compared_with_the_models_own);
    RUN_TEST(test_a_press_below_1_n_says_so);
    RUN_TEST(test_what_is_too_weak_to_be_felt_is_not_judged);
    RUN_TEST(test_felt_stiffness_is_of_the_hold_or_of_both_ways);
    RUN_TEST(test_indentation_is_the_worst_millimetre_down_to_5);
    RUN_TEST(test_a_dent_that_is_not_felt_is_not_judged);
    RUN_TEST(test_bending_and_the_error_along_the_path);
    RUN_TEST(test_hertz_is_compared_at_1_mm);
    RUN_TEST(test_penetration_is_of_forces_up_to_1_n);
    RUN_TEST(test_a_late_force_makes_the_energy_of_its_delay);
    RUN_TEST(test_a_body_that_swings_may_give_back);
    RUN_TEST(test_hysteresis_is_compared_with_the_models_own);
    return UNITY_END();
}
