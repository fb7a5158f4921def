// The tool of a scene: its keys, and what is made of them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/tool_build.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "tests/support/check.h"
#include "tests/support/shapes.h"

static pal_err err;
static pal_scene scene;
static pal_tool_shape tool;
static char text[8192], scene_path[512];

void setUp(void) {
    memset(&scene, 0, sizeof scene);
    memset(&tool, 0, sizeof tool);
    snprintf(scene_path, sizeof scene_path, "%s", check_scratch("test.yaml"));
    check_use_cache();
}

void tearDown(void) {
    pal_memory_fail_after(-1);
    pal_tool_shape_free(&tool);
    pal_scene_free(&scene);
}

static pal_status parse(const char *line) {
    snprintf(text, sizeof text,
             "palpate: 1\nname: test\n"
             "body: {shape: {name: liver, size: 0.2 m}, voxels: 10, fixed: y>0.08, material: "
             "{preset: liver}}\n%s\n", // the tool is line 4
             line);
    pal_scene_free(&scene);
    return pal_scene_parse(scene_path, text, strlen(text), &scene, &err);
}

static void make(const char *line) {
    CHECK_OK(parse(line), err);
    pal_tool_shape_free(&tool);
    CHECK_OK(pal_scene_tool_make(&scene, 0, NULL, 0.002, NULL, &tool, &err), err);
}

static void test_each_shape_is_made_as_the_scene_says(void) {
    make("");
    TEST_ASSERT_TRUE(tool.shape.kind == PAL_SHAPE_SPHERE && tool.shape.radius == 0.005);
    make("tool: {radius: 4 mm}");
    TEST_ASSERT_TRUE(tool.shape.kind == PAL_SHAPE_SPHERE && tool.shape.radius == 0.004);
    TEST_ASSERT_TRUE(scene.live.tool_radius == 0.004);
    make("tool: {shape: capsule, radius: 2 mm, length: 10 cm, stiffness: 1 kN/m}");
    TEST_ASSERT_TRUE(tool.shape.kind == PAL_SHAPE_CAPSULE && tool.shape.length == 0.1);
    make("tool: {shape: cylinder, radius: 8 mm, length: 3 cm}");
    TEST_ASSERT_TRUE(tool.shape.kind == PAL_SHAPE_CYLINDER);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.002, tool.shape.rounding);
    make("tool: {shape: cylinder, radius: 8 mm, length: 3 cm, rounding: 1 mm}");
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.001, tool.shape.rounding);
}

static void write_mesh(const char *name, bool open) {
    pal_surface surface = {0};
    shape_add_box(&surface, (double[]){-5, -5, 0}, (double[]){5, 5, 40});
    surface.triangle_count -= open;
    CHECK_OK(pal_surface_write_ply(check_scratch(name), &surface, &err), err);
    surface.triangle_count += open;
    pal_surface_free(&surface);
}

static void test_a_mesh_is_made_in_its_own_frame(void) {
    write_mesh("box.ply", false);
    make("tool: {shape: mesh, file: box.ply, scale: 0.001, cells: 40}");
    double g[3];
    TEST_ASSERT_TRUE(tool.shape.kind == PAL_SHAPE_FIELD);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, -0.005,
                              pal_shape_distance(&tool.shape, (double[]){0, 0, 0.02}, g));
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.001,
                              pal_shape_distance(&tool.shape, (double[]){0, 0, -0.001}, g));
    TEST_ASSERT_DOUBLE_WITHIN(1e-2, -1.0, g[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.005, tool.width);
}

static void test_a_drawn_tool_has_its_tip_at_the_origin_and_its_shaft_up(void) {
    static const char *const names[] = {"hook", "spoon"};
    for (int i = 0; i < 2; i++) {
        char line[96];
        snprintf(line, sizeof line, "tool: {shape: %s, size: 80 mm, cells: 80}", names[i]);
        make(line);
        double g[3];
        const double tip = pal_shape_distance(&tool.shape, (double[]){0, 0, 0}, g);
        TEST_ASSERT_TRUE(fabs(tip) < 0.6 * tool.field.cell);
        // below the tip there is nothing, and it reaches as far up as it is long
        for (int k = -20; k <= 20; k++) {
            for (int m = -20; m <= 20; m++) {
                const double x[3] = {1e-3 * k, 1e-3 * m, -0.001};
                TEST_ASSERT_TRUE(pal_shape_distance(&tool.shape, x, g) > 0.0);
            }
        }
        TEST_ASSERT_DOUBLE_WITHIN(0.006, 0.04, tool.shape.centre[2]);
        TEST_ASSERT_DOUBLE_WITHIN(0.008, 0.04, tool.shape.bound);
    }
}

static void check_refused(const char *line, const char *part) {
    CHECK_FAILS(PAL_ERR_INPUT, part, parse(line), err);
    TEST_ASSERT_TRUE_MESSAGE(strstr(err.text, "test.yaml:4: ") != NULL, err.text);
}

static void test_bad_keys_are_refused_at_their_line(void) {
    check_refused("tool: {radius: 0 mm}", "must be above 0");
    check_refused("tool: {radius: -1 mm}", "must be above 0");
    check_refused("tool: {shape: shpere, radius: 1 mm}", "unknown tool 'shpere'");
    check_refused("tool: {shape: sphere, radius: 1 mm, length: 2 cm}", "has no length");
    check_refused("tool: {shape: capsule, radius: 1 mm}", "'length' is missing");
    check_refused("tool: {shape: capsule, length: 1 mm}", "'radius' is missing");
    check_refused("tool: {shape: capsule, radius: 1 mm, length: 0 m}", "must be above 0");
    check_refused("tool: {shape: cylinder, radius: 1 mm, length: 1 cm, rounding: 2 mm}",
                  "does not fit");
    check_refused("tool: {shape: mesh}", "'file' is missing");
    check_refused("tool: {shape: mesh, file: nowhere.stl}", "cannot read the file");
    check_refused("tool: {shape: hook}", "'size' is missing");
    check_refused("tool: {shape: hook, size: 8 cm, cells: 3}", "cells");
    check_refused("tool: {shape: hook, size: 8 cm, radius: 3 mm}", "has no radius");
    write_mesh("box.ply", false);
    check_refused("tool: {shape: mesh, file: box.ply, scale: -1}", "must be above 0");
}

static void test_an_open_mesh_is_refused(void) {
    write_mesh("open.ply", true);
    CHECK_OK(parse("tool: {shape: mesh, file: open.ply, scale: 0.001}"), err);
    CHECK_FAILS(PAL_ERR_INPUT, "is open: 3 edges",
                pal_scene_tool_make(&scene, 0, NULL, 0.002, NULL, &tool, &err), err);
    TEST_ASSERT_TRUE_MESSAGE(strstr(err.text, "test.yaml:4: ") != NULL, err.text);
    TEST_ASSERT_TRUE(tool.field.distance == NULL);
}

static void test_a_tool_wider_than_the_body_is_refused(void) {
    pal_surface body = {0};
    shape_add_box(&body, (double[]){0, 0, 0}, (double[]){0.02, 0.06, 0.03});
    CHECK_OK(parse("tool: {radius: 3 cm}"), err);
    CHECK_FAILS(PAL_ERR_INPUT, "60 mm wide, the body 60 mm long",
                pal_scene_tool_make(&scene, 0, &body, 0.002, NULL, &tool, &err), err);
    TEST_ASSERT_TRUE(strstr(err.text, "test.yaml:4: ") != NULL);
    CHECK_OK(parse("tool: {radius: 2 cm}"), err);
    CHECK_OK(pal_scene_tool_make(&scene, 0, &body, 0.002, NULL, &tool, &err), err);
    pal_surface_free(&body);
}

static void test_fields_are_kept_and_garbled_ones_made_anew(void) {
    char folder[512], command[700];
    snprintf(folder, sizeof folder, "%s", check_scratch("own cache"));
    setenv("PALPATE_CACHE", folder, 1);
    const char *line = "tool: {shape: hook, size: 8 cm, cells: 40}";
    make(line);
    TEST_ASSERT_TRUE(!tool.cached && tool.note[0] == '\0');
    double g[3];
    const double before = pal_shape_distance(&tool.shape, (double[]){0.001, 0, 0.01}, g);
    make(line);
    TEST_ASSERT_TRUE(tool.cached && tool.note[0] == '\0');
    TEST_ASSERT_TRUE(before == pal_shape_distance(&tool.shape, (double[]){0.001, 0, 0.01}, g));
    make("tool: {shape: hook, size: 8 cm, cells: 41}");
    TEST_ASSERT_TRUE(!tool.cached);
    snprintf(command, sizeof command, "for f in '%s'/*.field; do echo x >>\"$f\"; done", folder);
    TEST_ASSERT_EQUAL_INT(0, system(command));
    make(line);
    TEST_ASSERT_TRUE(!tool.cached && strstr(tool.note, "made anew") != NULL);
    TEST_ASSERT_TRUE(before == pal_shape_distance(&tool.shape, (double[]){0.001, 0, 0.01}, g));
    make(line);
    TEST_ASSERT_TRUE(tool.cached);
}

static void test_the_model_does_not_depend_on_the_tool(void) {
    char one[PAL_HASH_TEXT], other[PAL_HASH_TEXT];
    CHECK_OK(parse("tool: {radius: 3 mm}"), err);
    CHECK_OK(pal_scene_key(&scene, one, &err), err);
    CHECK_OK(parse("tool: {shape: hook, size: 8 cm}"), err);
    CHECK_OK(pal_scene_key(&scene, other, &err), err);
    TEST_ASSERT_EQUAL_STRING(one, other);
}

static void test_memory_that_runs_out_is_told(void) {
    write_mesh("box.ply", false);
    CHECK_OK(parse("tool: {shape: mesh, file: box.ply, scale: 0.001, cells: 8}"), err);
    pal_status status = PAL_ERR_MEMORY;
    for (long n = 0; status == PAL_ERR_MEMORY; n++) {
        TEST_ASSERT_TRUE(n < 500);
        pal_memory_fail_after(n);
        status = pal_scene_tool_make(&scene, 0, NULL, 0.002, NULL, &tool, &err);
        pal_memory_fail_after(-1);
    }
    CHECK_OK(status, err);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_each_shape_is_made_as_the_scene_says);
    RUN_TEST(test_a_mesh_is_made_in_its_own_frame);
    RUN_TEST(test_a_drawn_tool_has_its_tip_at_the_origin_and_its_shaft_up);
    RUN_TEST(test_bad_keys_are_refused_at_their_line);
    RUN_TEST(test_an_open_mesh_is_refused);
    RUN_TEST(test_a_tool_wider_than_the_body_is_refused);
    RUN_TEST(test_fields_are_kept_and_garbled_ones_made_anew);
    RUN_TEST(test_the_model_does_not_depend_on_the_tool);
    RUN_TEST(test_memory_that_runs_out_is_told);
    return UNITY_END();
}
