// Watches what is sent to a hand over windows of time, and softens it before it takes it away. A
// loop that is too stiff for its device, its delay or its hand vibrates: no single tick breaks a
// limit, but the hand is shaken. Watched are
//
//     the way that the force goes to and fro, in units of the device's largest force (torques in
//     theirs): taps of a quick hand go 14 times as far in a second, more than 20 times (a mean with
//     a time constant of 0.5 s) is vibration; the energy made, new debts of the ledger
//     (passivity.h): more than 3 mJ (time constant 1 s); the share of deadlines missed (time
//     constant 1 s): more than 3 % softens, more than 12 % is a fault at once.
//
// The first time the force is scaled by a half, the second time by a quarter, the third time a
// fault is latched. Half a second passes between two steps, and the scale moves smoothly (20 ms).
// What vibration and energy have softened stays so until the user re-arms; for missed deadlines the
// scale comes back when fewer than 1 % are missed.
//
// A scale below 1 on all that is sent is a softer coupling: what was passive stays so.
#ifndef PAL_HAPTICS_WATCHDOG_H
#define PAL_HAPTICS_WATCHDOG_H

#include <stdbool.h>

#include "devices/device.h"
#include "haptics/fault.h"
#include "sim/base/outcome.h"

typedef struct pal_watchdog {
    double dt;                    // s
    double max_force, max_torque; // N, N m, of the device
    double scale;                 // of all that is sent: 1, and while softened less
    double softest;               // the least that it was
    int steps;                    // how often it was softened for good: 0, 1, 2
    bool late;                    // softened as long as deadlines are missed
    pal_fault_cause why;          // it was softened
    double force[3], torque[3];   // sent last
    double swings, turns; // way to and fro, in largest forces and torques, not forgotten yet
    double owed, made;    // J: the last debt; new debts, not forgotten yet
    double missed;        // share of deadlines, smoothed
    double calm;          // s until the next step
} pal_watchdog;

void pal_watchdog_init(pal_watchdog *watchdog, const pal_device_limits *limits, double dt);

// As at the start: after a reset, or when the user re-arms. RT safe.
void pal_watchdog_restart(pal_watchdog *watchdog);

// In words, why it was softened last. Any thread, when the ticking is over.
const char *pal_watchdog_why(const pal_watchdog *watchdog);

// Scales what is wanted. RT safe.
pal_outcome pal_watchdog_soften(pal_watchdog *watchdog, double force[3], double torque[3]);

// Looks at what was sent at this tick, at the debt of the ledger (J, 0: none) and at the deadlines
// missed before it. Returns the fault that is to be latched, or PAL_CAUSE_NONE. RT safe.
pal_fault_cause pal_watchdog_look(pal_watchdog *watchdog, const double force[3],
                                  const double torque[3], double owed, int missed);

#endif
