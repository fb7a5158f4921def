// palpate edit by script: the commands, their errors, and what is saved to lists and scenes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "tests/support/check.h"
#include "tests/support/program.h"

static char scene[256], script[256], list[256], out[256];

static void write_text(const char *path, const char *text) {
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(path, text, strlen(text), &err), err);
}

void setUp(void) {
    check_use_cache();
    snprintf(scene, sizeof scene, "%s", check_scratch("strip.yaml"));
    snprintf(script, sizeof script, "%s", check_scratch("script.txt"));
    snprintf(list, sizeof list, "%s", check_scratch("list.txt"));
    snprintf(out, sizeof out, "%s", check_scratch("cut.yaml"));
    write_text(scene, "# a strip\npalpate: 1\nname: strip\nbody:\n"
                      "  shape: {name: strip, size: 0.12 m}\n  voxels: 12\n  fixed: x<0.011\n"
                      "  material: {young: 100 kPa, poisson: 0.4, density: 1000 kg/m3}\n"
                      "basis: {modes: 4, size: 8}\nlocal: {way: none}\n");
}
void tearDown(void) {
}

static double elements_of(const cJSON *json, int index) {
    return program_number(cJSON_GetArrayItem(cJSON_GetObjectItem(json, "domains"), index),
                          "elements");
}

static void test_a_script_cuts_and_its_list_is_a_tree(void) {
    char text[1024];
    snprintf(text, sizeof text,
             "new middle\nadd x>0.04 & x<0.08 # by place\nnew end\nbox 0.08,-1,-1 1,1,1\nundo\n"
             "redo\nbrush 0.06,0.015,0.02 0.02\nundo\nsave %s\n",
             list);
    write_text(script, text);
    program_run("edit '%s' --script '%s' --json", scene, script);
    cJSON *json = program_json();
    const double all = elements_of(json, 0) + elements_of(json, 1) + elements_of(json, 2);
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL_DOUBLE(all / 3.0, elements_of(json, i));
    }
    TEST_ASSERT_TRUE(cJSON_IsTrue(cJSON_GetObjectItem(json, "is_tree")));
    TEST_ASSERT_EQUAL_INT(4, (int)program_number(json, "steps"));
    cJSON_Delete(json);
    program_run("domains '%s' --by '%s' --json", scene, list);
    json = program_json();
    TEST_ASSERT_EQUAL_DOUBLE(all / 3.0, elements_of(json, 2));
    cJSON_Delete(json);
}

static void test_a_scene_is_saved_with_its_list_beside_it(void) {
    program_run("edit '%s' --do 'new tip' --do 'add x>0.06' -o '%s' --json", scene, out);
    cJSON_Delete(program_json());
    program_run("domains '%s' --json", out);
    cJSON *json = program_json();
    program_array(json, "domains", 2);
    cJSON_Delete(json);
    char *text;
    size_t size;
    pal_err err = {0};
    CHECK_OK(pal_file_read(out, &text, &size, &err), err);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "# a strip\n"), text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "cut-domains.txt"), text);
    TEST_ASSERT_NULL_MESSAGE(strstr(text, "basis:"), text); // domains say their modes themselves
    free(text);
    // and again from there: the modes that it says stay
    program_run("edit '%s' --do 'choose tip' --do 'take x<0.08' -o '%s' --json", out, out);
    json = program_json();
    TEST_ASSERT_TRUE(elements_of(json, 1) < elements_of(json, 0));
    cJSON_Delete(json);
}

// Copies are saved as such: the scene bakes one class for them, until one is changed.
static void test_copies_share_a_class_in_the_scene_that_is_saved(void) {
    program_run("edit '%s' --do 'new a' --do 'add x>0.0299 & x<0.0601' --do 'copy 0.03,0,0 b' "
                "--do 'copy 0.03,0,0 c' -o '%s' --json",
                scene, out);
    cJSON *json = program_json();
    TEST_ASSERT_EQUAL_STRING("", cJSON_GetStringValue(cJSON_GetObjectItem(json, "note")));
    cJSON_Delete(json);
    program_run("domains '%s' --json", out);
    json = program_json();
    program_array(json, "domains", 4);
    TEST_ASSERT_EQUAL_INT(2, (int)program_number(json, "classes"));
    cJSON_Delete(json);
    program_run("edit --quiet '%s' --do 'choose c' --do 'take elements:11' --do 'choose b' "
                "--do 'like a'",
                out);
    program_fails(1, "'b' and 'a' are of one class already");
    program_run("edit '%s' --do 'choose c' --do 'take x>0.1101' --json", out);
    json = program_json();
    const cJSON *domains = program_array(json, "domains", 4);
    TEST_ASSERT_NOT_NULL(cJSON_GetObjectItem(cJSON_GetArrayItem(domains, 2), "like"));
    TEST_ASSERT_NULL(cJSON_GetObjectItem(cJSON_GetArrayItem(domains, 3), "like"));
    cJSON_Delete(json);
}

static void test_what_is_no_tree_is_said_but_saved(void) {
    program_run("edit '%s' --do 'new middle' --do 'add x>0.04 & x<0.08' -o '%s' --json", scene,
                list);
    cJSON *json = program_json();
    TEST_ASSERT_FALSE(cJSON_IsTrue(cJSON_GetObjectItem(json, "is_tree")));
    TEST_ASSERT_NOT_NULL(strstr(program.out, "in 2 pieces"));
    cJSON_Delete(json);
}

static void test_errors_name_the_line(void) {
    write_text(script, "new a\n\nad x>0.04\n");
    program_run("edit --quiet '%s' --script '%s'", scene, script);
    program_fails(1, "script.txt:3: unknown command 'ad'");
    write_text(script, "new a\nadd x>9\n");
    program_run("edit --quiet '%s' --script '%s'", scene, script);
    program_fails(1, "selects no element");
    program_run("edit --quiet '%s' --do 'box 1,2 3,4,5'", scene);
    program_fails(2, "the first corner");
    program_run("edit --quiet '%s' --do 'brush 0,0,0'", scene);
    program_fails(1, "write brush x,y,z r");
    program_run("edit --quiet '%s' --do undo", scene);
    program_fails(1, "nothing to undo");
    program_run("edit --quiet '%s' --do 'undo 3'", scene);
    program_fails(1, "takes nothing");
    program_run("edit --quiet '%s' --do new", scene);
    program_fails(1, "write new NAME");
    program_run("edit --quiet '%s' --do 'new a' -o '%s'", scene, list);
    program_fails(1, "'a' is empty");
    program_run("edit --quiet vessels --do undo");
    program_fails(2, "classes and instances");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_script_cuts_and_its_list_is_a_tree);
    RUN_TEST(test_a_scene_is_saved_with_its_list_beside_it);
    RUN_TEST(test_copies_share_a_class_in_the_scene_that_is_saved);
    RUN_TEST(test_what_is_no_tree_is_said_but_saved);
    RUN_TEST(test_errors_name_the_line);
    return UNITY_END();
}
