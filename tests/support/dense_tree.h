// The step of a tree of point masses by plain dense algebra: every force is written as an affine
// function of all unknowns (all q'', and the root's acceleration when it flies), point by point,
// and the whole is solved by LAPACK. Nothing is eliminated, no moments, no blocks: the oracle of
// the tree's step.
#ifndef PAL_TESTS_DENSE_TREE_H
#define PAL_TESTS_DENSE_TREE_H

#include "tests/support/point_tree.h"

typedef struct dense_tree {
    const point_tree *t;
    int32_t modes, unknowns; // of all domains; with the root's six
    double (*accel)[6];      // [domain_count] of the frames, by the last solve, in their own axes
} dense_tree;

void dense_tree_open(dense_tree *d, const point_tree *t);
void dense_tree_close(dense_tree *d);

// q'' of all domains [modes] that a step of dt from this state must find under gravity and forces
// on the points (force [domain_count][POINTS][3], N, world). Remembers the frames' accelerations,
// which mass damping asks for in the next step.
void dense_tree_solve(dense_tree *d, const pal_tree_state *now, pal_inertia inertia, double dt,
                      const double gravity[3], const double *force, double *accel);

#endif
