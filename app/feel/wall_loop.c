#include "app/feel/wall_loop.h"

#include <math.h>

#include "haptics/servo.h"

enum { WINDOW = 500 };              // ticks of an envelope
static const double deep = 1e4;     // swings, that the device stands in the wall: none gets out
static const double surely = 1e3;   // growth that decides at once
static const double settled = 1e-6; // decay that does; what is left is soon rounding
static const double drop = 0.2;     // N, the weight of a device that falls onto the wall

void pal_wall_loop_defaults(pal_wall_loop *loop, const pal_device_limits *limits) {
    *loop = (pal_wall_loop){.dt = 1e-3, .speed = 0.01, .seconds = 5.0};
    pal_sim_defaults(&loop->device, limits);
    loop->device.hand = (pal_hand){0};
    loop->device.friction = 0.0;
    loop->device.substeps = 1;
    loop->device.limits.resolution = 0.0;
    loop->device.limits.turn_resolution = 0.0;
    loop->device.limits.max_torque = 0.0;
    loop->device.limits.max_force = 1e9;
}

pal_wall_plant pal_wall_loop_plant(const pal_wall_loop *loop) {
    const pal_sim_options *d = &loop->device;
    return (pal_wall_plant){.dt = loop->dt,
                            .delay = d->delay,
                            .mass = d->limits.mass,
                            .damping = d->device_damping,
                            .friction = d->friction,
                            .resolution = d->limits.resolution,
                            .velocity_filter = d->velocity_filter,
                            .hand = d->hand};
}

typedef struct swing { // of one run
    pal_device device;
    pal_wall wall;
    pal_passivity passivity;
    double rest;  // depth at which the push holds the device, m
    double omega; // rad/s
    double first; // swing, m
} swing;

static pal_status start(swing *s, const pal_wall_loop *loop, double K, double B, pal_err *err) {
    pal_sim_options options = loop->device;
    s->wall = (pal_wall){.stiffness = K, .damping = B};
    s->omega = sqrt(K / options.limits.mass);
    s->first = loop->speed / s->omega;
    s->rest = loop->passivity ? drop / K : deep * s->first;
    options.start[2] = loop->passivity ? 0.0 : -s->rest;
    options.start_velocity[2] = loop->passivity ? -loop->speed : loop->speed;
    pal_passivity_init(&s->passivity, &options.limits, loop->dt, options.delay, loop->passivity);
    return pal_device_open_sim(&s->device, &options, err);
}

// One tick as the servo makes it, and the swing after it.
static double tick(swing *s, double dt) {
    pal_device *device = &s->device;
    pal_device_state state;
    pal_sim_truth truth;
    device->functions->read(device, &state);
    double force[3] = {0.0, 0.0, pal_wall_push(&s->wall, -state.position[2], state.velocity[2])};
    pal_passivity_apply(&s->passivity, &state, force, NULL);
    pal_passivity_sent(&s->passivity, force, NULL);
    force[2] -= s->wall.stiffness * s->rest; // the push
    device->functions->write(device, force, NULL);
    device->functions->advance(device, dt);
    pal_sim_read_truth(device, &truth);
    return hypot(truth.position[2] + s->rest, truth.velocity[2] / s->omega);
}

// The largest swing of a window; at most what decides.
static double envelope(swing *s, const pal_wall_loop *loop) {
    const double most = surely * s->first;
    double largest = 0.0;
    for (int k = 0; k < WINDOW && largest < most; k++) {
        largest = fmax(largest, tick(s, loop->dt));
    }
    return largest < most ? largest : INFINITY;
}

// Whether the envelope of the last window is above that of the second; with the controller, above
// that of the first, which holds the fall: it lets ripple be, but no more than was brought in.
static bool outgrows(swing *s, const pal_wall_loop *loop) {
    const int windows = (int)fmax(ceil(loop->seconds / (WINDOW * loop->dt)), 3.0);
    const int reference = loop->passivity ? 0 : 1;
    double early = INFINITY, late = INFINITY;
    for (int w = 0; w < windows; w++) {
        late = envelope(s, loop);
        early = w == reference ? late : early;
        if (isinf(late) || late < settled * s->first) {
            return isinf(late);
        }
    }
    return late > early;
}

pal_status pal_wall_loop_grows(const pal_wall_loop *loop, double K, double B, bool *grows,
                               pal_err *err) {
    swing s;
    const pal_status status = start(&s, loop, K, B, err);
    if (status == PAL_OK) {
        *grows = outgrows(&s, loop);
        pal_device_close(&s.device);
    }
    return status;
}

// ---- what is critical

typedef struct question { // grows at this value?
    pal_wall_loop loop;
    double K, B;
    bool of_speed; // the value is the speed; else the stiffness
} question;

static pal_status ask(question *q, double value, bool *grows, pal_err *err) {
    *(q->of_speed ? &q->loop.speed : &q->K) = value;
    return pal_wall_loop_grows(&q->loop, q->K, q->B, grows, err);
}

// Steps away from the guess, short ones first, until the answer lies between low and high; both
// NAN: it does not. (A hand under a long delay has more than one.)
static pal_status bracket(question *q, double guess, double *low, double *high, pal_err *err) {
    enum { STEPS = 8 };
    bool grows = false, first = false;
    pal_status status = ask(q, guess, &first, err);
    double value = guess, factor = 1.02;
    *low = *high = NAN;
    for (int i = 0; i < STEPS && status == PAL_OK; i++, factor *= factor) {
        const double next = first ? value / factor : value * factor;
        status = ask(q, next, &grows, err);
        if (grows != first) {
            *low = fmin(value, next);
            *high = fmax(value, next);
            return status;
        }
        value = next;
    }
    return status;
}

static pal_status search(question *q, double guess, double *found, pal_err *err) {
    double low, high;
    pal_status status = bracket(q, guess, &low, &high, err);
    while (status == PAL_OK && high - low > 2e-4 * low) {
        bool grows = false;
        const double middle = 0.5 * (low + high);
        status = ask(q, middle, &grows, err);
        *(grows ? &high : &low) = middle;
    }
    *found = 0.5 * (low + high);
    return status;
}

pal_status pal_wall_loop_critical_stiffness(const pal_wall_loop *loop, double B, double guess,
                                            double *K, pal_err *err) {
    question q = {.loop = *loop, .B = B};
    return search(&q, guess, K, err);
}

pal_status pal_wall_loop_critical_speed(const pal_wall_loop *loop, double K, double B, double guess,
                                        double *speed, pal_err *err) {
    question q = {.loop = *loop, .K = K, .B = B, .of_speed = true};
    return search(&q, guess, speed, err);
}
