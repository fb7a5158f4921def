// What a trial is judged by: the model itself, full elements, Hertz, and the wall's law.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel.h"
#include "app/vtu.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/press.h"
#include "tests/support/sanitized.h"

static pal_feel suite;
static pal_feel_trial trial;

void setUp(void) {
    check_use_cache();
    memset(&suite, 0, sizeof suite);
    memset(&trial, 0, sizeof trial);
}

void tearDown(void) {
    pal_trace_data_free(&trial.trace);
    pal_feel_trace_free(&trial.seen);
    pal_feel_truth_free(&trial.truth);
}

static const char *write_scene(const char *name, const char *text) {
    static char path[256];
    snprintf(path, sizeof path, "%s", check_scratch(name));
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs(text, file);
    fclose(file);
    return path;
}

// Runs a scene as one trial of this kind, and finds its truth.
static void run_trial(const char *scene, pal_trial_kind kind) {
    pal_session session;
    pal_err err = {0};
    pal_run_result result;
    char path[256];
    const pal_session_options options = {.device = "sim", .seed = -1};
    snprintf(path, sizeof path, "%s", check_scratch("trial.h5"));
    CHECK_OK(pal_session_open(&session, scene, &options, NULL, &err), err);
    const pal_run_options how = {
        .virtual_time = true, .seconds = session.script_seconds, .trace = path};
    CHECK_OK(pal_session_run(&session, &how, &result, &err), err);
    CHECK_OK(pal_trace_read(path, &trial.trace, &err), err);
    CHECK_OK(pal_feel_trace_take(&trial.seen, &trial.trace, 0, &err), err);
    trial.kind = kind;
    if (session.body.newmark != NULL) { // the truth shares with it
        suite.look = &session;
        suite.model = session.model;
    }
    CHECK_OK(pal_feel_find_truth(&suite, &trial, NULL, &err), err);
    suite.look = NULL;
    pal_session_close(&session);
    TEST_ASSERT_NOT_NULL(trial.truth.own);
}

// A block of press.h as a scene, the probe being `probe`.
static const char *block_scene(const press_shape *shape, const char *extra, const char *probe) {
    static char text[2048];
    press block;
    pal_err err = {0};
    const char *mesh = check_scratch("block.vtu");
    press_open(&block, shape);
    CHECK_OK(pal_vtu_write(mesh, &block.mesh, NULL, 0, &err), err);
    press_close(&block);
    snprintf(text, sizeof text,
             "palpate: 1\nname: block\nbody:\n  mesh: {file: block.vtu}\n"
             "  fixed: z<%.4f\n  touch: x>-0.007 & x<0.007 & y>-0.007 & y<0.007 & z>-0.0001\n"
             "  material: {young: 12 kPa, poisson: 0.45, density: 1060 kg/m3}\n"
             "  damping: {mass: 5 1/s, stiffness: 1 ms}\n"
             "basis: {kind: modes, modes: 20, size: 20}\nlocal: {way: exact, radius: 15 mm}\n"
             "device: {profile: omega, grip: firm, friction: 0 N}\n%s%s",
             shape->low[2] + 1e-4, extra, probe);
    return write_scene("block.yaml", text);
}

static const char down[] = "probe:\n  - {move: [0 m, 0 m, 6 mm], seconds: 0.1 s}\n"
                           "  - {press: [0 m, 0 m, 2 mm], seconds: 0.6 s}\n  - hold: 0.2 s\n";

// By least squares over the ticks where `of` is known.
static double ratio(const double *a, const double *of) {
    double ab = 0.0, bb = 0.0;
    for (int64_t k = 0; k < trial.seen.count; k++) {
        if (!isnan(of[3 * k])) {
            ab += pal_dot3(a + 3 * k, of + 3 * k);
            bb += pal_dot3(of + 3 * k, of + 3 * k);
        }
    }
    return ab / bb;
}

#define HALF SANITIZED_OR(0.02, 0.03) // m

// 12 R wide and 10 R deep, elements of R / 6.7 under the ball; a smaller and coarser one under
// sanitizers.
static const press_shape large = {.kind = PAL_HEX8,
                                  .low = {-HALF, -HALF, SANITIZED_OR(-0.02, -0.05)},
                                  .high = {HALF, HALF, 0.0},
                                  .fine = SANITIZED_OR(1.5e-3, 0.75e-3),
                                  .zone = {3.75e-3, 3.75e-3, 3.75e-3},
                                  .growth = 2.2};

static double depth_at(int64_t k) {
    return 5e-3 - trial.seen.row[k].position[2];
}

// The full elements' forces, the model's own and those of its basis, in the means of the ticks that
// share a solution (and so the ratio of the first two).
static void compare_forces(int *samples, double *worst) {
    const pal_feel_truth *t = &trial.truth;
    int64_t k = 0;
    *worst = 0.0;
    *samples = 0;
    while (k < trial.seen.count) {
        const double ratio = t->own[3 * k + 2] / t->full[3 * k + 2];
        double full = 0.0, own = 0.0, basis = 0.0, depth = 0.0, n = 0.0;
        for (; k < trial.seen.count && fabs(t->own[3 * k + 2] / t->full[3 * k + 2] - ratio) < 1e-9;
             k++, n++) {
            full += t->full[3 * k + 2];
            own += t->own[3 * k + 2];
            basis += t->basis[3 * k + 2];
            depth += depth_at(k);
        }
        if (n > 0.0) {
            printf("%.2f mm: full %.4f N, own %.4f N, basis alone %.4f N\n", 1e3 * depth / n,
                   full / n, own / n, basis / n);
            *worst = fmax(*worst, fabs(own - full) / fmax(full, 0.05 * n));
            ++*samples;
        } else {
            k++; // not known
        }
    }
}

// The model's own force where the ball is first 1 mm deep, over 4/3 E / (1 - nu^2) sqrt(R) d^1.5.
static double over_hertz(void) {
    const double hertz = 4.0 / 3.0 * 12e3 / (1.0 - 0.45 * 0.45) * sqrt(5e-3) * pow(1e-3, 1.5);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, hertz, trial.truth.hertz);
    int64_t k = 0;
    while (k < trial.seen.count && depth_at(k) < 1e-3) {
        k++;
    }
    const double at_depth = hertz * pow(depth_at(k) / 1e-3, 1.5), own = trial.truth.own[3 * k + 2];
    printf("at %.3f mm: own %.4f N, Hertz %.4f N\n", 1e3 * depth_at(k), own, at_depth);
    return own / at_depth;
}

static void test_a_press_is_that_of_full_elements_and_of_hertz_but_for_the_basis_alone(void) {
    run_trial(block_scene(&large, "contact: {dents: stiffening}\n", down), PAL_TRIAL_PRESS);
    const pal_feel_truth *t = &trial.truth;
    TEST_ASSERT_NOT_NULL(t->full);
    TEST_ASSERT_NOT_NULL(t->basis);
    int samples;
    double worst;
    compare_forces(&samples, &worst);
    const double own = ratio(t->own, t->full), basis = ratio(t->basis, t->full);
    printf("own / full %.4f, worst %.2f %%; basis alone / full %.2f; %s\n", own, 100.0 * worst,
           basis, t->full_note);
    TEST_ASSERT_EQUAL_INT(10, samples);
    // (The coarse block is but 4 R deep: its modes, of StVK, give way more than neo-Hookean
    // elements where all of it is squeezed)
    TEST_ASSERT_DOUBLE_WITHIN(SANITIZED_OR(0.05, 0.02), 1.0, own);
    TEST_ASSERT_TRUE(worst < SANITIZED_OR(0.07, 0.03));
    TEST_ASSERT_TRUE(basis > SANITIZED_OR(4.0, 5.0) && basis < 14.0);
    TEST_ASSERT_NOT_NULL(strstr(t->full_note, "neo-Hookean elements"));

    TEST_ASSERT_DOUBLE_WITHIN(SANITIZED_OR(0.5, 0.1), 1.0, over_hertz());
}

// Larger ones, on which the surface's points once were too few (30,000) for the ball: +12 and
// +14 %; the second by PALPATE_LONG=1 in the environment. (A block 10 R deep is held 5 % too hard
// by its bottom, [Dimitriadis 2002]; these less.)
static void test_on_larger_blocks_a_press_is_that_of_hertz_too(void) {
    static const struct {
        double half, deep, growth;                     // m
    } block[] = {{0.06, 0.1, 2.2}, {0.05, 0.08, 1.8}}; // 24 x 24 x 20 R, 20 x 20 x 16 R
    if (SANITIZED_OR(1, 0)) {
        TEST_IGNORE_MESSAGE("too large for a sanitizer");
    }
    for (int i = 0; i < (getenv("PALPATE_LONG") != NULL ? 2 : 1); i++) {
        press_shape shape = large;
        for (int c = 0; c < 3; c++) {
            shape.low[c] = c < 2 ? -block[i].half : -block[i].deep;
            shape.high[c] = c < 2 ? block[i].half : 0.0;
        }
        shape.growth = block[i].growth;
        run_trial(block_scene(&shape, "", down), PAL_TRIAL_HOLD); // (no full elements)
        TEST_ASSERT_DOUBLE_WITHIN(0.1, 1.0, over_hertz());
        tearDown();
        setUp();
    }
}

// A device without steps, so that the path is taken as it is: a dip of 3 mm below the wall.
static void test_a_wall_is_its_law(void) {
    pal_err err = {0};
    run_trial(write_scene("wall.yaml",
                          "palpate: 1\nname: wall\nwall: {height: 1 mm, stiffness: 500 N/m, "
                          "damping: 1 N s/m}\ndevice: {profile: omega, grip: firm}\n"
                          "probe:\n  - {press: [0 m, 0 m, -5 mm], seconds: 0.5 s}\n"),
              PAL_TRIAL_PRESS);
    trial.trace.info.limits[0].resolution = 0.0;
    for (int64_t k = 0; k < trial.trace.count; k++) {
        trial.trace.record[k].position[2] = 1e-3 - 3e-3 * sin(M_PI * (double)k * 1e-3 / 0.5);
    }
    CHECK_OK(pal_feel_find_truth(&suite, &trial, NULL, &err), err);
    for (int64_t k = 10; k < 490; k++) {
        const double turn = M_PI * (double)k * 1e-3 / 0.5;
        const double law = 500.0 * 3e-3 * sin(turn) + 1.0 * 3e-3 * M_PI / 0.5 * cos(turn);
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, fmax(0.0, law), trial.truth.own[3 * k + 2]);
    }
    TEST_ASSERT_TRUE(isnan(trial.truth.hertz));
    TEST_ASSERT_TRUE(trial.truth.sliding_friction == 0.0);
}

// A strip of gelatine, 120 x 30 x 20 mm; `rest`: where it is held, what is special, what is done.
static const char *strip_scene(const char *rest) {
    static char text[2048];
    snprintf(text, sizeof text,
             "palpate: 1\nname: strip\nbody:\n  shape: {name: strip, size: 0.12 m}\n"
             "  voxels: 18\n  material: {young: 20 kPa, poisson: 0.4, density: 1000 kg/m3}\n"
             "  damping: {stiffness: 2 ms}\n  touch: z>0.018\n%s",
             rest);
    return write_scene("strip.yaml", text);
}

// Half as hard from the first tick on: Hertz, the model itself and full elements know of it.
static void test_edits_of_materials_are_part_of_the_truth(void) {
    static const char plain[] = "  fixed: z<0.001\nbasis: {modes: 4, size: 8}\n"
                                "probe:\n  - {move: [60 mm, 15 mm, 26 mm], seconds: 0.1 s}\n"
                                "  - {press: [60 mm, 15 mm, 22 mm], seconds: 0.4 s}\n";
    char edited[1024];
    double hertz[2], full[2], own[2];
    snprintf(edited, sizeof edited, "%sedits:\n  - {at: 0 s, region: body, young: 10 kPa}\n",
             plain);
    for (int i = 0; i < 2; i++) {
        run_trial(strip_scene(i == 0 ? plain : edited), PAL_TRIAL_PRESS);
        int64_t k = trial.seen.count - 1;
        while (k > 0 && isnan(trial.truth.full[3 * k])) {
            k--;
        }
        const double depth = 25e-3 - trial.seen.row[k].position[2];
        hertz[i] = trial.truth.hertz;
        full[i] = trial.truth.full[3 * k + 2] / depth;
        own[i] = trial.truth.own[3 * k + 2] / depth;
        printf("own %.2f N/m, full %.2f N/m; %s\n", own[i], full[i], trial.truth.full_note);
        TEST_ASSERT_DOUBLE_WITHIN(0.07 * full[i], full[i], own[i]);
        TEST_ASSERT_NOT_NULL(strstr(trial.truth.full_note, "coarse")); // 6.7 mm under 5 mm
        tearDown();
        setUp();
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5 * hertz[0], hertz[1]);
    TEST_ASSERT_DOUBLE_WITHIN(0.03, 0.5, full[1] / full[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.03, 0.5, own[1] / own[0]);
}

// A flat top without friction turns no force; with friction the encoder's steps turn it a little.
static void test_a_slide_over_a_smooth_surface_is_smooth(void) {
    static const char slide[] = "  fixed: z<0.001\nbasis: {modes: 4, size: 8}\n"
                                "probe:\n  - {move: [40 mm, 15 mm, 26 mm], seconds: 0.1 s}\n"
                                "  - {press: [40 mm, 15 mm, 22 mm], seconds: 0.3 s}\n"
                                "  - {slide: [70 mm, 20 mm, 22 mm], seconds: 0.7 s}\n";
    char rough[1024];
    snprintf(rough, sizeof rough, "%ssurfaces:\n  - {friction: 0.3, static_friction: 0.5}\n",
             slide);
    for (int i = SANITIZED_OR(1, 0); i < 2; i++) {
        run_trial(strip_scene(i == 0 ? slide : rough), PAL_TRIAL_SLIDE);
        const pal_feel_truth *t = &trial.truth;
        printf("friction %.1f %.1f: %.2e rad, %.2e N\n", t->static_friction, t->sliding_friction,
               t->smooth_angle, t->smooth_jerk);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, i * 0.5, t->static_friction);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, i * 0.3, t->sliding_friction);
        TEST_ASSERT_TRUE(i == 0 ? t->smooth_angle < 1e-4
                                : t->smooth_angle > 1e-4 && t->smooth_angle < 3e-2);
        TEST_ASSERT_TRUE(t->smooth_jerk > 0.0 && t->smooth_jerk < 0.02);
        TEST_ASSERT_NULL(t->full);
        tearDown();
        setUp();
    }
}

// Held at one end, pressed at the other, ten times as far as a dent goes.
static void test_bending_is_that_of_full_elements(void) {
    run_trial(strip_scene("  fixed: x<0.01\nbasis: {modes: 8, size: 20}\n"
                          "probe:\n  - {move: [110 mm, 15 mm, 26 mm], seconds: 0.1 s}\n"
                          "  - {press: [110 mm, 15 mm, 0 mm], seconds: 1.5 s}\n  - hold: 1 s\n"),
              PAL_TRIAL_BEND);
    const pal_feel_truth *t = &trial.truth;
    printf("%s\n", t->full_note);
    TEST_ASSERT_NOT_NULL(t->full);
    TEST_ASSERT_NOT_NULL(strstr(t->full_note, "5 forces"));
    // In the middle of each fifth of the depth, over a swing of the body about it
    int fifths[5] = {0};
    double up[5] = {0.0}, square[5] = {0.0};
    for (int64_t k = 0; k < trial.seen.count; k++) {
        const double depth = (25e-3 - trial.seen.row[k].position[2]) / 25e-3;
        if (!isnan(t->full[3 * k]) && depth > 0.0 && depth < 1.0) {
            const int i = (int)(5.0 * depth);
            up[i] += t->own[3 * k + 2] * t->full[3 * k + 2];
            square[i] += t->full[3 * k + 2] * t->full[3 * k + 2];
            fifths[i]++;
        }
    }
    for (int i = 0; i < 5; i++) {
        printf("fifth %d: own / full %.4f, %d ticks\n", i + 1, up[i] / square[i], fifths[i]);
        TEST_ASSERT_TRUE(fifths[i] > 10);
        TEST_ASSERT_DOUBLE_WITHIN(0.1, 1.0, up[i] / square[i]);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_wall_is_its_law);
    RUN_TEST(test_a_press_is_that_of_full_elements_and_of_hertz_but_for_the_basis_alone);
    RUN_TEST(test_on_larger_blocks_a_press_is_that_of_hertz_too);
    RUN_TEST(test_edits_of_materials_are_part_of_the_truth);
    RUN_TEST(test_a_slide_over_a_smooth_surface_is_smooth);
    RUN_TEST(test_bending_is_that_of_full_elements);
    return UNITY_END();
}
