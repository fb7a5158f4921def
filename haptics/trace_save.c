// A trace in memory, written whole.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "haptics/trace_file.h"
#include "sim/base/memory.h"

static pal_status write_part(const pal_trace_data *data, const char *part, pal_err *err) {
    pal_trace_file *file;
    pal_status status = pal_trace_file_open(&file, part, &data->info, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_trace_file_append(file, data->record, (size_t)data->count, err);
    const pal_status closed = pal_trace_file_close(file, status == PAL_OK, data->dropped,
                                                   data->live_edits, status == PAL_OK ? err : NULL);
    return status == PAL_OK ? closed : status;
}

pal_status pal_trace_save(const pal_trace_data *data, const char *path, pal_err *err) {
    const size_t size = strlen(path) + sizeof ".part";
    char *part = PAL_NEW(char, size, err);
    if (part == NULL) {
        return PAL_ERR_MEMORY;
    }
    snprintf(part, size, "%s.part", path);
    pal_status status = write_part(data, part, err);
    if (status == PAL_OK && rename(part, path) != 0) {
        status = pal_fail(err, PAL_ERR_IO, "%s: cannot rename it to %s: %s", part, path,
                          strerror(errno));
    }
    if (status != PAL_OK) {
        unlink(part);
    }
    free(part);
    return status;
}
