// The cache: what is kept carries its key, nobody else can have changed it, and what is not taken
// is told.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scenes/scene_file.h"
#include "sim/base/file.h"
#include "sim/model/tree_hdf5.h"
#include "tests/support/check.h"

static char heard[1024], folder[512];
static pal_err err;

static void hear(const char *text) {
    snprintf(heard, sizeof heard, "%s", text);
}

void setUp(void) {
    char command[600];
    snprintf(folder, sizeof folder, "%s", check_scratch("kept"));
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    TEST_ASSERT_EQUAL_INT(0, system(command));
    setenv("PALPATE_CACHE", folder, 1);
    heard[0] = '\0';
    err = (pal_err){0};
    pal_cache_listen(hear);
}

void tearDown(void) {
    pal_cache_listen(NULL);
}

static void open_scene(pal_scene *scene, const char *young, const char *more) {
    char text[600];
    snprintf(text, sizeof text,
             "palpate: 1\nname: t\nbody:\n  shape: {name: spoon, size: 0.2 m}\n  voxels: 12\n"
             "  fixed: x<0.03\n  material: {young: %s, poisson: 0.45, density: 1000 kg/m^3}\n%s",
             young, more);
    CHECK_OK(pal_scene_parse("t.yaml", text, strlen(text), scene, &err), err);
}

static const char modes[] = "basis: {kind: derivatives, modes: 2, size: 3}\nlocal: {way: none}\n";
static const char domains[] =
    "  domains: {auto: 2, cut: axis, modes: {each: 2}}\nlocal: {way: none}\n";

// Its hash, its key, whether it was kept.
static bool take(const char *young, char hash[PAL_HASH_TEXT], char path[600]) {
    pal_scene scene;
    pal_model model;
    char key[PAL_HASH_TEXT];
    bool cached;
    heard[0] = '\0';
    open_scene(&scene, young, modes);
    CHECK_OK(pal_scene_key(&scene, key, &err), err);
    snprintf(path, 600, "%s/%s.h5", folder, key);
    CHECK_OK(pal_scene_model(&scene, false, NULL, &model, NULL, &cached, &err), err);
    snprintf(hash, PAL_HASH_TEXT, "%s", model.hash);
    TEST_ASSERT_EQUAL_STRING(key, model.key);
    TEST_ASSERT_EQUAL_STRING(heard, scene.note);
    pal_model_free(&model);
    pal_scene_free(&scene);
    return cached;
}

static void copy(const char *from, const char *to) {
    char *data;
    size_t size;
    CHECK_OK(pal_file_read(from, &data, &size, &err), err);
    CHECK_OK(pal_file_write_as(to, data, size, 0600, &err), err);
    free(data);
}

static void test_a_model_under_the_name_of_another_scene_is_baked_anew(void) {
    char soft[PAL_HASH_TEXT], hard[PAL_HASH_TEXT], again[PAL_HASH_TEXT], path[600], other[600];
    TEST_ASSERT_FALSE(take("8 kPa", soft, path));
    TEST_ASSERT_FALSE(take("2 MPa", hard, other));
    TEST_ASSERT_EQUAL_STRING("", heard);
    copy(other, path);
    TEST_ASSERT_FALSE(take("8 kPa", again, path));
    TEST_ASSERT_EQUAL_STRING(soft, again);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heard, "was not made from this scene"), heard);
    heard[0] = '\0';
    TEST_ASSERT_TRUE(take("8 kPa", again, path)); // mended
    TEST_ASSERT_EQUAL_STRING(soft, again);
    TEST_ASSERT_EQUAL_STRING("", heard);
}

static bool take_tree(const char *young, char path[600]) {
    pal_scene scene;
    pal_tree_model model;
    char key[PAL_HASH_TEXT];
    bool cached;
    open_scene(&scene, young, domains);
    CHECK_OK(pal_scene_key(&scene, key, &err), err);
    snprintf(path, 600, "%s/%s.tree.h5", folder, key);
    CHECK_OK(pal_scene_tree_model(&scene, false, NULL, &model, NULL, &cached, &err), err);
    TEST_ASSERT_EQUAL_STRING(key, model.key);
    pal_tree_model_free(&model);
    pal_scene_free(&scene);
    return cached;
}

static void test_a_tree_under_the_name_of_another_scene_is_baked_anew(void) {
    char path[600], other[600];
    TEST_ASSERT_FALSE(take_tree("8 kPa", path));
    TEST_ASSERT_FALSE(take_tree("2 MPa", other));
    copy(other, path);
    TEST_ASSERT_FALSE(take_tree("8 kPa", path));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heard, "was not made from this scene"), heard);
    TEST_ASSERT_TRUE(take_tree("8 kPa", path));
}

static mode_t mode_of(const char *path) {
    struct stat info;
    TEST_ASSERT_EQUAL_INT(0, stat(path, &info));
    return info.st_mode & 0777;
}

static void test_folder_and_files_are_the_users_alone(void) {
    char hash[PAL_HASH_TEXT], path[600];
    const mode_t before = umask(0);
    take("8 kPa", hash, path);
    umask(before);
    TEST_ASSERT_EQUAL_INT(0700, mode_of(folder));
    TEST_ASSERT_EQUAL_INT(0600, mode_of(path));
}

static void test_what_others_may_write_to_is_not_taken(void) {
    char hash[PAL_HASH_TEXT], path[600];
    take("8 kPa", hash, path);
    TEST_ASSERT_EQUAL_INT(0, chmod(path, 0602));
    TEST_ASSERT_FALSE(take("8 kPa", hash, path));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heard, "chmod go-w"), heard);
    TEST_ASSERT_EQUAL_INT(0600, mode_of(path)); // another file
    TEST_ASSERT_EQUAL_INT(0, chmod(folder, 0770));
    TEST_ASSERT_FALSE(take("8 kPa", hash, path));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heard, "the cache is not used"), heard);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heard, "chmod go-w"), heard);
    TEST_ASSERT_EQUAL_INT(0, chmod(folder, 0700));
    TEST_ASSERT_TRUE(take("8 kPa", hash, path));
}

static void test_a_folder_of_somebody_else_is_not_used(void) {
    char hash[PAL_HASH_TEXT], path[600];
    if (geteuid() != 0) {
        TEST_IGNORE_MESSAGE("only root can give a folder away");
    }
    take("8 kPa", hash, path);
    TEST_ASSERT_EQUAL_INT(0, chown(folder, 12345, 12345));
    TEST_ASSERT_FALSE(take("8 kPa", hash, path));
    TEST_ASSERT_EQUAL_INT(0, chown(folder, 0, 0));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heard, "belongs to another user (number 12345)"), heard);
    TEST_ASSERT_TRUE(take("8 kPa", hash, path));
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_model_under_the_name_of_another_scene_is_baked_anew);
    RUN_TEST(test_a_tree_under_the_name_of_another_scene_is_baked_anew);
    RUN_TEST(test_folder_and_files_are_the_users_alone);
    RUN_TEST(test_what_others_may_write_to_is_not_taken);
    RUN_TEST(test_a_folder_of_somebody_else_is_not_used);
    return UNITY_END();
}
