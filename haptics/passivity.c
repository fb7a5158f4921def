#include "haptics/passivity.h"

#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"

static const double half_turn = 3.14159265358979323846;
static const double window_share = 0.7; // of alpha_max, with a velocity over a window

void pal_passivity_init(pal_passivity *passivity, const pal_device_limits *limits, double dt,
                        double delay, bool control) {
    *passivity = (pal_passivity){.dt = dt, .control = control};

    // The delay in ticks, as far as the memory of sent forces goes
    double ticks = fmin(fmax(delay / dt, 0.0), PAL_PASSIVITY_DELAY - 2);
    passivity->delay_ticks = (int)ticks;
    passivity->delay_share = ticks - passivity->delay_ticks;

    // A damper on a mass, sampled and d ticks late, is stable below 2 sin(pi / (4 d + 2)) m / T;
    // half of that, and at most m / (2 T)
    double share = fmin(0.5, sin(half_turn / (4.0 * ceil(ticks) + 2.0)));
    passivity->alpha_max = limits->mass > 0.0 ? share * limits->mass / dt : limits->max_damping;

    // The window over an encoder's steps is some ticks late, too
    pal_window_init(&passivity->window, limits->resolution);
    passivity->alpha_max *= limits->resolution > 0.0 ? window_share : 1.0;
}

static void find_velocity(const pal_passivity *passivity, const pal_device_state *state,
                          double velocity[3]) {
    if (passivity->window.step > 0.0) {
        pal_window_velocity(&passivity->window, passivity->dt, velocity);
    } else {
        memcpy(velocity, state->velocity, sizeof state->velocity);
    }
}

// The force that acted over the last interval, on average: sent delay_ticks before its start, and
// for the first part of it the one before.
static void applied(const pal_passivity *passivity, double force[3]) {
    const double *newer = passivity->sent[passivity->delay_ticks];
    const double *older = passivity->sent[passivity->delay_ticks + 1];
    for (int c = 0; c < 3; c++) {
        force[c] = newer[c] + passivity->delay_share * (older[c] - newer[c]);
    }
}

// No force is on its way or acts.
static bool is_quiet(const pal_passivity *passivity) {
    for (int i = 0; i <= passivity->delay_ticks + 1; i++) {
        if (pal_dot3(passivity->sent[i], passivity->sent[i]) > 0.0) {
            return false;
        }
    }
    return true;
}

// Adds the work of the last interval to the ledger. A reading that is no number moves nothing.
static void book(pal_passivity *passivity, const double position[3]) {
    double moved[3] = {0.0, 0.0, 0.0}, force[3];
    if (passivity->started) {
        pal_sub3(position, passivity->last_position, moved);
    }
    passivity->started = true;
    memcpy(passivity->last_position, position, sizeof moved);
    applied(passivity, force);
    double work = pal_dot3(force, moved);
    if (isfinite(work)) {
        passivity->energy -= work;
        passivity->made = fmax(passivity->made, -passivity->energy);
    }
}

pal_outcome pal_passivity_apply(pal_passivity *passivity, const pal_device_state *state,
                                double force[3]) {
    book(passivity, state->position);
    pal_window_add(&passivity->window, state->position);

    // In free space what was dissipated is gone, what the body still holds may come back, and a
    // debt waits for the next touch
    if (pal_dot3(force, force) == 0.0) {
        if (is_quiet(passivity)) {
            passivity->energy = fmin(passivity->energy, fmax(passivity->stored, 0.0));
        }
        return 0;
    }

    if (!passivity->control || !(passivity->energy < 0.0)) {
        return 0;
    }
    double velocity[3];
    find_velocity(passivity, state, velocity);
    double v2 = pal_dot3(velocity, velocity);
    if (!(v2 > 0.0)) {
        return 0;
    }
    const double wanted[3] = {force[0], force[1], force[2]};
    double alpha = fmin(-passivity->energy / (passivity->dt * v2), passivity->alpha_max);
    for (int c = 0; c < 3; c++) {
        force[c] -= alpha * velocity[c];
    }
    // A surface that pushes does not pull: what is owed then waits
    const double along = pal_dot3(force, wanted) / pal_dot3(wanted, wanted);
    for (int c = 0; c < 3 && passivity->never_pull && along < 0.0; c++) {
        force[c] -= along * wanted[c];
    }
    return PAL_OUT_PASSIVITY;
}

void pal_passivity_sent(pal_passivity *passivity, const double force[3]) {
    memmove(passivity->sent[1], passivity->sent[0],
            sizeof passivity->sent - sizeof passivity->sent[0]);
    memcpy(passivity->sent[0], force, sizeof passivity->sent[0]);
}
