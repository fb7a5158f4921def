// Which of three slots each side of a hand-over has: the writer fills its own and swaps it with the
// one in the middle, the reader swaps its own for that when it is fresh. Neither ever waits, the
// reader gets whole slots only, and of several between two looks the newest. What is in the slots
// is the user's. All RT safe; tests/spin/exchange.pml is the model of it.
#ifndef PAL_BASE_TRIPLE_H
#define PAL_BASE_TRIPLE_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct pal_triple {
    _Alignas(64) atomic_uint middle; // index of the slot in the middle, plus a bit: fresh
    struct {                         // owned by the writer
        _Alignas(64) unsigned back;
    } writer;
    struct { // owned by the reader
        _Alignas(64) unsigned front;
    } reader;
} pal_triple;

enum { PAL_TRIPLE_INDEX = 3, PAL_TRIPLE_FRESH = 4 }; // bits of the middle

static inline void pal_triple_init(pal_triple *t) { // before there are two threads
    t->writer.back = 0;
    atomic_init(&t->middle, 1);
    t->reader.front = 2;
}

// Each side swaps its own slot with the middle, so the three indices always differ; the swap
// releases what was written and acquires what is taken.
static inline unsigned pal_triple_swap(pal_triple *t, unsigned given) {
    return atomic_exchange_explicit(&t->middle, given, memory_order_acq_rel) & PAL_TRIPLE_INDEX;
}

// The writer's slot is handed over; it gets another one. Writer only.
static inline void pal_triple_publish(pal_triple *t) {
    t->writer.back = pal_triple_swap(t, t->writer.back | PAL_TRIPLE_FRESH);
}

// Whether something waits that the reader has not taken. Either side.
static inline bool pal_triple_is_fresh(const pal_triple *t) {
    return (atomic_load_explicit(&t->middle, memory_order_relaxed) & PAL_TRIPLE_FRESH) != 0;
}

// Takes the newest slot; false: it is the same as last time. Reader only.
static inline bool pal_triple_take(pal_triple *t) {
    const bool fresh = pal_triple_is_fresh(t);
    if (fresh) {
        t->reader.front = pal_triple_swap(t, t->reader.front);
    }
    return fresh;
}

#endif
