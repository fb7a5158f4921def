// Whole files in and out of memory. Set-up only, any thread.
#ifndef PAL_BASE_FILE_H
#define PAL_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/status.h"

// Larger files are refused.
#define PAL_FILE_MAX ((int64_t)1 << 32)

// Reads the regular file `path` whole. *data is a heap array (free() it) of *size bytes with a NUL
// after them. On failure (missing, a folder, no permission, larger than PAL_FILE_MAX) *data is NULL
// and *size is 0. An empty file is no failure.
pal_status pal_file_read(const char *path, char **data, size_t *size, pal_err *err);

// The same bytes for a short while, mapped where they are in the system's cache, not copied: for
// large files that are parsed and let go of at once. Our own writers replace files whole; who cuts
// a mapped file short in place ends the program (SIGBUS), so nothing that a run needs stays mapped.
typedef struct pal_file_view {
    const char *data; // [size], never NULL while it is open
    size_t size;
    void *mapped; // NULL: an empty file
} pal_file_view;

// Failures are those of pal_file_read; *view is empty then.
pal_status pal_file_view_open(const char *path, pal_file_view *view, pal_err *err);
void pal_file_view_close(pal_file_view *view);

// Writes the file `path` so that it is there whole or not at all: to a temporary name in the same
// folder, synchronised, then renamed. On failure nothing is left behind and an older file of that
// name is untouched.
pal_status pal_file_write_atomic(const char *path, const void *data, size_t size, pal_err *err);

// The same with these permissions (0666 above), of which the user's umask takes some.
pal_status pal_file_write_as(const char *path, const void *data, size_t size, unsigned mode,
                             pal_err *err);

// "PATH: cannot VERB: why; what to do" for an errno; a full disk is called that.
pal_status pal_file_fail(pal_err *err, const char *path, const char *verb, int code);

// Writes all of it where the open file stands; 0, or the errno of what failed.
int pal_file_put(int fd, const void *bytes, size_t size);

// Makes the folder `path` and those above it; one that is there is no failure.
pal_status pal_file_make_folders(const char *path, pal_err *err);

#endif
