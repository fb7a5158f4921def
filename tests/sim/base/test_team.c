// Two threads that share work: every item once, in any order, and nothing is lost between jobs.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unity.h>

#include "sim/base/arithmetic.h"
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
    for (int call = 0; call < 100 && atomic_load(&t.by_helper) == 0; call++) { // of a busy machine
        pal_team_begin(&team);
        pal_team_run(&team, nap, &t, ITEMS);
        pal_team_end(&team);
    }
    pal_team_close(&team);
    TEST_ASSERT_GREATER_THAN_INT(0, atomic_load(&t.by_helper));
}

// ---- a helper that the system stops in the middle of an item

static atomic_bool stopped;
static atomic_int waits;

static void stop_here(int signal) {
    (void)signal;
    const struct timespec moment = {.tv_nsec = 100000};
    while (atomic_load(&stopped)) {
        nanosleep(&moment, NULL);
    }
}

static void stop_helper(void *context, int32_t item, int thread) {
    if (thread == 1 && !atomic_exchange(&stopped, true)) {
        raise(SIGUSR1);
    }
    nap(context, item, thread);
}

static void let_go_after_five(void *context) {
    if (atomic_fetch_add((atomic_int *)context, 1) == 4) {
        atomic_store(&stopped, false);
    }
}

static void test_a_caller_looks_after_other_things_while_its_helper_is_stopped(void) {
    static tally t;
    pal_team team;
    memset(&t, 0, sizeof t);
    signal(SIGUSR1, stop_here);
    TEST_ASSERT_EQUAL_INT(PAL_OK, pal_team_open(&team, true, NULL));
    pal_team_set_patience(&team, 1e-3, let_go_after_five, &waits);
    int calls = 0;
    while (atomic_load(&waits) == 0 && calls < 100) { // of a busy machine
        pal_team_begin(&team);
        pal_team_run(&team, stop_helper, &t, ITEMS);
        pal_team_end(&team);
        calls++;
    }
    pal_team_close(&team);
    TEST_ASSERT_GREATER_OR_EQUAL_INT(5, atomic_load(&waits));
    for (int i = 0; i < ITEMS; i++) {
        TEST_ASSERT_EQUAL_INT(calls, t.done[i]);
    }
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

static atomic_int other_arithmetic;

static void compare_arithmetic(void *context, int32_t item, int thread) {
    const struct timespec moment = {.tv_nsec = 20000};
    (void)item, (void)thread;
    if ((pal_arithmetic() & PAL_ARITHMETIC_FLUSH) != *(unsigned long *)context) {
        atomic_fetch_add(&other_arithmetic, 1);
    }
    nanosleep(&moment, NULL);
}

// What comes of an item does not depend on who does it, whatever the caller's arithmetic is.
static void test_a_helper_reckons_as_its_caller(void) {
    const unsigned long usual = pal_arithmetic();
    pal_team team;
    TEST_ASSERT_EQUAL_INT(PAL_OK, pal_team_open(&team, true, NULL));
    for (int call = 0; call < 40; call++) {
        unsigned long flush = call % 2 == 0 ? PAL_ARITHMETIC_FLUSH : 0ul;
        pal_arithmetic_set((usual & ~PAL_ARITHMETIC_FLUSH) | flush);
        pal_team_begin(&team);
        pal_team_run(&team, compare_arithmetic, &flush, 20);
        pal_team_end(&team);
    }
    pal_arithmetic_set(usual);
    pal_team_close(&team);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&other_arithmetic));
}

typedef struct standing { // of a thread
    int policy, priority, nice;
} standing;

static standing own_standing(void) {
    struct sched_param parameter;
    sched_getparam(0, &parameter);
    return (standing){sched_getscheduler(0), parameter.sched_priority,
                      getpriority(PRIO_PROCESS, 0)};
}

typedef struct seen_standing {
    tally t;
    standing helper, caller;
} seen_standing;

static void note_standing(void *context, int32_t item, int thread) {
    seen_standing *seen = context;
    nap(&seen->t, item, thread);
    if (thread == 1) {
        seen->helper = own_standing();
    }
}

static void *call_with_standing(void *argument) {
    seen_standing *seen = argument;
    const struct sched_param urgent = {.sched_priority = 10};
    pal_team team;
    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &urgent) != 0) {
        setpriority(PRIO_PROCESS, 0, 5); // of this thread; always granted
    }
    seen->caller = own_standing();
    if (pal_team_open(&team, true, NULL) == PAL_OK) {
        pal_team_begin(&team);
        pal_team_run(&team, note_standing, seen, ITEMS);
        pal_team_end(&team);
        pal_team_close(&team);
    }
    return NULL;
}

// A thread that is waited for is scheduled like the one that waits, or it could be held up by any.
static void test_a_helper_is_scheduled_as_its_caller(void) {
    static seen_standing seen;
    pthread_t thread;
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, call_with_standing, &seen));
    pthread_join(thread, NULL);
    TEST_ASSERT_GREATER_THAN_INT(0, atomic_load(&seen.t.by_helper));
    TEST_ASSERT_EQUAL_INT(seen.caller.policy, seen.helper.policy);
    if (seen.caller.policy == SCHED_FIFO) {
        TEST_ASSERT_EQUAL_INT(seen.caller.priority - 1, seen.helper.priority);
    } else {
        TEST_ASSERT_EQUAL_INT(5, seen.helper.nice);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_alone_every_item_is_done_once);
    RUN_TEST(test_two_threads_do_every_item_once);
    RUN_TEST(test_a_helper_helps_when_it_is_awake);
    RUN_TEST(test_a_caller_looks_after_other_things_while_its_helper_is_stopped);
    RUN_TEST(test_calls_far_apart_are_done_too);
    RUN_TEST(test_a_helper_reckons_as_its_caller);
    RUN_TEST(test_a_helper_is_scheduled_as_its_caller);
    return UNITY_END();
}
