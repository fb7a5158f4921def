// Runs and replays with several hands, as a user makes them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/trace.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/sanitized.h"

#define TOOL "tool: {radius: " SANITIZED_RADIUS "}\n"

static char scene[256], lone[256];

static const char body[] = "palpate: 1\nname: small\nbody:\n"
                           "  shape: {name: spoon, size: 0.2 m}\n  voxels: 40\n  fixed: x<0.02\n"
                           "  material: {young: 1 MPa, poisson: 0.4, density: 1000 kg/m3}\n"
                           "  damping: {mass: 30 1/s, stiffness: 10 ms}\n"
                           "basis: {modes: 3, size: 5}\n";

// The first hand presses the bowl of the spoon down, the second bends its handle up, with a tool
// that has a mass, and turns.
static const char above[] = "    probe:\n"
                            "      - {move: [0.17 m, 0.018 m, 0.02 m], seconds: 0.1 s}\n"
                            "      - {press: [0.17 m, 0.018 m, -0.02 m], seconds: 0.3 s}\n"
                            "      - hold: 0.2 s\n      - release: 0.2 s\n";
static const char below[] = "    probe:\n"
                            "      - {move: [0.12 m, 0.018 m, -0.02 m], seconds: 0.1 s}\n"
                            "      - {press: [0.12 m, 0.018 m, 0.02 m], seconds: 0.3 s,\n"
                            "         turn: [0 deg, 0.2 rad, 0 deg]}\n"
                            "      - hold: 0.2 s\n      - release: 0.4 s\n";

static void write_file(char path[256], const char *name, const char *text) {
    snprintf(path, 256, "%s", check_scratch(name));
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs(text, file);
    fclose(file);
}

void setUp(void) {
    char text[4096];
    if (scene[0] != '\0') {
        return;
    }
    check_use_cache();
    snprintf(text, sizeof text,
             "%shands:\n  - device: {profile: touch}\n    " TOOL
             "%s  - device: {profile: premium}\n"
             "    coupling: {kind: dynamic, mass: 30 g}\n    tool: {radius: " SANITIZED_TEXT(
                 "8", "4") " mm}\n%s",
             body, above, below);
    write_file(scene, "hands.yaml", text);
    snprintf(text, sizeof text, "%shands:\n  - device: {profile: touch}\n    " TOOL "%s", body,
             above);
    write_file(lone, "lone.yaml", text);
}
void tearDown(void) {
}

static void check_replays(const char *trace) {
    program_run("replay '%s' --check", trace);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "bit for bit"));
}

static void hash_of(const char *arguments, char hash[64]) {
    program_run("run '%s' --virtual --json %s", scene, arguments);
    cJSON *root = program_json();
    TEST_ASSERT_EQUAL_INT(11, cJSON_GetArraySize(root));
    TEST_ASSERT_EQUAL_INT(2, cJSON_GetArraySize(cJSON_GetObjectItem(root, "hands")));
    TEST_ASSERT_TRUE(program_number(root, "dropped") == 0);
    TEST_ASSERT_TRUE(program_number(root, "energy_generated_j") <= 2e-4);
    const cJSON *text = cJSON_GetObjectItem(root, "trace_hash");
    TEST_ASSERT_TRUE(cJSON_IsString(text));
    snprintf(hash, 64, "%s", text->valuestring);
    cJSON_Delete(root);
}

static void test_two_hands_run_the_same_and_replay(void) {
    char trace[256], arguments[600], first[64], second[64];
    pal_trace_data data;
    pal_err err = {0};
    snprintf(trace, sizeof trace, "%s", check_scratch("two.h5"));
    snprintf(arguments, sizeof arguments, "--trace '%s'", trace);
    hash_of(arguments, first);
    hash_of("", second);
    TEST_ASSERT_EQUAL_STRING(first, second);
    check_replays(trace);
    snprintf(arguments, sizeof arguments, "--device 'replay:%s'", trace);
    hash_of(arguments, second);
    TEST_ASSERT_EQUAL_STRING(first, second);

    CHECK_OK(pal_trace_read(trace, &data, &err), err);
    TEST_ASSERT_EQUAL_INT(2, data.info.hand_count);
    TEST_ASSERT_EQUAL_INT(2000, (int)data.count); // as long as the longer probe
    double most[2] = {0.0}, turned = 0.0;
    for (int64_t k = 0; k < data.count; k++) {
        const pal_tick_record *record = &data.record[k];
        const double push = record->hand == 0 ? record->force[2] : -record->force[2];
        most[record->hand] = push > most[record->hand] ? push : most[record->hand];
        turned = record->turn[2] > turned ? record->turn[2] : turned;
    }
    TEST_ASSERT_TRUE(most[0] > 0.1 && most[1] > 0.1);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 0.1, turned); // sin(0.2 / 2)
    pal_trace_data_free(&data);

    program_run("info '%s'", trace);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "touch, premium"));
    TEST_ASSERT_NOT_NULL(strstr(program.out, "1,000 ("));
}

// In real time, by our clock and by that of the first hand's device.
static void test_two_hands_run_in_real_time_and_by_the_devices_clock(void) {
    static const char *const devices[] = {"sim", "sim-driven"};
    for (int i = 0; i < 2; i++) {
        char trace[256];
        snprintf(trace, sizeof trace, "%s", check_scratch("real.h5"));
        program_run("run '%s' --seconds 0.8 --device %s --trace '%s'", scene, devices[i], trace);
        program_ran_in_real_time();
        TEST_ASSERT_NOT_NULL(strstr(program.out, "8.5 N (premium)"));
        TEST_ASSERT_NOT_NULL(strstr(program.out, "largest torque"));
        check_replays(trace);
    }
    program_run("run '%s' --virtual --seconds 0.1 --device null --json", scene);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
}

// One hand in the list is the same as one at the top.
static void test_one_hand_of_a_list_is_a_scene_of_one_hand(void) {
    char text[2048], plain[256], hash[2][64];
    const char *probe = above + strlen("    "); // a list may stand deeper than its key
    snprintf(text, sizeof text, "%sdevice: {profile: touch}\n" TOOL "%s", body, probe);
    write_file(plain, "plain.yaml", text);
    for (int i = 0; i < 2; i++) {
        program_run("run '%s' --virtual --json", i == 0 ? lone : plain);
        cJSON *root = program_json();
        snprintf(hash[i], 64, "%s", cJSON_GetObjectItem(root, "trace_hash")->valuestring);
        cJSON_Delete(root);
    }
    TEST_ASSERT_EQUAL_STRING(hash[0], hash[1]);
}

static void test_a_trace_of_other_hands_is_refused(void) {
    char trace[256];
    snprintf(trace, sizeof trace, "%s", check_scratch("lone.h5"));
    program_run("run '%s' --virtual --seconds 0.2 --json --trace '%s'", lone, trace);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    program_run("run '%s' --virtual --device 'replay:%s'", scene, trace);
    program_fails(1, "a trace of 1 hand(s) for the scene 'small', which has 2");
}

static void test_the_shipped_scene_runs_and_replays(void) {
    char trace[256];
    snprintf(trace, sizeof trace, "%s", check_scratch("shipped.h5"));
    program_run("run two-hands --virtual --json --trace '%s'", trace);
    cJSON *root = program_json();
    TEST_ASSERT_TRUE(program_number(root, "max_force_n") > 0.5);
    TEST_ASSERT_TRUE(program_number(root, "energy_generated_j") <= 1e-4);
    cJSON_Delete(root);
    check_replays(trace);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_two_hands_run_the_same_and_replay);
    RUN_TEST(test_two_hands_run_in_real_time_and_by_the_devices_clock);
    RUN_TEST(test_one_hand_of_a_list_is_a_scene_of_one_hand);
    RUN_TEST(test_a_trace_of_other_hands_is_refused);
    RUN_TEST(test_the_shipped_scene_runs_and_replays);
    return UNITY_END();
}
