#include "haptics/safety.h"

#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"

// The missed-tick policy of FEEL.md 2
enum { HOLD_TICKS = 1, DECAY_TICKS = 5 };
static const double latch_seconds = 0.020, decay_seconds = 0.005;

void pal_safety_defaults(pal_safety_options *options, const pal_device_limits *limits) {
    *options = (pal_safety_options){
        .max_force = limits->max_force,
        .continuous = limits->max_continuous_force,
        .heat_seconds = 60.0,
        .max_slew = limits->max_force / 0.005,
        .max_torque = limits->max_torque,
        .max_turn_slew = limits->max_torque / 0.005,
        .max_speed = 2.0,
        .max_spin = 50.0,
        .ramp_seconds = 0.2,
        .ramp_threshold = 0.03 * limits->max_force,
        .turn_threshold = 0.03 * limits->max_torque,
    };
}

static double not_negative(double limit) {
    return limit > 0.0 ? limit : 0.0; // not a number becomes zero, too
}

void pal_safety_init(pal_safety *safety, const pal_safety_options *options, double dt) {
    *safety = (pal_safety){.dt = dt, .decay = exp(-dt / decay_seconds)};
    safety->options = (pal_safety_options){
        .max_force = not_negative(options->max_force),
        .continuous = not_negative(options->continuous),
        .heat_seconds = not_negative(options->heat_seconds),
        .max_slew = not_negative(options->max_slew),
        .max_torque = not_negative(options->max_torque),
        .max_turn_slew = not_negative(options->max_turn_slew),
        .max_speed = not_negative(options->max_speed),
        .max_spin = not_negative(options->max_spin),
        .ramp_seconds = not_negative(options->ramp_seconds),
        .ramp_threshold = not_negative(options->ramp_threshold),
        .turn_threshold = not_negative(options->turn_threshold),
    };
}

static void scale(double force[3], double factor) {
    for (int c = 0; c < 3; c++) {
        force[c] *= factor;
    }
}

// Shortens to the length, direction kept; true when it had to. The largest component first, so
// that no square overflows.
static bool shorten(double vector[3], double length) {
    double largest = fmax(fabs(vector[0]), fmax(fabs(vector[1]), fabs(vector[2])));
    if (largest > length) {
        for (int c = 0; c < 3; c++) {
            vector[c] /= largest;
        }
        scale(vector, length / pal_norm3(vector));
        return true;
    }
    double norm = pal_norm3(vector);
    if (norm > length) {
        scale(vector, length / norm);
        return true;
    }
    return false;
}

void pal_safety_latch(pal_safety *safety, pal_fault_cause cause) {
    if (!safety->latched) {
        safety->latched = true;
        safety->fault = cause;
    }
}

// Counts the age of the reading; true when it is not fresh. Too old is a fault, also when a fresh
// one ends the gap.
static bool is_stale(pal_safety *safety, const pal_device_state *state, int missed_ticks) {
    int64_t missed = safety->started && missed_ticks > 0 ? missed_ticks : 0;
    bool stale = safety->started && state->sequence == safety->last_sequence;
    int64_t gap = safety->stale_ticks + missed + (stale ? 1 : 0);
    if (gap > DECAY_TICKS || (double)gap * safety->dt > latch_seconds - 1e-9) {
        pal_safety_latch(safety, safety->doubted ? PAL_CAUSE_READINGS
                                 : missed > 0    ? PAL_CAUSE_MISSED
                                                 : PAL_CAUSE_STALE);
    }
    safety->started = true;
    safety->last_sequence = state->sequence;
    safety->stale_ticks = stale ? gap : 0;
    return stale;
}

// What to send without a fresh reading: what was sent last, decayed for the ticks beyond the first.
static void hold_or_decay(const pal_safety *safety, int64_t age_before, const double last[3],
                          double vector[3]) {
    memcpy(vector, last, 3 * sizeof *vector);
    int64_t from = age_before > HOLD_TICKS ? age_before : HOLD_TICKS;
    for (int64_t age = from; age < safety->stale_ticks; age++) {
        scale(vector, safety->decay);
    }
}

// The start-up ramp: nothing until the hand is seen at a place of small force and torque, then more
// and more.
static pal_outcome ramp_up(pal_safety *safety, double force[3], double torque[3]) {
    const pal_safety_options *limit = &safety->options;
    const double wanted = pal_norm3(force), turning = pal_norm3(torque);
    bool was_armed = safety->armed;
    safety->armed =
        was_armed || (wanted <= limit->ramp_threshold && turning <= limit->turn_threshold);
    if (was_armed && safety->ramp < 1.0) {
        safety->ramp = fmin(1.0, safety->ramp + safety->dt / limit->ramp_seconds);
    } else if (safety->armed && limit->ramp_seconds == 0.0) {
        safety->ramp = 1.0;
    }
    scale(force, safety->ramp);
    scale(torque, safety->ramp);
    return safety->ramp < 1.0 && (wanted > 0.0 || turning > 0.0) ? PAL_OUT_RAMP : 0;
}

static bool is_finite(const double vector[3]) {
    return isfinite(vector[0]) && isfinite(vector[1]) && isfinite(vector[2]);
}

// What is wrong with what comes in, and the faults that it latches.
static pal_outcome judge(pal_safety *safety, const pal_device_state *state, int missed_ticks,
                         const double force[3], const double torque[3], bool *stale) {
    pal_outcome outcome = is_finite(force) && is_finite(torque) ? 0 : PAL_OUT_NAN;
    if (!(pal_norm3(state->velocity) <= safety->options.max_speed) ||
        !(pal_norm3(state->spin) <= safety->options.max_spin)) {
        outcome |= PAL_OUT_OVERSPEED;
    }
    if (!state->present) {
        outcome |= PAL_OUT_DEVICE_LOST;
        pal_safety_latch(safety, PAL_CAUSE_DEVICE_LOST);
    }
    *stale = is_stale(safety, state, missed_ticks);
    return outcome | (*stale ? PAL_OUT_STALE : 0) | (safety->latched ? PAL_OUT_FAULT : 0);
}

// ---- heat

bool pal_safety_has_heat(const pal_safety *safety) {
    const pal_safety_options *limit = &safety->options;
    return limit->continuous > 0.0 && limit->continuous < limit->max_force &&
           limit->heat_seconds > 0.0;
}

// What the motors bear now.
static double largest_force(const pal_safety *safety) {
    static const double sinks_from = 0.9;
    const pal_safety_options *limit = &safety->options;
    if (!pal_safety_has_heat(safety) || safety->heat <= sinks_from) {
        return limit->max_force;
    }
    const double left = fmax(0.0, (1.0 - safety->heat) / (1.0 - sinks_from));
    return limit->continuous + left * (limit->max_force - limit->continuous);
}

static void heat_up(pal_safety *safety) {
    const pal_safety_options *limit = &safety->options;
    if (pal_safety_has_heat(safety)) {
        const double share = pal_dot3(safety->last, safety->last) / pow(limit->continuous, 2.0);
        safety->heat += (share - safety->heat) * safety->dt / (limit->heat_seconds + safety->dt);
        safety->hottest = fmax(safety->hottest, safety->heat);
    }
}

// To what may be sent: the largest force, less while the motors are hot, then the start-up ramp.
static pal_outcome bound(pal_safety *safety, double force[3], double torque[3]) {
    const pal_safety_options *limit = &safety->options;
    pal_outcome outcome = 0;
    const bool cut = shorten(force, limit->max_force);
    outcome |= shorten(torque, limit->max_torque) || cut ? PAL_OUT_CLAMPED : 0;
    outcome |= shorten(force, largest_force(safety)) ? PAL_OUT_HOT : 0;
    return outcome | ramp_up(safety, force, torque);
}

// No jump, whatever it was; remembers what goes out.
static pal_outcome slow_down(double vector[3], double last[3], double most) {
    double change[3];
    pal_sub3(vector, last, change);
    const bool cut = shorten(change, most);
    for (int c = 0; cut && c < 3; c++) {
        vector[c] = last[c] + change[c];
    }
    memcpy(last, vector, sizeof change);
    return cut ? PAL_OUT_SLEW : 0;
}

pal_outcome pal_safety_apply(pal_safety *safety, const pal_device_state *state, int missed_ticks,
                             double force[3], double torque[3]) {
    const pal_safety_options *limit = &safety->options;
    double none[3] = {0.0, 0.0, 0.0};
    torque = torque != NULL ? torque : none;

    // What calls for no force at all
    const int64_t age_before = safety->stale_ticks;
    bool stale;
    pal_outcome outcome = judge(safety, state, missed_ticks, force, torque, &stale);

    // The force to aim at
    if (outcome & (PAL_OUT_NAN | PAL_OUT_OVERSPEED) || safety->latched || safety->released) {
        memset(force, 0, sizeof none);
        memset(torque, 0, sizeof none);
    } else if (stale) {
        hold_or_decay(safety, age_before, safety->last, force);
        hold_or_decay(safety, age_before, safety->last_torque, torque);
    } else {
        outcome |= bound(safety, force, torque);
    }
    outcome |= slow_down(force, safety->last, limit->max_slew * safety->dt);
    heat_up(safety);
    return outcome | slow_down(torque, safety->last_torque, limit->max_turn_slew * safety->dt);
}

pal_outcome pal_safety_wait(pal_safety *safety, double force[3], double torque[3]) {
    const int64_t age_before = safety->stale_ticks++;
    if (safety->stale_ticks > DECAY_TICKS) {
        pal_safety_latch(safety, PAL_CAUSE_MISSED);
    }
    memset(force, 0, 3 * sizeof *force);
    memset(torque, 0, 3 * sizeof *torque);
    if (!safety->latched && !safety->released) {
        hold_or_decay(safety, age_before, safety->last, force);
        hold_or_decay(safety, age_before, safety->last_torque, torque);
    }
    const pal_safety_options *limit = &safety->options;
    pal_outcome outcome = PAL_OUT_STALE | (safety->latched ? PAL_OUT_FAULT : 0);
    outcome |= slow_down(force, safety->last, limit->max_slew * safety->dt);
    heat_up(safety);
    return outcome | slow_down(torque, safety->last_torque, limit->max_turn_slew * safety->dt);
}

void pal_safety_release(pal_safety *safety) {
    safety->released = true;
}

void pal_safety_rearm(pal_safety *safety) {
    safety->latched = safety->armed = safety->started = false;
    safety->fault = PAL_CAUSE_NONE;
    safety->ramp = 0.0;
    safety->stale_ticks = 0;
}
