// palpate feel: a battery of closed-loop trials of a scene in virtual time, measured, judged and
// reported. The way of the data:
//
//     scene -> plan (trials: each the scene's own text with another probe) -> run -> traces
//           -> truth (full elements, Hertz, the model itself) -> measure -> scorecards -> report
//
// A trial's trace holds its scene text, so that it can be measured again, replayed and drawn alone.
#ifndef PAL_APP_FEEL_H
#define PAL_APP_FEEL_H

#include "app/session.h"
#include "haptics/feel/incident.h"
#include "haptics/feel/measure.h"

typedef struct pal_feel_trial {
    char name[PAL_TRIAL_NAME]; // "press", "tap-fast", "grip-loose": also the name of its trace file
    pal_trial_kind kind;
    char about[160]; // one sentence: what the hand does
    char *text;      // of its scene, owned
    double seconds;
    // After the run:
    pal_trace_data trace; // of all hands
    pal_feel_trace seen;  // of the first hand
    pal_feel_truth truth;
    pal_scorecard card;
    double wall_seconds;   // that the run took
    pal_incident incident; // what went otherwise; one that was not made or touches nothing: no card
} pal_feel_trial;

// What a suite is made of and may vary; zeros, NULL and NAN: as the scene says.
typedef struct pal_feel_wish {
    const char *only;    // names of trials, separated by commas; NULL: all
    const char *grip;    // "loose", "medium", "firm"
    const char *profile; // of the device
    double young;        // Pa, of all regions: a factor on the baked ones that gives the first this
    double delay;        // s; below 0: none
    double friction;     // of the device, N; below 0: none
    long seed;           // below 0: the scene's
    bool no_local, quick; // without dents; without full elements
} pal_feel_wish;

enum { PAL_FEEL_LEFT_OUT = 24 };
typedef struct pal_feel_left_out { // a standard trial that this scene does not have
    char name[PAL_TRIAL_NAME];
    char why[160];
} pal_feel_left_out;

typedef struct pal_feel {
    pal_scene scene;
    bool has_body;   // else it is a wall, or a recording of some other device
    pal_model model; // lent to the sessions of all trials; of a tree of domains: what is seen of it
    pal_tree_model tree; // of a scene with domains, lent, too
    // Of a tree, by the triangles of its surface: which material each has; its domain; and whether
    // it has a corner on the interface of that to its parent.
    uint16_t *region;
    int32_t *domain;
    bool *rim;
    int32_t *first; // [domain_count + 1] triangle of each domain
    int32_t material_count;
    pal_material *material; // [material_count] each once, with the domains' factors
    int32_t held_count;
    double (*held)[3]; // [held_count] m, where somebody holds the body
    bool cached;
    pal_session *look; // the scene at rest, with which all trials share; NULL: a wall
    pal_feel_wish wish;
    double at[3], into[3]; // m, where the trials press, and the unit normal into the body there
    double along[3];       // unit, where slides go
    double depth;          // m, of a press
    int trial_count;
    pal_feel_trial *trial; // [trial_count]
    int left_out_count;
    pal_feel_left_out left_out[PAL_FEEL_LEFT_OUT];
    pal_scorecard card; // of all of them
} pal_feel;

// Reads the scene, bakes or loads its model, and plans the trials. After a failure there is nothing
// to close.
pal_status pal_feel_open(pal_feel *feel, const char *scene, const pal_feel_wish *wish,
                         const pal_progress *progress, pal_err *err);
void pal_feel_close(pal_feel *feel);

// The standard trials of this scene (feel_plan.c); sets trial, at, into, along, depth.
pal_status pal_feel_plan(pal_feel *feel, pal_err *err);

// Runs all trials in virtual time, over the threads of pal_thread_count(), which change nothing in
// them (feel_run.c). A trial that cannot be run, or of contact that never touches, has an incident
// that says so, and the others go on.
pal_status pal_feel_run(pal_feel *feel, const pal_progress *progress, pal_err *err);

// The trace of a trial that was run, as `palpate run --trace` writes one; and a trial from a trace
// that was written so, or by a run (kind: any). On failure there is nothing to free.
pal_status pal_feel_save_trace(const pal_feel_trial *trial, const char *path, pal_err *err);
pal_status pal_feel_load_trace(pal_feel_trial *trial, const char *path, pal_err *err);
void pal_feel_trial_free(pal_feel_trial *trial);

// Fills the truth of one trial that was run (feel_truth.c).
pal_status pal_feel_find_truth(const pal_feel *feel, pal_feel_trial *trial,
                               const pal_progress *progress, pal_err *err);

// Truth, incidents and scores of all trials; a truth that cannot be had is an incident.
pal_status pal_feel_judge(pal_feel *feel, const pal_progress *progress, pal_err *err);

// The first trial that was run, for what all have in common; NULL: none was.
const pal_feel_trial *pal_feel_first_run(const pal_feel *feel);

// Fails when no trial (of contact, where a suite has some) could be made, so that there is nothing
// to judge.
pal_status pal_feel_check_made(const pal_feel *feel, pal_err *err);

// Writes DIR/report.html, DIR/feel.json and DIR/traces/NAME.h5 (feel_report.c). other: a second
// suite, side by side; NULL: none.
pal_status pal_feel_report(const pal_feel *feel, const pal_feel *other, const char *dir,
                           const pal_progress *progress, pal_err *err);

#endif
