// Runs under the clock of the device, as a user makes them.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/live_run.h"
#include "tests/support/program.h"

void setUp(void) {
}
void tearDown(void) {
}

static void test_a_driven_run_says_whose_time_it_was_and_replays(void) {
    live_run run;
    live_run_start(&run, "driven", "wall --device sim-driven --seconds 1.6", NULL);
    live_run_end_whole(&run, 0);
    double force = live_run_check(&run, NULL, true);
    TEST_ASSERT_TRUE(isnan(force) || force > 0.5);
    live_run_said(&run, "sim-driven device, the device's time");
    live_run_said(&run, "1,600"); // ticks
    live_run_replays(&run, NULL);
    program_run("info '%s'", run.trace);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "sim-driven (touch)"));
}

static void test_an_interrupt_in_mid_press_ends_a_driven_run_cleanly(void) {
    live_run run;
    live_run_start(&run, "ended", "wall --device sim-driven --seconds 60", NULL);
    live_run_wait(1.5);
    live_run_end_whole(&run, SIGINT);
    double force = live_run_check(&run, NULL, true);
    TEST_ASSERT_TRUE(isnan(force) || force > 0.5);
    live_run_replays(&run, NULL);
}

// Longer than a device may be silent: it was not the device.
static void test_a_stopped_process_does_not_blame_the_device(void) {
    live_run run;
    live_run_start(&run, "stopped", "wall --device sim-driven --seconds 60", NULL);
    live_run_wait(1.3);
    kill(run.child, SIGSTOP);
    live_run_wait(0.8);
    kill(run.child, SIGCONT);
    live_run_wait(0.2);
    TEST_ASSERT_TRUE(live_run_end_whole(&run, SIGINT));
    live_run_check(&run, NULL, true);
    live_run_said(&run, "too many ticks were missed");
    live_run_replays(&run, NULL);
}

static void test_a_device_that_calls_no_more_ends_the_run_with_its_trace(void) {
    live_run run;
    char path[256], arguments[600];
    snprintf(path, sizeof path, "%s", check_scratch("silent.yaml"));
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs("palpate: 1\nname: silent\nwall: {height: 0 m, stiffness: 500 N/m}\n"
          "device: {profile: touch, grip: firm}\n"
          "probe:\n  - {move: [0 m, 0 m, 5 mm], seconds: 0.2 s}\n"
          "  - {press: [0 m, 0 m, -10 mm], seconds: 0.3 s}\n  - hold: 9 s\n"
          "faults:\n  - {kind: silence, at: 1.2 s}\n",
          file);
    fclose(file);
    snprintf(arguments, sizeof arguments, "'%s' --device sim-driven", path);
    live_run_start(&run, "silent", arguments, NULL);
    TEST_ASSERT_EQUAL_INT(1, live_run_end(&run, 0));
    double force = live_run_check(&run, NULL, false);
    TEST_ASSERT_TRUE(isnan(force) || force > 0.5);
    live_run_said(&run, "palpate: error: the device has called no tick for 0.5 s, after ");
    live_run_said(&run, run.trace);
    live_run_replays(&run, NULL);

    // to a device that is polled the same fault is one of stale readings, and the run goes on to
    // its end, which tells the fault
    program_run("run '%s' --virtual --seconds 2 --json", path);
    TEST_ASSERT_EQUAL_INT(1, program.code);
    TEST_ASSERT_NOT_NULL(strstr(program.errors, "has no force since 1.205 s"));
    cJSON *root = cJSON_Parse(program.out);
    TEST_ASSERT_NOT_NULL(root);
    const cJSON *hand = cJSON_GetArrayItem(program_array(root, "hands", 1), 0);
    TEST_ASSERT_EQUAL_STRING("stale", cJSON_GetObjectItem(hand, "fault")->valuestring);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.205, program_number(hand, "fault_time_s"));
    TEST_ASSERT_TRUE(program_number(root, "ticks") == 2000);
    TEST_ASSERT_TRUE(program_number(cJSON_GetObjectItem(root, "safety"), "stale") > 700);
    cJSON_Delete(root);
}

static void test_a_device_that_keeps_the_time_has_no_virtual_time(void) {
    program_run("run wall --device sim-driven --virtual");
    program_fails(2, "--virtual: the device sim-driven keeps the time itself; give --device sim");
    program_run("run --help");
    TEST_ASSERT_NOT_NULL(strstr(program.out, "sim-driven"));
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_driven_run_says_whose_time_it_was_and_replays);
    RUN_TEST(test_an_interrupt_in_mid_press_ends_a_driven_run_cleanly);
    RUN_TEST(test_a_stopped_process_does_not_blame_the_device);
    RUN_TEST(test_a_device_that_calls_no_more_ends_the_run_with_its_trace);
    RUN_TEST(test_a_device_that_keeps_the_time_has_no_virtual_time);
    return UNITY_END();
}
