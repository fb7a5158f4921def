// The surface about a point that is known: going along it from triangle to triangle, and its
// outside. Where the tree knows only what is nearest, tracking stays on the side from which a tool
// came.
#ifndef PAL_CONTACT_TRACK_H
#define PAL_CONTACT_TRACK_H

#include "sim/contact/bdtree.h"

// The point of the deformed surface to which one comes from triangle `start` by going to the
// nearest neighbour (triangles that share a corner) as long as that brings one nearer to x: a local
// minimum of the distance. The work is bounded; a long way is finished at the next call. RT safe.
void pal_track_nearest(const pal_bdtree *tree, const pal_body *body, const double x[3],
                       int32_t start, pal_nearest *nearest);

// The unit normal (out of the body) at a nearest point: of the face, the mean of two faces at an
// edge, the mean weighted by angles at a corner; so x is outside where (x - point) . normal > 0, on
// edges and corners too [BA05]. Zeros where the triangles have no area. RT safe.
void pal_track_normal(const pal_bdtree *tree, const pal_body *body, const pal_nearest *nearest,
                      double normal[3]);

#endif
