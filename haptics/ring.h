// A lock-free ring from one writing thread to one reading thread. Items of a fixed size, memory
// given at set-up. Never blocks: a full ring refuses, an empty one says so.
#ifndef PAL_HAPTICS_RING_H
#define PAL_HAPTICS_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/outcome.h"

typedef struct pal_ring {
    size_t item_size;
    uint64_t capacity; // items, a power of two
    unsigned char *item;
    struct { // owned by the writer
        _Alignas(64) _Atomic uint64_t written;
        uint64_t read_seen;
    } writer;
    struct { // owned by the reader
        _Alignas(64) _Atomic uint64_t read;
        uint64_t written_seen;
    } reader;
} pal_ring;

// memory: capacity * item_size bytes; capacity a power of two.
void pal_ring_init(pal_ring *ring, void *memory, size_t item_size, uint64_t capacity);

bool pal_ring_put(pal_ring *ring, const void *item); // false: full. Writer only. RT safe.
bool pal_ring_get(pal_ring *ring, void *item);       // false: empty. Reader only. RT safe.
uint64_t pal_ring_fill(const pal_ring *ring);        // about how many are waiting. Any thread.

#endif
