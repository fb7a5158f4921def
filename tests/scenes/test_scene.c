#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/scene.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

// A small scene; each test replaces one piece of it.
static const char base[] = "palpate: 1 # version\n"                // 1
                           "name: test\n"                          // 2
                           "body:\n"                               // 3
                           "  shape: {name: liver, size: 0.2 m}\n" // 4
                           "  voxels: 10\n"                        // 5
                           "  fixed: y>0.08\n"                     // 6
                           "  material:\n"                         // 7
                           "    young: 12 kPa\n"                   // 8
                           "    poisson: 0.45\n"                   // 9
                           "    density: 1060 kg/m3\n"             // 10
                           "basis:\n"                              // 11
                           "  modes: 3\n"                          // 12
                           "  size: 4\n";                          // 13

static char text[8192];

// The base with the first `from` replaced by `to`.
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
    TEST_ASSERT_NULL(scene.text);
    TEST_ASSERT_NULL_MESSAGE(strpbrk(err.text, "\n\r\t"), "an error is one line");
}

static void test_a_scene_becomes_numbers_in_si(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(parse(with("voxels: 10", "voxels: 10\n  mass: lumped\n  damping: {mass: 0.1 1/s, "
                                      "stiffness: 1 ms}"),
                   &scene, &err),
             err);
    TEST_ASSERT_EQUAL_STRING("test", scene.name);
    TEST_ASSERT_EQUAL_INT(PAL_MASS_LUMPED, scene.mass_kind);
    TEST_ASSERT_EQUAL_INT(PAL_BASIS_DERIVATIVES, scene.basis.kind);
    TEST_ASSERT_EQUAL_INT(3, scene.basis.modes);
    TEST_ASSERT_EQUAL_INT(4, scene.basis.size);
    TEST_ASSERT_TRUE(scene.damping_alpha == 0.1);
    TEST_ASSERT_TRUE(scene.damping_beta == 1e-3);
    pal_scene_free(&scene);
    pal_scene_free(&scene);
}

static void test_every_shipped_scene_parses_and_every_file_is_listed(void) {
    char names[16][64] = {""};
    int count = 0;
    for (; pal_scene_shipped(count) != NULL; count++) {
        pal_scene scene;
        pal_err err = {0};
        CHECK_OK(pal_scene_read(pal_scene_shipped(count), &scene, &err), err);
        TEST_ASSERT_EQUAL_STRING(pal_scene_shipped(count), scene.name);
        snprintf(names[count], sizeof names[count], "%s.yaml", scene.name);
        pal_scene_free(&scene);
    }
    TEST_ASSERT_TRUE(count >= 8);
    DIR *folder = opendir(check_data("../../scenes"));
    TEST_ASSERT_NOT_NULL(folder);
    struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        bool listed = !pal_scene_is_path(entry->d_name);
        for (int i = 0; i < count; i++) {
            listed = listed || strcmp(names[i], entry->d_name) == 0;
        }
        TEST_ASSERT_TRUE_MESSAGE(listed, entry->d_name);
    }
    closedir(folder);
}

static void test_the_papers_scenes_have_the_papers_basis_sizes(void) {
    static const struct {
        const char *name;
        int modes, size;
    } sizes[] = {{"spoon", 6, 12}, {"bridge", 0, 15}, {"tower", 20, 30}, {"heart", 20, 30}};
    for (int i = 0; i < 4; i++) {
        pal_scene scene;
        pal_err err = {0};
        CHECK_OK(pal_scene_read(sizes[i].name, &scene, &err), err);
        TEST_ASSERT_EQUAL_INT(sizes[i].size, scene.basis.size);
        TEST_ASSERT_TRUE(sizes[i].modes == 0 || sizes[i].modes == scene.basis.modes);
        pal_scene_free(&scene);
    }
}

static void test_scenes_are_found_by_path_by_name_and_by_variable(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_FAILS(PAL_ERR_USAGE, "one of: bridge, dragon, flower",
                pal_scene_read("fork", &scene, &err), err);
    CHECK_FAILS(PAL_ERR_IO, "none.yaml", pal_scene_read(check_scratch("none.yaml"), &scene, &err),
                err);
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", check_scratch("."));
    CHECK_OK(pal_file_write_atomic(check_scratch("fork.yaml"), base, strlen(base), &err), err);
    CHECK_OK(pal_scene_read(check_scratch("fork.yaml"), &scene, &err), err);
    pal_scene_free(&scene);
    setenv("PALPATE_SCENES", folder, 1);
    pal_status status = pal_scene_read("fork", &scene, &err);
    unsetenv("PALPATE_SCENES");
    CHECK_OK(status, err);
    pal_scene_free(&scene);
}

static void test_unknown_missing_and_double_keys_are_errors_with_the_line(void) {
    check_refused(with("young:", "yung:"),
                  "test.yaml:8: unknown key 'yung'; known keys here: preset, young, poisson, "
                  "density");
    check_refused(with("name: test", "nom: test"), "test.yaml:2: unknown key 'nom'");
    check_refused(with("name: test\n", ""), "the key 'name' is missing in 'scene'");
    check_refused(with(", size: 0.2 m", ""), "test.yaml:4: the key 'size' is missing in 'shape'");
    check_refused(with("  voxels: 10\n", "  voxels: 10\n  voxels: 11\n"),
                  "test.yaml:6: the key 'voxels' is there twice");
    check_refused(with("name: test", "? [a]\n: b"), "test.yaml:2: unknown key ''");
    check_refused(with("name: test", "\"na\\nme\": test"), "unknown key 'na?me'");
}

static void test_wrong_units_are_errors_with_the_line_and_an_example(void) {
    check_refused(with("12 kPa", "12"),
                  "test.yaml:8: young: '12' has no unit; write a pressure such as '12 kPa'");
    check_refused(with("1060 kg/m3", "1060 kg"), "test.yaml:10: density: '1060 kg' is a");
    check_refused(with("0.2 m}", "0.2 feet}"), "test.yaml:4: size: unknown unit 'feet'");
    check_refused(with("0.2 m}", "-0.2 m}"), "test.yaml:4: size: must be above 0");
    check_refused(with("0.45", "0.45 kPa"), "test.yaml:9: 'poisson' takes a number without a unit");
}

static void test_values_of_the_wrong_kind_are_errors_with_the_line(void) {
    check_refused(with("voxels: 10", "voxels: ten"), "test.yaml:5: 'voxels' takes a whole number");
    check_refused(with("voxels: 10", "voxels: 1e1"), "'voxels' takes a whole number");
    check_refused(with("voxels: 10", "voxels: 9999999999"), "'voxels' takes a whole number");
    check_refused(with("voxels: 10", "voxels: [10]"), "'voxels' takes one value");
    check_refused(with("voxels: 10", "voxels: 1"), "test.yaml:5: voxels: 1 is outside 2 to 512");
    check_refused(with("voxels: 10", "voxels:"), "test.yaml:5: 'voxels' takes a whole number");
    check_refused(with("voxels: 10", "voxels: 10\n  mass: light"),
                  "test.yaml:6: 'mass' cannot be 'light'; write one of: consistent, lumped");
    check_refused(with("voxels: 10", "voxels: 10\n  free: maybe"), "'free' takes true or false");
    check_refused(with("0.45", "nan"), "test.yaml:9: 'poisson' takes a number");
    check_refused(with("{name: liver, size: 0.2 m}", "liver"),
                  "test.yaml:4: 'shape' takes the keys: name, size");
    check_refused(with("name: liver", "name: fork"), "test.yaml:4: name: unknown shape 'fork'");
    check_refused("[1, 2]", "'scene' takes the keys: palpate");
    check_refused("just words", "'scene' takes the keys: palpate");
}

static void test_bad_materials_are_errors_with_the_line(void) {
    check_refused(with("0.45", "0.5"), "test.yaml:9: poisson: material: Poisson's ratio is 0.5");
    check_refused(with("1060 kg/m3", "-1 kg/m3"), "test.yaml:10: density: material: density is -1");
    check_refused(with("12 kPa", "0 kPa"), "test.yaml:8: young: ");
    check_refused(with("    poisson: 0.45\n", ""), "test.yaml:8: material: give a preset, or");
    check_refused(with("    young: 12 kPa\n", "    preset: custard\n"),
                  "test.yaml:8: preset: unknown preset 'custard'; known presets: liver");
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(parse(with("young: 12 kPa", "preset: liver"), &scene, &err), err);
    pal_scene_free(&scene);
}

static void test_bad_selectors_are_errors_with_the_line(void) {
    check_refused(with("y>0.08", "\"y>>0.08\""), "test.yaml:6: fixed: ");
    check_refused(with("voxels: 10", "voxels: 10\n  regions:\n  - name: a\n    where: \"q<1\"\n    "
                                     "material: {preset: liver}"),
                  "test.yaml:8: where: ");
}

static void test_local_compliance_is_on_unless_the_scene_says_otherwise(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(parse(base, &scene, &err), err);
    TEST_ASSERT_EQUAL_INT(PAL_LOCAL_WANT_AUTO, scene.local.choice);
    TEST_ASSERT_TRUE(scene.local.radius == 0.0);
    pal_scene_free(&scene);
    CHECK_OK(parse(with("basis:", "local: {way: fast, radius: 12 mm}\nbasis:"), &scene, &err), err);
    TEST_ASSERT_EQUAL_INT(PAL_LOCAL_WANT_FAST, scene.local.choice);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.012, scene.local.radius);
    pal_scene_free(&scene);
    CHECK_OK(parse(with("basis:", "local: {way: none}\nbasis:"), &scene, &err), err);
    TEST_ASSERT_EQUAL_INT(PAL_LOCAL_WANT_NONE, scene.local.choice);
    pal_scene_free(&scene);
    check_refused(with("basis:", "local: {way: some}\nbasis:"), "test.yaml:11");
    check_refused(with("basis:", "local: {radius: 12}\nbasis:"), "test.yaml:11: radius: ");
    check_refused(with("basis:", "local: {radius: 0 mm}\nbasis:"), "must be above 0");
    check_refused(with("voxels: 10", "touch: \"y>>1\"\n  voxels: 10"), "test.yaml:5: touch: ");
    check_refused("palpate: 1\nname: w\nwall: {height: 0 m, stiffness: 500 N/m}\n"
                  "local: {way: none}\n",
                  "test.yaml:4: local: a wall has no local compliance");
}

static void test_keys_that_need_or_exclude_each_other(void) {
    check_refused(with("  fixed: y>0.08\n", ""), "test.yaml:4: body: say which vertices are held");
    check_refused(with("fixed: y>0.08", "fixed: y>0.08\n  free: true"), "one of the two");
    check_refused(with("  voxels: 10\n", ""), "needs 'voxels'");
    check_refused(with("  shape: {name: liver, size: 0.2 m}\n", ""), "give one of: shape");
    check_refused(with("voxels: 10", "mesh: {file: a.msh}"), "not both");
    check_refused(with("shape: {name: liver, size: 0.2 m}", "mesh: {file: none.msh}"),
                  "remove this key");
    check_refused(with("modes: 3", "modes: 1"), "test.yaml:13: size: 4 is more than the 2 shapes");
    check_refused(with("modes: 3", "modes: 0"), "test.yaml:12: modes: 0 is outside");
    check_refused(with("modes: 3", "kind: loads"), "needs 'loads' or 'loads_file'");
    check_refused(with("modes: 3", "loads: [{at: all, force: [0 N, 0 N, 1 N]}]"),
                  "loads are for kind: loads");
}

static void test_the_version_is_checked(void) {
    check_refused(with("palpate: 1", "palpate: 2"), "test.yaml:1: palpate: version 2");
    check_refused(with("palpate: 1 # version\n", ""), "the key 'palpate' is missing");
}

static void test_files_that_a_scene_names_must_be_there(void) {
    check_refused(with("shape: {name: liver, size: 0.2 m}\n  voxels: 10", "mesh: {file: none.msh}"),
                  "test.yaml:4: file: cannot read the file");
    check_refused(with("shape: {name: liver, size: 0.2 m}", "surface: {file: none.obj}"),
                  "test.yaml:4: file: cannot read the file");
    check_refused(with("shape: {name: liver, size: 0.2 m}", "surface: {file: none.txt}"),
                  "test.yaml:4: file: 'none.txt' has none of the endings");
    check_refused(with("modes: 3", "kind: loads\n  loads_file: none.txt"),
                  "test.yaml:13: loads_file: cannot read the file");
}

static void test_loads_come_from_the_scene_and_from_a_file(void) {
    static const char loads[] = "# recorded\n z>0.1 & x<1 ; 0 0 -1 # a push\n\nall;1e-3 2 3\r\n";
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(check_scratch("loads.txt"), loads, strlen(loads), &err), err);
    CHECK_OK(parse(with("modes: 3\n  size: 4",
                        "kind: loads\n  size: 3\n  loads:\n  - {at: all, force: [0 N, 2 mN, -1 "
                        "N]}\n  loads_file: loads.txt\n  force_separation: 0.1 N\n  "
                        "shape_separation: 1e-3 kg^0.5 m"),
                   &scene, &err),
             err);
    TEST_ASSERT_EQUAL_INT(3, scene.basis.load_count);
    TEST_ASSERT_TRUE(scene.basis.loads[0].force[1] == 2e-3);
    TEST_ASSERT_EQUAL_STRING("z>0.1 & x<1", scene.basis.loads[1].selector);
    TEST_ASSERT_TRUE(scene.basis.loads[1].force[2] == -1.0);
    TEST_ASSERT_EQUAL_STRING("all", scene.basis.loads[2].selector);
    TEST_ASSERT_TRUE(scene.basis.force_separation == 0.1);
    TEST_ASSERT_TRUE(scene.basis.shape_separation == 1e-3);
    pal_scene_free(&scene);
    static const char *const bad[] = {"all 1 2 3", "all; 1 2", "all; 1 2 3 4", "all; 1 2 nan",
                                      "q<1; 1 2 3"};
    for (int i = 0; i < 5; i++) {
        char lines[64];
        snprintf(lines, sizeof lines, "# first\n%s\n", bad[i]);
        CHECK_OK(pal_file_write_atomic(check_scratch("loads.txt"), lines, strlen(lines), &err),
                 err);
        pal_status status = parse(
            with("modes: 3\n  size: 4", "kind: loads\n  loads_file: loads.txt"), &scene, &err);
        TEST_ASSERT_TRUE(status != PAL_OK);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "loads.txt:2: "), err.text);
    }
    check_refused(
        with("modes: 3\n  size: 4", "kind: loads\n  loads:\n  - {at: all, force: [0 N, 2, -1 N]}"),
        "test.yaml:14: force: '2' has no unit");
    check_refused(
        with("modes: 3\n  size: 4", "kind: loads\n  loads:\n  - {at: all, force: [0 N, 2 N]}"),
        "test.yaml:14: 'force' takes a list of 3 values, not 2");
}

static void test_text_that_is_no_scene_is_refused(void) {
    static char deep[100000];
    memset(deep, '[', sizeof deep - 1);
    check_refused(deep, "nested deeper");
    check_refused("", "holds no scene");
    check_refused("# only a comment\n", "holds no scene");
    check_refused("a: [1\nb: 2", "not valid YAML");
    check_refused("a: \"open", "not valid YAML");
    check_refused("name: \xFF\xFE\x01", "not valid YAML");
    check_refused("a: &x 1\nb: *x\n", "test.yaml:2: aliases (*x) are not allowed");
    check_refused("a: &x [*x, *x]\n", "aliases");
    check_refused("a: 1\n---\nb: 2\n", "second document");
    pal_scene scene;
    pal_err err;
    CHECK_FAILS(PAL_ERR_INPUT, "NUL", pal_scene_parse("x.yaml", "a\0b", 3, &scene, &err), err);
    char *large = malloc(2 << 20);
    memset(large, '#', 2 << 20);
    CHECK_FAILS(PAL_ERR_INPUT, "larger than",
                pal_scene_parse("x.yaml", large, 2 << 20, &scene, &err), err);
    free(large);
}

static void test_running_out_of_memory_is_told_and_leaks_nothing(void) {
    pal_status status = PAL_ERR_MEMORY;
    for (long allowed = 0; allowed < 300 && status != PAL_OK; allowed++) {
        pal_scene scene;
        pal_err err;
        const char *scene_text =
            with("modes: 3\n  size: 4", "kind: loads\n  loads:\n  - {at: all, force: [0 N, 2 N, 1 "
                                        "N]}");
        pal_memory_fail_after(allowed);
        status = parse(scene_text, &scene, &err);
        pal_memory_fail_after(-1);
        if (status == PAL_OK) {
            pal_scene_free(&scene);
        } else {
            TEST_ASSERT_EQUAL_INT_MESSAGE(PAL_ERR_MEMORY, status, err.text);
        }
    }
    TEST_ASSERT_EQUAL_INT(PAL_OK, status);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_scene_becomes_numbers_in_si);
    RUN_TEST(test_every_shipped_scene_parses_and_every_file_is_listed);
    RUN_TEST(test_the_papers_scenes_have_the_papers_basis_sizes);
    RUN_TEST(test_scenes_are_found_by_path_by_name_and_by_variable);
    RUN_TEST(test_unknown_missing_and_double_keys_are_errors_with_the_line);
    RUN_TEST(test_wrong_units_are_errors_with_the_line_and_an_example);
    RUN_TEST(test_values_of_the_wrong_kind_are_errors_with_the_line);
    RUN_TEST(test_bad_materials_are_errors_with_the_line);
    RUN_TEST(test_bad_selectors_are_errors_with_the_line);
    RUN_TEST(test_local_compliance_is_on_unless_the_scene_says_otherwise);
    RUN_TEST(test_keys_that_need_or_exclude_each_other);
    RUN_TEST(test_the_version_is_checked);
    RUN_TEST(test_files_that_a_scene_names_must_be_there);
    RUN_TEST(test_loads_come_from_the_scene_and_from_a_file);
    RUN_TEST(test_text_that_is_no_scene_is_refused);
    RUN_TEST(test_running_out_of_memory_is_told_and_leaks_nothing);
    return UNITY_END();
}
