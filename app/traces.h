// Traces that a person names: what is not whole in them is told.
#ifndef PAL_APP_TRACES_H
#define PAL_APP_TRACES_H

#include <stdbool.h>

#include "app/options.h"
#include "haptics/trace.h"

// For the tables of commands that read traces.
#define PAL_OPTION_LENIENT                                                                         \
    { .name = "--lenient", .help = "read a damaged trace as it is, with a warning" }

// Of the whole program: damaged traces are read as they are (--lenient).
void pal_traces_be_lenient(void);

// As pal_trace_read, and says on standard error, once for each file, that a run was cut off or that
// its trace is damaged.
pal_status pal_traces_read(const char *path, pal_trace_data *data, pal_err *err);

// "whole", "cut off", "damaged".
const char *pal_traces_state(const pal_trace_data *data);

#endif
