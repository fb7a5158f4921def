// Numbers equal keys alike: a hash map from short tuples of int32 (the vertices of an edge or face,
// the bits of a position) to 0, 1, 2, ... in the order of first appearance. Set-up only.
#ifndef PAL_MESH_KEYMAP_H
#define PAL_MESH_KEYMAP_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/status.h"

typedef struct pal_keymap {
    int32_t width;    // int32 per key
    int32_t count;    // keys so far
    int32_t capacity; // keys that there is room for
    size_t mask;      // slots - 1
    int32_t *key;     // [capacity][width]
    int32_t *slot;    // [mask + 1]: index of a key + 1, or 0
} pal_keymap;

// Room for `capacity` different keys. On failure *map is empty.
pal_status pal_keymap_alloc(pal_keymap *map, int32_t width, int32_t capacity, pal_err *err);
void pal_keymap_free(pal_keymap *map);

// The number of the key, which is added when it is new (the answer is then the old map->count).
int32_t pal_keymap_add(pal_keymap *map, const int32_t *key);

// Sorts the few numbers of a key in place, so that the order in which they came does not matter.
void pal_keymap_sort(int32_t *key, int count);

#endif
