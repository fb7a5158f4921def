// What tests of trees do again and again: open, put into a random state, push, compare.
#ifndef PAL_TESTS_TREE_RUN_H
#define PAL_TESTS_TREE_RUN_H

#include "tests/support/point_tree.h"

// Opens a tree that must be good.
pal_tree_state *tree_run_open(const pal_tree *tree, pal_inertia inertia, double dt);

// q, q' and q'' of all domains at random: up to `size`, 10 and 100 times that; a root that flies
// moves and turns.
void tree_run_scatter(pal_tree_state *state, double size, uint64_t seed);

// Forces on all points of a tree of point masses, up to `size` (N, world): force
// [domain_count][POINTS][3], also pushed.
void tree_run_push(pal_tree_state *state, const point_tree *t, double size, uint64_t seed,
                   double *force);

// The largest difference of q and q' (over dt) between two trees with the same domains, relative to
// the largest q and q'.
double tree_run_apart(const pal_tree_state *a, const pal_tree_state *b);

// Whether every q, q', q'' and frame is finite.
bool tree_run_finite(const pal_tree_state *state);

double tree_run_energy(pal_tree_state *state); // kinetic and strain, J

#endif
