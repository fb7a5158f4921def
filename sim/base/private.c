#include "sim/base/private.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"

pal_status pal_private_check(const char *path, pal_err *err) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return pal_file_fail(err, path, "look at it", errno);
    }
    if (info.st_uid != geteuid() && info.st_uid != 0) {
        return pal_fail(err, PAL_ERR_IO,
                        "%s: belongs to another user (number %lu), who may change it; use a %s of "
                        "your own",
                        path, (unsigned long)info.st_uid,
                        S_ISDIR(info.st_mode) ? "folder" : "file");
    }
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return pal_fail(
            err, PAL_ERR_IO,
            "%s: others may write to it (mode %03o); take that from them: chmod go-w %s", path,
            (unsigned)(info.st_mode & 0777), path);
    }
    return PAL_OK;
}

static pal_status make_above(const char *path, pal_err *err) {
    char *above = pal_copy_text(path, err);
    if (above == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (size_t end = strlen(above); end > 1 && above[end - 1] == '/'; end--) {
        above[end - 1] = '\0';
    }
    char *slash = strrchr(above, '/');
    pal_status status = PAL_OK;
    if (slash != NULL && slash != above) {
        *slash = '\0';
        status = pal_file_make_folders(above, err);
    }
    free(above);
    return status;
}

pal_status pal_private_folder(const char *path, pal_err *err) {
    struct stat info;
    const bool there = stat(path, &info) == 0;
    const pal_status status = there ? PAL_OK : make_above(path, err);
    if (status != PAL_OK) {
        return status;
    }
    if (there && !S_ISDIR(info.st_mode)) {
        return pal_fail(err, PAL_ERR_IO, "%s: is there already and is no folder", path);
    }
    if (!there && mkdir(path, 0700) != 0 && errno != EEXIST) { // another run may be as fast
        return pal_file_fail(err, path, "make the folder", errno);
    }
    return pal_private_check(path, err);
}

pal_status pal_private_write(const char *path, const void *data, size_t size, pal_err *err) {
    return pal_file_write_as(path, data, size, 0600, err);
}
