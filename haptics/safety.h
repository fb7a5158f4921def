// The last thing before the device, whatever made the force (FEEL.md 2). On by default; each
// intervention is an outcome bit. In this order:
//
//     1. not a number             -> zero wanted
//     2. device too fast          -> zero wanted, until it is slow again
//     3. device lost, released, or a latched fault -> zero wanted from now on
//     4. no fresh reading         -> 1 tick: the last force held; 2-5: decayed with tau 5 ms; more
//                                    than 5, or 20 ms: a latched fault. Missed ticks count in the
//                                    age of a reading; so does a gap before a fresh one, but up to
//                                    5 ticks the fresh force is used (the device held the old one).
//     5. above the largest force  -> shortened, direction kept; that force sinks from the peak to
//     the
//                                    continuous one as the motors heat up
//     6. start-up                 -> nothing until the wanted force has once been small, then a
//     ramp
//                                    of what may be sent
//     7. change above the slew limit -> cut to it, so that none of the above, cuts and faults
//                                    included, makes a jump: "zero" is reached through the slew
//                                    limit, by default within 5 ms.
//
// Heat: the mean square of the force over 60 s (a first-order model of the motors) may not pass the
// square of the continuous force; in its last tenth the largest force sinks from the peak to the
// continuous force. A cold Touch bears its peak for 4 s. A driver that measures its motors knows
// better; this comes before it cuts.
//
// So |force| <= max_force and |change| <= max_slew dt always, and the force is never NaN. The
// torque goes the same way beside the force, by limits of its own; what is wrong with one cuts
// both.
#ifndef PAL_HAPTICS_SAFETY_H
#define PAL_HAPTICS_SAFETY_H

#include <stdbool.h>

#include "devices/device.h"
#include "haptics/fault.h"
#include "sim/base/outcome.h"

typedef struct pal_safety_options {
    double max_force;      // N
    double continuous;     // N, that the motors bear for ever; 0, or not below max_force: no matter
    double heat_seconds;   // time constant of the motors
    double max_slew;       // N/s
    double max_torque;     // N m; 0: the device makes none
    double max_turn_slew;  // N m/s
    double max_speed;      // m/s: above, force is cut
    double max_spin;       // rad/s: above, too
    double ramp_seconds;   // start-up
    double ramp_threshold; // N: the ramp starts when the wanted force has once been below this,
    double turn_threshold; // N m: and the wanted torque below this
} pal_safety_options;

typedef struct pal_safety {
    pal_safety_options options;
    double dt;
    double decay;           // exp(-dt / 5 ms)
    double last[3];         // N, sent at the last tick
    double last_torque[3];  // N m, likewise
    double ramp;            // 0..1
    bool armed;             // the wanted force has once been small
    bool started;           // there has been a reading
    uint64_t last_sequence; // of the device
    int64_t stale_ticks;    // ticks since the last fresh reading, missed ones included
    double heat;            // 0..1: mean square of the force over that of the continuous one
    double hottest;         // the most that was
    bool doubted;           // this tick's reading was not believed; set it before apply
    pal_fault_cause fault;  // what latched a fault
    bool latched;           // a fault: force ramps to zero and stays there
    bool released;          // the end of a run: the same, without a fault
} pal_safety;

// The device's peak force and torque, reached in 5 ms at the quickest; 2 m/s and 50 rad/s; a ramp
// of 0.2 s after what is wanted was below 3 % of the peak.
void pal_safety_defaults(pal_safety_options *options, const pal_device_limits *limits);

// A limit that is negative or not a number counts as zero: no force.
void pal_safety_init(pal_safety *safety, const pal_safety_options *options, double dt);

// force [3] and torque [3] (NULL: none) in: what is wanted; out: what may be sent. missed_ticks:
// deadlines missed since the last tick. RT safe.
pal_outcome pal_safety_apply(pal_safety *safety, const pal_device_state *state, int missed_ticks,
                             double force[3], double torque[3]);

// Whether the device cannot hold its largest force for ever.
bool pal_safety_has_heat(const pal_safety *safety);

// The force ramps to zero and stays there; the first cause is kept. RT safe.
void pal_safety_latch(pal_safety *safety, pal_fault_cause cause);

// What to send in a tick that does not come to its end in time, without a reading: the last force,
// held, then decayed, then a latched fault, as for a stale reading. RT safe.
pal_outcome pal_safety_wait(pal_safety *safety, double force[3], double torque[3]);

// From now on the force ramps to zero (end of a run, SIGINT). RT safe.
void pal_safety_release(pal_safety *safety);

// On the user's word after a fault: forgets it and begins as at start-up, waiting for a small force
// and ramping up. The force goes on from what was sent last. RT safe.
void pal_safety_rearm(pal_safety *safety);

#endif
