// Traces: what is written is read again, up to the last flush also after a crash; a disk that
// stands still costs log entries and nothing else.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "haptics/trace.h"
#include "sim/base/clock.h"
#include "sim/base/file.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { CAPACITY = 4096 };
static pal_tick_record items[CAPACITY];
static pal_ring ring;

static pal_trace_info make_info(void) {
    pal_trace_info info = {.scene = "test",
                           .device = "sim",
                           .program = "palpate test",
                           .started = "2026-01-01T00:00:00Z",
                           .body_hash = "0123456789abcdef0123456789abcdef",
                           .hand_count = 1,
                           .limits = {{.name = "touch", .max_force = 3.3, .mass = 0.045}},
                           .dt = 1e-3,
                           .delay = 2e-4,
                           .seed = 7,
                           .virtual_time = true,
                           .scene_path = "folder/test.yaml",
                           .scene_text = "palpate: 1\nname: test\n"};
    return info;
}

static pal_tick_record make_record(uint64_t tick) {
    double t = (double)tick;
    return (pal_tick_record){.tick = tick,
                             .time = 1e-3 * t,
                             .position = {t, -t, 0.5 * t},
                             .velocity = {1.0 / (1.0 + t), 0.1, -0.2},
                             .present = 1,
                             .sequence = tick + 1,
                             .force = {0.0, 1e-300, t / 3.0},
                             .depth = 1e-3,
                             .ledger = -t,
                             .outcome = PAL_OUT_SLEW,
                             .touching = 1,
                             .missed = 2,
                             .commands = 16,
                             .compute_us = 12.5,
                             .late_us = 3.0,
                             .push = {0.0, 0.5, t},
                             .grip = {2.0 * t, 0.0, 1.0},
                             .slipped = 1e-4 * t};
}

static void open_ring(void) {
    pal_ring_init(&ring, items, sizeof *items, CAPACITY);
}

static void put(uint64_t first, uint64_t count, const pal_trace *trace) {
    for (uint64_t k = first; k < first + count; k++) {
        pal_tick_record record = make_record(k);
        pal_trace_wait(trace);
        TEST_ASSERT_TRUE(pal_ring_put(&ring, &record));
    }
}

static void test_what_is_written_is_read_again(void) {
    enum { ROWS = 10000 };
    char path[1024], csv[1024];
    pal_trace_info info = make_info();
    pal_trace *trace;
    pal_trace_summary summary;
    pal_trace_data data;
    pal_err err = {0};
    snprintf(path, sizeof path, "%s", check_scratch("round.h5"));
    snprintf(csv, sizeof csv, "%s", check_scratch("round.csv"));
    open_ring();
    CHECK_OK(pal_trace_open(&trace, &ring, &info, path, csv, &err), err);
    put(0, ROWS, trace);
    CHECK_OK(pal_trace_close(trace, ROWS + 5, 5.0, &summary, &err), err);
    TEST_ASSERT_EQUAL_UINT64(ROWS, summary.rows);

    TEST_ASSERT_TRUE(pal_trace_is_path(path));
    TEST_ASSERT_FALSE(pal_trace_is_path(csv));
    CHECK_OK(pal_trace_read(path, &data, &err), err);
    TEST_ASSERT_EQUAL_INT(ROWS, (int)data.count);
    TEST_ASSERT_EQUAL_UINT64(5, data.dropped);
    TEST_ASSERT_EQUAL_STRING(summary.hash, data.hash);
    TEST_ASSERT_EQUAL_STRING(info.scene_text, data.scene_text);
    TEST_ASSERT_EQUAL_STRING(info.scene_path, data.info.scene_path);
    TEST_ASSERT_EQUAL_STRING("touch", data.info.limits[0].name);
    TEST_ASSERT_TRUE(data.info.limits[0].max_force == 3.3 && data.info.limits[0].mass == 0.045);
    TEST_ASSERT_TRUE(data.info.dt == 1e-3 && data.info.delay == 2e-4 && data.info.virtual_time);
    TEST_ASSERT_EQUAL_UINT64(7, data.info.seed);
    for (uint64_t k = 0; k < ROWS; k++) {
        pal_tick_record expected = make_record(k);
        TEST_ASSERT_EQUAL_INT(0, memcmp(&expected, &data.record[k], sizeof expected));
    }
    pal_trace_data_free(&data);

    char *text;
    size_t size, lines = 0;
    CHECK_OK(pal_file_read(csv, &text, &size, &err), err);
    for (size_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
    }
    TEST_ASSERT_EQUAL_INT(ROWS + 1, (int)lines);
    TEST_ASSERT_EQUAL_INT(0, strncmp(text, "tick,time,position_x,", 21));
    free(text);
}

static void test_the_hash_is_of_what_does_not_depend_on_time(void) {
    char same[PAL_HASH_TEXT], other[PAL_HASH_TEXT], changed[PAL_HASH_TEXT];
    pal_tick_record a = make_record(3), b = a, c = a;
    b.compute_us = 99.0;
    b.late_us = 1.0;
    b.grip[1] = 0.1;
    c.force[0] = 5e-324;
    const struct {
        const pal_tick_record *record;
        char *text;
    } cases[] = {{&a, same}, {&b, other}, {&c, changed}};
    for (int i = 0; i < 3; i++) {
        pal_hash hash;
        pal_hash_init(&hash);
        pal_trace_hash_record(&hash, cases[i].record);
        pal_hash_text(&hash, cases[i].text);
    }
    TEST_ASSERT_EQUAL_STRING(same, other);
    TEST_ASSERT_TRUE(strcmp(same, changed) != 0);
}

// A child writes and is killed; what it had flushed is there.
static void test_a_killed_run_leaves_a_readable_part(void) {
    enum { ROWS = 3000 };
    char path[1024], part[1100];
    snprintf(path, sizeof path, "%s", check_scratch("killed.h5"));
    snprintf(part, sizeof part, "%s.part", path);
    pid_t child = fork();
    if (child == 0) {
        pal_trace_info info = make_info();
        pal_trace *trace;
        pal_err err = {0};
        open_ring();
        if (pal_trace_open(&trace, &ring, &info, path, NULL, &err) != PAL_OK) {
            _exit(1);
        }
        put(0, ROWS, trace);
        nanosleep(&(struct timespec){.tv_nsec = 900000000}, NULL); // more than one flush
        put(ROWS, 10, trace);
        raise(SIGKILL);
    }
    int status;
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
    TEST_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    TEST_ASSERT_TRUE(access(path, F_OK) != 0);
    pal_trace_data data;
    pal_err err = {0};
    CHECK_OK(pal_trace_read(part, &data, &err), err);
    TEST_ASSERT_TRUE(data.count >= ROWS && data.count <= ROWS + 10);
    TEST_ASSERT_EQUAL_STRING("", data.hash);
    pal_tick_record expected = make_record(ROWS - 1);
    TEST_ASSERT_EQUAL_INT(0, memcmp(&expected, &data.record[ROWS - 1], sizeof expected));
    pal_trace_data_free(&data);
}

// A pipe that nobody reads is a disk that stands still.
static void test_a_stalled_disk_costs_log_entries_only(void) {
    char path[1024];
    snprintf(path, sizeof path, "%s", check_scratch("stalled"));
    TEST_ASSERT_EQUAL_INT(0, mkfifo(path, 0600));
    int both = open(path, O_RDWR | O_NONBLOCK);
    TEST_ASSERT_TRUE(both >= 0);
    pal_trace_info info = make_info();
    pal_trace *trace;
    pal_trace_summary summary;
    pal_err err = {0};
    open_ring();
    CHECK_OK(pal_trace_open(&trace, &ring, &info, NULL, path, &err), err);
    uint64_t lost = 0;
    double slowest = 0.0;
    for (uint64_t k = 0; k < 4 * CAPACITY; k++) {
        pal_tick_record record = make_record(k);
        double start = pal_thread_seconds();
        lost += !pal_ring_put(&ring, &record);
        double spent = pal_thread_seconds() - start;
        slowest = spent > slowest ? spent : slowest;
    }
    TEST_ASSERT_TRUE(lost > CAPACITY);
    TEST_ASSERT_TRUE(slowest < 5e-3);
    pal_status status = pal_trace_close(trace, 4 * CAPACITY, 0.1, &summary, &err);
    CHECK_FAILS(PAL_ERR_IO, "the disk has taken nothing", status, err);
    close(both); // the writer gets its error and ends
}

static void test_a_full_disk_is_told_at_the_end(void) {
    if (access("/dev/full", W_OK) != 0) {
        TEST_IGNORE_MESSAGE("there is no /dev/full");
    }
    pal_trace_info info = make_info();
    pal_trace *trace;
    pal_trace_summary summary;
    pal_err err = {0};
    open_ring();
    CHECK_OK(pal_trace_open(&trace, &ring, &info, NULL, "/dev/full", &err), err);
    put(0, 2000, trace);
    pal_status status = pal_trace_close(trace, 2000, 5.0, &summary, &err);
    CHECK_FAILS(PAL_ERR_IO, "/dev/full: cannot write: No space left on device; the disk is full",
                status, err);
    TEST_ASSERT_EQUAL_UINT64(2000, summary.rows);
}

static void test_what_is_no_trace_is_refused(void) {
    pal_trace_data data;
    pal_trace *trace;
    pal_trace_info info = make_info();
    pal_err err = {0};
    char path[1024];
    CHECK_FAILS(PAL_ERR_IO, "none.h5: cannot open the trace: No such file",
                pal_trace_read(check_scratch("none.h5"), &data, &err), err);
    snprintf(path, sizeof path, "%s", check_scratch("text.h5"));
    CHECK_OK(pal_file_write_atomic(path, "hello", 5, &err), err);
    CHECK_FAILS(PAL_ERR_IO,
                "text.h5: cannot open the trace: it is no trace, as run --trace writes one",
                pal_trace_read(path, &data, &err), err);
    CHECK_OK(pal_file_write_atomic(path, "", 0, &err), err);
    CHECK_FAILS(PAL_ERR_IO, "the file is empty", pal_trace_read(path, &data, &err), err);
    CHECK_FAILS(PAL_ERR_IO, "Is a directory", pal_trace_read("/", &data, &err), err);
    open_ring();
    CHECK_FAILS(PAL_ERR_IO, "cannot make the trace",
                pal_trace_open(&trace, &ring, &info, "/nowhere/at/all.h5", NULL, &err), err);
    CHECK_FAILS(PAL_ERR_IO, "cannot write",
                pal_trace_open(&trace, &ring, &info, NULL, "/nowhere/at/all.csv", &err), err);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    UNITY_BEGIN();
    RUN_TEST(test_a_killed_run_leaves_a_readable_part); // forks: before there are threads
    RUN_TEST(test_what_is_written_is_read_again);
    RUN_TEST(test_the_hash_is_of_what_does_not_depend_on_time);
    RUN_TEST(test_a_full_disk_is_told_at_the_end);
    RUN_TEST(test_what_is_no_trace_is_refused);
    RUN_TEST(test_a_stalled_disk_costs_log_entries_only);
    return UNITY_END();
}
