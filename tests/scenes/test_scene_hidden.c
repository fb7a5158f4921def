// What a scene hides: its place by the seed, its region in the body, and errors at their lines.
#include <stdio.h>
#include <string.h>

#include "scenes/scene.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static const char base[] = "palpate: 1\n"                              // 1
                           "name: test\n"                              // 2
                           "body:\n"                                   // 3
                           "  shape: {name: block, size: 40 mm}\n"     // 4
                           "  voxels: 20\n"                            // 5
                           "  fixed: z<0.001\n"                        // 6
                           "  material: {preset: liver}\n"             // 7
                           "  hidden:\n"                               // 8
                           "    name: lump\n"                          // 9
                           "    diameter: 8 mm\n"                      // 10
                           "    low: [10 mm, 10 mm, 7 mm]\n"           // 11
                           "    high: [30 mm, 22 mm, 8 mm] # inside\n" // 12
                           "    seed: 5\n"                             // 13
                           "    material: {preset: liver-tumour}\n"    // 14
                           "  regions:\n"                              // 15
                           "    - {name: left, where: x<0.02, material: {preset: liver}}\n";

static char text[4096];

static const char *with(const char *from, const char *to) {
    const char *at = strstr(base, from);
    TEST_ASSERT_NOT_NULL_MESSAGE(at, from);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - base), base, to, at + strlen(from));
    return text;
}

static pal_status parse(const char *scene_text, pal_scene *scene, pal_err *err) {
    return pal_scene_parse(check_scratch("test.yaml"), scene_text, strlen(scene_text), scene, err);
}

static void check_refused(const char *scene_text, const char *part) {
    pal_scene scene;
    pal_err err = {0};
    pal_status status = parse(scene_text, &scene, &err);
    CHECK_FAILS(PAL_ERR_INPUT, part, status, err);
}

static void test_the_seed_says_where_and_the_text_can_take_another(void) {
    pal_scene scene, same;
    pal_err err = {0};
    char key[PAL_HASH_TEXT], other[PAL_HASH_TEXT];
    CHECK_OK(parse(base, &scene, &err), err);
    CHECK_OK(parse(base, &same, &err), err);
    const pal_hidden first = scene.hidden;
    TEST_ASSERT_EQUAL_STRING("lump", first.name);
    TEST_ASSERT_TRUE(first.radius == 4e-3);
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_TRUE(first.place[c] >= first.low[c] && first.place[c] <= first.high[c]);
        TEST_ASSERT_TRUE(first.place[c] == same.hidden.place[c]);
    }
    CHECK_OK(pal_scene_key(&scene, key, &err), err);
    CHECK_OK(pal_scene_hide(&scene, 6, &err), err);
    CHECK_OK(pal_scene_key(&scene, other, &err), err);
    TEST_ASSERT_TRUE(strcmp(key, other) != 0);
    TEST_ASSERT_TRUE(scene.hidden.seed == 6 && scene.hidden.place[0] != first.place[0]);
    TEST_ASSERT_TRUE(strstr(scene.text, "seed: 6") != NULL && strstr(scene.text, "# inside"));
    CHECK_OK(pal_scene_hide(&scene, 5, &err), err);
    TEST_ASSERT_TRUE(memcmp(&scene.hidden, &first, sizeof first) == 0);
    pal_scene_free(&scene);
    pal_scene_free(&same);
    CHECK_OK(parse(with("    seed: 5\n", ""), &scene, &err), err); // it is put in
    CHECK_OK(pal_scene_hide(&scene, 5, &err), err);
    TEST_ASSERT_TRUE(scene.hidden.place[0] == first.place[0]);
    pal_scene_free(&scene);
    CHECK_OK(pal_scene_read("wall", &scene, &err), err);
    CHECK_FAILS(PAL_ERR_USAGE, "hides nothing", pal_scene_hide(&scene, 5, &err), err);
    pal_scene_free(&scene);
}

static void test_it_is_a_region_of_the_body_over_the_others(void) {
    pal_scene scene;
    pal_scene_body body;
    pal_err err = {0};
    CHECK_OK(parse(base, &scene, &err), err);
    CHECK_OK(pal_scene_build(&scene, NULL, &body, &err), err);
    TEST_ASSERT_EQUAL_INT(3, body.mesh.region_count);
    TEST_ASSERT_EQUAL_STRING("lump", body.mesh.regions[2].name);
    TEST_ASSERT_TRUE(body.material[2].young == scene.hidden.material.young);
    int count = 0;
    for (int32_t e = 0; e < body.mesh.element_count; e++) {
        count += body.mesh.region[e] == 2;
    }
    const double volume = count * 8e-9, whole = 4.0 / 3.0 * 3.14159265 * 64e-9;
    TEST_ASSERT_DOUBLE_WITHIN(0.2 * whole, whole, volume);
    pal_scene_body_free(&body);
    pal_scene_free(&scene);
}

static void test_mistakes_are_told_at_their_lines(void) {
    check_refused(with("name: lump", "name: left"), "test.yaml:9: name: 'left' is the name of a");
    check_refused(with("8 mm\n", "0 mm\n"), "test.yaml:10: diameter: ");
    check_refused(with("8 mm\n", "8\n"), "test.yaml:10: diameter: '8' has no unit");
    check_refused(with("[30 mm", "[3 mm"), "test.yaml:12: high: 3 mm is below 10 mm, the x of low");
    check_refused(with("seed: 5", "seed: -1"), "test.yaml:13: seed: ");
    check_refused(with("liver-tumour", "stone"), "test.yaml:14: preset: unknown preset 'stone'");
    check_refused(with("    diameter: 8 mm\n", ""), "the key 'diameter' is missing in 'hidden'");
    check_refused(with("name: lump", "nom: lump"), "test.yaml:9: unknown key 'nom'");
}

static void test_it_must_be_in_the_body(void) {
    pal_scene scene;
    pal_scene_body body;
    pal_err err = {0};
    CHECK_OK(parse(with("[10 mm, 10 mm, 7 mm]\n    high: [30 mm, 22 mm, 8 mm]",
                        "[10 mm, 10 mm, 16.5 mm]\n    high: [30 mm, 22 mm, 16.5 mm]"),
                   &scene, &err),
             err);
    CHECK_FAILS(PAL_ERR_INPUT, "of it is in the body with the seed 5",
                pal_scene_build(&scene, NULL, &body, &err), err);
    TEST_ASSERT_NOT_NULL(strstr(err.text, "test.yaml:9: body.hidden: "));
    pal_scene_free(&scene);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_seed_says_where_and_the_text_can_take_another);
    RUN_TEST(test_it_is_a_region_of_the_body_over_the_others);
    RUN_TEST(test_mistakes_are_told_at_their_lines);
    RUN_TEST(test_it_must_be_in_the_body);
    return UNITY_END();
}
