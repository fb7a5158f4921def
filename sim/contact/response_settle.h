// The contact problem solved at once, as it stands: what pushes keeps its gap closed, what sticks
// sticks, what slides goes on sliding the way it does, what is open stays open. Private to
// response.c. RT safe.
#ifndef PAL_CONTACT_RESPONSE_SETTLE_H
#define PAL_CONTACT_RESPONSE_SETTLE_H

#include "sim/contact/response.h"

// From forces [3 count] within their cones to forces that solve the problem if none of that changes
// but that what would have to pull opens, brought back into their cones; false, and nothing is
// changed, when there are too many unknowns or no single answer.
bool pal_response_settle(const pal_response *problem, double *force);

#endif
