#include "tests/support/damage.h"

#include <math.h>

enum {
    JUMP,
    OFFSET,
    NO_NUMBER,
    HUGE_NUMBER,
    STALE,
    WRONG_WAY,
    FALSE_SPEED,
    FALSE_TURN,
    TURNS_FAST,
    CHATTER,
    UNPLUGGED,
    STUCK_AXIS,
    NOISE,
    STEPS_BACK
};
_Static_assert(STEPS_BACK == DAMAGE_KINDS - 1, "each kind is in the list");

static void begin(damage *d, const pal_device_state *state) {
    d->kind = (int)(random_share(d->random) * DAMAGE_KINDS * 0.9999);
    d->left = 1 + (int)(pow(random_share(d->random), 3.0) * 60.0);
    d->axis = (int)(2.999 * random_share(d->random));
    d->size = random_number(d->random) * pow(10.0, -4.0 + 4.0 * random_share(d->random));
    d->frozen = *state;
    d->faults++;
}

static void spoil_number(damage *d, double with, pal_device_state *s) {
    double *const field[] = {s->position, s->velocity, s->turn, s->spin};
    field[(int)(3.999 * random_share(d->random))][d->axis] = with;
}

static void spoil(damage *d, pal_device_state *s) {
    static const double none[] = {NAN, INFINITY, -INFINITY};
    switch (d->kind) {
    case JUMP:
        s->position[d->axis] += d->left % 3 == 0 ? 100.0 * d->size : 0.0;
        break;
    case OFFSET:
        s->position[d->axis] += d->size;
        break;
    case NO_NUMBER:
        spoil_number(d, none[d->axis], s);
        break;
    case HUGE_NUMBER:
        spoil_number(d, d->left % 2 ? 1e300 : -1e20, s);
        break;
    case STALE:
        *s = d->frozen;
        break;
    case WRONG_WAY:
        s->velocity[d->axis] *= -10.0;
        break;
    case FALSE_SPEED:
        s->velocity[d->axis] = 10.0 * d->size;
        break;
    case FALSE_TURN:
        s->turn[d->axis] += 10.0 * d->size;
        break;
    case TURNS_FAST:
        s->spin[d->axis] = 1000.0 * d->size;
        break;
    case CHATTER:
        s->buttons ^= (uint32_t)(4.0 * random_share(d->random));
        break;
    case UNPLUGGED:
        *s = d->frozen;
        s->present = false;
        break;
    case STUCK_AXIS:
        s->position[d->axis] = d->frozen.position[d->axis];
        break;
    case NOISE:
        s->position[d->axis] += 0.02 * d->size * random_number(d->random);
        break;
    default:
        s->sequence -= (uint64_t)(5.0 * random_share(d->random));
        break;
    }
}

static void read_damaged(pal_device *device, pal_device_state *state) {
    damage *d = device->self;
    d->inner.functions->read(&d->inner, state);
    if (d->left == 0 && random_share(d->random) < d->rate) {
        begin(d, state);
    }
    if (d->left > 0) {
        spoil(d, state);
        d->left--;
    }
}

static void write_inner(pal_device *device, const double force[3], const double torque[3]) {
    damage *d = device->self;
    d->inner.functions->write(&d->inner, force, torque);
}

static void advance_inner(pal_device *device, double dt) {
    damage *d = device->self;
    d->inner.functions->advance(&d->inner, dt);
}

static void close_inner(pal_device *device) {
    damage *d = device->self;
    pal_device_close(&d->inner);
}

void damage_open(damage *d, pal_device *device, test_random *random, double rate) {
    static const pal_device_functions functions = {
        .read = read_damaged, .write = write_inner, .advance = advance_inner, .close = close_inner};
    *d = (damage){.inner = *device, .random = random, .rate = rate};
    device->functions = &functions;
    device->self = d;
}
