// A body of domains as a user runs it: a strip in four domains, pressed, in the wind.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/strip_scene.h"

static char scene[256], trace[256], picture[256];

static const char text[] =
    "palpate: 1\nname: strip\nbody:\n  shape: {name: strip, size: 0.12 m}\n  voxels: 24\n"
    "  fixed: x<0.001\n  material: {young: 200 kPa, poisson: 0.4, density: 1000 kg/m3}\n"
    "  damping: {mass: 2 1/s, stiffness: 2 ms}\n"
    "  domains: {auto: 4, cut: axis, modes: {each: 10}, boundary: true}\n"
    "wind: {speed: 3 m/s, gust: 1 m/s, period: 1 s, direction: [0, 1, 0]}\n"
    "surfaces: [{friction: 0.3, static_friction: 0.4}]\n" STRIP_PROBE("95 mm");

void setUp(void) {
    if (scene[0] != '\0') {
        return;
    }
    check_use_cache();
    snprintf(scene, sizeof scene, "%s", check_scratch("strip.yaml"));
    snprintf(trace, sizeof trace, "%s", check_scratch("strip.h5"));
    snprintf(picture, sizeof picture, "%s", check_scratch("strip.png"));
    strip_scene_write(scene, text);
}
void tearDown(void) {
}

static void test_a_run_is_felt_and_replays_bit_for_bit(void) {
    program_run("run %s --virtual --trace %s --json", scene, trace);
    cJSON *root = program_json();
    TEST_ASSERT_TRUE(program_number(root, "max_force_n") > 0.05);
    TEST_ASSERT_TRUE(program_number(cJSON_GetObjectItem(root, "safety"), "nan") == 0);
    cJSON_Delete(root);
    program_run("replay %s --check", trace);
    TEST_ASSERT_EQUAL_INT(0, program.code);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "bit for bit"));
}

static void test_it_is_drawn_by_domain(void) {
    program_run("picture %s --size 320x200 --color region -o %s --json", trace, picture);
    cJSON *root = program_json();
    TEST_ASSERT_TRUE(program_number(root, "contacts") > 0);
    TEST_ASSERT_TRUE(program_number(root, "color_most") > 1e-3);
    cJSON_Delete(root);
}

static void test_what_is_for_one_piece_says_so(void) {
    program_run("run %s --virtual --edit '0.1:body:young=1e5'", scene);
    program_fails(2, "whose materials cannot be changed");
    program_run("run %s --virtual --response penalty", scene);
    program_fails(2, "compliance alone");
    program_run("run %s --virtual --float", scene);
    program_fails(2, "leave --float out");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_run_is_felt_and_replays_bit_for_bit);
    RUN_TEST(test_it_is_drawn_by_domain);
    RUN_TEST(test_what_is_for_one_piece_says_so);
    return UNITY_END();
}
