// A body of domains as a user runs it: a strip in four domains, pressed, in the wind.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "tests/support/check.h"
#include "tests/support/picture.h"
#include "tests/support/program.h"
#include "tests/support/strip_scene.h"

static char scene[256], other[256], trace[256], picture[256], table[256];

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
    snprintf(other, sizeof other, "%s", check_scratch("harder.yaml"));
    snprintf(table, sizeof table, "%s", check_scratch("strip.csv"));
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

static void test_a_tree_has_a_trainer_s_view(void) {
    pal_image image;
    int tissue = 0, bar = 0;
    program_run("picture %s --size 320x200 --trainer -o %s --json", trace, picture);
    cJSON_Delete(program_json());
    TEST_ASSERT_TRUE(picture_read(picture, &image));
    for (int32_t y = 0; y < image.height; y++) {
        for (int32_t x = 0; x < image.width; x++) {
            const uint8_t *p = picture_pixel(&image, x, y);
            tissue += p[0] > 1.4 * p[1] && p[0] > 1.4 * p[2];
            bar += p[2] > 140 && p[0] < 20;
        }
    }
    pal_image_free(&image);
    TEST_ASSERT_TRUE(tissue > 1000);
    TEST_ASSERT_TRUE(bar > 5);
}

// Hand, tool and forces of every tick of a run: the first columns of its table.
static char *table_of(const char *path, const char *how) {
    enum { COLUMNS = 29 }; // up to the normal
    program_run("run %s --virtual --csv %s %s", path, table, how);
    TEST_ASSERT_EQUAL_INT(0, program.code);
    char *content = NULL;
    size_t size, kept = 0;
    pal_err err = {0};
    CHECK_OK(pal_file_read(table, &content, &size, &err), err);
    for (size_t i = 0, commas = 0; i < size; i++) {
        commas = content[i] == '\n' ? 0 : commas + (content[i] == ',');
        if (commas < COLUMNS) {
            content[kept++] = content[i];
        }
    }
    content[kept] = '\0';
    return content;
}

// Frequencies that change in a run: from its first tick on they are the scene's own, bit by bit;
// later, a replay repeats them.
static void test_frequencies_change_in_a_run(void) {
    static char harder[sizeof text + 64];
    snprintf(harder, sizeof harder, "tree: {frequency: [{domain: '*', factor: 1.5}]}\n%s", text);
    strip_scene_write(other, harder);
    char *set = table_of(scene, "--edit '0:*:frequency=1.5'"), *opened = table_of(other, "");
    char *later = table_of(scene, "--edit '0.2:*:frequency=1.5'"), *plain = table_of(scene, "");
    TEST_ASSERT_EQUAL_STRING(opened, set);
    TEST_ASSERT_TRUE(strcmp(later, plain) != 0 && strcmp(later, set) != 0);
    program_run("run %s --virtual --trace %s --edit '0.2:*:frequency=1.5'", scene, trace);
    program_run("replay %s --check", trace);
    TEST_ASSERT_EQUAL_INT(0, program.code);
    free(set);
    free(opened);
    free(later);
    free(plain);
}

static void test_wrong_changes_say_what_is_wrong(void) {
    program_run("run %s --virtual --edit '0.1:nowhere:frequency=2'", scene);
    program_fails(2, "there is no domain 'nowhere'; a name may end in *");
    program_run("run %s --virtual --edit '0.1:*:frequency=1000'", scene);
    program_fails(2, "outside 0.01 to 100");
    program_run("run %s --virtual --edit '0.1:body:young=1e5'", scene);
    program_fails(2, "what changes in a run are their frequencies");
    program_run("run spoon --virtual --edit '0.1:body:frequency=2'");
    program_fails(2, "no frequency to change");
}

static void test_what_is_for_one_piece_says_so(void) {
    program_run("run %s --virtual --response penalty", scene);
    program_fails(2, "compliance alone");
    program_run("run %s --virtual --float", scene);
    program_fails(2, "leave --float out");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_run_is_felt_and_replays_bit_for_bit);
    RUN_TEST(test_it_is_drawn_by_domain);
    RUN_TEST(test_a_tree_has_a_trainer_s_view);
    RUN_TEST(test_frequencies_change_in_a_run);
    RUN_TEST(test_wrong_changes_say_what_is_wrong);
    RUN_TEST(test_what_is_for_one_piece_says_so);
    return UNITY_END();
}
