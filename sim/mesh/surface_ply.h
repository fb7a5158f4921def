// PLY files, ASCII and binary, as the text of an OBJ file. assimp's own PLY reader loses its place
// in binary bodies that start with a newline. Internal to the surface readers.
#ifndef PAL_MESH_SURFACE_PLY_H
#define PAL_MESH_SURFACE_PLY_H

#include "sim/mesh/surface_scan.h"

// Checks that the header is understood, that the body is as long as it says, that coordinates are
// finite, and that faces have three or more vertices, all of which are there. Only vertices and
// faces are taken, in this order; properties other than x, y, z and vertex_indices are passed over.
pal_status pal_ply_to_obj(pal_scan *scan, pal_buffer *out);

#endif
