// Changed materials written into a scene's own text.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/scene.h"
#include "scenes/yaml_patch.h"
#include "scenes/yaml_text.h"
#include "sim/base/file.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

// ---- patches of any YAML ------------------------------------------------------------------------

static void check_patch(const char *before, const char *path, const char *value,
                        const char *after) {
    yaml_document_t document;
    pal_yaml_patch patch;
    pal_err err = {0};
    size_t size;
    CHECK_OK(pal_yaml_load("x.yaml", before, strlen(before), &document, &err), err);
    pal_yaml_patch_begin(&patch, before, strlen(before), &document);
    CHECK_OK(pal_yaml_patch_set(&patch, path, value, &err), err);
    char *text = pal_yaml_patch_apply(&patch, &size, &err);
    TEST_ASSERT_EQUAL_STRING(after, text);
    TEST_ASSERT_EQUAL_UINT64(strlen(after), size);
    free(text);
    pal_yaml_patch_end(&patch);
    yaml_document_delete(&document);
}

static void test_a_value_is_exchanged_and_nothing_else(void) {
    check_patch("a: 1 # one\nb: {c: 2, d: 3} # two\n", "b.c", "20",
                "a: 1 # one\nb: {c: 20, d: 3} # two\n");
    check_patch("a:\n  b: 'x y'   # q\n  c: 2\n", "a.b", "z", "a:\n  b: z   # q\n  c: 2\n");
    check_patch("a: [1, 2, 3]", "a.1", "20", "a: [1, 20, 3]");
    // characters of several bytes, before and in the value, and a mark at the beginning
    check_patch("n: Lébér # à\na: é\nb: 2\n", "b", "3", "n: Lébér # à\na: é\nb: 3\n");
    check_patch("\xef\xbb\xbfn: é\nb: 2\n", "b", "3", "\xef\xbb\xbfn: é\nb: 3\n");
    check_patch("a: 1\r\nb: 2\r\n", "b", "3", "a: 1\r\nb: 3\r\n");
}

static void test_a_block_is_exchanged_up_to_its_last_value(void) {
    check_patch("a:\n  b: 1\n  c: [1, 2]  # last\n\n# about d\nd: 2\n", "a", "{x: 1}",
                "a:\n  {x: 1}  # last\n\n# about d\nd: 2\n");
    check_patch("a:\n  - b: 1\n  - c: 2\n# about d\nd: 2\n", "a", "[]",
                "a:\n  []\n# about d\nd: 2\n");
}

static void test_a_new_key_finds_its_place(void) {
    check_patch("a: {b: 1}\n", "a.c", "2", "a: {c: 2, b: 1}\n");
    check_patch("a: {}\n", "a.c", "2", "a: {c: 2}\n");
    check_patch("a:\n    # first\n    b: 1\nd: 3\n", "a.c", "2",
                "a:\n    # first\n    c: 2\n    b: 1\nd: 3\n");
    check_patch("l:\n  - n: 1\n    m:\n      b: 1\n", "l.0.m.c", "2",
                "l:\n  - n: 1\n    m:\n      c: 2\n      b: 1\n");
    check_patch("a: 1", "b", "2", "a: 1\nb: 2\n");
    check_patch("{a: 1}\n", "b", "2", "{b: 2, a: 1}\n");
}

// ---- scenes -------------------------------------------------------------------------------------

#define HEAD                                                                                       \
    "# A strip – with comments that stay\npalpate: 1   # version\nname: strip\n\nbody:\n"        \
    "  shape: {name: strip, size: 0.12 m}   # made here\n  voxels: 6\n  fixed: z<0.001\n"
#define TAIL "\n# the end\nbasis: {modes: 2, size: 2} # small\n"

static char path[256], other[256];

static pal_scene read_scene(const char *text) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(path, text, strlen(text), &err), err);
    CHECK_OK(pal_scene_read(path, &scene, &err), err);
    return scene;
}

// A model with no more than what saving looks at.
static pal_model plain_model(const pal_scene *scene, pal_model_region *region, int count) {
    static const char *const names[] = {"body", "nodule", "\"odd\": one"};
    for (int g = 0; g < count; g++) {
        snprintf(region[g].name, sizeof region[g].name, "%s", names[g]);
    }
    return (pal_model){.region_count = count,
                       .region = region,
                       .damping_alpha = scene->damping_alpha,
                       .damping_beta = scene->damping_beta};
}

static char *file_text(const char *name) {
    char *text;
    size_t size;
    pal_err err = {0};
    CHECK_OK(pal_file_read(name, &text, &size, &err), err);
    return text;
}

static void check_saved(const char *before, const pal_material *now, int count, double alpha,
                        double beta, const char *after) {
    pal_model_region region[3] = {{.material = {12e3, 0.45, 1060.0}},
                                  {.material = {70e3, 0.45, 1060.0}},
                                  {.material = {1e6, 0.3, 2000.0}}};
    pal_scene scene = read_scene(before), again;
    pal_model model = plain_model(&scene, region, count);
    pal_err err = {0};
    CHECK_OK(pal_scene_save_materials(&scene, &model, now,
                                      isnan(alpha) ? model.damping_alpha : alpha,
                                      isnan(beta) ? model.damping_beta : beta, other, &err),
             err);
    char *text = file_text(other);
    TEST_ASSERT_EQUAL_STRING(after, text);
    free(text);
    CHECK_OK(pal_scene_read(other, &again, &err), err);
    TEST_ASSERT_TRUE(isnan(alpha) || again.damping_alpha == alpha);
    TEST_ASSERT_TRUE(isnan(beta) || again.damping_beta == beta);
    pal_scene_free(&again);
    pal_scene_free(&scene);
}

static void test_changed_numbers_are_written_in_the_units_that_are_there(void) {
    const pal_material now = {24.5e3, 0.4, 1100.0};
    check_saved(HEAD "  material: {young: 0.012 MPa, poisson: 0.45, density: 1.06 g/cm3} # soft\n"
                     "  damping:\n    mass: 500 mHz # slow\n    stiffness: 2 ms\n" TAIL,
                &now, 1, 2.0, 1.5e-3,
                HEAD "  material: {young: 0.0245 MPa, poisson: 0.4, density: 1.1 g/cm3} # soft\n"
                     "  damping:\n    mass: 2000 mHz # slow\n    stiffness: 1.5 ms\n" TAIL);
}

static void test_a_preset_keeps_its_name_and_gets_what_differs(void) {
    const pal_material now = {30e3, 0.45, 1060.0};
    check_saved(HEAD "  material:\n    preset: liver  # from a book\n" TAIL, &now, 1, 1.0, NAN,
                "# A strip – with comments that stay\npalpate: 1   # version\nname: strip\n\n"
                "body:\n  damping: {mass: 1 1/s, stiffness: 0 ms}\n"
                "  shape: {name: strip, size: 0.12 m}   # made here\n  voxels: 6\n"
                "  fixed: z<0.001\n"
                "  material:\n    young: 30 kPa\n    preset: liver  # from a book\n" TAIL);
}

static void test_regions_are_told_apart(void) {
    const pal_material now[] = {{12e3, 0.45, 1060.0}, {140e3, 0.45, 1000.0}};
    check_saved(
        HEAD "  material: {preset: liver}\n  regions:\n"
             "    - {name: nodule, where: x<0.05, material: {preset: liver-tumour}} # hard\n" TAIL,
        now, 2, NAN, NAN,
        HEAD "  material: {preset: liver}\n  regions:\n"
             "    - {name: nodule, where: x<0.05, material: {young: 140 kPa, density: 1000 kg/m3, "
             "preset: "
             "liver-tumour}} # hard\n" TAIL);
}

// As of a mesh file with regions of its own.
static void test_a_region_of_a_mesh_file_becomes_one_of_the_scene(void) {
    const pal_material now[] = {{12e3, 0.45, 1060.0}, {70e3, 0.45, 1060.0}, {2e6, 0.3, 2000.0}};
    char mesh[256], before[1024], after[1024];
    snprintf(mesh, sizeof mesh, "%s", check_scratch("two.msh"));
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(mesh, "x", 1, &err), err);
    snprintf(before, sizeof before,
             "palpate: 1\nname: m\nbody:\n  mesh: {file: two.msh}\n  fixed: z<0.001\n"
             "  regions:\n    - name: nodule # first\n      material: {preset: liver-tumour}\n");
    snprintf(
        after, sizeof after,
        "palpate: 1\nname: m\nbody:\n  mesh: {file: two.msh}\n  fixed: z<0.001\n"
        "  regions:\n    - {name: \"\\\"odd\\\": one\", material: {young: 2000 kPa, poisson: 0.3, "
        "density: 2000 kg/m3}}\n    - name: nodule # first\n      material: {preset: "
        "liver-tumour}\n");
    check_saved(before, now, 3, NAN, NAN, after);
    snprintf(before, sizeof before,
             "palpate: 1\nname: m\nbody:\n  mesh: {file: two.msh}\n  fixed: z<0.001\n");
    snprintf(after, sizeof after,
             "palpate: 1\nname: m\nbody:\n  regions: [{name: \"\\\"odd\\\": one\", material: "
             "{young: 2000 kPa, "
             "poisson: 0.3, density: 2000 kg/m3}}]\n  mesh: {file: two.msh}\n  fixed: z<0.001\n");
    check_saved(before, now, 3, NAN, NAN, after);
}

static void test_nothing_changed_changes_nothing(void) {
    const pal_material now = {12e3, 0.45, 1060.0};
    check_saved(HEAD "  material: {preset: liver}\n" TAIL, &now, 1, NAN, NAN,
                HEAD "  material: {preset: liver}\n" TAIL);
}

static void test_numbers_with_many_digits_come_back_exactly(void) {
    pal_scene scene = read_scene(HEAD "  material: {preset: liver}\n" TAIL), again;
    pal_model_region region[1] = {{.material = {12e3, 0.45, 1060.0}}};
    pal_model model = plain_model(&scene, region, 1);
    pal_err err = {0};
    for (int k = 0; k < 50; k++) {
        const pal_material now = {1e3 * exp(0.1 * k), 0.4 + 0.09 * sin(k), 900.0 + 100.0 * cos(k)};
        CHECK_OK(
            pal_scene_save_materials(&scene, &model, &now, 0.1 * k, 1e-3 / (k + 1.0), other, &err),
            err);
        CHECK_OK(pal_scene_read(other, &again, &err), err);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1e-3 / (k + 1.0), again.damping_beta);
        pal_scene_free(&again);
    }
    pal_scene_free(&scene);
}

static void test_saving_in_place_and_failing_keep_the_file_whole(void) {
    const pal_material now = {30e3, 0.45, 1060.0}, bad = {-1.0, 0.45, 1060.0};
    pal_scene scene = read_scene(HEAD "  material: {preset: liver}\n" TAIL);
    pal_model_region region[1] = {{.material = {12e3, 0.45, 1060.0}}};
    pal_model model = plain_model(&scene, region, 1);
    pal_err err = {0};
    TEST_ASSERT_TRUE(pal_scene_save_materials(&scene, &model, &bad, 0.0, 0.0, path, &err) !=
                     PAL_OK);
    char *text = file_text(path);
    TEST_ASSERT_EQUAL_STRING(HEAD "  material: {preset: liver}\n" TAIL, text);
    free(text);
    CHECK_OK(pal_scene_save_materials(&scene, &model, &now, 0.0, 0.0, path, &err), err);
    text = file_text(path);
    TEST_ASSERT_EQUAL_STRING(HEAD "  material: {young: 30 kPa, preset: liver}\n" TAIL, text);
    free(text);
    TEST_ASSERT_EQUAL_INT(PAL_ERR_IO, pal_scene_save_materials(&scene, &model, &now, 0.0, 0.0,
                                                               "/nowhere/x.yaml", &err));
    pal_scene_free(&scene);
}

static void test_a_basis_from_loads_takes_the_place_of_another(void) {
    pal_scene scene = read_scene(HEAD "  material: {preset: liver}\n" TAIL), again;
    pal_err err = {0};
    const char *loads = check_scratch("my loads.txt");
    CHECK_OK(pal_file_write_atomic(loads, "all ; 0 0 1\nall ; 0 1 0\n", 24, &err), err);
    CHECK_OK(pal_scene_save_basis(&scene, "my loads.txt", 2, other, &err), err);
    char *text = file_text(other);
    TEST_ASSERT_EQUAL_STRING(
        HEAD "  material: {preset: liver}\n\n# the end\n"
             "basis: {kind: loads, loads_file: \"my loads.txt\", size: 2} # small\n",
        text);
    free(text);
    CHECK_OK(pal_scene_read(other, &again, &err), err);
    TEST_ASSERT_TRUE(again.basis.kind == PAL_BASIS_LOADS && again.basis.load_count == 2);
    pal_scene_free(&again);
    CHECK_FAILS(PAL_ERR_INPUT, "cannot be saved",
                pal_scene_save_basis(&scene, "none.txt", 2, other, &err), err);
    pal_scene_free(&scene);
}

int main(void) {
    snprintf(path, sizeof path, "%s", check_scratch("scene.yaml"));
    snprintf(other, sizeof other, "%s", check_scratch("other.yaml"));
    UNITY_BEGIN();
    RUN_TEST(test_a_value_is_exchanged_and_nothing_else);
    RUN_TEST(test_a_block_is_exchanged_up_to_its_last_value);
    RUN_TEST(test_a_new_key_finds_its_place);
    RUN_TEST(test_changed_numbers_are_written_in_the_units_that_are_there);
    RUN_TEST(test_a_preset_keeps_its_name_and_gets_what_differs);
    RUN_TEST(test_regions_are_told_apart);
    RUN_TEST(test_a_region_of_a_mesh_file_becomes_one_of_the_scene);
    RUN_TEST(test_nothing_changed_changes_nothing);
    RUN_TEST(test_numbers_with_many_digits_come_back_exactly);
    RUN_TEST(test_saving_in_place_and_failing_keep_the_file_whole);
    RUN_TEST(test_a_basis_from_loads_takes_the_place_of_another);
    return UNITY_END();
}
