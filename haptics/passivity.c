#include "haptics/passivity.h"

#include <math.h>
#include <string.h>

#include "haptics/reading.h"
#include "sim/base/pose.h"

enum { BOUNDED_DELAY = 2 }; // ticks, from which on damping alone comes too late
static const double half_turn = 3.14159265358979323846;
static const double window_share = 0.7; // of alpha_max, with a velocity over a window

void pal_passivity_init(pal_passivity *passivity, const pal_device_limits *limits, double dt,
                        double delay, bool control) {
    *passivity = (pal_passivity){
        .dt = dt,
        .control = control,
        .scale = 1.0,
        .delay = fmax(delay, 0.0),
        .most_work = limits->max_force * PAL_READING_SPEED * PAL_PASSIVITY_GAP * dt +
                     limits->max_torque * PAL_READING_SPIN * PAL_PASSIVITY_GAP * dt,
    };

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
    passivity->step = limits->resolution;
    passivity->alpha_max *= limits->resolution > 0.0 ? window_share : 1.0;
    pal_window_init(&passivity->turn_window, limits->turn_resolution);
    passivity->lever2 =
        limits->max_torque > 0.0 && limits->mass > 0.0 ? limits->inertia / limits->mass : 0.0;
}

void pal_passivity_clear(pal_passivity *passivity) {
    passivity->energy = passivity->most = 0.0;
    passivity->speed = passivity->turning = 0.0;
    passivity->scale = 1.0;
    passivity->started = false;
    memset(passivity->axis, 0, sizeof passivity->axis);
    memset(passivity->slow, 0, sizeof passivity->slow);
    passivity->window.count = passivity->turn_window.count = 0;
}

static void find_velocity(const pal_window *window, double dt, const double estimated[3],
                          double velocity[3]) {
    if (window->step > 0.0) {
        pal_window_velocity(window, dt, velocity);
    } else {
        memcpy(velocity, estimated, 3 * sizeof *velocity);
    }
}

// What acted over the last interval, on average: sent delay_ticks before its start, and for the
// first part of it the one before.
static void applied(const pal_passivity *passivity, const double (*sent)[3], double vector[3]) {
    const double *newer = sent[passivity->delay_ticks], *older = sent[passivity->delay_ticks + 1];
    for (int c = 0; c < 3; c++) {
        vector[c] = newer[c] + passivity->delay_share * (older[c] - newer[c]);
    }
}

// The work along one axis of a device with an encoder, whose reading went from a to b in the last
// interval under a force. Where the device is is known when the reading changes: half-way between,
// in the middle of that interval. From one such moment to the next it went under the mean of the
// forces of that time.
static double work_of_steps(pal_passivity_axis *axis, double a, double b, double force) {
    double work = 0.0;
    axis->impulse += force;
    axis->ticks++;
    if (b != a) {
        const double middle = 0.5 * (a + b);
        work = (axis->impulse - 0.5 * force) / axis->ticks * (middle - axis->middle);
        *axis = (pal_passivity_axis){.middle = middle, .impulse = 0.5 * force};
    }
    return isfinite(work) ? work : 0.0;
}

static double work_of(pal_passivity *passivity, const double from[3], const double to[3]) {
    double force[3], work = 0.0;
    applied(passivity, (const double(*)[3])passivity->sent, force);
    for (int c = 0; c < 3; c++) {
        work += passivity->step > 0.0 ? work_of_steps(&passivity->axis[c], from[c], to[c], force[c])
                                      : force[c] * (to[c] - from[c]);
    }
    return work;
}

// Nothing is on its way or acts.
static bool is_quiet(const pal_passivity *passivity) {
    for (int i = 0; i <= passivity->delay_ticks + 1; i++) {
        if (pal_dot3(passivity->sent[i], passivity->sent[i]) > 0.0 ||
            pal_dot3(passivity->sent_torque[i], passivity->sent_torque[i]) > 0.0) {
            return false;
        }
    }
    return true;
}

// Adds the work of the last interval to the ledger. A reading that is no number moves nothing.
static void book(pal_passivity *passivity, const pal_device_state *state) {
    double turned[3] = {0.0, 0.0, 0.0}, torque[3], work = 0.0;
    if (passivity->started) {
        work = work_of(passivity, passivity->last_position, state->position);
        pal_turn_between(passivity->last_turn, state->turn, turned);
    }
    for (int c = 0; c < 3; c++) {
        passivity->axis[c].middle =
            passivity->started ? passivity->axis[c].middle : state->position[c];
        passivity->angle[c] += turned[c];
    }
    passivity->started = true;
    memcpy(passivity->last_position, state->position, sizeof passivity->last_position);
    memcpy(passivity->last_turn, state->turn, sizeof passivity->last_turn);
    applied(passivity, (const double(*)[3])passivity->sent_torque, torque);
    work += pal_dot3(torque, turned);
    if (isfinite(work)) {
        passivity->energy -= fmin(fmax(work, -passivity->most_work), passivity->most_work);
        passivity->made = fmax(passivity->made, -(passivity->energy + passivity->others));
        passivity->most = fmax(passivity->most, passivity->energy);
    }
}

// force -= damping * velocity; a surface that pushes does not pull, and is not damped by more than
// it pushes (a touch that just ends would give a blow sideways): what is owed then waits.
static void take_from(const double velocity[3], double damping, bool never_pull, double force[3]) {
    const double wanted[3] = {force[0], force[1], force[2]}, size2 = pal_dot3(wanted, wanted);
    const double most = sqrt(size2), much = damping * pal_norm3(velocity);
    damping *= never_pull && much > most ? most / much : 1.0;
    for (int c = 0; c < 3; c++) {
        force[c] -= damping * velocity[c];
    }
    const double along = size2 > 0.0 ? pal_dot3(force, wanted) / size2 : 0.0;
    for (int c = 0; c < 3 && never_pull && along < 0.0; c++) {
        force[c] -= along * wanted[c];
    }
}

static void smooth_velocity(pal_passivity *passivity, const pal_device_state *state) {
    static const double time = 10e-3; // s
    double velocity[3];
    find_velocity(&passivity->window, passivity->dt, state->velocity, velocity);
    for (int c = 0; c < 3; c++) {
        const double change = (velocity[c] - passivity->slow[c]) * passivity->dt / time;
        passivity->slow[c] += isfinite(change) ? change : 0.0;
    }
}

// 0..1: how much of a debt is felt. One that is not is paid slowly, for at once it would be a step
// of the force under the hand.
static double urgency(const pal_passivity *passivity, double debt) {
    static const double unfelt = 1e-4, share = 0.02; // J; of the most that the touch has held
    const double small = fmax(unfelt, share * passivity->most);
    return passivity->never_pull ? fmin(1.0, debt / small) : 1.0;
}

static pal_outcome damp(const pal_passivity *passivity, const pal_device_state *state,
                        double force[3], double torque[3]) {
    double velocity[3], spin[3];
    find_velocity(&passivity->window, passivity->dt, state->velocity, velocity);
    find_velocity(&passivity->turn_window, passivity->dt, state->spin, spin);
    const double debt = -fmax(passivity->energy, passivity->energy + passivity->others);
    const double now = urgency(passivity, debt), l2 = passivity->lever2;
    for (int c = 0; c < 3; c++) {
        velocity[c] = passivity->slow[c] + now * (velocity[c] - passivity->slow[c]);
    }
    const double v2 = pal_dot3(velocity, velocity) + l2 * pal_dot3(spin, spin);
    if (!(v2 > 0.0)) {
        return 0;
    }
    const double alpha = fmin(debt / (passivity->dt * v2), now * passivity->alpha_max);
    take_from(velocity, alpha, passivity->never_pull, force);
    take_from(spin, alpha * l2, passivity->never_pull, torque);
    return PAL_OUT_PASSIVITY;
}

// J, of this hand's ledger or of all together, less what the others' forces on their way may take.
static double to_spend(const pal_passivity *passivity) {
    return passivity->energy + fmax(0.0, passivity->others - passivity->others_promised);
}

// ---- the bound without a delay

static pal_outcome bound_leaving(const pal_passivity *passivity, double force[3]) {
    static const double begin_at_wall = 2e-5, begin_at_body = 1e-4, quick = 0.05; // J, m/s
    const double begin = passivity->never_pull ? begin_at_body : begin_at_wall;
    const double size = pal_norm3(force), slew = passivity->max_slew, dt = passivity->dt;
    double velocity[3];
    pal_window_velocity(&passivity->window, dt, velocity);
    const double leaving = size > 0.0 ? pal_dot3(force, velocity) / size : 0.0;
    if (!(leaving > quick)) {
        return 0;
    }
    const double speed = leaving - quick * quick / leaving;
    const double under_way = passivity->delay_share * pal_dot3(passivity->sent[0], velocity) * dt;
    const double left = fmax(0.0, to_spend(passivity) + begin - under_way);
    const double most = slew > 0.0 ? slew * (sqrt(dt * dt + 2.0 * left / (speed * slew)) - dt)
                                   : left / (speed * dt);
    for (int c = 0; c < 3 && most < size; c++) {
        force[c] *= most / size;
    }
    return most < size ? PAL_OUT_PASSIVITY : 0;
}

// ---- the bound under a delay

// The largest of late: it sinks over twice the delay, by which a press is on its way back.
static double follow_peak(const pal_passivity *passivity, double peak, double least, double now) {
    const double sinks = passivity->dt / (2.0 * passivity->delay + passivity->dt);
    return fmax(fmax(isfinite(now) ? now : 0.0, least), peak * (1.0 - sinks));
}

// W, of a force on a hand that leaves at the largest speed of late.
static double power_of(const pal_passivity *passivity, const double force[3],
                       const double torque[3]) {
    return pal_norm3(force) * passivity->speed + pal_norm3(torque) * passivity->turning;
}

double pal_passivity_promised(const pal_passivity *passivity) {
    if (passivity->delay_ticks < BOUNDED_DELAY) {
        return 0.0;
    }
    double power =
        passivity->delay_share * power_of(passivity, passivity->sent[passivity->delay_ticks],
                                          passivity->sent_torque[passivity->delay_ticks]);
    for (int i = 0; i < passivity->delay_ticks; i++) {
        power += power_of(passivity, passivity->sent[i], passivity->sent_torque[i]);
    }
    return power * passivity->dt;
}

// How much of the wanted force may be sent, 0..1.
static double bounded_scale(const pal_passivity *passivity, double wanted) {
    static const double begin = 1e-4; // J, B
    static const double rise = 10.0;  // delays, from nothing to all
    const double tau = fmax(0.5 * passivity->delay, 2.0 * passivity->dt);
    const double left = fmax(0.0, to_spend(passivity) + begin - pal_passivity_promised(passivity));
    const double rises = passivity->dt / (rise * passivity->delay + passivity->dt);
    const double allowed = wanted * tau > left ? left / (wanted * tau) : 1.0;
    return fmin(allowed, passivity->scale + rises);
}

static pal_outcome bound_by_energy(pal_passivity *passivity, const pal_device_state *state,
                                   double force[3], double torque[3]) {
    static const double least_speed = 0.15, least_spin = 5.0; // m/s, rad/s
    static const double forgiven = 2e-4, forgotten = 0.5;     // J/s, s
    passivity->speed =
        follow_peak(passivity, passivity->speed, least_speed, pal_norm3(state->velocity));
    passivity->turning =
        follow_peak(passivity, passivity->turning, least_spin, pal_norm3(state->spin));
    if (passivity->energy < 0.0) {
        passivity->energy += (forgiven - passivity->energy / forgotten) * passivity->dt;
    }
    passivity->scale = bounded_scale(passivity, power_of(passivity, force, torque));
    if (!(passivity->scale < 1.0)) {
        return 0;
    }
    for (int c = 0; c < 3; c++) {
        force[c] *= passivity->scale;
        torque[c] *= passivity->scale;
    }
    return PAL_OUT_PASSIVITY;
}

void pal_passivity_credit(pal_passivity *passivity, double work) {
    const double most = fmax(passivity->energy, fmax(passivity->stored, 0.0));
    const double least = fmin(passivity->energy, 0.0); // what is taken out is no debt of the hand's
    passivity->energy = fmin(fmax(passivity->energy + work, least), most);
}

static pal_outcome control(pal_passivity *passivity, const pal_device_state *state, double force[3],
                           double torque[3]) {
    const bool in_debt = passivity->energy < 0.0 && passivity->energy + passivity->others < 0.0;
    const pal_outcome outcome = in_debt ? damp(passivity, state, force, torque) : 0;
    if (passivity->delay_ticks >= BOUNDED_DELAY) {
        return outcome | bound_by_energy(passivity, state, force, torque);
    }
    return passivity->delay_ticks == 0 ? outcome | bound_leaving(passivity, force) : outcome;
}

pal_outcome pal_passivity_apply(pal_passivity *passivity, const pal_device_state *state,
                                double force[3], double torque[3]) {
    double none[3] = {0.0, 0.0, 0.0};
    torque = torque != NULL ? torque : none;
    book(passivity, state);
    pal_window_add(&passivity->window, state->position);
    pal_window_add(&passivity->turn_window, passivity->angle);
    smooth_velocity(passivity, state);

    // In free space what was dissipated is gone, what the body still holds may come back, and a
    // debt waits for the next touch. (While others touch the body they may be paid what is missing
    // from it.)
    if (pal_dot3(force, force) == 0.0 && pal_dot3(torque, torque) == 0.0) {
        if (is_quiet(passivity) && !passivity->others_touch) {
            passivity->energy = fmin(passivity->energy, fmax(passivity->stored, 0.0));
            passivity->most = fmax(passivity->energy, 0.0);
        }
        return 0;
    }
    return passivity->control ? control(passivity, state, force, torque) : 0;
}

static void remember(double sent[PAL_PASSIVITY_DELAY][3], const double vector[3]) {
    memmove(sent[1], sent[0], (PAL_PASSIVITY_DELAY - 1) * sizeof sent[0]);
    memcpy(sent[0], vector, sizeof sent[0]);
}

void pal_passivity_sent(pal_passivity *passivity, const double force[3], const double torque[3]) {
    static const double none[3] = {0.0, 0.0, 0.0};
    remember(passivity->sent, force);
    remember(passivity->sent_torque, torque != NULL ? torque : none);
}
