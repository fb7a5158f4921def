// The liver as it is shipped makes no energy, however it is pressed. Baked once, here.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/trace.h"
#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/sanitized.h"

#define LIVER PAL_TEST_DATA "/../../scenes/liver.yaml"

static const double most_made = 1e-4; // J

void setUp(void) {
    check_use_cache();
}
void tearDown(void) {
}

// What the hand got out of the body beyond what it had put in, at worst, from the trace alone: J.
static double made_in(const char *path) {
    pal_trace_data trace;
    pal_err err = {0};
    double put_in = 0.0, least = 0.0;
    CHECK_OK(pal_trace_read(path, &trace, &err), err);
    for (int64_t k = 1; k < trace.count; k++) {
        for (int c = 0; c < 3; c++) {
            put_in -= trace.record[k - 1].force[c] *
                      (trace.record[k].position[c] - trace.record[k - 1].position[c]);
        }
        least = fmin(least, put_in);
    }
    pal_trace_data_free(&trace);
    return -least;
}

static void check_press(const char *scene, const char *arguments, double least_force) {
    char trace[256];
    snprintf(trace, sizeof trace, "%s", check_scratch("press.h5"));
    program_run("run '%s' --virtual --json --quiet %s --trace '%s'", scene, arguments, trace);
    cJSON *root = program_json();
    TEST_ASSERT_TRUE(program_number(root, "max_force_n") > least_force);
    TEST_ASSERT_TRUE(program_number(root, "energy_generated_j") <= most_made);
    TEST_ASSERT_TRUE(made_in(trace) <= most_made);
    cJSON_Delete(root);
}

// The shipped liver with other lines from `key` on; its model is the same.
static const char *write_liver(const char *name, const char *lines) {
    static char path[256];
    static const char key[] = "\ndevice: ";
    static char text[1 << 14];
    FILE *from = fopen(LIVER, "r");
    TEST_ASSERT_NOT_NULL_MESSAGE(from, LIVER);
    text[fread(text, 1, sizeof text - 1, from)] = '\0';
    fclose(from);
    char *end = strstr(text, key);
    TEST_ASSERT_NOT_NULL(end);
    end[1] = '\0';
    snprintf(path, sizeof path, "%s", check_scratch(name));
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs(text, file);
    fputs(lines, file);
    fclose(file);
    return path;
}

#define QUICK_PRESS                                                                                \
    "tool: {radius: " SANITIZED_RADIUS ", stiffness: 2 kN/m, damping: 1 N s/m}\n"                  \
    "probe:\n  - {move: [0.12 m, 0.03 m, 0.135 m], seconds: 0.3 s}\n"                              \
    "  - {press: [0.12 m, 0.03 m, 0.1 m], seconds: 0.15 s}\n  - hold: 0.3 s\n"                     \
    "  - release: 0.15 s\n  - hold: 0.4 s\n"

static void test_press_hold_and_release_as_shipped(void) {
    check_press("liver", "", 1.0);
}

// So quick that the liver is thrown away from the tool and swings back against it: that is the
// energy of the hand, not of the program.
static void test_a_quick_press(void) {
    const char *scene = write_liver("quick.yaml", "device: {profile: touch}\n" QUICK_PRESS);
    if (!IS_SANITIZED) {
        check_press(scene, "", 2.5);
    }
    check_press(scene, "--edit 0:body:young=60e3", 2.5); // and five times as stiff
}

static void test_a_quick_press_by_a_strong_device(void) {
    const char *scene = write_liver("strong.yaml", "device: {profile: omega}\n" QUICK_PRESS);
    for (int k = SANITIZED_OR(1, 0); k < 2; k++) {
        check_press(scene, k == 0 ? "" : "--edit 0:body:young=60e3", 2.5);
    }
}

// The measure can fail: an actuator that is 5 ms late, at a coupling that is too stiff for that, on
// a body that gives way only by its modes.
static void test_a_late_stiff_loop_is_found_out(void) {
    const char *scene =
        write_liver("late.yaml", "local: {way: none}\n"
                                 "device: {profile: omega, grip: loose, delay: 5 ms}\n"
                                 "coupling: {stiffness: 4 kN/m, damping: 0 N s/m}\n" QUICK_PRESS);
    program_run("run '%s' --virtual --json --quiet --edit 0:body:young=60e3", scene);
    cJSON *root = program_json();
    TEST_ASSERT_TRUE(program_number(root, "energy_generated_j") > 10.0 * most_made);
    cJSON_Delete(root);
}

static void test_a_tool_that_begins_inside_feels_nothing_and_that_is_said(void) {
    const char *scene = write_liver(
        "inside.yaml", "device: {profile: touch}\ntool: {radius: " SANITIZED_RADIUS "}\n"
                       "probe:\n  - {move: [0.12 m, 0.03 m, 0.09 m], seconds: 0.2 s}\n");
    program_run("run '%s' --virtual", scene);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "largest force     0.000 N"));
    TEST_ASSERT_NOT_NULL(strstr(program.out, "the tool of hand 1 began inside the body"));
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_press_hold_and_release_as_shipped);
    RUN_TEST(test_a_quick_press);
    RUN_TEST(test_a_quick_press_by_a_strong_device);
    RUN_TEST(test_a_late_stiff_loop_is_found_out);
    RUN_TEST(test_a_tool_that_begins_inside_feels_nothing_and_that_is_said);
    return UNITY_END();
}
