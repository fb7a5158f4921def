// Bounded Deformation Tree [JP04]: a tree of spheres over the triangles of a linear body. For
// u = U q a node's centre moves linearly and its radius is bounded,
//
//     c(q) = c + Uc q,      rad(q) = rad + sum_l |q_l| drad_l,
//
// so that a query costs O(r) a node, whatever the mesh. A body's dent widens the spheres by its
// bound.
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
    int32_t size;   // r
    int32_t stride; // r rounded up to PAL_LANES: rows of `motion` are padded with zeros
    int32_t node_count;
    int32_t triangle_count;
    int32_t point_count;
    const pal_bdnode *node; // [node_count], node 0 the root
    // Uc (three rows) and drad of each node. Single precision; drad is large enough that the sphere
    // computed with it in single precision holds the deformed triangles.
    const float *motion;  // [node_count][4][stride]
    const int32_t *order; // [triangle_count] triangles in leaf order
    // Points at the same place at rest are one point: the first of them has the triangles of all.
    const int32_t *joined;    // [point_count] that first one
    const int32_t *fan_first; // [point_count + 1]
    const int32_t *fan;       // [fan_first[p]..fan_first[p + 1]) the triangles about point p
} pal_bdtree;

typedef struct pal_nearest {
    int32_t triangle; // -1: none within reach
    double weight[3]; // barycentric; exactly 0 at corners that have no part in the point
    double point[3];  // on the deformed surface
    double distance;  // from the query point; INFINITY when there is none
    int32_t nodes;    // visited
} pal_nearest;

// The nearest point of the deformed surface to x within `reach` (may be INFINITY), visiting at most
// `budget` nodes (PAL_OUT_BUDGET when that was not enough; the best so far is then returned).
// `hint` is a triangle to start from (the last answer), or -1. PAL_OUT_NAN and no triangle when x
// or q is not finite. RT safe.
pal_outcome pal_bdtree_nearest(const pal_bdtree *tree, const pal_body *body, const double x[3],
                               double reach, int32_t hint, int32_t budget, pal_nearest *nearest);

// The sphere of a node now, without any dent. Returns its radius; NaN or INFINITY when q is not
// finite. RT safe.
double pal_bdtree_sphere(const pal_bdtree *tree, const double *q, int32_t node, double centre[3]);

#endif
