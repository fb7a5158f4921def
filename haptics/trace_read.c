// Reading a trace: row after row as long as the seals are right.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "haptics/tick_fields.h"
#include "haptics/trace_layout.h"
#include "haptics/trace_old.h"
#include "sim/base/memory.h"

static const char hdf5_signature[] = "\x89HDF\r\n\x1a\n";

typedef struct reader {
    const char *path;
    int fd;
    uint64_t size; // of the file
    bool lenient;
    pal_trace_head head;
    pal_hash all, run;
    pal_trace_data *data;
    pal_err *err;
} reader;

// ---- bytes

// How many of them are there; what cannot be read counts as not there.
static size_t get(const reader *r, uint64_t at, void *bytes, size_t size) {
    size_t used = 0;
    while (used < size) {
        ssize_t got = pread(r->fd, (char *)bytes + used, size - used, (off_t)(at + used));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        used += (size_t)got;
    }
    return used;
}

// A part of the file on the heap.
static char *get_part(const reader *r, uint64_t at, size_t size) {
    char *bytes = PAL_NEW(char, size + 1, r->err);
    if (bytes != NULL && get(r, at, bytes, size) != size) {
        pal_fail(r->err, PAL_ERR_IO, "%s: cannot read the trace: %s", r->path, strerror(errno));
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

// ---- what is not as it was written

PAL_PRINTF(2, 3)
static pal_status damaged(reader *r, const char *format, ...) {
    va_list args;
    pal_trace_data *data = r->data;
    data->state = PAL_TRACE_DAMAGED;
    va_start(args, format);
    vsnprintf(data->note, sizeof data->note, format, args);
    va_end(args);
    return r->lenient ? PAL_OK
                      : pal_fail(r->err, PAL_ERR_INPUT,
                                 "%s: this trace is damaged: %s; --lenient reads it all the same",
                                 r->path, data->note);
}

static double seconds_of(const pal_trace_data *data, int64_t rows) {
    return (double)(rows / data->info.hand_count) * data->info.dt;
}

static pal_status cut(reader *r) {
    pal_trace_data *data = r->data;
    data->state = PAL_TRACE_CUT;
    data->hash[0] = '\0';
    snprintf(data->note, sizeof data->note,
             "the run was cut off; its first %lld ticks (%.3f s) are whole",
             (long long)(data->count / data->info.hand_count), seconds_of(data, data->count));
    return PAL_OK;
}

// ---- rows

static void take_row(const pal_trace_head *head, const unsigned char *row,
                     pal_tick_record *record) {
    static const size_t sizes[] = {8, 8, 4};
    for (int i = 0; i < head->column_count; i++) {
        const pal_tick_field *field = head->column[i].field;
        memcpy((char *)record + field->offset, row + head->column[i].offset,
               sizes[field->kind] * (size_t)field->count);
    }
}

// Whether the next row is as it was written.
static bool check_seal(reader *r, const unsigned char *row) {
    uint64_t seal;
    const size_t size = (size_t)r->head.row_bytes - sizeof seal;
    memcpy(&seal, row + size, sizeof seal);
    const pal_hash before = r->all;
    pal_hash_update(&r->all, row, size);
    if (pal_hash_number(&r->all) == seal) {
        return true;
    }
    r->all = before;
    return false;
}

// Takes at most `most` rows, *sealed of them with right seals; the others if that is wanted.
static pal_status take_rows(reader *r, uint64_t most, uint64_t *sealed) {
    enum { BATCH = 256 };
    pal_trace_data *data = r->data;
    const size_t bytes = (size_t)r->head.row_bytes;
    unsigned char *batch = PAL_NEW(unsigned char, BATCH *bytes, r->err);
    data->record = PAL_NEW(pal_tick_record, most, r->err);
    *sealed = 0;
    bool more = batch != NULL && data->record != NULL, whole = true;
    const pal_status status = more ? PAL_OK : PAL_ERR_MEMORY;
    for (uint64_t k = 0; more && k < most; k += BATCH) {
        const uint64_t count = most - k < BATCH ? most - k : BATCH;
        const size_t got = get(r, r->head.rows_at + k * bytes, batch, (size_t)count * bytes);
        for (uint64_t i = 0; more && i < count; i++) {
            pal_tick_record *record = &data->record[data->count];
            whole = whole && (i + 1) * bytes <= got && check_seal(r, batch + i * bytes);
            take_row(&r->head, batch + i * bytes, record);
            more = (whole || r->lenient) && (i + 1) * bytes <= got &&
                   record->hand < (uint32_t)data->info.hand_count;
            pal_trace_hash_record(&r->run, record);
            *sealed += whole && more;
            data->count += more;
        }
    }
    free(batch);
    return status;
}

// ---- the end

// What comes behind the last row that is as it was written, in a file without a tail.
static pal_status check_rest(reader *r, uint64_t sealed) {
    enum { LOOK = 4096 };
    char bytes[LOOK];
    const uint64_t at = r->head.rows_at + sealed * r->head.row_bytes;
    const uint64_t rest = r->size > at ? r->size - at : 0;
    const size_t start = strlen(PAL_TRACE_TAIL_START);
    bool never_written = true; // zeros: a machine that lost its power
    for (uint64_t k = at; k < r->size && never_written; k += LOOK) {
        const size_t got = get(r, k, bytes, LOOK);
        for (size_t i = 0; i < got && never_written; i++) {
            never_written = bytes[i] == 0;
        }
    }
    const bool tail =
        get(r, at, bytes, start) == start && memcmp(bytes, PAL_TRACE_TAIL_START, start) == 0;
    if (rest < r->head.row_bytes || tail || never_written) {
        r->data->count = (int64_t)sealed;
        return cut(r);
    }
    return damaged(r, "row %llu (at %.3f s) is not as it was written", (unsigned long long)sealed,
                   seconds_of(r->data, (int64_t)sealed));
}

// The whole file against its hash: nothing may have changed, in the rows or around them.
static pal_status check_whole(reader *r, const char *tail, size_t tail_size, uint64_t rows,
                              uint64_t sealed, const char *stored) {
    char hash[PAL_HASH_TEXT], run[PAL_HASH_TEXT];
    if (sealed != rows || r->head.rows_at + rows * r->head.row_bytes + tail_size != r->size) {
        return damaged(r, "row %llu (at %.3f s) is not as it was written",
                       (unsigned long long)sealed, seconds_of(r->data, (int64_t)sealed));
    }
    const size_t hdf5_size = (size_t)r->head.rows_at - r->head.size;
    char *hdf5 = get_part(r, r->head.size, hdf5_size);
    if (hdf5 == NULL) {
        return r->err != NULL && r->err->status == PAL_ERR_MEMORY ? PAL_ERR_MEMORY : PAL_ERR_IO;
    }
    pal_hash_update(&r->all, tail, tail_size - PAL_TRACE_TAIL_HASH);
    pal_hash_update(&r->all, hdf5, hdf5_size);
    free(hdf5);
    char end[PAL_TRACE_TAIL_HASH + 1];
    pal_trace_tail_close(&r->all, tail_size - PAL_TRACE_TAIL_HASH, end);
    pal_hash_text(&r->all, hash);
    pal_hash_text(&r->run, run);
    if (strcmp(hash, stored) != 0 ||
        memcmp(end, tail + tail_size - PAL_TRACE_TAIL_HASH, PAL_TRACE_TAIL_HASH) != 0) {
        return damaged(r, "its rows are as they were written, but what is said of them is not");
    }
    return strcmp(run, r->data->hash) == 0
               ? PAL_OK
               : damaged(r, "the trace hash is not that of its rows (%s)", run);
}

// The tail on the heap; NULL: there is none, or *status says why not.
static char *find_tail(reader *r, size_t *size, uint64_t *rows, char hash[PAL_HASH_TEXT],
                       pal_status *status) {
    char last[17];
    *status = PAL_OK;
    *size = r->size >= r->head.rows_at + sizeof last &&
                    get(r, r->size - sizeof last, last, sizeof last) == sizeof last
                ? pal_trace_tail_size(last)
                : 0;
    if (*size == 0 || *size > r->size - r->head.rows_at) {
        return NULL;
    }
    char *tail = get_part(r, r->size - *size, *size);
    if (tail == NULL) {
        *status = PAL_ERR_MEMORY;
    } else if (!pal_trace_tail_parse(tail, *size, r->data, rows, hash, r->err)) {
        free(tail);
        tail = NULL;
    }
    return tail;
}

static pal_status read_rows(reader *r) {
    char stored[PAL_HASH_TEXT] = "";
    size_t tail_size = 0;
    uint64_t rows = 0, sealed;
    pal_status status;
    char *tail = find_tail(r, &tail_size, &rows, stored, &status);
    if (status != PAL_OK) {
        return status;
    }
    const uint64_t end = r->size - (tail != NULL ? tail_size : 0);
    uint64_t most = end > r->head.rows_at ? (end - r->head.rows_at) / r->head.row_bytes : 0;
    most = most < PAL_TRACE_MOST_ROWS ? most : PAL_TRACE_MOST_ROWS;
    status = take_rows(r, most, &sealed);
    if (status == PAL_OK) {
        status = tail != NULL ? check_whole(r, tail, tail_size, rows, sealed, stored)
                              : check_rest(r, sealed);
    }
    free(tail);
    return status;
}

// ---- the file

static pal_status read_new(reader *r, size_t head_size) {
    if (r->size < head_size) {
        return pal_fail(r->err, PAL_ERR_INPUT,
                        "%s: the run was cut off before its first tick was written", r->path);
    }
    char *head = get_part(r, 0, head_size);
    if (head == NULL) {
        return PAL_ERR_IO;
    }
    pal_status status = pal_trace_head_parse(r->path, head, head_size, &r->head, r->data, r->err);
    pal_hash_update(&r->all, head, head_size);
    r->data->version = PAL_TRACE_VERSION;
    free(head);
    return status == PAL_OK ? read_rows(r) : status;
}

// Formats before 5 have a hash of some columns, and rows that may never have been written.
static pal_status check_old(reader *r) {
    pal_trace_data *data = r->data;
    char run[PAL_HASH_TEXT];
    for (int64_t k = 0; k < data->count; k++) {
        const pal_tick_record *record = &data->record[k];
        if (data->hash[0] == '\0' && record->tick == 0 && k >= data->info.hand_count) {
            data->count = k;
        } else {
            pal_trace_hash_record(&r->run, record);
        }
    }
    pal_hash_text(&r->run, run);
    return data->hash[0] == '\0'          ? cut(r)
           : strcmp(run, data->hash) == 0 ? PAL_OK
                                          : damaged(r, "the trace hash is not that of its rows");
}

static pal_status read_any(reader *r) {
    char start[64] = "";
    errno = 0;
    const size_t got = get(r, 0, start, sizeof start - 1);
    const int code = got == 0 ? errno : 0;
    const size_t head_size = pal_trace_head_size(start, got);
    if (head_size > 0) {
        return read_new(r, head_size);
    }
    if (got >= 8 && memcmp(start, hdf5_signature, 8) == 0) {
        pal_status status = pal_trace_read_old(r->path, r->data, r->err);
        return status == PAL_OK ? check_old(r) : status;
    }
    int version;
    if (sscanf(start, "palpate trace\nversion %d\n", &version) == 1 &&
        version != PAL_TRACE_VERSION) {
        return pal_fail(r->err, PAL_ERR_VERSION,
                        "%s: trace format %d; this program reads formats %d to %d", r->path,
                        version, PAL_TRACE_OLDEST, PAL_TRACE_VERSION);
    }
    return pal_fail(r->err, PAL_ERR_IO, "%s: cannot open the trace: %s", r->path,
                    code != 0  ? strerror(code)
                    : got == 0 ? "the file is empty"
                               : "it is no trace, as run --trace writes one");
}

pal_status pal_trace_read_as(const char *path, bool lenient, pal_trace_data *data, pal_err *err) {
    memset(data, 0, sizeof *data);
    pal_err unwanted;
    reader r = {.path = path, .lenient = lenient, .data = data, .err = err ? err : &unwanted};
    pal_hash_init(&r.all);
    pal_hash_init(&r.run);
    struct stat info;
    r.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe must not make us wait
    if (r.fd < 0 || fstat(r.fd, &info) != 0) {
        const int code = errno;
        if (r.fd >= 0) {
            close(r.fd);
        }
        return pal_fail(err, PAL_ERR_IO, "%s: cannot open the trace: %s", path, strerror(code));
    }
    r.size = (uint64_t)info.st_size;
    pal_status status = read_any(&r);
    close(r.fd);
    if (status != PAL_OK) {
        pal_trace_data_free(data);
    }
    return status;
}

pal_status pal_trace_read(const char *path, pal_trace_data *data, pal_err *err) {
    return pal_trace_read_as(path, false, data, err);
}

void pal_trace_data_free(pal_trace_data *data) {
    free(data->record);
    free(data->scene_path);
    free(data->scene_text);
    free(data->edits);
    free(data->live_edits);
    memset(data, 0, sizeof *data);
}

bool pal_trace_is_path(const char *path) { // a model begins otherwise
    char start[64] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    reader r = {.fd = fd};
    const size_t got = fd >= 0 ? get(&r, 0, start, sizeof start - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    return got >= 8 && (memcmp(start, hdf5_signature, 8) == 0 ||
                        strncmp(start, "palpate trace\n", strlen("palpate trace\n")) == 0);
}
