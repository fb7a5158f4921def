// What the machine grants is told as it is, with and without rights.
#include <errno.h>
#include <float.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "haptics/realtime.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

// What a child process finds wrong, as its exit code; 0: nothing.
static int in_child(int (*look)(void)) {
    fflush(stdout);
    pid_t child = fork();
    TEST_ASSERT_TRUE(child >= 0);
    if (child == 0) {
        _exit(look());
    }
    int state = 0;
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &state, 0));
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

// The report against what the system says of the thread.
static int look_at(const pal_realtime_report *report) {
    int policy = sched_getscheduler(0);
    errno = 0;
    int nice = getpriority(PRIO_PROCESS, 0);
    bool all = true;
    for (int right = 0; right < PAL_RIGHTS; right++) {
        if (report->grant[right].name == NULL || report->grant[right].text[0] == '\0') {
            return 10 + right;
        }
        all = all && report->grant[right].granted;
    }
    if (all != report->all) {
        return 2;
    }
    switch (report->schedule) {
    case PAL_SCHEDULE_FIFO:
        return policy == SCHED_FIFO ? 0 : 3;
    case PAL_SCHEDULE_NICE:
        return policy == SCHED_OTHER && nice < 0 ? 0 : 4;
    case PAL_SCHEDULE_NORMAL:
        return policy == SCHED_OTHER && nice == 0 ? 0 : 5;
    }
    return 6;
}

static int set_up_as_we_are(void) {
    pal_realtime_report report;
    pal_realtime_options options = pal_realtime_defaults();
    pal_realtime_setup(&options, &report);
    return look_at(&report);
}

static void test_the_report_says_what_is_so(void) {
    TEST_ASSERT_EQUAL_INT(0, in_child(set_up_as_we_are));
}

// As a user without rights: everything falls back, and each row says how to get more.
static int set_up_without_rights(void) {
    const struct rlimit none = {0, 0}, zero_nice = {20, 20};
    setrlimit(RLIMIT_RTPRIO, &none);
    setrlimit(RLIMIT_MEMLOCK, &none);
    setrlimit(RLIMIT_NICE, &zero_nice);
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) {
        return 77;
    }
    pal_realtime_report report;
    pal_realtime_options options = pal_realtime_defaults();
    pal_realtime_setup(&options, &report);
    int wrong = look_at(&report);
    const char *schedule = report.grant[PAL_RIGHT_SCHEDULE].text;
    if (wrong == 0 && report.schedule != PAL_SCHEDULE_NORMAL) {
        wrong = 20;
    } else if (wrong == 0 && (report.all || strstr(schedule, "normal") == NULL ||
                              strstr(schedule, "rtprio") == NULL)) {
        wrong = 21;
    } else if (wrong == 0 && report.grant[PAL_RIGHT_AFFINITY].granted) {
        wrong = 22;
    }
    return wrong;
}

static void test_without_rights_it_falls_back_and_says_how_to_get_them(void) {
    int wrong = in_child(set_up_without_rights);
    if (wrong == 77) {
        TEST_IGNORE_MESSAGE("cannot become another user here");
    }
    TEST_ASSERT_EQUAL_INT(0, wrong);
}

// After set-up under a limit the process can still allocate.
static int allocate_under_a_limit(void) {
    int wrong = set_up_without_rights();
    char *memory = malloc(64 << 20);
    wrong = wrong == 0 && memory == NULL ? 30 : wrong;
    if (memory != NULL) {
        memset(memory, 1, 64 << 20);
        wrong = wrong == 0 && memory[12345] != 1 ? 31 : wrong;
    }
    free(memory);
    return wrong;
}

static void test_a_lock_limit_does_not_break_later_allocation(void) {
    int wrong = in_child(allocate_under_a_limit);
    if (wrong == 77) {
        TEST_IGNORE_MESSAGE("cannot become another user here");
    }
    TEST_ASSERT_EQUAL_INT(0, wrong);
}

static int ask_for_nothing(void) {
    pal_realtime_report report;
    pal_realtime_setup(&(pal_realtime_options){.priority = 0}, &report);
    return !report.all ? 40 : look_at(&report);
}

static void test_what_is_not_asked_for_is_not_missed(void) {
    TEST_ASSERT_EQUAL_INT(0, in_child(ask_for_nothing));
}

static void test_a_probe_leaves_the_caller_as_it_was(void) {
    int policy = sched_getscheduler(0);
    pal_realtime_report report;
    pal_realtime_options options = pal_realtime_defaults();
    pal_realtime_probe(&options, &report);
    TEST_ASSERT_EQUAL_INT(policy, sched_getscheduler(0));
    for (int right = 0; right < PAL_RIGHTS; right++) {
        TEST_ASSERT_NOT_NULL(report.grant[right].name);
        TEST_ASSERT_TRUE(strlen(report.grant[right].text) > 0);
    }
    volatile double tiny = DBL_MIN;
    TEST_ASSERT_TRUE(tiny / 4.0 > 0.0);
}

static void test_denormals_are_zero_while_flushed(void) {
    volatile double tiny = DBL_MIN;
    TEST_ASSERT_TRUE(tiny / 4.0 > 0.0);
    if (!pal_realtime_flush_denormals(true)) {
        TEST_IGNORE_MESSAGE("no switch for denormals on this processor");
    }
    volatile double flushed = tiny / 4.0;
    pal_realtime_flush_denormals(false);
    volatile double kept = tiny / 4.0;
    TEST_ASSERT_TRUE(flushed == 0.0);
    TEST_ASSERT_TRUE(kept > 0.0);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_report_says_what_is_so);
    RUN_TEST(test_without_rights_it_falls_back_and_says_how_to_get_them);
    RUN_TEST(test_a_lock_limit_does_not_break_later_allocation);
    RUN_TEST(test_what_is_not_asked_for_is_not_missed);
    RUN_TEST(test_a_probe_leaves_the_caller_as_it_was);
    RUN_TEST(test_denormals_are_zero_while_flushed);
    return UNITY_END();
}
