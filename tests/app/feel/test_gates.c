// The gates can fail: a set-up that is bad in one way fails the gate that is there for it, and for
// that reason; the same one without the fault passes it.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/strip_scene.h"

#define RUBBER "{young: 2 MPa, poisson: 0.45, density: 1000 kg/m3}"
// As hard as a table to the hand; nothing in the device damps it.
#define HARD                                                                                       \
    STRIP("z<0.001", RUBBER, "2 ms")                                                               \
    "local: {way: none}\n" STRIP_PROBE("60 mm") "device: {profile: touch, friction: 0 N}\n"

static char path[256];

void setUp(void) {
    check_use_cache();
    snprintf(path, sizeof path, "%s", check_scratch("scene.yaml"));
}
void tearDown(void) {
}

// The trial of this name, run and judged; close the suite.
static const pal_feel_trial *judge(pal_feel *feel, const char *text, const char *trial,
                                   double delay) {
    const pal_feel_wish wish = {.seed = -1, .only = trial, .delay = delay, .quick = true};
    pal_err err = {0};
    strip_scene_write(path, text);
    CHECK_OK(pal_feel_open(feel, path, &wish, NULL, &err), err);
    TEST_ASSERT_EQUAL_INT(1, feel->trial_count);
    CHECK_OK(pal_feel_run(feel, NULL, &err), err);
    CHECK_OK(pal_feel_judge(feel, NULL, &err), err);
    return &feel->trial[0];
}

static const pal_score *score_of(const pal_feel_trial *trial, pal_metric_id metric) {
    const pal_score *score = pal_scorecard_worst(&trial->card, metric);
    TEST_ASSERT_NOT_NULL_MESSAGE(score, pal_metric_at(metric)->key);
    return score;
}

// The value, which passes or fails as it must.
static double passes(const pal_feel_trial *trial, pal_metric_id metric) {
    const pal_score *score = score_of(trial, metric);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PAL_VERDICT_PASS, score->verdict, score->note);
    return score->value;
}

static double fails(const pal_feel_trial *trial, pal_metric_id metric) {
    const pal_score *score = score_of(trial, metric);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PAL_VERDICT_FAIL, score->verdict, score->note);
    return score->value;
}

// When the note says it was worst, s.
static double time_in(const pal_score *score) {
    double at = 0.0;
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, sscanf(score->note, "at %lf s", &at), score->note);
    return at;
}

// ---- the loop

static void test_a_coupling_too_stiff_for_the_device_hums_and_makes_energy(void) {
    pal_feel feel;
    const pal_feel_trial *hold = judge(&feel, HARD, "hold", 0.0);
    const double quiet = passes(hold, PAL_METRIC_BUZZ);
    passes(hold, PAL_METRIC_ENERGY);
    pal_feel_close(&feel);
    // 40 times what the device bears: rendered softer, unless the scene wants to see what happens
    hold = judge(&feel, HARD "coupling: {stiffness: 10 kN/m}\n", "hold", 0.0);
    passes(hold, PAL_METRIC_ENERGY);
    pal_feel_close(&feel);
    hold = judge(&feel, HARD "coupling: {stiffness: 10 kN/m, passivity: false}\n", "hold", 0.0);
    TEST_ASSERT_GREATER_THAN_DOUBLE(5.0 * quiet, fails(hold, PAL_METRIC_BUZZ));
    fails(hold, PAL_METRIC_ENERGY);
    pal_feel_close(&feel);
}

static void test_a_delay_of_5_ms_is_late(void) {
    pal_feel feel;
    TEST_ASSERT_EQUAL_DOUBLE(0.0, passes(judge(&feel, HARD, "press", 0.0), PAL_METRIC_LATENCY));
    pal_feel_close(&feel);
    const pal_feel_trial *press = judge(&feel, HARD, "press", 5e-3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 5.0, fails(press, PAL_METRIC_LATENCY)); // ticks
    TEST_ASSERT_NOT_NULL(strstr(score_of(press, PAL_METRIC_LATENCY)->note, "5.00 ms of it"));
    pal_feel_close(&feel);
}

// A wall of this stiffness (kN/m), late by so many milliseconds.
#define LATE_WALL(stiffness, delay, passivity)                                                     \
    "palpate: 1\nname: wall\nwall: {height: 0 m, stiffness: " stiffness                            \
    " kN/m, damping: 1 N s/m}\ndevice: {profile: sigma, friction: 0 N, delay: " delay              \
    " ms}\ncoupling: {passivity: " passivity "}\n"                                                 \
    "probe:\n  - {move: [0 m, 0 m, 10 mm], seconds: 0.3 s}\n"                                      \
    "  - {press: [0 m, 0 m, -10 mm], seconds: 1 s}\n"

static void test_without_passivity_a_late_wall_throws_the_hand_back(void) {
    pal_feel feel;
    const pal_metric_id energy = PAL_METRIC_ENERGY;
    passes(judge(&feel, LATE_WALL("1", "1", "true"), "tap-medium", 0.0), energy);
    pal_feel_close(&feel);
    fails(judge(&feel, LATE_WALL("1", "1", "false"), "tap-medium", 0.0), energy);
    pal_feel_close(&feel);
    // Far above what the hand's damping bears: it goes on and on, with it or not, but how strongly
    const double kept =
        score_of(judge(&feel, LATE_WALL("4", "2", "true"), "hold", 0.0), energy)->value;
    pal_feel_close(&feel);
    const double made = fails(judge(&feel, LATE_WALL("4", "2", "false"), "hold", 0.0), energy);
    pal_feel_close(&feel);
    TEST_ASSERT_GREATER_THAN_DOUBLE(10.0 * kept, made);
}

// ---- the body

// A press on the free end of a strip that bends; a slow one, for struck, so light a strip bounces.
// The body stands still from 0.45 s on.
#define FROZEN(seconds)                                                                            \
    STRIP("x<0.005", "{preset: gelatine}", "5 ms")                                                 \
    STRIP_PROBE("100 mm")                                                                          \
    "faults: [{kind: stall, at: 0.45 s, seconds: " seconds "}]\n"                                  \
    "feel:\n  trials:\n    - name: frozen\n      kind: stall\n      probe:\n"                      \
    "        - {move: [90 mm, 15 mm, 26 mm], seconds: 0.2 s}\n"                                    \
    "        - {press: [90 mm, 15 mm, 15 mm], seconds: 0.6 s}\n"                                   \
    "        - hold: 0.4 s\n        - release: 0.5 s\n"

static void test_a_stale_body_is_felt_when_it_goes_on(void) {
    pal_feel feel;
    // As long as a late frame: what is touched has not gone far in that time
    passes(judge(&feel, FROZEN("10 ms"), "frozen", 0.0), PAL_METRIC_STALL_STEP);
    pal_feel_close(&feel);
    // The hand has gone on for 100 ms against what should have bent away, and then does
    const pal_feel_trial *frozen = judge(&feel, FROZEN("100 ms"), "frozen", 0.0);
    fails(frozen, PAL_METRIC_STALL_STEP);
    TEST_ASSERT_DOUBLE_WITHIN(0.026, 0.575, time_in(score_of(frozen, PAL_METRIC_STALL_STEP)));
    pal_feel_close(&feel);
}

// ---- the surface

// A curved body of coarse triangles under a ball that is as wide as they are.
#define DOME                                                                                       \
    "palpate: 1\nname: dome\nbody:\n  shape: {name: liver, size: 0.2 m}\n  voxels: 12\n"           \
    "  fixed: y>0.085 & z>0.06\n  material: {preset: liver}\n"                                     \
    "  damping: {mass: 0.5 1/s, stiffness: 2 ms}\nbasis: {modes: 3, size: 4}\n"                    \
    "device: {profile: touch, friction: 0 N}\ntool: {radius: 20 mm}\n"                             \
    "probe:\n  - {move: [0.12 m, 0.03 m, 0.155 m], seconds: 0.3 s}\n"                              \
    "  - {press: [0.12 m, 0.03 m, 0.108 m], seconds: 1 s}\n"

// By how much the normal of what is touched turns at tick k, rad.
static double turn_at(const pal_feel_trace *seen, int64_t k) {
    double across[3];
    pal_cross3(seen->row[k].normal, seen->row[k - 1].normal, across);
    return asin(fmin(1.0, pal_norm3(across)));
}

static double largest_turn(const pal_feel_trial *trial) {
    const pal_feel_window slide = pal_feel_slide(&trial->seen);
    double most = 0.0;
    TEST_ASSERT_TRUE(slide.first < slide.last);
    for (int64_t k = slide.first + 1; k <= slide.last; k++) {
        most = fmax(most, turn_at(&trial->seen, k));
    }
    return most;
}

static void test_normals_that_jump_from_triangle_to_triangle_are_felt(void) {
    static const pal_metric_id metrics[] = {PAL_METRIC_EDGE_ANGLE, PAL_METRIC_EDGE_JERK,
                                            PAL_METRIC_FORCE_STEP};
    pal_feel feel;
    const pal_feel_trial *edge = judge(&feel, DOME, "edge", 0.0);
    const double smooth = largest_turn(edge);
    for (int i = 0; i < 3; i++) {
        passes(edge, metrics[i]);
    }
    pal_feel_close(&feel);
    edge = judge(&feel, DOME "contact: {normals: flat}\n", "edge", 0.0);
    for (int i = 0; i < 3; i++) {
        fails(edge, metrics[i]);
    }
    // The force steps where the normal does
    const int64_t step = llrint(1e3 * time_in(score_of(edge, PAL_METRIC_FORCE_STEP)));
    TEST_ASSERT_GREATER_THAN_DOUBLE(5.0 * smooth, turn_at(&edge->seen, step));
    pal_feel_close(&feel);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_coupling_too_stiff_for_the_device_hums_and_makes_energy);
    RUN_TEST(test_a_delay_of_5_ms_is_late);
    RUN_TEST(test_without_passivity_a_late_wall_throws_the_hand_back);
    RUN_TEST(test_a_stale_body_is_felt_when_it_goes_on);
    RUN_TEST(test_normals_that_jump_from_triangle_to_triangle_are_felt);
    return UNITY_END();
}
