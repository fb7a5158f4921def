// The file of a trace while it is being written (trace_layout.h). For trace.c and trace_save.c; one
// thread at a time.
#ifndef PAL_HAPTICS_TRACE_FILE_H
#define PAL_HAPTICS_TRACE_FILE_H

#include "haptics/trace.h"

typedef struct pal_trace_file pal_trace_file;

// Makes `path` (the temporary name) and writes what is known beforehand. Calls HDF5.
pal_status pal_trace_file_open(pal_trace_file **file, const char *path, const pal_trace_info *info,
                               pal_err *err);

// Rows are on their way to the disk after a flush; whatever becomes of the process, those that are
// there are the first ones. After a failure no more may be appended.
pal_status pal_trace_file_append(pal_trace_file *file, const pal_tick_record *record, size_t count,
                                 pal_err *err);
pal_status pal_trace_file_flush(pal_trace_file *file, pal_err *err);
uint64_t pal_trace_file_rows(const pal_trace_file *file); // that were flushed

// Adds what is known at the end when the run is `whole` (which calls HDF5), and frees. On failure
// the rows can still be read.
pal_status pal_trace_file_close(pal_trace_file *file, bool whole, uint64_t dropped,
                                const char *live_edits, pal_err *err);

#endif
