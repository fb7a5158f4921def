#include "haptics/snapshot.h"

#include <math.h>
#include <string.h>

void pal_exchange_init(pal_exchange *exchange) {
    memset(exchange->slot, 0, sizeof exchange->slot);
    pal_triple_init(&exchange->turn);
}

pal_snapshot *pal_exchange_back(pal_exchange *exchange) {
    return &exchange->slot[exchange->turn.writer.back];
}

void pal_exchange_publish(pal_exchange *exchange) {
    pal_triple_publish(&exchange->turn);
}

const pal_snapshot *pal_exchange_latest(pal_exchange *exchange, bool *fresh) {
    *fresh = pal_triple_take(&exchange->turn);
    return &exchange->slot[exchange->turn.reader.front];
}

double pal_snapshot_bin_us(int bin) {
    return exp2(0.25 * (bin + 1) - 2.0);
}
