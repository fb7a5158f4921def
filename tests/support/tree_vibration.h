// The vibration of a tree of domains about rest, assembled densely from moments and ports as
// domain.h defines them (MATH.md 2.1 at q = 0): slow, plain, and independent of the run time.
#ifndef PAL_TESTS_TREE_VIBRATION_H
#define PAL_TESTS_TREE_VIBRATION_H

#include "sim/substruct/tree.h"

// The lowest `count` frequencies, Hz; the rigid motion of a tree that flies is left out. Scales
// must be 1.
void tree_frequencies(const pal_tree *tree, int count, double *hz);

#endif
