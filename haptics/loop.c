#include "haptics/loop.h"

#include <time.h>

#include "sim/base/clock.h"

// ---- On the thread that ticks, ours or the device's ---------------------------------------------

static void set_up_thread(pal_loop *loop) {
    if (loop->kind == PAL_CLOCK_VIRTUAL) {
        pal_realtime_flush_denormals(true);
    } else {
        pal_realtime_options options = pal_realtime_defaults();
        pal_realtime_setup(&options, &loop->own.rights);
        pal_servo_keep_time(loop->servo);
    }
    pal_clock_start(&loop->own.clock, loop->kind, loop->servo->options.dt);
    loop->own.set_up = true;
}

// A thread that has just come up is often late; the run begins when it has been in time for a
// while, or else after a fifth of a second.
static void warm_up(pal_loop *loop) {
    enum { MOST = 200, IN_TIME = 20 };
    pal_wake wake = pal_clock_wait(&loop->own.clock);
    loop->own.in_time = wake.missed == 0 ? loop->own.in_time + 1 : 0;
    loop->own.begun = ++loop->own.waits >= MOST || loop->own.in_time >= IN_TIME ||
                      loop->kind == PAL_CLOCK_VIRTUAL;
    if (loop->own.begun) {
        pal_clock_start(&loop->own.clock, loop->kind, loop->servo->options.dt);
        loop->own.start = pal_seconds();
    }
}

// The last ticks, and those after a stop, bring the force to zero.
static void tick(pal_loop *loop) {
    const uint64_t last_ticks = (uint64_t)pal_servo_stop_ticks(loop->servo);
    const uint64_t end = loop->own.tick + last_ticks;
    pal_wake wake = pal_clock_wait(&loop->own.clock);
    bool wanted = atomic_load_explicit(&loop->stop, memory_order_relaxed);
    if (!loop->own.stopping && (wanted || end >= loop->own.end)) {
        loop->own.stopping = true;
        loop->own.end = end < loop->own.end ? end : loop->own.end;
        pal_servo_order(loop->servo, PAL_COMMAND_STOP);
    }
    pal_servo_tick(loop->servo, wake.missed, 1e-3 * (double)wake.late);
    loop->own.tick++;
    loop->own.seconds = pal_seconds() - loop->own.start;
}

// One period; false: there are no more.
static bool pass_period(pal_loop *loop) {
    if (!loop->own.set_up) {
        set_up_thread(loop);
    } else if (!loop->own.begun) {
        warm_up(loop);
    } else if (loop->own.tick < loop->own.end) {
        tick(loop);
    }
    return loop->own.tick < loop->own.end;
}

// ---- By our clock -------------------------------------------------------------------------------

static void *run_ticks(void *context) {
    pal_loop *loop = context;
    while (pass_period(loop)) {
        if (loop->kind == PAL_CLOCK_VIRTUAL && loop->trace != NULL) {
            pal_trace_wait(loop->trace);
        }
    }
    atomic_store_explicit(&loop->done, true, memory_order_release);
    return NULL;
}

// ---- By the device's clock ----------------------------------------------------------------------

static bool called_by_device(void *context) {
    pal_loop *loop = context;
    atomic_fetch_add_explicit(&loop->calls, 1, memory_order_relaxed); // begun
    bool more = pass_period(loop);
    atomic_fetch_add_explicit(&loop->calls, 1, memory_order_relaxed); // ended
    if (!more) {
        atomic_store_explicit(&loop->over, true, memory_order_release);
    }
    return more;
}

// Until the last tick, or until the device has been silent for too long. Silence is counted in
// naps, so that a process that was stopped as a whole does not blame the device.
static void *watch_device(void *context) {
    enum { NAPS = 50 };
    static const struct timespec nap = {.tv_nsec = (long)(1e9 * PAL_LOOP_SILENCE / NAPS)};
    pal_loop *loop = context;
    uint64_t calls = 0;
    for (int quiet = 0; quiet < NAPS && !atomic_load_explicit(&loop->over, memory_order_acquire);) {
        nanosleep(&nap, NULL);
        uint64_t now = atomic_load_explicit(&loop->calls, memory_order_relaxed);
        bool within = now % 2 == 1; // setting up takes a while
        quiet = now == calls && !within ? quiet + 1 : 0;
        calls = now;
    }
    loop->servo->device->functions->undrive(loop->servo->device);
    loop->silent = !atomic_load_explicit(&loop->over, memory_order_acquire);
    atomic_store_explicit(&loop->done, true, memory_order_release);
    return NULL;
}

static pal_status start_driven(pal_loop *loop, pal_err *err) {
    pal_device *device = loop->servo->device;
    pal_status status = device->functions->drive(device, called_by_device, loop, err);
    if (status != PAL_OK || pthread_create(&loop->thread, NULL, watch_device, loop) == 0) {
        return status;
    }
    device->functions->undrive(device);
    return pal_fail(err, PAL_ERR_MEMORY, "cannot start the thread that watches the device");
}

// ---- From outside -------------------------------------------------------------------------------

static void init(pal_loop *loop) {
    atomic_init(&loop->stop, false);
    atomic_init(&loop->done, false);
    atomic_init(&loop->over, false);
    atomic_init(&loop->calls, 0);
    loop->own.end = loop->ticks;
}

void pal_loop_run_here(pal_loop *loop, void (*after)(void *context), void *context) {
    init(loop);
    loop->kind = PAL_CLOCK_VIRTUAL;
    while (pass_period(loop)) {
        after(context);
    }
    after(context);
    pal_realtime_flush_denormals(false);
}

pal_status pal_loop_start(pal_loop *loop, pal_err *err) {
    init(loop);
    if (loop->kind == PAL_CLOCK_DEVICE) {
        return start_driven(loop, err);
    }
    return pthread_create(&loop->thread, NULL, run_ticks, loop) == 0
               ? PAL_OK
               : pal_fail(err, PAL_ERR_MEMORY, "cannot start the servo thread");
}

void pal_loop_stop(pal_loop *loop) {
    atomic_store_explicit(&loop->stop, true, memory_order_relaxed);
}

bool pal_loop_is_done(const pal_loop *loop) {
    return atomic_load_explicit(&loop->done, memory_order_acquire);
}

void pal_loop_join(pal_loop *loop) {
    pthread_join(loop->thread, NULL);
}
