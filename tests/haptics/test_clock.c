// The three clocks: deadlines are multiples of the period, missed ones are counted and never caught
// up, virtual time never waits.
#include <limits.h>
#include <time.h>

#include "haptics/clock.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { PERIOD = 1000000 }; // ns

static pal_clock at_zero(pal_clock_kind kind) {
    pal_clock clock;
    pal_clock_start(&clock, kind, 1e-3);
    clock.next = PERIOD; // as if it had started at 0
    return clock;
}

static void check_wake(int64_t late, int missed, int64_t next, const pal_clock *clock,
                       pal_wake wake) {
    TEST_ASSERT_EQUAL_INT64(late, wake.late);
    TEST_ASSERT_EQUAL_INT(missed, wake.missed);
    TEST_ASSERT_EQUAL_INT64(next, clock->next);
}

static void test_a_late_tick_keeps_the_multiples(void) {
    pal_clock clock = at_zero(PAL_CLOCK_REAL);
    check_wake(0, 0, 2 * PERIOD, &clock, pal_clock_book(&clock, PERIOD));
    check_wake(300, 0, 3 * PERIOD, &clock, pal_clock_book(&clock, 2 * PERIOD + 300));
    check_wake(PERIOD - 1, 0, 4 * PERIOD, &clock, pal_clock_book(&clock, 4 * PERIOD - 1));
    TEST_ASSERT_EQUAL_UINT64(0, clock.missed);
}

static void test_missed_deadlines_are_counted_and_not_caught_up(void) {
    pal_clock clock = at_zero(PAL_CLOCK_REAL);
    // Due at 1 ms, awake at 4.25 ms: 1, 2 and 3 ms went by without a tick
    check_wake(3250000, 3, 5 * PERIOD, &clock, pal_clock_book(&clock, 4250000));
    check_wake(10, 0, 6 * PERIOD, &clock, pal_clock_book(&clock, 5 * PERIOD + 10));
    check_wake(PERIOD, 1, 8 * PERIOD, &clock, pal_clock_book(&clock, 7 * PERIOD));
    TEST_ASSERT_EQUAL_UINT64(4, clock.missed);
    TEST_ASSERT_EQUAL_INT(3, clock.longest_gap);
}

static void test_every_deadline_is_a_tick_or_missed(void) {
    test_random random = {3};
    pal_clock clock = at_zero(PAL_CLOCK_REAL);
    int64_t now = 0;
    for (int i = 0; i < 10000; i++) {
        // Work of up to 3 periods, then sleep until the deadline
        now += (int64_t)(random_share(&random) * 3 * PERIOD);
        now = now > clock.next ? now : clock.next;
        pal_clock_book(&clock, now);
        TEST_ASSERT_EQUAL_INT64((int64_t)(clock.ticks + clock.missed + 1) * PERIOD, clock.next);
        TEST_ASSERT_TRUE(clock.next > now && clock.next <= now + PERIOD);
    }
}

static void test_a_device_that_wanders_misses_nothing(void) {
    pal_clock clock = at_zero(PAL_CLOCK_DEVICE);
    // It begins when it likes
    check_wake(0, 0, 900 * PERIOD + PERIOD, &clock, pal_clock_book(&clock, 900LL * PERIOD));
    int64_t now = 900LL * PERIOD;
    for (int i = 0; i < 1000; i++) {
        now += i % 2 ? 6 * PERIOD / 10 : 14 * PERIOD / 10;
        TEST_ASSERT_EQUAL_INT(0, pal_clock_book(&clock, now).missed);
    }
    // A real gap is told
    now += 4 * PERIOD + 1000;
    check_wake(3 * PERIOD + 1000, 3, now + PERIOD, &clock, pal_clock_book(&clock, now));
    TEST_ASSERT_EQUAL_UINT64(3, clock.missed);
}

static void test_virtual_time_never_waits_and_never_misses(void) {
    pal_clock clock;
    pal_clock_start(&clock, PAL_CLOCK_VIRTUAL, 1.0);
    int64_t start = pal_clock_now();
    for (int i = 0; i < 100; i++) {
        pal_wake wake = pal_clock_wait(&clock);
        TEST_ASSERT_EQUAL_INT64(0, wake.late);
        TEST_ASSERT_EQUAL_INT(0, wake.missed);
    }
    TEST_ASSERT_EQUAL_UINT64(100, clock.ticks);
    TEST_ASSERT_TRUE(pal_clock_now() - start < 50LL * 1000 * PERIOD); // not 100 s
}

static void test_real_time_wakes_at_the_deadline_and_never_before(void) {
    pal_clock clock;
    pal_clock_start(&clock, PAL_CLOCK_REAL, 1e-3);
    int64_t start = clock.next - PERIOD;
    for (int i = 0; i < 50; i++) {
        int64_t deadline = clock.next;
        pal_wake wake = pal_clock_wait(&clock);
        TEST_ASSERT_TRUE(pal_clock_now() >= deadline + wake.late);
        TEST_ASSERT_TRUE(wake.late >= 0);
        TEST_ASSERT_EQUAL_INT64(start + (int64_t)(clock.ticks + clock.missed + 1) * PERIOD,
                                clock.next);
    }
}

static void test_after_a_long_pause_the_clock_goes_on_in_step(void) {
    pal_clock clock;
    pal_clock_start(&clock, PAL_CLOCK_REAL, 1e-3);
    pal_clock_wait(&clock);
    nanosleep(&(struct timespec){.tv_nsec = 12 * PERIOD}, NULL);
    pal_wake wake = pal_clock_wait(&clock);
    TEST_ASSERT_GREATER_OR_EQUAL(11, wake.missed);
    // The next tick waits for its own deadline: no burst of those that were missed
    int64_t deadline = clock.next;
    pal_clock_wait(&clock);
    TEST_ASSERT_TRUE(pal_clock_now() >= deadline);
}

static void test_a_gap_of_years_does_not_overflow(void) {
    pal_clock clock = at_zero(PAL_CLOCK_REAL);
    pal_wake wake = pal_clock_book(&clock, INT64_MAX / 2);
    TEST_ASSERT_EQUAL_INT(INT_MAX, wake.missed);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_late_tick_keeps_the_multiples);
    RUN_TEST(test_missed_deadlines_are_counted_and_not_caught_up);
    RUN_TEST(test_every_deadline_is_a_tick_or_missed);
    RUN_TEST(test_a_device_that_wanders_misses_nothing);
    RUN_TEST(test_virtual_time_never_waits_and_never_misses);
    RUN_TEST(test_real_time_wakes_at_the_deadline_and_never_before);
    RUN_TEST(test_after_a_long_pause_the_clock_goes_on_in_step);
    RUN_TEST(test_a_gap_of_years_does_not_overflow);
    return UNITY_END();
}
