#include "haptics/feel/feel_trace.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/command.h"
#include "haptics/tick_fields.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static const char *const kinds[PAL_TRIAL_KINDS] = {"any",       "free",  "press", "hold",
                                                   "tap",       "slide", "edge",  "friction",
                                                   "two-tools", "grip",  "stall", "bend"};

const char *pal_trial_kind_name(pal_trial_kind kind) {
    return kinds[kind];
}

int pal_trial_kind_find(const char *name) {
    for (int kind = 0; kind < PAL_TRIAL_KINDS; kind++) {
        if (strcmp(kinds[kind], name) == 0) {
            return kind;
        }
    }
    return -1;
}

void pal_feel_truth_none(pal_feel_truth *truth) {
    *truth = (pal_feel_truth){.hertz = NAN,
                              .static_friction = NAN,
                              .sliding_friction = NAN,
                              .smooth_angle = NAN,
                              .smooth_jerk = NAN,
                              .stall_at = NAN,
                              .stall_seconds = NAN};
}

void pal_feel_truth_free(pal_feel_truth *truth) {
    free(truth->own);
    free(truth->full);
    free(truth->basis);
    pal_feel_truth_none(truth);
}

void pal_feel_trace_free(pal_feel_trace *trace) {
    free(trace->row);
    memset(trace, 0, sizeof *trace);
}

// ---- times

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

PAL_PRINTF(5, 6)
static pal_status fail_row(pal_err *err, const char *path, const long *line, int64_t row,
                           const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return line != NULL
               ? pal_fail_at(err, PAL_ERR_INPUT, path, line[row], "%s", text)
               : pal_fail(err, PAL_ERR_INPUT, "%s: row %lld: %s", path, (long long)row, text);
}

// The step from row to row that is the usual one; NAN: no memory.
static double usual_step(const pal_feel_trace *trace, pal_err *err) {
    double *step = PAL_NEW(double, trace->count, err), usual = NAN;
    if (step != NULL) {
        for (int64_t k = 1; k < trace->count; k++) {
            step[k - 1] = trace->row[k].time - trace->row[k - 1].time;
        }
        qsort(step, (size_t)trace->count - 1, sizeof *step, compare);
        usual = step[(trace->count - 1) / 2];
    }
    free(step);
    return usual;
}

pal_status pal_feel_trace_check_times(pal_feel_trace *trace, const char *path, const long *line,
                                      pal_err *err) {
    const double dt = 1e-3;
    const pal_tick_record *row = trace->row;
    if (trace->count < 2) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s: a trace of %lld ticks: empty; record a second or more", path,
                        (long long)trace->count);
    }
    for (int64_t k = 1; k < trace->count; k++) {
        if (!(row[k].time > row[k - 1].time)) {
            return fail_row(err, path, line, k,
                            "column time: %.9g s after %.9g s; times must grow: sort the rows and "
                            "remove repeated ones",
                            row[k].time, row[k - 1].time);
        }
    }
    const double step = usual_step(trace, err), seconds = row[trace->count - 1].time - row[0].time;
    const double mean = seconds / (double)(trace->count - 1);
    if (isnan(step)) {
        return PAL_ERR_MEMORY;
    }
    if (fabs(step / dt - 1.0) > 0.25) { // (a gap moves the mean, and jitter the usual step)
        return fail_row(
            err, path, line, 1,
            "column time: recorded at %.6g Hz; metrics are for 1 kHz: record at 1000 Hz",
            1.0 / step);
    }
    for (int64_t k = 1; k < trace->count; k++) {
        if (row[k].time - row[k - 1].time > 1.75 * dt) {
            return fail_row(err, path, line, k,
                            "column time: %.9g s after %.9g s: ticks are missing; record without "
                            "loss, or cut the trace here",
                            row[k].time, row[k - 1].time);
        }
    }
    if (fabs(mean / dt - 1.0) > 0.01) {
        return fail_row(err, path, line, 1,
                        "column time: recorded at %.6g Hz; metrics are for 1 kHz (+-1 %%): record "
                        "at 1000 Hz",
                        1.0 / mean);
    }
    trace->dt = fabs(mean / dt - 1.0) < 1e-4 ? dt : mean;
    return PAL_OK;
}

// The tick at which the run's end begins; that of the last row and one where it is not told.
static int64_t end_of_run(const pal_feel_trace *trace) {
    int64_t k = trace->count - 1;
    while (k >= 0 && !(trace->row[k].commands >> PAL_COMMAND_STOP & 1)) {
        k--;
    }
    return k >= 0 ? k : trace->count;
}

void pal_feel_trace_cut_end(pal_feel_trace *trace) {
    enum { LEAST = 2 }; // rows of a trace
    const int64_t end = end_of_run(trace);
    bool contact = trace->missing & PAL_FEEL_NO_TOUCH && end > 0 && end < trace->count &&
                   pal_norm3(trace->row[end - 1].force) > 0.0;
    for (int64_t k = end; k < trace->count; k++) {
        contact = contact || trace->row[k].touching > 0;
    }
    if (contact && end >= LEAST) {
        trace->cut = trace->count - end;
        trace->count = end;
    }
}

// ---- a trace of the program

static pal_status check_numbers(const pal_feel_trace *trace, pal_err *err) {
    const pal_tick_field *field;
    for (int i = 0; (field = pal_tick_field_at(i)) != NULL; i++) {
        for (int64_t k = 0; field->kind == PAL_FIELD_F64 && k < trace->count; k++) {
            const double *value =
                (const double *)(const void *)((const char *)&trace->row[k] + field->offset);
            for (int c = 0; c < field->count; c++) {
                char column[32];
                if (!isfinite(value[c])) {
                    pal_tick_field_column(field, c, column);
                    return fail_row(err, "trace", NULL, k,
                                    "column %s: %g is not a finite number; record it again", column,
                                    value[c]);
                }
            }
        }
    }
    return PAL_OK;
}

static pal_status take_rows(pal_feel_trace *trace, const pal_trace_data *data, uint32_t hand,
                            pal_err *err) {
    trace->row = PAL_NEW(pal_tick_record, data->count, err);
    if (trace->row == NULL) {
        return PAL_ERR_MEMORY;
    }
    bool rubs = false;
    for (int64_t k = 0; k < data->count; k++) {
        if (data->record[k].hand == hand) {
            trace->row[trace->count++] = data->record[k];
            rubs |= pal_norm3(data->record[k].push) != 0.0;
        }
    }
    trace->missing = rubs ? 0 : PAL_FEEL_NO_FRICTION; // of an older format, or nothing was touched
    pal_status status = check_numbers(trace, err);
    return status == PAL_OK ? pal_feel_trace_check_times(trace, "trace", NULL, err) : status;
}

pal_status pal_feel_trace_take(pal_feel_trace *trace, const pal_trace_data *data, int32_t hand,
                               pal_err *err) {
    *trace = (pal_feel_trace){.name = "trace"};
    if (hand < 0 || hand >= data->info.hand_count) {
        return pal_fail(err, PAL_ERR_USAGE, "there is no hand %d in the trace: it has %d (from 0)",
                        (int)hand, (int)data->info.hand_count);
    }
    trace->delay = data->info.delay;
    trace->limits = data->info.limits[hand];
    trace->virtual_time = data->info.virtual_time;
    pal_status status = take_rows(trace, data, (uint32_t)hand, err);
    if (status != PAL_OK) {
        pal_feel_trace_free(trace);
    } else {
        pal_feel_trace_cut_end(trace);
    }
    return status;
}
