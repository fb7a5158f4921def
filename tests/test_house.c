// The house rules, checked on the tree itself: who may include whom, headers that stand alone,
// formatting, lengths, plain text, and a servo-side library without allocation, printing, locks or
// BLAS. CMake defines HOUSE_ROOT and the tools.
#include <ctype.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/sanitized.h"

// Our files, as arguments of find; what is built or recorded is not ours.
#define OUR_FILES "find . \\( -path ./build -o -path ./out -o -name .git \\) -prune -o -type f "
#define OUR_CODE  OUR_FILES "-name '*.[ch]' "

static char said[1 << 18]; // what the last command printed

void setUp(void) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, chdir(HOUSE_ROOT), HOUSE_ROOT);
    said[0] = '\0';
}
void tearDown(void) {
}

// Runs a shell command in the root of the tree and keeps what it prints; returns its exit code.
static int run(const char *command) {
    FILE *pipe = popen(command, "r");
    TEST_ASSERT_NOT_NULL_MESSAGE(pipe, command);
    size_t used = fread(said, 1, sizeof said - 1, pipe);
    said[used] = '\0';
    while (fgetc(pipe) != EOF) {
    }
    int state = pclose(pipe);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

// Nothing may have been said, by a command or by complain().
static void check_no_complaint(void) {
    if (said[0] != '\0') {
        TEST_FAIL_MESSAGE(said);
    }
}

static void check_silent(const char *command) {
    int code = run(command);
    check_no_complaint();
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, code, command);
}

// Adds a line to what a scan has found; `said` is free for that when no command runs.
PAL_PRINTF(1, 2) static void complain(const char *format, ...) {
    size_t used = strlen(said);
    va_list args;
    va_start(args, format);
    vsnprintf(said + used, sizeof said - used, format, args);
    va_end(args);
}

// Calls visit(path, file) for every C file of ours; path is relative to the root.
static void for_each_source(void (*visit)(const char *path, FILE *file)) {
    static char list[sizeof said];
    TEST_ASSERT_EQUAL_INT(0, run(OUR_CODE "-print"));
    memcpy(list, said, sizeof list);
    said[0] = '\0';
    int count = 0;
    for (char *path = strtok(list, "\n"); path != NULL; path = strtok(NULL, "\n"), count++) {
        FILE *file = fopen(path, "r");
        TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
        visit(path + 2, file); // without "./"
        fclose(file);
    }
    TEST_ASSERT_GREATER_THAN_MESSAGE(10, count, "the tree was not found");
}

static int starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

// ---- Layers -------------------------------------------------------------------------------------

// Inside sim a folder includes itself and those before it.
static const char *const sim_order[] = {
    "sim/base/",      "sim/mesh/",    "sim/fem/",  "sim/basis/",   "sim/reduced/",
    "sim/substruct/", "sim/coarsen/", "sim/pose/", "sim/contact/", "sim/model/",
};
enum { SIM_FOLDERS = sizeof sim_order / sizeof *sim_order };

// The other folders: what each may include.
static const struct layer {
    const char *from;
    const char *may[8];
} layers[] = {
    {"devices/", {"devices/", "sim/base/"}},
    {"haptics/", {"haptics/", "sim/", "devices/device.h"}},
    {"render/", {"render/", "haptics/snapshot.h", "sim/base/", "sim/mesh/", "sim/model/"}},
    {"scenes/", {"scenes/", "devices/", "sim/"}},
    {"app/", {"app/", "scenes/", "render/", "haptics/", "devices/", "sim/"}},
    {"tests/", {""}},
};

// A file right in sim/ (the step) stands above all folders; an unknown folder is -1.
static int sim_rank(const char *path) {
    for (int i = 0; i < SIM_FOLDERS; i++) {
        if (starts_with(path, sim_order[i])) {
            return i;
        }
    }
    return strchr(path + strlen("sim/"), '/') == NULL ? SIM_FOLDERS : -1;
}

static int may_include(const char *from, const char *included) {
    if (starts_with(from, "sim/")) {
        return starts_with(included, "sim/") && sim_rank(included) >= 0 &&
               sim_rank(included) <= sim_rank(from);
    }
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        for (int k = 0; starts_with(from, layers[i].from) && layers[i].may[k] != NULL; k++) {
            if (starts_with(included, layers[i].may[k])) {
                return 1;
            }
        }
    }
    return 0;
}

static void check_includes(const char *path, FILE *file) {
    char line[1024], included[1024];
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        if (sscanf(line, " # include \"%1023[^\"]\"", included) == 1 &&
            !may_include(path, included)) {
            complain("%s:%d: may not include %s\n", path, number, included);
        }
    }
}

static void test_includes_follow_the_layers(void) {
    for_each_source(check_includes);
    check_no_complaint();
}

static void test_the_layer_rules_tell_good_from_bad(void) {
    TEST_ASSERT_TRUE(may_include("sim/fem/static.c", "sim/base/status.h"));
    TEST_ASSERT_TRUE(may_include("sim/fem/static.c", "sim/fem/static.h"));
    TEST_ASSERT_TRUE(may_include("sim/step.c", "sim/model/model.h"));
    TEST_ASSERT_TRUE(may_include("haptics/servo.c", "devices/device.h"));
    TEST_ASSERT_TRUE(may_include("render/mesh_draw.c", "sim/mesh/surface.h"));
    TEST_ASSERT_TRUE(may_include("tests/sim/base/test_status.c", "unity.h"));
    TEST_ASSERT_FALSE(may_include("sim/base/status.c", "sim/mesh/volmesh.h"));
    TEST_ASSERT_FALSE(may_include("sim/mesh/embed.c", "sim/fem/element.h"));
    TEST_ASSERT_FALSE(may_include("sim/fem/static.c", "sim/basis/eigen.h"));
    TEST_ASSERT_FALSE(may_include("sim/model/model.h", "sim/step.h"));
    TEST_ASSERT_FALSE(may_include("sim/model/model.h", "scenes/scene.h"));
    TEST_ASSERT_FALSE(may_include("sim/fem/static.c", "static.h"));
    TEST_ASSERT_FALSE(may_include("devices/dev_sim.c", "sim/mesh/surface.h"));
    TEST_ASSERT_FALSE(may_include("haptics/servo.c", "devices/dev_hdapi.h"));
    TEST_ASSERT_FALSE(may_include("render/window.c", "haptics/servo.h"));
    TEST_ASSERT_FALSE(may_include("render/window.c", "sim/fem/element.h"));
    TEST_ASSERT_FALSE(may_include("scenes/scene.c", "app/command.h"));
    TEST_ASSERT_FALSE(may_include("app/main.c", "tests/support/check.h"));
    TEST_ASSERT_FALSE(may_include("elsewhere/x.c", "sim/base/status.h"));
}

// ---- Headers, formatting, scripts ---------------------------------------------------------------

static void test_every_header_compiles_alone(void) {
    check_silent(OUR_FILES "-name '*.h' -print0 | xargs -0 -n 1 -P 2 '" HOUSE_COMPILER "' -std=c11"
                           " -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wvla -Werror"
                           " -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -I. -Itests/unity"
                           " -isystem '" HOUSE_INCLUDE "' -x c 2>&1");
}

static void test_the_code_is_formatted(void) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, run("command -v clang-format"),
                                  "clang-format is missing: ./palpate test installs it");
    check_silent(OUR_CODE "-print0 | xargs -0 clang-format --dry-run -Werror 2>&1");
}

#define OUR_SCRIPTS OUR_FILES "\\( -name '*.sh' -o -path ./palpate -o -path ./.ci/run \\) -print0 "

static void test_the_scripts_are_sound(void) {
    check_silent(OUR_SCRIPTS "| xargs -0 -n 1 bash -n 2>&1");
    if (run("command -v shellcheck") == 0) {
        check_silent(OUR_SCRIPTS "| xargs -0 shellcheck -x -S warning 2>&1");
    }
}

// ---- Lengths ------------------------------------------------------------------------------------

enum { FILE_LINES = 600, FUNCTION_LINES = 60, KERNEL_LINES = 100 };

// With the house's formatting a function runs from the last line that begins in the first column
// to a line "}". A comment "// Kernel: ..." right above it grants the longer limit.
static void check_lengths(const char *path, FILE *file) {
    char line[4096];
    int number = 0, start = 1, kernel = 0, marked = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        number++;
        int label = strstr(line, ":\n") != NULL;
        if (starts_with(line, "//")) {
            marked = marked || starts_with(line, "// Kernel: ");
        } else if (isalpha((unsigned char)line[0]) && !label) {
            start = number;
            kernel = marked;
            marked = 0;
        } else if (line[0] == '\n') {
            marked = 0;
        }
        int limit = kernel ? KERNEL_LINES : FUNCTION_LINES;
        if (strcmp(line, "}\n") == 0 && number - start + 1 > limit) {
            complain("%s:%d: a function of %d lines, at most %d\n", path, start, number - start + 1,
                     limit);
        }
    }
    if (number > FILE_LINES) {
        complain("%s: %d lines, at most %d\n", path, number, FILE_LINES);
    }
}

static void test_files_and_functions_are_short(void) {
    for_each_source(check_lengths);
    check_no_complaint();
}

// A function of `lines` lines, with or without the mark of a kernel.
static void check_length_of_made_function(const char *mark, int lines, int accepted) {
    FILE *file = tmpfile();
    TEST_ASSERT_NOT_NULL(file);
    fprintf(file, "#include <x.h>\n\n%sstatic int f(int a,\n             int b) {\n", mark);
    for (int i = 0; i < lines - 3; i++) {
        fputs(i == 5 ? "done:\n" : "    a++;\n", file);
    }
    fputs("}\n", file);
    rewind(file);
    said[0] = '\0';
    check_lengths("made.c", file);
    fclose(file);
    TEST_ASSERT_EQUAL_INT_MESSAGE(accepted, said[0] == '\0', said);
}

static void test_the_length_check_counts_right(void) {
    check_length_of_made_function("", FUNCTION_LINES, 1);
    check_length_of_made_function("", FUNCTION_LINES + 1, 0);
    check_length_of_made_function("// Kernel: unrolled.\n// More.\n", KERNEL_LINES, 1);
    check_length_of_made_function("// Kernel: unrolled.\n", KERNEL_LINES + 1, 0);
    check_length_of_made_function("// Kernel: another.\n\n", FUNCTION_LINES + 1, 0);
}

// ---- Text ---------------------------------------------------------------------------------------

// The words are written in two halves so that this file passes its own test.
static void test_no_machine_paths_and_no_marks_of_unfinished_work(void) {
    check_silent(OUR_FILES "-print0 | xargs -0 grep -InE '/wo"
                           "rk/|/ro"
                           "ot/|/ho"
                           "me/|\\bTO"
                           "DO\\b|\\bFIX"
                           "ME\\b' 2>&1 || true");
}

// ---- The servo-side library ---------------------------------------------------------------------

// Symbols that nothing on the servo thread may need: memory, streams, files, locks, BLAS, LAPACK
// and what else ends like Fortran, and the bake-time libraries.
static const char *const forbidden[] = {
    "malloc",    "calloc",  "realloc",         "reallocarray",   "aligned_alloc",
    "free",      "strdup",  "posix_memalign",  "*printf",        "__*printf_chk",
    "puts",      "fputs",   "fputc",           "putc",           "putchar",
    "fwrite",    "fread",   "fopen",           "fflush",         "open",
    "read",      "write",   "pthread_mutex_*", "pthread_cond_*", "pthread_rwlock_*",
    "sem_*",     "cblas_*", "LAPACKE_*",       "openblas_*",     "[sdcz]*_",
    "cholmod_*", "H5*",     "pal_alloc",       "pal_copy_text",  "pal_parallel_*",
};
static const char *const harmless[] = {"snprintf", "vsnprintf", "__snprintf_chk",
                                       "__vsnprintf_chk"};

static int matches(const char *name, const char *const *patterns, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (fnmatch(patterns[i], name, 0) == 0) {
            return 1;
        }
    }
    return 0;
}

static int is_forbidden(const char *name) {
    return matches(name, forbidden, sizeof forbidden / sizeof *forbidden) &&
           !matches(name, harmless, sizeof harmless / sizeof *harmless);
}

// How many forbidden symbols the objects of a library refer to; complains of each.
static int count_forbidden(const char *library) {
    char command[2048], name[512];
    snprintf(command, sizeof command, "'%s' -u '%s' 2>&1", HOUSE_NM, library);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, run(command), said);
    static char list[sizeof said];
    memcpy(list, said, sizeof list);
    said[0] = '\0';
    int found = 0, seen = 0;
    for (char *line = strtok(list, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (sscanf(line, " U %511s", name) == 1) {
            seen++;
            if (is_forbidden(name)) {
                found++;
                complain("%s refers to %s\n", library, name);
            }
        }
    }
    TEST_ASSERT_GREATER_THAN_MESSAGE(0, seen, "nm shows no symbols");
    return found;
}

static void test_the_servo_side_needs_no_memory_streams_locks_or_blas(void) {
    count_forbidden(HOUSE_RT_LIBRARY);
    check_no_complaint();
}

static void test_the_bake_side_is_found_guilty(void) {
    TEST_ASSERT_GREATER_THAN(0, count_forbidden(HOUSE_BAKE_LIBRARY));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, " aligned_alloc\n"), said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, " openblas_set_num_threads\n"), said);
}

static void test_the_symbol_rules_tell_good_from_bad(void) {
    const char *const bad[] = {"malloc",         "free",   "printf",         "vfprintf",
                               "__fprintf_chk",  "puts",   "fputs",          "pthread_mutex_lock",
                               "cblas_dsyrk",    "dgemm_", "LAPACKE_dsyevd", "dsaupd_",
                               "cholmod_analyze"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        TEST_ASSERT_TRUE_MESSAGE(is_forbidden(bad[i]), bad[i]);
    }
    const char *const good[] = {"sqrt", "memcpy", "vsnprintf", "clock_gettime", "pal_mat3_freeze"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        TEST_ASSERT_FALSE_MESSAGE(is_forbidden(good[i]), good[i]);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_includes_follow_the_layers);
    RUN_TEST(test_the_layer_rules_tell_good_from_bad);
    if (!IS_SANITIZED) { // the same in every build, and the work of other programs
        RUN_TEST(test_every_header_compiles_alone);
        RUN_TEST(test_the_code_is_formatted);
        RUN_TEST(test_the_scripts_are_sound);
    }
    RUN_TEST(test_files_and_functions_are_short);
    RUN_TEST(test_the_length_check_counts_right);
    RUN_TEST(test_no_machine_paths_and_no_marks_of_unfinished_work);
    RUN_TEST(test_the_servo_side_needs_no_memory_streams_locks_or_blas);
    RUN_TEST(test_the_bake_side_is_found_guilty);
    RUN_TEST(test_the_symbol_rules_tell_good_from_bad);
    return UNITY_END();
}
