// The latest wish from the thread that has the mouse to the thread that ticks, as
// haptics/snapshot.h has it the other way round (sim/base/triple.h).
#ifndef PAL_DEVICES_MAILBOX_H
#define PAL_DEVICES_MAILBOX_H

#include "sim/base/triple.h"
#include "sim/base/wish.h"

typedef struct pal_mailbox {
    pal_wish slot[3];
    pal_triple turn;
} pal_mailbox;

void pal_mailbox_init(pal_mailbox *box, const pal_wish *first); // before there are two threads
void pal_mailbox_post(pal_mailbox *box, const pal_wish *wish);  // writer only. RT safe.
const pal_wish *pal_mailbox_latest(pal_mailbox *box);           // the newest. Reader only. RT safe.
bool pal_mailbox_has_more(const pal_mailbox *box); // one that was not looked at. RT safe.

#endif
