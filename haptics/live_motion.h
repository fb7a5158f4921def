// What the servo asks of a live body's motion, whether it is one piece or a tree of domains. All RT
// safe, of the thread that ticks.
#ifndef PAL_HAPTICS_LIVE_MOTION_H
#define PAL_HAPTICS_LIVE_MOTION_H

#include "haptics/live_body.h"

// Undeformed and at rest; where the wind blows it begins anew.
void pal_live_reset(pal_live_body *live);

// Another time step, s.
void pal_live_set_step(pal_live_body *live, double dt);

// Factors on the internal force of some domains of a tree: the square of those on their
// frequencies.
void pal_live_set_stiffness(pal_live_body *live, const int32_t *domain, int32_t count,
                            double factor);

// Other coefficients and damping of a body of one piece; those out of use are returned. (A tree has
// no materials that change: what is given comes back.)
pal_coefficients *pal_live_swap(pal_live_body *live, pal_coefficients *coefficients);
void pal_live_set_damping(pal_live_body *live, double alpha, double beta);

// What acts on it in the step to come, beside its contacts: the wind. dt: s of the body's time.
void pal_live_blow(pal_live_body *live, double dt);

// J: of its strain when the tick began; of its motion (of a tree: then, too).
double pal_live_strain(const pal_live_body *live);
double pal_live_kinetic(const pal_live_body *live);
// W: what gravity and wind did to it then.
double pal_live_power(const pal_live_body *live);

#endif
