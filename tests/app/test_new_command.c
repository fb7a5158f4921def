// palpate new: the scene that it writes runs as it is and is felt; files are kept; its words and
// those of `info` agree.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/vtu.h"
#include "sim/base/file.h"
#include "sim/mesh/block.h"
#include "sim/mesh/surface.h"
#include "tests/support/check.h"
#include "tests/support/program.h"

static char mesh[256], surface[256], scene[256];

// A cushion in millimetres: a block with a round top.
static pal_volmesh cushion(void) {
    const int32_t n[3] = {6, 5, 4};
    pal_volmesh body;
    pal_err err = {0};
    CHECK_OK(pal_mesh_block(PAL_TET4, n, 20.0, &body, &err), err);
    for (int32_t v = 0; v < body.vertex_count; v++) {
        double *x = body.x + 3 * (int64_t)v;
        const double p = x[0] / 60.0 - 1.0, q = x[1] / 50.0 - 1.0;
        x[2] *= 1.0 - 0.2 * (p * p + q * q);
    }
    return body;
}

void setUp(void) {
    pal_err err = {0};
    check_use_cache();
    snprintf(scene, sizeof scene, "%s", check_scratch("cushion.yaml"));
    remove(scene);
    if (mesh[0] == '\0') {
        pal_volmesh body = cushion();
        pal_surface hull;
        snprintf(mesh, sizeof mesh, "%s", check_scratch("cushion.vtu"));
        snprintf(surface, sizeof surface, "%s", check_scratch("hull.ply"));
        CHECK_OK(pal_vtu_write(mesh, &body, NULL, 0, &err), err);
        CHECK_OK(pal_surface_of_volmesh(&body, &hull, NULL, &err), err);
        CHECK_OK(pal_surface_write_ply(surface, &hull, &err), err);
        pal_surface_free(&hull);
        pal_volmesh_free(&body);
    }
}
void tearDown(void) {
}

static char *read_scene(void) {
    char *text;
    size_t size;
    pal_err err = {0};
    CHECK_OK(pal_file_read(scene, &text, &size, &err), err);
    return text;
}

static const char *word(const cJSON *object, const char *key) {
    return cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
}

// The run of a scene that was just made: the body is touched, nothing goes wrong, and the force is
// within a factor three of what was foretold.
static void check_runs(const char *source) {
    program_run("new '%s' -o '%s' --json", source, scene);
    cJSON *made = program_json();
    const double foretold = program_number(made, "force_n");
    cJSON_Delete(made);
    program_run("run '%s' --headless --virtual --json", scene);
    cJSON *run = program_json();
    const double force = program_number(run, "max_force_n");
    TEST_ASSERT_TRUE_MESSAGE(force > foretold / 3.0 && force < 3.0 * foretold, program.out);
    TEST_ASSERT_TRUE(program_number(run, "max_penetration_m") < 1e-3);
    const cJSON *safety = cJSON_GetObjectItem(run, "safety");
    TEST_ASSERT_EQUAL_INT(0, (int)program_number(safety, "fault"));
    TEST_ASSERT_EQUAL_INT(0, (int)program_number(safety, "not_spd"));
    TEST_ASSERT_EQUAL_INT(0, (int)program_number(safety, "clamped"));
    cJSON_Delete(run);
}

static void test_a_new_scene_of_a_volume_mesh_runs_and_is_felt(void) {
    check_runs(mesh);
}

static void test_it_can_be_felt_about_by_the_trials(void) {
    program_run("new '%s' -o '%s' --quiet", mesh, scene);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    program_run("feel '%s' --only press --json", scene); // gates may fail: the mesh is coarse
    cJSON *felt = cJSON_Parse(program.out);
    TEST_ASSERT_TRUE_MESSAGE(felt != NULL, program.errors);
    TEST_ASSERT_EQUAL_INT(0, (int)program_number(felt, "trials_not_made"));
    const cJSON *score;
    double slope = 0.0;
    cJSON_ArrayForEach(score, cJSON_GetObjectItem(felt, "scores")) {
        if (strcmp(word(score, "metric"), "slope") == 0) {
            slope = program_number(score, "value");
        }
    }
    TEST_ASSERT_TRUE_MESSAGE(slope > 0.0, program.out);
    cJSON_Delete(felt);
}

static void test_a_surface_is_filled(void) {
    program_run("new '%s' -o '%s' --json", surface, scene);
    cJSON *made = program_json();
    TEST_ASSERT_TRUE(program_number(made, "voxels") >= 12.0);
    TEST_ASSERT_EQUAL_STRING("mm", word(made, "unit"));
    cJSON_Delete(made);
    program_run("info '%s' --json", scene);
    cJSON *info = program_json();
    cJSON_Delete(info);
}

static void test_info_and_new_agree_on_the_unit(void) {
    static const double scales[] = {1.0, 0.1, 1e-3, 1e-5, 1e-7, 20.0, 1e3};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        pal_volmesh body = cushion();
        pal_err err = {0};
        char path[256], hint[64];
        snprintf(path, sizeof path, "%s", check_scratch("scaled.vtu"));
        pal_volmesh_scale(&body, scales[i]);
        CHECK_OK(pal_vtu_write(path, &body, NULL, 0, &err), err);
        pal_volmesh_free(&body);
        program_run("new '%s' -o - --json", path);
        cJSON *made = program_json();
        program_run("info '%s' --json", path);
        cJSON *info = program_json();
        const double scale = program_number(made, "scale");
        snprintf(hint, sizeof hint, "--scale %g", scale);
        if (scale == 1.0) {
            TEST_ASSERT_NULL(word(info, "hint"));
        } else {
            TEST_ASSERT_TRUE_MESSAGE(strstr(word(info, "hint"), hint) != NULL, hint);
            program_run("info '%s' --scale %g --json", path, scale); // then all is said
            cJSON *again = program_json();
            TEST_ASSERT_NULL(word(again, "hint"));
            cJSON_Delete(again);
        }
        cJSON_Delete(made);
        cJSON_Delete(info);
    }
}

static void test_the_users_words_go_first(void) {
    program_run("new '%s' -o '%s' --unit cm --up=-x --fix 'x>max-20%%' --material kidney --json",
                mesh, scene);
    cJSON *made = program_json();
    TEST_ASSERT_EQUAL_STRING("cm", word(made, "unit"));
    TEST_ASSERT_EQUAL_STRING("-x", word(made, "up"));
    TEST_ASSERT_EQUAL_STRING("x>max-20%", word(made, "fixed"));
    TEST_ASSERT_EQUAL_STRING("kidney", word(made, "material"));
    cJSON_Delete(made);
    char *text = read_scene();
    TEST_ASSERT_NOT_NULL(strstr(text, "scale: 0.01\n"));
    TEST_ASSERT_NOT_NULL(strstr(text, "fixed: \"x>max-20%\"\n"));
    TEST_ASSERT_NOT_NULL(strstr(text, "up: -x\n"));
    free(text);
}

static void test_a_file_that_is_there_stays(void) {
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(scene, "mine", 4, &err), err);
    program_run("new '%s' -o '%s'", mesh, scene);
    program_fails(2, "is there already; choose another name with -o, or write over it with");
    char *text = read_scene();
    TEST_ASSERT_EQUAL_STRING("mine", text);
    free(text);
    program_run("new '%s' -o '%s' --force", mesh, scene);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    text = read_scene();
    TEST_ASSERT_NOT_NULL(strstr(text, "palpate: 1\n"));
    free(text);
}

static void test_the_scene_may_go_to_standard_output(void) {
    pal_err err = {0};
    program_run("new '%s' -o -", mesh);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    CHECK_OK(pal_file_write_atomic(scene, program.out, strlen(program.out), &err), err);
    program_run("info '%s' --json", scene);
    cJSON *info = program_json();
    cJSON_Delete(info);
}

static void test_errors_say_what_to_do(void) {
    program_run("new nothing.msh -o '%s'", scene);
    program_fails(1, "nothing.msh: cannot");
    program_run("new liver");
    program_fails(2, "liver is a scene already: palpate run liver");
    program_run("new '%s' -o somewhere.txt", mesh);
    program_fails(2, "must end in .yaml");
    program_run("new '%s' -o /nowhere/at/all.yaml", mesh);
    program_fails(1, "make the folder first");
    program_run("new '%s' -o '%s' --material livre", mesh, scene);
    program_fails(2, "unknown material 'livre'; did you mean 'liver'?");
    program_run("new '%s' -o '%s' --fix 'z>9'", mesh, scene);
    program_fails(2, "selects no vertex");
    program_run("new '%s' -o '%s' --unit ell", mesh, scene);
    program_fails(2, "--unit");
    program_run("new '%s' -o '%s' --fix 'x<<1'", mesh, scene);
    program_fails(2, "x<<1");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_new_scene_of_a_volume_mesh_runs_and_is_felt);
    RUN_TEST(test_it_can_be_felt_about_by_the_trials);
    RUN_TEST(test_a_surface_is_filled);
    RUN_TEST(test_info_and_new_agree_on_the_unit);
    RUN_TEST(test_the_users_words_go_first);
    RUN_TEST(test_a_file_that_is_there_stays);
    RUN_TEST(test_the_scene_may_go_to_standard_output);
    RUN_TEST(test_errors_say_what_to_do);
    return UNITY_END();
}
