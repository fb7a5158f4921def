// What the program says, whatever the files hold: no order to a terminal, errors as objects with
// --json, lines that fit, one rule for what is missing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command.h"
#include "app/window_files.h"
#include "sim/base/file.h"
#include "sim/base/visible.h"
#include "tests/support/check.h"
#include "tests/support/program.h"

#define ORDERS "\\e[31m\\x9b2J\\x7f"

static char scene[512], tree[512], trace[512], model[512];

static void put(char path[512], const char *name, const char *text) {
    pal_err err = {0};
    snprintf(path, 512, "%s", check_scratch(name));
    CHECK_OK(pal_file_write_atomic(path, text, strlen(text), &err), err);
}

void setUp(void) {
    if (scene[0] != '\0') {
        return;
    }
    check_use_cache();
    put(scene, "scene.yaml",
        "palpate: 1\nname: \"na" ORDERS "me\"\nabout: \"ab" ORDERS "out \\u00e9\"\nbody:\n"
        "  shape: {name: spoon, size: 0.2 m}\n  voxels: 12\n  fixed: x<0.03\n"
        "  material: {preset: liver}\n"
        "  regions: [{name: \"re" ORDERS "gion\", where: \"x>0.1\", material: {preset: liver}}]\n"
        "basis: {kind: derivatives, modes: 2, size: 3}\n");
    put(tree, "tree.yaml",
        "palpate: 1\nname: \"tr" ORDERS "ee\"\nbody:\n"
        "  shape: {name: spoon, size: 0.2 m}\n  voxels: 12\n  fixed: x<0.03\n"
        "  material: {preset: liver}\n"
        "  domains: {auto: 2, cut: axis, modes: {each: 2}}\nlocal: {way: none}\n");
    snprintf(trace, sizeof trace, "%s", check_scratch("trace.h5"));
    snprintf(model, sizeof model, "%s", check_scratch("model.h5"));
}

void tearDown(void) {
}

// ---- orders to the terminal

// The text is plain characters in lines.
static void check_plain(const char *text) {
    const size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        const int size =
            text[at] == '\n' || text[at] == '\t' ? 1 : pal_visible_size(text + at, length - at);
        TEST_ASSERT_TRUE_MESSAGE(size > 0, text + at);
        at += (size_t)size;
    }
}

static void check_run(const char *format, const char *file, bool shows) {
    program_run(format, file);
    check_plain(program.out);
    check_plain(program.errors);
    if (shows) {
        TEST_ASSERT_TRUE_MESSAGE(strstr(program.out, "\\x1b") != NULL ||
                                     strstr(program.errors, "\\x1b") != NULL,
                                 program.out);
    }
    char json[1100];
    snprintf(json, sizeof json, "%s --json", format);
    program_run(json, file);
    check_plain(program.out);
    cJSON *root = cJSON_Parse(program.out);
    TEST_ASSERT_TRUE_MESSAGE(root != NULL, program.out);
    cJSON_Delete(root);
}

static void test_no_name_gives_the_terminal_an_order(void) {
    char command[1024];
    snprintf(command, sizeof command, "run '%%s' --virtual --headless --seconds 0.05 --trace %s",
             trace);
    check_run(command, scene, true);
    snprintf(command, sizeof command, "bake '%%s' -o %s", model);
    check_run(command, scene, false);
    check_run("bake '%s'", tree, false);
    check_run("domains '%s'", tree, false);
    check_run("info '%s'", tree, true);
    check_run("info '%s'", scene, true);
    check_run("info '%s'", model, true);
    check_run("info '%s'", trace, true);
    check_run("replay '%s'", trace, true);
    check_run("modes '%s' --count 2", scene, true);
    check_run("modes '%s' --count 2 --fix 'region:none'", scene, false);
    check_run("indent '%s' --at 'nowhere'", scene, false);
    check_run("static '%s' --load 'x>0.1:0,0,-0.01'", scene, true);
    check_run("run '%s' --virtual --headless --seconds 0.02 --edit 0:none:young=1", scene, true);
    check_run("info '%s'", "x\033[31m\xff\n.h5", true);
    check_run("info '%s'", "x\033[31m\xff", true);
}

// JSON keeps what it can: the same text comes back.
static void test_json_keeps_the_text(void) {
    program_run("info '%s' --json", trace);
    cJSON *root = program_json();
    TEST_ASSERT_EQUAL_STRING("na\033[31m\xc2\x9b"
                             "2J\x7f"
                             "me",
                             cJSON_GetStringValue(cJSON_GetObjectItem(root, "scene")));
    cJSON_Delete(root);
}

// ---- errors as objects

static void test_a_failure_with_json_is_an_object(void) {
    static const char *const lines[][2] = {
        {"bek --json", "bake"},          {"modes none.msh --json", "none.msh"},
        {"run liver --json --secs", ""}, {"info --json", ""},
        {"replay none.h5 --json", ""},   {"bake none --json", "none"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        program_run("%s", lines[i][0]);
        TEST_ASSERT_TRUE(program.code == 1 || program.code == 2);
        program_fails(program.code, lines[i][1]); // looks at the object, too
        cJSON *root = cJSON_Parse(program.out);
        const cJSON *error = cJSON_GetObjectItem(root, "error");
        TEST_ASSERT_TRUE(cJSON_IsString(cJSON_GetObjectItem(error, "what")));
        TEST_ASSERT_TRUE(cJSON_IsString(cJSON_GetObjectItem(error, "kind")));
        cJSON_Delete(root);
    }
    char path[512];
    put(path, "tab.yaml", "palpate: 1\nbody:\n\tmesh: {file: x}\n");
    program_run("info '%s' --json", path);
    program_fails(1, "a tab stands at the beginning of this line");
    cJSON *root = cJSON_Parse(program.out);
    const cJSON *error = cJSON_GetObjectItem(root, "error");
    const char *where = cJSON_GetStringValue(cJSON_GetObjectItem(error, "where"));
    TEST_ASSERT_NOT_NULL(where);
    TEST_ASSERT_NOT_NULL(strstr(where, "tab.yaml:3"));
    TEST_ASSERT_NOT_NULL(
        strstr(cJSON_GetStringValue(cJSON_GetObjectItem(error, "hint")), "blanks"));
    cJSON_Delete(root);
}

// ---- one rule for all commands

static void test_what_is_missing_is_missing_for_every_command(void) {
    static const char *const lines[] = {
        "run none.yaml", "bake none.yaml", "picture none.h5",     "picture none.yaml",
        "film none.h5",  "replay none.h5", "info none.h5",        "info none.xyz",
        "score none.h5", "modes none.msh", "feel --trace none.h5"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        program_run("%s", lines[i]);
        program_fails(1, "No such file");
    }
}

static void test_a_file_in_a_missing_folder_is_refused_at_once(void) {
    static const char *const lines[] = {
        "run wall --virtual --headless --seconds 0.01 --trace %s/t.h5",
        "run wall --virtual --headless --seconds 0.01 --csv %s/t.csv",
        "bake spoon -o %s/m.h5",
        "film wall -o %s/f.mp4",
        "picture liver -o %s/p.png",
        "feel wall --only press --record %s/g.json",
    };
    char folder[512];
    snprintf(folder, sizeof folder, "%s", check_scratch("no/folder"));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        program_run(lines[i], folder);
        program_fails(1, "make the folder first");
        TEST_ASSERT_TRUE(access(folder, F_OK) != 0);
    }
}

static void test_no_line_of_help_is_over_100_columns(void) {
    for (int i = -1; i < 0 || pal_command_at(i) != NULL; i++) {
        program_run("%s --help", i < 0 ? "" : pal_command_at(i)->usage.command);
        TEST_ASSERT_EQUAL_INT(0, program.code);
        for (const char *at = program.out; *at != '\0';) {
            int columns = 0;
            const char *line = at;
            for (; *at != '\0' && *at != '\n'; at++) {
                columns += ((unsigned char)*at & 0xc0) != 0x80;
            }
            TEST_ASSERT_TRUE_MESSAGE(columns <= 100, line);
            at += *at == '\n';
        }
    }
}

// ---- where copies of scenes go

static void test_a_copy_of_a_shipped_scene_goes_to_ones_own_folder(void) {
    char folder[512], own[600], path[PAL_WINDOW_PATH], wall[1200];
    pal_err err = {0};
    snprintf(folder, sizeof folder, "%s", check_scratch("shipped"));
    TEST_ASSERT_EQUAL_INT(0, mkdir(folder, 0755));
    snprintf(wall, sizeof wall, "%s/wall.yaml", folder);
    CHECK_OK(pal_file_write_atomic(wall, "x", 1, &err), err);
    snprintf(own, sizeof own, "%s/mine.yaml", folder);
    CHECK_OK(pal_file_write_atomic(own, "x", 1, &err), err);
    setenv("PALPATE_SCENES", folder, 1);
    CHECK_OK(pal_window_name_beside(wall, "edited", path, &err), err);
    TEST_ASSERT_EQUAL_STRING("wall-edited.yaml", path);
    CHECK_OK(pal_window_name_beside(own, "edited", path, &err), err);
    snprintf(wall, sizeof wall, "%s/mine-edited.yaml", folder);
    TEST_ASSERT_EQUAL_STRING(wall, path);
    unsetenv("PALPATE_SCENES");
    CHECK_OK(pal_window_name_beside("/proc/scene.yaml", "edited", path, &err), err);
    TEST_ASSERT_EQUAL_STRING(geteuid() == 0 ? "/proc/scene-edited.yaml" : "scene-edited.yaml",
                             path);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_no_name_gives_the_terminal_an_order);
    RUN_TEST(test_json_keeps_the_text);
    RUN_TEST(test_a_failure_with_json_is_an_object);
    RUN_TEST(test_what_is_missing_is_missing_for_every_command);
    RUN_TEST(test_a_file_in_a_missing_folder_is_refused_at_once);
    RUN_TEST(test_no_line_of_help_is_over_100_columns);
    RUN_TEST(test_a_copy_of_a_shipped_scene_goes_to_ones_own_folder);
    return UNITY_END();
}
