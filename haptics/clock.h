// When the next tick is: three clocks behind one call. All of it on the servo thread.
//
//     real      waits on the monotonic clock for the next multiple of the period
//     virtual   never waits: as fast as it goes, and the same in every run
//     device    the device calls the tick; here is only the bookkeeping
//
// A missed deadline is counted and never caught up: after a late wake the next deadline is the next
// multiple that lies ahead.
#ifndef PAL_HAPTICS_CLOCK_H
#define PAL_HAPTICS_CLOCK_H

#include <stdint.h>

typedef enum pal_clock_kind { PAL_CLOCK_REAL, PAL_CLOCK_VIRTUAL, PAL_CLOCK_DEVICE } pal_clock_kind;

typedef struct pal_clock {
    pal_clock_kind kind;
    int64_t period;  // ns
    int64_t next;    // ns, the coming deadline: multiples of the period after the start
    uint64_t ticks;  // begun
    uint64_t missed; // deadlines without a tick, in all
    int longest_gap; // the most of them in a row
} pal_clock;

// How a tick begins.
typedef struct pal_wake {
    int64_t late; // ns after its deadline; 0 in virtual time
    int missed;   // deadlines missed since the last tick
} pal_wake;

// Nanoseconds of the monotonic clock. RT safe.
int64_t pal_clock_now(void);

// The first deadline is one period from now. period in s.
void pal_clock_start(pal_clock *clock, pal_clock_kind kind, double period);

// Waits for the next tick (real), or books that it begins now (virtual, device). RT safe.
pal_wake pal_clock_wait(pal_clock *clock);

// The bookkeeping alone, for a tick that begins at `now` (ns): which deadline it serves, and which
// were missed. A real clock keeps its multiples; a device's callbacks come by its own clock and
// wander, so its next deadline is one period after this call, and a gap counts from half a period
// on. RT safe.
pal_wake pal_clock_book(pal_clock *clock, int64_t now);

#endif
