// What a tool's coupling gives way by is taken back as the body gives way. Private to tool.c.
//
// From one tick to the next a body is harder than in the long run, for it has mass. The coupling
// makes that up (C, tool.h), and in the long run it should not be felt: the hand is at
//
//     x = u + dent + C f - s,    s = p f at rest,    p = min(W_0 - W_1, C),
//
// u how far the body's coordinates have taken the surface, f the force on the tool, W_1 and W_0 by
// what they give way to it in a tick and in the long run. s follows the work that the tool does on
// the coordinates, along the force,
//
//     f . ds = -kappa f . du,    kappa = p / W_0 <= 1:
//
// the hand does (1 - kappa) of that work and gets as much of it back, as of a body of that much
// less compliance, whatever the body does meanwhile. (Following f with a lag of tau makes C tau
// f'^2 of power; following each axis of u by itself, kappa = p W_0^-1, lets the motion of one axis
// work against the force of another.) While several tools push a body all follow its motion by the
// same kappa, so that the hands together do (1 - kappa) of the work, whoever moves the body:
// p f^2 over W_0 f^2, each summed over them, W_0 in p what the others leave of it
// (contacts_given.c).
//
// What is then amiss, for kappa and C change on the way and the body may have been moving when it
// was touched, is mended slowly, and never at the cost of energy: an account is kept of what the
// hand has put into the coupling, and s goes only as far towards p f as leaves 0.7 C f^2 / 2 in it.
// A push that ends has had all of it back. While W_0 is not known (body.h: lasting), p and kappa
// stay as they were; of bodies of which it never is, nothing is taken back.
#ifndef PAL_CONTACT_TOOL_BACK_H
#define PAL_CONTACT_TOOL_BACK_H

#include "sim/contact/tool.h"

// Moves the goal by s. RT safe.
void pal_tool_take_back(pal_tool *tool, double dt);

#endif
