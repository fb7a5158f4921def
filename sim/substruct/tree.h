// A tree of domains: which instances there are, of which class, and where each hangs. Const while
// it runs.
#ifndef PAL_SUBSTRUCT_TREE_H
#define PAL_SUBSTRUCT_TREE_H

#include <stdbool.h>

#include "sim/substruct/domain.h"

typedef struct pal_domain { // an instance of a class
    int32_t kind;           // its class
    int32_t parent;         // -1: the root, which is the first; parents come before their children
    int32_t port;           // of the parent's class, where it hangs; one child a port
    double rest[3][3]; // R^: from the axes of its class to those of the parent's frame, at rest
    double scale;      // s
    double stiffness;  // factor on its internal force: the square of that on its frequencies
} pal_domain;

typedef struct pal_tree {
    int32_t class_count;
    const pal_domain_class *class_; // [class_count]
    int32_t domain_count;
    const pal_domain *domain; // [domain_count]
    bool flies;               // the root is free; else its frame stands still
    double root_x[3];         // m: the root's frame in the world at rest
    double root_turn[3][3];
} pal_tree;

// Whether it can be stepped: parents before children, classes and ports that are there, no port
// taken twice, proper rotations, scales and stiffness factors above zero, finite numbers, no
// interface whose vertices are collinear. The error names the domain. Set-up only.
pal_status pal_tree_check(const pal_tree *tree, pal_err *err);

// The depth of a domain: 0 at the root. Any thread.
int32_t pal_tree_depth(const pal_tree *tree, int32_t domain);

// Rest pose of every frame in the world: x [domain_count][3], turn [domain_count][3][3]; the scale
// of a class's length is the domain's own. Any thread.
void pal_tree_rest_frames(const pal_tree *tree, double *x, double *turn);

#endif
