// How far a point of a tree gives way to a force on it, by its domains from its own up to the root:
//
//     in the long run    sum of g^T K^-1 g      by now    sum of g . (q - q0)
//
// with g the force on a domain's coordinates, carried up by the interfaces as they are now, K the
// stiffness of the domain at rest, and q0 where it was before. How a root that flies moves away is
// left out.
#ifndef PAL_SUBSTRUCT_TREE_GIVE_H
#define PAL_SUBSTRUCT_TREE_GIVE_H

#include "sim/substruct/tree_step.h"

typedef struct pal_tree_give {
    double **inverse; // [class_count] K^-1, [r][r]
    double **before;  // [domain_count] q0, [r]
    double *memory;   // of both
} pal_tree_give;

// Set-up only; on failure *give is empty.
pal_status pal_tree_give_open(const pal_tree *tree, pal_tree_give *give, pal_err *err);
void pal_tree_give_close(pal_tree_give *give);

// What was before comes nearer to what is now, by a share of the way. RT safe.
void pal_tree_give_follow(const pal_tree_give *give, const pal_tree_state *state, double share);

typedef struct pal_tree_load { // on one domain
    int32_t domain;
    double place[3]; // m, where it acts, in the frame
    double force[3]; // N, in the frame's axes
    const double *g; // [r] J: on its coordinates
} pal_tree_load;

typedef struct pal_tree_given { // J
    double in_the_end, by_now;
} pal_tree_given;

// RT safe.
pal_tree_given pal_tree_give_to(const pal_tree_give *give, const pal_tree_state *state,
                                const pal_tree_load *load);

#endif
