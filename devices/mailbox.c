#include "devices/mailbox.h"

void pal_mailbox_init(pal_mailbox *box, const pal_wish *first) {
    for (int i = 0; i < 3; i++) {
        box->slot[i] = *first;
    }
    pal_triple_init(&box->turn);
}

void pal_mailbox_post(pal_mailbox *box, const pal_wish *wish) {
    box->slot[box->turn.writer.back] = *wish;
    pal_triple_publish(&box->turn);
}

bool pal_mailbox_has_more(const pal_mailbox *box) {
    return pal_triple_is_fresh(&box->turn);
}

const pal_wish *pal_mailbox_latest(pal_mailbox *box) {
    pal_triple_take(&box->turn);
    return &box->slot[box->turn.reader.front];
}
