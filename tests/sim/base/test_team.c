// Two threads that share work: every item once, in any order, and nothing is lost between jobs.
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unity.h>

#include "sim/base/team.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { ITEMS = 500, JOBS = 2000 };

typedef struct tally {
    int done[ITEMS];      // how often each item was done
    atomic_int by_helper; // items
} tally;

static void count(void *context, int32_t item, int thread) {
    tally *t = context;
    t->done[item]++;
    if (thread == 1) {
        atomic_fetch_add(&t->by_helper, 1);
    }
}

static void check_all(bool two, int jobs, int items) {
    static tally t;
    pal_team team;
    memset(&t, 0, sizeof t);
    TEST_ASSERT_EQUAL_INT(PAL_OK, pal_team_open(&team, two, NULL));
    for (int call = 0; call < jobs; call++) {
        pal_team_begin(&team);
        pal_team_run(&team, count, &t, items);
        pal_team_run(&team, count, &t, items / 2); // jobs of other sizes, one after the other
        pal_team_end(&team);
    }
    pal_team_close(&team);
    for (int i = 0; i < items; i++) {
        TEST_ASSERT_EQUAL_INT(i < items / 2 ? 2 * jobs : jobs, t.done[i]);
    }
}

static void test_alone_every_item_is_done_once(void) {
    check_all(false, 10, ITEMS);
}

static void test_two_threads_do_every_item_once(void) {
    check_all(true, JOBS, ITEMS);
    check_all(true, JOBS, 3);
}

static void nap(void *context, int32_t item, int thread) {
    const struct timespec moment = {.tv_nsec = 200000};
    count(context, item, thread);
    nanosleep(&moment, NULL);
}

static void test_a_helper_helps_when_it_is_awake(void) {
    static tally t;
    pal_team team;
    memset(&t, 0, sizeof t);
    TEST_ASSERT_EQUAL_INT(PAL_OK, pal_team_open(&team, true, NULL));
    pal_team_begin(&team);
    pal_team_run(&team, nap, &t, ITEMS);
    pal_team_end(&team);
    pal_team_close(&team);
    TEST_ASSERT_GREATER_THAN_INT(0, atomic_load(&t.by_helper));
}

// A caller whose helper sleeps, between calls that are far apart, is not kept waiting for it.
static void test_calls_far_apart_are_done_too(void) {
    static tally t;
    pal_team team;
    const struct timespec pause = {.tv_nsec = 5000000};
    memset(&t, 0, sizeof t);
    TEST_ASSERT_EQUAL_INT(PAL_OK, pal_team_open(&team, true, NULL));
    for (int call = 0; call < 20; call++) {
        pal_team_begin(&team);
        pal_team_run(&team, count, &t, ITEMS);
        pal_team_end(&team);
        nanosleep(&pause, NULL);
    }
    pal_team_close(&team);
    for (int i = 0; i < ITEMS; i++) {
        TEST_ASSERT_EQUAL_INT(20, t.done[i]);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_alone_every_item_is_done_once);
    RUN_TEST(test_two_threads_do_every_item_once);
    RUN_TEST(test_a_helper_helps_when_it_is_awake);
    RUN_TEST(test_calls_far_apart_are_done_too);
    return UNITY_END();
}
