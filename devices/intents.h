// What the hand wants: a script of intents as a smooth target u(t), below 10 Hz.
#ifndef PAL_DEVICES_INTENTS_H
#define PAL_DEVICES_INTENTS_H

#include "devices/dev_sim.h"

enum { PAL_WANDER_WAVES = 5 }; // sinusoids an axis

typedef struct pal_leg { // one intent, planned
    pal_intent intent;
    double begins, seconds;              // s
    double from[3], end[3];              // m
    double turn[4], turn_by[3];          // how the hand is turned at first, and turns, rad
    bool pressed;                        // has there been a press,
    double pressed_from[3];              // and where did the last one begin
    double stroke;                       // s, one way (TAP); lead-in (CIRCLE, WANDER)
    double frame[3][3];                  // CIRCLE: two directions in the plane, and the axis
    double circle_from[2];               // CIRCLE: radius and height at the beginning
    double wave[3][PAL_WANDER_WAVES][3]; // WANDER: amplitude, angular frequency, phase
} pal_leg;

// Plans leg [options->intent_count]; each leg begins where the one before ended. Fails on an intent
// that makes no sense.
pal_status pal_intents_plan(pal_leg *leg, const pal_sim_options *options, pal_err *err);

// The target at `time`, which must not go back between calls; *cursor begins at 0. With no leg the
// target is `start`. RT safe.
void pal_intents_target(const pal_leg *leg, int count, const double start[3], double time,
                        int *cursor, double u[3]);

// How the hand would be turned, likewise; with no leg as `start`. RT safe.
void pal_intents_turn(const pal_leg *leg, int count, const double start[4], double time,
                      int *cursor, double turn[4]);

// The buttons that are down where the cursor stands. RT safe.
static inline uint32_t pal_intents_buttons(const pal_leg *leg, int count, int cursor) {
    return cursor < count ? leg[cursor].intent.buttons : 0;
}

#endif
