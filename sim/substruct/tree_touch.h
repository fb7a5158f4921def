// What is touched of a tree, between the two halves of a step: how some of its domains will move by
// themselves, how they give way together, and forces on them.
//
// The coordinates of a touched domain are how its frame moves in the step (3 m, 3 rad, in the
// frame's own axes) and how its q changes: J of a point at X(q) in it is R s [I, -~X(q), U] (s with
// the modes and the turn, MATH.md 2.1). Their compliance A^-1 comes from the factors of the step: a
// load on a domain is passed up the tree, and two loads meet in the domains that both pass through.
//
// (With lumped inertia the answer of a tree is not symmetric: what a domain's own modes do to its
// parent is left out there, and so it is here.)
#ifndef PAL_SUBSTRUCT_TREE_TOUCH_H
#define PAL_SUBSTRUCT_TREE_TOUCH_H

#include "sim/substruct/tree_step.h"

enum {
    PAL_TOUCH_DOMAINS = 8, // at once
    PAL_TOUCH_SIZE = 128,  // coordinates of all of them
};

typedef struct pal_tree_touch {
    int32_t count;
    int32_t domain[PAL_TOUCH_DOMAINS];                         // each once
    int32_t first[PAL_TOUCH_DOMAINS + 1];                      // its coordinates: 6 + r
    int32_t size, stride;                                      // of all; rounded up to 8
    _Alignas(64) double way[PAL_TOUCH_SIZE];                   // m, rad, 1: without further forces
    _Alignas(64) double root[PAL_TOUCH_SIZE * PAL_TOUCH_SIZE]; // L of A^-1 = L L^T, [size][stride]
    double *work;                                              // of domains on the way up
    int32_t *path;                                             // [depth of the tree]
} pal_tree_touch;

// Set-up only.
pal_status pal_tree_touch_open(pal_tree_touch *touch, const pal_tree_state *state, pal_err *err);
void pal_tree_touch_close(pal_tree_touch *touch);

// Lists a domain, if there is room for its coordinates; returns where they begin, -1: no room.
// After touch->count = 0. RT safe.
int32_t pal_tree_touch_add(pal_tree_touch *touch, const pal_tree_state *state, int32_t domain);

// After pal_tree_begin: way and root of what is listed. RT safe.
pal_outcome pal_tree_touch_solve(pal_tree_touch *touch, const pal_tree_state *state);

// Forces on the coordinates that last, [count][stride], at most PAL_LANES8: the work [count] of
// each by how far it alone takes what is touched in the long run, the frames as they are and the
// domains as stiff as at rest. False: it flies, or there is no such place. RT safe.
bool pal_tree_touch_lasting(const pal_tree_touch *touch, const pal_tree_state *state, int32_t count,
                            const double *force, int32_t stride, double *work);

// After that: forces on the coordinates [size] (N, N m; J for q), in the same step. RT safe.
void pal_tree_touch_push(const pal_tree_touch *touch, pal_tree_state *state, const double *force);

#endif
