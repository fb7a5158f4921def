// What HDF5 knows of a trace: its superblock, attributes, texts and the place of the rows, made in
// memory when the run ends. The rows themselves are in the file already (trace_layout.h); so HDF5
// writes to no disk and never meets a full one.
#ifndef PAL_HAPTICS_TRACE_DESCRIBE_H
#define PAL_HAPTICS_TRACE_DESCRIBE_H

#include "haptics/trace_layout.h"

typedef struct pal_trace_parts { // bytes from the beginning of the file
    size_t head;                 // where HDF5 begins
    uint64_t rows_at, edits_at, size;
} pal_trace_parts;

// The bytes that stand at parts->head, on the heap. `path` is for messages. Needs as much memory
// for a long trace as for a short one.
pal_status pal_trace_describe(const char *path, const pal_trace_info *info,
                              const pal_trace_tail *tail, const pal_trace_parts *parts,
                              char **bytes, size_t *size, pal_err *err);

#endif
