// The analytic wall in a closed loop with the simulated device, in virtual time: does a swing grow?
//
// The device stands deep in the wall, where a steady push holds it (as the weight of a hand would),
// and starts with some speed; so the wall's own force law is seen, without the surface. Swings are
// measured by sqrt(y^2 + (y'/w)^2), y from the place of rest and w^2 = K/m, whose largest value in
// a window of half a second is an envelope. With the passivity controller the device falls onto the
// wall instead, since what it may spend begins at the surface; it is held when it never swings
// wider than the fall did (a ripple may stay).
#ifndef PAL_APP_WALL_LOOP_H
#define PAL_APP_WALL_LOOP_H

#include "devices/dev_sim.h"
#include "haptics/feel/stability.h"

typedef struct pal_wall_loop {
    pal_sim_options device; // its hand, damping, friction, delay and filter
    double dt;              // s
    double speed;           // m/s, at the start
    double seconds;         // of a run, at most
    bool passivity;         // the controller of haptics/passivity.h is on
} pal_wall_loop;

// The profile alone in the world: no hand, no friction, no encoder steps and no limit of the force,
// which would all hide what is looked for; the rest as pal_sim_defaults says.
void pal_wall_loop_defaults(pal_wall_loop *loop, const pal_device_limits *limits);

// The same as the theory sees it.
pal_wall_plant pal_wall_loop_plant(const pal_wall_loop *loop);

// Whether swings at a wall of stiffness K and damping B grow. Any thread.
pal_status pal_wall_loop_grows(const pal_wall_loop *loop, double K, double B, bool *grows,
                               pal_err *err);

// The K nearest to `guess` at which they begin to grow, to 0.02 %, by bisection; NAN: none within a
// factor of 150.
pal_status pal_wall_loop_critical_stiffness(const pal_wall_loop *loop, double B, double guess,
                                            double *K, pal_err *err);

// The starting speed from which they grow, likewise, m/s.
pal_status pal_wall_loop_critical_speed(const pal_wall_loop *loop, double K, double B, double guess,
                                        double *speed, pal_err *err);

#endif
