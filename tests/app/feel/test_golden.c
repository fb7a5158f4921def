// Golden scorecards: what was recorded passes, what has changed is named, what is garbled is
// refused. And what a sweep may be asked for.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_golden.h"
#include "app/feel/feel_sweep.h"
#include "sim/base/file.h"
#include "tests/support/check.h"

static pal_scorecard card;
static pal_err err;
static char path[512];

static void add(pal_metric_id metric, const char *trial, double value) {
    CHECK_OK(pal_scorecard_add(&card, metric, trial, value, &err, "%s", "made up"), err);
}

void setUp(void) {
    snprintf(path, sizeof path, "%s", check_scratch("golden.json"));
    add(PAL_METRIC_BUZZ, "hold", 8e-3);
    add(PAL_METRIC_FORCE_STEP, "slide", 0.02);
    add(PAL_METRIC_POP_THROUGH, "press", 0.0);
    add(PAL_METRIC_SLIDING, "friction", NAN);
    add(PAL_METRIC_COMPUTE_P9999, "press", 1e-4);
}
void tearDown(void) {
    pal_scorecard_free(&card);
}

static void record(void) {
    CHECK_OK(pal_golden_record(path, &card, "block", "palpate test", &err), err);
}

static int count_differences(pal_golden_result *result) {
    CHECK_OK(pal_golden_check(path, &card, "block", NULL, result, &err), err);
    free(result->difference);
    result->difference = NULL;
    return result->different;
}

static void test_what_was_recorded_passes(void) {
    pal_golden_result result;
    record();
    TEST_ASSERT_EQUAL_INT(0, count_differences(&result));
    TEST_ASSERT_EQUAL_INT(4, result.compared); // (the time of a tick is the machine's)
    TEST_ASSERT_EQUAL_INT(0, result.added);
}

static void test_the_machines_time_is_not_compared(void) {
    pal_golden_result result;
    record();
    card.score[4].value = 1.0;
    TEST_ASSERT_EQUAL_INT(0, count_differences(&result));
}

static void test_a_change_beyond_the_tolerance_is_named(void) {
    pal_golden_result result;
    record();
    card.score[0].value = 8e-3 * 1.04; // within a twentieth
    TEST_ASSERT_EQUAL_INT(0, count_differences(&result));
    card.score[0].value = 12e-3;
    card.score[2].value = 1.0; // zero allows nothing else
    CHECK_OK(pal_golden_check(path, &card, "block", NULL, &result, &err), err);
    TEST_ASSERT_EQUAL_INT(2, result.different);
    TEST_ASSERT_EQUAL_INT(PAL_METRIC_BUZZ, result.difference[0].metric);
    TEST_ASSERT_EQUAL_STRING("hold", result.difference[0].trial);
    TEST_ASSERT_EQUAL_DOUBLE(8e-3, result.difference[0].golden);
    TEST_ASSERT_EQUAL_DOUBLE(12e-3, result.difference[0].value);
    TEST_ASSERT_EQUAL_INT(PAL_METRIC_POP_THROUGH, result.difference[1].metric);
    free(result.difference);
}

static void test_better_is_a_change_too(void) {
    pal_golden_result result;
    record();
    card.score[0].value = 1e-3;
    TEST_ASSERT_EQUAL_INT(1, count_differences(&result));
}

static void test_what_is_measured_no_more_differs_and_what_is_new_is_counted(void) {
    pal_golden_result result;
    record();
    card.score[0].value = NAN;
    card.score[3].value = 0.01;
    TEST_ASSERT_EQUAL_INT(2, count_differences(&result));
    card.count = 2;
    TEST_ASSERT_EQUAL_INT(3, count_differences(&result)); // one is NAN still, two are gone
    TEST_ASSERT_EQUAL_INT(2, result.missing);
    card.count = 5;
    card.score[0].value = 8e-3;
    card.score[3].value = NAN;
    add(PAL_METRIC_LEAK, "free", 0.0);
    TEST_ASSERT_EQUAL_INT(0, count_differences(&result));
    TEST_ASSERT_EQUAL_INT(1, result.added);
}

static void test_the_tolerance_in_the_file_counts(void) {
    pal_golden_result result;
    record();
    char *text;
    size_t size;
    CHECK_OK(pal_file_read(path, &text, &size, &err), err);
    cJSON *root = cJSON_Parse(text);
    free(text);
    TEST_ASSERT_NOT_NULL(root);
    cJSON *buzz = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "tolerance"), "buzz");
    TEST_ASSERT_NOT_NULL(buzz);
    cJSON_SetNumberValue(cJSON_GetObjectItem(buzz, "absolute"), 0.5);
    CHECK_OK(pal_json_write(root, path, &err), err);
    card.score[0].value = 0.4;
    TEST_ASSERT_EQUAL_INT(0, count_differences(&result));
}

static void write_text(const char *text) {
    CHECK_OK(pal_file_write_atomic(path, text, strlen(text), &err), err);
}

static void test_files_that_are_no_golden_scorecards_are_refused(void) {
    pal_golden_result result;
    record();
    CHECK_FAILS(PAL_ERR_INPUT, "'block', not of 'liver'",
                pal_golden_check(path, &card, "liver", NULL, &result, &err), err);
    write_text("{\"palpate_golden\": 1, \"scene\": \"blo");
    CHECK_FAILS(PAL_ERR_INPUT, "cut off",
                pal_golden_check(path, &card, "block", NULL, &result, &err), err);
    write_text("{\"a\": 1}");
    CHECK_FAILS(PAL_ERR_INPUT, "--record",
                pal_golden_check(path, &card, "block", NULL, &result, &err), err);
    write_text("{\"palpate_golden\": 9, \"scene\": \"block\"}");
    CHECK_FAILS(PAL_ERR_VERSION, "version 9",
                pal_golden_check(path, &card, "block", NULL, &result, &err), err);
    write_text("{\"palpate_golden\": 1, \"scene\": \"block\", \"scores\": []}");
    CHECK_FAILS(PAL_ERR_INPUT, "no scores",
                pal_golden_check(path, &card, "block", NULL, &result, &err), err);
    write_text("{\"palpate_golden\": 1, \"scene\": \"block\", \"scores\": "
               "[{\"trial\": \"hold\", \"metric\": \"bzz\"}]}");
    CHECK_FAILS(PAL_ERR_INPUT, "'bzz'", pal_golden_check(path, &card, "block", NULL, &result, &err),
                err);
    CHECK_FAILS(PAL_ERR_IO, "none.json",
                pal_golden_check(check_scratch("none.json"), &card, "block", NULL, &result, &err),
                err);
}

// ---- sweeps

static void test_a_sweep_is_the_product_of_its_axes(void) {
    static const char *const text[] = {"young=5e3:50e3:10", "grip=loose,firm"};
    static pal_sweep sweep;
    CHECK_OK(pal_sweep_read(&sweep, text, 2, &err), err);
    TEST_ASSERT_EQUAL_INT(20, sweep.point_count);
    TEST_ASSERT_EQUAL_DOUBLE(5e3, sweep.axis[0].number[0]);
    TEST_ASSERT_EQUAL_DOUBLE(10e3, sweep.axis[0].number[1]);
    TEST_ASSERT_EQUAL_DOUBLE(50e3, sweep.axis[0].number[9]);
    TEST_ASSERT_EQUAL_STRING("firm", sweep.axis[1].text[1]);
    TEST_ASSERT_EQUAL_INT(3, pal_sweep_place(&sweep, 7, 0)); // the last axis runs fastest
    TEST_ASSERT_EQUAL_INT(1, pal_sweep_place(&sweep, 7, 1));
    pal_sweep_free(&sweep);
}

static void test_wrong_sweeps_are_refused_before_anything_runs(void) {
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"young", "KEY=FROM:TO:COUNT"},
        {"yung=1,2", "young"},
        {"young=5e3:50e3:1", "from 2 to 64"},
        {"young=5e3:50e3:2.5", "from 2 to 64"},
        {"young=5e3:nan:3", "from 2 to 64"},
        {"young=-1,2", "or more"},
        {"young=1e4,", "missing"},
        {"young=1e4,soft", "soft"},
        {"grip=loose,tight", "'tight'"},
        {"device=touch,tuch", "'tuch'"},
        {"delay=0:1:65", "from 2 to 64"},
    };
    static pal_sweep sweep;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_FAILS(PAL_ERR_USAGE, wrong[i].words, pal_sweep_read(&sweep, &wrong[i].text, 1, &err),
                    err);
        pal_sweep_free(&sweep);
    }
    static const char *const twice[] = {"seed=1,2", "seed=3,4"};
    CHECK_FAILS(PAL_ERR_USAGE, "varied twice", pal_sweep_read(&sweep, twice, 2, &err), err);
    pal_sweep_free(&sweep);
    static const char *const many[] = {"seed=1:64:64", "delay=0:0.01:64"};
    CHECK_FAILS(PAL_ERR_USAGE, "too many", pal_sweep_read(&sweep, many, 2, &err), err);
    pal_sweep_free(&sweep);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_what_was_recorded_passes);
    RUN_TEST(test_the_machines_time_is_not_compared);
    RUN_TEST(test_a_change_beyond_the_tolerance_is_named);
    RUN_TEST(test_better_is_a_change_too);
    RUN_TEST(test_what_is_measured_no_more_differs_and_what_is_new_is_counted);
    RUN_TEST(test_the_tolerance_in_the_file_counts);
    RUN_TEST(test_files_that_are_no_golden_scorecards_are_refused);
    RUN_TEST(test_a_sweep_is_the_product_of_its_axes);
    RUN_TEST(test_wrong_sweeps_are_refused_before_anything_runs);
    return UNITY_END();
}
