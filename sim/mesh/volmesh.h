// A volume mesh of one kind of element: linear tetrahedra or 8-node voxels (hexahedra).
//
// Order of vertices in an element: tet with det(x1-x0, x2-x0, x3-x0) > 0; hexahedron as in VTK:
// (0,0,0) (1,0,0) (1,1,0) (0,1,0) (0,0,1) (1,0,1) (1,1,1) (0,1,1) in its own axes. Metres.
#ifndef PAL_MESH_VOLMESH_H
#define PAL_MESH_VOLMESH_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/material.h"
#include "sim/base/status.h"

typedef enum pal_element_kind { // the value is the number of vertices of one element
    PAL_TET4 = 4,
    PAL_HEX8 = 8,
} pal_element_kind;

enum { PAL_REGION_NAME = 64 };

typedef struct pal_region { // a named part of the body with one material
    char name[PAL_REGION_NAME];
    bool has_material; // whether the mesh file gave one
    pal_material material;
} pal_region;

typedef struct pal_volmesh {
    pal_element_kind kind;
    int32_t vertex_count;
    int32_t element_count;
    int32_t region_count;  // at least 1
    double *x;             // [vertex_count][3]
    int32_t *element;      // [element_count][kind]
    int32_t *region;       // [element_count], 0..region_count-1
    pal_region *regions;   // [region_count]
    int32_t *file_vertex;  // [vertex_count]: the vertex's place in the file, from 0
    int32_t dropped_count; // vertices of the file that no element used
    int32_t turned_count;  // elements that came inside out and were turned round
} pal_volmesh;

static inline const int32_t *pal_volmesh_element(const pal_volmesh *mesh, int32_t e) {
    return mesh->element + (int64_t)e * (int)mesh->kind;
}

// Arrays of the given sizes, zeroed; file_vertex counts up; every region is named "body". On
// failure *mesh is empty. Set-up only, any thread.
pal_status pal_volmesh_alloc(pal_volmesh *mesh, pal_element_kind kind, int32_t vertex_count,
                             int32_t element_count, int32_t region_count, pal_err *err);

// Frees the arrays and empties *mesh. An empty mesh may be freed again.
void pal_volmesh_free(pal_volmesh *mesh);

void pal_volmesh_scale(pal_volmesh *mesh, double factor);

#endif
