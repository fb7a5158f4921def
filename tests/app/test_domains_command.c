// palpate domains: the tree that a mesh is cut into, told as it is, and what keeps it from being
// one.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/palette.h"
#include "sim/base/file.h"
#include "tests/support/check.h"
#include "tests/support/picture.h"
#include "tests/support/program.h"

static char scene[256], list[256], graph[256];

static void write_text(const char *path, const char *text) {
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(path, text, strlen(text), &err), err);
}

void setUp(void) {
    check_use_cache();
    snprintf(scene, sizeof scene, "%s", check_scratch("strip.yaml"));
    snprintf(list, sizeof list, "%s", check_scratch("domains.txt"));
    snprintf(graph, sizeof graph, "%s", check_scratch("domains.dot"));
    write_text(scene, "palpate: 1\nname: strip\nbody:\n"
                      "  shape: {name: strip, size: 0.12 m}\n  voxels: 12\n  fixed: x<0.011\n"
                      "  material: {young: 100 kPa, poisson: 0.4, density: 1000 kg/m3}\n"
                      "basis: {modes: 4, size: 8}\nlocal: {way: none}\n");
}
void tearDown(void) {
}

static const cJSON *at(const cJSON *array, int index) {
    return cJSON_GetArrayItem(array, index);
}

static const char *word(const cJSON *object, const char *key) {
    return cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
}

// The whole is the sum of its parts, and an interface between slices of a box is its cross-section.
static void test_slices_share_a_box_and_its_cross_section(void) {
    program_run("domains '%s' --by slices:3 --modes 7 --json", scene);
    cJSON *json = program_json();
    const cJSON *domains = program_array(json, "domains", 3);
    double elements = 0.0, mass = 0.0;
    TEST_ASSERT_TRUE(cJSON_IsTrue(cJSON_GetObjectItem(json, "is_tree")));
    for (int i = 0; i < 3; i++) {
        const cJSON *d = at(domains, i);
        elements += program_number(d, "elements");
        mass += program_number(d, "mass_kg");
        TEST_ASSERT_EQUAL_INT(7, (int)program_number(d, "modes"));
        TEST_ASSERT_EQUAL_INT(i, (int)program_number(d, "depth"));
    }
    program_run("info '%s' --json", scene);
    cJSON *info = program_json();
    TEST_ASSERT_EQUAL_INT((int)program_number(info, "elements"), (int)elements);
    cJSON_Delete(info);
    program_run("modes '%s' --count 1 --json", scene);
    cJSON *whole = program_json();
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * mass, program_number(whole, "mass_kg"), mass);
    cJSON_Delete(whole);
    for (int i = 1; i < 3; i++) {
        const double side = cbrt(mass / 1000.0 / elements), area = elements / 12.0 * side * side;
        TEST_ASSERT_DOUBLE_WITHIN(1e-6 * area, area,
                                  program_number(at(domains, i), "interface_area_m2"));
        const cJSON *c = program_array(at(domains, i), "interface_eigenvalues_m2", 3);
        TEST_ASSERT_TRUE(at(c, 0)->valuedouble >= at(c, 1)->valuedouble);
        TEST_ASSERT_EQUAL_DOUBLE(0.0, at(c, 2)->valuedouble); // plane
    }
    cJSON_Delete(json);
}

static void test_a_list_that_was_written_reads_back_as_the_same_domains(void) {
    program_run("domains '%s' --by auto:4 -o '%s' --graph '%s' --json", scene, list, graph);
    cJSON *first = program_json();
    program_run("domains '%s' --by '%s' --json", scene, list);
    cJSON *second = program_json();
    TEST_ASSERT_EQUAL_STRING("METIS", cJSON_GetObjectItem(first, "cut")->valuestring);
    TEST_ASSERT_EQUAL_INT(4, program_number(first, "wanted"));
    cJSON_DeleteItemFromObject(first, "cut");
    cJSON_DeleteItemFromObject(first, "wanted");
    cJSON_DeleteItemFromObject(first, "merges");
    cJSON_DeleteItemFromObject(second, "merges");
    TEST_ASSERT_TRUE(cJSON_Compare(first, second, 1));
    const int count = cJSON_GetArraySize(cJSON_GetObjectItem(first, "domains"));
    TEST_ASSERT_TRUE(count > 1);

    char *text, *from;
    size_t size;
    pal_err err = {0};
    CHECK_OK(pal_file_read(graph, &text, &size, &err), err);
    TEST_ASSERT_EQUAL_STRING_LEN("digraph domains {", text, 17);
    int arrows = 0;
    for (from = text; (from = strstr(from, " -> ")) != NULL; from += 4) {
        arrows++;
    }
    TEST_ASSERT_EQUAL_INT(count - 1, arrows);
    free(text);

    // and a scene takes the file
    write_text(scene, "palpate: 1\nname: strip\nbody:\n"
                      "  shape: {name: strip, size: 0.12 m}\n  voxels: 12\n  fixed: x<0.011\n"
                      "  material: {young: 100 kPa, poisson: 0.4, density: 1000 kg/m3}\n"
                      "  domains: {file: domains.txt, modes: {each: 6}}\n");
    program_run("domains '%s' --json", scene);
    cJSON *third = program_json();
    const cJSON *domains = program_array(third, "domains", count);
    for (int i = 0; i < count; i++) {
        const cJSON *was = at(cJSON_GetObjectItem(first, "domains"), i);
        TEST_ASSERT_EQUAL_STRING(word(was, "name"), word(at(domains, i), "name"));
        TEST_ASSERT_EQUAL_INT((int)program_number(was, "elements"),
                              (int)program_number(at(domains, i), "elements"));
        TEST_ASSERT_EQUAL_INT(6, (int)program_number(at(domains, i), "modes"));
    }
    cJSON_Delete(first);
    cJSON_Delete(second);
    cJSON_Delete(third);
}

// Four quarters about an edge: each has two neighbours, and touches the one across.
static void test_every_loop_is_named_with_its_domains(void) {
    write_text(list, "a ; all\nb ; x>0.06 & z<0.01\nc ; x>0.06 & z>0.01\nd ; x<0.06 & z>0.01\n");
    program_run("domains '%s' --by '%s' --json", scene, list);
    TEST_ASSERT_EQUAL_INT(1, program.code);
    cJSON *json = cJSON_Parse(program.out);
    TEST_ASSERT_NOT_NULL_MESSAGE(json, program.out);
    TEST_ASSERT_FALSE(cJSON_IsTrue(cJSON_GetObjectItem(json, "is_tree")));
    TEST_ASSERT_EQUAL_INT(1, (int)program_number(json, "loops"));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.out, "loop of 4 domains: 'c' - 'b' - 'a' - 'd'"),
                                 program.out);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "share vertex"));
    TEST_ASSERT_NOT_NULL(strstr(program.errors, "do not form a tree"));
    cJSON_Delete(json);
    program_run("domains '%s' --by '%s'", scene, list);
    TEST_ASSERT_EQUAL_INT(1, program.code);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "neighbours"));
}

static void test_a_domain_in_pieces_is_told(void) {
    write_text(list, "ends ; all\nmiddle ; x>0.04 & x<0.08\n");
    program_run("domains '%s' --by '%s'", scene, list);
    TEST_ASSERT_EQUAL_INT(1, program.code);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "domain 'ends' is in 2 pieces"));
}

static void test_wrong_calls_are_refused_in_one_line(void) {
    program_run("domains --quiet '%s'", scene);
    program_fails(2, "is of one region");
    program_run("domains --quiet '%s' --by auto:0", scene);
    program_fails(2, "1 to 10000 domains");
    program_run("domains --quiet '%s' --by auto:many", scene);
    program_fails(2, "many");
    program_run("domains --quiet '%s' --by nowhere.txt", scene);
    program_fails(2, "nowhere.txt");
    program_run("domains --quiet '%s' --by slices:2 --modes 3 --total 9", scene);
    program_fails(2, "do not go together");
    program_run("domains --quiet '%s' --by slices:2 --bend 0.1", scene);
    program_fails(2, "--bend");
    program_run("domains --quiet '%s' --by slices:2 --scale 2", scene);
    program_fails(2, "--scale");
    program_run("domains --quiet vessels --by auto:3");
    program_fails(2, "classes and instances");
    program_run("domains --quiet vessels -o '%s'", list);
    program_fails(2, "no whole mesh");
    program_run("domains --quiet '%s' --by slices:2 --graph tree.txt", scene);
    program_fails(2, ".dot");
    program_run("domains --quiet no-such-scene");
    program_fails(2, "no-such-scene");
}

static void test_instances_are_told_at_their_scale(void) {
    program_run("domains vessels --json");
    cJSON *json = program_json();
    const cJSON *domains = program_array(json, "domains", 127);
    const cJSON *big = at(domains, 1), *small = at(domains, 2); // of one class
    const double s = cbrt(program_number(small, "mass_kg") / program_number(big, "mass_kg"));
    TEST_ASSERT_EQUAL_INT((int)program_number(big, "class"), (int)program_number(small, "class"));
    TEST_ASSERT_TRUE(s < 0.99);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, s * s,
                              program_number(small, "interface_area_m2") /
                                  program_number(big, "interface_area_m2"));
    cJSON_Delete(json);
}

// Across a symmetric bar stretch on one side is squeeze on the other: to first order bending turns
// an interface only, and twice the bend is four times the deviation. All are told but the root's.
static void test_interfaces_deviate_with_the_bend(void) {
    write_text(scene, "palpate: 1\nname: strip\nbody:\n"
                      "  shape: {name: strip, size: 0.12 m}\n  voxels: 12\n  fixed: x<0.001\n"
                      "  material: {young: 100 kPa, poisson: 0.4, density: 1000 kg/m3}\n"
                      "  domains: {auto: 3, cut: axis, modes: {each: 8}}\n");
    double deviation[2][3] = {{0.0}};
    for (int k = 0; k < 2; k++) {
        program_run("domains '%s' --bend %g --json", scene, k == 0 ? 0.01 : 0.02);
        cJSON *json = program_json();
        const cJSON *domains = program_array(json, "domains", 3);
        TEST_ASSERT_NULL(cJSON_GetObjectItem(at(domains, 0), "interface_deviation"));
        for (int i = 1; i < 3; i++) {
            deviation[k][i] = program_number(at(domains, i), "interface_deviation");
        }
        cJSON_Delete(json);
    }
    for (int i = 1; i < 3; i++) {
        TEST_ASSERT_TRUE(deviation[0][i] > 0.0 && deviation[0][i] < 1e-2);
        TEST_ASSERT_DOUBLE_WITHIN(0.02 * deviation[1][i], deviation[1][i], 4.0 * deviation[0][i]);
    }
}

// The patches of the legend have exactly the colours of the palette: one for each of 12 slices.
static void test_the_legend_has_every_domain_in_a_colour_of_its_own(void) {
    enum { SLICES = 12, PATCH = 60 }; // pixels of one colour that are no accident
    char picture[256];
    pal_rgb colour[SLICES];
    pal_image image;
    pal_err err = {0};
    snprintf(picture, sizeof picture, "%s", check_scratch("legend.png"));
    program_run("domains '%s' --by slices:%d --picture '%s' --json", scene, (int)SLICES, picture);
    cJSON_Delete(program_json());
    TEST_ASSERT_TRUE(picture_read(picture, &image));
    CHECK_OK(pal_palette_make(SLICES, colour, &err), err);
    for (int i = 0; i < SLICES; i++) {
        int count = 0;
        for (int64_t k = 0; k < (int64_t)image.width * image.height; k++) {
            count += memcmp(image.rgb + 3 * k, &colour[i], 3) == 0;
        }
        TEST_ASSERT_TRUE(count >= PATCH);
    }
    pal_image_free(&image);
}

static void test_a_picture_shows_the_domains_in_colours(void) {
    char picture[256];
    pal_image image;
    snprintf(picture, sizeof picture, "%s", check_scratch("domains.png"));
    program_run("domains '%s' --by slices:3 --picture '%s' --json", scene, picture);
    cJSON_Delete(program_json());
    TEST_ASSERT_TRUE(picture_read(picture, &image));
    int64_t orange = 0, blue = 0; // of the second and the third domain
    for (int64_t i = 0; i < (int64_t)image.width * image.height; i++) {
        const uint8_t *p = image.rgb + 3 * i;
        orange += p[0] > p[1] + 20 && p[1] > p[2] + 40;
        blue += p[2] > p[1] + 20 && p[1] > p[0] + 20;
    }
    TEST_ASSERT_TRUE(orange > 5000);
    TEST_ASSERT_TRUE(blue > 5000);
    pal_image_free(&image);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_slices_share_a_box_and_its_cross_section);
    RUN_TEST(test_a_list_that_was_written_reads_back_as_the_same_domains);
    RUN_TEST(test_every_loop_is_named_with_its_domains);
    RUN_TEST(test_a_domain_in_pieces_is_told);
    RUN_TEST(test_wrong_calls_are_refused_in_one_line);
    RUN_TEST(test_instances_are_told_at_their_scale);
    RUN_TEST(test_interfaces_deviate_with_the_bend);
    RUN_TEST(test_a_picture_shows_the_domains_in_colours);
    RUN_TEST(test_the_legend_has_every_domain_in_a_colour_of_its_own);
    return UNITY_END();
}
