// The cheap form of contact: the layer of the surface under each touch is a spring inside the step
// matrix of the body, in series with the tool's coupling; no compliance matrix, no iterations over
// all contacts.
//
// For a body that stays where it is the forces are known: the tool gives way by u = C sum g_i f_i
// until its coupling C balances the layers,
//
//     f_i = k_i max(0, d_i - g_i . u),      g_i = (n_i, r_i x n_i)
//
// d_i the depth at the pose where the tool would be if nothing were touched, r_i the touch's arm.
// That says which touches push in this step. While the body moves by dq they are springs with the
// tool between them; without the tool's unknowns (static condensation)
//
//     f(dq) = f - S row dq,     S = k - k E E^T k,     E E^T = G (C^-1 + G^T k G)^-1 G^T
//
// with G the rows g_i and k diagonal: the layers' own springs, and for each way in which the tool
// gives way one of stiffness -1 along row^T k E. S is positive semidefinite, so that the step is as
// stable as without. One touch has k K / (k + K), the series of layer and coupling.
//
// There is no friction, no adhesion, no grasp and no dent in this form; texture is there. A touch
// that would end the step with a pull is not felt; the body is held back by it for that one step.
#ifndef PAL_CONTACT_PENALTY_H
#define PAL_CONTACT_PENALTY_H

#include "sim/contact/contacts.h"

enum { PAL_PENALTY_WAYS = 6 }; // in which a tool gives way

// Touches of each tool at most.
static inline int32_t pal_penalty_room(int32_t tool_count) {
    const int32_t room = PAL_MAX_SPRINGS / tool_count - PAL_PENALTY_WAYS;
    return room < PAL_MAX_TOUCHES ? room : PAL_MAX_TOUCHES;
}

// The whole step of body and tools under the force load [size] on the coordinates; the tools have
// been looked for. Uses of *contacts the list and the room for rows. PAL_OUT_BUDGET: a tool has
// more touches than there is room for, and the last of them were left out. RT safe.
pal_outcome pal_penalty_step(pal_contacts *contacts, const pal_contact_scene *scene,
                             const double *load);

#endif
