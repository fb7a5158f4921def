// Finds for each point the element that carries it (see embed.h).
#ifndef PAL_MESH_EMBED_BUILD_H
#define PAL_MESH_EMBED_BUILD_H

#include "sim/mesh/embed.h"

// Points outside every element take the nearest element and extrapolate linearly (weights may then
// be negative). *farthest (may be NULL) is the largest distance of such a point from its element.
pal_status pal_embedding_build(const pal_volmesh *mesh, const double *point, int32_t point_count,
                               pal_embedding *embedding, double *farthest, pal_err *err);
void pal_embedding_free(pal_embedding *embedding);

#endif
