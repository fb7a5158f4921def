// Which triangles of a soup must be turned so that all face outwards. Internal to voxelize.
#ifndef PAL_MESH_ORIENT_H
#define PAL_MESH_ORIENT_H

#include "sim/mesh/surface.h"

// Triangles that share an edge which no third one has are turned alike, patch by patch; each patch
// is then turned so that the volume it spans about its own middle is positive (a patch that spans
// next to none stays as the file has it). turn[t] = 1 where triangle t must be turned.
pal_status pal_surface_orient(const pal_surface *surface, uint8_t *turn, pal_err *err);

#endif
