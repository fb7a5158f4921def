// Opens a tree of domains for contact (see domains.h). Loading only.
#ifndef PAL_CONTACT_DOMAINS_BUILD_H
#define PAL_CONTACT_DOMAINS_BUILD_H

#include "sim/base/keep.h"
#include "sim/contact/domains.h"

typedef struct pal_domain_skin { // the surface of a class, in its frame
    int32_t point_count, triangle_count;
    const int32_t *triangle; // [triangle_count][3]
    const double *x;         // [point_count][3]
    const double *basis;     // [point_count][3][r]
    // Of a class that can be dented: its table, and what carries its points. NULL: it cannot.
    const pal_local *local;
    const pal_embedding *embedding;
    const double *vertex_x; // [vertices of its volume mesh][3]
} pal_domain_skin;

// skin [class_count]; it, the state and the joints (NULL: none) are borrowed. feature: m, the
// smallest radius of the tools. keep: where what is made of each class is kept, NULL: nowhere. On
// failure *domains is empty.
pal_status pal_domains_open(pal_domains *domains, pal_tree_state *state,
                            const pal_domain_skin *skin, const pal_joints *joints, double feature,
                            const pal_keep *keep, pal_err *err);
void pal_domains_close(pal_domains *domains);

// The functions of its body (domains_body.c).
const pal_body_functions *pal_domains_functions(void);

#endif
