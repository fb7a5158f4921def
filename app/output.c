#include "app/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"

static bool ends_in(const char *path, const char *ending) {
    size_t length = strlen(path), size = strlen(ending);
    return length > size && strcmp(path + length - size, ending) == 0;
}

pal_status pal_output_check(const pal_args *args, const char *name, const char *ending,
                            pal_err *err) {
    const char *path = pal_args_text(args, name);
    if (path == NULL) {
        return PAL_OK;
    }
    if (ending != NULL && !ends_in(path, ending)) {
        return pal_fail(err, PAL_ERR_USAGE, "%s '%s': the name must end in %s", name, path, ending);
    }
    char *folder = pal_copy_text(path, err);
    if (folder == NULL) {
        return PAL_ERR_MEMORY;
    }
    char *slash = strrchr(folder, '/');
    strcpy(slash != NULL ? slash + 1 : folder, slash != NULL ? "" : ".");
    pal_status status = PAL_OK;
    struct stat info;
    if (access(folder, W_OK | X_OK) != 0) {
        status = pal_fail(
            err, PAL_ERR_IO, "%s '%s': cannot write there: %s; %s", name, path, strerror(errno),
            errno == ENOENT ? "make the folder first" : "choose a folder that you may write in");
    } else if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        status = pal_fail(
            err, PAL_ERR_IO,
            "%s '%s': is there already and is not a regular file; choose another name", name, path);
    }
    free(folder);
    return status;
}

pal_status pal_output_check_stream(const pal_args *args, const char *name, pal_err *err) {
    const char *path = pal_args_text(args, name);
    struct stat info;
    bool stream =
        path != NULL && stat(path, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode));
    return stream ? PAL_OK : pal_output_check(args, name, NULL, err);
}

void pal_output_print_written(const pal_args *args, const char *name) {
    const char *path = pal_args_text(args, name);
    if (path != NULL) {
        printf("\n%s: written to %s\n", name + 2, path);
    }
}

pal_status pal_output_open(pal_output *output, pal_err *err) {
    memset(output, 0, sizeof *output);
    output->stream = open_memstream(&output->data, &output->size);
    if (output->stream == NULL) {
        return pal_fail(err, PAL_ERR_MEMORY, "out of memory for a file to write");
    }
    return PAL_OK;
}

pal_status pal_output_close(pal_output *output, const char *path, pal_err *err) {
    bool bad = ferror(output->stream) != 0;
    bad = fclose(output->stream) != 0 || bad;
    pal_status status = bad ? pal_fail(err, PAL_ERR_MEMORY, "%s: out of memory for this file", path)
                            : pal_file_write_atomic(path, output->data, output->size, err);
    free(output->data);
    memset(output, 0, sizeof *output);
    return status;
}
