// A run: the servo under one of the three clocks, until its ticks are over or somebody stops it.
// Either way the force is zero at the end. Under the real and the virtual clock a thread of ours
// ticks; under the device's clock the device's thread does, and ours watches that it calls.
#ifndef PAL_HAPTICS_LOOP_H
#define PAL_HAPTICS_LOOP_H

#include <pthread.h>
#include <stdatomic.h>

#include "haptics/clock.h"
#include "haptics/realtime.h"
#include "haptics/servo.h"
#include "haptics/trace.h"

#define PAL_LOOP_SILENCE 0.5 // s without a call, after which a device counts as gone

typedef struct pal_loop {
    pal_servo *servo;       // set these four before the start
    pal_clock_kind kind;    // PAL_CLOCK_DEVICE: its device drives
    uint64_t ticks;         // in all
    const pal_trace *trace; // in virtual time the servo waits for it; may be NULL

    pthread_t thread;
    atomic_bool stop, done;
    atomic_bool over;           // the last tick has been
    atomic_uint_fast64_t calls; // by the device, begun and ended ones
    bool silent;                // the device calls no more; to be read when the loop is done
    struct {                    // owned by the thread that ticks until the loop is done
        pal_clock clock;
        pal_realtime_report rights; // what the machine granted; empty in virtual time
        bool set_up, begun, stopping;
        int waits, in_time; // before the first tick
        uint64_t tick, end;
        double start, seconds; // from the first tick to the last, on the wall clock
    } own;
} pal_loop;

pal_status pal_loop_start(pal_loop *loop, pal_err *err);

// The whole run in virtual time on the calling thread; after(context) between the ticks, to empty
// the log. Set servo and ticks.
void pal_loop_run_here(pal_loop *loop, void (*after)(void *context), void *context);

// Ramps the force to zero, then ends. Any thread, also in a signal handler.
void pal_loop_stop(pal_loop *loop);

bool pal_loop_is_done(const pal_loop *loop); // any thread
void pal_loop_join(pal_loop *loop);          // waits for the end

#endif
