// A trace as text: a row for each record, numbers that give the same bits when they are read. Only
// whole rows are in the file at any time, also of one that is cut off by a full disk.
#ifndef PAL_HAPTICS_TRACE_CSV_H
#define PAL_HAPTICS_TRACE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "haptics/tick_record.h"
#include "sim/base/status.h"

typedef struct pal_trace_csv pal_trace_csv;

// Begins PATH.part, or the file itself where that is a pipe, a terminal or another device.
pal_status pal_trace_csv_open(pal_trace_csv **csv, const char *path, pal_err *err);
pal_status pal_trace_csv_append(pal_trace_csv *csv, const pal_tick_record *record, size_t count,
                                pal_err *err);

// Ends it; `keep`: and gives it its name. NULL is allowed.
pal_status pal_trace_csv_close(pal_trace_csv *csv, bool keep, pal_err *err);

#endif
