#include "tests/support/strip_scene.h"

#include <string.h>

#include "sim/base/file.h"
#include "tests/support/check.h"

void strip_scene_write(const char *path, const char *text) {
    pal_err err = {0};
    CHECK_OK(pal_file_write_atomic(path, text, strlen(text), &err), err);
}
