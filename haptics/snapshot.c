#include "haptics/snapshot.h"

#include <math.h>
#include <string.h>

enum { INDEX = 3, FRESH = 4 }; // bits of the middle

void pal_exchange_init(pal_exchange *exchange) {
    memset(exchange->slot, 0, sizeof exchange->slot);
    exchange->writer.back = 0;
    atomic_init(&exchange->middle, 1);
    exchange->reader.front = 2;
}

pal_snapshot *pal_exchange_back(pal_exchange *exchange) {
    return &exchange->slot[exchange->writer.back];
}

// Each side swaps its own slot with the middle, so the three indices always differ; the swap
// releases what was written and acquires what is taken.
static unsigned swap(pal_exchange *exchange, unsigned given) {
    return atomic_exchange_explicit(&exchange->middle, given, memory_order_acq_rel);
}

void pal_exchange_publish(pal_exchange *exchange) {
    exchange->writer.back = swap(exchange, exchange->writer.back | FRESH) & INDEX;
}

const pal_snapshot *pal_exchange_latest(pal_exchange *exchange, bool *fresh) {
    *fresh = (atomic_load_explicit(&exchange->middle, memory_order_relaxed) & FRESH) != 0;
    if (*fresh) {
        exchange->reader.front = swap(exchange, exchange->reader.front) & INDEX;
    }
    return &exchange->slot[exchange->reader.front];
}

double pal_snapshot_bin_us(int bin) {
    return exp2(0.25 * (bin + 1) - 2.0);
}
