// The servo: what happens every millisecond, the same under every clock (real time, the device's
// own, or virtual time). One struct, allocated at set-up; the tick allocates, locks, prints and
// reads nothing. Data leave it by the snapshot (latest state) and by the log ring (every tick);
// wishes reach it by the command ring.
#ifndef PAL_HAPTICS_SERVO_H
#define PAL_HAPTICS_SERVO_H

#include "devices/device.h"
#include "haptics/command.h"
#include "haptics/coupling.h"
#include "haptics/edit_plan.h"
#include "haptics/histogram.h"
#include "haptics/live_body.h"
#include "haptics/passivity.h"
#include "haptics/reading.h"
#include "haptics/ring.h"
#include "haptics/safety.h"
#include "haptics/snapshot.h"
#include "haptics/tick_record.h"
#include "haptics/watchdog.h"
#include "sim/step.h"

typedef struct pal_wall {      // all below z = height: F = K depth + B rate on the device itself
    double height;             // m
    double stiffness, damping; // N/m, N s/m
} pal_wall;

// The wall's force on a device `depth` below it that moves upwards with `velocity`, N. RT safe.
double pal_wall_push(const pal_wall *wall, double depth, double velocity);

enum { PAL_SERVO_STALLS = 16 };
typedef struct pal_stall { // the body stands still, as when the thread that moves it hangs
    uint64_t first, end;   // ticks, the end not included
} pal_stall;

typedef struct pal_servo_options {
    double dt; // s
    int32_t hand_count;
    pal_tool_options tool[PAL_MAX_TOOLS]; // [hand_count]; the shell is the body's
    pal_wall wall;                        // in the place of a body
    double delay;                         // s, of the devices' actuators
    bool observe_only;                    // the passivity controller adds nothing
    bool no_local;                        // no dents beyond the basis
    bool stiffening;                      // dents grow stiffer with their depth (stiffening.h)
    pal_contact_form form;                // of contact; the penalty form has no dents either
    int32_t visits;                       // to contacts in a tick, at most
    uint64_t log_capacity;                // rows in the log ring, a power of two
    const pal_edit_plan *plan;            // of materials, borrowed; NULL: none
    int32_t stall_count;                  // at most PAL_SERVO_STALLS; not in the penalty form
    pal_stall stall[PAL_SERVO_STALLS];
} pal_servo_options;

typedef struct pal_servo_counters {
    uint64_t ticks;
    uint64_t missed;                     // deadlines
    uint64_t outcome[PAL_OUTCOME_COUNT]; // ticks with that outcome
    double max_force;                    // N, sent
    double max_torque;                   // N m, sent
    double max_depth;                    // m, of a tool under the deformed surface
    int32_t max_contacts;                // at once
    pal_histogram tick;                  // compute time, without the simulated device
} pal_servo_counters;

typedef struct pal_servo_hand { // one hand, its device and its tool
    pal_device_state state;     // the last reading that was believed
    pal_reading reading;
    pal_coupling coupling;
    pal_passivity passivity;
    pal_watchdog watchdog;
    pal_safety safety;
    uint64_t faults;            // latched so far,
    pal_fault_cause last_fault; // the last one,
    double fault_time;          // s, when
    bool was_latched;           // at the last tick
    pal_outcome outcome;        // of this tick, beside what all hands share
    double wanted[3];           // N, before passivity and safety
    double way[3];              // m a tick, smoothed over 20 ms: where the hand goes
    double force[3];            // N, sent
    double torque[3];           // N m, sent
    double depth;               // m, in the wall
} pal_servo_hand;

typedef struct pal_servo {
    pal_servo_options options;
    pal_device *device;  // [hand_count] borrowed
    pal_live_body *body; // borrowed; NULL: the wall
    struct {             // owned by the thread that ticks
        uint64_t tick;
        pal_servo_hand hand[PAL_MAX_TOOLS];
        pal_tool tool[PAL_MAX_TOOLS];
        pal_world world;
        double no_force[PAL_MAX_R];
        bool paused;
        bool single;                 // a step is made though paused
        double slowness;             // of the body's time
        double body_time;            // s that the body has lived
        bool has_next;               // a command
        pal_servo_command next;      // that waits for the next tick
        int edits;                   // of the plan, taken so far
        uint32_t orders;             // taken at the next tick: 1 << pal_command_kind
        pal_servo_counters counters; // others read them when the ticking is over
        float recent[PAL_MAX_TOOLS][PAL_SNAPSHOT_RECENT]; // N, for the snapshot
        uint32_t tick_bin[PAL_SNAPSHOT_BINS];             // likewise
    } own;
    pal_exchange exchange;  // to who draws
    pal_ring log;           // to the trace writer
    pal_command_link link;  // from the main thread, and coefficients back to it
    pal_tick_record *items; // [log_capacity] of the log, owned
    float *domains;         // of the three snapshots, owned; NULL: the body is no tree
    uint32_t show_every;    // ticks: large trees are not copied at each
} pal_servo;

// The device's share of its limit that the hand may meet when the scene does not say.
#define PAL_COUPLING_SHARE 0.6
// One hand with a sphere of 5 mm at the tip.
void pal_servo_defaults(pal_servo_options *options, const pal_device_limits *limits);
// The same tool in hand h, which is then the last one.
void pal_servo_defaults_hand(pal_servo_options *options, int32_t h,
                             const pal_device_limits *limits);

// The devices [hand_count] and the body (NULL: the wall of the options) are borrowed. Set-up only;
// free with pal_servo_close.
pal_status pal_servo_open(pal_servo **servo, const pal_servo_options *options, pal_device *device,
                          pal_live_body *body, pal_err *err);
void pal_servo_close(pal_servo *servo);

// One tick. missed: deadlines missed since the last one; late_us: how late this one begins. RT
// safe.
void pal_servo_tick(pal_servo *servo, int missed, double late_us);

// A tick that waits for the second thread of its body, which the system has stopped, is late; from
// now on each period that passes meanwhile sends what a missed tick sends (safety.h): in real time,
// by the thread that ticks. RT safe.
void pal_servo_keep_time(pal_servo *servo);
// What is sent in such a period. RT safe.
void pal_servo_wait(pal_servo *servo);

// A command (other than MATERIAL) from the thread that ticks, taken at the next tick. RT safe.
void pal_servo_order(pal_servo *servo, pal_command_kind kind);

// Ticks that the force needs to get from its limit to zero after PAL_COMMAND_STOP. Any thread.
int pal_servo_stop_ticks(const pal_servo *servo);

#endif
