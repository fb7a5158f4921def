// A fine surface carried by a coarse volume mesh [BJ05 3.1]: each point is a fixed weighted mean of
// the vertices of the element it lies in (barycentric in a tet, trilinear in a voxel).
#ifndef PAL_MESH_EMBED_H
#define PAL_MESH_EMBED_H

#include "sim/mesh/volmesh.h"

typedef struct pal_embedding {
    int32_t point_count;
    int32_t nodes;   // 4 or 8
    int32_t *vertex; // [point_count][nodes] vertices of the volume mesh
    double *weight;  // [point_count][nodes], each row sums to 1
} pal_embedding;

#define PAL_EMBED_LEAST 1e-6 // a smaller weight is rounding

// point_displacement = W u. RT safe.
void pal_embedding_displace(const pal_embedding *embedding, const double *u, // [vertex_count][3]
                            double *point_displacement);                     // [point_count][3]

// force += W^T point_force. RT safe.
void pal_embedding_force(const pal_embedding *embedding, const double *point_force, // [points][3]
                         double *force);                                            // [vertices][3]

#endif
