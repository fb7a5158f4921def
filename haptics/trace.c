// The thread that empties the log ring into the files.
#include "haptics/trace.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "haptics/trace_csv.h"
#include "haptics/trace_file.h"
#include "sim/base/clock.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"

enum { BATCH = 1024 };
static const double flush_seconds = 0.25, nap_seconds = 0.004;

struct pal_trace {
    pal_ring *log;
    char *path, *csv_path; // NULL: none
    pal_trace_file *file;
    pal_trace_csv *csv;
    char *live_edits; // NULL: none
    pthread_t thread;
    atomic_bool ending, ended, failed;
    struct { // owned by the thread until it has ended
        pal_hash hash;
        uint64_t rows;
        pal_status status;
        pal_err err;
        pal_tick_record batch[BATCH];
    } own;
};

static void nap(double seconds) {
    struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

// ---- the hash

_Static_assert(offsetof(pal_tick_record, compute_us) == offsetof(pal_tick_record, commands) + 4 &&
                   offsetof(pal_tick_record, fault) == sizeof(pal_tick_record) - 8,
               "times, friction and faults stand last in a record, after all that is hashed");

void pal_trace_hash_record(pal_hash *hash, const pal_tick_record *record) {
    pal_tick_record kept = *record;
    kept.outcome &= ~(pal_outcome)PAL_OUT_LOG_FULL;
    pal_hash_update(hash, &kept, offsetof(pal_tick_record, compute_us));
}

// ---- the thread

static pal_status write_batch(pal_trace *t, size_t count) {
    const pal_tick_record *batch = t->own.batch;
    for (size_t i = 0; i < count; i++) {
        pal_trace_hash_record(&t->own.hash, &batch[i]);
    }
    t->own.rows += count;
    pal_status status = PAL_OK;
    if (t->file != NULL) {
        status = pal_trace_file_append(t->file, batch, count, &t->own.err);
    }
    return status == PAL_OK && t->csv != NULL
               ? pal_trace_csv_append(t->csv, batch, count, &t->own.err)
               : status;
}

// After a failure the ring is still emptied and hashed, so that the run goes on undisturbed.
static void *work(void *context) {
    pal_trace *t = context;
    double flushed = pal_seconds();
    for (;;) {
        bool ending = atomic_load(&t->ending); // read before the ring: what came before is in it
        size_t count = 0;
        while (count < BATCH && pal_ring_get(t->log, &t->own.batch[count])) {
            count++;
        }
        if (t->own.status != PAL_OK) {
            t->own.rows += count;
        } else if (count > 0) {
            t->own.status = write_batch(t, count);
        }
        if (t->own.status == PAL_OK && pal_seconds() - flushed > flush_seconds) {
            t->own.status = t->file != NULL ? pal_trace_file_flush(t->file, &t->own.err) : PAL_OK;
            flushed = pal_seconds();
        }
        atomic_store(&t->failed, t->own.status != PAL_OK);
        if (count == 0 && ending) {
            break;
        }
        if (count < BATCH / 4) {
            nap(nap_seconds);
        }
    }
    atomic_store(&t->ended, true);
    return NULL;
}

// ---- opening and closing

static char *temporary_name(const char *path, pal_err *err) {
    size_t size = strlen(path) + sizeof ".part";
    char *name = PAL_NEW(char, size, err);
    if (name != NULL) {
        snprintf(name, size, "%s.part", path);
    }
    return name;
}

static pal_status rename_part(const char *path, pal_err *err) {
    char *part = temporary_name(path, err);
    if (part == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = rename(part, path) == 0
                            ? PAL_OK
                            : pal_fail(err, PAL_ERR_IO, "%s: cannot rename it to %s: %s", part,
                                       path, strerror(errno));
    free(part);
    return status;
}

static pal_status open_hdf5(pal_trace *t, const char *path, const pal_trace_info *info,
                            pal_err *err) {
    if (path == NULL) {
        return PAL_OK;
    }
    t->path = pal_copy_text(path, err);
    char *part = t->path != NULL ? temporary_name(path, err) : NULL;
    pal_status status =
        part == NULL ? PAL_ERR_MEMORY : pal_trace_file_open(&t->file, part, info, err);
    free(part);
    return status;
}

static pal_status open_csv(pal_trace *t, const char *path, pal_err *err) {
    if (path == NULL) {
        return PAL_OK;
    }
    t->csv_path = pal_copy_text(path, err);
    return t->csv_path == NULL ? PAL_ERR_MEMORY : pal_trace_csv_open(&t->csv, path, err);
}

static void free_trace(pal_trace *t) {
    if (t->file != NULL) {
        pal_trace_file_close(t->file, false, 0, NULL, NULL);
    }
    pal_trace_csv_close(t->csv, false, NULL);
    free(t->path);
    free(t->csv_path);
    free(t->live_edits);
    free(t);
}

pal_status pal_trace_open(pal_trace **trace, pal_ring *log, const pal_trace_info *info,
                          const char *hdf5_path, const char *csv_path, pal_err *err) {
    pal_trace *t = *trace = PAL_NEW(pal_trace, 1, err);
    if (t == NULL) {
        return PAL_ERR_MEMORY;
    }
    t->log = log;
    pal_hash_init(&t->own.hash);
    pal_status status = open_hdf5(t, hdf5_path, info, err);
    if (status == PAL_OK) {
        status = open_csv(t, csv_path, err);
    }
    if (status == PAL_OK && pthread_create(&t->thread, NULL, work, t) != 0) {
        status = pal_fail(err, PAL_ERR_MEMORY, "cannot start the thread that writes the trace");
    }
    if (status != PAL_OK) {
        free_trace(t);
        *trace = NULL;
    }
    return status;
}

pal_status pal_trace_set_live_edits(pal_trace *t, const char *edits, pal_err *err) {
    free(t->live_edits);
    t->live_edits = pal_copy_text(edits, err);
    return t->live_edits != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

bool pal_trace_failed(const pal_trace *trace) {
    return atomic_load(&trace->failed);
}

void pal_trace_wait(const pal_trace *trace) {
    while (2 * pal_ring_fill(trace->log) > trace->log->capacity) {
        nap(1e-4);
    }
}

static _Atomic(pal_trace *) abandoned; // the last one whose thread hangs: kept, not lost

// False when the thread has taken nothing out of the ring for `patience` seconds, nor ended.
static bool wait_for_end(pal_trace *t, double patience) {
    atomic_store(&t->ending, true);
    double since = pal_seconds();
    uint64_t fill = pal_ring_fill(t->log);
    while (!atomic_load(&t->ended)) {
        nap(1e-3);
        uint64_t now = pal_ring_fill(t->log);
        since = now != fill ? pal_seconds() : since;
        fill = now;
        if (pal_seconds() - since > patience) {
            return false;
        }
    }
    return true;
}

// The thread is left behind in a write. It still uses its memory, which is therefore kept.
static void abandon(pal_trace *t) {
    pthread_detach(t->thread);
    atomic_store(&abandoned, t);
}

static pal_status finish_files(pal_trace *t, uint64_t dropped, pal_err *err) {
    pal_status status = PAL_OK;
    if (t->file != NULL) {
        status = pal_trace_file_close(t->file, true, dropped, t->live_edits, err);
        t->file = NULL;
        status = status == PAL_OK ? rename_part(t->path, err) : status;
    }
    if (status == PAL_OK) {
        status = pal_trace_csv_close(t->csv, true, err);
        t->csv = NULL;
    }
    return status;
}

pal_status pal_trace_close(pal_trace *t, uint64_t rows, double patience, pal_trace_summary *summary,
                           pal_err *err) {
    *summary = (pal_trace_summary){0};
    if (!wait_for_end(t, patience)) {
        abandon(t);
        return pal_fail(err, PAL_ERR_IO,
                        "the disk has taken nothing of the trace for %.0f s; what it took is in "
                        "%s.part",
                        patience, t->path != NULL ? t->path : t->csv_path);
    }
    pthread_join(t->thread, NULL);
    summary->rows = t->own.rows;
    pal_hash_text(&t->own.hash, summary->hash);
    pal_status status = t->own.status;
    if (status == PAL_OK) {
        status = finish_files(t, rows - summary->rows, err);
    } else {
        pal_fail(err, status, "%s", t->own.err.text);
    }
    if (status != PAL_OK && t->path != NULL && err != NULL) {
        pal_err why = *err;
        pal_fail(err, status, "%.800s; the ticks before that can be read in %.200s.part", why.text,
                 t->path);
    }
    free_trace(t);
    return status;
}
