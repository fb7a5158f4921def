// From wishes that come sixty times a second, in jumps, to an intent that a hand could have:
// smooth, and never too fast. Two stages, for places and likewise for turns:
//
//     g   goes straight towards the wish, at most at `speed`
//     u'' = w^2 (g - u) - 2 w u'          critically damped, w = 2 / `lag`
//
// The second stage has an impulse response that is nowhere negative and has the area one: u never
// overshoots, and is never faster than g. A wish that moves steadily is followed `lag` seconds late
// (to which come the time until the mouse reports, on average half a frame, and a millisecond or so
// in which the first stage makes up for a jump); of the 60 Hz steps of
// a mouse a tenth of the height is left. Places are stepped exactly, however time is cut up; turns
// by two poles, one after the other, exactly about one axis as the steps get short.
#ifndef PAL_DEVICES_FOLLOWER_H
#define PAL_DEVICES_FOLLOWER_H

#include "sim/base/wish.h"

typedef struct pal_follower_options {
    double lag;   // s
    double speed; // m/s
    double spin;  // rad/s
} pal_follower_options;

// 16 ms, 0.8 m/s (a quick hand; safety cuts the force at 2 m/s), 10 rad/s.
pal_follower_options pal_follower_defaults(void);

typedef struct pal_follower {
    pal_follower_options options;
    double g[3], u[3], v[3];                   // m, m, m/s
    double turn_g[4], turn_half[4], turn_u[4]; // of the stages: before, between and after the poles
} pal_follower;

// At rest at this pose.
void pal_follower_init(pal_follower *follower, const pal_follower_options *options,
                       const pal_pose *at);

// dt seconds with the wish where it is; a number that is not finite is not followed. RT safe.
void pal_follower_move(pal_follower *follower, const double wish[3], double dt);
void pal_follower_turn(pal_follower *follower, const double wish[4], double dt);

#endif
