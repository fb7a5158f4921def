// A part of a body that dents by itself: a body of one piece is one, and so is each domain of a
// tree. Its compliance beyond the basis is in a table of its own, in its own axes and size.
#ifndef PAL_CONTACT_SOFT_PART_H
#define PAL_CONTACT_SOFT_PART_H

#include "sim/contact/local.h"

typedef struct pal_soft_part {
    int32_t number;                   // which one it is of the body
    const pal_local *local;           //
    const pal_row_surface *rows;      // of its rows (stiffening.h); NULL: its dents stay linear
    const pal_footprint *footprint;   // of its touches; NULL: they press as points
    const pal_body *body;             // its own surface and embedding
    pal_dent *dent;                   // its own; NULL: the body's
    int32_t first_triangle, first_id; // of it among the triangles and touches of the whole
    int32_t level;                    // of the shell, that its touches are of
    double softer;                    // than its table says
    double size;                      // m in the world for one of its own
    double frame[3][3];               // from its axes to the world's
} pal_soft_part;

#endif
