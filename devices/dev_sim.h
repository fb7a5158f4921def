// The simulated device: hand and device as two masses, closed loop: the force moves the hand
// (FEEL.md 4).
//
//     m_d x''   = F_act(t - t_d) - b_d x' - c sgn(x') + k_g (x_h - x) + b_g (x_h' - x')
//     m_h x_h'' = k_h (u(t) - x_h) - b_h x_h' - k_g (x_h - x) - b_g (x_h' - x')
//     x_meas    = Delta round(x / Delta),   F_act = saturate(zero-order hold(F_cmd)),      per axis
#ifndef PAL_DEVICES_DEV_SIM_H
#define PAL_DEVICES_DEV_SIM_H

#include "devices/device.h"

typedef enum pal_intent_kind { // what the hand wants to do; positions in m, in the scene's frame
    PAL_INTENT_HOLD,           // stay where the last one ended
    PAL_INTENT_MOVE,           // straight to `to`, smoothly (minimum jerk)
    PAL_INTENT_PRESS,          // move to `to`, the same as MOVE but named for what it does
    PAL_INTENT_RELEASE,        // back to where the press began
    PAL_INTENT_TAP,            // to `to` and back at `speed`
    PAL_INTENT_SLIDE,          // straight to `to` at constant speed
    PAL_INTENT_CIRCLE,         // round `to` (the centre) about `axis`, `turns` times
    PAL_INTENT_WANDER,         // smooth random walk within `radius` of `to`, by seed
} pal_intent_kind;

typedef struct pal_intent {
    pal_intent_kind kind;
    double seconds;
    double to[3];
    double axis[3];
    double radius, turns, speed;
} pal_intent;

typedef enum pal_fault_kind {
    PAL_FAULT_UNPLUG,  // not present from `at` on
    PAL_FAULT_DROPOUT, // no fresh readings for `seconds`
    PAL_FAULT_JITTER,  // readings delayed at random up to `seconds`
    PAL_FAULT_STUCK,   // the encoder of `axis` stands still for `seconds`
} pal_fault_kind;

typedef struct pal_fault {
    pal_fault_kind kind;
    double at, seconds;
    int axis;
} pal_fault;

typedef struct pal_hand { // the grip
    double mass;          // kg; 0: no hand, the device is alone (for the stability law)
    double k_h, b_h;      // arm
    double k_g, b_g;      // grip
} pal_hand;

typedef struct pal_sim_options {
    pal_device_limits limits;
    pal_hand hand;
    double device_damping; // b_d, N s/m
    double friction;       // c, N (overrides the profile)
    double delay;          // t_d, s
    double noise;          // m rms on the readings
    uint64_t seed;
    double start[3]; // m
    double start_velocity[3];
    int substeps; // per millisecond; 0: 400
    int intent_count;
    const pal_intent *intent; // copied
    int fault_count;
    const pal_fault *fault; // copied
} pal_sim_options;

// Defaults of a profile: firm grip, its friction, no delay. Set-up only.
void pal_sim_defaults(pal_sim_options *options, const pal_device_limits *limits);
pal_hand pal_hand_grip(const char *name, bool *known); // "loose", "medium", "firm", "none"

pal_status pal_device_open_sim(pal_device *device, const pal_sim_options *options, pal_err *err);

// Seconds of all intents together.
double pal_sim_script_seconds(const pal_sim_options *options);

// True state, for judging (not what the servo may see): place of the device and of the hand, the
// force that really acted at the last instant.
typedef struct pal_sim_truth {
    double position[3], velocity[3], hand[3], force[3];
} pal_sim_truth;
void pal_sim_read_truth(const pal_device *device, pal_sim_truth *truth);

#endif
