// One trial by its scene's text: the session that it runs in, and its ticks. For planning and
// running.
#ifndef PAL_APP_FEEL_TRY_H
#define PAL_APP_FEEL_TRY_H

#include <stdatomic.h>

#include "app/feel/feel.h"

// Opens a session of this text with the suite's model. One after the other: set-up takes all
// threads.
pal_status pal_feel_session(const pal_feel *feel, const char *text, pal_session *session,
                            pal_err *err);

// Whether a failure is of the whole suite (no memory, a wrong wish, a file that cannot be read),
// and not of one trial, which then cannot be made.
bool pal_feel_stops_all(pal_status status);

typedef struct pal_feel_try {
    pal_session *session;
    // Asked after each tick: whether that is enough; NULL: it never is.
    bool (*is_enough)(void *context, const pal_tick_record *row);
    void *context;
    int64_t room;                 // rows
    int64_t count;                // that there are
    pal_tick_record *record;      // [room], owned
    atomic_llong *done;           // ticks of all trials, counted up; NULL: not counted
    const pal_progress *progress; // NULL: it tells nothing
    double all;                   // ticks of all trials
} pal_feel_try;

// Room for the ticks of a session's script.
pal_status pal_feel_try_init(pal_feel_try *t, pal_session *session, pal_err *err);
// All of them in virtual time, on this thread.
void pal_feel_try_run(pal_feel_try *t);

#endif
