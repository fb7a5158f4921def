// The user block: 512 bytes of text in front of a model's HDF5 bytes, so that a file that is cut
// short, garbled or of another version is known before HDF5 sees it.
#ifndef PAL_MODEL_MODEL_BLOCK_H
#define PAL_MODEL_MODEL_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/status.h"

enum { PAL_MODEL_BLOCK = 512 };

typedef struct pal_archive_kind { // what a file holds
    const char *title;            // "palpate model": its first line
    int version;                  // of the format
    const char *about;            // one line
} pal_archive_kind;

// Fills the first PAL_MODEL_BLOCK bytes of a file of `size` bytes in memory from the rest of it.
void pal_model_block_fill(char *file, size_t size, const pal_archive_kind *kind);

// Whether a file begins as one of that kind, whatever its version.
bool pal_model_block_is(const char *file, size_t size, const pal_archive_kind *kind);

// Whether a file of `size` bytes is whole, of that kind and version; `name` is for the message.
pal_status pal_model_block_check(const char *name, const char *file, size_t size,
                                 const pal_archive_kind *kind, pal_err *err);

#endif
