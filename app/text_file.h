// Text files written atomically: to a temporary name beside the target, then renamed. After a
// failure nothing is left and an older file of that name is untouched.
#ifndef PAL_APP_TEXT_FILE_H
#define PAL_APP_TEXT_FILE_H

#include <stdio.h>

#include "sim/base/status.h"

typedef struct pal_text_file {
    FILE *stream; // print here
    char path[1024];
    char temporary[1056];
} pal_text_file;

pal_status pal_text_file_open(pal_text_file *file, const char *path, pal_err *err);

// Closes and renames. After a failure, or after pal_text_file_drop, nothing is left.
pal_status pal_text_file_close(pal_text_file *file, pal_err *err);
void pal_text_file_drop(pal_text_file *file);

#endif
