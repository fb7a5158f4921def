// A measured path, replayed: the forces along it, and the friction that fits them best.
#include "app/feel/feel_path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/sanitized.h"

// Where the tool is above the strip, and in it.
#define HIGH SANITIZED_TEXT("35 mm", "30 mm")
#define LOW  SANITIZED_TEXT("26 mm", "21 mm")

static char csv[256];
static const char one_body[] = "  fixed: z<0.001\n  touch: z>0.018 & x<0.05\n"
                               "basis: {modes: 4, size: 8}\nlocal: {way: exact}\n";
static const char two_domains[] =
    "  fixed: x<0.001\n  domains: {auto: 2, cut: axis, modes: {each: 4}, boundary: true}\n"
    "local: {way: none}\n";
static const char *reduced = one_body; // how the strip is

void setUp(void) {
    reduced = one_body;
    check_use_cache();
    snprintf(csv, sizeof csv, "%s", check_scratch("measured.csv"));
}
void tearDown(void) {
}

// A strip of gelatine with this friction, pressed and slid over.
static const char *strip(double friction) {
    static char path[256];
    char name[32];
    snprintf(name, sizeof name, "strip-%.2f.yaml", friction);
    snprintf(path, sizeof path, "%s", check_scratch(name));
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fprintf(file,
            "palpate: 1\nname: strip\nbody:\n  shape: {name: strip, size: 0.12 m}\n  voxels: 18\n"
            "  material: {preset: gelatine}\n  damping: {stiffness: 2 ms}\n%s"
            "device: {profile: omega, grip: firm}\ntool: {radius: " SANITIZED_RADIUS
            "}\nsurfaces:\n  - {friction: %.2f}\n"
            "probe:\n  - {move: [20 mm, 15 mm, " HIGH "], seconds: 0.1 s}\n"
            "  - {press: [20 mm, 15 mm, " LOW "], seconds: 0.2 s}\n"
            "  - {slide: [35 mm, 15 mm, " LOW "], seconds: 0.6 s}\n  - release: 0.1 s\n",
            reduced, friction);
    fclose(file);
    return path;
}

// What a body with a friction of 0.3 did, as if it had been measured.
static void record(void) {
    pal_session session;
    pal_err err = {0};
    pal_run_result result;
    const pal_session_options options = {.device = "sim", .seed = -1};
    CHECK_OK(pal_session_open(&session, strip(0.3), &options, NULL, &err), err);
    const pal_run_options how = {
        .virtual_time = true, .seconds = session.script_seconds, .csv = csv};
    CHECK_OK(pal_session_run(&session, &how, &result, &err), err);
    pal_session_close(&session);
}

static void test_the_friction_of_a_recorded_path_is_found_again(void) {
    pal_err err = {0};
    pal_path_result same, slippery;
    record();
    CHECK_OK(pal_path_find(strip(0.3), csv, NULL, &same, &err), err);
    CHECK_OK(pal_path_find(strip(0.0), csv, NULL, &slippery, &err), err);
    printf("mean force %.4f N; same surface: error %.2e N; without friction: %.4f N, mu %.4f with "
           "%.2e N, in %d runs\n",
           same.mean_force, same.error, slippery.error, slippery.friction, slippery.least_error,
           slippery.runs);
    TEST_ASSERT_TRUE(same.mean_force > 0.1 && same.contact > 0.5);
    TEST_ASSERT_TRUE(same.error < 1e-6 * same.mean_force);
    TEST_ASSERT_TRUE(slippery.error > 0.1 * same.mean_force);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 0.3, same.friction);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 0.3, slippery.friction);
    TEST_ASSERT_TRUE(slippery.least_error < 0.01 * same.mean_force);
}

static void test_a_path_over_domains_is_replayed_too(void) {
    pal_err err = {0};
    pal_path_result same;
    reduced = two_domains;
    record();
    CHECK_OK(pal_path_find(strip(0.3), csv, NULL, &same, &err), err);
    TEST_ASSERT_TRUE(same.mean_force > 0.1 && same.contact > 0.5);
    TEST_ASSERT_TRUE(same.error < 1e-6 * same.mean_force);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 0.3, same.friction);
}

// Only the middle of it: the tool is led in first, and its forces come out all the same.
static void test_a_path_may_begin_below_the_surface(void) {
    pal_err err = {0};
    pal_path_result part;
    char line[4096];
    record();
    char *cut = strdup(check_scratch("middle.csv"));
    FILE *in = fopen(csv, "r"), *out = fopen(cut, "w");
    for (int k = 0; fgets(line, sizeof line, in) != NULL; k++) {
        if (k == 0 || (k > 500 && k < 800)) {
            fputs(line, out);
        }
    }
    fclose(in);
    fclose(out);
    CHECK_OK(pal_path_find(strip(0.3), cut, NULL, &part, &err), err);
    printf("the middle alone: mean force %.4f N, error %.4f N, mu %.3f\n", part.mean_force,
           part.error, part.friction);
    TEST_ASSERT_TRUE(part.contact > 0.99);
    TEST_ASSERT_TRUE(part.error < 0.1 * part.mean_force);
    TEST_ASSERT_DOUBLE_WITHIN(0.05, 0.3, part.friction);
    free(cut);
}

static void write_csv(const char *text) {
    FILE *file = fopen(csv, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs(text, file);
    fclose(file);
}

static void test_paths_that_cannot_be_replayed_are_told_why(void) {
    static const char head[] = "time_s,x_m,y_m,z_m,fx_n,fy_n,fz_n\n";
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"time_s,x_m,y_m,fx_n,fy_n,fz_n\n0,0,0,0,0,0\n0.001,0,0,0,0,0\n", "position_z"},
        {"time_s,x_m,y_m,z_m,fx_n,fy_n,fz_n\n0,0,0,0,0,0,nan\n0.001,0,0,0,0,0,1\n",
         ":2: column force_z"},
        {NULL, "all forces are zero"},
        {NULL, "nothing of the scene 'strip' is touched"},
    };
    char text[4096];
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "%s", bad[i].text != NULL ? bad[i].text : head);
        for (int k = 0; bad[i].text == NULL && k < 30; k++) {
            snprintf(text + strlen(text), sizeof text - strlen(text), "%.3f,1,1,1,0,0,%d\n",
                     1e-3 * k, i == 3);
        }
        write_csv(text);
        program_run("feel '%s' --path '%s'", strip(0.3), csv);
        TEST_ASSERT_EQUAL_INT(1, program.code);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.errors, bad[i].says), program.errors);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.errors, "measured.csv"), program.errors);
    }
    program_run("feel '%s' --path '%s' --report out", strip(0.3), csv);
    TEST_ASSERT_EQUAL_INT(2, program.code);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_friction_of_a_recorded_path_is_found_again);
    RUN_TEST(test_a_path_over_domains_is_replayed_too);
    RUN_TEST(test_a_path_may_begin_below_the_surface);
    RUN_TEST(test_paths_that_cannot_be_replayed_are_told_why);
    return UNITY_END();
}
