// How a tree of domains vibrates about its rest pose: without damping, without gravity.
#ifndef PAL_SUBSTRUCT_TREE_MODES_H
#define PAL_SUBSTRUCT_TREE_MODES_H

#include "sim/substruct/tree_step.h"

// The lowest `count` frequencies (Hz, ascending) under one of the three pictures of inertia; the
// rigid motion of a tree that flies is left out. The tree must have passed pal_tree_check. An error
// when there are fewer modes than `count`, and where a domain's stiffness at rest is not positive
// definite. Set-up only.
pal_status pal_tree_frequencies(const pal_tree *tree, pal_inertia inertia, int32_t count,
                                double *hz, pal_err *err);

#endif
