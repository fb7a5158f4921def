// The histogram of tick times against sorted times.
#include <stdlib.h>

#include "haptics/histogram.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

void setUp(void) {
}
void tearDown(void) {
}

static pal_histogram histogram;

static void test_nothing_counted_is_all_zeros(void) {
    pal_histogram_init(&histogram);
    pal_histogram_summary summary = pal_histogram_summarize(&histogram);
    TEST_ASSERT_EQUAL_UINT64(0, summary.count);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, summary.mean + summary.p50 + summary.p9999 + summary.max);
}

static void test_one_time_is_every_quantile(void) {
    pal_histogram_init(&histogram);
    pal_histogram_add(&histogram, 123457);
    pal_histogram_summary summary = pal_histogram_summarize(&histogram);
    const double all[] = {summary.mean, summary.p50, summary.p99, summary.p9999, summary.max};
    for (int i = 0; i < 5; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 123.457, all[i]);
    }
}

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void test_quantiles_are_those_of_the_sorted_times_within_a_bin(void) {
    enum { COUNT = 30000 };
    static int64_t time[COUNT];
    test_random random = {5};
    pal_histogram_init(&histogram);
    for (int i = 0; i < COUNT; i++) {
        // From a nanosecond to ten seconds, evenly in the logarithm
        time[i] = (int64_t)pow(10.0, 10.0 * random_share(&random));
        pal_histogram_add(&histogram, time[i]);
    }
    qsort(time, COUNT, sizeof *time, compare);
    for (int percent = 1; percent <= 100; percent++) {
        double share = percent / 100.0;
        double exact = 1e-3 * (double)time[(int)ceil(share * COUNT) - 1];
        double told = pal_histogram_quantile(&histogram, share);
        TEST_ASSERT_TRUE(told >= exact * (1.0 - 1e-12));
        TEST_ASSERT_TRUE(told <= exact * (1.0 + 1.0 / 32.0));
    }
    TEST_ASSERT_EQUAL_DOUBLE(1e-3 * (double)time[COUNT - 1],
                             pal_histogram_summarize(&histogram).max);
    TEST_ASSERT_EQUAL_DOUBLE(1e-3 * (double)time[COUNT - 1],
                             pal_histogram_quantile(&histogram, 1.0));
}

static void test_every_time_has_a_bin_and_bins_are_in_order(void) {
    const int64_t times[] = {-5,        0,         1,         31,        32,
                             33,        63,        64,        65,        1000,
                             999999,    1000000,   INT32_MAX, 1LL << 40, (1LL << 41) - 1,
                             1LL << 41, 1LL << 50, INT64_MAX};
    double last = -1.0;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        pal_histogram_init(&histogram);
        pal_histogram_add(&histogram, times[i]);
        pal_histogram_add(&histogram, INT64_MAX);
        double told = pal_histogram_quantile(&histogram, 0.5);
        TEST_ASSERT_TRUE(told >= 1e-3 * (double)times[i]);
        TEST_ASSERT_TRUE(told >= last);
        last = told;
    }
}

static void test_rare_long_ticks_show_only_in_the_tail(void) {
    pal_histogram_init(&histogram);
    for (int i = 0; i < 20000; i++) {
        pal_histogram_add(&histogram, i % 5000 == 0 ? 2000000 : 40000);
    }
    pal_histogram_summary summary = pal_histogram_summarize(&histogram);
    TEST_ASSERT_DOUBLE_WITHIN(40.0 / 32.0, 40.0, summary.p50);
    TEST_ASSERT_DOUBLE_WITHIN(40.0 / 32.0, 40.0, summary.p99);
    TEST_ASSERT_EQUAL_DOUBLE(2000.0, summary.p9999);
    TEST_ASSERT_EQUAL_DOUBLE(2000.0, summary.max);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_nothing_counted_is_all_zeros);
    RUN_TEST(test_one_time_is_every_quantile);
    RUN_TEST(test_quantiles_are_those_of_the_sorted_times_within_a_bin);
    RUN_TEST(test_every_time_has_a_bin_and_bins_are_in_order);
    RUN_TEST(test_rare_long_ticks_show_only_in_the_tail);
    return UNITY_END();
}
