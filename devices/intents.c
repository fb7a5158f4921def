#include "devices/intents.h"

#include <math.h>
#include <string.h>

#include "sim/base/pose.h"
#include "sim/base/rng.h"
#include "sim/base/vec3.h"

static const double PI = 3.14159265358979323846;
static const double PEAK = 1.875;     // peak speed of a minimum-jerk stroke over its mean speed
static const double STROKE_MIN = 0.1; // s: what is asked to be faster takes that
static const double LEAD_MAX = 1.0;   // s: way into a wander
static const double RAMP = 0.1;       // s: reaching a constant speed
static const double WAVE_MIN = 0.1, WAVE_MAX = 1.9; // Hz
static const double TURNS_MAX = 5.0;                // a second

static const char *const names[] = {"hold",  "move",   "press",  "release", "tap",
                                    "slide", "circle", "wander", "path"};
enum { KINDS = sizeof names / sizeof *names };

// ---- Smooth courses -----------------------------------------------------------------------------

// 0 to 1 while t goes from 0 to T: minimum jerk.
static double ease(double t, double T) {
    double s = t <= 0.0 ? 0.0 : t >= T ? 1.0 : t / T;
    return s * s * s * (10.0 + s * (6.0 * s - 15.0));
}

static double ramp_of(double T) {
    return fmin(RAMP, 0.5 * T);
}

// 0 to 1 at constant speed, with smooth ramps at both ends.
static double pace(double t, double T) {
    double r = ramp_of(T), speed = 1.0 / (T - r), s = fmin(t, T - t) / r;
    double slow = s <= 0.0 ? 0.0 : speed * r * s * s * s * (1.0 - 0.5 * s);
    if (s < 1.0) {
        return t < 0.5 * T ? slow : 1.0 - slow;
    }
    return speed * (t - 0.5 * r);
}

static void mix(const double a[3], const double b[3], double s, double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] + s * (b[i] - a[i]);
    }
}

// ---- Planning -----------------------------------------------------------------------------------

static double distance(const double a[3], const double b[3]) {
    double d[3];
    pal_sub3(a, b, d);
    return pal_norm3(d);
}

static double stroke_seconds(double length, double speed) {
    return fmax(STROKE_MIN, PEAK * length / speed);
}

// The seconds asked for, or those that the speed makes of them; not below the least.
static double seconds_or(const pal_intent *in, double by_speed, double least) {
    return fmax(least, in->seconds > 0.0 ? in->seconds : by_speed);
}

static void plan_stroke(pal_leg *leg, const double to[3]) {
    const pal_intent *in = &leg->intent;
    memcpy(leg->end, to, sizeof leg->end);
    leg->seconds = seconds_or(in, stroke_seconds(distance(leg->from, to), in->speed), STROKE_MIN);
}

static void plan_tap(pal_leg *leg) {
    const pal_intent *in = &leg->intent;
    leg->stroke = in->speed > 0.0 ? stroke_seconds(distance(leg->from, in->to), in->speed)
                                  : fmax(STROKE_MIN, 0.5 * in->seconds);
    leg->seconds = fmax(in->seconds, 2.0 * leg->stroke);
}

static void plan_slide(pal_leg *leg) {
    const pal_intent *in = &leg->intent;
    memcpy(leg->end, in->to, sizeof leg->end);
    leg->seconds = seconds_or(in, distance(leg->from, in->to) / in->speed + RAMP, 2.0 * RAMP);
}

static void circle_place(const pal_leg *leg, double t, double u[3]) {
    const pal_intent *in = &leg->intent;
    double angle = 2.0 * PI * in->turns * pace(t, leg->seconds), lead = ease(t, leg->stroke);
    double radius = leg->circle_from[0] + lead * (in->radius - leg->circle_from[0]);
    double height = (1.0 - lead) * leg->circle_from[1];
    for (int i = 0; i < 3; i++) {
        u[i] = in->to[i] + height * leg->frame[2][i] +
               radius * (cos(angle) * leg->frame[0][i] + sin(angle) * leg->frame[1][i]);
    }
}

// The circle begins at the side where the hand is, and takes it from its radius and height to the
// circle's own within the first quarter.
static void plan_circle(pal_leg *leg) {
    pal_intent *in = &leg->intent;
    double *e1 = leg->frame[0], *e2 = leg->frame[1], *axis = leg->frame[2], from[3];
    double length = pal_norm3(in->axis);
    for (int i = 0; i < 3; i++) {
        axis[i] = in->axis[i] / length;
        from[i] = leg->from[i] - in->to[i];
    }
    double height = pal_dot3(from, axis);
    for (int i = 0; i < 3; i++) {
        e1[i] = from[i] - height * axis[i];
    }
    double radius = pal_norm3(e1);
    in->radius = in->radius > 0.0 ? in->radius : radius;
    if (radius <= 1e-9 * in->radius) { // from the middle: any side
        double other[3] = {fabs(axis[0]) < 0.6, fabs(axis[0]) >= 0.6, 0.0};
        pal_cross3(axis, other, e1);
        radius = 0.0;
    }
    double side = pal_norm3(e1);
    for (int i = 0; i < 3; i++) {
        e1[i] /= side;
    }
    pal_cross3(axis, e1, e2);
    leg->circle_from[0] = radius;
    leg->circle_from[1] = height;

    double turns = fabs(in->turns), way = 2.0 * PI * in->radius * turns;
    leg->seconds =
        seconds_or(in, way / in->speed + RAMP, fmax(4.0 * STROKE_MIN, turns / TURNS_MAX));
    leg->stroke = 0.25 * leg->seconds;
    circle_place(leg, leg->seconds, leg->end);
}

// Each axis gets waves whose amplitudes add up to radius / sqrt 3.
static void plan_wander(pal_leg *leg, pal_rng rng) {
    const pal_intent *in = &leg->intent;
    for (int i = 0; i < 3; i++) {
        double sum = 0.0;
        for (int k = 0; k < PAL_WANDER_WAVES; k++) {
            double *wave = leg->wave[i][k];
            sum += wave[0] = pal_rng_uniform(&rng, 0.5, 1.0);
            wave[1] = 2.0 * PI * pal_rng_uniform(&rng, WAVE_MIN, WAVE_MAX);
            wave[2] = pal_rng_uniform(&rng, 0.0, 2.0 * PI);
        }
        for (int k = 0; k < PAL_WANDER_WAVES; k++) {
            leg->wave[i][k][0] *= in->radius / (sqrt(3.0) * sum);
        }
    }
    memcpy(leg->end, in->to, sizeof leg->end);
    leg->seconds = fmax(in->seconds, 4.0 * STROKE_MIN);
    leg->stroke = fmin(LEAD_MAX, 0.25 * leg->seconds);
}

static void plan_path(pal_leg *leg) {
    const pal_path_sample *last = &leg->intent.sample[leg->intent.sample_count - 1];
    memcpy(leg->end, last->x, sizeof leg->end);
    leg->seconds = last->time;
}

// Turns by as much as is asked for, from how the leg before has left the hand.
static void plan_turn(pal_leg *leg, const pal_leg *before, const double start_turn[3]) {
    double goal[4];
    pal_turn_of_vector(before != NULL ? before->turn_by : start_turn, leg->turn);
    if (before != NULL) {
        pal_turn_multiply(leg->turn, before->turn, leg->turn);
    }
    if (leg->intent.turned) {
        pal_turn_of_vector(leg->intent.turn, goal);
        pal_turn_between(leg->turn, goal, leg->turn_by);
    }
}

// `before` is NULL for the first leg.
static void plan_leg(pal_leg *leg, const pal_intent *intent, const pal_leg *before,
                     const pal_sim_options *options, pal_rng rng) {
    *leg = (pal_leg){.intent = *intent, .seconds = intent->seconds};
    memcpy(leg->from, before != NULL ? before->end : options->start, sizeof leg->from);
    plan_turn(leg, before, options->start_turn);
    memcpy(leg->end, leg->from, sizeof leg->end);
    if (before != NULL) {
        leg->begins = before->begins + before->seconds;
        leg->pressed = before->pressed;
        memcpy(leg->pressed_from, before->pressed_from, sizeof leg->pressed_from);
    }
    switch (intent->kind) {
    case PAL_INTENT_HOLD:
        break;
    case PAL_INTENT_PRESS:
        leg->pressed = true;
        memcpy(leg->pressed_from, leg->from, sizeof leg->from);
        plan_stroke(leg, intent->to);
        break;
    case PAL_INTENT_MOVE:
        plan_stroke(leg, intent->to);
        break;
    case PAL_INTENT_RELEASE:
        plan_stroke(leg, leg->pressed_from);
        break;
    case PAL_INTENT_TAP:
        plan_tap(leg);
        break;
    case PAL_INTENT_SLIDE:
        plan_slide(leg);
        break;
    case PAL_INTENT_CIRCLE:
        plan_circle(leg);
        break;
    case PAL_INTENT_WANDER:
        plan_wander(leg, rng);
        break;
    case PAL_INTENT_PATH:
        plan_path(leg);
        break;
    }
}

static const char *find_path_flaw(const pal_intent *in) {
    if (in->sample_count < 1) {
        return "it has no samples";
    }
    for (int32_t k = 0; k < in->sample_count; k++) {
        const pal_path_sample *s = &in->sample[k];
        if (!isfinite(s->time) || !isfinite(pal_norm3(s->x))) {
            return "a number is not finite";
        }
        if (s->time < 0.0 || (k > 0 && !(s->time > s[-1].time))) {
            return "its times must begin at 0 or later and grow";
        }
    }
    return NULL;
}

// What is wrong with an intent, or NULL.
static const char *find_flaw(const pal_intent *in, bool pressed) {
    double numbers[] = {in->seconds, in->to[0],   in->to[1],  in->to[2], in->axis[0],
                        in->axis[1], in->axis[2], in->radius, in->turns, in->speed,
                        in->turn[0], in->turn[1], in->turn[2]};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!isfinite(numbers[i])) {
            return "a number is not finite";
        }
    }
    if (in->kind == PAL_INTENT_PATH) {
        return find_path_flaw(in);
    }
    if (in->seconds < 0.0 || in->speed < 0.0 || in->radius < 0.0) {
        return "seconds, speed and radius must not be negative";
    }
    if (in->kind == PAL_INTENT_WANDER && in->seconds == 0.0) {
        return "give seconds";
    }
    if (in->kind != PAL_INTENT_HOLD && in->seconds == 0.0 && in->speed == 0.0) {
        return "give seconds or speed";
    }
    if (in->kind == PAL_INTENT_RELEASE && !pressed) {
        return "there is no press before it to go back from; use move";
    }
    if (in->kind == PAL_INTENT_CIRCLE && (pal_norm3(in->axis) == 0.0 || in->turns == 0.0)) {
        return "give an axis and turns";
    }
    return NULL;
}

pal_status pal_intents_plan(pal_leg *leg, const pal_sim_options *options, pal_err *err) {
    for (int i = 0; i < options->intent_count; i++) {
        const pal_intent *in = &options->intent[i];
        const pal_leg *before = i > 0 ? &leg[i - 1] : NULL;
        if ((int)in->kind < 0 || (int)in->kind >= KINDS) {
            return pal_fail(err, PAL_ERR_USAGE, "intent %d: unknown kind %d", i, (int)in->kind);
        }
        const char *flaw = find_flaw(in, before != NULL && before->pressed);
        if (flaw != NULL) {
            return pal_fail(err, PAL_ERR_USAGE, "intent %d (%s): %s", i, names[in->kind], flaw);
        }
        plan_leg(&leg[i], in, before, options, pal_rng_make(options->seed, 100 + (uint64_t)i));
        if (in->kind == PAL_INTENT_CIRCLE && leg[i].intent.radius == 0.0) {
            return pal_fail(err, PAL_ERR_USAGE,
                            "intent %d (circle): it begins in its centre; give a radius", i);
        }
        if (in->kind == PAL_INTENT_PATH && in->sample[0].time == 0.0 &&
            distance(leg[i].from, in->sample[0].x) > 0.0) {
            return pal_fail(err, PAL_ERR_USAGE,
                            "intent %d (path): its first sample is at 0 s, and the hand is "
                            "elsewhere; begin there, or later",
                            i);
        }
    }
    return PAL_OK;
}

double pal_sim_script_seconds(const pal_sim_options *options) {
    pal_leg before = {0}, leg;
    for (int i = 0; i < options->intent_count; i++) {
        plan_leg(&leg, &options->intent[i], i > 0 ? &before : NULL, options,
                 pal_rng_make(options->seed, 0));
        before = leg;
    }
    return before.begins + before.seconds;
}

// ---- Following ----------------------------------------------------------------------------------

// In from the last place, about `to`, and to rest there.
static void wander_place(const pal_leg *leg, double t, double u[3]) {
    double in = ease(t, leg->stroke), out = ease(leg->seconds - t, leg->stroke);
    for (int i = 0; i < 3; i++) {
        double sway = 0.0;
        for (int k = 0; k < PAL_WANDER_WAVES; k++) {
            const double *wave = leg->wave[i][k];
            sway += wave[0] * sin(wave[1] * t + wave[2]);
        }
        u[i] = leg->from[i] + in * (leg->intent.to[i] + out * sway - leg->from[i]);
    }
}

// How fast one axis passes sample k: the harmonic mean of the slopes on both sides, and nothing
// where they turn, so that the path overshoots no sample; at rest at both ends.
static double slope_at(const pal_intent *in, int32_t k, int axis) {
    if (k == 0 || k == in->sample_count - 1) {
        return 0.0;
    }
    const pal_path_sample *s = &in->sample[k];
    double h0 = s->time - s[-1].time, h1 = s[1].time - s->time;
    double d0 = (s->x[axis] - s[-1].x[axis]) / h0, d1 = (s[1].x[axis] - s->x[axis]) / h1;
    double w0 = 2.0 * h1 + h0, w1 = h1 + 2.0 * h0;
    return d0 * d1 > 0.0 ? (w0 + w1) / (w0 / d0 + w1 / d1) : 0.0;
}

// The last sample that is not after t; -1: none.
static int32_t find_sample(const pal_intent *in, double t) {
    int32_t low = -1, high = in->sample_count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (in->sample[middle].time <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// Cubic Hermite between the samples.
static void path_place(const pal_leg *leg, double t, double u[3]) {
    const pal_intent *in = &leg->intent;
    int32_t k = find_sample(in, t);
    if (k < 0) {
        mix(leg->from, in->sample[0].x, ease(t, in->sample[0].time), u);
        return;
    }
    if (k == in->sample_count - 1) {
        memcpy(u, leg->end, 3 * sizeof *u);
        return;
    }
    const pal_path_sample *a = &in->sample[k], *b = a + 1;
    double h = b->time - a->time, s = (t - a->time) / h;
    for (int i = 0; i < 3; i++) {
        double m0 = h * slope_at(in, k, i), m1 = h * slope_at(in, k + 1, i);
        u[i] = a->x[i] + s * s * (3.0 - 2.0 * s) * (b->x[i] - a->x[i]) +
               s * (1.0 - s) * ((1.0 - s) * m0 - s * m1);
    }
}

static void leg_place(const pal_leg *leg, double t, double u[3]) {
    switch (leg->intent.kind) {
    case PAL_INTENT_HOLD:
        memcpy(u, leg->end, 3 * sizeof *u);
        break;
    case PAL_INTENT_MOVE:
    case PAL_INTENT_PRESS:
    case PAL_INTENT_RELEASE:
        mix(leg->from, leg->end, ease(t, leg->seconds), u);
        break;
    case PAL_INTENT_TAP:
        mix(leg->from, leg->intent.to, ease(t, leg->stroke) - ease(t - leg->stroke, leg->stroke),
            u);
        break;
    case PAL_INTENT_SLIDE:
        mix(leg->from, leg->end, pace(t, leg->seconds), u);
        break;
    case PAL_INTENT_CIRCLE:
        circle_place(leg, t, u);
        break;
    case PAL_INTENT_WANDER:
        wander_place(leg, t, u);
        break;
    case PAL_INTENT_PATH:
        path_place(leg, t, u);
        break;
    }
}

// The leg at `time`, NULL after the last.
static const pal_leg *leg_at(const pal_leg *leg, int count, double time, int *cursor) {
    while (*cursor < count && time >= leg[*cursor].begins + leg[*cursor].seconds) {
        ++*cursor;
    }
    return *cursor < count ? &leg[*cursor] : NULL;
}

void pal_intents_target(const pal_leg *leg, int count, const double start[3], double time,
                        int *cursor, double u[3]) {
    const pal_leg *now = leg_at(leg, count, time, cursor);
    if (now != NULL) {
        leg_place(now, time - now->begins, u);
    } else {
        memcpy(u, count > 0 ? leg[count - 1].end : start, 3 * sizeof *u);
    }
}

void pal_intents_turn(const pal_leg *leg, int count, const double start[4], double time,
                      int *cursor, double turn[4]) {
    const pal_leg *now = leg_at(leg, count, time, cursor);
    const pal_leg *from = now != NULL ? now : count > 0 ? &leg[count - 1] : NULL;
    const double share = now != NULL ? ease(time - now->begins, now->seconds) : 1.0;
    double by[3], part[4];
    memcpy(turn, from != NULL ? from->turn : start, 4 * sizeof *turn);
    for (int i = 0; from != NULL && i < 3; i++) {
        by[i] = share * from->turn_by[i];
    }
    if (from != NULL) {
        pal_turn_of_vector(by, part);
        pal_turn_multiply(part, turn, turn);
    }
}
