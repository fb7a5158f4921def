// A haptic device: one struct of functions and a description with its limits. SI units; forces in N
// and torques in N m as felt by the hand, torques about the device's own position, in the axes of
// the world. The null device (no force, fixed place) is always there.
//
// Whatever this program looks after ends when it does (SIGKILL) or when the computer does (power, a
// kernel that hangs): no write comes any more, and only the device itself can take the last force
// away. A back end says whether its device does, within how long; of one that does not, the force
// stays until somebody cuts its power, and whoever runs it should have a switch at hand.
#ifndef PAL_DEVICES_DEVICE_H
#define PAL_DEVICES_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/status.h"

typedef enum pal_device_watchdog { // takes the force away when no write comes any more
    PAL_WATCHDOG_NOT_KNOWN,        // its maker does not say
    PAL_WATCHDOG_NONE,             // the last force stays
    PAL_WATCHDOG_OWN,              // the device or its driver does, by itself
    PAL_WATCHDOG_NOT_NEEDED,       // it makes no force
} pal_device_watchdog;

typedef struct pal_device_limits {
    char name[32];
    pal_device_watchdog watchdog;
    double max_force;            // N, peak
    double max_continuous_force; // N
    double max_stiffness;        // N/m
    double max_damping;          // N s/m
    double workspace_radius;     // m
    double resolution;           // m, encoder step
    double friction;             // N
    double mass;                 // kg, apparent at the tip
    bool senses_turn;          // it tells how it is turned; false: its turn is always the identity
    double max_torque;         // N m, peak; 0: it makes no torque
    double max_turn_stiffness; // N m/rad
    double max_turn_damping;   // N m s/rad
    double turn_resolution;    // rad
    double inertia;            // kg m^2, apparent about the tip; 0: not known
} pal_device_limits;

typedef struct pal_hand { // that holds the device: its grip
    double mass;          // kg; 0: no hand, the device is alone (for the stability law)
    double k_h, b_h;      // arm, N/m and N s/m
    double k_g, b_g;      // grip, likewise
} pal_hand;

typedef struct pal_device_state {
    double position[3]; // m, as the encoders say
    double velocity[3]; // m/s, estimated
    double turn[4];     // how it is turned, as in sim/base/pose.h; zeros: not known
    double spin[3];     // rad/s, estimated, in the axes of the world
    uint32_t buttons;   // bit 0: stylus button
    uint64_t sequence;  // counts fresh readings; unchanged: stale
    bool present;       // false: unplugged
} pal_device_state;

typedef struct pal_device pal_device;

// What a device that keeps the time calls every period; false: call no more.
typedef bool (*pal_device_call)(void *context);

typedef struct pal_device_functions {
    // Reads the device at the tick. RT safe.
    void (*read)(pal_device *device, pal_device_state *state);
    // Sends the force and torque (NULL: none) that act until the next write; a device without
    // torque takes the force alone. RT safe.
    void (*write)(pal_device *device, const double force[3], const double torque[3]);
    // Lets dt seconds pass: simulated and replayed devices move here; hardware does nothing. RT
    // safe.
    void (*advance)(pal_device *device, double dt);
    void (*close)(pal_device *device);

    // Of a device that keeps the time itself, as HDAPI does; NULL: it is polled, by our clock.
    // Starts a thread of the device, which calls every period until a call says no or undrive().
    pal_status (*drive)(pal_device *device, pal_device_call call, void *context, pal_err *err);
    // Ends the calling, also when a call has said no, and takes the force away. No call is under
    // way or comes when it returns; not from within a call.
    void (*undrive)(pal_device *device);
} pal_device_functions;

struct pal_device {
    const pal_device_functions *functions;
    pal_device_limits limits;
    void *self;
    uint64_t readings; // made so far by the null device
};

// In words, for reports.
const char *pal_device_watchdog_text(pal_device_watchdog watchdog);

// The profiles of FEEL.md 3: touch, touchx, premium, omega, sigma, falcon, inverse3. NULL past the
// end or when there is none of that name.
const pal_device_limits *pal_device_profile(const char *name);
const pal_device_limits *pal_device_profile_at(int index);

// No force, no motion; never fails.
void pal_device_open_null(pal_device *device);

static inline bool pal_device_drives(const pal_device *device) {
    return device->functions->drive != NULL;
}

static inline void pal_device_close(pal_device *device) {
    if (device->functions != NULL) {
        device->functions->close(device);
        device->functions = NULL;
    }
}

#endif
