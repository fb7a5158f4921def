// The turns of eight interfaces side by side. Internal to sim/substruct. RT safe.
#ifndef PAL_SUBSTRUCT_POLAR8_H
#define PAL_SUBSTRUCT_POLAR8_H

#include "sim/substruct/vec8.h"

// The rotation Q nearest to B [9], det = +1, from the last one; then S = Q^T B and the six numbers
// of G^-1 = (tr(S) I - S)^-1. Where the way from the last Q does not lead to the nearest, it starts
// anew. G is kept away from singular where B is nearly of rank one: the bits of those lanes are
// returned. rest [9] is B at rest.
unsigned pal_polar8(const pal_vec8 *b, const pal_vec8 *rest, pal_vec8 *q, pal_vec8 *s, pal_vec8 *g);

#endif
