// The thread that empties the log ring into the files.
#include "haptics/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "haptics/trace_file.h"
#include "sim/base/clock.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"

enum { BATCH = 1024 };
static const double flush_seconds = 0.25, nap_seconds = 0.004;

struct pal_trace {
    pal_ring *log;
    char *path, *csv_path; // NULL: none
    bool csv_direct;       // no regular file: no temporary name
    pal_trace_file *file;
    FILE *csv;
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

// ---- CSV

static void print_vector(FILE *out, const double v[3]) {
    fprintf(out, ",%.17g,%.17g,%.17g", v[0], v[1], v[2]);
}

static void print_head(FILE *out) {
    static const char *const vectors[] = {"position", "velocity", "spin",  "tool",  "force",
                                          "torque",   "wanted",   "point", "normal"};
    fputs("tick,time", out);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        fprintf(out, ",%s_x,%s_y,%s_z", vectors[i], vectors[i], vectors[i]);
    }
    fputs(",hand,turn_w,turn_x,turn_y,turn_z,buttons,present,sequence,depth,strain,kinetic,ledger,"
          "outcome,touching,missed,commands,"
          "compute_us,late_us,push_x,push_y,push_z,grip_x,grip_y,grip_z,slipped,fault\n",
          out);
}

static void print_row(FILE *out, const pal_tick_record *r) {
    fprintf(out, "%llu,%.17g", (unsigned long long)r->tick, r->time);
    const double *vectors[] = {r->position, r->velocity, r->spin,  r->tool,  r->force,
                               r->torque,   r->wanted,   r->point, r->normal};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        print_vector(out, vectors[i]);
    }
    fprintf(out, ",%u,%.17g", r->hand, r->turn[0]);
    print_vector(out, r->turn + 1);
    fprintf(out, ",%u,%u,%llu,%.17g,%.17g,%.17g,%.17g,%u,%u,%u,%u,%.3f,%.3f", r->buttons,
            r->present, (unsigned long long)r->sequence, r->depth, r->strain, r->kinetic, r->ledger,
            r->outcome, r->touching, r->missed, r->commands, r->compute_us, r->late_us);
    print_vector(out, r->push);
    print_vector(out, r->grip);
    fprintf(out, ",%.17g,%llu\n", r->slipped, (unsigned long long)r->fault);
}

static pal_status csv_status(const pal_trace *t, bool ok, pal_err *err) {
    return ok ? PAL_OK : pal_file_fail(err, t->csv_path, "write", errno);
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
    for (size_t i = 0; t->csv != NULL && i < count; i++) {
        print_row(t->csv, &batch[i]);
    }
    return status != PAL_OK || t->csv == NULL ? status
                                              : csv_status(t, !ferror(t->csv), &t->own.err);
}

static pal_status flush(pal_trace *t) {
    pal_status status = t->file != NULL ? pal_trace_file_flush(t->file, &t->own.err) : PAL_OK;
    return status != PAL_OK || t->csv == NULL ? status
                                              : csv_status(t, fflush(t->csv) == 0, &t->own.err);
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
            t->own.status = flush(t);
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
    struct stat at;
    t->csv_direct = stat(path, &at) == 0 && !S_ISREG(at.st_mode);
    t->csv_path = pal_copy_text(path, err);
    char *part = t->csv_path == NULL ? NULL
                 : t->csv_direct     ? pal_copy_text(path, err)
                                     : temporary_name(path, err);
    if (part == NULL) {
        return PAL_ERR_MEMORY;
    }
    t->csv = fopen(part, "w");
    pal_status status = csv_status(t, t->csv != NULL, err);
    free(part);
    if (status == PAL_OK) {
        print_head(t->csv);
    }
    return status;
}

static void free_trace(pal_trace *t) {
    if (t->file != NULL) {
        pal_trace_file_close(t->file, false, 0, NULL, NULL);
    }
    if (t->csv != NULL) {
        fclose(t->csv);
    }
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

// The thread is left behind in a write. It still uses its memory, which is therefore kept; and the
// end of the process, which flushes every stream, shall not wait for the same pipe.
static void abandon(pal_trace *t) {
    pthread_detach(t->thread);
    atomic_store(&abandoned, t);
    if (t->csv != NULL) {
        fcntl(fileno(t->csv), F_SETFL, O_NONBLOCK);
    }
}

static pal_status finish_files(pal_trace *t, uint64_t dropped, pal_err *err) {
    pal_status status = PAL_OK;
    if (t->file != NULL) {
        status = pal_trace_file_close(t->file, true, dropped, t->live_edits, err);
        t->file = NULL;
        status = status == PAL_OK ? rename_part(t->path, err) : status;
    }
    if (status == PAL_OK && t->csv != NULL) {
        FILE *csv = t->csv;
        t->csv = NULL;
        status = csv_status(t, fclose(csv) == 0, err);
        status = status == PAL_OK && !t->csv_direct ? rename_part(t->csv_path, err) : status;
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
