// Types of HDF5 in traces; a hid_t is an int64_t.
#ifndef PAL_HAPTICS_TRACE_HDF5_H
#define PAL_HAPTICS_TRACE_HDF5_H

#include <stddef.h>
#include <stdint.h>

int64_t pal_trace_row_type(size_t bytes); // of a tick record, in rows of so many bytes
int64_t pal_trace_text_type(size_t size); // UTF-8

#endif
