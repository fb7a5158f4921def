// The HDF5 file of a trace while it is being written. For trace.c and trace_save.c; one thread at a
// time, as HDF5 wants it.
#ifndef PAL_HAPTICS_TRACE_FILE_H
#define PAL_HAPTICS_TRACE_FILE_H

#include "haptics/trace.h"

typedef struct pal_trace_file pal_trace_file;

// Makes `path` (the temporary name), writes what is known beforehand, and goes over to the mode in
// which every flush leaves a readable file (HDF5's single writer, many readers).
pal_status pal_trace_file_open(pal_trace_file **file, const char *path, const pal_trace_info *info,
                               pal_err *err);
pal_status pal_trace_file_append(pal_trace_file *file, const pal_tick_record *record, size_t count,
                                 pal_err *err);
pal_status pal_trace_file_flush(pal_trace_file *file, pal_err *err);

// Closes, adds what is known at the end (when hash is not NULL), frees.
pal_status pal_trace_file_close(pal_trace_file *file, const char *hash, uint64_t dropped,
                                const char *live_edits, pal_err *err);

#endif
