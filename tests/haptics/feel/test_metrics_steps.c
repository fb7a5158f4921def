// Metrics from tick to tick: steps, buzz, stalls, compute times; and what all metrics share.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/rng.h"
#include "tests/support/band.h"
#include "tests/support/synthetic.h"

static const double two_pi = 6.283185307179586;
static pal_feel_trace trace;
static pal_feel_truth truth;

void setUp(void) {
    pal_feel_truth_none(&truth);
}
void tearDown(void) {
    pal_feel_trace_free(&trace);
    pal_feel_truth_free(&truth);
}

static pal_score score(pal_metric_id metric) {
    return synthetic_score(&trace, &truth, metric);
}

static void open_press(pal_trial_kind kind, double resolution, double depth) {
    synthetic s = synthetic_press();
    s.resolution = resolution;
    s.depth = depth;
    synthetic_open(&trace, kind, &s);
}

// ---- steps

static void test_motion_and_the_steps_of_an_encoder_are_no_force_steps(void) {
    for (int i = 0; i < 4; i++) {
        synthetic s = synthetic_press();
        s.resolution = i % 2 * 55e-6;
        s.speed = i / 2 ? 0.1 : 0.01; // 50 mN a tick
        synthetic_open(&trace, PAL_TRIAL_PRESS, &s);
        synthetic_expect(score(PAL_METRIC_FORCE_STEP), 0.0, 0.01, PAL_VERDICT_PASS);
        tearDown();
    }
}

static void test_a_step_counts_over_the_force(void) {
    open_press(PAL_TRIAL_HOLD, 0.0, 2e-3); // 1 N
    trace.row[1500].force[1] += 0.05;
    synthetic_expect(score(PAL_METRIC_FORCE_STEP), 0.05, 1e-3, PAL_VERDICT_PASS);
    trace.row[1500].force[1] += 0.05;
    synthetic_expect(score(PAL_METRIC_FORCE_STEP), 0.1, 1e-3, PAL_VERDICT_FAIL);
}

static void test_below_0_3_n_a_step_counts_over_20_mn(void) {
    open_press(PAL_TRIAL_HOLD, 0.0, 0.4e-3); // 0.2 N
    trace.row[1500].force[1] += 15e-3;
    synthetic_expect(score(PAL_METRIC_FORCE_STEP), 0.07 * 15.0 / 20.0, 1e-3, PAL_VERDICT_PASS);
    trace.row[1500].force[1] += 10e-3;
    synthetic_expect(score(PAL_METRIC_FORCE_STEP), 0.07 * 25.0 / 20.0, 1e-3, PAL_VERDICT_FAIL);
}

static void test_an_impact_is_no_step_but_chatter_is(void) {
    open_press(PAL_TRIAL_PRESS, 0.0, 4e-3);
    for (int64_t k = pal_feel_contact(&trace, 0).first; trace.row[k].touching; k++) {
        trace.row[k].force[2] += 0.3; // at once, and gone at once
    }
    TEST_ASSERT_EQUAL_INT(PAL_VERDICT_FAIL, score(PAL_METRIC_FORCE_STEP).verdict); // the end
    tearDown();
    open_press(PAL_TRIAL_PRESS, 0.0, 4e-3);
    const int64_t first = pal_feel_contact(&trace, 0).first;
    trace.row[first].force[2] = 0.3;
    synthetic_expect(score(PAL_METRIC_FORCE_STEP), 0.0, 1e-3, PAL_VERDICT_PASS);
    for (int64_t k = 1500; k < 1600; k += 5) { // contact is lost and found
        trace.row[k].touching = 0;
        trace.row[k].force[2] = 0.0;
    }
    TEST_ASSERT_EQUAL_INT(PAL_VERDICT_FAIL, score(PAL_METRIC_FORCE_STEP).verdict);
}

static void test_a_stall_is_judged_until_the_body_moves_again(void) {
    open_press(PAL_TRIAL_STALL, 0.0, 2e-3);
    synthetic_expect(score(PAL_METRIC_STALL_STEP), NAN, 0.0, PAL_VERDICT_UNKNOWN);
    truth.stall_at = 1.4;
    truth.stall_seconds = 0.1;
    trace.row[1300].force[1] += 0.2; // before it
    synthetic_expect(score(PAL_METRIC_STALL_STEP), 0.0, 1e-9, PAL_VERDICT_PASS);
    trace.row[1501].force[1] += 0.1; // at its end
    synthetic_expect(score(PAL_METRIC_STALL_STEP), 0.1, 1e-3, PAL_VERDICT_FAIL);
}

// ---- buzz

static void shake(double hz, double rms) {
    for (int64_t k = 0; k < trace.count; k++) {
        const double wave = sqrt(2.0) * rms * sin(two_pi * hz * trace.row[k].time);
        trace.row[k].force[0] += trace.row[k].touching ? wave : 0.0;
    }
}

static void test_buzz_is_the_rms_of_its_band(void) {
    open_press(PAL_TRIAL_HOLD, 0.0, 4e-3);
    synthetic_expect(score(PAL_METRIC_BUZZ), 0.0, 1e-9, PAL_VERDICT_PASS);
    shake(20.0, 0.2); // not in it
    shake(400.0, 0.2);
    shake(100.0, 15e-3);
    synthetic_expect(score(PAL_METRIC_BUZZ), 15e-3, 0.5e-3, PAL_VERDICT_PASS);
    shake(230.0, 20e-3);
    synthetic_expect(score(PAL_METRIC_BUZZ), 25e-3, 0.5e-3, PAL_VERDICT_FAIL);
}

// A device that trembles in a still hand is held, nevertheless.
static void test_a_hold_that_trembles_is_a_hold(void) {
    open_press(PAL_TRIAL_HOLD, 0.0, 4e-3);
    for (int64_t k = 0; k < trace.count; k++) {
        const double way = 1e-3 * sin(two_pi * 60.0 * trace.row[k].time);
        trace.row[k].position[2] += way;
        trace.row[k].force[2] -= trace.row[k].touching ? 500.0 * way : 0.0;
    }
    synthetic_expect(score(PAL_METRIC_BUZZ), 0.5 / sqrt(2.0), 2e-3, PAL_VERDICT_FAIL);
}

static void test_noise_agrees_with_another_transform(void) {
    open_press(PAL_TRIAL_HOLD, 0.0, 4e-3);
    pal_rng rng = pal_rng_make(3, 0);
    const int64_t first = pal_feel_hold(&trace).last - 999;
    double x[1000];
    for (int k = 0; k < 1000; k++) {
        trace.row[first + k].force[2] += pal_rng_uniform(&rng, -0.025, 0.025);
        x[k] = trace.row[first + k].force[2];
    }
    const double rms = band_rms(x, 1000, 1e-3, 30.0, 300.0);
    TEST_ASSERT_TRUE(rms > 5e-3);
    synthetic_expect(score(PAL_METRIC_BUZZ), rms, 1e-6 * rms, PAL_VERDICT_PASS);
}

static void test_a_short_hold_has_no_buzz(void) {
    synthetic s = synthetic_press();
    s.hold = 0.6;
    synthetic_open(&trace, PAL_TRIAL_HOLD, &s);
    synthetic_expect(score(PAL_METRIC_BUZZ), NAN, 0.0, PAL_VERDICT_UNKNOWN);
}

static void test_the_spectrum_has_the_amplitude_of_a_wave(void) {
    open_press(PAL_TRIAL_HOLD, 0.0, 4e-3);
    for (int64_t k = 0; k < trace.count; k++) {
        trace.row[k].force[2] += 0.1 * cos(two_pi * 125.0 * trace.row[k].time);
    }
    int32_t count;
    double step;
    const pal_feel_window window = {1000, 1799};
    double *size = pal_feel_spectrum(&trace, window, &count, &step);
    TEST_ASSERT_NOT_NULL(size);
    TEST_ASSERT_EQUAL_INT(401, count);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.25, step);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.1, size[100]);
    TEST_ASSERT_TRUE(size[90] < 1e-3);
    free(size);
    TEST_ASSERT_NULL(pal_feel_spectrum(&trace, (pal_feel_window){0, -1}, &count, &step));
}

// ---- times

static void test_compute_times_are_ranked(void) {
    open_press(PAL_TRIAL_HOLD, 0.0, 4e-3);
    for (int64_t k = 0; k < trace.count; k++) {
        trace.row[k].compute_us = (double)(k * 7919 % trace.count) * 400.0 / (double)trace.count;
    }
    const double within = 0.2e-6;
    synthetic_expect(score(PAL_METRIC_COMPUTE_P50), 200e-6, within, PAL_VERDICT_REPORTED);
    synthetic_expect(score(PAL_METRIC_COMPUTE_P99), 396e-6, within, PAL_VERDICT_REPORTED);
    synthetic_expect(score(PAL_METRIC_COMPUTE_P9999), NAN, 0.0, PAL_VERDICT_UNKNOWN); // too few
    trace.row[77].compute_us = 501.0;
    synthetic_expect(score(PAL_METRIC_COMPUTE_MAX), 501e-6, 1e-12, PAL_VERDICT_REPORTED);
    trace.missing = PAL_FEEL_NO_TIMES;
    synthetic_expect(score(PAL_METRIC_COMPUTE_P9999), NAN, 0.0, PAL_VERDICT_UNKNOWN);
}

// One of ten thousand may take longer; two may not.
static void test_the_times_of_all_trials_are_judged_together(void) {
    open_press(PAL_TRIAL_HOLD, 0.0, 4e-3);
    enum { MOST = 16 };
    pal_feel_trace all[MOST];
    pal_scorecard together = {0};
    pal_err err = {0};
    const int traces = (int)(10000 / trace.count) + 1;
    TEST_ASSERT_TRUE(traces <= MOST && traces * trace.count < 20000);
    for (int64_t k = 0; k < trace.count; k++) {
        trace.row[k].compute_us = 100.0;
    }
    for (int i = 0; i < traces; i++) {
        all[i] = trace; // the same rows: a slow one counts in each
    }
    CHECK_OK(pal_feel_measure_all_times(all, 1, &together, &err), err);
    TEST_ASSERT_EQUAL_INT(0, together.count);
    CHECK_OK(pal_feel_measure_all_times(all, traces, &together, &err), err);
    synthetic_expect(together.score[0], 100e-6, 1e-12, PAL_VERDICT_PASS);
    trace.row[77].compute_us = 501.0;
    CHECK_OK(pal_feel_measure_all_times(all, traces, &together, &err), err);
    synthetic_expect(together.score[1], 501e-6, 1e-12, PAL_VERDICT_FAIL);
    pal_scorecard_free(&together);
}

static void test_misses_are_counted_outside_virtual_time(void) {
    open_press(PAL_TRIAL_HOLD, 0.0, 4e-3);
    trace.row[10].missed = 2;
    trace.row[11].missed = 1;
    trace.row[20].missed = 1;
    synthetic_expect(score(PAL_METRIC_MISSES), NAN, 0.0, PAL_VERDICT_UNKNOWN);
    trace.virtual_time = false;
    synthetic_expect(score(PAL_METRIC_MISSES), 4.0, 0.0, PAL_VERDICT_REPORTED);
    synthetic_expect(score(PAL_METRIC_LONGEST_MISS), 3.0, 0.0, PAL_VERDICT_REPORTED);
}

// ---- what all metrics share

static void measure(pal_scorecard *card, char hash[PAL_HASH_TEXT]) {
    *card = synthetic_measure(&trace, &truth);
    pal_scorecard_hash(card, hash);
}

static void test_the_same_trace_gives_the_same_bytes(void) {
    char first[PAL_HASH_TEXT], second[PAL_HASH_TEXT], third[PAL_HASH_TEXT];
    pal_scorecard a, b;
    open_press(PAL_TRIAL_ANY, 55e-6, 4e-3);
    truth.own = synthetic_force(&trace, 1.01, 1);
    measure(&a, first);
    measure(&b, second);
    TEST_ASSERT_EQUAL_INT(a.count, b.count);
    TEST_ASSERT_EQUAL_INT(0, memcmp(a.score, b.score, (size_t)a.count * sizeof *a.score));
    TEST_ASSERT_EQUAL_STRING(first, second);
    pal_scorecard_free(&b);
    trace.row[5].compute_us = 1e4; // depends on the machine: not in the hash
    measure(&b, second);
    TEST_ASSERT_EQUAL_STRING(first, second);
    TEST_ASSERT_EQUAL_DOUBLE(1e-2, pal_scorecard_worst(&b, PAL_METRIC_COMPUTE_MAX)->value);
    pal_scorecard_free(&b);
    trace.row[1500].force[2] += 1e-12;
    measure(&b, third);
    TEST_ASSERT_TRUE(strcmp(first, third) != 0);
    pal_scorecard_free(&a);
    pal_scorecard_free(&b);
}

// Turned, shifted, later: the same feel.
static void test_metrics_do_not_depend_on_place_direction_or_time(void) {
    pal_scorecard a, b;
    open_press(PAL_TRIAL_ANY, 0.0, 4e-3);
    shake(100.0, 15e-3);
    a = synthetic_measure(&trace, NULL);
    for (int64_t k = 0; k < trace.count; k++) {
        pal_tick_record *row = &trace.row[k];
        double *vectors[] = {row->position, row->tool, row->point, row->normal,
                             row->force,    row->push, row->wanted};
        for (int i = 0; i < 7; i++) {
            double *x = vectors[i], y = 0.6 * x[1] - 0.8 * x[2], z = 0.8 * x[1] + 0.6 * x[2];
            x[1] = y;
            x[2] = z;
            x[0] += i < 3 ? 0.3 : 0.0;
        }
        row->time += 7.0;
    }
    b = synthetic_measure(&trace, NULL);
    TEST_ASSERT_EQUAL_INT(a.count, b.count);
    for (int i = 0; i < a.count; i++) {
        const double x = a.score[i].value, y = b.score[i].value;
        TEST_ASSERT_TRUE_MESSAGE((isnan(x) && isnan(y)) || fabs(x - y) <= 1e-6 * fabs(x) + 1e-9,
                                 pal_metric_at(a.score[i].metric)->key);
    }
    pal_scorecard_free(&a);
    pal_scorecard_free(&b);
}

static void test_memory_that_is_out_is_said_and_nothing_leaks(void) {
    open_press(PAL_TRIAL_ANY, 55e-6, 4e-3);
    pal_err err = {0};
    int failures = 0;
    for (long n = 0;; n++) {
        pal_scorecard card = {0};
        pal_memory_fail_after(n);
        const pal_status status = pal_feel_measure(&trace, NULL, &card, &err);
        pal_memory_fail_after(-1);
        pal_scorecard_free(&card);
        if (status == PAL_OK) {
            break;
        }
        TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, status);
        failures++;
    }
    TEST_ASSERT_TRUE(failures > 10);
}

static void test_every_metric_is_defined_and_found_by_its_key(void) {
    for (int id = 0; id < PAL_METRIC_COUNT; id++) {
        const pal_metric *metric = pal_metric_at(id);
        TEST_ASSERT_EQUAL_INT(id, pal_metric_find(metric->key));
        TEST_ASSERT_TRUE(strlen(metric->definition) > 10 && strlen(metric->passes) > 10);
        TEST_ASSERT_TRUE(metric->scale > 0.0);
        TEST_ASSERT_TRUE(isnan(metric->limit) == (metric->fails[0] == '\0')); // a gate can fail
    }
    TEST_ASSERT_NULL(pal_metric_at(PAL_METRIC_COUNT));
    TEST_ASSERT_EQUAL_INT(-1, pal_metric_find("feel"));
}

static void test_the_worst_score_is_the_farthest_from_its_gate(void) {
    pal_scorecard card = {0}, all = {0};
    pal_err err = {0};
    static const double values[] = {0.02, -0.09, NAN, 0.08};
    for (int i = 0; i < 4; i++) {
        CHECK_OK(pal_scorecard_add(&card, PAL_METRIC_STIFFNESS, "press", values[i], &err, "%d", i),
                 err);
    }
    CHECK_OK(pal_scorecard_append(&all, &card, &err), err);
    CHECK_OK(pal_scorecard_append(&all, &card, &err), err);
    TEST_ASSERT_EQUAL_INT(8, all.count);
    for (int i = 0; i < 8; i++) {
        TEST_ASSERT_EQUAL_INT(i % 2   ? PAL_VERDICT_FAIL
                              : i % 4 ? PAL_VERDICT_UNKNOWN
                                      : PAL_VERDICT_PASS,
                              all.score[i].verdict);
    }
    TEST_ASSERT_EQUAL_STRING("1", pal_scorecard_worst(&all, PAL_METRIC_STIFFNESS)->note);
    TEST_ASSERT_NULL(pal_scorecard_worst(&all, PAL_METRIC_FELT));
    TEST_ASSERT_EQUAL_STRING("not measured", pal_verdict_name(card.score[2].verdict));
    pal_scorecard_free(&card);
    pal_scorecard_free(&all);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_motion_and_the_steps_of_an_encoder_are_no_force_steps);
    RUN_TEST(test_a_step_counts_over_the_force);
    RUN_TEST(test_below_0_3_n_a_step_counts_over_20_mn);
    RUN_TEST(test_an_impact_is_no_step_but_chatter_is);
    RUN_TEST(test_a_stall_is_judged_until_the_body_moves_again);
    RUN_TEST(test_buzz_is_the_rms_of_its_band);
    RUN_TEST(test_a_hold_that_trembles_is_a_hold);
    RUN_TEST(test_noise_agrees_with_another_transform);
    RUN_TEST(test_a_short_hold_has_no_buzz);
    RUN_TEST(test_the_spectrum_has_the_amplitude_of_a_wave);
    RUN_TEST(test_compute_times_are_ranked);
    RUN_TEST(test_the_times_of_all_trials_are_judged_together);
    RUN_TEST(test_misses_are_counted_outside_virtual_time);
    RUN_TEST(test_the_same_trace_gives_the_same_bytes);
    RUN_TEST(test_metrics_do_not_depend_on_place_direction_or_time);
    RUN_TEST(test_memory_that_is_out_is_said_and_nothing_leaks);
    RUN_TEST(test_every_metric_is_defined_and_found_by_its_key);
    RUN_TEST(test_the_worst_score_is_the_farthest_from_its_gate);
    return UNITY_END();
}
