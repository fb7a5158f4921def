// The columns of a tick record by name, for files.
#ifndef PAL_HAPTICS_TICK_FIELDS_H
#define PAL_HAPTICS_TICK_FIELDS_H

#include <stddef.h>

#include "haptics/tick_record.h"

typedef enum pal_tick_field_kind {
    PAL_FIELD_F64,
    PAL_FIELD_U64,
    PAL_FIELD_U32
} pal_tick_field_kind;

typedef struct pal_tick_field {
    const char *name;
    size_t offset; // in pal_tick_record
    pal_tick_field_kind kind;
    int count; // 3: a vector; 4: a turn
} pal_tick_field;

// In the order of the table in an HDF5 trace; NULL past the end.
const pal_tick_field *pal_tick_field_at(int index);

// Its name in a table of numbers: "time", "force_x", "turn_w".
void pal_tick_field_column(const pal_tick_field *field, int component, char name[32]);

#endif
