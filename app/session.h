// A scene made ready to run: model, live body, edits, device and servo. What `run`, `replay`,
// `demo` and `bench tick` share.
#ifndef PAL_APP_SESSION_H
#define PAL_APP_SESSION_H

#include "devices/mailbox.h"
#include "haptics/loop.h"
#include "haptics/material_desk.h"
#include "haptics/trace.h"
#include "scenes/scene.h"
#include "scenes/tool_build.h"

#define PAL_SIM_DRIVEN "sim-driven" // the device that calls the tick by its own clock
#define PAL_MOUSE      "mouse"      // the devices that follow a pointer
#define PAL_GAMEPAD    "gamepad"

typedef struct pal_session_options {
    const char *device; // "sim", "sim-driven", "mouse", "gamepad", "null", "replay:FILE"
    long seed;          // below 0: the scene's
    pal_precision precision;
    bool no_local;                // no dents beyond the basis
    const pal_contact_form *form; // of contact; NULL: the scene's
    bool may_take_over; // of "sim": a pointer may lead the first hand, from its first wish on
    const long *hide;   // what is hidden is elsewhere, by this seed; NULL: as the scene says
    const char
        *edits; // of materials beside the scene's, "AT:REGION:young=...", one a line; or NULL
    const pal_model *model; // of the scene, lent for as long as the session is open; NULL: its own
    const pal_tree_model *tree; // likewise, of a scene with domains, beside what is seen of it
    bool one_thread;            // a tree is stepped by the thread that ticks alone
    const pal_live_body *like;  // of a session that stays open longer, to share with; NULL: none
    bool anew; // what is kept of a model's surface is not looked at, and nothing is kept
} pal_session_options;

enum { PAL_SESSION_NOTES = 8 };

typedef struct pal_session {
    pal_scene scene;
    pal_model model; // empty for a wall; of a tree of domains: what is seen of it (tree_whole.h)
    pal_tree_model tree; // of a scene with domains; else empty
    bool cached;
    bool loaded;     // the model is there
    bool lent;       // the model (and the tree) is somebody else's
    bool one_thread; // a tree is stepped by the thread that ticks alone
    bool anew;       // nothing that is kept of the model's surface is used
    pal_precision precision;
    pal_tool_shape tool[PAL_MAX_TOOLS]; // what is in the hands
    bool no_local;                      // no dents beyond the basis
    pal_contact_form form;              // of contact
    pal_live_body body;
    const pal_live_body *like; // what it shares with, while it is opened
    char *edits;               // as given, NULL: none
    int edit_count;
    pal_material_edit edit[PAL_EDITS_MAX]; // the scene's and those
    pal_edit_plan plan;
    const char *device_kind; // "sim", "sim-driven", "mouse", "gamepad", "null", "replay"
    pal_mailbox *pointer; // where the first hand's wishes are posted, of a mouse or gamepad, or of
                          // a script that they may end; NULL: the device is another
    uint64_t seed;
    int32_t hand_count;
    pal_device device[PAL_MAX_TOOLS];
    double script_seconds; // of the longest probe, or of the recording; 0: none
    pal_servo_options options;
    int note_count; // what is told of the set-up, as where it is not as the scene asks:
    char note[PAL_SESSION_NOTES][240];
    pal_servo *servo;
    pal_desk *desk;           // for edits of materials in the run; NULL for a wall
    int live_count;           // edits that a trace recorded,
    pal_live_edit *live_edit; // [live_count]
    int live_done;            // of them, repeated so far
} pal_session;

// Reads the scene, bakes or loads its model, opens the device and the servo. After a failure there
// is nothing to close.
pal_status pal_session_open(pal_session *session, const char *scene,
                            const pal_session_options *options, const pal_progress *progress,
                            pal_err *err);

// The same from a text; files that it names are relative to the folder of `path`.
pal_status pal_session_open_text(pal_session *session, const char *path, const char *text,
                                 const pal_session_options *options, const pal_progress *progress,
                                 pal_err *err);

// The same from a trace: its scene, its device's limits and readings.
pal_status pal_session_open_trace(pal_session *session, const pal_trace_data *trace,
                                  const pal_progress *progress, pal_err *err);
void pal_session_close(pal_session *session);

// Back to where body and tool were at the end of a tick of this session's own run, by its readings;
// what was counted in the run stays. The session is then for looking at, not for running on. Not
// for runs with edits of materials.
pal_status pal_session_return(pal_session *session, const pal_trace_data *trace, uint64_t tick,
                              pal_err *err);

// What a trace says of the session. The texts are borrowed from it.
void pal_session_info(const pal_session *session, bool virtual_time, pal_trace_info *info);

// The parts of opening that are about trees of domains: the model, and what lives.
pal_status pal_session_load_tree(pal_session *session, const pal_progress *progress, pal_err *err);
pal_status pal_session_open_tree(pal_session *session, double dt, double feature, pal_err *err);

// The part of opening that keeps stiffness and damping in what each device, its delay and its hand
// bear; notes what it changed.
void pal_session_limit_stiffness(pal_session *session);

// The parts of opening that are about edits: taking the texts in, before the baking; and summing
// the coefficients, when the model is there.
pal_status pal_session_take_edits(pal_session *session, const char *edits, pal_err *err);
pal_status pal_session_plan_edits(pal_session *session, double dt, pal_err *err);
// And the desk, when the servo is there; live_edits: of the trace, NULL: none.
pal_status pal_session_open_desk(pal_session *session, const char *live_edits, pal_err *err);

// Writes the scene to `path` with the materials and the damping that the desk has now, and all else
// as it was (scenes/scene.h).
pal_status pal_session_save_materials(const pal_session *session, const char *path, pal_err *err);

// In the place of a hand's device one that plays the readings of rows [count] back, `stride` rows
// from one to the next. Before the first tick.
pal_status pal_session_play(pal_session *session, int32_t hand, const pal_tick_record *row,
                            int64_t count, int32_t stride, pal_err *err);

// One recorded tick again, of a session that was opened from this trace: row is the first of its
// rows; its commands, edits and missed deadlines. now [hand_count] is what becomes of it. Ticks
// must be repeated in their order, from the first. On a thread with
// pal_realtime_flush_denormals(true).
pal_status pal_session_repeat(pal_session *session, const pal_tick_record *row,
                              pal_tick_record *now, pal_err *err);
// Whether all edits are known that the trace's ticks took; an error that names the first one that
// is not.
pal_status pal_session_check_edits(const pal_session *session, const pal_trace_data *trace,
                                   const char *path, pal_err *err);

// ---- running

typedef struct pal_run_options {
    bool virtual_time; // not with a device that keeps the time
    double seconds;
    const char *trace, *csv; // files, NULL: none
    bool live_line;          // on standard error, when that is a terminal
    // Called by this thread again and again while the servo ticks, at least every 10 ms or so; here
    // a window draws, posts to the session's pointer and sends commands. False: the run is to end.
    // A function that takes its time (waits for the screen) says so: it is then called without
    // naps. It is the only reader of the servo's snapshots, and there is no live line. NULL:
    // nothing.
    bool (*meanwhile)(pal_session *session, void *context);
    void *context;
    bool takes_its_time;
} pal_run_options;

typedef struct pal_run_result {
    uint64_t ticks, dropped;
    double wall_seconds;
    bool interrupted;
    int longest_gap; // missed deadlines in a row
    pal_realtime_report rights;
    pal_trace_summary trace;
} pal_run_result;

// Runs to the end, or until an interrupt (SIGINT, SIGTERM, SIGHUP), which ends it cleanly. A device
// that keeps the time and ceases to call is an error; the trace is whole up to there.
pal_status pal_session_run(pal_session *session, const pal_run_options *options,
                           pal_run_result *result, pal_err *err);

#endif
