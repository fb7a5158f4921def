// Writing a trace: rows with their seals are appended; the end adds HDF5 and the tail.
#include "haptics/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "haptics/trace_describe.h"
#include "haptics/trace_layout.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"

enum { BUFFER_ROWS = 128 };

struct pal_trace_file {
    char *path;
    int fd;
    pal_hash all, run;  // of the bytes, and of what is the same in every run
    size_t head, hdf5;  // bytes
    uint64_t rows;      // on the disk
    pal_trace_data own; // what the head says, with texts of our own
    size_t used;        // rows in the buffer
    unsigned char buffer[BUFFER_ROWS][PAL_TRACE_ROW];
};

// ---- beginning

// How much HDF5 will need at most: it depends on no number, and on the length of no table.
static pal_status measure_hdf5(pal_trace_file *f, const pal_trace_info *info, pal_err *err) {
    enum { SLACK = 2048 };
    pal_trace_tail tail = {.rows = 3, .live_edits = "-"};
    memset(tail.run_hash, '0', PAL_HASH_TEXT - 1);
    const pal_trace_parts parts = {.head = 1024, .rows_at = 4096, .edits_at = 8192, .size = 9000};
    char *bytes;
    size_t size = 0;
    pal_status status = pal_trace_describe(f->path, info, &tail, &parts, &bytes, &size, err);
    free(bytes);
    f->hdf5 = (size + SLACK + 1023) / 1024 * 1024;
    return status;
}

static pal_status put(pal_trace_file *f, const void *bytes, size_t size, pal_err *err) {
    const int code = pal_file_put(f->fd, bytes, size);
    return code == 0 ? PAL_OK : pal_file_fail(err, f->path, "write the trace", code);
}

static pal_status begin(pal_trace_file *f, const pal_trace_info *info, pal_err *err) {
    char *head = NULL, *zeros = NULL;
    pal_trace_head again;
    pal_status status = measure_hdf5(f, info, err);
    if (status == PAL_OK) {
        status = pal_trace_head_make(info, f->hdf5, &head, &f->head, err);
    }
    if (status == PAL_OK) {
        status = pal_trace_head_parse(f->path, head, f->head, &again, &f->own, err);
    }
    if (status == PAL_OK) {
        pal_hash_init(&f->all);
        pal_hash_init(&f->run);
        pal_hash_update(&f->all, head, f->head);
        f->fd = open(f->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        status = f->fd >= 0 ? put(f, head, f->head, err)
                            : pal_file_fail(err, f->path, "make the trace", errno);
    }
    if (status == PAL_OK) { // the room is there when it is needed
        zeros = PAL_NEW(char, f->hdf5, err);
        status = zeros != NULL ? put(f, zeros, f->hdf5, err) : PAL_ERR_MEMORY;
    }
    free(zeros);
    free(head);
    return status;
}

static void free_file(pal_trace_file *f) {
    if (f->fd >= 0) {
        close(f->fd);
    }
    pal_trace_data_free(&f->own);
    free(f->path);
    free(f);
}

pal_status pal_trace_file_open(pal_trace_file **file, const char *path, const pal_trace_info *info,
                               pal_err *err) {
    pal_trace_file *f = *file = PAL_NEW(pal_trace_file, 1, err);
    if (f == NULL) {
        return PAL_ERR_MEMORY;
    }
    f->fd = -1;
    f->path = pal_copy_text(path, err);
    pal_status status = f->path == NULL ? PAL_ERR_MEMORY : begin(f, info, err);
    if (status != PAL_OK) {
        free_file(f);
        *file = NULL;
    }
    return status;
}

// ---- rows

pal_status pal_trace_file_flush(pal_trace_file *f, pal_err *err) {
    pal_status status = put(f, f->buffer, f->used * PAL_TRACE_ROW, err);
    if (status != PAL_OK) { // a piece of a row is none
        const off_t whole = (off_t)(f->head + f->hdf5 + f->rows * PAL_TRACE_ROW);
        const off_t put_off = lseek(f->fd, 0, SEEK_CUR);
        if (put_off > whole) {
            f->rows += (uint64_t)(put_off - whole) / PAL_TRACE_ROW;
            const off_t end = (off_t)(f->head + f->hdf5 + f->rows * PAL_TRACE_ROW);
            if (ftruncate(f->fd, end) == 0) {
                lseek(f->fd, end, SEEK_SET);
            }
        }
    } else {
        f->rows += f->used;
    }
    f->used = 0;
    return status;
}

pal_status pal_trace_file_append(pal_trace_file *f, const pal_tick_record *record, size_t count,
                                 pal_err *err) {
    pal_status status = PAL_OK;
    for (size_t i = 0; status == PAL_OK && i < count; i++) {
        unsigned char *row = f->buffer[f->used++];
        pal_trace_hash_record(&f->run, &record[i]);
        pal_hash_update(&f->all, &record[i], sizeof record[i]);
        const uint64_t seal = pal_hash_number(&f->all);
        memcpy(row, &record[i], sizeof record[i]);
        memcpy(row + sizeof record[i], &seal, sizeof seal);
        if (f->used == BUFFER_ROWS) {
            status = pal_trace_file_flush(f, err);
        }
    }
    return status;
}

uint64_t pal_trace_file_rows(const pal_trace_file *f) {
    return f->rows;
}

// ---- the end

// The order matters: a file with a tail has all the rest.
static pal_status write_end(pal_trace_file *f, const char *hdf5, size_t hdf5_size, const char *tail,
                            size_t tail_size, pal_err *err) {
    char end[PAL_TRACE_TAIL_HASH + 1];
    pal_hash_update(&f->all, tail, tail_size);
    pal_hash_update(&f->all, hdf5, hdf5_size);
    pal_trace_tail_close(&f->all, tail_size, end);
    int code =
        lseek(f->fd, (off_t)f->head, SEEK_SET) < 0 ? errno : pal_file_put(f->fd, hdf5, hdf5_size);
    if (code == 0 && lseek(f->fd, 0, SEEK_END) < 0) {
        code = errno;
    }
    if (code == 0) {
        code = pal_file_put(f->fd, tail, tail_size);
    }
    if (code == 0) {
        code = pal_file_put(f->fd, end, PAL_TRACE_TAIL_HASH);
    }
    if (code == 0 && fsync(f->fd) != 0) {
        code = errno;
    }
    return code == 0 ? PAL_OK : pal_file_fail(err, f->path, "write the end of the trace", code);
}

static pal_status finish(pal_trace_file *f, uint64_t dropped, const char *live_edits,
                         pal_err *err) {
    pal_trace_tail tail = {.rows = f->rows, .dropped = dropped, .live_edits = live_edits};
    pal_trace_parts parts = {.head = f->head, .rows_at = f->head + f->hdf5};
    char *text = NULL, *described = NULL, *hdf5 = NULL;
    size_t text_size = 0, size = 0, edits_at = 0;
    pal_hash_text(&f->run, tail.run_hash);
    pal_status status = pal_trace_tail_make(&tail, &text, &text_size, &edits_at, err);
    if (status == PAL_OK) {
        const uint64_t tail_at = parts.rows_at + f->rows * PAL_TRACE_ROW;
        parts.edits_at = tail_at + edits_at;
        parts.size = tail_at + text_size + PAL_TRACE_TAIL_HASH;
        status = pal_trace_describe(f->path, &f->own.info, &tail, &parts, &described, &size, err);
    }
    if (status == PAL_OK && size > f->hdf5) {
        status = pal_fail(err, PAL_ERR_UNSUPPORTED,
                          "%s: HDF5 needs %zu bytes to describe the trace, and %zu were kept",
                          f->path, size, f->hdf5);
    }
    hdf5 = status == PAL_OK ? PAL_NEW(char, f->hdf5, err) : NULL;
    if (hdf5 != NULL) {
        memcpy(hdf5, described, size);
        status = write_end(f, hdf5, f->hdf5, text, text_size, err);
    } else if (status == PAL_OK) {
        status = PAL_ERR_MEMORY;
    }
    free(hdf5);
    free(described);
    free(text);
    return status;
}

pal_status pal_trace_file_close(pal_trace_file *f, bool whole, uint64_t dropped,
                                const char *live_edits, pal_err *err) {
    pal_status status = pal_trace_file_flush(f, err);
    if (status == PAL_OK && whole) {
        status = finish(f, dropped, live_edits, err);
    }
    free_file(f);
    return status;
}
