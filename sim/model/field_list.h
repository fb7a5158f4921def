// How lists of fields are written down. For the .c files that hold such lists.
#ifndef PAL_MODEL_FIELD_LIST_H
#define PAL_MODEL_FIELD_LIST_H

#include "sim/model/model_fields.h"

typedef struct pal_visitor {
    pal_field_visit *visit;
    void *context;
    pal_err *err;
} pal_visitor;

static inline pal_status pal_visit_all(const pal_visitor *v, const pal_field *field, size_t count) {
    for (size_t i = 0; i < count; i++) {
        pal_status status = v->visit(v->context, &field[i], v->err);
        if (status != PAL_OK) {
            return status;
        }
    }
    return PAL_OK;
}

#define PAL_VISIT(v, ...)                                                                          \
    pal_visit_all(v, (const pal_field[]){__VA_ARGS__},                                             \
                  sizeof((const pal_field[]){__VA_ARGS__}) / sizeof(pal_field))

// One line of the list each. A group comes before its fields.
#define GROUP(group, about)                                                                        \
    { group, NULL, PAL_FIELD_GROUP, NULL, 0, {0}, 0, NULL, about }
#define NUMBER(group, name, data, units, about)                                                    \
    { group, name, PAL_FIELD_F64, data, 0, {0}, 0, units, about }
#define COUNT(group, name, data, about)                                                            \
    { group, name, PAL_FIELD_I32, data, 0, {0}, INT32_MAX, "1", about }
#define FLAG(group, name, data, about)                                                             \
    { group, name, PAL_FIELD_BYTE, data, 0, {0}, 2, "1", about }
#define TEXT(group, name, data, about)                                                             \
    { group, name, PAL_FIELD_TEXT, data, 0, {0}, sizeof data, NULL, about }
#define STRING(group, name, data, about)                                                           \
    { group, name, PAL_FIELD_STRING, data, 0, {0}, 0, NULL, about }
#define LIST(group, name, data, n, units, about)                                                   \
    { group, name, PAL_FIELD_F64, data, 1, {n}, 0, units, about }
#define TABLE(group, name, data, n, m, units, about)                                               \
    { group, name, PAL_FIELD_F64, data, 2, {n, m}, 0, units, about }
#define INDICES(group, name, data, n, limit, about)                                                \
    { group, name, PAL_FIELD_I32, data, 1, {n}, limit, "1", about }
#define OPTIONAL_LIST(group, name, data, n, units, about)                                          \
    { group, name, PAL_FIELD_F64, data, 1, {n}, PAL_FIELD_OPTIONAL, units, about }
#define INDEX_TABLE(group, name, data, n, m, limit, about)                                         \
    { group, name, PAL_FIELD_I32, data, 2, {n, m}, limit, "1", about }
#define FLAGS(group, name, data, n, about)                                                         \
    { group, name, PAL_FIELD_BYTE, data, 1, {n}, 256, "1", about }

#endif
