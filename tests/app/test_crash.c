// The program killed at random moments, and with no more room for its files: what can be read
// afterwards is the beginning of what would have been there, a file that is written at once is
// there whole or not at all, and the next run works. $PALPATE_CRASHES says how many times.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "haptics/trace_layout.h"
#include "sim/base/clock.h"
#include "sim/base/file.h"
#include "tests/support/check.h"
#include "tests/support/random.h"
#include "tests/support/sanitized.h"

enum { MOST_WORDS = 24, SAID = 8192, PATH = 1024 };
static const uint64_t seed = 20261119;

static const char wall[] = "palpate: 1\nname: wall\n"
                           "wall: {height: 0 m, stiffness: 500 N/m, damping: 1 N s/m}\n"
                           "device: {profile: touch, grip: firm, friction: 0 N, seed: 3}\n"
                           "probe:\n"
                           "  - {move: [0 m, 0 m, 5 mm], seconds: 0.1 s}\n"
                           "  - {press: [0 m, 0 m, -10 mm], seconds: 20 s}\n";
static const char spoon[] = "palpate: 1\nname: spoon\nbody:\n"
                            "  shape: {name: spoon, size: 0.2 m}\n  voxels: 12\n  fixed: x<0.03\n"
                            "  material: {preset: liver}\n"
                            "basis: {kind: derivatives, modes: 2, size: 3}\n";

// ---- the program, ended before its time

typedef struct ending {
    double kill_after; // s, SIGKILL; below 0: never
    long most_bytes;   // of a file; below 0: no limit
} ending;
static const ending never = {-1.0, -1};

static struct {
    int code; // exit code, -1: killed
    double seconds;
    char said[SAID]; // on standard error
} last;

static void become_program(char *line, const ending *end, int said) {
    char *word[MOST_WORDS] = {(char *)PAL_PROGRAM};
    int count = 1;
    for (char *at = strtok(line, " "); at != NULL && count < MOST_WORDS - 1;) {
        word[count++] = at;
        at = strtok(NULL, " ");
    }
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    if (end->most_bytes >= 0) {
        const struct rlimit limit = {(rlim_t)end->most_bytes, (rlim_t)end->most_bytes};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    execv(PAL_PROGRAM, word);
    _exit(127);
}

static void nap(double seconds) {
    const struct timespec time = {(time_t)seconds,
                                  (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

static void run(const ending *end, const char *format, ...) PAL_PRINTF(2, 3);
static void run(const ending *end, const char *format, ...) {
    char line[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    int said[2], state = 0;
    TEST_ASSERT_EQUAL_INT(0, pipe(said));
    const double start = pal_seconds();
    const pid_t child = fork();
    TEST_ASSERT_TRUE(child >= 0);
    if (child == 0) {
        close(said[0]);
        become_program(line, end, said[1]);
    }
    close(said[1]);
    if (end->kill_after >= 0.0) {
        nap(end->kill_after);
        kill(child, SIGKILL);
    }
    size_t used = 0;
    for (ssize_t got = 1; got > 0 && used<SAID - 1; used += got> 0 ? (size_t)got : 0) {
        got = read(said[0], last.said + used, SAID - 1 - used);
    }
    last.said[used] = '\0';
    close(said[0]);
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &state, 0));
    last.code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    last.seconds = pal_seconds() - start;
    TEST_ASSERT_TRUE_MESSAGE(last.code >= 0 || (WTERMSIG(state) == SIGKILL && end->kill_after >= 0),
                             last.said);
}

// A limit must be told, with what to do and without the words of a library.
static void check_told(void) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, last.code, last.said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(last.said, "palpate: error: "), last.said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(last.said, "ulimit -f"), last.said);
    TEST_ASSERT_NULL_MESSAGE(strstr(last.said, "HDF5-DIAG"), last.said);
}

// ---- files

static void name(char path[PATH], const char *file) {
    snprintf(path, PATH, "%s", check_scratch(file));
}

static long size_of(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

static char *read_whole(const char *path, size_t *size) {
    char *data = NULL;
    pal_err err = {0};
    CHECK_OK(pal_file_read(path, &data, size, &err), err);
    return data;
}

static void check_same_bytes(const char *expected, const char *actual) {
    size_t size, other;
    char *a = read_whole(expected, &size), *b = read_whole(actual, &other);
    TEST_ASSERT_EQUAL_INT64_MESSAGE(size, other, actual);
    TEST_ASSERT_TRUE_MESSAGE(memcmp(a, b, size) == 0, actual);
    free(a);
    free(b);
}

// ---- what all runs are held against

static struct {
    bool made;
    double trace_seconds, bake_seconds, save_seconds;
    char wall[PATH], spoon[PATH], csv[PATH], model[PATH], saved[PATH], cache[PATH];
    long trace_bytes, csv_bytes, model_bytes;
    pal_trace_data trace;
    char run_hash[PAL_HASH_TEXT]; // of the spoon
    int runs, killed, told, refused;
} truth;

static const char bake_words[] = "bake %s -o %s --quiet --threads 1";
static const char save_words[] =
    "run %s --virtual --headless --seconds 0.02 --edit 0.01:body:young=9e3 --save-scene %s --quiet";
static const char spoon_words[] = "run %s --virtual --headless --seconds 0.05 --trace %s --quiet";

static double trace_length(void) {
    return SANITIZED_OR(2.0, 10.0);
}

static void take_hash(const char *path, char hash[PAL_HASH_TEXT]) {
    pal_trace_data data;
    pal_err err = {0};
    CHECK_OK(pal_trace_read(path, &data, &err), err);
    snprintf(hash, PAL_HASH_TEXT, "%s", data.hash);
    pal_trace_data_free(&data);
}

static void put(const char *path, const char *text) {
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(path, text, strlen(text), &err), err);
}

static void make_truth(void) {
    char path[PATH];
    pal_err err = {0};
    if (truth.made) {
        return;
    }
    name(truth.wall, "wall.yaml");
    name(truth.spoon, "spoon.yaml");
    name(truth.csv, "truth.csv");
    name(truth.model, "truth.model.h5");
    name(truth.saved, "truth.yaml");
    name(truth.cache, "cache");
    setenv("PALPATE_CACHE", truth.cache, 1);
    put(truth.wall, wall);
    put(truth.spoon, spoon);
    name(path, "truth.h5");
    run(&never, "run %s --virtual --headless --seconds %g --trace %s --csv %s --quiet", truth.wall,
        trace_length(), path, truth.csv);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, last.code, last.said);
    truth.trace_seconds = last.seconds;
    CHECK_OK(pal_trace_read(path, &truth.trace, &err), err);
    truth.trace_bytes = size_of(path);
    truth.csv_bytes = size_of(truth.csv);
    run(&never, bake_words, truth.spoon, truth.model);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, last.code, last.said);
    truth.bake_seconds = last.seconds;
    truth.model_bytes = size_of(truth.model);
    run(&never, save_words, truth.spoon, truth.saved);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, last.code, last.said);
    truth.save_seconds = last.seconds;
    name(path, "spoon.h5");
    run(&never, spoon_words, truth.spoon, path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, last.code, last.said);
    take_hash(path, truth.run_hash);
    truth.made = true;
}

// ---- a trace

// Rows are the first ones of the truth (but for the times that they took), and all that are whole.
static void check_trace(const char *path, const pal_trace_data *whole) {
    const long bytes = size_of(path);
    const long around = truth.trace_bytes - (long)truth.trace.count * PAL_TRACE_ROW;
    pal_trace_data data;
    pal_err err = {0};
    if (bytes < 0) {
        return; // killed before it began
    }
    if (pal_trace_read(path, &data, &err) != PAL_OK) { // not one row was whole
        TEST_ASSERT_TRUE_MESSAGE(bytes < around + PAL_TRACE_ROW, err.text);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, path), err.text);
        truth.refused++;
        return;
    }
    TEST_ASSERT_TRUE_MESSAGE(data.state != PAL_TRACE_DAMAGED, data.note);
    TEST_ASSERT_TRUE_MESSAGE((data.count + 1) * PAL_TRACE_ROW + around > bytes, data.note);
    TEST_ASSERT_TRUE(whole == NULL || data.count <= whole->count);
    for (int64_t k = 0; k < data.count; k++) {
        const pal_tick_record *row = &data.record[k];
        TEST_ASSERT_EQUAL_INT64(k, row->tick);
        TEST_ASSERT_TRUE(whole == NULL || memcmp(row, &whole->record[k],
                                                 offsetof(pal_tick_record, compute_us)) == 0);
    }
    pal_trace_data_free(&data);
}

// The column of a name in the first line.
static int column_of(const char *text, const char *wanted) {
    const size_t length = strlen(wanted);
    int column = 0;
    for (const char *at = text; *at != '\n' && strncmp(at, wanted, length) != 0; at++) {
        column += *at == ',';
    }
    return column;
}

// Whether two lines are the same but in the columns from `timed` on, two of them.
static bool is_same_line(const char *a, size_t a_size, const char *b, size_t b_size, int timed) {
    size_t i = 0, j = 0;
    for (int column = 0; i <= a_size && j <= b_size; column++) {
        size_t m = 0, n = 0;
        while (i + m < a_size && a[i + m] != ',') {
            m++;
        }
        while (j + n < b_size && b[j + n] != ',') {
            n++;
        }
        const bool differs = m != n || memcmp(a + i, b + j, n) != 0;
        if (differs && column != timed && column != timed + 1) {
            return false;
        }
        i += m + 1;
        j += n + 1;
    }
    return i > a_size && j > b_size;
}

// Up to its newline, or all that is left.
static size_t line_length(const char *text, size_t left) {
    size_t length = 0;
    while (length < left && text[length] != '\n') {
        length++;
    }
    return length;
}

static void check_csv(const char *path, bool killed) {
    if (size_of(path) <= 0) {
        return;
    }
    size_t size, whole;
    char *text = read_whole(path, &size), *all = read_whole(truth.csv, &whole);
    const int timed = column_of(all, "compute_us");
    size_t at = 0, there = 0;
    while (at < size) {
        const size_t length = line_length(text + at, size - at);
        const size_t expected = line_length(all + there, whole - there);
        if (at + length == size) { // the system may cut a write of a process that is killed
            TEST_ASSERT_TRUE_MESSAGE(killed, "half a row");
            break;
        }
        TEST_ASSERT_TRUE(there + expected < whole);
        TEST_ASSERT_TRUE(is_same_line(text + at, length, all + there, expected, timed));
        at += length + 1;
        there += expected + 1;
    }
    free(text);
    free(all);
}

static void crash_a_run(test_random *random, bool kills, bool virtual_time) {
    char path[PATH], part[PATH + 8], csv[PATH], csv_part[PATH + 8];
    name(path, "run.h5");
    name(csv, "run.csv");
    snprintf(part, sizeof part, "%s.part", path);
    snprintf(csv_part, sizeof csv_part, "%s.part", csv);
    const char *const files[] = {path, part, csv, csv_part};
    for (int i = 0; i < 4; i++) {
        unlink(files[i]);
    }
    const double seconds = virtual_time ? trace_length() : 0.3;
    const double takes = virtual_time ? truth.trace_seconds : 0.35;
    const ending end = {kills ? 1.05 * takes * random_share(random) : -1.0,
                        kills ? -1 : (long)((double)truth.trace_bytes * random_share(random))};
    run(&end, "run %s %s --headless --seconds %g --trace %s --csv %s --quiet", truth.wall,
        virtual_time ? "--virtual" : "--seed 3", seconds, path, csv);
    const bool late =
        !virtual_time && strstr(last.said, "missed in a row") != NULL; // a busy machine
    if (!kills && last.code != 0 && !late) {
        check_told();
        truth.told++;
    }
    truth.killed += last.code < 0;
    const pal_trace_data *whole = virtual_time ? &truth.trace : NULL;
    check_trace(last.code == 0 ? path : part, whole);
    if (size_of(path) >= 0 && last.code != 0) {
        check_trace(path, whole);
    }
    if (virtual_time) {
        check_csv(size_of(csv) >= 0 ? csv : csv_part, last.code < 0);
    }
}

// ---- files that are written at once

static void empty_folder(const char *folder) {
    char command[PATH + 32];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    TEST_ASSERT_EQUAL_INT(0, system(command));
}

// What is kept under a name is whole: its parts have names of their own.
static void check_cache(void) {
    char command[PATH + 64], line[PATH];
    snprintf(command, sizeof command, "ls -d '%s'/*.h5 2>/dev/null", truth.cache);
    FILE *list = popen(command, "r");
    TEST_ASSERT_NOT_NULL(list);
    while (fgets(line, sizeof line, list) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        check_same_bytes(truth.model, line);
    }
    pclose(list);
}

static void crash_a_bake(test_random *random, bool kills) {
    char model[PATH], trace[PATH], hash[PAL_HASH_TEXT];
    name(model, "bake.h5");
    name(trace, "next.h5");
    unlink(model);
    empty_folder(truth.cache);
    const ending end = {kills ? 1.05 * truth.bake_seconds * random_share(random) : -1.0,
                        kills ? -1 : (long)((double)truth.model_bytes * random_share(random))};
    run(&end, bake_words, truth.spoon, model);
    truth.killed += last.code < 0;
    if (!kills) {
        check_told();
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(last.said, "not kept for next time"), last.said);
        TEST_ASSERT_EQUAL_INT64(-1, size_of(model));
        truth.told++;
    }
    check_cache();
    if (size_of(model) >= 0) {
        check_same_bytes(truth.model, model);
    }
    run(&never, spoon_words, truth.spoon, trace);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, last.code, last.said);
    take_hash(trace, hash);
    TEST_ASSERT_EQUAL_STRING(truth.run_hash, hash);
}

// Over an older file: that one, or the new one.
static void crash_a_save(test_random *random, bool kills) {
    static const char older[] = "older\n";
    char path[PATH];
    size_t size;
    name(path, "saved.yaml");
    put(path, older);
    const ending end = {kills ? 1.05 * truth.save_seconds * random_share(random) : -1.0,
                        kills ? -1 : (long)((double)size_of(truth.saved) * random_share(random))};
    run(&end, save_words, truth.spoon, path);
    truth.killed += last.code < 0;
    if (!kills) {
        check_told();
        truth.told++;
    }
    char *text = read_whole(path, &size);
    const bool is_older = strcmp(text, older) == 0;
    free(text);
    TEST_ASSERT_TRUE(is_older || kills);
    if (!is_older) {
        check_same_bytes(truth.saved, path);
    }
}

// ---- all of them in turn

static int crashes(void) {
    const char *asked = getenv("PALPATE_CRASHES");
    return asked != NULL && atoi(asked) > 0 ? atoi(asked) : SANITIZED_OR(8, 32);
}

static void test_what_is_left_is_a_beginning_of_the_truth_and_the_next_run_works(void) {
    test_random random = {seed};
    make_truth();
    for (int i = 0; i < crashes(); i++) {
        const bool kills = i % 2 == 0;
        switch (i / 2 % 4) {
        case 0:
            crash_a_run(&random, kills, true);
            break;
        case 1:
            crash_a_bake(&random, kills);
            break;
        case 2:
            crash_a_run(&random, kills, i % 16 < 8);
            break;
        default:
            crash_a_save(&random, kills);
        }
        truth.runs++;
    }
    pal_trace_data_free(&truth.trace);
    printf("%d runs: %d killed, %d told that there is no room, %d traces without a whole row\n",
           truth.runs, truth.killed, truth.told, truth.refused);
}

void setUp(void) {
}

void tearDown(void) {
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_what_is_left_is_a_beginning_of_the_truth_and_the_next_run_works);
    return UNITY_END();
}
