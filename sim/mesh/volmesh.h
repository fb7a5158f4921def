// A volume mesh of one kind of element: linear tetrahedra or 8-node voxels (hexahedra).
//
// Order of vertices in an element: tet with det(x1-x0, x2-x0, x3-x0) > 0; hexahedron as in VTK:
// (0,0,0) (1,0,0) (1,1,0) (0,1,0) (0,0,1) (1,0,1) (1,1,1) (0,1,1) in its own axes. Metres.
#ifndef PAL_MESH_VOLMESH_H
#define PAL_MESH_VOLMESH_H

#include <stdbool.h>
#include <stddef.h>
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

// A named list of vertices or elements, as mesh files have them beside regions: sets may overlap.
typedef struct pal_mesh_set {
    char name[PAL_REGION_NAME];
    bool of_elements;
    int32_t count;
    int32_t *index; // [count] ascending
} pal_mesh_set;

typedef struct pal_volmesh {
    pal_element_kind kind;
    int32_t vertex_count;
    int32_t element_count;
    int32_t region_count;  // at least 1
    double *x;             // [vertex_count][3]
    int32_t *element;      // [element_count][kind]
    int32_t *region;       // [element_count], 0..region_count-1
    pal_region *regions;   // [region_count]
    double *share;         // [element_count] how much of each element is body, in (0, 1]: its mass,
                           // energy and volume are scaled by it; NULL: every element is whole
    int32_t set_count;     // copies of a mesh have none
    pal_mesh_set *sets;    // [set_count]
    int32_t *file_vertex;  // [vertex_count]: the vertex's place in the file, from 0
    int32_t dropped_count; // vertices of the file that no element used
    int32_t turned_count;  // elements that came inside out and were turned round
} pal_volmesh;

static inline const int32_t *pal_volmesh_element(const pal_volmesh *mesh, int32_t e) {
    return mesh->element + (int64_t)e * (int)mesh->kind;
}

static inline double pal_volmesh_share(const pal_volmesh *mesh, int32_t e) {
    return mesh->share != NULL ? mesh->share[e] : 1.0;
}

// Arrays of the given sizes, zeroed, without shares and sets; file_vertex counts up; every region
// is named "body". On failure *mesh is empty. Set-up only, any thread.
pal_status pal_volmesh_alloc(pal_volmesh *mesh, pal_element_kind kind, int32_t vertex_count,
                             int32_t element_count, int32_t region_count, pal_err *err);

// Frees the arrays and empties *mesh. An empty mesh may be freed again.
void pal_volmesh_free(pal_volmesh *mesh);

// Makes the shares of *to: those of from's elements element[e], or of its first ones where
// `element` is NULL; none where all of them are whole.
pal_status pal_volmesh_copy_share(const pal_volmesh *from, const int32_t *element, pal_volmesh *to,
                                  pal_err *err);

// Drops the shares when all elements are whole.
void pal_volmesh_settle_share(pal_volmesh *mesh);

// The box of the vertices; low > high where there are none.
void pal_volmesh_box(const pal_volmesh *mesh, double low[3], double high[3]);

void pal_volmesh_scale(pal_volmesh *mesh, double factor);

#endif
