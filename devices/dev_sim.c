#include "devices/dev_sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "devices/faults.h"
#include "devices/intents.h"
#include "devices/two_mass.h"
#include "sim/base/memory.h"
#include "sim/base/pose.h"
#include "sim/base/rng.h"
#include "sim/base/vec3.h"

enum { COMMANDS = 256 };             // wrenches on their way to the actuator
static const double DELAY_MAX = 0.1; // s
static const double INSTANT = 1e-12; // s: times closer than this are the same
static const double LEVER = 0.03;    // m, at which the hand's springs turn the device
static const double STYLUS = 5e-5;   // kg m^2, of a device whose inertia is not known

typedef struct wrench {
    double force[3], torque[3];
} wrench;

typedef struct actuator { // what is written acts `delay` seconds later
    double delay, max_force, max_torque;
    wrench acting;
    int first, waiting; // a ring, oldest first
    struct {
        double left; // s until it acts
        wrench wrench;
    } ring[COMMANDS];
} actuator;

typedef struct encoder {
    double resolution, turn_resolution, noise, filter;
    bool senses_turn;
    pal_device_state reading;
    pal_rng rng;
} encoder;

typedef struct turning { // about the axes of the world
    bool on;             // there is somebody to turn it, or something
    pal_two_mass model;
    double z[3][4];     // as for the places, in angles turned so far
    double intended[3]; // rad, what the hand wanted to turn so far
    double target[4];   // the turn that it wants now
    double start[4];
    int cursor;
} turning;

typedef struct guided { // by wishes in the place of a script
    bool on;
    bool waits; // for a first wish; until then the script leads
    pal_mailbox *box;
    const pal_wish *wish; // as of the beginning of this advance
    pal_follower follower;
} guided;

typedef struct sim {
    pal_two_mass model;
    double z[3][4]; // x, x', x_h, x_h' of each axis
    turning turning;
    double time;
    double start[3];
    int leg_count, cursor;
    pal_leg *leg;            // [leg_count]
    pal_path_sample *sample; // of all paths, one after the other
    guided guided;
    actuator actuator;
    encoder encoder;
    pal_link link;
} sim;

// ---- The actuator -------------------------------------------------------------------------------

// Cut to the limit by magnitude; what is not a number makes none.
static void saturate(const double wanted[3], double limit, double force[3]) {
    double norm = pal_norm3(wanted);
    double scale = !isfinite(norm) ? 0.0 : norm > limit ? limit / norm : 1.0;
    for (int i = 0; i < 3; i++) {
        force[i] = scale == 0.0 ? 0.0 : scale * wanted[i];
    }
}

static void write_sim(pal_device *device, const double force[3], const double torque[3]) {
    static const double none[3] = {0.0, 0.0, 0.0};
    actuator *a = &((sim *)device->self)->actuator;
    // A full ring, or a second write at the same instant, replaces the newest.
    int newest = (a->first + a->waiting - 1 + COMMANDS) % COMMANDS;
    bool replace = a->waiting == COMMANDS || (a->waiting > 0 && a->ring[newest].left >= a->delay);
    int here = replace ? newest : (a->first + a->waiting++) % COMMANDS;
    a->ring[here].left = a->delay;
    saturate(force, a->max_force, a->ring[here].wrench.force);
    saturate(torque != NULL ? torque : none, a->max_torque, a->ring[here].wrench.torque);
}

// Lets the forces act that are due `now` seconds into the advance; returns when the next is.
static double let_act(actuator *a, double now) {
    while (a->waiting > 0 && a->ring[a->first].left <= now + INSTANT) {
        a->acting = a->ring[a->first].wrench;
        a->first = (a->first + 1) % COMMANDS;
        a->waiting--;
    }
    return a->waiting > 0 ? a->ring[a->first].left : INFINITY;
}

static void cut_power(actuator *a) {
    a->waiting = 0;
    a->acting = (wrench){{0.0}, {0.0}};
}

// ---- Motion -------------------------------------------------------------------------------------

// How many steps are short enough for the model.
static int steps_for(const pal_two_mass *model, double seconds) {
    int steps = (int)ceil(seconds / model->step_max - 1e-9);
    return steps < 1 ? 1 : steps;
}

static void step_axes(const pal_two_mass *model, double z[3][4], const double push[3],
                      const double u0[3], const double u1[3], double h) {
    for (int i = 0; i < 3; i++) {
        pal_two_mass_step(model, z[i], push[i], u0[i], u1[i], h);
    }
}

// Where the hand wants to be at `time`, dt seconds after it was asked before.
static void target(sim *self, double time, double dt, double u[3]) {
    if (self->guided.on) {
        pal_follower *follower = &self->guided.follower;
        if (dt > 0.0) {
            pal_follower_move(follower, self->guided.wish->pose.x, dt);
        }
        memcpy(u, follower->u, sizeof follower->u);
    } else {
        pal_intents_target(self->leg, self->leg_count, self->start, time, &self->cursor, u);
    }
}

static void target_turn(sim *self, double time, double dt, double turned[4]) {
    if (self->guided.on) {
        pal_follower_turn(&self->guided.follower, self->guided.wish->pose.turn, dt);
        memcpy(turned, self->guided.follower.turn_u, 4 * sizeof *turned);
    } else {
        pal_intents_turn(self->leg, self->leg_count, self->turning.start, time,
                         &self->turning.cursor, turned);
    }
}

static uint32_t buttons(const sim *self) {
    return self->guided.on ? self->guided.wish->buttons
                           : pal_intents_buttons(self->leg, self->leg_count, self->cursor);
}

// The script ends here: wishes are followed from where it wanted the hand to be.
static void take_over(sim *self) {
    pal_pose at = PAL_POSE_IDENTITY;
    target(self, self->time, 0.0, at.x);
    memcpy(at.turn, self->turning.target, sizeof at.turn);
    const pal_follower_options options = self->guided.follower.options;
    pal_follower_init(&self->guided.follower, &options, &at);
    self->guided.on = true;
    self->guided.waits = false;
}

// Constant force for `seconds`.
static void move(sim *self, double begin, double seconds) {
    const int steps = steps_for(&self->model, seconds);
    double h = seconds / steps, u[2][3];
    target(self, begin, 0.0, u[0]);
    for (int k = 1; k <= steps; k++) {
        target(self, begin + k * h, h, u[1]);
        step_axes(&self->model, self->z, self->actuator.acting.force, u[0], u[1], h);
        memcpy(u[0], u[1], sizeof u[0]);
    }
}

// Constant torque for `seconds`.
static void turn(sim *self, double begin, double seconds) {
    turning *t = &self->turning;
    const int steps = steps_for(&t->model, seconds);
    const double h = seconds / steps;
    for (int k = 1; k <= steps; k++) {
        double turned[4], by[3], next[3];
        target_turn(self, begin + k * h, h, turned);
        pal_turn_between(t->target, turned, by);
        for (int i = 0; i < 3; i++) {
            next[i] = t->intended[i] + by[i];
        }
        step_axes(&t->model, t->z, self->actuator.acting.torque, t->intended, next, h);
        memcpy(t->intended, next, sizeof next);
        memcpy(t->target, turned, sizeof turned);
    }
}

// How the device is turned: the turn that is intended, and how far it is off.
static void true_turn(const sim *self, double out[4]) {
    const turning *t = &self->turning;
    pal_pose pose = PAL_POSE_IDENTITY;
    double off[3];
    for (int i = 0; i < 3; i++) {
        off[i] = t->z[i][0] - t->intended[i];
    }
    memcpy(pose.turn, t->target, sizeof pose.turn);
    if (pal_norm3(off) > 0.0) {
        pal_pose_move(&pose, (double[3]){0.0, 0.0, 0.0}, off);
    }
    memcpy(out, pose.turn, sizeof pose.turn);
}

// ---- Reading ------------------------------------------------------------------------------------

static double quantise(double x, double resolution) {
    return resolution > 0.0 ? resolution * round(x / resolution) : x;
}

static void sense_turn(const sim *self, double out[4]) {
    const encoder *e = &self->encoder;
    double vector[3] = {0.0, 0.0, 0.0};
    if (e->senses_turn) {
        true_turn(self, out);
        pal_turn_to_vector(out, vector);
    }
    for (int i = 0; i < 3; i++) {
        vector[i] = quantise(vector[i], e->turn_resolution);
    }
    pal_turn_of_vector(vector, out);
}

// A difference over dt into a velocity, by a low-pass of one pole.
static void filter(const encoder *e, double dt, double difference, double *velocity) {
    *velocity += dt / (dt + e->filter) * (difference / dt - *velocity);
}

// The velocities are the first differences of the quantised readings through the low-pass.
static void sample(sim *self, double dt) {
    encoder *e = &self->encoder;
    pal_device_state *r = &e->reading;
    double turned[4], by[3];
    for (int i = 0; i < 3; i++) {
        double noise = e->noise > 0.0 ? e->noise * pal_rng_normal(&e->rng) : 0.0;
        double old = r->position[i];
        if (!pal_link_has(&self->link, PAL_FAULT_STUCK, i, self->time)) {
            r->position[i] = quantise(self->z[i][0] + noise, e->resolution);
        }
        filter(e, dt, r->position[i] - old, &r->velocity[i]);
    }
    sense_turn(self, turned);
    pal_turn_between(r->turn, turned, by);
    memcpy(r->turn, turned, sizeof turned);
    for (int i = 0; i < 3; i++) {
        filter(e, dt, by[i], &r->spin[i]);
    }
    r->buttons = buttons(self);
    pal_link_carry(&self->link, self->time, dt, r);
}

static void read_sim(pal_device *device, pal_device_state *state) {
    *state = ((const sim *)device->self)->link.arrived;
}

static void advance_sim(pal_device *device, double dt) {
    sim *self = device->self;
    actuator *a = &self->actuator;
    if (!(dt > 0.0)) {
        return;
    }
    if (pal_link_has(&self->link, PAL_FAULT_UNPLUG, -1, self->time)) {
        cut_power(a);
    }
    if (self->guided.waits && pal_mailbox_has_more(self->guided.box)) {
        take_over(self);
    }
    if (self->guided.on) {
        self->guided.wish = pal_mailbox_latest(self->guided.box);
    }
    // The force changes where a command falls due.
    for (double now = 0.0; now < dt - INSTANT;) {
        double next = fmin(let_act(a, now), dt);
        move(self, self->time + now, next - now);
        if (self->turning.on) {
            turn(self, self->time + now, next - now);
        }
        now = next;
    }
    for (int k = 0; k < a->waiting; k++) {
        a->ring[(a->first + k) % COMMANDS].left -= dt;
    }
    self->time += dt;
    sample(self, dt);
}

// ---- Opening ------------------------------------------------------------------------------------

static void close_sim(pal_device *device) {
    sim *self = device->self;
    pal_link_close(&self->link);
    free(self->leg);
    free(self->sample);
    free(self);
    device->self = NULL;
}

static const pal_device_functions functions = {
    .read = read_sim, .write = write_sim, .advance = advance_sim, .close = close_sim};

pal_hand pal_hand_grip(const char *name, bool *known) {
    static const struct {
        const char *name;
        pal_hand hand;
    } grips[] = {
        // The ends of the ranges of FEEL.md 4, and their middle.
        {"loose", {.mass = 0.1, .k_h = 100.0, .b_h = 3.0, .k_g = 300.0, .b_g = 1.0}},
        {"medium", {.mass = 0.2, .k_h = 300.0, .b_h = 4.5, .k_g = 650.0, .b_g = 3.0}},
        {"firm", {.mass = 0.3, .k_h = 500.0, .b_h = 6.0, .k_g = 1000.0, .b_g = 5.0}},
        {"none", {.mass = 0.0}},
    };
    for (size_t i = 0; i < sizeof grips / sizeof *grips; i++) {
        if (strcmp(grips[i].name, name) == 0) {
            *known = true;
            return grips[i].hand;
        }
    }
    *known = false;
    return (pal_hand){0};
}

void pal_sim_defaults(pal_sim_options *options, const pal_device_limits *limits) {
    bool known;
    *options = (pal_sim_options){
        .limits = *limits,
        .hand = pal_hand_grip("firm", &known),
        .device_damping = 0.05,
        .friction = limits->friction,
        .velocity_filter = 3e-3,
    };
}

static pal_status check_options(const pal_sim_options *o, pal_err *err) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"max_force", o->limits.max_force},
        {"max_torque", o->limits.max_torque},
        {"turn resolution", o->limits.turn_resolution},
        {"inertia", o->limits.inertia},
        {"resolution", o->limits.resolution},
        {"hand mass", o->hand.mass},
        {"k_h", o->hand.k_h},
        {"b_h", o->hand.b_h},
        {"k_g", o->hand.k_g},
        {"b_g", o->hand.b_g},
        {"damping", o->device_damping},
        {"friction", o->friction},
        {"delay", o->delay},
        {"noise", o->noise},
        {"velocity filter", o->velocity_filter},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!(numbers[i].value >= 0.0 && isfinite(numbers[i].value))) {
            return pal_fail(err, PAL_ERR_USAGE,
                            "simulated device: %s is %g; it must be finite and not negative",
                            numbers[i].name, numbers[i].value);
        }
    }
    if (!(o->limits.mass > 0.0)) {
        return pal_fail(err, PAL_ERR_USAGE, "simulated device: its mass is %g kg; it needs some",
                        o->limits.mass);
    }
    if (o->delay > DELAY_MAX) {
        return pal_fail(err, PAL_ERR_USAGE, "simulated device: a delay of %g s; at most %g",
                        o->delay, DELAY_MAX);
    }
    if (!isfinite(pal_norm3(o->start)) || !isfinite(pal_norm3(o->start_velocity)) ||
        !isfinite(pal_norm3(o->start_turn))) {
        return pal_fail(err, PAL_ERR_USAGE, "simulated device: its start is not finite");
    }
    if (o->intent_count < 0 || o->fault_count < 0) {
        return pal_fail(err, PAL_ERR_USAGE, "simulated device: a negative count");
    }
    return PAL_OK;
}

// The paths' samples become the device's own.
static pal_status own_samples(sim *self, pal_err *err) {
    int64_t count = 0;
    for (int i = 0; i < self->leg_count; i++) {
        count += self->leg[i].intent.sample_count;
    }
    if (count == 0) {
        return PAL_OK;
    }
    pal_path_sample *to = self->sample = PAL_NEW(pal_path_sample, count, err);
    if (to == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int i = 0; i < self->leg_count; i++) {
        pal_intent *in = &self->leg[i].intent;
        if (in->sample_count > 0) {
            memcpy(to, in->sample, (size_t)in->sample_count * sizeof *to);
            in->sample = to;
            to += in->sample_count;
        }
    }
    return PAL_OK;
}

// The same hand and device, seen as inertias.
static pal_status open_turning(turning *t, const pal_sim_options *options, pal_err *err) {
    const double square = LEVER * LEVER;
    pal_sim_options about = *options;
    about.limits.mass = options->limits.inertia > 0.0 ? options->limits.inertia : STYLUS;
    about.hand = (pal_hand){.mass = square * options->hand.mass,
                            .k_h = square * options->hand.k_h,
                            .b_h = square * options->hand.b_h,
                            .k_g = square * options->hand.k_g,
                            .b_g = square * options->hand.b_g};
    about.device_damping *= square;
    about.friction = 0.0;
    t->on = options->limits.max_torque > 0.0 || options->guide != NULL;
    for (int i = 0; i < options->intent_count; i++) {
        t->on = t->on || options->intent[i].turned;
    }
    pal_turn_of_vector(options->start_turn, t->start);
    memcpy(t->target, t->start, sizeof t->target);
    return t->on ? pal_two_mass_init(&t->model, &about, err) : PAL_OK;
}

// A hand that is guided begins at the start of the options, whatever is wished.
static void open_guide(sim *self, const pal_sim_options *options) {
    if (options->guide != NULL) {
        pal_pose at = PAL_POSE_IDENTITY;
        memcpy(at.x, options->start, sizeof at.x);
        pal_turn_of_vector(options->start_turn, at.turn);
        self->guided.on = !options->guide->waits;
        self->guided.waits = options->guide->waits;
        self->guided.box = options->guide->box;
        self->guided.wish = pal_mailbox_latest(self->guided.box);
        pal_follower_init(&self->guided.follower, &options->guide->follower, &at);
    }
}

// Hand and device start together, and the first reading is there.
static void place(sim *self, const pal_sim_options *options) {
    pal_device_state *r = &self->encoder.reading;
    self->actuator.delay = options->delay;
    self->actuator.max_force = options->limits.max_force;
    self->actuator.max_torque = options->limits.max_torque;
    self->encoder = (encoder){.resolution = options->limits.resolution,
                              .turn_resolution = options->limits.turn_resolution,
                              .noise = options->noise,
                              .filter = options->velocity_filter,
                              .senses_turn = options->limits.senses_turn,
                              .rng = pal_rng_make(options->seed, 1)};
    for (int i = 0; i < 3; i++) {
        double x = options->start[i], v = options->start_velocity[i];
        self->start[i] = x;
        memcpy(self->z[i], (double[4]){x, v, x, v}, sizeof self->z[i]);
        r->position[i] = quantise(x, self->encoder.resolution);
        r->velocity[i] = v;
    }
    sense_turn(self, r->turn);
    r->buttons = buttons(self);
    pal_link_carry(&self->link, 0.0, 0.0, r);
}

static pal_status fill(sim *self, const pal_sim_options *options, pal_err *err) {
    pal_status status = pal_two_mass_init(&self->model, options, err);
    if (status == PAL_OK) {
        status = open_turning(&self->turning, options, err);
    }
    if (status == PAL_OK) {
        status = pal_link_open(&self->link, options, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    self->leg = PAL_NEW(pal_leg, options->intent_count, err);
    if (self->leg == NULL) {
        return PAL_ERR_MEMORY;
    }
    self->leg_count = options->intent_count;
    status = pal_intents_plan(self->leg, options, err);
    if (status == PAL_OK) {
        status = own_samples(self, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    open_guide(self, options);
    place(self, options);
    return PAL_OK;
}

pal_status pal_device_open_sim(pal_device *device, const pal_sim_options *options, pal_err *err) {
    *device = (pal_device){.limits = options->limits};
    pal_status status = check_options(options, err);
    if (status != PAL_OK) {
        return status;
    }
    sim *self = PAL_NEW(sim, 1, err);
    if (self == NULL) {
        return PAL_ERR_MEMORY;
    }
    device->self = self;
    status = fill(self, options, err);
    if (status != PAL_OK) {
        close_sim(device);
        return status;
    }
    device->functions = &functions;
    return PAL_OK;
}

void pal_sim_read_truth(const pal_device *device, pal_sim_truth *truth) {
    const sim *self = device->self;
    bool held = self->model.inv_m_h > 0.0;
    for (int i = 0; i < 3; i++) {
        truth->position[i] = self->z[i][0];
        truth->velocity[i] = self->z[i][1];
        truth->hand[i] = self->z[i][held ? 2 : 0];
        truth->force[i] = self->actuator.acting.force[i];
        truth->torque[i] = self->actuator.acting.torque[i];
        truth->spin[i] = self->turning.z[i][1];
    }
    true_turn(self, truth->turn);
}
