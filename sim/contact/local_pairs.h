// Pairs of vertices nearer than a radius. Private to sim/contact.
#ifndef PAL_CONTACT_LOCAL_PAIRS_H
#define PAL_CONTACT_LOCAL_PAIRS_H

#include "sim/mesh/volmesh.h"

typedef struct pal_local_pairs {
    int32_t *vertex; // [count] the wanted vertices, ascending
    int32_t *first;  // [count + 1]
    int32_t *column; // [first[count]] places in `vertex`, ascending in each row, itself included
} pal_local_pairs;

// The radius is cut until there are at most `most` pairs.
pal_status pal_local_find_pairs(const pal_volmesh *mesh, const uint8_t *wanted, int32_t count,
                                double *radius, int32_t most, pal_local_pairs *found, pal_err *err);
void pal_local_pairs_free(pal_local_pairs *found);

#endif
