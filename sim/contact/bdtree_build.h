// Builds a Bounded Deformation Tree (see bdtree.h). Baking and loading only.
#ifndef PAL_CONTACT_BDTREE_BUILD_H
#define PAL_CONTACT_BDTREE_BUILD_H

#include "sim/base/status.h"
#include "sim/contact/bdtree.h"

// The body must be linear (basis given). Single precision and leaves of at most eight triangles: a
// surface of 110,000 triangles takes about 20 MB at r = 30 (its basis 40 MB). On failure *tree is
// empty.
pal_status pal_bdtree_build(const pal_body *body, pal_bdtree *tree, pal_err *err);
void pal_bdtree_free(pal_bdtree *tree);

#endif
