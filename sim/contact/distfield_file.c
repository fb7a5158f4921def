// The file of a distance field: a line of text, the numbers of the grid, the samples; the hash of
// all that follows it stands behind the line.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/hash.h"
#include "sim/base/memory.h"
#include "sim/base/private.h"
#include "sim/contact/distfield_build.h"

enum { TITLE = 64 }; // bytes, padded by NUL

typedef struct head {
    char title[TITLE]; // "palpate field VERSION HASH\n"
    char key[40];      // of what it was made from, padded by NUL
    double origin[3], cell;
    int32_t count[3], reserved;
} head;

static void print_title(const char *file, size_t size, char title[TITLE]) {
    char text[PAL_HASH_TEXT];
    pal_hash hash;
    pal_hash_init(&hash);
    pal_hash_update(&hash, file + TITLE, size - TITLE);
    pal_hash_text(&hash, text);
    memset(title, 0, TITLE);
    snprintf(title, TITLE, "palpate field %d %s\n", (int)PAL_DISTFIELD_VERSION, text);
}

pal_status pal_distfield_write(const char *path, const char *key, const pal_distfield *field,
                               pal_err *err) {
    const int32_t *n = field->count;
    const size_t samples = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    const size_t size = sizeof(head) + samples * sizeof(float);
    char *file = PAL_NEW(char, size, err);
    if (file == NULL) {
        return PAL_ERR_MEMORY;
    }
    head h = {.cell = field->cell};
    memcpy(h.origin, field->origin, sizeof h.origin);
    memcpy(h.count, n, sizeof h.count);
    snprintf(h.key, sizeof h.key, "%s", key);
    memcpy(file, &h, sizeof h);
    memcpy(file + sizeof h, field->distance, samples * sizeof(float));
    print_title(file, size, h.title);
    memcpy(file, h.title, TITLE);
    pal_status status = pal_private_write(path, file, size, err);
    free(file);
    return status;
}

// Copies what the file holds, once title, hash and sizes agree.
static pal_status parse(const char *file, size_t size, const char *key, pal_distfield *field,
                        pal_err *err) {
    static const char start[] = "palpate field ";
    char title[TITLE];
    head h;
    if (size < sizeof h || memcmp(file, start, sizeof start - 1) != 0) {
        return pal_fail(err, PAL_ERR_INPUT, "not a palpate distance field; make it anew");
    }
    memcpy(&h, file, sizeof h);
    print_title(file, size, title);
    if (memcmp(h.title, title, TITLE) != 0) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "a distance field that is garbled, cut short or of another version; make "
                        "it anew");
    }
    if (strncmp(h.key, key, sizeof h.key) != 0) {
        return pal_fail(err, PAL_ERR_INPUT, "a distance field of another tool; make it anew");
    }
    double samples = 1.0;
    bool sound = isfinite(h.cell) && h.cell > 0.0;
    for (int c = 0; c < 3; c++) {
        sound = sound && h.count[c] >= 4 && isfinite(h.origin[c]);
        samples *= h.count[c];
    }
    if (!sound || samples * sizeof(float) != (double)(size - sizeof h)) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "a distance field whose sizes do not fit together; make it anew");
    }
    float *distance = PAL_NEW(float, (size_t)samples, err);
    if (distance == NULL) {
        return PAL_ERR_MEMORY;
    }
    memcpy(distance, file + sizeof h, size - sizeof h);
    *field = (pal_distfield){.cell = h.cell, .distance = distance};
    memcpy(field->origin, h.origin, sizeof h.origin);
    memcpy(field->count, h.count, sizeof h.count);
    return PAL_OK;
}

pal_status pal_distfield_read(const char *path, const char *key, pal_distfield *field,
                              pal_err *err) {
    memset(field, 0, sizeof *field);
    char *file;
    size_t size;
    pal_status status = pal_file_read(path, &file, &size, err);
    if (status == PAL_OK) {
        status = pal_fail_in(err, parse(file, size, key, field, err), path);
    }
    free(file);
    return status;
}
