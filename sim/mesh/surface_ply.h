// A close look at a PLY file before assimp reads it. Internal to the surface readers.
#ifndef PAL_MESH_SURFACE_PLY_H
#define PAL_MESH_SURFACE_PLY_H

#include "sim/mesh/surface_scan.h"

// The header is understood, the body is as long as it says, coordinates are finite, and faces have
// three or more vertices, all of which are there. Only vertices and faces are taken, in this order.
pal_status pal_ply_check(pal_scan *scan);

#endif
