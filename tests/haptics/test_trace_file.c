// The file of a trace: HDF5 reads the rows that we wrote; every byte that is changed is told; what
// is cut anywhere, by a kill, a full disk or a copy, is the beginning of the run or refused; traces
// of older programs are read, or refused within a second.
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "haptics/trace_file.h"
#include "haptics/trace_hdf5.h"
#include "haptics/trace_layout.h"
#include "haptics/trace_old.h"
#include "sim/base/clock.h"
#include "sim/base/file.h"
#include "tests/support/check.h"

enum { ROWS = 12, HANDS = 2 };
static char path[256], other[256];
static char *whole; // the bytes of the trace
static size_t size;
static pal_trace_data truth;
static pal_err err;

void setUp(void) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(path, sizeof path, "%s", check_scratch("whole.h5"));
    snprintf(other, sizeof other, "%s", check_scratch("other.h5"));
}
void tearDown(void) {
}

static void make_truth(void) {
    static pal_tick_record record[ROWS];
    for (int k = 0; k < ROWS; k++) {
        record[k] = (pal_tick_record){.tick = (uint64_t)(k / HANDS),
                                      .time = 1e-3 * (k / HANDS),
                                      .hand = (uint32_t)(k % HANDS),
                                      .turn = {1.0, 0.0, 0.0, 0.0},
                                      .force = {0.1 * k, 1.0 / (1 + k), -0.0},
                                      .compute_us = 3.0 * k,
                                      .push = {0.5 * k},
                                      .slipped = 1e-3 * k,
                                      .fault = 2};
    }
    truth =
        (pal_trace_data){.info = {.scene = "a scene\nof two lines",
                                  .device = "sim",
                                  .program = "palpate test",
                                  .kernels = "x86-64-v3, gcc 12",
                                  .started = "2026-01-01T00:00:00Z",
                                  .trial = "press:slow",
                                  .hand_count = HANDS,
                                  .limits = {{.name = "touch", .max_force = 3.3, .inertia = 1e-5},
                                             {.name = "premium", .senses_turn = true}},
                                  .dt = 1e-3,
                                  .delay = 2e-4,
                                  .seed = UINT64_MAX,
                                  .penalty = true,
                                  .edits = "0.1:body:young=2e6\n",
                                  .scene_path = "folder/a.yaml",
                                  .scene_text = "palpate: 1\nname: a 7:scene\n"},
                         .dropped = 3,
                         .live_edits = (char *)"0.2 body young 3e6\n",
                         .count = ROWS,
                         .record = record};
}

static void write_whole(void) {
    make_truth();
    CHECK_OK(pal_trace_save(&truth, path, &err), err);
    free(whole);
    CHECK_OK(pal_file_read(path, &whole, &size, &err), err);
}

static void check_prefix(const pal_trace_data *data) {
    TEST_ASSERT_TRUE(data->count <= ROWS);
    for (int64_t k = 0; k < data->count; k++) {
        TEST_ASSERT_EQUAL_MEMORY(&truth.record[k], &data->record[k], sizeof *data->record);
    }
}

static void test_what_is_said_of_a_run_is_read_again(void) {
    pal_trace_data data;
    write_whole();
    CHECK_OK(pal_trace_read(path, &data, &err), err);
    TEST_ASSERT_EQUAL_INT(PAL_TRACE_WHOLE, data.state);
    TEST_ASSERT_EQUAL_INT(ROWS, (int)data.count);
    check_prefix(&data);
    const pal_trace_info *a = &truth.info, *b = &data.info;
    TEST_ASSERT_EQUAL_STRING(a->scene, b->scene);
    TEST_ASSERT_EQUAL_STRING(a->trial, b->trial);
    TEST_ASSERT_EQUAL_STRING(a->kernels, b->kernels);
    TEST_ASSERT_EQUAL_STRING(a->edits, b->edits);
    TEST_ASSERT_EQUAL_STRING(a->scene_text, b->scene_text);
    TEST_ASSERT_EQUAL_STRING(truth.live_edits, data.live_edits);
    TEST_ASSERT_TRUE(a->seed == b->seed && a->dt == b->dt && a->delay == b->delay);
    TEST_ASSERT_TRUE(b->penalty && !b->single && !b->virtual_time && b->limits[1].senses_turn);
    TEST_ASSERT_EQUAL_STRING("premium", b->limits[1].name);
    TEST_ASSERT_TRUE(b->limits[0].inertia == 1e-5 && b->limits[0].max_force == 3.3);
    TEST_ASSERT_EQUAL_UINT64(3, data.dropped);
    pal_trace_data_free(&data);
}

static void test_other_programs_read_the_rows(void) {
    pal_tick_record row[ROWS];
    char text[64] = "";
    write_whole();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    TEST_ASSERT_TRUE(file >= 0);
    hid_t set = H5Dopen2(file, "ticks", H5P_DEFAULT);
    hid_t type = pal_trace_row_type(sizeof *row);
    memset(row, 0, sizeof row);
    TEST_ASSERT_TRUE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, row) >= 0);
    TEST_ASSERT_EQUAL_MEMORY(truth.record, row, sizeof row);
    H5Tclose(type);
    H5Dclose(set);
    set = H5Dopen2(file, "live_edits", H5P_DEFAULT);
    type = pal_trace_text_type(sizeof text);
    TEST_ASSERT_TRUE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    TEST_ASSERT_EQUAL_STRING(truth.live_edits, text);
    H5Tclose(type);
    H5Dclose(set);
    H5Fclose(file);
}

// ---- damage

static void write_other(const char *bytes, size_t count) {
    int fd = open(other, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    TEST_ASSERT_TRUE(fd >= 0 && write(fd, bytes, count) == (ssize_t)count);
    close(fd);
}

// Each byte of all columns, of the head, of HDF5 and of the end.
static void test_every_changed_byte_is_told(void) {
    write_whole();
    write_other(whole, size);
    int fd = open(other, O_WRONLY);
    for (size_t at = 0; at < size; at++) {
        pal_trace_data data;
        char words[64];
        const char changed = (char)(whole[at] ^ 1 << at % 8);
        snprintf(words, sizeof words, "byte %zu of %zu", at, size);
        TEST_ASSERT_EQUAL_INT(1, (int)pwrite(fd, &changed, 1, (off_t)at));
        pal_status status = pal_trace_read(other, &data, &err);
        if (status == PAL_OK) { // cut short: the mark of the end is gone
            TEST_ASSERT_EQUAL_INT_MESSAGE(PAL_TRACE_CUT, data.state, words);
            check_prefix(&data);
            pal_trace_data_free(&data);
        }
        if (pal_trace_read_as(other, true, &data, &err) == PAL_OK) {
            TEST_ASSERT_TRUE_MESSAGE(data.state != PAL_TRACE_WHOLE, words);
            TEST_ASSERT_TRUE_MESSAGE(data.note[0] != '\0', words);
            pal_trace_data_free(&data);
        }
        TEST_ASSERT_EQUAL_INT(1, (int)pwrite(fd, &whole[at], 1, (off_t)at));
    }
    close(fd);
}

static void test_a_damaged_row_is_named_and_read_in_the_lenient_way(void) {
    pal_trace_data data;
    write_whole();
    const size_t rows_at = size - pal_trace_tail_size(whole + size - 17) - ROWS * PAL_TRACE_ROW;
    whole[rows_at + 7 * PAL_TRACE_ROW + offsetof(pal_tick_record, buttons)] ^= 1;
    write_other(whole, size);
    CHECK_FAILS(PAL_ERR_INPUT, "row 7 (at 0.003 s) is not as it was written; --lenient reads it",
                pal_trace_read(other, &data, &err), err);
    CHECK_OK(pal_trace_read_as(other, true, &data, &err), err);
    TEST_ASSERT_EQUAL_INT(PAL_TRACE_DAMAGED, data.state);
    TEST_ASSERT_EQUAL_INT(ROWS, (int)data.count);
    TEST_ASSERT_EQUAL_INT(1, (int)data.record[7].buttons);
    pal_trace_data_free(&data);
}

static void test_a_trace_cut_anywhere_gives_what_is_whole(void) {
    write_whole();
    const size_t tail = pal_trace_tail_size(whole + size - 17);
    const size_t rows_at = size - tail - ROWS * PAL_TRACE_ROW;
    write_other(whole, size);
    for (size_t cut = size - 1; cut > 0; cut--) {
        pal_trace_data data;
        TEST_ASSERT_EQUAL_INT(0, truncate(other, (off_t)cut));
        pal_status status = pal_trace_read(other, &data, &err);
        const int64_t want = cut < rows_at ? 0 : (int64_t)((cut - rows_at) / PAL_TRACE_ROW);
        if (status == PAL_OK) {
            TEST_ASSERT_EQUAL_INT(PAL_TRACE_CUT, data.state);
            TEST_ASSERT_EQUAL_INT(want < ROWS ? want : ROWS, (int)data.count);
            check_prefix(&data);
            pal_trace_data_free(&data);
        } else {
            TEST_ASSERT_EQUAL_INT(0, (int)want);
        }
    }
}

// A machine that loses its power leaves zeros where the disk was told of bytes that never came.
static void test_zeros_are_no_ticks(void) {
    pal_trace_data data;
    write_whole();
    const size_t rows_at = size - pal_trace_tail_size(whole + size - 17) - ROWS * PAL_TRACE_ROW;
    memset(whole + rows_at + 5 * PAL_TRACE_ROW + 100, 0, size - rows_at - 5 * PAL_TRACE_ROW - 100);
    write_other(whole, size);
    CHECK_FAILS(PAL_ERR_INPUT, "row 5", pal_trace_read(other, &data, &err), err);
    memset(whole + rows_at + 5 * PAL_TRACE_ROW, 0, 100);
    write_other(whole, size);
    CHECK_OK(pal_trace_read(other, &data, &err), err);
    TEST_ASSERT_EQUAL_INT(5, (int)data.count);
    TEST_ASSERT_EQUAL_INT(PAL_TRACE_CUT, data.state);
    pal_trace_data_free(&data);
}

// ---- a disk that is full, at every byte

static void test_a_full_disk_leaves_the_beginning(void) {
    write_whole();
    signal(SIGXFSZ, SIG_IGN);
    for (size_t most = 0; most < size; most += 61) {
        pid_t child = fork();
        if (child == 0) {
            const struct rlimit limit = {most, most};
            pal_trace_file *file;
            setrlimit(RLIMIT_FSIZE, &limit);
            unlink(other);
            pal_status status = pal_trace_file_open(&file, other, &truth.info, &err);
            for (int k = 0; status == PAL_OK && k < ROWS; k += 3) {
                status = pal_trace_file_append(file, truth.record + k, 3, &err);
                status = status == PAL_OK ? pal_trace_file_flush(file, &err) : status;
            }
            if (status == PAL_OK) {
                status = pal_trace_file_close(file, true, 3, truth.live_edits, &err);
            }
            _exit(status == PAL_ERR_IO && strstr(err.text, "other.h5: cannot") != NULL ? 0 : 1);
        }
        int state;
        TEST_ASSERT_EQUAL_INT(child, waitpid(child, &state, 0));
        TEST_ASSERT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
        pal_trace_data data;
        if (pal_trace_read(other, &data, &err) == PAL_OK) {
            TEST_ASSERT_EQUAL_INT(PAL_TRACE_CUT, data.state);
            check_prefix(&data);
            pal_trace_data_free(&data);
        }
    }
}

// ---- older formats

// What HDF5 has of a trace of today, called one of format 4. With the chance to change a column.
static void write_old(const char *hash) {
    const int version = 4;
    const size_t head = pal_trace_head_size(whole, size);
    write_other(whole + head, size - head);
    hid_t file = H5Fopen(other, H5F_ACC_RDWR, H5P_DEFAULT);
    TEST_ASSERT_TRUE(file >= 0);
    hid_t attribute = H5Aopen(file, "palpate_trace", H5P_DEFAULT);
    TEST_ASSERT_TRUE(H5Awrite(attribute, H5T_NATIVE_INT, &version) >= 0);
    H5Aclose(attribute);
    if (hash != NULL) {
        char text[PAL_HASH_TEXT] = ""; // HDF5 takes all of it
        snprintf(text, sizeof text, "%s", hash);
        hid_t type = pal_trace_text_type(sizeof text);
        attribute = H5Aopen(file, "trace_hash", H5P_DEFAULT);
        TEST_ASSERT_TRUE(H5Awrite(attribute, type, text) >= 0);
        H5Aclose(attribute);
        H5Tclose(type);
    }
    TEST_ASSERT_TRUE(H5Fclose(file) >= 0);
}

static void test_an_older_trace_is_read_and_compared_with_its_hash(void) {
    pal_trace_data data;
    write_whole();
    write_old(NULL);
    CHECK_OK(pal_trace_read(other, &data, &err), err);
    TEST_ASSERT_EQUAL_INT(4, data.version);
    TEST_ASSERT_EQUAL_INT(ROWS, (int)data.count);
    check_prefix(&data);
    pal_trace_data_free(&data);
    write_old("00000000000000000000000000000000");
    CHECK_FAILS(PAL_ERR_INPUT, "the trace hash is not that of its rows",
                pal_trace_read(other, &data, &err), err);
    // Cut off: no hash, and rows that HDF5 had made room for
    make_truth();
    memset(&truth.record[8], 0, 4 * sizeof *truth.record);
    CHECK_OK(pal_trace_save(&truth, path, &err), err);
    free(whole);
    CHECK_OK(pal_file_read(path, &whole, &size, &err), err);
    write_old("");
    CHECK_OK(pal_trace_read(other, &data, &err), err);
    TEST_ASSERT_EQUAL_INT(PAL_TRACE_CUT, data.state);
    TEST_ASSERT_EQUAL_INT(8, (int)data.count);
    pal_trace_data_free(&data);
}

// Memory that is allocated meanwhile may be lost.
static void leaks_of_hdf5(bool allowed) {
    H5garbage_collect(); // blocks that are kept to be used again
#ifdef __SANITIZE_ADDRESS__
    if (allowed) {
        __lsan_disable();
    } else {
        __lsan_enable();
    }
#else
    (void)allowed;
#endif
}

// One that was being written when its program was killed: HDF5 would look at a block with a wrong
// checksum a hundred times, and wait between.
static void test_a_damaged_older_trace_is_refused_soon(void) {
    leaks_of_hdf5(true); // it loses blocks of its own that it cannot read
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const hsize_t none = 0, most = H5S_UNLIMITED, chunk = 4;
    hid_t space = H5Screate_simple(1, &none, &most), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 1, &chunk);
    hid_t set = H5Dcreate2(file, "ticks", H5T_NATIVE_INT, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    TEST_ASSERT_TRUE(H5Fstart_swmr_write(file) >= 0);
    H5Dflush(set);
    free(whole);
    CHECK_OK(pal_file_read(path, &whole, &size, &err), err); // as a kill leaves it
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(plist);
    H5Fclose(file);
    H5Pclose(access);
    for (size_t at = 9; at < size; at += 3) {
        pal_trace_data data;
        whole[at] ^= 0x55;
        write_other(whole, size);
        whole[at] ^= 0x55;
        const double start = pal_seconds();
        TEST_ASSERT_TRUE(pal_trace_read(other, &data, &err) != PAL_OK);
        TEST_ASSERT_TRUE(pal_seconds() - start < 1.0);
    }
    leaks_of_hdf5(false);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_what_is_said_of_a_run_is_read_again);
    RUN_TEST(test_other_programs_read_the_rows);
    RUN_TEST(test_every_changed_byte_is_told);
    RUN_TEST(test_a_damaged_row_is_named_and_read_in_the_lenient_way);
    RUN_TEST(test_a_trace_cut_anywhere_gives_what_is_whole);
    RUN_TEST(test_zeros_are_no_ticks);
    RUN_TEST(test_a_full_disk_leaves_the_beginning);
    RUN_TEST(test_an_older_trace_is_read_and_compared_with_its_hash);
    RUN_TEST(test_a_damaged_older_trace_is_refused_soon);
    free(whole);
    return UNITY_END();
}
