// What pictures and films show: a scene or a trace as a session, brought to a time, and its stage.
#ifndef PAL_APP_SHOWN_H
#define PAL_APP_SHOWN_H

#include "app/session.h"
#include "render/studio.h"

typedef struct pal_shown {
    bool is_trace;
    pal_trace_data trace; // empty for a scene
    pal_session session;
    uint64_t ticks;    // there are
    uint64_t done;     // of them, so far
    pal_snapshot shot; // after the last one; of none: at rest, the tools where they begin
} pal_shown;

// `name`: a trace (.h5) or a scene, whose probe is then run in virtual time. On failure there is
// nothing to close.
pal_status pal_shown_open(pal_shown *shown, const char *name, const pal_progress *progress,
                          pal_err *err);
void pal_shown_close(pal_shown *shown);

double pal_shown_seconds(const pal_shown *shown); // in all

// When the force on a hand was largest, s.
double pal_shown_hardest(const pal_trace_data *trace);

// Goes on to the end of the tick at a time (s, no earlier than the last one); beyond the last tick:
// an error that says how long it is.
pal_status pal_shown_go(pal_shown *shown, double time, const pal_progress *progress, pal_err *err);

// The tools where the devices are before the first tick, the body at rest.
void pal_shown_rest(const pal_session *session, pal_snapshot *shot);

// The stage for a session: its model and its tools, which are borrowed.
void pal_shown_spec(const pal_session *session, pal_stage_spec *spec);

#endif
