// palpate sketch, and what bake makes of it: the whole chain as a user goes through it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/sketch_script.h"
#include "scenes/scene.h"
#include "sim/base/file.h"
#include "sim/base/vec3.h"
#include "sim/fem/static.h"
#include "tests/support/check.h"
#include "tests/support/program.h"

static char scene[256], out[256], loads[256], script[256];

static void write_text(const char *path, const char *text) {
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(path, text, strlen(text), &err), err);
}

void setUp(void) {
    check_use_cache();
    snprintf(scene, sizeof scene, "%s", check_scratch("strip.yaml"));
    snprintf(out, sizeof out, "%s", check_scratch("sketched.yaml"));
    snprintf(loads, sizeof loads, "%s", check_scratch("sketched.loads"));
    snprintf(script, sizeof script, "%s", check_scratch("pulls.txt"));
    write_text(scene, "# a strip\npalpate: 1\nname: strip\nbody:\n"
                      "  shape: {name: strip, size: 0.12 m}\n  voxels: 12\n  fixed: x<0.011\n"
                      "  material: {young: 100 kPa, poisson: 0.4, density: 1000 kg/m3}\n"
                      "basis: {modes: 4, size: 8}   # replaced\nlocal: {way: none}\n");
    remove(loads);
}
void tearDown(void) {
}

// How well the baked basis can make the full equilibrium under a load: the part of the mean square
// displacement that is left when the best q is taken out, by least squares.
static double left_over(const pal_model *model, const double *u) {
    const int64_t rows = 3 * (int64_t)model->mesh.vertex_count;
    const int r = model->r;
    double a[16][17] = {{0.0}}, whole = 0.0, left = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        const double *b = model->basis + i * r;
        for (int k = 0; k < r; k++) {
            for (int l = 0; l < r; l++) {
                a[k][l] += b[k] * b[l];
            }
            a[k][r] += b[k] * u[i];
        }
        whole += u[i] * u[i];
    }
    for (int k = 0; k < r; k++) { // Gauss and Jordan
        for (int j = 0; j < r; j++) {
            const double l = j == k ? 0.0 : a[j][k] / a[k][k];
            for (int c = k; c <= r; c++) {
                a[j][c] -= l * a[k][c];
            }
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        double rest = u[i];
        for (int k = 0; k < r; k++) {
            rest -= model->basis[i * r + k] * a[k][r] / a[k][k];
        }
        left += rest * rest;
    }
    return left / whole;
}

static void test_a_sketch_bakes_to_a_basis_of_the_shapes_under_its_loads(void) {
    program_run("sketch '%s' --pull 'x>0.119:0,0,-0.4' --pull 'x>0.119:0,0.6,0' --modes 10 -o '%s' "
                "--json",
                scene, out);
    cJSON *json = program_json();
    TEST_ASSERT_TRUE(program_number(json, "loads") == 17.0 ||
                     program_number(json, "loads") == 16.0);
    TEST_ASSERT_EQUAL_INT(6, (int)program_number(json, "basis_size"));
    TEST_ASSERT_TRUE(program_number(json, "largest_linear_displacement_m") > 5e-3);
    cJSON_Delete(json);
    program_run("bake '%s' --json", out);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);

    pal_scene sketched;
    pal_scene_body body;
    pal_model model;
    pal_fem fem;
    pal_err err = {0};
    CHECK_OK(pal_scene_read(out, &sketched, &err), err);
    TEST_ASSERT_NOT_NULL(strstr(sketched.text, "# a strip\npalpate: 1\n"));
    TEST_ASSERT_NOT_NULL(strstr(sketched.text, "loads_file: \"sketched.loads\", size: 6}"));
    CHECK_OK(pal_scene_model(&sketched, false, NULL, &model, NULL, NULL, &err), err);
    CHECK_OK(pal_scene_build(&sketched, NULL, &body, &err), err);
    CHECK_OK(pal_fem_init(&fem, &body.mesh, body.material, body.held, sketched.mass_kind, &err),
             err);
    TEST_ASSERT_EQUAL_INT(6, model.r);
    const size_t rows = 3 * (size_t)body.mesh.vertex_count;
    double *f = calloc(rows, sizeof *f), *u = calloc(rows, sizeof *u);
    for (int32_t i = 1; i < sketched.basis.load_count; i += 5) {
        pal_static_report report;
        memset(f, 0, rows * sizeof *f);
        CHECK_OK(pal_fem_add_load(&fem, sketched.basis.loads[i].selector,
                                  sketched.basis.loads[i].force, f, &err),
                 err);
        CHECK_OK(pal_static_solve(&fem, f, NULL, NULL, u, &report, &err), err);
        TEST_ASSERT_TRUE(left_over(&model, u) < 1e-5);
    }
    free(f);
    free(u);
    pal_fem_free(&fem);
    pal_scene_body_free(&body);
    pal_model_free(&model);
    pal_scene_free(&sketched);
}

static void test_a_script_is_played_and_appended(void) {
    write_text(script, "# pulls\n0 ; x>0.119 ; 0 0 0\n1 ; x>0.119 ; 0 0 -0.1 # down\n"
                       "2 ; x>0.119 ; 0 0.1 0\n2 ; near:(0.06,0.015,0.02):0.012 ; 0 0 0.05\n");
    program_run("sketch '%s' --script '%s' --separation 0.02 --modes 4 -o '%s' --json", scene,
                script, loads);
    cJSON *json = program_json();
    const int kept = (int)program_number(json, "loads");
    // 0.1 N down in five, then 0.14 N across in six or seven, and the last one at once
    TEST_ASSERT_TRUE(kept >= 11 && kept <= 13);
    TEST_ASSERT_EQUAL_INT(2, (int)program_number(json, "pulls"));
    TEST_ASSERT_TRUE(cJSON_GetObjectItem(json, "scene_file") == NULL);
    cJSON_Delete(json);
    program_run("sketch '%s' --pull 'x>0.119:0,0,0.1' --modes 4 -o '%s' --append", scene, loads);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.out, "loads kept"), program.out);
    char *text;
    size_t size;
    pal_err err = {0};
    CHECK_OK(pal_file_read(loads, &text, &size, &err), err);
    int lines = 0;
    for (char *c = text; *c != '\0'; c++) {
        lines += *c == ';';
    }
    TEST_ASSERT_EQUAL_INT(kept + 10 + 2, lines); // each part has a head that says what is what
    TEST_ASSERT_NOT_NULL(strstr(text, "near:(0.06,0.015,0.02):0.012 ; 0 0 0.05\n"));
    free(text);
}

static void test_mistakes_are_told(void) {
    program_run("sketch '%s' -o '%s'", scene, out);
    program_fails(2, "nothing is pulled");
    program_run("sketch '%s' --pull 'all:0,0,1'", scene);
    program_fails(2, "say where the loads go");
    program_run("sketch '%s' --pull 'x>0.119' -o '%s'", scene, out);
    program_fails(2, "--pull takes SEL:fx,fy,fz");
    program_run("sketch '%s' --pull 'x>0.119:0,0,0' -o '%s'", scene, out);
    program_fails(2, "no force");
    program_run("sketch '%s' --pull 'x>9:0,0,1' --quiet -o '%s'", scene, out);
    program_fails(2, "selects no vertex");
    program_run("sketch '%s' --pull 'x>0.119:0,0,1' --separation 5 --quiet -o '%s'", scene, out);
    program_fails(2, "smaller --separation");
    program_run("sketch '%s' --pull 'x>0.119:0,0,1' --size 3 -o '%s'", scene, loads);
    program_fails(2, "--size is for a scene");
    program_run("sketch wall --pull 'all:0,0,1' --quiet -o '%s'", out);
    program_fails(2, "a wall and no body");
    program_run("sketch nothing --pull 'all:0,0,1' -o '%s'", out);
    program_fails(2, "nothing");
    static const char *const bad[] = {"1 ; x>0\n",         "x ; x>0 ; 0 0 1\n",
                                      "0 ; x>0 ; 0 0\n",   "2 ; x>0 ; 0 0 1\n1 ; x>0 ; 0 0 1\n",
                                      "0 ; x>> ; 0 0 1\n", "# nothing\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text(script, bad[i]);
        program_run("sketch '%s' --script '%s' -o '%s'", scene, script, out);
        TEST_ASSERT_TRUE_MESSAGE(program.code != 0, bad[i]);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.errors, "pulls.txt:"), program.errors);
    }
    program_run("sketch --help");
    TEST_ASSERT_NOT_NULL(strstr(program.out, "bent-spoon.yaml"));
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_sketch_bakes_to_a_basis_of_the_shapes_under_its_loads);
    RUN_TEST(test_a_script_is_played_and_appended);
    RUN_TEST(test_mistakes_are_told);
    return UNITY_END();
}
