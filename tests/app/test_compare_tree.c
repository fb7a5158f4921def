// palpate compare of a body of domains: a small strip in three, whole and as a tree.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/sanitized.h"

static char scene[256], picture[256];

static void write_text(const char *path, const char *text) {
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(path, text, strlen(text), &err), err);
}

void setUp(void) {
    check_use_cache();
    snprintf(scene, sizeof scene, "%s", check_scratch("strip.yaml"));
    snprintf(picture, sizeof picture, "%s", check_scratch("compare.png"));
    write_text(scene, "palpate: 1\nname: strip\nbody:\n"
                      "  shape: {name: strip, size: 0.12 m}\n  voxels: 12\n  fixed: x<0.001\n"
                      "  material: {young: 100 kPa, poisson: 0.3, density: 1000 kg/m3}\n"
                      "  damping: {mass: 0.1 1/s, stiffness: 1 ms}\n"
                      "  domains: {auto: 3, cut: axis, modes: {each: 20}}\n"
                      "tree: {inertia: exact}\n");
}
void tearDown(void) {
}

static const cJSON *way(const cJSON *json, int index) {
    return cJSON_GetArrayItem(cJSON_GetObjectItem(json, "ways"), index);
}

static double item(const cJSON *object, const char *key, int index) {
    return cJSON_GetArrayItem(cJSON_GetObjectItem(object, key), index)->valuedouble;
}

// Exact has the frequencies and the swing of the whole; L2 is farther off, and L1 farther still.
static void test_exact_moves_as_the_whole_does_and_lumps_do_not(void) {
    program_run("compare '%s' --bend 20" SANITIZED_TEXT(" --dt 0.006", "") " --picture '%s' --json",
                scene, picture);
    cJSON *json = program_json();
    TEST_ASSERT_EQUAL_STRING("full", cJSON_GetStringValue(cJSON_GetObjectItem(json, "truth")));
    program_array(json, "ways", 4);
    const double off[4] = {0.0, fabs(item(way(json, 1), "frequency_ratios", 0) - 1.0),
                           fabs(item(way(json, 2), "frequency_ratios", 0) - 1.0),
                           fabs(item(way(json, 3), "frequency_ratios", 0) - 1.0)};
    TEST_ASSERT_TRUE(off[3] < 0.015);
    TEST_ASSERT_TRUE(off[3] < off[2] && off[2] < off[1]);
    const cJSON *watched = cJSON_GetObjectItem(way(json, 3), "watched");
    for (int k = 0; k < 2; k++) {
        const cJSON *one = cJSON_GetArrayItem(watched, k);
        TEST_ASSERT_TRUE(program_number(one, "path_error_percent") < 6.0);
        TEST_ASSERT_TRUE(fabs(program_number(one, "frequency_error_percent")) < 2.5);
    }
    TEST_ASSERT_TRUE(program_number(way(json, 3), "deviation_most") < 0.05);
    TEST_ASSERT_TRUE(program_number(way(json, 3), "deviation_most") > 0.0);
    cJSON_Delete(json);
    char *data;
    size_t size;
    pal_err err = {0};
    CHECK_OK(pal_file_read(picture, &data, &size, &err), err);
    TEST_ASSERT_EQUAL_MEMORY("\x89PNG", data, 4);
    free(data);
}

static void test_without_the_full_motion_the_inertias_are_compared(void) {
    program_run("compare '%s' --no-full --watch 'domain 1' --seconds 0.2 --picture '%s' --json",
                scene, picture);
    cJSON *json = program_json();
    TEST_ASSERT_EQUAL_STRING("exact", cJSON_GetStringValue(cJSON_GetObjectItem(json, "truth")));
    program_array(json, "ways", 3);
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "watched"), 0);
    TEST_ASSERT_EQUAL_STRING("domain 1",
                             cJSON_GetStringValue(cJSON_GetObjectItem(first, "domain")));
    cJSON_Delete(json);
}

// A body that flies is struck along the first eigenmode of the free whole: it neither drifts nor
// spins, and swings as the whole does.
static void test_a_body_that_flies_moves_as_the_free_whole_does(void) {
    if (IS_SANITIZED) {
        TEST_IGNORE_MESSAGE("too long for a sanitizer; the held strip takes the same way");
    }
    write_text(scene, "palpate: 1\nname: strip\nbody:\n"
                      "  shape: {name: strip, size: 0.12 m}\n  voxels: 12\n  free: true\n"
                      "  material: {young: 100 kPa, poisson: 0.3, density: 1000 kg/m3}\n"
                      "  damping: {stiffness: 0.1 ms}\n"
                      "  domains: {auto: 3, cut: axis, modes: {each: 16}}\n");
    program_run("compare '%s' --bend 2 --dt 0.0005 --seconds 0.03 --picture '%s' --json", scene,
                picture);
    cJSON *json = program_json();
    TEST_ASSERT_EQUAL_STRING("full", cJSON_GetStringValue(cJSON_GetObjectItem(json, "truth")));
    TEST_ASSERT_TRUE(fabs(item(way(json, 3), "frequency_ratios", 0) - 1.0) < 0.015);
    const cJSON *watched = cJSON_GetObjectItem(way(json, 3), "watched");
    for (int k = 0; k < 2; k++) {
        const cJSON *one = cJSON_GetArrayItem(watched, k);
        TEST_ASSERT_TRUE(program_number(one, "reach_m") > 1e-3);
        TEST_ASSERT_TRUE(program_number(one, "path_error_percent") < 4.0);
    }
    cJSON_Delete(json);
}

// Instances of classes, scaled and turned, whose vertices do not meet: their united mesh is tied.
static void test_instances_vibrate_as_their_tied_meshes_do(void) {
    if (IS_SANITIZED) {
        TEST_IGNORE_MESSAGE("too large for a sanitizer; the ties have tests of their own");
    }
    program_run("compare vessels --no-full --dt 0.1 --seconds 0.3 --picture '%s' --json", picture);
    cJSON *json = program_json();
    TEST_ASSERT_TRUE(program_number(json, "tied_vertices") > 1000.0);
    TEST_ASSERT_TRUE(program_number(json, "tied_beside_m") < 1e-3);
    for (int k = 0; k < 5; k++) {
        const double full = item(json, "full_frequencies_hz", k);
        const double l1 = item(way(json, 0), "frequencies_hz", k) / full;
        const double l2 = item(way(json, 1), "frequencies_hz", k) / full;
        const double exact = item(way(json, 2), "frequencies_hz", k) / full;
        TEST_ASSERT_TRUE(fabs(exact - 1.0) < 0.015);
        TEST_ASSERT_TRUE(1.2 < l2 && l2 < 2.0 && l2 < l1);
    }
    cJSON_Delete(json);
}

static void test_wrong_calls_are_refused(void) {
    program_run("compare --quiet '%s' --force 1,0,0", scene);
    program_fails(2, "--force is for bodies without domains");
    program_run("compare --quiet spoon --bend 3");
    program_fails(2, "--bend is for bodies of domains");
    program_run("compare --quiet '%s' --no-full --watch nobody --picture '%s'", scene, picture);
    program_fails(2, "there is no domain of this name");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_exact_moves_as_the_whole_does_and_lumps_do_not);
    RUN_TEST(test_without_the_full_motion_the_inertias_are_compared);
    RUN_TEST(test_a_body_that_flies_moves_as_the_free_whole_does);
    RUN_TEST(test_instances_vibrate_as_their_tied_meshes_do);
    RUN_TEST(test_wrong_calls_are_refused);
    return UNITY_END();
}
