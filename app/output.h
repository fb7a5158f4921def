// Files that a command writes. They are looked at before the work, not after it, and are written
// whole or not at all.
#ifndef PAL_APP_OUTPUT_H
#define PAL_APP_OUTPUT_H

#include <stdio.h>

#include "sim/base/status.h"

// Whether `path` (NULL: nothing to write) has the right ending (NULL: any) and lies in a folder
// that can be written to. `option` is named in the message.
pal_status pal_output_check(const char *path, const char *ending, const char *option, pal_err *err);

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
