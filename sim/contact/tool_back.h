// What a tool's coupling gives way by is taken back as the body gives way. Private to tool.c.
//
// From one tick to the next a body is harder than in the long run, for it has mass. The coupling
// makes that up (C, tool.h), and in the long run it should not be felt. With u how far the body's
// coordinates have taken the surface, f the force on the tool and W_0 = J K^-1 J^T, the hand is at
//
//     x = u + dent + C f - s,    ds = f dp - kappa du,    kappa = p W_0^-1 <= 1,
//
// p the part of C to be taken back: at rest s = p f. No energy is made then: to the hand it is a
// body of (1 - kappa) the compliance and a spring. A lag in its place, s following C f tau later,
// makes C tau f'^2 of power: 0.16 mJ in a deep press of the scene bridge. That lag is used where
// the motion of the surface tells little: of a body nearly as hard as the device bears, where other
// tools move it, and of a soft one, which swings by itself (its lag has a ledger). What is amiss
// fades within 0.1 s. Bodies without `settle` (trees of domains) are not taken back from.
#ifndef PAL_CONTACT_TOOL_BACK_H
#define PAL_CONTACT_TOOL_BACK_H

#include "sim/contact/tool.h"

// Moves the goal by s. RT safe.
void pal_tool_take_back(pal_tool *tool, const pal_body *body, double dt);

#endif
