#include "app/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "devices/dev_replay.h"
#include "devices/dev_sim_driven.h"
#include "sim/base/memory.h"

static const double servo_dt = 1e-3; // s

// ---- devices

static pal_status open_sim(pal_session *s, bool driven, pal_err *err) {
    const pal_scene_live *live = &s->scene.live;
    pal_sim_options sim;
    pal_sim_defaults(&sim, live->profile);
    sim.hand = live->hand;
    sim.friction = isnan(live->friction) ? sim.friction : live->friction;
    sim.delay = live->delay;
    sim.noise = live->noise;
    sim.seed = s->seed;
    memcpy(sim.start, live->start, sizeof sim.start);
    sim.intent_count = live->intent_count;
    sim.intent = live->intent;
    sim.fault_count = live->fault_count;
    sim.fault = live->fault;
    pal_err inner;
    pal_drive_options drive = pal_drive_defaults();
    pal_status status = driven ? pal_device_open_sim_driven(&s->device, &sim, &drive, &inner)
                               : pal_device_open_sim(&s->device, &sim, &inner);
    if (status != PAL_OK) {
        return pal_fail(err, status, "%.300s: probe: %.600s", s->scene.path, inner.text);
    }
    s->script_seconds = pal_sim_script_seconds(&sim);
    return PAL_OK;
}

static pal_status open_readings(pal_session *s, const pal_trace_data *trace, pal_err *err) {
    pal_device_state *state = PAL_NEW(pal_device_state, trace->count, err);
    if (state == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int64_t k = 0; k < trace->count; k++) {
        const pal_tick_record *record = &trace->record[k];
        memcpy(state[k].position, record->position, sizeof record->position);
        memcpy(state[k].velocity, record->velocity, sizeof record->velocity);
        state[k].buttons = record->buttons;
        state[k].sequence = record->sequence;
        state[k].present = record->present != 0;
    }
    pal_status status =
        pal_device_open_replay(&s->device, &trace->info.limits, state, trace->count, err);
    free(state);
    s->device_kind = "replay";
    s->script_seconds = (double)trace->count * trace->info.dt;
    return status;
}

static pal_status open_device(pal_session *s, const char *name, pal_err *err) {
    static const char replay[] = "replay:";
    if (strcmp(name, "sim") == 0) {
        s->device_kind = "sim";
        return open_sim(s, false, err);
    }
    if (strcmp(name, PAL_SIM_DRIVEN) == 0) {
        s->device_kind = PAL_SIM_DRIVEN;
        return open_sim(s, true, err);
    }
    if (strcmp(name, "null") == 0) {
        s->device_kind = "null";
        pal_device_open_null(&s->device);
        s->device.limits = *s->scene.live.profile; // as if one were there
        return PAL_OK;
    }
    if (strncmp(name, replay, sizeof replay - 1) != 0) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "there is no device '%.100s'; give --device sim, sim-driven, null or "
                        "replay:TRACE",
                        name);
    }
    pal_trace_data trace;
    pal_status status = pal_trace_read(name + sizeof replay - 1, &trace, err);
    if (status == PAL_OK) {
        status = open_readings(s, &trace, err);
        pal_trace_data_free(&trace);
    }
    return status;
}

// ---- the body and the servo

static pal_status open_body(pal_session *s, const pal_progress *progress, double dt, pal_err *err) {
    if (s->scene.live.has_wall) {
        return PAL_OK;
    }
    static const double margin = 5e-3; // m around a tool's field
    pal_status status =
        pal_scene_model(&s->scene, false, progress, &s->model, NULL, &s->cached, err);
    if (status == PAL_OK) {
        status = pal_scene_tool_make(&s->scene, &s->model.surface, margin, progress, &s->tool, err);
    }
    if (status == PAL_OK) {
        status = pal_session_plan_edits(s, dt, err);
    }
    const pal_live_options how = {
        .dt = dt, .precision = s->precision, .feature = s->tool.shape.feature};
    return status == PAL_OK ? pal_live_body_open(&s->body, &s->model, &how, err) : status;
}

static pal_status open_servo(pal_session *s, double dt, double delay, pal_err *err) {
    const pal_scene_live *live = &s->scene.live;
    pal_servo_options *options = &s->options;
    pal_servo_defaults(options, &s->device.limits);
    options->dt = dt;
    options->delay = delay;
    if (!live->has_wall) {
        options->tool[0].shape = s->tool.shape;
    }
    options->no_local = s->no_local;
    options->plan = &s->plan;
    options->wall = (pal_wall){live->wall_height, live->wall_stiffness, live->wall_damping};
    if (!isnan(live->coupling_stiffness)) {
        options->tool[0].stiffness = live->coupling_stiffness;
    }
    return pal_servo_open(&s->servo, options, &s->device, live->has_wall ? NULL : &s->body, err);
}

pal_status pal_session_open(pal_session *s, const char *scene, const pal_session_options *options,
                            const pal_progress *progress, pal_err *err) {
    memset(s, 0, sizeof *s);
    pal_status status = pal_scene_read(scene, &s->scene, err);
    if (status != PAL_OK) {
        return status;
    }
    s->seed = options->seed >= 0 ? (uint64_t)options->seed : s->scene.live.seed;
    s->precision = options->precision;
    status = open_device(s, options->device, err); // before the baking: it finds mistakes at once
    if (status == PAL_OK) {
        status = pal_session_take_edits(s, options->edits, err);
    }
    if (status == PAL_OK) {
        status = open_body(s, progress, servo_dt, err);
    }
    if (status == PAL_OK) {
        status = open_servo(s, servo_dt, s->scene.live.delay, err);
    }
    if (status != PAL_OK) {
        pal_session_close(s);
    }
    return status;
}

pal_status pal_session_open_trace(pal_session *s, const pal_trace_data *trace,
                                  const pal_progress *progress, pal_err *err) {
    memset(s, 0, sizeof *s);
    pal_status status = pal_scene_parse(trace->scene_path, trace->scene_text,
                                        strlen(trace->scene_text), &s->scene, err);
    if (status != PAL_OK) {
        return status;
    }
    s->seed = trace->info.seed;
    s->precision = trace->info.single ? PAL_FLOAT : PAL_DOUBLE;
    status = open_readings(s, trace, err);
    if (status == PAL_OK) {
        status = pal_session_take_edits(s, trace->edits, err);
    }
    if (status == PAL_OK) {
        status = open_body(s, progress, trace->info.dt, err);
    }
    if (status == PAL_OK) {
        status = open_servo(s, trace->info.dt, trace->info.delay, err);
    }
    if (status != PAL_OK) {
        pal_session_close(s);
    }
    return status;
}

void pal_session_close(pal_session *s) {
    pal_servo_close(s->servo);
    pal_device_close(&s->device);
    pal_live_body_close(&s->body);
    pal_tool_shape_free(&s->tool);
    pal_edit_plan_close(&s->plan);
    pal_model_free(&s->model);
    pal_scene_free(&s->scene);
    free(s->edits);
    memset(s, 0, sizeof *s);
}

void pal_session_info(const pal_session *s, bool virtual_time, pal_trace_info *info) {
    *info = (pal_trace_info){.limits = s->device.limits,
                             .dt = s->options.dt,
                             .delay = s->options.delay,
                             .seed = s->seed,
                             .virtual_time = virtual_time,
                             .single = s->precision == PAL_FLOAT,
                             .edits = s->edits,
                             .scene_path = s->scene.path,
                             .scene_text = s->scene.text};
    snprintf(info->scene, sizeof info->scene, "%s", s->scene.name);
    snprintf(info->device, sizeof info->device, "%s", s->device_kind);
    snprintf(info->program, sizeof info->program, "palpate %s", PAL_VERSION);
    snprintf(info->body_hash, sizeof info->body_hash, "%s", s->body.hash);
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(info->started, sizeof info->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
