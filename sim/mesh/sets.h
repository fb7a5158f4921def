// Disjoint sets of 0..n-1 (union-find): parent[i] leads to the root of the set of i, which is its
// own parent. To join two sets, make one root the parent of the other.
#ifndef PAL_MESH_SETS_H
#define PAL_MESH_SETS_H

#include <stdint.h>

// The root of the set of i; halves the path to it.
static inline int32_t pal_set_root(int32_t *parent, int32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

#endif
