// The user block: 512 bytes of text in front of a model's HDF5 bytes, so that a file that is cut
// short, garbled or of another version is known before HDF5 sees it.
#ifndef PAL_MODEL_MODEL_BLOCK_H
#define PAL_MODEL_MODEL_BLOCK_H

#include <stddef.h>

#include "sim/base/status.h"

enum { PAL_MODEL_BLOCK = 512 };

// Fills the first PAL_MODEL_BLOCK bytes of a file of `size` bytes in memory from the rest of it.
void pal_model_block_fill(char *file, size_t size);

// Whether a file of `size` bytes is a whole model of our version; `name` is for the message.
pal_status pal_model_block_check(const char *name, const char *file, size_t size, pal_err *err);

#endif
