// The simulated device: hand and device as two masses, closed loop: the force moves the hand
// (FEEL.md 4). It is stepped exactly, so that instability seen here is that of the loop, not of the
// integrator.
//
//     m_d x''   = F_act(t - t_d) - b_d x' - c sgn(x') + k_g (x_h - x) + b_g (x_h' - x')
//     m_h x_h'' = k_h (u(t) - x_h) - b_h x_h' - k_g (x_h - x) - b_g (x_h' - x')
//     x_meas    = Delta round(x / Delta),   F_act = saturate(zero-order hold(F_cmd)),      per axis
//
// Turning has the same form, with inertias, torques, and the hand's springs and dampers at a lever
// of 30 mm. Its coordinates are the angles turned so far about the axes of the world (the integral
// of the spin), which is exact about one axis; how far the device is behind the intended turn is
// composed with that turn as one small rotation. A device without torque turns with the hand all
// the same. Friction, noise and stuck encoders are of the places alone.
#ifndef PAL_DEVICES_DEV_SIM_H
#define PAL_DEVICES_DEV_SIM_H

#include "devices/device.h"
#include "devices/follower.h"
#include "devices/mailbox.h"

typedef enum pal_intent_kind { // what the hand wants to do; positions in m, in the scene's frame
    PAL_INTENT_HOLD,           // stay where the last one ended
    PAL_INTENT_MOVE,           // straight to `to`, smoothly (minimum jerk)
    PAL_INTENT_PRESS,          // move to `to`, the same as MOVE but named for what it does
    PAL_INTENT_RELEASE,        // back to where the press began
    PAL_INTENT_TAP,            // to `to` and back at `speed`, then hold
    PAL_INTENT_SLIDE,          // straight to `to` at constant speed
    PAL_INTENT_CIRCLE,         // round `to` (the centre) about `axis`, `turns` times
    PAL_INTENT_WANDER,         // smooth random walk within `radius` of `to`, by seed; ends at `to`
    PAL_INTENT_PATH,           // along `sample`, smoothly and without overshoot
} pal_intent_kind;

// An intent takes `seconds`; when they are 0, as long as its `speed` asks for (the peak speed of a
// smooth move). A hand is not faster than 0.1 s a stroke and 5 turns a second: what asks for more
// takes longer. A circle of radius 0 keeps the distance at which it begins; another one is reached
// in its first quarter.

// A path passes its samples at their times, which begin at 0 or later and grow; until the first one
// the hand goes there from where it is.

typedef struct pal_path_sample {
    double time; // s, from the beginning of the intent
    double x[3]; // m
} pal_path_sample;

typedef struct pal_intent {
    pal_intent_kind kind;
    double seconds;
    double to[3];
    double axis[3];
    double radius, turns, speed;
    bool turned;    // the hand turns meanwhile, smoothly,
    double turn[3]; // to this rotation vector, rad (length: the angle), from the axes of the world
    uint32_t buttons; // that the hand holds down all the while, as in pal_device_state
    int32_t sample_count;
    const pal_path_sample *sample; // copied when the device is opened
} pal_intent;

typedef enum pal_fault_kind {
    PAL_FAULT_UNPLUG,  // not present from `at` on, readings frozen, no force
    PAL_FAULT_DROPOUT, // no fresh readings for `seconds`
    PAL_FAULT_JITTER,  // from `at` on readings delayed at random up to `seconds` (at most 0.1)
    PAL_FAULT_STUCK,   // the encoder of `axis` stands still for `seconds`
    PAL_FAULT_SILENCE, // from `at` on no fresh readings, and a device that drives calls no more
    PAL_FAULT_STALL,   // the body stands still for `seconds`: not the device's, which leaves it
} pal_fault_kind;

typedef struct pal_fault {
    pal_fault_kind kind;
    double at, seconds;
    int axis;
} pal_fault;

typedef struct pal_guide { // what moves the hand in the place of a script (dev_pointer.h)
    pal_mailbox *box;      // borrowed; the device looks, another thread posts
    bool waits;            // the script leads until the first wish is posted
    pal_follower_options follower;
} pal_guide;

typedef struct pal_sim_options {
    pal_device_limits limits;
    pal_hand hand;
    double device_damping; // b_d, N s/m
    double friction;       // c, N (overrides the profile)
    double delay;          // t_d, s; at most 0.1
    double noise;          // m rms on the readings, before quantisation
    // The velocity that is read is the first difference of the quantised positions through a
    // low-pass of one pole with this time constant, s; 0: the bare difference.
    double velocity_filter;
    uint64_t seed;
    double start[3]; // m
    double start_velocity[3];
    double start_turn[3]; // rad, a rotation vector
    int substeps;         // per millisecond, for the intent and the events of friction; 0: 8
    int intent_count;
    const pal_intent *intent; // copied
    const pal_guide *guide;   // copied; NULL: the intents
    int fault_count;
    const pal_fault *fault; // copied
} pal_sim_options;

// Defaults of a profile: firm grip, its friction, no delay, a velocity filter of 3 ms. Set-up only.
void pal_sim_defaults(pal_sim_options *options, const pal_device_limits *limits);
pal_hand pal_hand_grip(const char *name, bool *known); // "loose", "medium", "firm", "none"

// A reading is made at the start and at the end of every advance, and numbered from 1. Forces are
// cut to limits.max_force by magnitude, torques to limits.max_torque; one that is not finite acts
// as none. Fails with PAL_ERR_USAGE on options that make no sense. Close with pal_device_close().
pal_status pal_device_open_sim(pal_device *device, const pal_sim_options *options, pal_err *err);

// Seconds of all intents together (of intents that pal_device_open_sim accepts).
double pal_sim_script_seconds(const pal_sim_options *options);

// True state, for judging (not what the servo may see): place of the device and of the hand, the
// force that really acted at the last instant.
typedef struct pal_sim_truth {
    double position[3], velocity[3], hand[3], force[3];
    double turn[4], spin[3], torque[3];
} pal_sim_truth;
void pal_sim_read_truth(const pal_device *device, pal_sim_truth *truth);

#endif
