// Traces of the formats 2 to 4, in which HDF5 wrote the rows.
#ifndef PAL_HAPTICS_TRACE_OLD_H
#define PAL_HAPTICS_TRACE_OLD_H

#include "haptics/trace.h"

enum { PAL_TRACE_NEWEST_OLD = 4 };

// Takes what is there as it is; ends soon for any file.
pal_status pal_trace_read_old(const char *path, pal_trace_data *data, pal_err *err);

#endif
