// The corners of an element: at each vertex the three edges that leave it, in an order that is
// right-handed in an element that is not inside out. RT safe.
#ifndef PAL_MESH_CORNER_H
#define PAL_MESH_CORNER_H

#include "sim/base/vec3.h"
#include "sim/mesh/volmesh.h"

// edge[i] = the i-th edge out of corner `corner` of an element (its vertices `vertex`).
static inline void pal_corner_edges(const pal_volmesh *mesh, const int32_t *vertex, int corner,
                                    double (*edge)[3]) {
    static const int8_t tet[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    static const int8_t hex[8][3] = {{1, 3, 4}, {2, 0, 5}, {3, 1, 6}, {0, 2, 7},
                                     {7, 5, 0}, {4, 6, 1}, {5, 7, 2}, {6, 4, 3}};
    const int8_t *end = mesh->kind == PAL_TET4 ? tet[corner] : hex[corner];
    for (int i = 0; i < 3; i++) {
        pal_sub3(mesh->x + 3 * (int64_t)vertex[end[i]], mesh->x + 3 * (int64_t)vertex[corner],
                 edge[i]);
    }
}

#endif
