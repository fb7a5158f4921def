// Files that a command writes. They are looked at before the work, not after it, and are written
// whole or not at all.
#ifndef PAL_APP_OUTPUT_H
#define PAL_APP_OUTPUT_H

#include <stdio.h>

#include "app/options.h"
#include "sim/base/status.h"

// Whether the file that the option `name` asks for (if it was given) has the right ending (NULL:
// any) and lies in a folder that can be written to.
pal_status pal_output_check(const pal_args *args, const char *name, const char *ending,
                            pal_err *err);

// The same for what is written as it comes: a pipe, a terminal or another device will do, too.
pal_status pal_output_check_stream(const pal_args *args, const char *name, pal_err *err);

// Says where the file of that option is, when it was asked for.
void pal_output_print_written(const pal_args *args, const char *name);

// A text gathered in memory.
typedef struct pal_output {
    FILE *stream; // print here
    char *data;
    size_t size;
} pal_output;

pal_status pal_output_open(pal_output *output, pal_err *err);

// Writes what was gathered to path, atomically, and frees it, also on failure.
pal_status pal_output_close(pal_output *output, const char *path, pal_err *err);

#endif
