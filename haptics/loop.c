#include "haptics/loop.h"

#include "sim/base/clock.h"

static void set_up_thread(pal_loop *loop) {
    if (loop->kind == PAL_CLOCK_REAL) {
        pal_realtime_options options = pal_realtime_defaults();
        pal_realtime_setup(&options, &loop->own.rights);
    } else {
        pal_realtime_flush_denormals(true);
    }
}

// A thread that has just come up is often late; the run begins when it has been in time for a
// while, or else after a fifth of a second.
static void start_clock(pal_loop *loop) {
    enum { MOST = 200, IN_TIME = 20 };
    const double dt = loop->servo->options.dt;
    pal_clock_start(&loop->own.clock, loop->kind, dt);
    for (int k = 0, good = 0; loop->kind == PAL_CLOCK_REAL && k < MOST && good < IN_TIME; k++) {
        good = pal_clock_wait(&loop->own.clock).missed == 0 ? good + 1 : 0;
    }
    pal_clock_start(&loop->own.clock, loop->kind, dt);
}

static void *work(void *context) {
    pal_loop *loop = context;
    const uint64_t last_ticks = (uint64_t)pal_servo_stop_ticks(loop->servo);
    uint64_t end = loop->ticks;
    bool stopping = false;
    set_up_thread(loop);
    start_clock(loop);
    double start = pal_seconds();
    for (uint64_t k = 0; k < end; k++) {
        pal_wake wake = pal_clock_wait(&loop->own.clock);
        bool wanted = atomic_load_explicit(&loop->stop, memory_order_relaxed);
        if (!stopping && (wanted || k + last_ticks >= end)) {
            stopping = true;
            end = k + last_ticks < end ? k + last_ticks : end;
            pal_servo_order(loop->servo, PAL_COMMAND_STOP);
        }
        pal_servo_tick(loop->servo, wake.missed, 1e-3 * (double)wake.late);
        if (loop->kind == PAL_CLOCK_VIRTUAL && loop->trace != NULL) {
            pal_trace_wait(loop->trace);
        }
    }
    loop->own.seconds = pal_seconds() - start;
    atomic_store_explicit(&loop->done, true, memory_order_release);
    return NULL;
}

pal_status pal_loop_start(pal_loop *loop, pal_err *err) {
    atomic_init(&loop->stop, false);
    atomic_init(&loop->done, false);
    return pthread_create(&loop->thread, NULL, work, loop) == 0
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
