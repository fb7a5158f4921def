#include "haptics/ring.h"

#include <string.h>

void pal_ring_init(pal_ring *ring, void *memory, size_t item_size, uint64_t capacity) {
    ring->item_size = item_size;
    ring->capacity = capacity;
    ring->item = memory;
    ring->writer.read_seen = 0;
    ring->reader.written_seen = 0;
    atomic_init(&ring->writer.written, 0);
    atomic_init(&ring->reader.read, 0);
}

// The counts only grow; an item's place is its count modulo the capacity.
static unsigned char *place(const pal_ring *ring, uint64_t count) {
    return ring->item + (size_t)(count & (ring->capacity - 1)) * ring->item_size;
}

bool pal_ring_put(pal_ring *ring, const void *item) {
    uint64_t written = atomic_load_explicit(&ring->writer.written, memory_order_relaxed);
    // The other side's count is looked at only when the one seen last says full
    if (written - ring->writer.read_seen == ring->capacity) {
        ring->writer.read_seen = atomic_load_explicit(&ring->reader.read, memory_order_acquire);
        if (written - ring->writer.read_seen == ring->capacity) {
            return false;
        }
    }
    memcpy(place(ring, written), item, ring->item_size);
    atomic_store_explicit(&ring->writer.written, written + 1, memory_order_release);
    return true;
}

bool pal_ring_get(pal_ring *ring, void *item) {
    uint64_t read = atomic_load_explicit(&ring->reader.read, memory_order_relaxed);
    if (read == ring->reader.written_seen) {
        ring->reader.written_seen =
            atomic_load_explicit(&ring->writer.written, memory_order_acquire);
        if (read == ring->reader.written_seen) {
            return false;
        }
    }
    memcpy(item, place(ring, read), ring->item_size);
    atomic_store_explicit(&ring->reader.read, read + 1, memory_order_release);
    return true;
}

uint64_t pal_ring_fill(const pal_ring *ring) {
    // In this order the difference is never negative
    uint64_t read = atomic_load_explicit(&ring->reader.read, memory_order_acquire);
    uint64_t written = atomic_load_explicit(&ring->writer.written, memory_order_acquire);
    uint64_t fill = written - read;
    return fill < ring->capacity ? fill : ring->capacity;
}
