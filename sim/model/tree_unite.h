// A tree of domains as one mesh again: its instances in their places at rest, joined vertex by
// vertex where one hangs on another. What full finite elements say of it is the truth that the
// tree is measured by.
#ifndef PAL_MODEL_TREE_UNITE_H
#define PAL_MODEL_TREE_UNITE_H

#include "sim/model/tree_model.h"

typedef struct pal_tree_united {
    // Mesh, held vertices (the root's), surface and embedding; a region for each region of each
    // domain, as stiff as the domain's factor makes it. No coordinates.
    pal_model model;
    int32_t *domain, *vertex; // [mesh.vertex_count] whose vertex it is, and which of its class
    int32_t
        *triangle; // [surface.triangle_count] the same among those of all domains (tree_whole.h)
} pal_tree_united;

// Of the domains that are wanted [domain_count]; with each its parent must be. NULL: all. An error
// where an interface does not match vertex by vertex, where domains differ in their kind of element
// and where one is rigid. On failure *united is empty. Set-up only.
pal_status pal_tree_unite(const pal_tree_model *tree, const bool *wanted, pal_tree_united *united,
                          pal_err *err);
void pal_tree_united_free(pal_tree_united *united);

// How many vertices the united mesh has, without making it; the root's held ones not counted.
int64_t pal_tree_free_vertices(const pal_tree_model *tree, const bool *wanted);

#endif
