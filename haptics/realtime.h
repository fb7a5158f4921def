// What the machine grants to a servo thread, and what it falls back on. Nothing is silent: each
// right is a row of the report with what was got and, when it is less than wanted, how to get more.
#ifndef PAL_HAPTICS_REALTIME_H
#define PAL_HAPTICS_REALTIME_H

#include <stdbool.h>

// The rights, in the order of the report.
typedef enum pal_right {
    PAL_RIGHT_SCHEDULE,  // SCHED_FIFO, else nice, else normal
    PAL_RIGHT_AFFINITY,  // a processor of its own
    PAL_RIGHT_MEMORY,    // locked: no page is fetched from the disk in a tick
    PAL_RIGHT_STACK,     // touched beforehand
    PAL_RIGHT_DENORMALS, // flushed to zero: tiny numbers cost no time
    PAL_RIGHTS
} pal_right;

typedef enum pal_schedule {
    PAL_SCHEDULE_NORMAL,
    PAL_SCHEDULE_NICE,
    PAL_SCHEDULE_FIFO
} pal_schedule;

typedef struct pal_grant {
    const char *name; // "scheduling", "memory", ...
    bool granted;     // all that was wanted
    char text[200];   // what was got; when less than wanted, why and how to get it
} pal_grant;

typedef struct pal_realtime_report {
    pal_schedule schedule;
    bool all; // every right in full
    pal_grant grant[PAL_RIGHTS];
} pal_realtime_report;

typedef struct pal_realtime_options {
    int priority; // SCHED_FIFO 1..99; 0: do not ask
    bool pin;     // to the last processor of the process, when there are two or more and FIFO was
                  // granted (a thread that is not served first does better where there is room)
    bool lock;    // the memory of the process, present and, when there is no limit, to come
} pal_realtime_options;

// Priority 80, pinned, locked.
pal_realtime_options pal_realtime_defaults(void);

// Sets up the calling thread (memory: the process). After all allocation, before the first tick.
void pal_realtime_setup(const pal_realtime_options *options, pal_realtime_report *report);

// The same on a thread that ends at once, so that the caller stays as it is (its memory is unlocked
// again): what a run would be granted. For doctor.
void pal_realtime_probe(const pal_realtime_options *options, pal_realtime_report *report);

// Denormal numbers to zero on this thread, or as usual again; false: not on this processor. Part of
// pal_realtime_setup; a run in virtual time calls it too, so that it computes the same. RT safe.
bool pal_realtime_flush_denormals(bool flush);

#endif
