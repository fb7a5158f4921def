// What keeps labelled elements from being a tree of domains: all of it, not just the first thing.
#ifndef PAL_APP_DOMAIN_PROBLEMS_H
#define PAL_APP_DOMAIN_PROBLEMS_H

#include "scenes/domain_list.h"
#include "sim/substruct/label_graph.h"

enum { PAL_DOMAIN_PROBLEMS = 64, PAL_DOMAIN_PROBLEM = 512 };

typedef struct pal_domain_problems {
    int32_t count; // of what was found; of more than PAL_DOMAIN_PROBLEMS the first are kept
    int32_t loops; // of them
    char text[PAL_DOMAIN_PROBLEMS][PAL_DOMAIN_PROBLEM];
} pal_domain_problems;

void pal_domain_problems_add(pal_domain_problems *problems, const char *format, ...)
    PAL_PRINTF(2, 3);

// Empty domains, domains in pieces, loops (one for each interface beyond those of a tree), domains
// that share vertices but no face, interfaces that keep no frame, domains that are not joined.
pal_status pal_domain_problems_find(const pal_label_graph *graph, const pal_domain_labels *labels,
                                    pal_domain_problems *problems, pal_err *err);

#endif
