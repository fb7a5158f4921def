#include "sim/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/memory.h"

pal_status pal_file_fail(pal_err *err, const char *path, const char *verb, int code) {
    const char *advice = code == ENOENT   ? "; check the name"
                         : code == EACCES ? "; check its permissions and those of its folder"
                         : code == ENOSPC ? "; the disk is full: free some space"
                         : code == EDQUOT ? "; your share of the disk is full: free some space"
                         : code == EFBIG  ? "; raise the limit on file sizes (ulimit -f)"
                                          : "";
    return pal_fail(err, PAL_ERR_IO, "%s: cannot %s: %s%s", path, verb, strerror(code), advice);
}

// The size of an open file that may be read whole.
static pal_status check_readable(int fd, const char *path, int64_t *size, pal_err *err) {
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return pal_file_fail(err, path, "read", errno);
    }
    if (S_ISDIR(info.st_mode)) {
        return pal_fail(err, PAL_ERR_IO, "%s: is a folder; name a file", path);
    }
    if (!S_ISREG(info.st_mode)) {
        return pal_fail(err, PAL_ERR_IO, "%s: is not a regular file", path);
    }
    if (info.st_size > PAL_FILE_MAX) {
        return pal_fail(err, PAL_ERR_IO, "%s: has %lld bytes; files over %lld are not read", path,
                        (long long)info.st_size, (long long)PAL_FILE_MAX);
    }
    *size = info.st_size;
    return PAL_OK;
}

static pal_status read_open(int fd, const char *path, char **data, size_t *size, pal_err *err) {
    int64_t expected = 0;
    pal_status status = check_readable(fd, path, &expected, err);
    if (status != PAL_OK) {
        return status;
    }
    char *bytes = PAL_NEW(char, expected + 1, err);
    if (bytes == NULL) {
        return PAL_ERR_MEMORY;
    }
    size_t used = 0;
    while (used < (size_t)expected) {
        ssize_t got = read(fd, bytes + used, (size_t)expected - used);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            free(bytes);
            return pal_file_fail(err, path, "read", errno);
        }
        if (got == 0) { // the file shrank meanwhile
            break;
        }
        used += (size_t)got;
    }
    bytes[used] = '\0';
    *data = bytes;
    *size = used;
    return PAL_OK;
}

static int open_to_read(const char *path) {
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe must not make us wait
}

pal_status pal_file_read(const char *path, char **data, size_t *size, pal_err *err) {
    *data = NULL;
    *size = 0;
    int fd = open_to_read(path);
    if (fd < 0) {
        return pal_file_fail(err, path, "open", errno);
    }
    pal_status status = read_open(fd, path, data, size, err);
    close(fd);
    return status;
}

static pal_status map_open(int fd, const char *path, pal_file_view *view, pal_err *err) {
    int64_t size = 0;
    pal_status status = check_readable(fd, path, &size, err);
    if (status != PAL_OK || size == 0) {
        view->data = status == PAL_OK ? "" : NULL;
        return status;
    }
    void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (bytes == MAP_FAILED) {
        return pal_file_fail(err, path, "read", errno);
    }
    *view = (pal_file_view){.data = bytes, .size = (size_t)size, .mapped = bytes};
    return PAL_OK;
}

pal_status pal_file_view_open(const char *path, pal_file_view *view, pal_err *err) {
    *view = (pal_file_view){0};
    int fd = open_to_read(path);
    if (fd < 0) {
        return pal_file_fail(err, path, "open", errno);
    }
    pal_status status = map_open(fd, path, view, err);
    close(fd);
    return status;
}

void pal_file_view_close(pal_file_view *view) {
    if (view->mapped != NULL) {
        munmap(view->mapped, view->size);
    }
    *view = (pal_file_view){0};
}

int pal_file_put(int fd, const void *bytes, size_t size) {
    for (const char *at = bytes; size > 0;) {
        ssize_t put = write(fd, at, size);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return errno;
        }
        at += put;
        size -= (size_t)put;
    }
    return 0;
}

static int write_all(int fd, const void *bytes, size_t size) {
    const int code = pal_file_put(fd, bytes, size);
    return code != 0 || fsync(fd) == 0 ? code : errno;
}

pal_status pal_file_write_atomic(const char *path, const void *data, size_t size, pal_err *err) {
    return pal_file_write_as(path, data, size, 0666, err);
}

pal_status pal_file_write_as(const char *path, const void *data, size_t size, unsigned mode,
                             pal_err *err) {
    static atomic_int serial;
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return pal_fail(err, PAL_ERR_IO, "%s: is there already and is not a regular file", path);
    }
    size_t room = strlen(path) + 64;
    char *temporary = PAL_NEW(char, room, err);
    if (temporary == NULL) {
        return PAL_ERR_MEMORY;
    }
    snprintf(temporary, room, "%s.part-%ld-%d", path, (long)getpid(), atomic_fetch_add(&serial, 1));
    int code = 0;
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)mode);
    if (fd < 0) {
        code = errno;
    } else {
        code = write_all(fd, data, size);
        if (close(fd) != 0 && code == 0) {
            code = errno;
        }
        if (code == 0 && rename(temporary, path) != 0) {
            code = errno;
        }
        if (code != 0) {
            unlink(temporary);
        }
    }
    free(temporary);
    return code == 0 ? PAL_OK : pal_file_fail(err, path, "write", code);
}

// ---- folders

static pal_status make_folder(const char *path, pal_err *err) {
    struct stat info;
    if (mkdir(path, 0777) == 0) {
        return PAL_OK;
    }
    if (errno != EEXIST) {
        return pal_file_fail(err, path, "make the folder", errno);
    }
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode)
               ? PAL_OK
               : pal_fail(err, PAL_ERR_IO, "%s: is there already and is no folder", path);
}

pal_status pal_file_make_folders(const char *path, pal_err *err) {
    const size_t size = strlen(path) + 1;
    char *part = PAL_NEW(char, size, err);
    pal_status status = part != NULL ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        memcpy(part, path, size);
    }
    for (size_t i = 1; status == PAL_OK && i < size; i++) {
        if (path[i] == '/' || path[i] == '\0') {
            part[i] = '\0';
            status = make_folder(part, err);
            part[i] = path[i];
        }
    }
    free(part);
    return status;
}
