// The window of a run: the scene as the snapshots have it, instruments over it, and what a person
// does in it: camera, time, stylus, materials, pictures and films. It runs on the main thread as a
// session's `meanwhile`; it reads snapshots and the model, posts wishes and sends commands, and
// shares nothing else with the servo.
//
// When the display goes away, or drawing fails, the run goes on without it and a line on standard
// error says so; a run whose stylus is led in the window ends then. Closing the window ends the run
// as an interrupt does: the force goes to zero and the trace is whole.
#ifndef PAL_APP_VIEWER_H
#define PAL_APP_VIEWER_H

#include "app/json.h"
#include "app/options.h"
#include "app/session.h"

typedef struct pal_viewer pal_viewer;

typedef struct pal_viewer_options {
    double until;  // s, the run ends then by itself, unless somebody has taken the stylus; 0: never
    bool unsynced; // as fast as it can
    bool quiet;    // says nothing on standard error
    bool trainer;  // begins with the trainer's view
} pal_viewer_options;

// Whether these arguments ask for a window and there may be one: a display, and neither --headless
// nor (where there is such an option) --virtual.
bool pal_viewer_wanted(const pal_args *args, bool virtual_time);

// Opens the window, before the run. On failure *viewer is NULL.
pal_status pal_viewer_open(pal_viewer **viewer, pal_session *session,
                           const pal_viewer_options *options, pal_err *err);
void pal_viewer_close(pal_viewer *viewer); // NULL is allowed

// Takes the window and all that draws away; what happened in it can still be told. After the run.
// NULL is allowed.
void pal_viewer_hide(pal_viewer *viewer);

// For pal_run_options: meanwhile, with the viewer as its context; it takes its time.
bool pal_viewer_frame(pal_session *session, void *viewer);

// What happened in the window: frames, where the camera is, pictures, and so on.
void pal_viewer_report(const pal_viewer *viewer, cJSON *root);

// Opens a window for a run if it is wanted, and sets the run up for it; when that fails the run
// goes on without one, after a line on standard error, unless its stylus is led in the window: that
// is an error. options->until is the viewer's to know. lasts: the run has an end of its own
// (--seconds).
pal_status pal_viewer_join(pal_viewer **viewer, pal_session *session, pal_run_options *how,
                           const pal_viewer_options *options, bool lasts, pal_err *err);

#endif
