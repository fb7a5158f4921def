// The file of a baked tree of domains: HDF5 as model_hdf5.h has it. Each class is a group
// /classes/K with the layout of a model file, and with its moments and ports in
// /classes/K/domain; the instances are arrays in /tree, and where they meet in /joints. One of
// these calls at a time.
#ifndef PAL_MODEL_TREE_HDF5_H
#define PAL_MODEL_TREE_HDF5_H

#include <stddef.h>

#include "sim/model/model_block.h"
#include "sim/model/tree_model.h"

enum { PAL_TREE_MODEL_VERSION = 3 };
const pal_archive_kind *pal_tree_model_kind(void); // what its user block says

// Writes to a temporary name beside path, then renames; on failure nothing is left. Sets
// model->hash from the content.
pal_status pal_tree_model_write(const char *path, pal_tree_model *model, pal_err *err);

// *model is empty on failure.
pal_status pal_tree_model_read(const char *path, pal_tree_model *model, pal_err *err);

// Whether a file begins as one of a tree; false also when it cannot be read.
bool pal_tree_model_is_file(const char *path);

// The same with a file in memory; `name` is for messages. *data is a heap array, NULL on failure.
pal_status pal_tree_model_image(const char *name, pal_tree_model *model, char **data, size_t *size,
                                pal_err *err);
pal_status pal_tree_model_parse(const char *name, const void *data, size_t size,
                                pal_tree_model *model, pal_err *err);

#endif
