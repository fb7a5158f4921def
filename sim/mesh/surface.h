// Triangle surfaces. Counter-clockwise seen from outside. Metres.
#ifndef PAL_MESH_SURFACE_H
#define PAL_MESH_SURFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/status.h"
#include "sim/mesh/volmesh.h"

typedef struct pal_surface {
    int32_t vertex_count;
    int32_t triangle_count;
    double *x;         // [vertex_count][3]
    int32_t *triangle; // [triangle_count][3]
} pal_surface;

pal_status pal_surface_alloc(pal_surface *surface, int32_t vertex_count, int32_t triangle_count,
                             pal_err *err);
void pal_surface_free(pal_surface *surface);
void pal_surface_scale(pal_surface *surface, double factor);

// The box of the vertices; low > high where there are none.
void pal_surface_box(const pal_surface *surface, double low[3], double high[3]);

// The boundary of a volume mesh (voxel faces as two triangles), only the vertices on it.
// volume_vertex (may be NULL) receives a heap array [surface vertex_count] of volume vertex
// indices.
pal_status pal_surface_of_volmesh(const pal_volmesh *mesh, pal_surface *surface,
                                  int32_t **volume_vertex, pal_err *err);

// The same of some faces of it (see faces.h).
pal_status pal_surface_of_faces(const pal_volmesh *mesh, const int32_t *face, int32_t count,
                                pal_surface *surface, int32_t **volume_vertex, pal_err *err);

// on_surface[v] = 1 where the volume vertex is on the boundary.
pal_status pal_surface_mark(const pal_volmesh *mesh, uint8_t *on_surface, pal_err *err);

// Reads OBJ, STL or PLY by assimp (single precision), as one soup; equal positions are joined and
// vertices are in the order in which triangles use them. Non-finite coordinates and files without
// triangles are errors.
pal_status pal_surface_read(const char *path, pal_surface *surface, pal_err *err);
bool pal_surface_is_path(const char *path); // whether the ending is one that it knows

// Writes binary PLY, atomically.
pal_status pal_surface_write_ply(const char *path, const pal_surface *surface, pal_err *err);

// same[v] = the first vertex at exactly the position of v (v itself when there is none before it).
pal_status pal_surface_weld(const pal_surface *surface, int32_t *same, pal_err *err);

typedef struct pal_surface_quality {
    double area, volume; // m^2, m^3 (volume by the divergence theorem; meaningful when closed)
    double box_min[3], box_max[3];
    int32_t components;        // joined by shared vertices
    int32_t open_edges;        // edges of one triangle: holes
    int32_t nonmanifold_edges; // edges of three or more triangles
} pal_surface_quality;
pal_status pal_surface_measure(const pal_surface *surface, pal_surface_quality *quality,
                               pal_err *err);

#endif
