#include "sim/model/model_block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/hash.h"

static bool starts_with(const char *file, size_t size, const char *text, size_t length) {
    return size >= length && memcmp(file, text, length) == 0;
}

// The block of a file whose content is known: text, padded by spaces to a last newline.
static void print_block(char *block, const pal_archive_kind *kind, size_t content,
                        const char *hash) {
    char text[PAL_MODEL_BLOCK];
    int length =
        snprintf(text, sizeof text,
                 "%s\nversion %d\nbytes %zu\nxxh3-128 %s\n\n"
                 "After these %d bytes comes HDF5: h5dump, Python, MATLAB and Julia read\n"
                 "this file as it is. Do not edit it: the hash above is that of the rest.\n",
                 kind->title, kind->version, content, hash, (int)PAL_MODEL_BLOCK);
    memset(block, ' ', PAL_MODEL_BLOCK);
    memcpy(block, text, (size_t)length);
    block[PAL_MODEL_BLOCK - 1] = '\n';
}

static void hash_content(const char *file, size_t size, char text[PAL_HASH_TEXT]) {
    pal_hash hash;
    pal_hash_init(&hash);
    pal_hash_update(&hash, file + PAL_MODEL_BLOCK, size - PAL_MODEL_BLOCK);
    pal_hash_text(&hash, text);
}

void pal_model_block_fill(char *file, size_t size, const pal_archive_kind *kind) {
    char hash[PAL_HASH_TEXT];
    hash_content(file, size, hash);
    print_block(file, kind, size - PAL_MODEL_BLOCK, hash);
}

// How a file of that kind begins, up to its version.
static int print_start(const pal_archive_kind *kind, char start[64]) {
    return snprintf(start, 64, "%s\nversion ", kind->title);
}

bool pal_model_block_is(const char *file, size_t size, const pal_archive_kind *kind) {
    char start[64];
    int length = print_start(kind, start);
    return starts_with(file, size, start, (size_t)length);
}

// Why a file that does not begin as ours is none of ours.
static pal_status fail_stranger(const char *name, const char *file, size_t size,
                                const pal_archive_kind *kind, pal_err *err) {
    static const char hdf5[] = "\x89HDF\r\n\x1a\n";
    bool other_hdf5 = starts_with(file, size, hdf5, sizeof hdf5 - 1);
    return pal_fail(err, PAL_ERR_INPUT, "%s is %snot a %s; make one by `palpate bake`", name,
                    size == 0    ? "empty, "
                    : other_hdf5 ? "an HDF5 file but "
                                 : "",
                    kind->title);
}

static pal_status fail_cut(const char *name, size_t have, size_t want, pal_err *err) {
    return pal_fail(err, PAL_ERR_INPUT,
                    "%s is cut short: %zu of its %zu bytes are there; bake the scene again", name,
                    have, want);
}

static pal_status fail_garbled(const char *name, const char *part, pal_err *err) {
    return pal_fail(err, PAL_ERR_INPUT, "%s is garbled: its %s; bake the scene again", name, part);
}

// The checks from the outside in: title, version, length, hash.
pal_status pal_model_block_check(const char *name, const char *file, size_t size,
                                 const pal_archive_kind *kind, pal_err *err) {
    char start[64];
    int start_length = print_start(kind, start);
    if (!pal_model_block_is(file, size, kind)) {
        return fail_stranger(name, file, size, kind, err);
    }
    if (size < PAL_MODEL_BLOCK) {
        return fail_cut(name, size, PAL_MODEL_BLOCK, err);
    }
    char block[PAL_MODEL_BLOCK + 1], hash[PAL_HASH_TEXT];
    memcpy(block, file, PAL_MODEL_BLOCK);
    block[PAL_MODEL_BLOCK] = '\0';
    char *end = NULL;
    long version = strtol(block + start_length, &end, 10);
    if (*end != '\n' || version < 1) {
        return fail_garbled(name, "first lines cannot be read", err);
    }
    if (version != kind->version) {
        return pal_fail(err, PAL_ERR_VERSION,
                        "%s is a %s of version %ld, this program reads version %d; "
                        "bake the scene again",
                        name, kind->title, version, kind->version);
    }
    unsigned long long content = 0;
    if (sscanf(end, "\nbytes %llu\nxxh3-128 %32[0-9a-f]", &content, hash) != 2) {
        return fail_garbled(name, "first lines cannot be read", err);
    }
    if (size - PAL_MODEL_BLOCK < content) {
        return fail_cut(name, size, (size_t)content + PAL_MODEL_BLOCK, err);
    }
    if (size - PAL_MODEL_BLOCK > content) {
        return fail_garbled(name, "end is followed by other bytes", err);
    }
    char expected[PAL_MODEL_BLOCK], actual[PAL_HASH_TEXT];
    hash_content(file, size, actual);
    if (strcmp(actual, hash) != 0) {
        return fail_garbled(name, "content does not match its hash", err);
    }
    print_block(expected, kind, (size_t)content, hash);
    if (memcmp(expected, file, PAL_MODEL_BLOCK) != 0) {
        return fail_garbled(name, "first lines have been changed", err);
    }
    return PAL_OK;
}
