// Whole files in and out of memory.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "tests/support/check.h"

static pal_err err;

void setUp(void) {
    memset(&err, 0, sizeof err);
}

void tearDown(void) {
    pal_memory_fail_after(-1);
}

static void expect_content(const char *path, const char *content) {
    char *data = NULL;
    size_t size = 0;
    CHECK_OK(pal_file_read(path, &data, &size, &err), err);
    TEST_ASSERT_EQUAL_INT64(strlen(content), size);
    TEST_ASSERT_EQUAL_STRING(content, data);
    free(data);
}

static void expect_no_read(const char *path, const char *part) {
    char *data = NULL;
    size_t size = 1;
    CHECK_FAILS(PAL_ERR_IO, part, pal_file_read(path, &data, &size, &err), err);
    TEST_ASSERT_NULL(data);
    TEST_ASSERT_EQUAL_INT64(0, size);
}

static void test_what_is_written_is_read_back(void) {
    const char *path = check_scratch("a.txt");
    CHECK_OK(pal_file_write_atomic(path, "one", 3, &err), err);
    expect_content(path, "one");
    CHECK_OK(pal_file_write_atomic(path, "another", 7, &err), err);
    expect_content(path, "another");
    CHECK_OK(pal_file_write_atomic(path, "", 0, &err), err);
    expect_content(path, "");
}

static void test_unreadable_paths_are_named(void) {
    expect_no_read(check_scratch("missing"), "missing: cannot open: No such file");
    expect_no_read("/", "is a folder");
    expect_no_read("/dev/null", "not a regular file");
    const char *pipe_path = check_scratch("pipe");
    TEST_ASSERT_EQUAL_INT(0, mkfifo(pipe_path, 0600));
    expect_no_read(pipe_path, "not a regular file");
    if (geteuid() != 0) { // root may read everything
        const char *secret = check_scratch("secret");
        CHECK_OK(pal_file_write_atomic(secret, "x", 1, &err), err);
        TEST_ASSERT_EQUAL_INT(0, chmod(secret, 0));
        expect_no_read(secret, "ermission");
    }
}

static void test_too_large_a_file_is_refused(void) {
    const char *path = check_scratch("large");
    CHECK_OK(pal_file_write_atomic(path, "", 0, &err), err);
    if (truncate(path, PAL_FILE_MAX + 1) != 0) {
        TEST_IGNORE_MESSAGE("no sparse files here");
    }
    expect_no_read(path, "4294967297 bytes");
}

static void test_unwritable_paths_are_named(void) {
    CHECK_FAILS(PAL_ERR_IO, "not a regular file", pal_file_write_atomic("/", "x", 1, &err), err);
    CHECK_FAILS(PAL_ERR_IO, "not a regular file", pal_file_write_atomic("/dev/null", "x", 1, &err),
                err);
    CHECK_FAILS(PAL_ERR_IO, "cannot write: No such file",
                pal_file_write_atomic(check_scratch("none/file"), "x", 1, &err), err);
}

static void test_folders_are_made_with_those_above_them(void) {
    char path[1200];
    snprintf(path, sizeof path, "%s/b//c/", check_scratch("above"));
    CHECK_OK(pal_file_make_folders(path, &err), err);
    CHECK_OK(pal_file_make_folders(path, &err), err); // again
    CHECK_OK(pal_file_write_atomic(check_scratch("above/b/c/file"), "x", 1, &err), err);
    CHECK_FAILS(PAL_ERR_IO, "file: is there already and is no folder",
                pal_file_make_folders(check_scratch("above/b/c/file/d"), &err), err);
    CHECK_FAILS(PAL_ERR_IO, "cannot make the folder", pal_file_make_folders("/proc/none/a", &err),
                err);
}

static void test_a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else(void) {
    char folder[1024], path[1100];
    snprintf(folder, sizeof folder, "%s", check_scratch("full"));
    TEST_ASSERT_EQUAL_INT(0, mkdir(folder, 0700));
    snprintf(path, sizeof path, "%s/file", folder);
    CHECK_OK(pal_file_write_atomic(path, "old", 3, &err), err);

    // a limit on file sizes stands for the full disk
    struct rlimit before, small;
    TEST_ASSERT_EQUAL_INT(0, getrlimit(RLIMIT_FSIZE, &before));
    small = before;
    small.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    TEST_ASSERT_EQUAL_INT(0, setrlimit(RLIMIT_FSIZE, &small));
    static char content[5000];
    pal_status status = pal_file_write_atomic(path, content, sizeof content, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    CHECK_FAILS(PAL_ERR_IO, "cannot write: File too large", status, err);

    expect_content(path, "old");
    TEST_ASSERT_EQUAL_INT(0, unlink(path));
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, rmdir(folder), "something was left behind");
}

static void test_lack_of_memory_is_an_error(void) {
    const char *path = check_scratch("b.txt");
    CHECK_OK(pal_file_write_atomic(path, "one", 3, &err), err);
    pal_memory_fail_after(0);
    char *data = NULL;
    size_t size = 0;
    TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, pal_file_read(path, &data, &size, &err));
    TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, pal_file_write_atomic(path, "two", 3, &err));
    pal_memory_fail_after(-1);
    expect_content(path, "one");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_what_is_written_is_read_back);
    RUN_TEST(test_unreadable_paths_are_named);
    RUN_TEST(test_too_large_a_file_is_refused);
    RUN_TEST(test_unwritable_paths_are_named);
    RUN_TEST(test_folders_are_made_with_those_above_them);
    RUN_TEST(test_a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else);
    RUN_TEST(test_lack_of_memory_is_an_error);
    return UNITY_END();
}
