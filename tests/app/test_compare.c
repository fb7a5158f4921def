// palpate compare: what it tells of motions that are known, and the command on a small body.
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "app/compare.h"
#include "tests/support/check.h"

static const double pi = 3.14159265358979323846;

void setUp(void) {
}

void tearDown(void) {
}

// ---- measures

// amplitude sin(2 pi hz t) along y, with a ripple at ten times the frequency.
static void swing(pal_motion *motion, double amplitude, double hz, double ripple) {
    pal_err err = {0};
    const pal_trial trial = {.dt = 0.001, .steps = 1000};
    CHECK_OK(pal_motion_alloc(&trial, motion, &err), err);
    for (int32_t i = 0; i < motion->count; i++) {
        double t = i * trial.dt, phase = 2.0 * pi * hz * t;
        motion->time[i] = t;
        motion->along[i] = amplitude * (sin(phase) + ripple * sin(10.0 * phase));
        motion->u[3 * i + 1] = motion->along[i];
    }
}

static void test_frequency_and_peak_of_a_sine_are_its_own(void) {
    pal_motion motion;
    int32_t halves;
    swing(&motion, 0.02, 3.7, 0.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5 * 3.7, 3.7, pal_motion_frequency(&motion, INT32_MAX, &halves));
    TEST_ASSERT_EQUAL_INT(6, halves); // 3.7 swings go through zero seven times
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.02, pal_motion_peak(&motion));
    pal_motion_free(&motion);
}

static void test_ripples_about_zero_are_not_swings(void) {
    pal_motion motion;
    int32_t halves;
    swing(&motion, 1.0, 3.7, 0.09);
    double hz = pal_motion_frequency(&motion, INT32_MAX, &halves);
    TEST_ASSERT_EQUAL_INT(6, halves);
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * 3.7, 3.7, hz);
    pal_motion_free(&motion);
}

static void test_a_motion_that_does_not_swing_has_no_frequency(void) {
    pal_motion motion;
    swing(&motion, 1.0, 0.4, 0.0);
    TEST_ASSERT_TRUE(isnan(pal_motion_frequency(&motion, INT32_MAX, NULL)));
    pal_motion_free(&motion);
}

static void test_differences_are_relative_to_the_full_motion(void) {
    pal_motion full, other;
    swing(&full, 0.02, 4.0, 0.0);
    swing(&other, 0.021, 3.8, 0.0);
    pal_difference same = pal_motion_compare(&full, &full);
    pal_difference d = pal_motion_compare(&other, &full);
    TEST_ASSERT_TRUE(same.amplitude == 0.0 && same.frequency == 0.0 && same.rms == 0.0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0.05, d.amplitude);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, -0.05, d.frequency);
    TEST_ASSERT_TRUE(d.rms > 0.1 && d.rms < 1.5);
    pal_motion_free(&full);
    pal_motion_free(&other);
}

static void test_the_blow_is_half_a_sine_wave(void) {
    pal_blow blow = {.duration = 0.1};
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, pal_blow_factor(&blow, 0.0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.0, pal_blow_factor(&blow, 0.05));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, sin(pi / 5.0), pal_blow_factor(&blow, 0.02));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.0, pal_blow_factor(&blow, 0.11));
}

// ---- the command

enum { MAX_OUTPUT = 1 << 18 };
static char out[MAX_OUTPUT], scene[256], picture[256];

// A small spoon: 12 voxels long.
static void write_scene(void) {
    snprintf(scene, sizeof scene, "%s", check_scratch("small.yaml"));
    snprintf(picture, sizeof picture, "%s", check_scratch("small.png"));
    check_use_cache();
    FILE *file = fopen(scene, "w");
    TEST_ASSERT_NOT_NULL(file);
    fprintf(file, "palpate: 1\nname: small\nabout: A small spoon\nbody:\n"
                  "  shape: {name: spoon, size: 0.2 m}\n  voxels: 12\n  fixed: x<0.03\n"
                  "  material: {young: 1 MPa, poisson: 0.4, density: 1000 kg/m3}\n"
                  "  damping: {mass: 0.5 1/s, stiffness: 1 ms}\n"
                  "basis: {kind: derivatives, modes: 4, size: 8}\n");
    fclose(file);
}

// Runs `palpate compare SCENE --picture PICTURE ARGUMENTS`, errors among the output; returns the
// exit code.
static int compare(const char *arguments) {
    char command[2048];
    snprintf(command, sizeof command, "%s compare '%s' --picture '%s' %s 2>&1", PAL_PROGRAM, scene,
             picture, arguments);
    FILE *pipe = popen(command, "r");
    TEST_ASSERT_NOT_NULL(pipe);
    out[fread(out, 1, sizeof out - 1, pipe)] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static double number(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    TEST_ASSERT_TRUE_MESSAGE(cJSON_IsNumber(item), key);
    return item->valuedouble;
}

static const cJSON *basis_named(const cJSON *root, const char *name) {
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "bases")) {
        if (strcmp(cJSON_GetObjectItem(item, "basis")->valuestring, name) == 0) {
            return item;
        }
    }
    TEST_FAIL_MESSAGE(name);
    return NULL;
}

static void test_better_bases_come_nearer_to_the_full_motion(void) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(
        0, compare("--linear --amplitude 0.25 --dt 0.006 --seconds 0.9 --json"), out);
    cJSON *root = cJSON_Parse(out);
    TEST_ASSERT_TRUE_MESSAGE(root != NULL, out);
    const cJSON *full = cJSON_GetObjectItem(root, "full");
    const cJSON *own = basis_named(root, "derivatives"), *modes = basis_named(root, "modes");
    const cJSON *motion = basis_named(root, "motion"), *sketch = basis_named(root, "sketch");
    const char *error = "trajectory_error_percent";
    // The blow throws the body about as far as was asked for.
    double thrown = number(full, "peak_m") / number(root, "reach_m");
    TEST_ASSERT_TRUE_MESSAGE(thrown > 0.23 && thrown < 0.27, out);
    TEST_ASSERT_TRUE(number(own, error) < 0.1 * number(modes, error));
    TEST_ASSERT_TRUE(number(sketch, error) < 0.1 * number(modes, error));
    TEST_ASSERT_TRUE(number(motion, error) < number(own, error));
    TEST_ASSERT_TRUE(number(motion, error) < number(sketch, error));
    TEST_ASSERT_TRUE(fabs(number(motion, "frequency_error_percent")) < 1.0);
    TEST_ASSERT_TRUE(fabs(number(sketch, "force_error_percent")) < 2.0);
    TEST_ASSERT_TRUE(number(own, "speedup") > 1.0);
    TEST_ASSERT_EQUAL_INT(8, (int)number(own, "r"));
    int steps = (int)number(root, "steps");
    TEST_ASSERT_EQUAL_INT(steps + 1, cJSON_GetArraySize(cJSON_GetObjectItem(root, "time_s")));
    TEST_ASSERT_EQUAL_INT(steps + 1,
                          cJSON_GetArraySize(cJSON_GetObjectItem(own, "mean_displacement_m")));
    cJSON_Delete(root);
}

static void test_the_table_and_the_picture_are_made(void) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(
        0,
        compare("--no-sketch --r 4 --at 'x>0.19' --force 0,0,-0.01 --duration 0.02 --dt 0.005 "
                "--seconds 0.1 --quiet"),
        out);
    TEST_ASSERT_TRUE_MESSAGE(strstr(out, "20 steps of 5 ms") != NULL, out);
    TEST_ASSERT_TRUE_MESSAGE(strstr(out, "modal derivatives") != NULL, out);
    TEST_ASSERT_TRUE_MESSAGE(strstr(out, "sketched") == NULL, out);
    TEST_ASSERT_TRUE_MESSAGE(strstr(out, picture) != NULL, out);
    FILE *file = fopen(picture, "rb");
    TEST_ASSERT_NOT_NULL(file);
    fclose(file);
}

static void expect_error(const char *arguments, const char *words) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(2, compare(arguments), out);
    TEST_ASSERT_TRUE_MESSAGE(strstr(out, words) != NULL, out);
}

static void test_wrong_usage_is_refused(void) {
    expect_error("--r 9", "--r 9 is more than the 8 vectors of the scene");
    expect_error("--at 'x>9'", "--at 'x>9' selects no vertex");
    expect_error("--force 0,0,0", "--force must not be zero");
    expect_error("--dt 1 --seconds 1", "1 steps; 2 to");
    expect_error("--amplitude 3", "--amplitude");
}

int main(void) {
    UNITY_BEGIN();
    write_scene();
    RUN_TEST(test_frequency_and_peak_of_a_sine_are_its_own);
    RUN_TEST(test_ripples_about_zero_are_not_swings);
    RUN_TEST(test_a_motion_that_does_not_swing_has_no_frequency);
    RUN_TEST(test_differences_are_relative_to_the_full_motion);
    RUN_TEST(test_the_blow_is_half_a_sine_wave);
    RUN_TEST(test_better_bases_come_nearer_to_the_full_motion);
    RUN_TEST(test_the_table_and_the_picture_are_made);
    RUN_TEST(test_wrong_usage_is_refused);
    return UNITY_END();
}
