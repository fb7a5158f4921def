// Files and folders that nobody else can change: what the program takes from them without asking
// must be its own user's. Set-up only, any thread.
#ifndef PAL_BASE_PRIVATE_H
#define PAL_BASE_PRIVATE_H

#include <stddef.h>

#include "sim/base/status.h"

// Whether the file or folder belongs to this user (or to root) and neither its group nor others may
// write to it; the error says what to do.
pal_status pal_private_check(const char *path, pal_err *err);

// Makes the folder `path`, for this user alone (0700), with those above it as usual; one that is
// there must pass pal_private_check.
pal_status pal_private_folder(const char *path, pal_err *err);

// pal_file_write_atomic, to be read and written by this user alone (0600).
pal_status pal_private_write(const char *path, const void *data, size_t size, pal_err *err);

#endif
