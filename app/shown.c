#include "app/shown.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "app/problem.h"
#include "app/traces.h"
#include "sim/base/vec3.h"

void pal_shown_spec(const pal_session *session, pal_stage_spec *spec) {
    static const pal_look_kind look[] = {[PAL_SHAPE_SPHERE] = PAL_LOOK_BALL,
                                         [PAL_SHAPE_CAPSULE] = PAL_LOOK_CAPSULE,
                                         [PAL_SHAPE_CYLINDER] = PAL_LOOK_CYLINDER,
                                         [PAL_SHAPE_FIELD] = PAL_LOOK_SURFACE};
    memset(spec, 0, sizeof *spec);
    spec->model = session->scene.live.has_wall ? NULL : &session->model;
    spec->tree = session->scene.has_domains ? &session->tree : NULL;
    spec->wall_height = session->scene.live.wall_height;
    spec->up = session->scene.up;
    spec->tool_count = session->hand_count;
    for (int32_t h = 0; h < session->hand_count; h++) {
        const pal_shape *shape = &session->options.tool[h].shape;
        spec->tool[h] = (pal_tool_look){.kind = look[shape->kind],
                                        .radius = shape->radius,
                                        .length = shape->length,
                                        .rounding = shape->rounding,
                                        .surface = &session->tool[h].surface};
        spec->full_force = fmax(spec->full_force, session->device[h].limits.max_force);
    }
}

// ---- at rest

void pal_shown_rest(const pal_session *session, pal_snapshot *shot) {
    memset(shot, 0, sizeof *shot);
    shot->rate = 1.0;
    shot->r = session->scene.live.has_wall ? 0 : session->model.r;
    shot->hand_count = session->hand_count;
    for (int i = 0; i < PAL_SNAPSHOT_REGIONS; i++) {
        shot->softer[i] = 1.0;
    }
    for (int32_t h = 0; h < session->hand_count; h++) {
        const pal_scene_live *live = pal_scene_live_of(&session->scene, h);
        pal_snapshot_hand *hand = &shot->hand[h];
        hand->present = true;
        memcpy(hand->tool.x, live->start, sizeof hand->tool.x);
        pal_turn_of_vector(live->start_turn, hand->tool.turn);
        hand->device = hand->tool;
    }
}

// ---- opening

static pal_status open_trace(pal_shown *shown, const char *path, const pal_progress *progress,
                             pal_err *err) {
    pal_status status = pal_traces_read(path, &shown->trace, err);
    if (status != PAL_OK) {
        return status;
    }
    shown->is_trace = true;
    if (shown->trace.dropped > 0) {
        status = pal_fail(err, PAL_ERR_INPUT,
                          "%s: the log lost %llu ticks, so that what was to be seen is not known",
                          path, (unsigned long long)shown->trace.dropped);
    }
    if (status == PAL_OK) {
        status = pal_session_open_trace(&shown->session, &shown->trace, progress, err);
    }
    if (status == PAL_OK) {
        status = pal_session_check_edits(&shown->session, &shown->trace, path, err);
        if (status != PAL_OK) {
            pal_session_close(&shown->session);
        }
    }
    if (status != PAL_OK) {
        pal_trace_data_free(&shown->trace);
        return status;
    }
    shown->ticks = (uint64_t)(shown->trace.count / shown->trace.info.hand_count);
    return PAL_OK;
}

static pal_status open_scene(pal_shown *shown, const char *name, const pal_progress *progress,
                             pal_err *err) {
    const pal_session_options options = {.device = "sim", .seed = -1};
    pal_status status = pal_session_open(&shown->session, name, &options, progress, err);
    if (status == PAL_OK) {
        shown->ticks = (uint64_t)llrint(shown->session.script_seconds / shown->session.options.dt);
    }
    return status;
}

pal_status pal_shown_open(pal_shown *shown, const char *name, const pal_progress *progress,
                          pal_err *err) {
    memset(shown, 0, sizeof *shown);
    if (!pal_trace_is_path(name) && !pal_problem_is_scene(name)) {
        if (access(name, F_OK) != 0 && strpbrk(name, "./") != NULL) { // a file, not a word
            return pal_problem_unknown_source(name, err);
        }
        return pal_fail(err, PAL_ERR_USAGE,
                        "'%s' is neither a scene (palpate scenes names those that come with the "
                        "program) nor a trace of palpate run --trace",
                        name);
    }
    pal_status status = pal_trace_is_path(name) ? open_trace(shown, name, progress, err)
                                                : open_scene(shown, name, progress, err);
    if (status == PAL_OK) {
        pal_shown_rest(&shown->session, &shown->shot);
    }
    return status;
}

void pal_shown_close(pal_shown *shown) {
    pal_session_close(&shown->session);
    if (shown->is_trace) {
        pal_trace_data_free(&shown->trace);
    }
    memset(shown, 0, sizeof *shown);
}

double pal_shown_seconds(const pal_shown *shown) {
    return (double)shown->ticks * shown->session.options.dt;
}

double pal_shown_hardest(const pal_trace_data *trace) {
    const pal_tick_record *found = trace->record;
    for (int64_t k = 1; k < trace->count; k++) {
        if (pal_norm3(trace->record[k].force) > pal_norm3(found->force)) {
            found = &trace->record[k];
        }
    }
    return trace->count > 0 ? found->time : 0.0;
}

// ---- ticks

static pal_status tick(pal_shown *shown, pal_err *err) {
    pal_session *session = &shown->session;
    pal_tick_record record[PAL_MAX_TOOLS];
    const uint64_t first = shown->done++ * (uint64_t)session->hand_count;
    if (shown->is_trace) {
        return pal_session_repeat(session, &shown->trace.record[first], record, err);
    }
    pal_servo_tick(session->servo, 0, 0.0);
    while (pal_ring_get(&session->servo->log, record)) {
    }
    return PAL_OK;
}

pal_status pal_shown_go(pal_shown *shown, double time, const pal_progress *progress, pal_err *err) {
    const double seconds = pal_shown_seconds(shown);
    if (!(time >= 0.0) || time > seconds + 1e-9) {
        return pal_fail(err, PAL_ERR_USAGE, "there is nothing to see at %g s: %s is %g s long",
                        time, shown->is_trace ? "the trace" : "the scene's probe", seconds);
    }
    // The tick that begins at this time, or the last one
    uint64_t end = (uint64_t)llrint(time / shown->session.options.dt) + 1;
    end = end < shown->ticks ? end : shown->ticks;
    const double from = (double)shown->done, all = (double)end - from;
    pal_status status = PAL_OK;
    pal_realtime_flush_denormals(true); // as the servo thread does
    while (status == PAL_OK && shown->done < end) {
        status = tick(shown, err);
        if (shown->done % 200 == 0) {
            pal_progress_report(progress, "running", ((double)shown->done - from) / all);
        }
    }
    pal_realtime_flush_denormals(false);
    bool fresh;
    const pal_snapshot *latest = pal_exchange_latest(&shown->session.servo->exchange, &fresh);
    if (fresh) {
        shown->shot = *latest;
    }
    return status;
}
