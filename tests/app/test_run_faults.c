// Runs in real time to which something happens: no force above the limit, no jump, the run goes on
// or ends with a clear message, and the trace up to there can be read and replayed.
#include <fcntl.h>
#include <linux/capability.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/live_run.h"
#include "tests/support/program.h"

void setUp(void) {
}
void tearDown(void) {
}

#define LONG_PRESS "wall --seconds 60" // in mid-press from 1 s to 2 s

// The hand pressed, unless the machine kept the run from it.
static void check_pressed(double force) {
    TEST_ASSERT_TRUE(isnan(force) || force > 0.5);
}

// ---- The process --------------------------------------------------------------------------------

static void test_an_interrupt_ends_a_run_cleanly(void) {
    live_run run;
    live_run_start(&run, "interrupted", LONG_PRESS, NULL);
    live_run_wait(1.5);
    live_run_end_whole(&run, SIGINT);
    check_pressed(live_run_check(&run, NULL, true));
}

static void test_a_stopped_process_makes_no_jump(void) {
    live_run run;
    live_run_start(&run, "stopped", LONG_PRESS, NULL);
    live_run_wait(1.3);
    kill(run.child, SIGSTOP);
    live_run_wait(0.2);
    kill(run.child, SIGCONT);
    live_run_wait(0.2);
    TEST_ASSERT_TRUE(live_run_end_whole(&run, SIGINT));
    check_pressed(live_run_check(&run, NULL, true));
    live_run_said(&run, "too many ticks were missed");
    live_run_replays(&run, NULL);
}

static void test_a_killed_run_leaves_its_part(void) {
    live_run run;
    char part[300];
    live_run_start(&run, "killed", LONG_PRESS, NULL);
    snprintf(part, sizeof part, "%s.part", run.trace);
    live_run_wait(1.9);
    TEST_ASSERT_EQUAL_INT(-1, live_run_end(&run, SIGKILL));
    check_pressed(live_run_check(&run, part, false));
    live_run_replays(&run, part);
}

// ---- The machine --------------------------------------------------------------------------------

// More processes than processors, none of which ever rests. They end with this one.
enum { MOST_SPINNERS = 64 };
static pid_t spinner[MOST_SPINNERS];

static int start_spinners(void) {
    int count = (int)sysconf(_SC_NPROCESSORS_ONLN) + 1;
    count = count < MOST_SPINNERS ? count : MOST_SPINNERS;
    fflush(stdout);
    for (int i = 0; i < count; i++) {
        spinner[i] = fork();
        if (spinner[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL);
            for (volatile unsigned k = 0;; k++) {
            }
        }
    }
    return count;
}

static void end_spinners(int count) {
    for (int i = 0; i < count; i++) {
        live_run ended = {.child = spinner[i]};
        live_run_end(&ended, SIGKILL);
    }
}

static void test_busy_processors_make_no_jump(void) {
    live_run run;
    int spinners = start_spinners();
    live_run_start(&run, "busy", LONG_PRESS, NULL);
    live_run_wait(2.0);
    live_run_end_whole(&run, SIGINT);
    end_spinners(spinners);
    double force = live_run_check(&run, NULL, true);
    check_pressed(force);
    live_run_said(&run, isnan(force) ? "were missed" : "missed (");
    live_run_replays(&run, NULL);
}

// As for a user without any rights. Root keeps after an exec what is in the bounding set.
static void drop_rights(void) {
    static const int limits[] = {RLIMIT_RTPRIO, RLIMIT_NICE, RLIMIT_MEMLOCK};
    static const unsigned long rights[] = {CAP_SYS_NICE, CAP_IPC_LOCK, CAP_SYS_RESOURCE};
    const struct rlimit none = {0, 0};
    for (int i = 0; i < 3; i++) {
        bool dropped = prctl(PR_CAPBSET_DROP, rights[i], 0UL, 0UL, 0UL) == 0 || geteuid() != 0;
        if (setrlimit(limits[i], &none) != 0 || !dropped) {
            _exit(125);
        }
    }
}

static void test_without_rights_a_run_goes_on_and_says_what_is_missing(void) {
    live_run run;
    live_run_start(&run, "poor", LONG_PRESS, drop_rights);
    live_run_wait(1.7);
    live_run_end_whole(&run, SIGINT);
    check_pressed(live_run_check(&run, NULL, true));
    live_run_said(&run, "no SCHED_FIFO (Operation not permitted)");
    live_run_said(&run, "put '@audio - rtprio 90' into /etc/security/limits.d/");
    live_run_said(&run, "limit 0 KiB");
    live_run_said(&run, "put '@audio - memlock unlimited' into /etc/security/limits.d/");
    live_run_replays(&run, NULL);
}

// ---- The disk -----------------------------------------------------------------------------------

static int stalled_pipe[2];

static void write_to_stalled_pipe(void) {
    dup2(stalled_pipe[1], STDOUT_FILENO);
}

// A pipe that nobody reads is a disk that stands still. The servo ticks on; at the end the program
// waits for 10 s, says so, and ends. What the disk took until then can be read.
static void test_a_stalled_disk_is_told_and_does_not_hold_the_run(void) {
    live_run run;
    char part[300];
    TEST_ASSERT_EQUAL_INT(0, pipe(stalled_pipe));
    live_run_start(&run, "stalled", "wall --seconds 1.5 --csv /dev/stdout", write_to_stalled_pipe);
    TEST_ASSERT_EQUAL_INT(1, live_run_end(&run, 0));
    close(stalled_pipe[0]);
    close(stalled_pipe[1]);
    live_run_said(&run, "the disk has taken nothing of the trace for 10 s; what it took is in");
    live_run_said(&run, "stalled.h5.part");
    snprintf(part, sizeof part, "%s.part", run.trace);
    live_run_check(&run, part, false);
    live_run_replays(&run, part);
}

static void write_to_full_disk(void) {
    dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
}

static void test_a_full_disk_is_told_at_the_end(void) {
    live_run run;
    char part[300];
    if (access("/dev/full", W_OK) != 0) {
        TEST_IGNORE_MESSAGE("there is no /dev/full");
    }
    live_run_start(&run, "full", "wall --seconds 1.5 --csv /dev/stdout", write_to_full_disk);
    TEST_ASSERT_EQUAL_INT(1, live_run_end(&run, 0));
    live_run_said(&run, "/dev/stdout: cannot write: No space left");
    snprintf(part, sizeof part, "%s.part", run.trace);
    live_run_check(&run, part, false);
    live_run_replays(&run, part);
}

// ---- The device ---------------------------------------------------------------------------------

static void test_a_device_that_vanishes_is_told_and_gets_no_force(void) {
    live_run run;
    char path[256], arguments[600];
    snprintf(path, sizeof path, "%s", check_scratch("unplugged.yaml"));
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs("palpate: 1\nname: unplugged\nwall: {height: 0 m, stiffness: 500 N/m}\n"
          "device: {profile: touch, grip: firm}\n"
          "probe:\n  - {move: [0 m, 0 m, 5 mm], seconds: 0.2 s}\n"
          "  - {press: [0 m, 0 m, -10 mm], seconds: 0.3 s}\n  - hold: 1 s\n"
          "faults:\n  - {kind: unplug, at: 1.2 s}\n",
          file);
    fclose(file);
    // (in virtual time no missed deadline of a busy machine comes before)
    snprintf(arguments, sizeof arguments, "'%s' --virtual", path);
    live_run_start(&run, "unplugged", arguments, NULL);
    TEST_ASSERT_TRUE(live_run_end_whole(&run, 0));
    check_pressed(live_run_check(&run, NULL, true));
    live_run_said(&run, "palpate: hand 1 has no force any more: the device was lost"); // at once
    live_run_said(&run, "at 1.200 s: the device was lost");
    live_run_said(&run, "the force was ramped to zero and stayed there");
    live_run_replays(&run, NULL);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_an_interrupt_ends_a_run_cleanly);
    RUN_TEST(test_a_stopped_process_makes_no_jump);
    RUN_TEST(test_a_killed_run_leaves_its_part);
    RUN_TEST(test_busy_processors_make_no_jump);
    RUN_TEST(test_without_rights_a_run_goes_on_and_says_what_is_missing);
    RUN_TEST(test_a_stalled_disk_is_told_and_does_not_hold_the_run);
    RUN_TEST(test_a_full_disk_is_told_at_the_end);
    RUN_TEST(test_a_device_that_vanishes_is_told_and_gets_no_force);
    return UNITY_END();
}
