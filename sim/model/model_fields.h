// What a model holds, field by field: one list from which its file is written and read, its content
// checked and its hash taken.
#ifndef PAL_MODEL_MODEL_FIELDS_H
#define PAL_MODEL_MODEL_FIELDS_H

#include <stddef.h>

#include "sim/model/model.h"

typedef enum pal_field_type {
    PAL_FIELD_GROUP,  // no data: opens a folder of fields
    PAL_FIELD_F64,    // double
    PAL_FIELD_F32,    // float
    PAL_FIELD_I32,    // int32_t
    PAL_FIELD_BYTE,   // uint8_t or bool
    PAL_FIELD_TEXT,   // data is a char array with room for `limit` characters
    PAL_FIELD_STRING, // data is a char **, text on the heap
} pal_field_type;

enum { PAL_FIELD_OPTIONAL = -1 };

typedef struct pal_field {
    const char *group; // "/mesh"
    const char *name;  // "x"; NULL for a group
    pal_field_type type;
    void *data;
    int rank;          // 0: one value
    int64_t shape[3];  // [rank]
    int64_t limit;     // integers and bytes are 0 <= value < limit; of numbers PAL_FIELD_OPTIONAL:
                       // a file may be without them, and they stay as they are
    const char *units; // "1" for a pure number, NULL for text
    const char *about; // one line
} pal_field;

// Called once per field, in an order that never changes; a status other than PAL_OK ends the walk.
typedef pal_status pal_field_visit(void *context, const pal_field *field, pal_err *err);

// The sizes: what must be known before memory can be made. Then the content of a model that has its
// memory.
pal_status pal_model_visit_sizes(pal_model *model, pal_field_visit *visit, void *context,
                                 pal_err *err);
pal_status pal_model_visit_content(pal_model *model, pal_field_visit *visit, void *context,
                                   pal_err *err);

// Whether a model may be one of a rigid body, without a basis: r = 0.
typedef enum pal_model_softness { PAL_MODEL_RIGID_TOO, PAL_MODEL_SOFT } pal_model_softness;

// Whether the sizes make sense (`owner`, the file's name, opens the message); and the bytes that
// the arrays of a model of these sizes take.
pal_status pal_model_check_sizes(const pal_model *model, const char *owner,
                                 pal_model_softness softness, pal_err *err);
double pal_model_bytes(const pal_model *model);

// Sizes, materials, and every field: numbers finite, integers within their limits. After it no
// index in the model is out of range.
pal_status pal_model_check(pal_model *model, const char *owner, pal_model_softness softness,
                           pal_err *err);

// The same for one field; and adds one to a hash.
pal_status pal_field_check(const pal_field *field, const char *owner, pal_err *err);
void pal_field_hash(const pal_field *field, pal_hash *hash);

// Memory for a model whose sizes have been read.
pal_status pal_model_make_room(pal_model *model, pal_err *err);

// The content hash: over names, shapes and values of all fields; nothing of time, path or machine.
void pal_model_hash(pal_model *model, char text[PAL_HASH_TEXT]);

#endif
