#include "app/text_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

pal_status pal_text_file_open(pal_text_file *file, const char *path, pal_err *err) {
    memset(file, 0, sizeof *file);
    if (strlen(path) >= sizeof file->path) {
        return pal_fail(err, PAL_ERR_IO, "the file name is too long: %s", path);
    }
    snprintf(file->path, sizeof file->path, "%s", path);
    snprintf(file->temporary, sizeof file->temporary, "%s.%ld.tmp", path, (long)getpid());
    file->stream = fopen(file->temporary, "w");
    if (file->stream == NULL) {
        return pal_fail(err, PAL_ERR_IO, "%s: cannot write here: %s", path, strerror(errno));
    }
    return PAL_OK;
}

void pal_text_file_drop(pal_text_file *file) {
    if (file->stream != NULL) {
        fclose(file->stream);
        remove(file->temporary);
        file->stream = NULL;
    }
}

pal_status pal_text_file_close(pal_text_file *file, pal_err *err) {
    int bad = ferror(file->stream);
    bad = fclose(file->stream) != 0 || bad;
    file->stream = NULL;
    if (bad || rename(file->temporary, file->path) != 0) {
        int cause = errno;
        remove(file->temporary);
        return pal_fail(err, PAL_ERR_IO, "%s: cannot write: %s", file->path, strerror(cause));
    }
    return PAL_OK;
}
