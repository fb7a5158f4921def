// The parts of domains.c that stand in a file of their own. Private to it. RT safe.
#ifndef PAL_CONTACT_DOMAINS_PARTS_H
#define PAL_CONTACT_DOMAINS_PARTS_H

#include "sim/contact/domains.h"

// The last of the numbers first [count + 1] that is not above `number`.
int32_t pal_domains_search(const int32_t *first, int32_t count, int32_t number);

// The slot of a domain, NULL: it has none; and where the domain of a slot is now.
pal_domain_slot *pal_domains_slot(pal_domains *domains, int32_t domain);
void pal_domains_load(const pal_domains *domains, pal_domain_slot *slot);

// Between a domain's frame, in the size of its class, and the world: places, directions.

static inline void pal_slot_to_world(const pal_domain_slot *slot, const double *x, double *out) {
    for (int k = 0; k < 3; k++) {
        out[k] = slot->x[k] + slot->scale * pal_dot3(slot->turn[k], x);
    }
}

static inline void pal_slot_turn_to_world(const pal_domain_slot *slot, const double *x,
                                          double *out) {
    const double a = x[0], b = x[1], c = x[2];
    for (int k = 0; k < 3; k++) {
        out[k] = slot->turn[k][0] * a + slot->turn[k][1] * b + slot->turn[k][2] * c;
    }
}

static inline void pal_slot_turn_to_frame(const pal_domain_slot *slot, const double *x,
                                          double *out) {
    for (int k = 0; k < 3; k++) {
        out[k] = slot->turn[0][k] * x[0] + slot->turn[1][k] * x[1] + slot->turn[2][k] * x[2];
    }
}

static inline void pal_slot_to_frame(const pal_domain_slot *slot, const double *x, double *out) {
    double apart[3];
    pal_sub3(x, slot->x, apart);
    pal_slot_turn_to_frame(slot, apart, out);
    for (int k = 0; k < 3; k++) {
        out[k] /= slot->scale;
    }
}

static inline const pal_domain_form *pal_domains_form(const pal_domains *d, int32_t domain) {
    return &d->form[pal_tree_of(d->state)->domain[domain].kind];
}

#endif
