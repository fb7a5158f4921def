// A run: the servo on a thread of its own, under the real or the virtual clock, until its ticks are
// over or somebody stops it. Either way the force is zero at the end.
#ifndef PAL_HAPTICS_LOOP_H
#define PAL_HAPTICS_LOOP_H

#include <pthread.h>
#include <stdatomic.h>

#include "haptics/clock.h"
#include "haptics/realtime.h"
#include "haptics/servo.h"
#include "haptics/trace.h"

typedef struct pal_loop {
    pal_servo *servo;       // set these four before the start
    pal_clock_kind kind;    // PAL_CLOCK_REAL or PAL_CLOCK_VIRTUAL
    uint64_t ticks;         // in all
    const pal_trace *trace; // in virtual time the servo waits for it; may be NULL

    pthread_t thread;
    atomic_bool stop, done;
    struct { // owned by the thread until it is done
        pal_clock clock;
        pal_realtime_report rights; // what the machine granted; empty in virtual time
        double seconds;             // from the first tick to the last, on the wall clock
    } own;
} pal_loop;

pal_status pal_loop_start(pal_loop *loop, pal_err *err);

// Ramps the force to zero, then ends. Any thread, also in a signal handler.
void pal_loop_stop(pal_loop *loop);

bool pal_loop_is_done(const pal_loop *loop); // any thread
void pal_loop_join(pal_loop *loop);          // waits for the end

#endif
