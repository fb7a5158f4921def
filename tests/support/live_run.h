// A run in real time as a process of its own, to which things can happen, and what its trace must
// show whatever happened.
#ifndef PAL_TESTS_LIVE_RUN_H
#define PAL_TESTS_LIVE_RUN_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct live_run {
    pid_t child;
    char trace[256], out[256], errors[256]; // its files
} live_run;

// Starts `palpate run ARGUMENTS --trace NAME.h5`. before: called in the child in front of the
// program, or NULL.
void live_run_start(live_run *run, const char *name, const char *arguments, void (*before)(void));

// Sends a signal and waits for the end; 0: waits only. Returns the exit code, or -1.
int live_run_end(const live_run *run, int signal);

// The same of a run that must come to its end: 0, or 1 where a fault took the force away (as on a
// machine that is too busy for it), which it must have said. True: it did.
bool live_run_end_whole(const live_run *run, int signal);

void live_run_wait(double seconds);

// It must have said so, on standard output or as an error.
void live_run_said(const live_run *run, const char *words);

// The trace (NULL: its own) can be read, with no force above the limit of 3.3 N and no change above
// the slew limit; ended: none at the end. Returns the largest force, N, or NAN when a busy machine
// kept the run from reaching the press, at 1 s, or made it let go before.
double live_run_check(const live_run *run, const char *trace, bool ended);

// The trace (NULL: its own) replays bit for bit.
void live_run_replays(const live_run *run, const char *trace);

#endif
