// Scenes made real: bodies, regions and materials, keys, and the cache of models.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/scene.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/model/model_hdf5.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static const char head[] = "palpate: 1\nname: test\nbody:\n  shape: {name: liver, size: 0.2 m}\n  "
                           "voxels: 8\n";
static const char held[] = "  fixed: y>0.08\n";
static const char material[] = "  material: {young: 12 kPa, poisson: 0.4, density: 1000 kg/m3}\n";
static const char basis[] = "basis: {modes: 3, size: 4}\n";

// Two tetrahedra on a common face.
static const char two_tets[] = "MeshVersionFormatted 1\nDimension 3\nVertices\n5\n0 0 0 1\n1 0 0 "
                               "1\n0 1 0 1\n0 0 1 1\n1 1 1 1\nTetrahedra\n2\n1 2 3 4 1\n2 3 4 5 "
                               "2\nEnd\n";

// The parts joined, as a scene in the scratch folder.
static void make_scene(const char *const parts[], pal_scene *scene) {
    char text[4096] = "";
    for (int i = 0; parts[i] != NULL; i++) {
        strncat(text, parts[i], sizeof text - strlen(text) - 1);
    }
    pal_err err = {0};
    pal_status status =
        pal_scene_parse(check_scratch("test.yaml"), text, strlen(text), scene, &err);
    CHECK_OK(status, err);
}
#define MAKE_SCENE(scene, ...) make_scene((const char *const[]){__VA_ARGS__, NULL}, scene)

static void check_build_refused(pal_scene *scene, const char *part) {
    pal_scene_body body;
    pal_err err = {0};
    pal_status status = pal_scene_build(scene, NULL, &body, &err);
    CHECK_FAILS(PAL_ERR_INPUT, part, status, err);
    TEST_ASSERT_NULL(body.mesh.x);
    pal_scene_free(scene);
}

static void test_a_shape_becomes_a_held_body_with_one_material(void) {
    pal_scene scene;
    pal_scene_body body;
    pal_err err = {0};
    MAKE_SCENE(&scene, head, held, material);
    CHECK_OK(pal_scene_build(&scene, NULL, &body, &err), err);
    TEST_ASSERT_EQUAL_INT(PAL_HEX8, body.mesh.kind);
    TEST_ASSERT_EQUAL_INT(1, body.mesh.region_count);
    TEST_ASSERT_EQUAL_STRING("body", body.mesh.regions[0].name);
    TEST_ASSERT_TRUE(body.material[0].young == 12e3);
    TEST_ASSERT_TRUE(body.surface.triangle_count > 1000);
    for (int v = 0; v < body.mesh.vertex_count; v++) {
        TEST_ASSERT_EQUAL_INT(body.mesh.x[3 * v + 1] > 0.08, body.held[v]);
    }
    pal_scene_body_free(&body);
    pal_scene_body_free(&body);
    pal_scene_free(&scene);
}

static void test_a_free_body_holds_nothing(void) {
    pal_scene scene;
    pal_scene_body body;
    pal_err err = {0};
    MAKE_SCENE(&scene, head, "  free: true\n", material);
    CHECK_OK(pal_scene_build(&scene, NULL, &body, &err), err);
    for (int v = 0; v < body.mesh.vertex_count; v++) {
        TEST_ASSERT_EQUAL_INT(0, body.held[v]);
    }
    pal_scene_body_free(&body);
    pal_scene_free(&scene);
}

static double centroid_x(const pal_volmesh *mesh, int e) {
    double sum = 0.0;
    for (int k = 0; k < (int)mesh->kind; k++) {
        sum += mesh->x[3 * pal_volmesh_element(mesh, e)[k]];
    }
    return sum / (int)mesh->kind;
}

static void test_later_regions_win_and_bring_their_material(void) {
    pal_scene scene;
    pal_scene_body body;
    pal_err err = {0};
    MAKE_SCENE(
        &scene, head, held, material,
        "  regions:\n  - {name: low, where: x<0.1, material: {preset: rubber}}\n"
        "  - {name: tip, where: x<0.03 | x>0.17, material: {preset: liver, young: 5 kPa}}\n");
    CHECK_OK(pal_scene_build(&scene, NULL, &body, &err), err);
    TEST_ASSERT_EQUAL_INT(3, body.mesh.region_count);
    TEST_ASSERT_EQUAL_STRING("tip", body.mesh.regions[2].name);
    TEST_ASSERT_TRUE(body.material[2].young == 5e3);
    TEST_ASSERT_TRUE(body.material[2].density ==
                     pal_material_find_preset("liver")->material.density);
    TEST_ASSERT_TRUE(body.material[1].young == pal_material_find_preset("rubber")->material.young);
    for (int e = 0; e < body.mesh.element_count; e++) {
        double x = centroid_x(&body.mesh, e);
        TEST_ASSERT_EQUAL_INT(x < 0.03 || x > 0.17 ? 2 : x < 0.1 ? 1 : 0, body.mesh.region[e]);
    }
    pal_scene_body_free(&body);
    pal_scene_free(&scene);
}

static void test_a_region_everywhere_takes_the_place_of_the_body(void) {
    pal_scene scene;
    pal_scene_body body;
    pal_err err = {0};
    MAKE_SCENE(&scene, head, held, material,
               "  regions: [{name: a, where: all, material: {preset: rubber}}]\n");
    CHECK_OK(pal_scene_build(&scene, NULL, &body, &err), err);
    TEST_ASSERT_EQUAL_INT(1, body.mesh.region_count);
    TEST_ASSERT_EQUAL_STRING("a", body.mesh.regions[0].name);
    pal_scene_body_free(&body);
    pal_scene_free(&scene);
}

static void test_selections_of_nothing_are_errors_with_the_line(void) {
    pal_scene scene;
    MAKE_SCENE(&scene, head, "  fixed: y>99\n", material);
    check_build_refused(&scene,
                        "test.yaml:6: body.fixed: no vertex is selected; the body's box is x ");
    MAKE_SCENE(&scene, head, held, "  touch: x>99\n", material);
    check_build_refused(&scene, "test.yaml:7: body.touch: no vertex is selected");
    MAKE_SCENE(&scene, head, held, material,
               "  regions:\n  - name: a\n    where: x<-1\n    material: {preset: liver}\n");
    check_build_refused(&scene, "test.yaml:10: body.regions.0.where: no element is selected");
    MAKE_SCENE(&scene, head, held, material,
               "  regions:\n  - {name: a, where: x<0.1, material: {preset: liver}}\n"
               "  - {name: b, where: all, material: {preset: liver}}\n");
    check_build_refused(&scene, "test.yaml:9: body.regions.0: later regions take all");
    MAKE_SCENE(&scene, head, "  fixed: region:bone\n", material);
    pal_scene_body body;
    pal_err err = {0};
    TEST_ASSERT_TRUE(pal_scene_build(&scene, NULL, &body, &err) != PAL_OK);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "test.yaml:6: body.fixed: "), err.text);
    pal_scene_free(&scene);
}

static void test_a_mesh_file_keeps_its_regions_and_needs_materials(void) {
    pal_scene scene;
    pal_scene_body body;
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(check_scratch("two.mesh"), two_tets, strlen(two_tets), &err),
             err);
    static const char mesh[] = "palpate: 1\nname: test\nbody:\n  mesh: {file: two.mesh, scale: "
                               "0.01}\n  fixed: x<0.001\n";
    MAKE_SCENE(&scene, mesh);
    check_build_refused(&scene, "test.yaml:4: body: region '");
    MAKE_SCENE(&scene, mesh, material);
    CHECK_OK(pal_scene_build(&scene, NULL, &body, &err), err);
    TEST_ASSERT_EQUAL_INT(2, body.mesh.element_count);
    TEST_ASSERT_EQUAL_INT(2, body.mesh.region_count);
    TEST_ASSERT_EQUAL_INT(6, body.surface.triangle_count);
    double largest = 0.0;
    for (int k = 0; k < 3 * body.mesh.vertex_count; k++) {
        largest = body.mesh.x[k] > largest ? body.mesh.x[k] : largest;
    }
    TEST_ASSERT_TRUE(largest == 0.01);
    char region[256];
    snprintf(region, sizeof region, "  regions: [{name: '%s', material: {preset: steel}}]\n",
             body.mesh.regions[1].name);
    pal_scene_body_free(&body);
    pal_scene_free(&scene);
    MAKE_SCENE(&scene, mesh, material, region);
    CHECK_OK(pal_scene_build(&scene, NULL, &body, &err), err);
    TEST_ASSERT_TRUE(body.material[0].young == 12e3);
    TEST_ASSERT_TRUE(body.material[1].young == 200e9);
    pal_scene_body_free(&body);
    pal_scene_free(&scene);
    MAKE_SCENE(&scene, mesh, material, "  regions: [{name: bone, material: {preset: steel}}]\n");
    check_build_refused(&scene, "the mesh has no region of this name");
}

static void key_of(char key[PAL_HASH_TEXT], const char *text) {
    pal_scene scene;
    pal_err err = {0};
    MAKE_SCENE(&scene, text);
    CHECK_OK(pal_scene_key(&scene, key, &err), err);
    pal_scene_free(&scene);
}

static void write_beside(const char *name, const char *text) {
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(check_scratch(name), text, strlen(text), &err), err);
}

static void test_a_mesh_of_several_files_holds_by_its_sets_and_has_them_all_in_its_key(void) {
    static const char scene_text[] = "palpate: 1\nname: t\nbody:\n  mesh: {file: set.veg, scale: "
                                     "0.01}\n  fixed: set:base\n  material: {preset: liver}\n";
    char one[PAL_HASH_TEXT], two[PAL_HASH_TEXT];
    pal_scene scene;
    pal_scene_body body;
    pal_err err = {0};
    write_beside("set.veg", "*VERTICES\n*INCLUDE points.node\n*ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n"
                            "2 2 3 4 5\n*SET base\n1\n");
    write_beside("points.node", "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n");
    MAKE_SCENE(&scene, scene_text);
    CHECK_OK(pal_scene_build(&scene, NULL, &body, &err), err);
    for (int32_t v = 0; v < 5; v++) {
        TEST_ASSERT_EQUAL_INT(v < 4, body.held[v]);
    }
    pal_scene_body_free(&body);
    pal_scene_free(&scene);
    key_of(one, scene_text);
    write_beside("points.node", "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 2\n");
    key_of(two, scene_text);
    TEST_ASSERT_TRUE(strcmp(one, two) != 0);
}

static void test_the_key_follows_what_the_scene_says_not_how(void) {
    char one[PAL_HASH_TEXT], two[PAL_HASH_TEXT];
    static const char plain[] = "palpate: 1\nname: t\nbody:\n  shape: {name: liver, size: 0.2 m}\n"
                                "  voxels: 8\n  fixed: y>0.08\n  material: {preset: liver}\n";
    key_of(one, plain);
    TEST_ASSERT_EQUAL_INT(32, (int)strlen(one));
    key_of(two, "# a comment\n\npalpate: 1\nname: 't' # again\nbody:\n  shape:\n    name: liver\n"
                "    size: 0.2 m\n  voxels: 8\n  fixed: y>0.08\n  material: {preset: liver}\n");
    TEST_ASSERT_EQUAL_STRING(one, two);
    key_of(two, "palpate: 1\nname: t\nbody:\n  shape: {name: liver, size: 0.2 m}\n"
                "  voxels: 9\n  fixed: y>0.08\n  material: {preset: liver}\n");
    TEST_ASSERT_TRUE(strcmp(one, two) != 0);
}

static void test_the_key_follows_the_content_of_the_files_named(void) {
    static const char text[] = "palpate: 1\nname: t\nbody:\n  mesh: {file: key.mesh}\n  fixed: "
                               "x<1\n  material: {preset: liver}\n";
    char one[PAL_HASH_TEXT], two[PAL_HASH_TEXT];
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(check_scratch("key.mesh"), "a", 1, &err), err);
    key_of(one, text);
    CHECK_OK(pal_file_write_atomic(check_scratch("key.mesh"), "b", 1, &err), err);
    key_of(two, text);
    TEST_ASSERT_TRUE(strcmp(one, two) != 0);
}

static void check_model(pal_scene *scene, bool rebake, bool from_cache, const char *note) {
    pal_model model;
    pal_bake_times times;
    pal_err err = {0};
    bool cached = !from_cache;
    CHECK_OK(pal_scene_model(scene, rebake, NULL, &model, &times, &cached, &err), err);
    TEST_ASSERT_EQUAL_INT(from_cache, cached);
    TEST_ASSERT_EQUAL_INT(4, model.r);
    if (note[0] == '\0') {
        TEST_ASSERT_EQUAL_STRING("", scene->note);
    } else {
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(scene->note, note), scene->note);
    }
    pal_model_free(&model);
}

static void test_models_are_kept_by_content_and_bad_files_replaced(void) {
    pal_scene scene;
    pal_err err = {0};
    char folder[1024], key[PAL_HASH_TEXT], path[1200];
    snprintf(folder, sizeof folder, "%s", check_scratch("new/folders/cache"));
    setenv("PALPATE_CACHE", folder, 1);
    MAKE_SCENE(&scene, head, held, material, basis);
    check_model(&scene, false, false, "");
    check_model(&scene, false, true, "");
    check_model(&scene, true, false, "");
    CHECK_OK(pal_scene_key(&scene, key, &err), err);
    snprintf(path, sizeof path, "%s/%s.h5", folder, key);
    CHECK_OK(pal_file_write_atomic(path, "garbage", 7, &err), err);
    check_model(&scene, false, false, "made anew");
    check_model(&scene, false, true, "");
    pal_scene_free(&scene);
}

static void test_a_model_that_cannot_be_kept_is_not_lost(void) {
    pal_scene scene;
    pal_err err = {0};
    char folder[1200];
    CHECK_OK(pal_file_write_atomic(check_scratch("file"), "x", 1, &err), err);
    snprintf(folder, sizeof folder, "%s/below", check_scratch("file"));
    setenv("PALPATE_CACHE", folder, 1);
    MAKE_SCENE(&scene, head, held, material, basis);
    check_model(&scene, false, false, "is there already and is no folder");
    pal_scene_free(&scene);
}

static void test_running_out_of_memory_is_told_and_leaks_nothing(void) {
    pal_scene scene;
    CHECK_OK(pal_file_write_atomic(check_scratch("two.mesh"), two_tets, strlen(two_tets), NULL),
             (pal_err){0});
    MAKE_SCENE(&scene, "palpate: 1\nname: test\nbody:\n  mesh: {file: two.mesh}\n  fixed: x<0.1\n",
               material, "  regions: [{name: a, where: x<0.3, material: {preset: liver}}]\n");
    pal_status status = PAL_ERR_MEMORY;
    for (long allowed = 0; allowed < 500 && status != PAL_OK; allowed++) {
        pal_scene_body body;
        pal_err err = {0};
        pal_memory_fail_after(allowed);
        status = pal_scene_build(&scene, NULL, &body, &err);
        pal_memory_fail_after(-1);
        if (status == PAL_OK) {
            pal_scene_body_free(&body);
        } else {
            TEST_ASSERT_EQUAL_INT_MESSAGE(PAL_ERR_MEMORY, status, err.text);
        }
    }
    TEST_ASSERT_EQUAL_INT(PAL_OK, status);
    pal_scene_free(&scene);
}

// What the shipped scenes hold, touch and give to regions, as counts: a change of the selectors'
// rules must not change them unseen.
static void test_shipped_scenes_select_what_they_always_did(void) {
    enum { REGIONS = 6 };
    static const struct {
        const char *name;
        int32_t fixed, touched, in_region[REGIONS]; // vertices, vertices, elements
    } scenes[] = {{"bridge", 1130, 0, {6164}},
                  {"heart", 1718, 0, {15485}},
                  {"liver", 294, 0, {4995}},
                  {"nodule", 891, 540, {10781, 35}},
                  {"spoon", 146, 0, {2142}},
                  {"surfaces", 407, 518, {420, 420, 420, 420, 420, 420}},
                  {"tower", 1173, 0, {12191}},
                  {"two-hands", 147, 0, {1283}},
                  {"flower", 25, 0, {2208, 2208, 312, 288, 576, 672}}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        pal_scene scene;
        pal_scene_body body;
        pal_err err = {0};
        CHECK_OK(pal_scene_read(scenes[i].name, &scene, &err), err);
        CHECK_OK(pal_scene_build(&scene, NULL, &body, &err), err);
        int32_t fixed = 0, touched = 0, in_region[64] = {0};
        for (int32_t v = 0; v < body.mesh.vertex_count; v++) {
            fixed += body.held[v];
            touched += body.touch != NULL && body.touch[v];
        }
        for (int32_t e = 0; e < body.mesh.element_count; e++) {
            in_region[body.mesh.region[e] % 64]++;
        }
        TEST_ASSERT_EQUAL_INT_MESSAGE(scenes[i].fixed, fixed, scenes[i].name);
        TEST_ASSERT_EQUAL_INT_MESSAGE(scenes[i].touched, touched, scenes[i].name);
        for (int g = 0; g < REGIONS; g++) {
            TEST_ASSERT_EQUAL_INT_MESSAGE(scenes[i].in_region[g], in_region[g], scenes[i].name);
        }
        pal_scene_body_free(&body);
        pal_scene_free(&scene);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_shipped_scenes_select_what_they_always_did);
    RUN_TEST(test_a_shape_becomes_a_held_body_with_one_material);
    RUN_TEST(test_a_free_body_holds_nothing);
    RUN_TEST(test_later_regions_win_and_bring_their_material);
    RUN_TEST(test_a_region_everywhere_takes_the_place_of_the_body);
    RUN_TEST(test_selections_of_nothing_are_errors_with_the_line);
    RUN_TEST(test_a_mesh_file_keeps_its_regions_and_needs_materials);
    RUN_TEST(test_a_mesh_of_several_files_holds_by_its_sets_and_has_them_all_in_its_key);
    RUN_TEST(test_the_key_follows_what_the_scene_says_not_how);
    RUN_TEST(test_a_mesh_of_several_files_holds_by_its_sets_and_has_them_all_in_its_key);
    RUN_TEST(test_the_key_follows_the_content_of_the_files_named);
    RUN_TEST(test_models_are_kept_by_content_and_bad_files_replaced);
    RUN_TEST(test_a_model_that_cannot_be_kept_is_not_lost);
    RUN_TEST(test_running_out_of_memory_is_told_and_leaks_nothing);
    return UNITY_END();
}
