// Runs the trials of a suite: sessions are opened one after the other, since set-up takes all
// threads and HDF5; their ticks go side by side.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_body.h"
#include "app/feel/feel_try.h"
#include "app/traces.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/base/parallel.h"

// ---- one trial

// What the trace says of it; the texts become its own.
static pal_status keep_info(pal_feel_trial *trial, const pal_session *session, pal_err *err) {
    pal_trace_data *trace = &trial->trace;
    pal_session_info(session, true, &trace->info);
    snprintf(trace->info.trial, sizeof trace->info.trial, "%s:%s", pal_trial_kind_name(trial->kind),
             trial->name);
    trace->info.scene_path = trace->scene_path = pal_copy_text(session->scene.path, err);
    trace->info.scene_text = trace->scene_text = pal_copy_text(session->scene.text, err);
    return trace->scene_path != NULL && trace->scene_text != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

static void hash_rows(pal_trace_data *trace) {
    pal_hash hash;
    pal_hash_init(&hash);
    for (int64_t k = 0; k < trace->count; k++) {
        pal_trace_hash_record(&hash, &trace->record[k]);
    }
    pal_hash_text(&hash, trace->hash);
}

// The radius of the tool in the first hand, as the metrics want it: 0 where it has none.
static double radius_of(const pal_scene *scene) {
    return scene->live.has_wall || scene->live.tool.kind != PAL_TOOL_SPHERE
               ? 0.0
               : scene->live.tool_radius;
}

static pal_status take_seen(pal_feel_trial *trial, double tool_radius, pal_err *err) {
    const pal_status status = pal_feel_trace_take(&trial->seen, &trial->trace, 0, err);
    if (status != PAL_OK) {
        return status;
    }
    trial->seen.kind = trial->kind;
    snprintf(trial->seen.name, sizeof trial->seen.name, "%s", trial->name);
    trial->seen.tool_radius = tool_radius;
    return PAL_OK;
}

// Where the scene says what this trial does.
static void key_of(const pal_feel *feel, const pal_feel_trial *trial, char key[48]) {
    snprintf(key, 48, "feel");
    for (int32_t n = 0; n < feel->scene.feel.trial_count; n++) {
        if (strcmp(feel->scene.feel.trial[n].name, trial->name) == 0) {
            snprintf(key, 48, "feel.trials.%d.probe", (int)n);
        }
    }
}

// A trial of contact that never touches has nothing to be measured.
static void check_contact(const pal_feel *feel, pal_feel_trial *trial) {
    char key[48];
    pal_err inner, placed;
    bool touched = trial->kind == PAL_TRIAL_FREE || trial->kind == PAL_TRIAL_ANY;
    for (int64_t k = 0; !touched && k < trial->trace.count; k++) {
        touched = trial->trace.record[k].touching > 0;
    }
    if (touched) {
        return;
    }
    key_of(feel, trial, key);
    pal_fail(&inner, PAL_ERR_INPUT,
             "the tool never touched anything in %.3g s; let its probe press on the surface "
             "(feel.at says where the standard trials do)",
             trial->seconds);
    pal_scene_fail(&feel->scene, key, &inner, &placed);
    pal_incident_set(&trial->incident, PAL_INCIDENT_UNTOUCHED, NAN, "%s", placed.text);
}

// What is the matter with one trial alone is its incident, and no failure of the suite.
static pal_status keep_incident(pal_feel_trial *trial, pal_status status, const pal_err *inner,
                                pal_err *err) {
    if (status == PAL_OK) {
        return PAL_OK;
    }
    if (pal_feel_stops_all(status)) {
        return pal_fail(err, status, "trial '%s': %.900s", trial->name, inner->text);
    }
    pal_incident_set(&trial->incident, PAL_INCIDENT_NOT_MADE, NAN, "%s", inner->text);
    return PAL_OK;
}

// ---- all

enum { AT_ONCE = 8 }; // sessions in memory

typedef struct batch {
    pal_feel *feel;
    int first, count;
    pal_session session[AT_ONCE];
    pal_feel_try try[AT_ONCE];
    bool open[AT_ONCE]; // whether there is a session
    atomic_llong done;
    double all; // ticks
    const pal_progress *progress;
} batch;

static void run_one(void *context, int index, int thread) {
    batch *b = context;
    pal_feel_try *try = &b->try[index];
    const double start = pal_seconds();
    if (!b->open[index]) {
        return;
    }
    try->done = &b->done;
    try->all = b->all;
    try->progress = thread == 0 ? b->progress : NULL;
    pal_feel_try_run(try);
    b->feel->trial[b->first + index].wall_seconds = pal_seconds() - start;
}

static pal_status open_batch(batch *b, pal_err *err) {
    pal_status status = PAL_OK;
    for (int i = 0; status == PAL_OK && i < b->count; i++) {
        pal_feel_trial *trial = &b->feel->trial[b->first + i];
        pal_err inner;
        b->try[i] = (pal_feel_try){0};
        status = pal_feel_session(b->feel, trial->text, &b->session[i], &inner);
        b->open[i] = status == PAL_OK;
        status = keep_incident(trial, status, &inner, err);
        if (b->open[i]) {
            status = pal_feel_try_init(&b->try[i], &b->session[i], err);
        }
    }
    return status;
}

static pal_status keep_trial(batch *b, int index, pal_err *err) {
    pal_feel_trial *trial = &b->feel->trial[b->first + index];
    pal_feel_try *try = &b->try[index];
    pal_err inner;
    pal_status status = keep_info(trial, try->session, err);
    if (status != PAL_OK) {
        return status;
    }
    trial->trace.record = try->record;
    trial->trace.count = try->count;
    try->record = NULL;
    hash_rows(&trial->trace);
    status = take_seen(trial, radius_of(&try->session->scene), &inner);
    if (status == PAL_OK) {
        check_contact(b->feel, trial);
    }
    return keep_incident(trial, status, &inner, err);
}

static pal_status run_batch(batch *b, pal_err *err) {
    memset(b->open, 0, sizeof b->open);
    pal_status status = open_batch(b, err);
    if (status == PAL_OK) {
        pal_parallel_for(b->count, run_one, b);
    }
    for (int i = 0; status == PAL_OK && i < b->count; i++) {
        status = b->open[i] ? keep_trial(b, i, err) : PAL_OK;
    }
    for (int i = 0; i < b->count; i++) {
        if (b->open[i]) {
            free(b->try[i].record);
            pal_session_close(&b->session[i]);
        }
    }
    return status;
}

static void forget_run(pal_feel_trial *trial) {
    pal_trace_data_free(&trial->trace);
    pal_feel_trace_free(&trial->seen);
    trial->incident = (pal_incident){.at = NAN};
}

pal_status pal_feel_run(pal_feel *feel, const pal_progress *progress, pal_err *err) {
    batch *b = PAL_NEW(batch, 1, err);
    if (b == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = PAL_OK;
    b->feel = feel;
    b->progress = progress;
    for (int i = 0; i < feel->trial_count; i++) {
        b->all += feel->trial[i].seconds / 1e-3;
        forget_run(&feel->trial[i]);
    }
    for (int i = 0; status == PAL_OK && i < feel->trial_count; i += AT_ONCE) {
        const int left = feel->trial_count - i;
        b->first = i;
        b->count = left < AT_ONCE ? left : AT_ONCE;
        status = run_batch(b, err);
    }
    pal_progress_report(progress, "trials", 1.0);
    free(b);
    return status;
}

// ---- opening and closing

pal_status pal_feel_open(pal_feel *feel, const char *scene, const pal_feel_wish *wish,
                         const pal_progress *progress, pal_err *err) {
    memset(feel, 0, sizeof *feel);
    feel->wish = *wish;
    pal_status status = pal_scene_read(scene, &feel->scene, err);
    if (status == PAL_OK) {
        status = pal_feel_load_body(feel, progress, err);
    }
    if (status == PAL_OK) { // as numbers: its parts go into the texts of the trials
        const bool wall = feel->scene.live.has_wall;
        status = pal_scene_settle(&feel->scene, wall ? NULL : &feel->model.surface, true, err);
    }
    if (status == PAL_OK) {
        status = pal_feel_plan(feel, err);
    }
    if (status != PAL_OK) {
        pal_feel_close(feel);
    }
    return status;
}

void pal_feel_trial_free(pal_feel_trial *trial) {
    forget_run(trial);
    pal_feel_truth_free(&trial->truth);
    pal_scorecard_free(&trial->card);
    free(trial->text);
    memset(trial, 0, sizeof *trial);
}

void pal_feel_close(pal_feel *feel) {
    for (int i = 0; i < feel->trial_count; i++) {
        pal_feel_trial_free(&feel->trial[i]);
    }
    free(feel->trial);
    pal_scorecard_free(&feel->card);
    if (feel->look != NULL) { // (one that could not be opened is empty)
        pal_session_close(feel->look);
        free(feel->look);
    }
    pal_feel_free_body(feel);
    pal_scene_free(&feel->scene);
    memset(feel, 0, sizeof *feel);
}

// ---- files

pal_status pal_feel_save_trace(const pal_feel_trial *trial, const char *path, pal_err *err) {
    return pal_trace_save(&trial->trace, path, err);
}

// "press:tap-fast"; what is no such thing is a trace of somebody's own, called by its file.
static void name_trial(pal_feel_trial *trial, const char *path) {
    const char *text = trial->trace.info.trial, *colon = strchr(text, ':');
    const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    char kind[PAL_TRIAL_NAME] = "";
    if (colon != NULL && (size_t)(colon - text) < sizeof kind) {
        memcpy(kind, text, (size_t)(colon - text));
    }
    const int found = pal_trial_kind_find(kind);
    trial->kind = found >= 0 ? (pal_trial_kind)found : PAL_TRIAL_ANY;
    const size_t length = strcspn(file, ".");
    snprintf(trial->name, sizeof trial->name, "%.*s",
             colon != NULL ? PAL_TRIAL_NAME - 1 : (int)length, colon != NULL ? colon + 1 : file);
    snprintf(trial->about, sizeof trial->about, "As recorded in %.120s", file);
}

pal_status pal_feel_load_trace(pal_feel_trial *trial, const char *path, pal_err *err) {
    pal_scene scene;
    pal_err inner;
    double radius = 0.0;
    memset(trial, 0, sizeof *trial);
    pal_feel_truth_none(&trial->truth);
    pal_status status = pal_traces_read(path, &trial->trace, err);
    if (status != PAL_OK) {
        return status;
    }
    name_trial(trial, path);
    trial->text = pal_copy_text(trial->trace.scene_text, err);
    if (trial->text != NULL && pal_scene_parse(trial->trace.scene_path, trial->text,
                                               strlen(trial->text), &scene, NULL) == PAL_OK) {
        radius = radius_of(&scene);
        pal_scene_free(&scene);
    }
    status = trial->text != NULL ? take_seen(trial, radius, &inner) : PAL_ERR_MEMORY;
    if (trial->text != NULL && status != PAL_OK) {
        pal_fail(err, status, "trial '%s': %.900s", trial->name, inner.text);
    }
    trial->seconds = (double)trial->seen.count * trial->trace.info.dt;
    if (status != PAL_OK) {
        pal_feel_trial_free(trial);
    }
    return status;
}
