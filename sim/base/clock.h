// Wall-clock seconds for reports and benchmarks.
#ifndef PAL_BASE_CLOCK_H
#define PAL_BASE_CLOCK_H

#include <time.h>

// Seconds since some fixed moment; never runs backwards. Any thread.
static inline double pal_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Seconds that this thread has computed for, without the time in which others had its processor.
static inline double pal_thread_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The same of all threads of this program together: what a load costs, however it is shared.
static inline double pal_process_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
