// Normals of a deformed surface for shading. Any thread.
#ifndef PAL_RENDER_NORMALS_H
#define PAL_RENDER_NORMALS_H

#include <stdbool.h>

#include "sim/mesh/surface.h"

#define PAL_SHARP_COSINE 0.72 // of the angle between faces that makes an edge sharp

typedef struct pal_normals { // unit length, outwards also when the surface is inside out
    double *vertex;          // [vertex_count][3] mean of all triangles at a vertex
    double *corner;          // [triangle_count][3][3] mean without those beyond a sharp edge
} pal_normals;

// On failure *normals is empty.
pal_status pal_normals_build(const pal_surface *surface, pal_normals *normals, pal_err *err);
void pal_normals_free(pal_normals *normals);

// ---- what it is made of

typedef struct pal_fan { // the triangles at each vertex
    int32_t *start;      // [vertex_count + 1]
    int32_t *member;     // [start[vertex_count]]
} pal_fan;

pal_status pal_fan_build(const pal_surface *surface, pal_fan *fan, pal_err *err);
void pal_fan_free(pal_fan *fan);

// Twice the areas of the triangles along their normals [triangle_count][3], turned over when the
// surface as a whole is inside out, which it returns.
bool pal_area_vectors(const pal_surface *surface, double *area);

#endif
