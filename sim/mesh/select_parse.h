// The text of a selector (see select.h) as a small program in postfix order. Internal to select.
#ifndef PAL_MESH_SELECT_PARSE_H
#define PAL_MESH_SELECT_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/status.h"

typedef enum pal_select_kind {
    PAL_SELECT_ALL,
    PAL_SELECT_NONE,
    PAL_SELECT_SURFACE,
    PAL_SELECT_COMPARE,  // coordinate `axis` against one place
    PAL_SELECT_VERTICES, // ranges first_range .. first_range + range_count - 1
    PAL_SELECT_REGION,   // the name is the name_length characters of the text from name_start
    PAL_SELECT_SET,      // likewise
    PAL_SELECT_NEAR,     // three places, and `radius`
    PAL_SELECT_BOX,      // three places of one corner, three of the opposite one
    PAL_SELECT_NOT,
    PAL_SELECT_AND,
    PAL_SELECT_OR,
} pal_select_kind;

typedef struct pal_select_op {
    pal_select_kind kind;
    int32_t column;            // from 1, for messages
    int axis;                  // 0, 1, 2
    bool less, equal, greater; // which outcomes of the comparison select
    double radius;             // m
    int32_t first_place;       // of those that the kind has
    int32_t first_range, range_count;
    int32_t name_start, name_length;
} pal_select_op;

// A coordinate: an offset [m] and a share of the body's extent along the axis, from an end of it.
typedef enum pal_select_from { PAL_FROM_ORIGIN, PAL_FROM_MIN, PAL_FROM_MAX } pal_select_from;
typedef struct pal_select_place {
    pal_select_from from;
    double offset, share;
} pal_select_place;

typedef struct pal_select_range { // vertices first..last of the file
    int64_t first, last;
} pal_select_range;

typedef struct pal_select_program {
    const char *text; // the caller's
    int32_t op_count, range_count, place_count;
    int32_t depth; // results waiting at the same time, at most
    pal_select_op *op;
    pal_select_range *range;
    pal_select_place *place;
} pal_select_program;

// On failure *program is empty. Set-up only, any thread.
pal_status pal_select_parse(const char *text, pal_select_program *program, pal_err *err);
void pal_select_program_free(pal_select_program *program);

// Fails with "selector '...', column N: " and the message.
pal_status pal_select_fail(pal_err *err, const char *text, int32_t column, const char *format, ...)
    PAL_PRINTF(4, 5);

#endif
