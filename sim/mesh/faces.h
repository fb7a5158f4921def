// The faces of the elements of a volume mesh. A face is named element * face_count + its place in
// the table.
#ifndef PAL_MESH_FACES_H
#define PAL_MESH_FACES_H

#include "sim/mesh/volmesh.h"

typedef struct pal_face_table { // counter-clockwise from outside
    int face_count, corner_count;
    int corner[6][4];
} pal_face_table;

const pal_face_table *pal_faces_of_kind(pal_element_kind kind);

// The vertices of a face, in its order; returns how many.
int pal_face_vertices(const pal_volmesh *mesh, int32_t face, int32_t vertex[4]);

// The faces that only one element has: *boundary is a heap array [*count], ascending. Set-up only.
pal_status pal_boundary_faces(const pal_volmesh *mesh, int32_t **boundary, int32_t *count,
                              pal_err *err);

// *neighbour is a heap array [element_count][face_count]: the element across each face, -1 on the
// boundary. Set-up only.
pal_status pal_face_neighbours(const pal_volmesh *mesh, int32_t **neighbour, pal_err *err);

// m^2: the area of a face; of a face with four corners by the cross product of its diagonals.
double pal_face_area(const pal_volmesh *mesh, int32_t face);

#endif
