// A trace from a table of numbers, recorded by this program or by any other.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/feel/feel_trace.h"
#include "haptics/tick_fields.h"
#include "sim/base/file.h"
#include "sim/base/lines.h"
#include "sim/base/memory.h"

enum { MOST_COLUMNS = 256 };

typedef struct column {
    const pal_tick_field *field; // NULL: passed over
    int component;
    char name[32];
} column;

typedef struct reader {
    pal_feel_trace *trace;
    char separator;
    int count; // of columns
    column column[MOST_COLUMNS];
    int64_t room;
    long *line; // [room] of each row
} reader;

// Columns that a trace of another program may have, and our names.
static const char *const others[][2] = {
    {"time_s", "time"},  {"x_m", "position_x"}, {"y_m", "position_y"}, {"z_m", "position_z"},
    {"fx_n", "force_x"}, {"fy_n", "force_y"},   {"fz_n", "force_z"}};
enum { NEEDED = sizeof others / sizeof *others };

// ---- the head line

// Cuts the next cell off the line; NULL at its end.
static char *next_cell(char **rest, char separator) {
    char *cell = *rest;
    if (cell == NULL) {
        return NULL;
    }
    char *end = strchr(cell, separator);
    *rest = end != NULL ? end + 1 : NULL;
    if (end != NULL) {
        *end = '\0';
    }
    cell = pal_line_trim(cell);
    const size_t length = strlen(cell);
    if (length >= 2 && cell[0] == '"' && cell[length - 1] == '"') {
        cell[length - 1] = '\0';
        cell = pal_line_trim(cell + 1);
    }
    return cell;
}

static const char *our_name(const char *name) {
    for (int i = 0; i < NEEDED; i++) {
        if (strcmp(others[i][0], name) == 0) {
            return others[i][1];
        }
    }
    return name;
}

static column find_column(const char *name) {
    const pal_tick_field *field;
    column found = {.field = NULL};
    snprintf(found.name, sizeof found.name, "%s", our_name(name));
    for (int i = 0; (field = pal_tick_field_at(i)) != NULL; i++) {
        for (int c = 0; c < field->count; c++) {
            char known[32];
            pal_tick_field_column(field, c, known);
            if (strcmp(known, found.name) == 0) {
                found.field = field;
                found.component = c;
            }
        }
    }
    return found;
}

static bool has(const reader *r, const char *name) {
    for (int i = 0; i < r->count; i++) {
        if (r->column[i].field != NULL && strcmp(r->column[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static pal_status check_head(const reader *r, const char *path, long number, pal_err *err) {
    for (int i = 0; i < NEEDED; i++) {
        if (!has(r, others[i][1])) {
            return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                               "column %s (or %s) is missing; the first line names the columns, "
                               "which must be at least time, position_x, position_y, position_z, "
                               "force_x, force_y, force_z (s, m, N)",
                               others[i][1], others[i][0]);
        }
    }
    return PAL_OK;
}

static pal_status take_head(reader *r, const char *path, long number, char *line, pal_err *err) {
    static const char mark[] = "\xef\xbb\xbf"; // that some programs put before UTF-8
    line += strncmp(line, mark, 3) == 0 ? 3 : 0;
    r->separator = strchr(line, ',') != NULL ? ',' : strchr(line, ';') != NULL ? ';' : '\t';
    char *rest = line, *cell;
    while ((cell = next_cell(&rest, r->separator)) != NULL) {
        if (r->count == MOST_COLUMNS) {
            return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                               "more than %d columns; keep those that are needed", MOST_COLUMNS);
        }
        const column found = find_column(cell);
        if (found.field != NULL && has(r, found.name)) {
            return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                               "column %s is there twice; remove one", found.name);
        }
        r->column[r->count++] = found;
    }
    return check_head(r, path, number, err);
}

// ---- rows

static pal_status make_room(reader *r, pal_err *err) {
    pal_feel_trace *trace = r->trace;
    if (trace->count < r->room) {
        return PAL_OK;
    }
    const int64_t room = 2 * r->room + 1024;
    pal_tick_record *row = PAL_NEW(pal_tick_record, room, err);
    long *line = PAL_NEW(long, room, err);
    if (row == NULL || line == NULL) {
        free(row);
        free(line);
        return PAL_ERR_MEMORY;
    }
    if (trace->count > 0) {
        memcpy(row, trace->row, (size_t)trace->count * sizeof *row);
        memcpy(line, r->line, (size_t)trace->count * sizeof *line);
    }
    free(trace->row);
    free(r->line);
    trace->row = row;
    r->line = line;
    r->room = room;
    return PAL_OK;
}

// Whole numbers up to 2^53 have their place in a double; of 32 bits is what has 32 bits.
static bool store(const column *to, double value, pal_tick_record *row) {
    char *at = (char *)row + to->field->offset;
    const double most = to->field->kind == PAL_FIELD_U32 ? 4294967295.0 : 9007199254740992.0;
    if (to->field->kind == PAL_FIELD_F64) {
        memcpy(at + (size_t)to->component * sizeof value, &value, sizeof value);
        return true;
    }
    if (!(value >= 0.0 && value <= most && floor(value) == value)) {
        return false;
    }
    const uint64_t whole = (uint64_t)value;
    const uint32_t half = (uint32_t)whole;
    memcpy(at, to->field->kind == PAL_FIELD_U64 ? (const void *)&whole : (const void *)&half,
           to->field->kind == PAL_FIELD_U64 ? sizeof whole : sizeof half);
    return true;
}

static pal_status take_cell(const column *to, const char *cell, const char *path, long number,
                            pal_tick_record *row, pal_err *err) {
    char *end;
    const double value = strtod(cell, &end);
    if (to->field == NULL) {
        return PAL_OK;
    }
    if (end == cell || *end != '\0' || !isfinite(value)) {
        return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                           "column %s: '%.40s' is not a finite number; fix or cut this row",
                           to->name, cell);
    }
    if (!store(to, value, row)) {
        return pal_fail_at(err, PAL_ERR_INPUT, path, number,
                           "column %s: '%.40s' is not a count (0, 1, 2, ...)", to->name, cell);
    }
    return PAL_OK;
}

static pal_status take_row(reader *r, const char *path, long number, char *line, pal_err *err) {
    pal_status status = make_room(r, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_feel_trace *trace = r->trace;
    pal_tick_record *row = &trace->row[trace->count];
    *row = (pal_tick_record){.tick = (uint64_t)trace->count,
                             .turn = {1.0},
                             .present = 1,
                             .sequence = (uint64_t)trace->count + 1};
    char *rest = line, *cell;
    int i = 0;
    while (status == PAL_OK && (cell = next_cell(&rest, r->separator)) != NULL) {
        status = i < r->count ? take_cell(&r->column[i], cell, path, number, row, err) : PAL_OK;
        i++;
    }
    if (status == PAL_OK && i < r->count) {
        status = pal_fail_at(err, PAL_ERR_INPUT, path, number,
                             "the row is cut off before column %s (%d of %d columns); remove it or "
                             "record again",
                             r->column[i].name, i, r->count);
    } else if (status == PAL_OK && i > r->count) {
        status = pal_fail_at(
            err, PAL_ERR_INPUT, path, number,
            "%d cells in a table of %d columns; does the first line name them all?", i, r->count);
    }
    r->line[trace->count] = number;
    trace->count += status == PAL_OK && row->hand == 0;
    return status;
}

static pal_status take_line(void *context, const char *path, long number, char *line,
                            pal_err *err) {
    reader *r = context;
    return r->count == 0 ? take_head(r, path, number, line, err)
                         : take_row(r, path, number, line, err);
}

// ---- the whole

static uint32_t missing_of(const reader *r) {
    static const struct {
        uint32_t bit;
        const char *name;
    } needs[] = {{PAL_FEEL_NO_TOUCH, "touching"},   {PAL_FEEL_NO_NORMAL, "normal_x"},
                 {PAL_FEEL_NO_NORMAL, "normal_y"},  {PAL_FEEL_NO_NORMAL, "normal_z"},
                 {PAL_FEEL_NO_DEPTH, "depth"},      {PAL_FEEL_NO_TOOL, "tool_x"},
                 {PAL_FEEL_NO_TOOL, "tool_y"},      {PAL_FEEL_NO_TOOL, "tool_z"},
                 {PAL_FEEL_NO_TOOL, "point_x"},     {PAL_FEEL_NO_TOOL, "point_y"},
                 {PAL_FEEL_NO_TOOL, "point_z"},     {PAL_FEEL_NO_FRICTION, "push_x"},
                 {PAL_FEEL_NO_FRICTION, "push_y"},  {PAL_FEEL_NO_FRICTION, "push_z"},
                 {PAL_FEEL_NO_FRICTION, "grip_x"},  {PAL_FEEL_NO_FRICTION, "grip_y"},
                 {PAL_FEEL_NO_FRICTION, "grip_z"},  {PAL_FEEL_NO_FRICTION, "slipped"},
                 {PAL_FEEL_NO_TIMES, "compute_us"}, {PAL_FEEL_NO_MISSES, "missed"}};
    uint32_t missing = 0;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        missing |= has(r, needs[i].name) ? 0 : needs[i].bit;
    }
    return missing;
}

pal_status pal_feel_trace_parse_csv(pal_feel_trace *trace, const char *path, char *text,
                                    size_t size, pal_err *err) {
    *trace = (pal_feel_trace){.name = "trace"};
    reader r = {.trace = trace};
    pal_status status = pal_lines_parse(path, text, size, take_line, &r, err);
    if (status == PAL_OK && trace->count == 0) {
        status =
            pal_fail_at(err, PAL_ERR_INPUT, path, 0,
                        "%s; a trace has a line with the names of its columns and then a row "
                        "a millisecond",
                        r.count == 0 ? "the file is empty" : "there is no row after the names");
    }
    status = status == PAL_OK ? pal_feel_trace_check_times(trace, path, r.line, err) : status;
    trace->missing = missing_of(&r);
    free(r.line);
    if (status != PAL_OK) {
        pal_feel_trace_free(trace);
    } else {
        pal_feel_trace_cut_end(trace);
    }
    return status;
}

pal_status pal_feel_trace_read_csv(pal_feel_trace *trace, const char *path, pal_err *err) {
    char *text;
    size_t size;
    *trace = (pal_feel_trace){.name = "trace"};
    pal_status status = pal_file_read(path, &text, &size, err);
    if (status == PAL_OK) {
        status = pal_feel_trace_parse_csv(trace, path, text, size, err);
    }
    free(text);
    return status;
}
