#include "haptics/reading.h"

#include <math.h>
#include <string.h>

#include "sim/base/pose.h"

static const double farthest = 100.0; // m, of a first reading, or where the workspace is not known
static const double allowed_drift = 0.5; // m/s, of velocities against places, in the mean

void pal_reading_init(pal_reading *reading, const pal_device_limits *limits, double dt) {
    *reading = (pal_reading){.dt = dt,
                             .step = limits->resolution,
                             .turn_step = limits->turn_resolution,
                             .reach = limits->workspace_radius > 0.0
                                          ? PAL_READING_REACH * limits->workspace_radius
                                          : farthest};
}

void pal_reading_restart(pal_reading *reading) {
    reading->started = false;
    reading->changes = 0.0;
}

// A turn of zeros is that of a device that does not tell; one that is not quite unit is made so.
// False: it is no rotation.
static bool settle_turn(double turn[4]) {
    double square = 0.0;
    for (int c = 0; c < 4; c++) {
        square += turn[c] * turn[c];
    }
    if (square == 0.0) {
        turn[0] = 1.0;
    } else if (fabs(square - 1.0) > 1e-9) {
        for (int c = 0; c < 4; c++) {
            turn[c] /= sqrt(square);
        }
    }
    return square == 0.0 || fabs(square - 1.0) < 0.1;
}

// Each by itself: whatever was before.
static bool can_be(const pal_device_state *fresh) {
    double sum = 0.0;
    for (int c = 0; c < 3; c++) {
        sum += fresh->position[c] + fresh->velocity[c] + fresh->turn[c] + fresh->spin[c];
    }
    return isfinite(sum + fresh->turn[3]) && pal_norm3(fresh->position) <= farthest &&
           pal_norm3(fresh->velocity) <= PAL_READING_SPEED &&
           pal_norm3(fresh->spin) <= PAL_READING_SPIN;
}

// After what was before: the way and the turn since then, and where it began.
static bool can_follow(const pal_reading *reading, const pal_device_state *last,
                       const pal_device_state *fresh) {
    const double seconds = (double)reading->age * reading->dt;
    double way[3], away[3], turned[3];
    pal_sub3(fresh->position, last->position, way);
    pal_sub3(fresh->position, reading->first, away);
    pal_turn_between(last->turn, fresh->turn, turned);
    return pal_norm3(way) <= PAL_READING_SPEED * seconds + 6.0 * reading->step &&
           pal_norm3(turned) <= PAL_READING_SPIN * seconds + 6.0 * reading->turn_step &&
           pal_norm3(away) <= reading->reach;
}

// What this reading adds to the difference of places and velocities.
static void find_part(const pal_reading *reading, const pal_device_state *last,
                      const pal_device_state *fresh, double part[3]) {
    for (int c = 0; c < 3; c++) {
        part[c] = fresh->position[c] - last->position[c] -
                  (double)reading->age * reading->dt * fresh->velocity[c];
    }
}

// Its velocities go with its places: keeps the part of this reading where that is so.
static bool agrees(pal_reading *reading, const double part[3]) {
    const int oldest = (reading->newest + 1) % PAL_READING_WINDOW;
    const double most = allowed_drift * PAL_READING_WINDOW * reading->dt;
    double drift[3];
    for (int c = 0; c < 3; c++) {
        drift[c] = reading->drift[c] + part[c] - reading->part[oldest][c];
    }
    if (!(pal_norm3(drift) <= most)) {
        return false;
    }
    memcpy(reading->drift, drift, sizeof drift);
    memcpy(reading->part[oldest], part, sizeof drift);
    reading->newest = oldest;
    return true;
}

static void start(pal_reading *reading, const pal_device_state *fresh) {
    reading->started = true;
    memcpy(reading->first, fresh->position, sizeof reading->first);
    memset(reading->drift, 0, sizeof reading->drift);
    memset(reading->part, 0, sizeof reading->part);
}

// Buttons that chatter stay as they were.
static void settle_buttons(pal_reading *reading, uint32_t before, uint32_t *buttons) {
    static const double most = 8.0, forgotten = 20.0; // changes, a second
    reading->changes = fmax(0.0, reading->changes - forgotten * reading->dt);
    reading->changes += *buttons != before ? 1.0 : 0.0;
    if (reading->changes > most && *buttons != before) {
        reading->changes = most + 1.0;
        reading->chatter++;
        *buttons = before;
    }
}

pal_outcome pal_reading_take(pal_reading *reading, const pal_device_state *fresh, int missed,
                             pal_device_state *state) {
    pal_device_state next = *fresh;
    reading->age += 1 + (missed > 0 ? missed : 0);
    if (reading->started && fresh->sequence == reading->sequence) {
        state->present = fresh->present; // stale: nothing is new but that
        return 0;
    }
    reading->sequence = fresh->sequence;
    const bool sound = settle_turn(next.turn) && can_be(&next);
    if (sound && !reading->started) {
        start(reading, &next);
    } else {
        double part[3];
        find_part(reading, state, &next, part);
        if (!sound || !can_follow(reading, state, &next) || !agrees(reading, part)) {
            state->present = fresh->present;
            return PAL_OUT_IMPLAUSIBLE;
        }
    }
    reading->age = 0;
    settle_buttons(reading, state->buttons, &next.buttons);
    *state = next;
    return 0;
}
