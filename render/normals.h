// Normals of a deformed surface for shading. Any thread.
#ifndef PAL_RENDER_NORMALS_H
#define PAL_RENDER_NORMALS_H

#include "sim/mesh/surface.h"

typedef struct pal_normals { // unit length, outwards also when the surface is inside out
    double *vertex;          // [vertex_count][3] mean of all triangles at a vertex
    double *corner;          // [triangle_count][3][3] mean without those beyond a sharp edge
} pal_normals;

// On failure *normals is empty.
pal_status pal_normals_build(const pal_surface *surface, pal_normals *normals, pal_err *err);
void pal_normals_free(pal_normals *normals);

#endif
