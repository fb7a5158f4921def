// The model file: HDF5, self-describing, behind a 512-byte user block of text that names the format
// version, the byte count and the XXH3-128 hash of what follows; so a file that is cut short or
// garbled is refused before HDF5 sees it. h5dump, Python, MATLAB and Julia read it as it is. HDF5
// is not thread safe: one of these calls at a time.
#ifndef PAL_MODEL_MODEL_HDF5_H
#define PAL_MODEL_MODEL_HDF5_H

#include <stddef.h>

#include "sim/model/model.h"
#include "sim/model/model_block.h"

enum { PAL_MODEL_VERSION = 2 };

// Writes to a temporary name beside path, then renames; on failure nothing is left. Sets
// model->hash from the content (it does not depend on time, path or machine).
pal_status pal_model_write(const char *path, pal_model *model, pal_err *err);

// One pass. *model is empty on failure.
pal_status pal_model_read(const char *path, pal_model *model, pal_err *err);
bool pal_model_is_path(const char *path); // ends in .h5

const pal_archive_kind *pal_model_kind(void); // what its user block says

// The same with a file in memory; `name` is for messages. *data is a heap array, NULL on failure.
pal_status pal_model_image(const char *name, pal_model *model, char **data, size_t *size,
                           pal_err *err);
pal_status pal_model_parse(const char *name, const void *data, size_t size, pal_model *model,
                           pal_err *err);

#endif
