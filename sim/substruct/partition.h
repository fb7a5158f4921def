// Cuts a whole mesh into a tree of domains by a label per element.
//
// Two domains are neighbours when they share a face; the shared faces are their interface. The
// graph of domains must be a tree, and domains that are not neighbours may not share even a vertex
// (a hidden loop). The root is the domain with fixed vertices; when nothing is fixed the tree
// flies, and its root is the domain from which the farthest one is the fewest interfaces away, the
// one with the most elements where several are alike.
#ifndef PAL_SUBSTRUCT_PARTITION_H
#define PAL_SUBSTRUCT_PARTITION_H

#include "sim/substruct/class_build.h"
#include "sim/substruct/tree.h"

typedef struct pal_partition_spec { // all borrowed
    const pal_volmesh *mesh;
    int32_t label_count;
    const int32_t *label;    // [element_count], 0..label_count-1; every label must be used
    const char *const *name; // [label_count]; NULL: "domain 0", ...
    const uint8_t *fixed;    // [vertex_count] fixed to the ground; NULL: none
    int32_t root;            // a label; -1: chosen as above
    // Which class each label is of [label_count], 0..class_count-1 and each used. Domains of one
    // class must be congruent: the same elements in the order of the mesh, corner by corner, up to
    // a rotation, a translation and a scale, and held at the same vertices. NULL: every domain is a
    // class of its own, or (congruent) those that can be of one class are.
    int32_t class_count;
    const int32_t *class_of;
    bool congruent;
} pal_partition_spec;

typedef struct pal_part { // a class: the mesh of its first domain, in the place of the whole mesh
    pal_volmesh mesh;     // with all regions of the whole mesh, also those that it has nothing of
    uint8_t *held; // [mesh.vertex_count] the interface to the parent; root: the fixed vertices
    bool is_held;  // whether any is; false only for the root of a tree that flies
    double *held_weight; // [mesh.vertex_count] by the area of the shared faces, sum 1; root: NULL
    int32_t port_count;  // of all its domains together
    pal_port_vertices *port; // [port_count]
} pal_part;

typedef struct pal_partition {
    int32_t domain_count;
    pal_domain *domain;            // [domain_count] parents first; stiffness 1
    char (*name)[PAL_DOMAIN_NAME]; // [domain_count]
    int32_t *label;                // [domain_count] of each domain
    int32_t **vertex;              // [domain_count][vertices of its class]: those of the whole mesh
    int32_t **element;             // [domain_count][elements of its class]: likewise
    int32_t class_count;
    pal_part *part; // [class_count]
    bool flies;
} pal_partition;

// Errors, each naming the domains: an empty label; a domain in two pieces; a cycle; domains that
// are no neighbours and share a vertex; a mesh in several pieces; an interface of fewer than three
// vertices or of vertices in line, or in several places that are apart (a loop); several domains
// fixed to the ground (a loop through it); domains of one class that are not congruent. Set-up
// only.
pal_status pal_partition_make(const pal_partition_spec *spec, pal_partition *partition,
                              pal_err *err);
void pal_partition_free(pal_partition *partition);

typedef enum pal_cut_way {
    // METIS on the graph of elements that share a face; where that collapses, as in bulky bodies,
    // the best of all three
    PAL_CUT_GRAPH,
    PAL_CUT_AXIS,     // slices across the longest side of the bounding box
    PAL_CUT_DISTANCE, // slices between levels of the distance along the mesh from what is fixed, or
                      // from one end: a piece of its own for each branch
} pal_cut_way;

typedef struct pal_cut_report {
    pal_cut_way way;     // the one that was best
    int32_t graph_count; // domains that METIS came to, 0: not asked
    int32_t pieces;      // after the cut, every part split into its pieces
    int32_t merges;      // pairs of domains that were merged
} pal_cut_report;

// Labels for about `count` domains that form a tree, label [element_count], *label_count of them,
// numbered by their first elements. The rule: the mesh is cut into `count` parts; parts in several
// pieces are split into them; then neighbours are merged, one pair at a time, while there is
//   - a splinter (of slices only), below a tenth of its share of the elements: it, with its
//     neighbour of the largest interface;
//   - a cycle: its two neighbours with the largest interface;
//   - a pair that shares a vertex but no face: the one with fewer elements, with its neighbour of
//     the largest interface;
//   - an interface in several places, or one that keeps no frame: its two sides;
//   - a second domain with fixed vertices: it, with the next on the way to the one that has most.
// Slices are cut again, more or fewer, while the domains are not `count`. With m domains, as uneven
// as n of one size ((sum e)^2 / sum e^2 of their elements e), a cut has collapsed when m is below a
// half or n below a quarter of `count`; the best has the least |log(m / count)| + |log(n / count)|.
// A mesh in several pieces cannot become a tree, which is an error. Set-up only.
pal_status pal_partition_cut(const pal_volmesh *mesh, const uint8_t *fixed, pal_cut_way way,
                             int32_t count, int32_t *label, int32_t *label_count,
                             pal_cut_report *report, pal_err *err);

#endif
