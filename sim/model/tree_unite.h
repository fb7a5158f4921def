// A tree of domains as one mesh again: its instances in their places at rest, joined where one
// hangs on another: vertex by vertex where vertices meet; else each vertex of the child's interface
// is carried by the parent's element that it is in or nearest to (sim/fem/tie.h). What full finite
// elements say of it is the truth that the tree is measured by.
#ifndef PAL_MODEL_TREE_UNITE_H
#define PAL_MODEL_TREE_UNITE_H

#include "sim/fem/problem.h"
#include "sim/fem/tie.h"
#include "sim/model/tree_model.h"

typedef struct pal_tree_united {
    // Mesh, held vertices (the root's), surface and embedding; a region for each region of each
    // domain, as stiff as the domain's factor makes it. No coordinates.
    pal_model model;
    pal_ties ties; // of interfaces whose vertices do not meet
    double
        beside; // m: the farthest that a carried vertex is outside of the element that carries it
    int32_t *domain, *vertex; // [mesh.vertex_count] whose vertex it is, and which of its class
    int64_t *first;           // [domain_count] in place; -1: the domain is not in it
    int32_t *place;           // [first[d] + v] vertex v of domain d's class in the united mesh
    int32_t
        *triangle; // [surface.triangle_count] the same among those of all domains (tree_whole.h)
} pal_tree_united;

typedef struct pal_unite_options {
    const bool *wanted; // [domain_count]; with each domain its parent must be. NULL: all
    double rigid;       // rigid domains are so many times as stiff as their material; 0: an error
} pal_unite_options;

// options NULL: all domains, none rigid. PAL_ERR_UNSUPPORTED, naming the domain, where an interface
// is farther from the parent's mesh than it is wide, where domains differ in their kind of element,
// and where one is rigid. On failure *united is empty. Set-up only.
pal_status pal_tree_unite(const pal_tree_model *tree, const pal_unite_options *options,
                          pal_tree_united *united, pal_err *err);
void pal_tree_united_free(pal_tree_united *united);

// Where vertex v of the class of domain d, which is in it, has come to.
static inline int32_t pal_tree_united_vertex(const pal_tree_united *united, int32_t d, int32_t v) {
    return united->place[united->first[d] + v];
}

// Full elements of it, as it is held, or free where `flies`. The united mesh must outlive *fem.
pal_status pal_tree_united_fem(const pal_tree_united *united, bool flies, pal_fem *fem,
                               pal_err *err);

// How many free vertices the united mesh has, without making it.
int64_t pal_tree_free_vertices(const pal_tree_model *tree, const bool *wanted);

#endif
