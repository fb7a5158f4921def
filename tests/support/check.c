#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

double check_relative_difference(const double *a, const double *b, size_t count) {
    double difference = 0.0, size = 0.0;
    for (size_t i = 0; i < count; i++) {
        difference = fmax(difference, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
        if (isnan(a[i]) || isnan(b[i])) {
            return INFINITY;
        }
    }
    return size > 0.0 ? difference / size : difference;
}

const char *check_data(const char *name) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", PAL_TEST_DATA, name);
    return path;
}

const char *check_shared(const char *name) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", PAL_SHARED_DATA, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

static char scratch_folder[64];

static void remove_scratch(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder);
    if (system(command) != 0) {
        fprintf(stderr, "cannot remove %s\n", scratch_folder);
    }
}

const char *check_scratch(const char *name) {
    static char path[1024];
    if (scratch_folder[0] == '\0') {
        snprintf(scratch_folder, sizeof scratch_folder, "/tmp/palpate-test-XXXXXX");
        if (mkdtemp(scratch_folder) == NULL) {
            scratch_folder[0] = '\0';
            return NULL;
        }
        atexit(remove_scratch);
    }
    snprintf(path, sizeof path, "%s/%s", scratch_folder, name);
    return path;
}

void check_use_cache(void) {
    const char *shared = getenv("PALPATE_TEST_CACHE");
    setenv("PALPATE_CACHE", shared != NULL && shared[0] != '\0' ? shared : check_scratch("cache"),
           1);
}
