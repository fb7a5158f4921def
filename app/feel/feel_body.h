// The body of a suite, of one piece or a tree of domains: baked once, lent to all its sessions.
#ifndef PAL_APP_FEEL_BODY_H
#define PAL_APP_FEEL_BODY_H

#include "app/feel/feel.h"

// Bakes or loads the model of the suite's scene, if it has one, as stiff as wished; and what is
// looked at in it.
pal_status pal_feel_load_body(pal_feel *feel, const pal_progress *progress, pal_err *err);
void pal_feel_free_body(pal_feel *feel);

// What a session borrows of it.
void pal_feel_lend(const pal_feel *feel, pal_session_options *options);

// How heavy a body that flies is to a push at a place along a direction, kg: it moves on and turns.
double pal_feel_flying_mass(const pal_feel *feel, const double at[3], const double along[3]);

#endif
