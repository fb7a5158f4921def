// A device between the servo and a simulated one, which damages what it reads: places that jump or
// drift, readings that are no numbers, huge, stale or out of turn, velocities that are not those of
// the places, turns that are none, buttons that chatter, a cable that comes off.
#ifndef PAL_TESTS_DAMAGE_H
#define PAL_TESTS_DAMAGE_H

#include "devices/device.h"
#include "tests/support/random.h"

enum { DAMAGE_KINDS = 14 };

typedef struct damage {
    pal_device inner; // owned
    test_random *random;
    double rate; // damages a tick, in the mean
    int kind;    // of the one at work,
    int left;    // for so many ticks
    int axis;
    double size;
    pal_device_state frozen;
    uint64_t faults; // begun so far
} damage;

// Takes the place of *device, in place. Close *device as before.
void damage_open(damage *damage, pal_device *device, test_random *random, double rate);

#endif
