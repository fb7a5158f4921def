#include "sim/mesh/keymap.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

pal_status pal_keymap_alloc(pal_keymap *map, int32_t width, int32_t capacity, pal_err *err) {
    memset(map, 0, sizeof *map);
    size_t slots = 16;
    while (slots < 2 * (size_t)capacity) {
        slots *= 2;
    }
    pal_keymap m = {.width = width, .capacity = capacity, .mask = slots - 1};
    m.key = PAL_NEW(int32_t, (size_t)width * (size_t)capacity, err);
    m.slot = PAL_NEW(int32_t, slots, err);
    if (m.key == NULL || m.slot == NULL) {
        pal_keymap_free(&m);
        return PAL_ERR_MEMORY;
    }
    *map = m;
    return PAL_OK;
}

void pal_keymap_free(pal_keymap *map) {
    free(map->key);
    free(map->slot);
    memset(map, 0, sizeof *map);
}

static size_t hash(const int32_t *key, int32_t width) {
    uint64_t h = 0;
    for (int32_t i = 0; i < width; i++) {
        h = (h ^ (uint32_t)key[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (size_t)(h ^ (h >> 32));
}

int32_t pal_keymap_add(pal_keymap *map, const int32_t *key) {
    size_t bytes = (size_t)map->width * sizeof *key;
    size_t s = hash(key, map->width) & map->mask;
    for (; map->slot[s] != 0; s = (s + 1) & map->mask) {
        int32_t index = map->slot[s] - 1;
        if (memcmp(map->key + (size_t)index * (size_t)map->width, key, bytes) == 0) {
            return index;
        }
    }
    memcpy(map->key + (size_t)map->count * (size_t)map->width, key, bytes);
    map->slot[s] = map->count + 1;
    return map->count++;
}

void pal_keymap_sort(int32_t *key, int count) {
    for (int i = 1; i < count; i++) {
        for (int j = i; j > 0 && key[j] < key[j - 1]; j--) {
            int32_t swap = key[j];
            key[j] = key[j - 1];
            key[j - 1] = swap;
        }
    }
}
