#include "devices/dev_sim_driven.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/base/rng.h"

typedef struct driven {
    pal_device sim;
    double period, jitter; // s, by our clock
    double silent_from;    // s
    pthread_t thread;
    bool driving; // there is a thread
    atomic_bool ending;
    pal_device_call call;
    void *context;
    struct { // owned by the thread while it is there
        pal_rng rng;
        double time; // s of the simulated hand
    } own;
} driven;

static void read_driven(pal_device *device, pal_device_state *state) {
    driven *self = device->self;
    self->sim.functions->read(&self->sim, state);
}

static void write_driven(pal_device *device, const double force[3], const double torque[3]) {
    driven *self = device->self;
    self->sim.functions->write(&self->sim, force, torque);
}

// It moves by its own clock, between the calls.
static void advance_driven(pal_device *device, double dt) {
    (void)device;
    (void)dt;
}

// ---- The thread that calls ----------------------------------------------------------------------

static void sleep_until(double seconds) {
    double whole = floor(seconds);
    struct timespec t = {.tv_sec = (time_t)whole, .tv_nsec = (long)(1e9 * (seconds - whole))};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
    }
}

// A thread that is late by a period or more lets the calls in between fall out.
static void *keep_calling(void *context) {
    driven *self = context;
    double due = pal_seconds(), late = 0.0;
    while (!atomic_load_explicit(&self->ending, memory_order_relaxed)) {
        double before = late;
        late = pal_rng_uniform(&self->own.rng, 0.0, self->jitter);
        due += self->period;
        sleep_until(due + late);
        double now = pal_seconds();
        due = now - due < self->jitter + self->period ? due : now;

        double passed = self->period + late - before;
        self->own.time += passed;
        if (self->own.time >= self->silent_from) {
            break;
        }
        self->sim.functions->advance(&self->sim, passed);
        if (!self->call(self->context)) {
            break;
        }
    }
    return NULL;
}

static pal_status drive(pal_device *device, pal_device_call call, void *context, pal_err *err) {
    driven *self = device->self;
    self->call = call;
    self->context = context;
    atomic_store(&self->ending, false);
    self->driving = pthread_create(&self->thread, NULL, keep_calling, self) == 0;
    return self->driving ? PAL_OK
                         : pal_fail(err, PAL_ERR_MEMORY, "cannot start the device's thread");
}

static void undrive(pal_device *device) {
    static const double none[3] = {0.0, 0.0, 0.0};
    driven *self = device->self;
    if (self->driving) {
        atomic_store_explicit(&self->ending, true, memory_order_relaxed);
        pthread_join(self->thread, NULL);
        self->driving = false;
        write_driven(device, none, NULL);
    }
}

// ---- Opening ------------------------------------------------------------------------------------

static void close_driven(pal_device *device) {
    driven *self = device->self;
    undrive(device);
    pal_device_close(&self->sim);
    free(self);
    device->self = NULL;
}

static const pal_device_functions functions = {.read = read_driven,
                                               .write = write_driven,
                                               .advance = advance_driven,
                                               .close = close_driven,
                                               .drive = drive,
                                               .undrive = undrive};

pal_drive_options pal_drive_defaults(void) {
    return (pal_drive_options){.period = 1e-3, .error = 2e-3, .jitter = 50e-6};
}

static double first_silence(const pal_sim_options *sim) {
    double at = INFINITY;
    for (int i = 0; i < sim->fault_count; i++) {
        at = sim->fault[i].kind == PAL_FAULT_SILENCE ? fmin(at, sim->fault[i].at) : at;
    }
    return at;
}

pal_status pal_device_open_sim_driven(pal_device *device, const pal_sim_options *sim,
                                      const pal_drive_options *options, pal_err *err) {
    *device = (pal_device){.limits = sim->limits};
    const double period = options->period * (1.0 + options->error);
    if (!(period > 0.0 && isfinite(period) && options->jitter >= 0.0 && options->jitter < period)) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "simulated device: a period of %g s with a jitter of %g s; the jitter must "
                        "be shorter than the period",
                        period, options->jitter);
    }
    driven *self = PAL_NEW(driven, 1, err);
    if (self == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_device_open_sim(&self->sim, sim, err);
    if (status != PAL_OK) {
        free(self);
        return status;
    }
    self->period = period;
    self->jitter = options->jitter;
    self->silent_from = first_silence(sim);
    self->own.rng = pal_rng_make(sim->seed, 3);
    device->self = self;
    device->functions = &functions;
    return PAL_OK;
}
