// Traces from tables of numbers: what is read, and what is refused and how.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "tests/support/synthetic.h"

static char text[1 << 20];
static pal_feel_trace trace;
static pal_err err;

void setUp(void) {
    text[0] = '\0';
    memset(&err, 0, sizeof err);
}
void tearDown(void) {
    pal_feel_trace_free(&trace);
}

static const char head[] = "time,position_x,position_y,position_z,force_x,force_y,force_z\n";

PAL_PRINTF(1, 2) static void add(const char *format, ...) {
    va_list args;
    va_start(args, format);
    const size_t used = strlen(text);
    vsnprintf(text + used, sizeof text - used, format, args);
    va_end(args);
}

// Rows from..to - 1, dt apart.
static void add_rows(int from, int to, double dt) {
    for (int k = from; k < to; k++) {
        add("%.6f,0.1,0.2,%.6f,0,0,%.3f\n", dt * k, -1e-5 * k, 0.01 * k);
    }
}

static pal_status parse(void) {
    return pal_feel_trace_parse_csv(&trace, "hand.csv", text, strlen(text), &err);
}

// Refused, and the message has all of these words.
static void expect_refused(const char *first, const char *second, const char *third) {
    const pal_status status = parse();
    TEST_ASSERT_TRUE_MESSAGE(status == PAL_ERR_INPUT, err.text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, first), err.text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, second), err.text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, third), err.text);
    TEST_ASSERT_NULL(trace.row);
}

static void test_place_and_force_are_enough(void) {
    add("%s", head);
    add_rows(0, 100, 1e-3);
    CHECK_OK(parse(), err);
    TEST_ASSERT_EQUAL_INT(100, (int)trace.count);
    TEST_ASSERT_TRUE(trace.dt == 1e-3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.42, trace.row[42].force[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -42e-5, trace.row[42].position[2]);
    TEST_ASSERT_EQUAL_UINT64(42, trace.row[42].tick);
    TEST_ASSERT_TRUE(trace.row[42].present);
    TEST_ASSERT_EQUAL_INT(PAL_FEEL_NO_TOUCH | PAL_FEEL_NO_NORMAL | PAL_FEEL_NO_DEPTH |
                              PAL_FEEL_NO_TOOL | PAL_FEEL_NO_FRICTION | PAL_FEEL_NO_TIMES |
                              PAL_FEEL_NO_MISSES,
                          (int)trace.missing);
}

static void test_other_names_orders_separators_and_comments_are_read(void) {
    add("# recorded by hand\r\nfz_n; \"fx_n\";fy_n;x_m;y_m;z_m;room;touching;time_s\r\n");
    for (int k = 0; k < 50; k++) {
        add("1;2;3;4;5;6;warm;%d;%.4f\r\n", k > 20, 7.0 + 1.005e-3 * k); // 995 Hz
    }
    CHECK_OK(parse(), err);
    TEST_ASSERT_TRUE(trace.row[30].force[0] == 2.0 && trace.row[30].position[2] == 6.0);
    TEST_ASSERT_EQUAL_INT(1, (int)trace.row[30].touching);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1.005e-3, trace.dt);
    TEST_ASSERT_EQUAL_INT(0, trace.missing & PAL_FEEL_NO_TOUCH);
    TEST_ASSERT_TRUE(trace.missing & PAL_FEEL_NO_NORMAL);
}

static void test_of_two_hands_the_first_is_taken(void) {
    add("time,position_x,position_y,position_z,force_x,force_y,force_z,hand\n");
    for (int k = 0; k < 40; k++) {
        add("%.4f,1,2,3,0,0,0,0\n%.4f,7,8,9,0,0,0,1\n", 1e-3 * k, 1e-3 * k);
    }
    CHECK_OK(parse(), err);
    TEST_ASSERT_EQUAL_INT(40, (int)trace.count);
    TEST_ASSERT_TRUE(trace.row[39].position[0] == 1.0);
}

static void test_bad_tables_are_refused_with_line_column_and_advice(void) {
    expect_refused("hand.csv", "empty", "names of its columns");
    setUp();
    add("%s", head);
    expect_refused("hand.csv", "no row", "millisecond");
    setUp();
    add("time,position_x,position_y,position_z,force_x,force_z\n");
    expect_refused("hand.csv:1", "column force_y (or fy_n) is missing", "at least time");
    setUp();
    add("time,time_s,position_x\n");
    expect_refused("hand.csv:1", "column time is there twice", "remove");
    setUp();
    add("%s", head);
    add_rows(0, 20, 1e-3);
    add("0.020,0.1,0.2\n");
    expect_refused("hand.csv:22", "position_z", "cut off");
    setUp();
    add("%s", head);
    add_rows(0, 20, 1e-3);
    add("0.020,0.1,0.2,0,0,0,0,0\n");
    expect_refused("hand.csv:22", "8 cells", "7 columns");
    setUp();
    add("%s", head);
    add_rows(0, 20, 1e-3);
    add("0.020,0.1,0.2,0.3,nan,0,0\n");
    expect_refused("hand.csv:22", "column force_x", "'nan'");
    setUp();
    add("%s", head);
    add_rows(0, 20, 1e-3);
    add("0.020,0.1,,0.3,0,0,0\n");
    expect_refused("hand.csv:22", "column position_y", "not a finite number");
    setUp();
    add("time,position_x,position_y,position_z,force_x,force_y,force_z,touching\n");
    add("0,0,0,0,0,0,0,-1\n");
    expect_refused("hand.csv:2", "column touching", "not a count");
}

static void test_bad_times_are_refused_with_line_and_advice(void) {
    add("%s", head);
    add_rows(0, 20, 1e-3);
    add_rows(15, 30, 1e-3);
    expect_refused("hand.csv:22", "column time: 0.015 s after 0.019 s", "sort");
    setUp();
    add("%s", head);
    add_rows(0, 50, 2e-3);
    expect_refused("hand.csv:3", "recorded at 500 Hz", "1000 Hz");
    setUp();
    add("%s", head);
    add_rows(0, 50, 1.02e-3);
    expect_refused("hand.csv:3", "recorded at 980.392 Hz", "1000 Hz");
    setUp();
    add("%s", head);
    add_rows(0, 20, 1e-3);
    add_rows(25, 60, 1e-3);
    expect_refused("hand.csv:22", "0.025 s after 0.019 s", "missing");
    setUp();
    add("%s", head);
    add_rows(0, 1, 1e-3);
    expect_refused("hand.csv", "1 tick", "record");
}

static void test_a_file_that_is_not_there_is_said(void) {
    TEST_ASSERT_EQUAL_INT(PAL_ERR_IO, pal_feel_trace_read_csv(&trace, "no/such.csv", &err));
    TEST_ASSERT_NOT_NULL(strstr(err.text, "no/such.csv"));
}

static void test_memory_that_is_out_is_said(void) {
    int failures = 0;
    for (long n = 0;; n++) {
        setUp();
        add("%s", head);
        add_rows(0, 1200, 1e-3);
        pal_memory_fail_after(n);
        const pal_status status = parse();
        pal_memory_fail_after(-1);
        if (status == PAL_OK) {
            break;
        }
        TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, status);
        failures++;
    }
    TEST_ASSERT_TRUE(failures > 2);
}

// A trace of place and force alone, read from a file: what can be measured is, the rest says why.
static void test_a_recording_of_place_and_force_is_measured(void) {
    pal_feel_trace wall;
    const synthetic s = synthetic_press();
    synthetic_open(&wall, PAL_TRIAL_ANY, &s);
    add("%s", head);
    for (int64_t k = 0; k < wall.count; k++) {
        add("%.3f,0,0,%.9f,0,0,%.6f\n", wall.row[k].time, wall.row[k].position[2],
            wall.row[k].force[2]);
    }
    pal_feel_trace_free(&wall);
    const char *path = check_scratch("wall.csv");
    CHECK_OK(pal_file_write_atomic(path, text, strlen(text), &err), err);
    CHECK_OK(pal_feel_trace_read_csv(&trace, path, &err), err);
    synthetic_expect(synthetic_score(&trace, NULL, PAL_METRIC_SLOPE), 500.0, 2.0,
                     PAL_VERDICT_REPORTED);
    synthetic_expect(synthetic_score(&trace, NULL, PAL_METRIC_BUZZ), 0.0, 1e-6, PAL_VERDICT_PASS);
    synthetic_expect(synthetic_score(&trace, NULL, PAL_METRIC_ENERGY), 0.02e-3, 0.01e-3,
                     PAL_VERDICT_PASS);
    static const pal_metric_id unknown[] = {PAL_METRIC_PENETRATION, PAL_METRIC_LEAK,
                                            PAL_METRIC_COMPUTE_P9999, PAL_METRIC_MISSES};
    for (int i = 0; i < 4; i++) {
        synthetic_expect(synthetic_score(&trace, NULL, unknown[i]), NAN, 0.0, PAL_VERDICT_UNKNOWN);
    }
}

// ---- traces of the program

static pal_status take(pal_tick_record *record, int64_t count, int32_t hand) {
    const pal_trace_data data = {
        .info = {.hand_count = 1, .delay = 2e-3}, .record = record, .count = count};
    return pal_feel_trace_take(&trace, &data, hand, &err);
}

static void test_rows_of_a_trace_are_checked(void) {
    pal_tick_record row[50] = {{0}};
    for (int k = 0; k < 50; k++) {
        row[k].time = 1e-3 * k;
    }
    CHECK_OK(take(row, 50, 0), err);
    TEST_ASSERT_TRUE(trace.count == 50 && trace.delay == 2e-3);
    tearDown();
    TEST_ASSERT_EQUAL_INT(PAL_ERR_USAGE, take(row, 50, 1));
    TEST_ASSERT_EQUAL_INT(PAL_ERR_INPUT, take(row, 0, 0));
    row[7].velocity[1] = NAN;
    TEST_ASSERT_EQUAL_INT(PAL_ERR_INPUT, take(row, 50, 0));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "row 7: column velocity_y"), err.text);
    row[7].velocity[1] = 0.0;
    row[9].time = 1.0;
    TEST_ASSERT_EQUAL_INT(PAL_ERR_INPUT, take(row, 50, 0));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "row 10: column time"), err.text);
    TEST_ASSERT_NULL(trace.row);
}

static void test_kinds_have_names(void) {
    for (int kind = 0; kind < PAL_TRIAL_KINDS; kind++) {
        TEST_ASSERT_EQUAL_INT(kind, pal_trial_kind_find(pal_trial_kind_name(kind)));
    }
    TEST_ASSERT_EQUAL_INT(-1, pal_trial_kind_find("jump"));
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_place_and_force_are_enough);
    RUN_TEST(test_other_names_orders_separators_and_comments_are_read);
    RUN_TEST(test_of_two_hands_the_first_is_taken);
    RUN_TEST(test_bad_tables_are_refused_with_line_column_and_advice);
    RUN_TEST(test_bad_times_are_refused_with_line_and_advice);
    RUN_TEST(test_a_file_that_is_not_there_is_said);
    RUN_TEST(test_memory_that_is_out_is_said);
    RUN_TEST(test_a_recording_of_place_and_force_is_measured);
    RUN_TEST(test_rows_of_a_trace_are_checked);
    RUN_TEST(test_kinds_have_names);
    return UNITY_END();
}
