// Fine bumps of a surface, too small for its triangles: a height that is fixed to the body at rest.
//
//     h(r) = -height (1 - s(r)),     s = 1/2 sum_c (1 - n_c^2) cos(2 pi r_c / length)
//
// with n the normal at rest: along a row of bumps the surface goes up and down by `height`. It is
// cut into the surface, never laid on it, so that what is looked for within the surface's reach is
// all there is to find. A tool is large beside a bump: all of its touches go by the height in the
// middle of what they press, in place of one each, which would cancel.
#ifndef PAL_CONTACT_TEXTURE_H
#define PAL_CONTACT_TEXTURE_H

#include "sim/contact/surface_law.h"
#include "sim/contact/touch.h"
#include "sim/reduced/body.h"

typedef struct pal_texture_ground { // what of the body at rest is under a tool
    double at[3];
    double normal[3];
} pal_texture_ground;

// By the touches' pushes of the last tick (`push` [count] N, zeros: none; then the deepest
// touch counts alone). There is at least one touch. RT safe.
void pal_texture_find(const pal_touch_set *set, const pal_body *body, const double *push,
                      pal_texture_ground *ground);

// How much the surface stands out there, m: 0 or less. RT safe.
double pal_texture_height(const pal_surface_law *law, const pal_texture_ground *ground);

#endif
