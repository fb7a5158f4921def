// HDF5 files in memory from lists of fields (model_fields.h), behind a user block (model_block.h).
// HDF5 is not thread safe: one of these calls at a time.
#ifndef PAL_MODEL_ARCHIVE_H
#define PAL_MODEL_ARCHIVE_H

#include "sim/model/model_block.h"
#include "sim/model/model_fields.h"

typedef struct pal_archive pal_archive; // a file that is being read

// Calls `visit` for all fields of an object.
typedef pal_status pal_archive_walk(void *object, pal_field_visit *visit, void *context,
                                    pal_err *err);
// Fills an object from a file.
typedef pal_status pal_archive_parse(void *object, pal_archive *archive, pal_err *err);

// What a file says of its content: the hash of the fields, and the key of the scene that it was
// baked from (scenes/scene.h), NULL or "": none.
typedef struct pal_archive_marks {
    const char *hash, *key;
} pal_archive_marks;

// The file of all fields as a heap array, NULL on failure. `bytes`: about how large. `name` is for
// messages, here and below.
pal_status pal_archive_image(const char *name, const pal_archive_kind *kind, double bytes,
                             const pal_archive_marks *marks, pal_archive_walk *walk, void *object,
                             char **data, size_t *size, pal_err *err);

// Opens a file of that kind, which must be whole, for the call of `parse`.
pal_status pal_archive_open(const char *name, const pal_archive_kind *kind, const void *data,
                            size_t size, pal_archive_parse *parse, void *object, pal_err *err);

// For `parse`: a pal_field_visit that reads a field (the context is the archive); whether the hash
// that the writer took is that of what has been read; whether arrays of so many bytes can be in it.
pal_status pal_archive_take(void *archive, const pal_field *field, pal_err *err);
pal_status pal_archive_check_hash(const pal_archive *archive, const char *actual, pal_err *err);
void pal_archive_take_key(const pal_archive *archive, char key[PAL_HASH_TEXT]); // "": none
pal_status pal_archive_check_room(const pal_archive *archive, double bytes, pal_err *err);
const char *pal_archive_name(const pal_archive *archive);

#endif
