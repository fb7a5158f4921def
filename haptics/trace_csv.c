#include "haptics/trace_csv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"

struct pal_trace_csv {
    char *path, *part; // the same for a device
    bool direct;       // no regular file: no temporary name
    int fd;
    FILE *rows; // into `text`
    char *text;
    size_t size;
    off_t whole; // bytes in the file, of whole rows
};

// ---- rows

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

// ---- the file

// What came of a row that did not fit is taken away.
static void drop_half_row(pal_trace_csv *csv) {
    const off_t end = csv->direct ? -1 : lseek(csv->fd, 0, SEEK_CUR);
    off_t fits = end > csv->whole ? end - csv->whole : 0;
    while (fits > 0 && csv->text[fits - 1] != '\n') {
        fits--;
    }
    if (end >= 0 && ftruncate(csv->fd, csv->whole + fits) == 0) {
        csv->whole += fits;
    }
}

// Writes the rows that have been printed.
static pal_status put_rows(pal_trace_csv *csv, pal_err *err) {
    if (fflush(csv->rows) != 0 || ferror(csv->rows) != 0) {
        return pal_fail(err, PAL_ERR_MEMORY, "%s: out of memory for its rows", csv->path);
    }
    const off_t size = ftello(csv->rows);
    const int code = pal_file_put(csv->fd, csv->text, (size_t)size);
    if (code != 0) {
        drop_half_row(csv);
        return pal_file_fail(err, csv->path, "write", code);
    }
    csv->whole += size;
    rewind(csv->rows);
    return PAL_OK;
}

static pal_status begin(pal_trace_csv *csv, const char *path, pal_err *err) {
    const size_t room = strlen(path) + sizeof ".part";
    struct stat at;
    csv->direct = stat(path, &at) == 0 && !S_ISREG(at.st_mode);
    csv->path = pal_copy_text(path, err);
    csv->part = csv->path != NULL ? PAL_NEW(char, room, err) : NULL;
    if (csv->part == NULL) {
        return PAL_ERR_MEMORY;
    }
    snprintf(csv->part, room, "%s%s", path, csv->direct ? "" : ".part");
    csv->rows = open_memstream(&csv->text, &csv->size);
    if (csv->rows == NULL) {
        return pal_fail(err, PAL_ERR_MEMORY, "%s: out of memory for its rows", path);
    }
    csv->fd = open(csv->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (csv->fd < 0) {
        return pal_file_fail(err, path, "write", errno);
    }
    print_head(csv->rows); // goes with the first rows
    return PAL_OK;
}

pal_status pal_trace_csv_open(pal_trace_csv **csv, const char *path, pal_err *err) {
    pal_trace_csv *c = *csv = PAL_NEW(pal_trace_csv, 1, err);
    if (c == NULL) {
        return PAL_ERR_MEMORY;
    }
    c->fd = -1;
    const pal_status status = begin(c, path, err);
    if (status != PAL_OK) {
        pal_trace_csv_close(c, false, NULL);
        *csv = NULL;
    }
    return status;
}

pal_status pal_trace_csv_append(pal_trace_csv *csv, const pal_tick_record *record, size_t count,
                                pal_err *err) {
    for (size_t i = 0; i < count; i++) {
        print_row(csv->rows, &record[i]);
    }
    return count > 0 ? put_rows(csv, err) : PAL_OK;
}

pal_status pal_trace_csv_close(pal_trace_csv *csv, bool keep, pal_err *err) {
    if (csv == NULL) {
        return PAL_OK;
    }
    pal_status status = keep ? put_rows(csv, err) : PAL_OK;
    if (csv->fd >= 0 && close(csv->fd) != 0 && keep && status == PAL_OK) {
        status = pal_file_fail(err, csv->path, "write", errno);
    }
    if (status == PAL_OK && keep && !csv->direct && rename(csv->part, csv->path) != 0) {
        status = pal_fail(err, PAL_ERR_IO, "%s: cannot rename it to %s: %s", csv->part, csv->path,
                          strerror(errno));
    }
    if (csv->rows != NULL) {
        fclose(csv->rows);
    }
    free(csv->text);
    free(csv->part);
    free(csv->path);
    free(csv);
    return status;
}
