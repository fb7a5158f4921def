// The cache as a place where what is computed is kept (sim/base/keep.h).
#include <stdlib.h>
#include <unistd.h>

#include "scenes/scene_file.h"
#include "sim/base/file.h"

static char *take(void *context, const char *key, const char *kind, size_t *size) {
    (void)context;
    char path[PAL_CACHE_PATH], *data = NULL;
    *size = 0;
    if (pal_cache_path(key, kind, path, NULL) == PAL_OK && access(path, F_OK) == 0) {
        pal_file_read(path, &data, size, NULL);
    }
    return data;
}

static void give(void *context, const char *key, const char *kind, const void *data, size_t size) {
    (void)context;
    char path[PAL_CACHE_PATH];
    if (pal_cache_path(key, kind, path, NULL) == PAL_OK) {
        pal_file_write_atomic(path, data, size, NULL);
    }
}

const pal_keep *pal_cache_keep(void) {
    static const pal_keep keep = {take, give, NULL};
    return &keep;
}
