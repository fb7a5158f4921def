// Which readings of a device are believed. A reading that cannot be is not taken: the last good one
// grows stale, and safety (safety.h) holds, decays, and after more than 5 such ticks latches a
// fault. It cannot be
//
//     when anything in it is not a number, or its turn is no rotation;
//     when the device went faster than PAL_READING_SPEED since the last reading that was believed,
//     or turned faster than PAL_READING_SPIN (six steps of the encoder are allowed besides); when
//     it is farther than PAL_READING_REACH radii of its workspace from its first reading; when its
//     velocity, or its spin, is larger than that, or when over the last 32 readings its velocities
//     and its places do not agree: their sum is off by more than 0.5 m/s in the mean.
//
// Above the speed at which safety cuts the force (2 m/s) and up to that limit a device is fast, not
// wrong. Buttons that change more often than a finger can (8 times at once, 20 times a second) keep
// their last value until they are calm.
#ifndef PAL_HAPTICS_READING_H
#define PAL_HAPTICS_READING_H

#include "devices/device.h"
#include "sim/base/outcome.h"

#define PAL_READING_SPEED 4.0   // m/s
#define PAL_READING_SPIN  100.0 // rad/s
#define PAL_READING_REACH 20.0  // radii of the workspace

enum { PAL_READING_WINDOW = 32 }; // readings over which velocities and places are compared

typedef struct pal_reading {
    double dt, step, turn_step, reach; // s, m, rad, m
    bool started;                      // one was believed
    double first[3];                   // m, its place
    uint64_t sequence;                 // of the last reading that was looked at
    int64_t age;                       // ticks since one was believed
    double drift[3];                   // m, places less the sum of the velocities, in the window:
    double part[PAL_READING_WINDOW][3];
    int newest;
    double changes;   // of the buttons, that are not forgotten yet
    uint64_t chatter; // readings whose buttons were not taken
} pal_reading;

void pal_reading_init(pal_reading *reading, const pal_device_limits *limits, double dt);

// The next reading that can be is believed wherever it is: after a reset or a fault. RT safe.
void pal_reading_restart(pal_reading *reading);

// Takes `fresh` into `state` (the last one that was believed) when it can be. missed: deadlines
// since the last call. PAL_OUT_IMPLAUSIBLE: it was not taken. RT safe.
pal_outcome pal_reading_take(pal_reading *reading, const pal_device_state *fresh, int missed,
                             pal_device_state *state);

#endif
