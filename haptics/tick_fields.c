#include "haptics/tick_fields.h"

#include <stdio.h>

#define FIELD(name, kind)                                                                          \
    { #name, offsetof(pal_tick_record, name), PAL_FIELD_##kind, 1 }
#define FIELD_MANY(name, count)                                                                    \
    { #name, offsetof(pal_tick_record, name), PAL_FIELD_F64, count }
#define FIELD_VECTOR(name) FIELD_MANY(name, 3)
static const pal_tick_field fields[] = {
    FIELD(tick, U64),       FIELD(time, F64),     FIELD(hand, U32),     FIELD_VECTOR(position),
    FIELD_VECTOR(velocity), FIELD_MANY(turn, 4),  FIELD_VECTOR(spin),   FIELD_VECTOR(torque),
    FIELD(buttons, U32),    FIELD(present, U32),  FIELD(sequence, U64), FIELD_VECTOR(tool),
    FIELD_VECTOR(force),    FIELD_VECTOR(wanted), FIELD_VECTOR(point),  FIELD_VECTOR(normal),
    FIELD(depth, F64),      FIELD(strain, F64),   FIELD(kinetic, F64),  FIELD(ledger, F64),
    FIELD(outcome, U32),    FIELD(touching, U32), FIELD(missed, U32),   FIELD(commands, U32),
    FIELD(compute_us, F64), FIELD(late_us, F64),  FIELD_VECTOR(push),   FIELD_VECTOR(grip),
    FIELD(slipped, F64),    FIELD(fault, U64),
};

const pal_tick_field *pal_tick_field_at(int index) {
    const int count = sizeof fields / sizeof *fields;
    return index >= 0 && index < count ? &fields[index] : NULL;
}

void pal_tick_field_column(const pal_tick_field *field, int component, char name[32]) {
    static const char *const parts[] = {"", "", "", "xyz", "wxyz"};
    if (field->count == 1) {
        snprintf(name, 32, "%s", field->name);
    } else {
        snprintf(name, 32, "%s_%c", field->name, parts[field->count][component]);
    }
}
