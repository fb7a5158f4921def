// The triple buffer: the reader has the newest whole snapshot, the writer never waits.
#include <pthread.h>
#include <sched.h>

#include "haptics/snapshot.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static pal_exchange exchange;

// A pattern over the whole snapshot that follows from its tick, with a sum to show tearing.
static void fill(pal_snapshot *snapshot, uint64_t tick) {
    snapshot->tick = tick;
    snapshot->time = 1e-3 * (double)tick;
    snapshot->r = PAL_SNAPSHOT_R;
    double sum = 0.0;
    for (int i = 0; i < PAL_SNAPSHOT_R; i++) {
        snapshot->q[i] = (double)(tick * 31 + (uint64_t)i);
        sum += snapshot->q[i];
    }
    snapshot->hand[0].depth = sum;
    snapshot->tick_us = (double)tick;
}

static bool is_whole(const pal_snapshot *snapshot) {
    double sum = 0.0;
    for (int i = 0; i < PAL_SNAPSHOT_R; i++) {
        if (snapshot->q[i] != (double)(snapshot->tick * 31 + (uint64_t)i)) {
            return false;
        }
        sum += snapshot->q[i];
    }
    return snapshot->hand[0].depth == sum && snapshot->tick_us == (double)snapshot->tick;
}

static void publish(uint64_t tick) {
    fill(pal_exchange_back(&exchange), tick);
    pal_exchange_publish(&exchange);
}

static void test_before_the_first_there_is_an_empty_one(void) {
    pal_exchange_init(&exchange);
    bool fresh = true;
    const pal_snapshot *snapshot = pal_exchange_latest(&exchange, &fresh);
    TEST_ASSERT_FALSE(fresh);
    TEST_ASSERT_EQUAL_UINT64(0, snapshot->tick);
    TEST_ASSERT_EQUAL_INT(0, snapshot->r);
}

static void test_the_newest_is_seen_once_as_fresh_and_then_kept(void) {
    pal_exchange_init(&exchange);
    bool fresh;
    for (uint64_t tick = 1; tick < 50; tick++) {
        publish(tick);
        // Now and then the reader is slow
        if (tick % 3 == 0) {
            const pal_snapshot *snapshot = pal_exchange_latest(&exchange, &fresh);
            TEST_ASSERT_TRUE(fresh);
            TEST_ASSERT_EQUAL_UINT64(tick, snapshot->tick);
            TEST_ASSERT_TRUE(is_whole(snapshot));
            TEST_ASSERT_EQUAL_PTR(snapshot, pal_exchange_latest(&exchange, &fresh));
            TEST_ASSERT_FALSE(fresh);
        }
    }
}

static void test_the_writer_never_touches_what_the_reader_holds(void) {
    pal_exchange_init(&exchange);
    publish(7);
    bool fresh;
    const pal_snapshot *held = pal_exchange_latest(&exchange, &fresh);
    for (uint64_t tick = 8; tick < 20; tick++) {
        TEST_ASSERT_TRUE((const pal_snapshot *)pal_exchange_back(&exchange) != held);
        publish(tick);
        TEST_ASSERT_EQUAL_UINT64(7, held->tick);
        TEST_ASSERT_TRUE(is_whole(held));
    }
}

// ---- Two threads --------------------------------------------------------------------------------

enum { MANY = 100000 };

static void *write_all(void *unused) {
    (void)unused;
    for (uint64_t tick = 1; tick <= MANY; tick++) {
        publish(tick);
        if (tick % 4096 == 0) {
            sched_yield();
        }
    }
    return NULL;
}

static void test_no_snapshot_is_torn_or_older_than_the_last_between_threads(void) {
    pal_exchange_init(&exchange);
    fill(pal_exchange_back(&exchange), 0);
    pal_exchange_publish(&exchange);
    pthread_t thread;
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, write_all, NULL));
    uint64_t last = 0, torn = 0, disordered = 0, seen = 0;
    while (last < MANY) {
        bool fresh;
        const pal_snapshot *snapshot = pal_exchange_latest(&exchange, &fresh);
        torn += !is_whole(snapshot);
        disordered += seen > 0 && (fresh ? snapshot->tick <= last : snapshot->tick != last);
        seen += fresh;
        last = snapshot->tick;
    }
    pthread_join(thread, NULL);
    TEST_ASSERT_EQUAL_UINT64(0, torn);
    TEST_ASSERT_EQUAL_UINT64(0, disordered);
    TEST_ASSERT_GREATER_THAN(1, seen);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_before_the_first_there_is_an_empty_one);
    RUN_TEST(test_the_newest_is_seen_once_as_fresh_and_then_kept);
    RUN_TEST(test_the_writer_never_touches_what_the_reader_holds);
    RUN_TEST(test_no_snapshot_is_torn_or_older_than_the_last_between_threads);
    return UNITY_END();
}
