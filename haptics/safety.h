// The last thing before the device, whatever made the force (FEEL.md 2): not-a-number to zero,
// over-speed cut, stale-state watchdog, start-up ramp, clamp by magnitude, slew limit. On by
// default; each intervention is an outcome bit.
#ifndef PAL_HAPTICS_SAFETY_H
#define PAL_HAPTICS_SAFETY_H

#include <stdbool.h>

#include "devices/device.h"
#include "sim/base/outcome.h"

typedef struct pal_safety_options {
    double max_force;      // N
    double max_slew;       // N/s
    double max_speed;      // m/s: above, force is cut
    double ramp_seconds;   // start-up
    double ramp_threshold; // N: the ramp starts when the wanted force has once been below this
} pal_safety_options;

typedef struct pal_safety {
    pal_safety_options options;
    double dt;
    double last[3];         // N, sent at the last tick
    double ramp;            // 0..1
    bool armed;             // the wanted force has once been small
    uint64_t last_sequence; // of the device
    int stale_ticks; // ticks without a fresh reading: 1 hold; 2-5 decay, tau 5 ms; more: ramp to
                     // zero, latch
    bool latched;    // a fault: force ramps to zero and stays there
} pal_safety;

void pal_safety_defaults(pal_safety_options *options, const pal_device_limits *limits);
void pal_safety_init(pal_safety *safety, const pal_safety_options *options, double dt);

// force [3] in: what is wanted; out: what may be sent. missed_ticks: deadlines missed since the
// last tick. RT safe.
pal_outcome pal_safety_apply(pal_safety *safety, const pal_device_state *state, int missed_ticks,
                             double force[3]);

// From now on the force ramps to zero (end of a run, SIGINT). RT safe.
void pal_safety_release(pal_safety *safety);

#endif
