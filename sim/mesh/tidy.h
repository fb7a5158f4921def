// What every mesh goes through before it is used, and what there is to say about one.
#ifndef PAL_MESH_TIDY_H
#define PAL_MESH_TIDY_H

#include "sim/mesh/volmesh.h"

// Checks and repairs a mesh just read or made: coordinates finite; indices in range and distinct
// within an element; inside-out elements turned round (counted in turned_count); unused vertices
// dropped (counted in dropped_count, file_vertex kept right). A degenerate element, one that is
// there twice, or a hexahedron that stays inside out at a corner or is twisted, is an error naming
// the element. `name` is the file (or shape) for messages. On failure the mesh is as it was or
// tidied in part; free it.
pal_status pal_mesh_tidy(pal_volmesh *mesh, const char *name, pal_err *err);

// Connected components by shared vertices: component[v] in 0..*count-1 (component may be NULL).
pal_status pal_mesh_components(const pal_volmesh *mesh, int32_t *component, int32_t *count,
                               pal_err *err);

typedef struct pal_mesh_quality {
    double volume;                 // m^3, of elements by their shares
    double box_min[3], box_max[3]; // m
    double min_edge, max_edge;     // m
    double min_dihedral_degrees;   // over all elements and edges
    double max_dihedral_degrees;
    int32_t worst_element;   // has the dihedral angle farthest from that of a regular one
    int32_t inverted_count;  // elements with a Jacobian <= 0 somewhere at a vertex
    int32_t components;      // joined by shared vertices
    int32_t face_components; // joined by shared faces: more than `components` = hinges
} pal_mesh_quality;

pal_status pal_mesh_measure(const pal_volmesh *mesh, pal_mesh_quality *quality, pal_err *err);

#endif
