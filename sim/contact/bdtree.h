// Bounded Deformation Tree [James & Pai 2004; MATH.md 5]: a tree of spheres over the triangles of a
// linear body. For u = U q a node's centre moves linearly and its radius is bounded,
//
//     c(q) = c + Uc q,      rad(q) = rad + sum_l |q_l| drad_l,
//
// so that a query costs O(r) a node, whatever the mesh.
#ifndef PAL_CONTACT_BDTREE_H
#define PAL_CONTACT_BDTREE_H

#include "sim/base/outcome.h"
#include "sim/reduced/body.h"

typedef struct pal_bdnode {
    double centre[3]; // at rest
    double radius;    // at rest
    int32_t first; // leaf: first triangle in `order`; else: left child (the right one follows it)
    int32_t count; // triangles of a leaf, 0 otherwise
} pal_bdnode;

typedef struct pal_bdtree {
    int32_t size; // r
    int32_t node_count;
    int32_t triangle_count;
    const pal_bdnode *node;      // [node_count], node 0 the root
    const double *centre_basis;  // [node_count][3][r] Uc
    const double *radius_growth; // [node_count][r] drad
    const int32_t *order;        // [triangle_count] triangles in leaf order
} pal_bdtree;

typedef struct pal_nearest {
    int32_t triangle; // -1: none within reach
    double weight[3]; // barycentric
    double point[3];  // on the deformed surface
    double distance;  // from the query point
    int32_t nodes;    // visited
} pal_nearest;

// The nearest point of the deformed surface to x within `reach`, visiting at most `budget` nodes
// (PAL_OUT_BUDGET when that was not enough; the best so far is then returned). `hint` is a triangle
// to start from (the last answer), or -1. RT safe.
pal_outcome pal_bdtree_nearest(const pal_bdtree *tree, const pal_body *body, const double x[3],
                               double reach, int32_t hint, int32_t budget, pal_nearest *nearest);

#endif
