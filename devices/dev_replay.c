#include "devices/dev_replay.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

typedef struct replay {
    int64_t count, next;
    pal_device_state *state; // [count]
} replay;

static void read_replay(pal_device *device, pal_device_state *state) {
    const replay *self = device->self;
    if (self->next < self->count) {
        *state = self->state[self->next];
        return;
    }
    // Past the end: the last place, not present.
    *state = self->count > 0 ? self->state[self->count - 1] : (pal_device_state){0};
    state->present = false;
}

static void write_replay(pal_device *device, const double force[3], const double torque[3]) {
    (void)device;
    (void)force;
    (void)torque;
}

static void advance_replay(pal_device *device, double dt) {
    replay *self = device->self;
    (void)dt;
    self->next += self->next < self->count;
}

static void close_replay(pal_device *device) {
    replay *self = device->self;
    free(self->state);
    free(self);
    device->self = NULL;
}

static const pal_device_functions functions = {
    .read = read_replay, .write = write_replay, .advance = advance_replay, .close = close_replay};

pal_status pal_device_open_replay(pal_device *device, const pal_device_limits *limits,
                                  const pal_device_state *state, int64_t count, pal_err *err) {
    *device = (pal_device){.limits = *limits};
    if (count < 0) {
        return pal_fail(err, PAL_ERR_USAGE, "replay: %lld readings; give 0 or more",
                        (long long)count);
    }
    replay *self = PAL_NEW(replay, 1, err);
    pal_device_state *copy = self != NULL ? PAL_NEW(pal_device_state, count, err) : NULL;
    if (copy == NULL) {
        free(self);
        return PAL_ERR_MEMORY;
    }
    if (count > 0) {
        memcpy(copy, state, (size_t)count * sizeof *copy);
    }
    *self = (replay){.count = count, .state = copy};
    device->self = self;
    device->functions = &functions;
    return PAL_OK;
}
