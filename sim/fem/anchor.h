// Whether the held vertices hold the body.
#ifndef PAL_FEM_ANCHOR_H
#define PAL_FEM_ANCHOR_H

#include "sim/fem/tie.h"

// Ties (NULL: none) make one component of those that they tie together. *rigid_modes = 0 when every
// component of the mesh is held at three vertices not in line, 6 when
// nothing is held and the mesh is in one piece; anything else is an error naming the loose
// component.
pal_status pal_fem_check_anchors(const pal_volmesh *mesh, const uint8_t *held, const pal_ties *ties,
                                 int32_t *rigid_modes, pal_err *err);

#endif
