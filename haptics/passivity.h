// Passivity observer and controller [HR02] with the force that was really applied: the ledger
// counts the energy that the device has put into the virtual world, delay included (FEEL.md 1.2,
// 2).
//
//     E_k = E_{k-1} - f_applied . (x_k - x_{k-1}) - t_applied . (turn from k-1 to k)
//     if E < 0:  F += -alpha v,  alpha = -E / (T v^2) <= m / (2 T)
//
// At a soft body (never_pull) a debt that is not felt itself, below 0.1 mJ or 2 % of the most that
// the touch has held, is paid slowly: alpha is at most that share of its bound, with a smoother v.
// Paid at once 3 uJ took away all of 0.14 N in one tick, which is felt as a click.
//
// A device with torque is damped in its turning, too: v^2 + l^2 w^2 in the place of v^2, and the
// torque gets -alpha l^2 w, where l^2 is its inertia over its mass.
//
// (alpha is kept lower still when the actuator is more than a tick late). With a velocity that was
// smoothed over the steps of an encoder each step would be a jump of the force, and a late one; of
// a device that has an encoder, v is that over an adaptive window (window.h), alpha <= 0.7 of that.
//
// Under a declared delay t_d of two ticks and more a force that is sent now acts later, while the
// hand may already leave. So the force is bounded by what the hand has put in and what is not
// promised yet (as energy-bounding does [KR10], with the forces on their way): with V the largest
// speed of late, at least 0.15 m/s, and F_i the forces on their way,
//
//     |F| V tau <= E + B - V dt sum_i |F_i|,     tau = t_d / 2, at least two ticks,
//
// (torques likewise, by the largest spin). B = 0.1 mJ lets a touch begin, a debt is forgiven by
// 0.2 mJ/s and within half a second, so that no touch ends for ever, and the share of the force
// that is sent grows from nothing to all in ten delays, so that it does not come at a blow. It can
// only shorten the force and asks for no model of the hand; damping by -alpha v comes t_d too late
// to bound energy by itself. A late device is therefore soft where it is quick: that is what its
// delay leaves. Without delay none of this is there.
//
// A surface that a hand leaves quickly gives back, in its last ticks, more than is left in the
// ledger, and a force cannot fall faster than the slew limit s. So with a delay of less than a tick
// the force F is bounded by what can still be taken away in time from a hand that leaves with v
// along it, while f, a part p of a tick late, is on its way:
//
//     F u T + F^2 u / (2 s) <= E + B - p T f . v,     B = 20 uJ at a wall, 0.1 mJ at a body
//
// with u = v - v_0^2 / v, v_0 = 0.05 m/s: a hand that rests in contact or leaves slowly is left to
// the damping.
//
// One booking is bounded by what the largest force can do on the way of PAL_PASSIVITY_GAP ticks at
// the largest speed that is believed (reading.h): no reading, however wrong, ruins the ledger.
//
// An encoder tells where the device is when its reading changes: half-way between the two. From one
// change to the next the work is that of the mean force on the way between these places; under the
// force of the moment on the way between readings, each press would end in a debt of a step times
// its largest force, and taking that back would make the force tremble.
//
// Free space stays free: without a wanted force nothing is added; a debt waits for the next touch,
// and what was dissipated is forgotten, so that a touch begins with nothing to spend but what the
// hand has put into the body and is in it still (a body that was struck swings back). What one hand
// puts in another may take out: energy is made when the ledgers of all hands together are below
// zero.
#ifndef PAL_HAPTICS_PASSIVITY_H
#define PAL_HAPTICS_PASSIVITY_H

#include <stdbool.h>

#include "devices/device.h"
#include "haptics/window.h"
#include "sim/base/outcome.h"

enum {
    PAL_PASSIVITY_DELAY = 32, // ticks of delay that can be accounted for
    PAL_PASSIVITY_GAP = 6,    // ticks without a reading, at most: then safety latches a fault
};

typedef struct pal_passivity_axis { // since the reading last changed
    double middle;                  // m, where the device was then
    double impulse;                 // N, sum of the forces over the ticks since, half of the first
    int ticks;
} pal_passivity_axis;

typedef struct pal_passivity {
    double dt;
    double energy;          // E, J: > 0 stored or dissipated, < 0 made
    double made;            // J, the most that all were ever below zero
    double most;            // J, the largest E of this touch
    double stored;          // J, in the body; set it before apply, 0: in nothing
    double others;          // J, in the other hands' ledgers; likewise
    double others_promised; // J, that their forces on their way may take; likewise
    bool others_touch;      // one of them is at the body
    double alpha_max;       // N s/m
    double max_slew;        // N/s, of a hard wall's force; 0: it is none
    double most_work;       // J, of one booking
    double delay;           // s, of the actuator
    double speed;           // m/s, the largest of late, under a delay
    double turning;         // rad/s, likewise
    double scale;           // of the force, by the bound under a delay
    double step;            // m, of the encoder
    pal_passivity_axis axis[3];
    int delay_ticks;                            // of the actuator, whole
    double delay_share;                         // and the part of a tick beyond
    double sent[PAL_PASSIVITY_DELAY][3];        // N, the last forces sent, newest first
    double sent_torque[PAL_PASSIVITY_DELAY][3]; // N m
    double last_position[3], last_turn[4];
    double angle[3];                // rad, turned so far about the axes of the world
    double lever2;                  // m^2, inertia over mass of a device with torque, 0 of others
    pal_window window, turn_window; // of the readings
    double slow[3];                 // m/s, smoother
    bool started;
    bool control; // false: observe only
    // The controller may take a force away but not turn it round: a soft surface that one leaves
    // quickly would seem to stick. What is owed waits. (A hard wall under a long delay needs more.)
    bool never_pull;
} pal_passivity;

// delay: of the actuator, s, as a whole number of ticks and a part; at most PAL_PASSIVITY_DELAY - 2
// ticks are accounted for. A device of unknown mass (0) is damped up to its max_damping.
void pal_passivity_init(pal_passivity *passivity, const pal_device_limits *limits, double dt,
                        double delay, bool control);

// Forgets the ledger and all readings (what `made` says stays): after a reset or a fault. RT safe.
void pal_passivity_clear(pal_passivity *passivity);

// Books what others than the hand have put into the body in this tick, J (gravity, wind; negative:
// taken out of it): a hand may get it. No more is kept than the body holds. After `stored` is set,
// before apply. RT safe.
void pal_passivity_credit(pal_passivity *passivity, double work);

// Books the motion since the last tick and, when energy was made, adds damping to force [3] and
// torque [3] (NULL: none). RT safe.
pal_outcome pal_passivity_apply(pal_passivity *passivity, const pal_device_state *state,
                                double force[3], double torque[3]);

// J that the forces on their way may still do, at the largest speed of late; 0 below a delay of two
// ticks. RT safe.
double pal_passivity_promised(const pal_passivity *passivity);

// What was really sent at this tick, after safety. RT safe.
void pal_passivity_sent(pal_passivity *passivity, const double force[3], const double torque[3]);

#endif
