#include "devices/mailbox.h"

enum { INDEX = 3, FRESH = 4 }; // bits of the middle

void pal_mailbox_init(pal_mailbox *box, const pal_wish *first) {
    for (int i = 0; i < 3; i++) {
        box->slot[i] = *first;
    }
    box->writer.back = 0;
    atomic_init(&box->middle, 1);
    box->reader.front = 2;
}

// Each side swaps its own slot with the middle, so the three indices always differ; the swap
// releases what was written and acquires what is taken.
static unsigned swap(pal_mailbox *box, unsigned given) {
    return atomic_exchange_explicit(&box->middle, given, memory_order_acq_rel);
}

void pal_mailbox_post(pal_mailbox *box, const pal_wish *wish) {
    box->slot[box->writer.back] = *wish;
    box->writer.back = swap(box, box->writer.back | FRESH) & INDEX;
}

bool pal_mailbox_has_more(const pal_mailbox *box) {
    return (atomic_load_explicit(&box->middle, memory_order_relaxed) & FRESH) != 0;
}

const pal_wish *pal_mailbox_latest(pal_mailbox *box) {
    if (pal_mailbox_has_more(box)) {
        box->reader.front = swap(box, box->reader.front) & INDEX;
    }
    return &box->slot[box->reader.front];
}
