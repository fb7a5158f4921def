// Edges to draw lines along, each once. Any thread.
#ifndef PAL_RENDER_EDGES_H
#define PAL_RENDER_EDGES_H

#include "sim/mesh/volmesh.h"

typedef struct pal_edges {
    int32_t count;
    int32_t *end; // [count][2]
} pal_edges;

// Of triangles [count][3]. On failure *edges is empty.
pal_status pal_edges_of_triangles(const int32_t *triangle, int32_t count, pal_edges *edges,
                                  pal_err *err);

// Of the elements of a volume mesh, as far as they lie on its boundary.
pal_status pal_edges_of_volmesh(const pal_volmesh *mesh, pal_edges *edges, pal_err *err);
void pal_edges_free(pal_edges *edges);

#endif
