// What there is to say about a body of domains: each domain, its place in the tree, and the
// interface that carries it. For `domains`.
#ifndef PAL_APP_DOMAIN_FACTS_H
#define PAL_APP_DOMAIN_FACTS_H

#include "app/domain_cut.h"

typedef struct pal_domain_fact {
    char name[PAL_DOMAIN_NAME];
    int32_t parent, depth; // -1, 0: the root; -1, -1 where there is no tree
    int32_t kind;          // class
    int32_t elements, vertices;
    int32_t r;        // modes; -1: not known
    double mass;      // kg; NAN: density not known
    int32_t shared;   // vertices of the interface to its parent; the root's: fixed ones
    double area;      // m^2, of the interface
    double spread[3]; // m: roots of the eigenvalues of the interface's C, descending
    double deviation; // |Q^T B - C| / |C| of the interface; NAN: not asked for       [BZ11 fig. 3]
} pal_domain_fact;

typedef struct pal_domain_facts {
    int32_t count;
    pal_domain_fact *domain; // [count] parents first; in the order of labels where there is no tree
    bool is_tree, flies;
    int32_t class_count;
    char (*class_name)[PAL_DOMAIN_NAME]; // [class_count]
    int32_t edge_count;
    int32_t (*edge)[2]; // [edge_count] neighbours, where there is no tree
    pal_domain_problems problems;
} pal_domain_facts;

// `modes` for each domain of a mesh, or `total` shared by the logarithm of their elements (0: not
// said); a scene knows its own.
pal_status pal_domain_facts_make(const pal_domain_cut *cut, int32_t modes, int32_t total,
                                 pal_domain_facts *facts, pal_err *err);
void pal_domain_facts_free(pal_domain_facts *facts);

// Fills `deviation` from a baked model of the same tree: every domain bent along the lowest mode of
// its class alone until its farthest vertex has moved by `bend` times its extent.
pal_status pal_domain_facts_bend(const pal_tree_model *model, double bend, pal_domain_facts *facts,
                                 pal_err *err);

#endif
