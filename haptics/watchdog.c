#include "haptics/watchdog.h"

#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"

static const double swing_time = 0.5, made_time = 1.0, late_time = 1.0; // s, time constants
static const double most_swings = 20.0;                                 // largest forces a second
static const double most_made = 3e-3;                                   // J
static const double late_soft = 0.03, late_calm = 0.01, late_fault = 0.12;
static const double smooth_time = 0.02, step_time = 0.5; // s

enum { STEPS = 2 };

void pal_watchdog_init(pal_watchdog *watchdog, const pal_device_limits *limits, double dt) {
    *watchdog = (pal_watchdog){.dt = dt,
                               .scale = 1.0,
                               .softest = 1.0,
                               .max_force = limits->max_force,
                               .max_torque = limits->max_torque};
}

void pal_watchdog_restart(pal_watchdog *watchdog) {
    const pal_watchdog before = *watchdog;
    *watchdog = (pal_watchdog){.dt = before.dt,
                               .scale = 1.0,
                               .softest = before.softest,
                               .why = before.why,
                               .max_force = before.max_force,
                               .max_torque = before.max_torque};
    memcpy(watchdog->force, before.force, sizeof before.force);
    memcpy(watchdog->torque, before.torque, sizeof before.torque);
}

const char *pal_watchdog_why(const pal_watchdog *watchdog) {
    return watchdog->why == PAL_CAUSE_VIBRATION ? "it swung to and fro between its limits"
           : watchdog->why == PAL_CAUSE_ENERGY  ? "energy was made"
           : watchdog->why == PAL_CAUSE_LATE    ? "deadlines were missed"
                                                : "it was not";
}

pal_outcome pal_watchdog_soften(pal_watchdog *w, double force[3], double torque[3]) {
    const int halvings = w->steps > 0 ? w->steps : w->late;
    const double aim = ldexp(1.0, -halvings);
    w->scale += (aim - w->scale) * w->dt / (smooth_time + w->dt);
    if (fabs(w->scale - aim) < 1e-3) {
        w->scale = aim;
    }
    w->softest = fmin(w->softest, w->scale);
    for (int c = 0; c < 3 && w->scale < 1.0; c++) {
        force[c] *= w->scale;
        torque[c] *= w->scale;
    }
    return w->scale < 1.0 ? PAL_OUT_SOFTENED : 0;
}

// Adds how far the vector went since the last tick, in units of `most`, and forgets with time.
static void add_way(const pal_watchdog *w, const double now[3], double last[3], double most,
                    double *way) {
    double change[3];
    pal_sub3(now, last, change);
    memcpy(last, now, sizeof change);
    *way *= 1.0 - w->dt / swing_time;
    *way += most > 0.0 ? pal_norm3(change) / most : 0.0;
}

static void add_debt(pal_watchdog *w, double owed) {
    w->made *= 1.0 - w->dt / made_time;
    w->made += fmax(0.0, owed - w->owed);
    w->owed = owed;
}

static void add_missed(pal_watchdog *w, int missed) {
    const double ticks = 1.0 + (missed > 0 ? missed : 0);
    w->missed += (ticks - 1.0 - w->missed * ticks) * fmin(w->dt / late_time, 1.0 / ticks);
    w->late = w->missed > late_soft || (w->late && w->missed > late_calm);
}

// Softer by one step, or a fault when there is none left.
static pal_fault_cause step(pal_watchdog *w, pal_fault_cause why) {
    w->swings = w->turns = w->made = 0.0;
    w->calm = step_time;
    w->why = why;
    return ++w->steps > STEPS ? why : PAL_CAUSE_NONE;
}

pal_fault_cause pal_watchdog_look(pal_watchdog *w, const double force[3], const double torque[3],
                                  double owed, int missed) {
    add_way(w, force, w->force, w->max_force, &w->swings);
    add_way(w, torque, w->torque, w->max_torque, &w->turns);
    add_debt(w, owed);
    add_missed(w, missed);
    w->calm -= w->dt;
    if (w->missed > late_fault) {
        w->why = PAL_CAUSE_LATE;
        return PAL_CAUSE_LATE;
    }
    if (w->late && w->steps == 0) {
        w->why = PAL_CAUSE_LATE;
    }
    if (w->calm > 0.0) {
        w->swings = w->turns = w->made = 0.0; // the softer force comes first
        return PAL_CAUSE_NONE;
    }
    const double most = most_swings * swing_time;
    return w->swings > most || w->turns > most ? step(w, PAL_CAUSE_VIBRATION)
           : w->made > most_made               ? step(w, PAL_CAUSE_ENERGY)
                                               : PAL_CAUSE_NONE;
}
