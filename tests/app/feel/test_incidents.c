// Trials that do not go as they are meant to: the suite goes on, and says which and why.
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel.h"
#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/strip_scene.h"

static char path[256];

void setUp(void) {
    check_use_cache();
    snprintf(path, sizeof path, "%s", check_scratch("strip.yaml"));
}
void tearDown(void) {
}

#define GELATINE STRIP("z<0.001", "{preset: gelatine}", "2 ms") "local: {way: none}\n"
#define OVER     "{move: [60 mm, 15 mm, 30 mm], seconds: 0.1 s}"
#define AIR                                                                                        \
    "    - {name: air, kind: press, probe: [" OVER                                                 \
    ", {press: [60 mm, 15 mm, 27 mm], seconds: 0.3 s}]}\n"
#define STAYS                                                                                      \
    "    - {name: stays, kind: press, probe: [" OVER                                               \
    ", {press: [60 mm, 15 mm, 22 mm], seconds: 0.4 s}, {hold: 0.3 s}]}\n"

static cJSON *suite(const char *text, const char *only) {
    strip_scene_write(path, text);
    program_run("feel '%s' --quick --lenient --json --only %s", path, only);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    return program_json();
}

static const char *text_of(const cJSON *trial, const char *key) {
    return cJSON_GetObjectItem(trial, key)->valuestring;
}

static double score_of(const cJSON *root, const char *trial, const char *metric) {
    const cJSON *score;
    cJSON_ArrayForEach(score, cJSON_GetObjectItem(root, "scores")) {
        if (strcmp(text_of(score, "trial"), trial) == 0 &&
            strcmp(text_of(score, "metric"), metric) == 0) {
            return cJSON_GetObjectItem(score, "value")->valuedouble;
        }
    }
    return NAN;
}

static void test_a_run_that_ends_in_contact_clicks_not(void) {
    cJSON *root = suite(GELATINE STRIP_PROBE("60 mm") "feel:\n  trials:\n" STAYS, "stays");
    const cJSON *trial = cJSON_GetArrayItem(program_array(root, "trials", 1), 0);
    TEST_ASSERT_LESS_THAN_DOUBLE(0.07, score_of(root, "stays", "force_step"));
    TEST_ASSERT_EQUAL_STRING("ends in contact", text_of(trial, "came_to"));
    TEST_ASSERT_NOT_NULL(strstr(text_of(trial, "why"), "ends in contact: judged until 0.79"));
    cJSON_Delete(root);
    // A recorded run, as HDF5 and as CSV
    char file[256], table[256];
    snprintf(file, sizeof file, "%s", check_scratch("stays.h5"));
    snprintf(table, sizeof table, "%s", check_scratch("stays.csv"));
    program_run("run '%s' --virtual --quiet --trace '%s' --csv '%s'", path, file, table);
    for (int i = 0; i < 2; i++) {
        program_run("feel --trace '%s' --quick --lenient --json", i == 0 ? file : table);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
        root = program_json();
        trial = cJSON_GetArrayItem(program_array(root, "trials", 1), 0);
        TEST_ASSERT_EQUAL_STRING("ends in contact", text_of(trial, "came_to"));
        TEST_ASSERT_LESS_THAN_DOUBLE(0.07,
                                     score_of(root, i == 0 ? "stays" : "stays.csv", "force_step"));
        cJSON_Delete(root);
    }
}

static void test_a_trial_in_the_air_is_a_row_and_the_others_go_on(void) {
    char report[256], text[1 << 16] = "";
    cJSON *root = suite(GELATINE STRIP_PROBE("60 mm") "feel:\n  trials:\n" AIR, "air,press");
    const cJSON *press = cJSON_GetArrayItem(program_array(root, "trials", 2), 0);
    const cJSON *air = cJSON_GetArrayItem(program_array(root, "trials", 2), 1);
    TEST_ASSERT_EQUAL_STRING("made", text_of(press, "came_to"));
    TEST_ASSERT_EQUAL_STRING("touches nothing", text_of(air, "came_to"));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text_of(air, "why"), "strip.yaml:16: feel.trials.0.probe"),
                                 text_of(air, "why"));
    TEST_ASSERT_EQUAL_INT(1, (int)program_number(root, "trials_not_made"));
    TEST_ASSERT_TRUE(isnan(score_of(root, "air", "leak"))); // it has no scores, also no good ones
    TEST_ASSERT_FALSE(isnan(score_of(root, "press", "leak")));
    cJSON_Delete(root);
    program_run("feel '%s' --quick --lenient --only air,press", path);
    TEST_ASSERT_EQUAL_INT(0, program.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.out, "touches nothing: air: "), program.out);
    snprintf(report, sizeof report, "%s", check_scratch("report"));
    program_run("feel '%s' --quick --lenient --only air,press --report '%s'", path, report);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    strcat(report, "/report.html");
    FILE *file = fopen(report, "r");
    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_TRUE(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    TEST_ASSERT_NOT_NULL(strstr(text, "Trials that went otherwise than meant"));
    TEST_ASSERT_NOT_NULL(strstr(text, "the tool never touched anything"));
}

static void test_a_suite_in_which_nothing_can_be_made_fails(void) {
    strip_scene_write(path, GELATINE STRIP_PROBE("60 mm") "feel:\n  trials:\n" AIR);
    program_run("feel '%s' --quick --lenient --only air,free", path);
    TEST_ASSERT_EQUAL_INT(1, program.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.errors, "none of 1 trial could be made (beside "
                                                        "free motion); the first, 'air', touches "
                                                        "nothing"),
                                 program.errors);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.out, "touches nothing: air: "), program.out);
}

static void test_a_trial_that_cannot_be_opened_is_a_row(void) {
    pal_feel feel;
    pal_err err = {0};
    strip_scene_write(path, STRIP_SCENE);
    CHECK_OK(
        pal_feel_open(&feel, path, &(pal_feel_wish){.seed = -1, .only = "press,hold"}, NULL, &err),
        err);
    strcpy(feel.trial[0].text, "palpate: 1\n"); // no scene
    CHECK_OK(pal_feel_run(&feel, NULL, &err), err);
    CHECK_OK(pal_feel_judge(&feel, NULL, &err), err);
    CHECK_OK(pal_feel_check_made(&feel, &err), err);
    TEST_ASSERT_EQUAL_INT(PAL_INCIDENT_NOT_MADE, feel.trial[0].incident.kind);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(feel.trial[0].incident.why, "strip.yaml"),
                                 feel.trial[0].incident.why);
    TEST_ASSERT_EQUAL_INT(PAL_INCIDENT_NONE, feel.trial[1].incident.kind);
    TEST_ASSERT_EQUAL_INT(0, feel.trial[0].card.count);
    TEST_ASSERT_TRUE(feel.trial[1].card.count > 0);
    TEST_ASSERT_TRUE(pal_feel_first_run(&feel) == &feel.trial[1]);
    pal_feel_close(&feel);
}

// A flap whose end bends away under the tool until that is off it, and beneath it when the hand
// goes back.
static void test_a_tool_that_slips_off_a_flap_and_is_caught_under_it_is_named(void) {
    cJSON *root = suite(
        STRIP(
            "x<0.01", "{young: 60 kPa, poisson: 0.45, density: 1060 kg/m3}",
            "5 ms") "local: {way: none}\ntool: {radius: 3 mm}\n" STRIP_PROBE("100 mm") "feel:\n"
                                                                                       "  "
                                                                                       "trials:\n  "
                                                                                       "  - name: "
                                                                                       "off\n      "
                                                                                       "kind: "
                                                                                       "bend\n     "
                                                                                       " probe:\n"
                                                                                       "        - "
                                                                                       "{move: "
                                                                                       "[119 mm, "
                                                                                       "15 mm, 26 "
                                                                                       "mm], "
                                                                                       "seconds: "
                                                                                       "0.2 s}\n"
                                                                                       "        - "
                                                                                       "{press: "
                                                                                       "[119 mm, "
                                                                                       "15 mm, -25 "
                                                                                       "mm], "
                                                                                       "seconds: 1 "
                                                                                       "s}\n       "
                                                                                       " - hold: "
                                                                                       "0.5 s\n"
                                                                                       "        - "
                                                                                       "{move: "
                                                                                       "[119 mm, "
                                                                                       "15 mm, 26 "
                                                                                       "mm], "
                                                                                       "seconds: 1 "
                                                                                       "s}\n",
        "off");
    const cJSON *trial = cJSON_GetArrayItem(program_array(root, "trials", 1), 0);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("slipped off and wedged", text_of(trial, "came_to"),
                                     text_of(trial, "why"));
    TEST_ASSERT_NOT_NULL(strstr(text_of(trial, "why"), "while the hand still presses"));
    TEST_ASSERT_NOT_NULL(strstr(text_of(trial, "why"), "at the end it is not free"));
    const double at = program_number(trial, "at_s");
    TEST_ASSERT_TRUE(at > 0.4 && at < 1.2);
    cJSON_Delete(root);
}

// One rule of what a probe touches: the run's.
static void test_a_ball_that_passes_3_mm_above_touches_as_in_a_run(void) {
    pal_feel feel;
    pal_err err = {0};
    strip_scene_write(path, GELATINE "probe:\n  - {move: [-20 mm, 15 mm, 23 mm], seconds: 0.2 s}\n"
                                     "  - {slide: [60 mm, 15 mm, 23 mm], seconds: 1 s}\n");
    program_run("run '%s' --virtual --json", path);
    cJSON *root = program_json();
    TEST_ASSERT_TRUE(program_number(root, "max_force_n") > 0.1);
    cJSON_Delete(root);
    CHECK_OK(pal_feel_open(&feel, path, &(pal_feel_wish){.seed = -1, .only = "press"}, NULL, &err),
             err);
    TEST_ASSERT_TRUE(feel.at[0] > -1e-3 && feel.at[0] < 10e-3); // its edge
    TEST_ASSERT_DOUBLE_WITHIN(3e-3, 0.02, feel.at[2]);
    pal_feel_close(&feel);
}

static void test_a_probe_that_no_run_feels_is_told_with_its_distance(void) {
    strip_scene_write(path, GELATINE "probe:\n  - {move: [60 mm, 15 mm, 40 mm], seconds: 0.1 s}\n"
                                     "  - {press: [60 mm, 15 mm, 28 mm], seconds: 0.3 s}\n");
    program_run("feel '%s' --quick", path);
    program_fails(1, "presses on nothing, run as it is (it stays 3.");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_run_that_ends_in_contact_clicks_not);
    RUN_TEST(test_a_trial_in_the_air_is_a_row_and_the_others_go_on);
    RUN_TEST(test_a_suite_in_which_nothing_can_be_made_fails);
    RUN_TEST(test_a_trial_that_cannot_be_opened_is_a_row);
    RUN_TEST(test_a_tool_that_slips_off_a_flap_and_is_caught_under_it_is_named);
    RUN_TEST(test_a_ball_that_passes_3_mm_above_touches_as_in_a_run);
    RUN_TEST(test_a_probe_that_no_run_feels_is_told_with_its_distance);
    return UNITY_END();
}
