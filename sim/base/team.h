// Two threads that share the work of one: the caller says what is to be done, item by item, and
// whoever is there takes the next item. A helper that is late or asleep delays nothing but the item
// that it is at: the caller goes on without it. What comes of it must not depend on who does what.
//
// The helper is scheduled as its caller is, one priority below, not on the processor that the
// caller is bound to, and reckons as it does (denormals): a servo thread must not wait for one that
// any other program may hold up.
//
// A helper that was stopped in the middle of an item (the system may take its processor) cannot be
// done without: nobody else may touch what it has half written. A caller that has waited for it
// longer than its patience calls `overdue`, again and again until the helper is back: so a servo
// goes on to look after its hands (pal_team_set_patience).
//
// Between calls the helper waits by spinning for a moment, then sleeps until shortly before the
// next call is expected by the pace of the last ones: it is awake when a servo ticks, and costs
// little when nobody does.
#ifndef PAL_BASE_TEAM_H
#define PAL_BASE_TEAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/base/status.h"

enum { PAL_TEAM_ITEMS = (1 << 20) - 1 }; // of a job, at most

typedef void (*pal_team_work)(void *context, int32_t item, int thread); // thread: 0 the caller

typedef void (*pal_team_overdue)(void *context);

typedef struct pal_team {
    _Alignas(64) _Atomic uint64_t job;  // its number (24 bits), where its items end (20), next (20)
    _Alignas(64) _Atomic uint32_t done; // items that are done
    _Alignas(64) _Atomic uint32_t open; // calls that have begun
    _Atomic uint32_t shut;              // calls that are over
    _Atomic bool quit;
    _Atomic int caller;            // the thread that called last, by the system's number; 0: none
    _Atomic unsigned long control; // of its arithmetic
    _Atomic double called_at;      // s, pal_seconds: when it did
    pal_team_work work;            // of the job, and
    void *context;                 // its context
    uint64_t number;               // of the last job
    double patience;               // s; 0: waits without end
    pal_team_overdue overdue;
    void *overdue_context;
    void *helper; // its thread; NULL: there is none
} pal_team;

// Starts the helper (two: false, none). Set-up only.
pal_status pal_team_open(pal_team *team, bool two, pal_err *err);
void pal_team_close(pal_team *team);

// From now on overdue(context) is called, on the caller's thread, whenever it has waited for the
// helper for another `patience` (s; 0: never). Between calls. RT safe.
void pal_team_set_patience(pal_team *team, double patience, pal_team_overdue overdue,
                           void *context);

// A call with several jobs: the helper comes, and may go. RT safe.
void pal_team_begin(pal_team *team);
void pal_team_end(pal_team *team);

// work(context, item, thread) for every item, each once; returns when all are done. Between begin
// and end, by their thread. RT safe.
void pal_team_run(pal_team *team, pal_team_work work, void *context, int32_t count);

// What the helper does while a call goes on: takes items of the job that is there. RT safe.
void pal_team_help(pal_team *team);

// A moment of a loop that waits. RT safe.
static inline void pal_team_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

#endif
