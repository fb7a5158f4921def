#include "haptics/clock.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <time.h>

enum { NS_A_SECOND = 1000000000 };

int64_t pal_clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_A_SECOND + t.tv_nsec;
}

void pal_clock_start(pal_clock *clock, pal_clock_kind kind, double period) {
    *clock = (pal_clock){.kind = kind, .period = llrint(period * NS_A_SECOND)};
    clock->next = kind == PAL_CLOCK_VIRTUAL ? 0 : pal_clock_now() + clock->period;
}

static void sleep_until(int64_t deadline) {
    struct timespec t = {.tv_sec = deadline / NS_A_SECOND, .tv_nsec = deadline % NS_A_SECOND};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
    }
}

// How many deadlines lie between the one that was due and now.
static int missed_of(const pal_clock *clock, int64_t late) {
    int64_t allowance = clock->kind == PAL_CLOCK_DEVICE ? clock->period / 2 : 0;
    int64_t missed = (late + allowance) / clock->period;
    return missed < INT_MAX ? (int)missed : INT_MAX;
}

pal_wake pal_clock_book(pal_clock *clock, int64_t now) {
    pal_wake wake = {0, 0};
    bool first = clock->ticks++ == 0;
    if (clock->kind == PAL_CLOCK_VIRTUAL) {
        return wake;
    }
    // A device begins when it likes
    int64_t late = now - clock->next;
    if (late > 0 && !(first && clock->kind == PAL_CLOCK_DEVICE)) {
        wake = (pal_wake){.late = late, .missed = missed_of(clock, late)};
    }
    clock->missed += (uint64_t)wake.missed;
    clock->longest_gap = wake.missed > clock->longest_gap ? wake.missed : clock->longest_gap;

    // The next deadline lies ahead
    int64_t base =
        clock->kind == PAL_CLOCK_DEVICE ? now : clock->next + wake.missed * clock->period;
    clock->next = base + clock->period;
    return wake;
}

pal_wake pal_clock_wait(pal_clock *clock) {
    if (clock->kind == PAL_CLOCK_REAL) {
        sleep_until(clock->next);
    }
    return pal_clock_book(clock, clock->kind == PAL_CLOCK_VIRTUAL ? 0 : pal_clock_now());
}
