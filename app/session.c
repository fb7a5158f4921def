#include "app/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/traces.h"
#include "devices/dev_pointer.h"
#include "devices/dev_replay.h"
#include "devices/dev_sim_driven.h"
#include "haptics/live_motion.h"
#include "haptics/live_tree.h"
#include "sim/base/cpu_level.h"
#include "sim/base/memory.h"

static const double servo_dt = 1e-3; // s

// ---- devices

typedef enum sim_way { BY_SCRIPT, DRIVEN, BY_POINTER, BY_EITHER } sim_way;

// One that follows a pointer has no script; its mailbox is the session's.
static pal_status open_pointer(pal_session *s, int32_t h, const pal_sim_options *sim, bool scripted,
                               pal_err *err) {
    pal_sim_options free = *sim;
    free.intent_count = 0;
    s->pointer = PAL_NEW(pal_mailbox, 1, err);
    if (s->pointer == NULL) {
        return PAL_ERR_MEMORY;
    }
    return scripted ? pal_device_open_sim_or_pointer(&s->device[h], sim, s->pointer, err)
                    : pal_device_open_pointer(&s->device[h], &free, s->pointer, err);
}

static pal_status open_sim(pal_session *s, int32_t h, sim_way way, pal_err *err) {
    const pal_scene_live *live = pal_scene_live_of(&s->scene, h);
    pal_sim_options sim;
    pal_sim_defaults(&sim, live->profile);
    sim.hand = live->hand;
    sim.friction = isnan(live->friction) ? sim.friction : live->friction;
    sim.delay = live->delay;
    sim.noise = live->noise;
    sim.seed = live->seed + (s->seed - s->scene.live.seed);
    memcpy(sim.start, live->start, sizeof sim.start);
    memcpy(sim.start_turn, live->start_turn, sizeof sim.start_turn);
    sim.intent_count = live->intent_count;
    sim.intent = live->intent;
    sim.fault_count = live->fault_count;
    sim.fault = live->fault;
    pal_err inner;
    pal_drive_options drive = pal_drive_defaults();
    pal_status status = way == DRIVEN
                            ? pal_device_open_sim_driven(&s->device[h], &sim, &drive, &inner)
                        : way == BY_SCRIPT ? pal_device_open_sim(&s->device[h], &sim, &inner)
                                           : open_pointer(s, h, &sim, way == BY_EITHER, &inner);
    if (status != PAL_OK) {
        return pal_fail(err, status, "%.300s: probe: %.600s", s->scene.path, inner.text);
    }
    if (way != BY_POINTER) {
        s->script_seconds = fmax(s->script_seconds, pal_sim_script_seconds(&sim));
    }
    return PAL_OK;
}

static void state_of(const pal_tick_record *record, pal_device_state *state) {
    memcpy(state->position, record->position, sizeof record->position);
    memcpy(state->velocity, record->velocity, sizeof record->velocity);
    memcpy(state->turn, record->turn, sizeof record->turn);
    memcpy(state->spin, record->spin, sizeof record->spin);
    state->buttons = record->buttons;
    state->sequence = record->sequence;
    state->present = record->present != 0;
    if (record->outcome &
        PAL_OUT_IMPLAUSIBLE) { // what came was not taken: again something that is not
        state->position[0] = NAN;
        state->sequence = ~record->tick;
    }
}

// Each hand reads its own rows.
static pal_status open_readings(pal_session *s, const pal_trace_data *trace, pal_err *err) {
    s->device_kind = "replay";
    if (trace->info.hand_count != s->hand_count) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "a trace of %d hand(s) for the scene '%s', which has %d; give one that was "
                        "recorded with as many",
                        (int)trace->info.hand_count, s->scene.name, (int)s->hand_count);
    }
    pal_device_state *state = PAL_NEW(pal_device_state, trace->count, err);
    pal_status status = state != NULL ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t h = 0; status == PAL_OK && h < s->hand_count; h++) {
        int64_t count = 0;
        for (int64_t k = 0; k < trace->count; k++) {
            if (trace->record[k].hand == (uint32_t)h) {
                state_of(&trace->record[k], &state[count++]);
            }
        }
        status = pal_device_open_replay(&s->device[h], &trace->info.limits[h], state, count, err);
        s->script_seconds = fmax(s->script_seconds, (double)count * trace->info.dt);
    }
    free(state);
    return status;
}

pal_status pal_session_play(pal_session *s, int32_t hand, const pal_tick_record *row, int64_t count,
                            int32_t stride, pal_err *err) {
    const pal_device_limits limits = s->device[hand].limits;
    pal_device_state *state = PAL_NEW(pal_device_state, count, err);
    for (int64_t k = 0; state != NULL && k < count; k++) {
        state_of(&row[k * stride], &state[k]);
    }
    pal_device_close(&s->device[hand]);
    pal_status status = state != NULL
                            ? pal_device_open_replay(&s->device[hand], &limits, state, count, err)
                            : PAL_ERR_MEMORY;
    free(state);
    return status;
}

static void open_null(pal_session *s, int32_t h) {
    pal_device_open_null(&s->device[h]);
    s->device[h].limits = *pal_scene_live_of(&s->scene, h)->profile; // as if one were there
}

static pal_status open_trace_device(pal_session *s, const char *path, pal_err *err) {
    pal_trace_data trace;
    pal_status status = pal_traces_read(path, &trace, err);
    if (status == PAL_OK) {
        status = open_readings(s, &trace, err);
        pal_trace_data_free(&trace);
    }
    return status;
}

// The first hand's kind is another where it keeps the time or follows a pointer.
static pal_status open_devices(pal_session *s, const char *name, bool may_take_over, pal_err *err) {
    static const char replay[] = "replay:";
    static const struct {
        const char *name;
        sim_way first;
    } kinds[] = {{"sim", BY_SCRIPT},
                 {PAL_SIM_DRIVEN, DRIVEN},
                 {PAL_MOUSE, BY_POINTER},
                 {PAL_GAMEPAD, BY_POINTER},
                 {"null", BY_SCRIPT}};
    enum { KINDS = sizeof kinds / sizeof *kinds, NULL_KIND = KINDS - 1 };
    pal_status status = PAL_OK;
    int kind = 0;
    if (strncmp(name, replay, sizeof replay - 1) == 0) {
        return open_trace_device(s, name + sizeof replay - 1, err);
    }
    while (kind < KINDS && strcmp(name, kinds[kind].name) != 0) {
        kind++;
    }
    if (kind == KINDS) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "there is no device '%.100s'; give --device sim, sim-driven, mouse, "
                        "gamepad, null or replay:TRACE",
                        name);
    }
    s->device_kind = kinds[kind].name;
    const sim_way first = kind == 0 && may_take_over ? BY_EITHER : kinds[kind].first;
    for (int32_t h = 0; status == PAL_OK && h < s->hand_count; h++) {
        if (kind == NULL_KIND) {
            open_null(s, h);
        } else {
            status = open_sim(s, h, h == 0 ? first : BY_SCRIPT, err);
        }
    }
    return status;
}

// ---- the body and the servo

// The tools of the scene; the finest says how finely the body is sampled.
static pal_status make_tools(pal_session *s, const pal_progress *progress, double *feature,
                             pal_err *err) {
    static const double margin = 5e-3; // m around a tool's field
    pal_status status = PAL_OK;
    *feature = INFINITY;
    for (int32_t h = 0; status == PAL_OK && h < s->hand_count; h++) {
        status = pal_scene_tool_make(&s->scene, h, &s->model.surface, margin, progress, &s->tool[h],
                                     err);
        *feature = fmin(*feature, s->tool[h].shape.feature);
    }
    return status;
}

// How the body feels: what the scene says of its regions, over a layer as stiff as the first hand's
// tool asks for on a square whose side is a third of that tool's smallest radius.
static pal_status set_surface(pal_session *s, pal_err *err) {
    const pal_scene_live *live = &s->scene.live;
    const double side = s->tool[0].shape.feature / 3.0;
    pal_surface_law base = PAL_SURFACE_LAW_DEFAULT;
    base.stiffness = live->tool_stiffness / (side * side);
    base.damping = live->tool_damping / (side * side);
    if (s->scene.has_domains) {
        return pal_live_tree_set_surface(&s->body, &base, live->surface, live->surface_count, err);
    }
    pal_status status = pal_scene_check_surfaces(&s->scene, &s->model, err);
    return status == PAL_OK ? pal_live_body_set_surface(&s->body, &s->model, &base, live->surface,
                                                        live->surface_count, err)
                            : status;
}

// The model, once.
static pal_status load_model(pal_session *s, const pal_progress *progress, pal_err *err) {
    if (s->scene.live.has_wall || s->loaded) {
        return PAL_OK;
    }
    s->loaded = true;
    return s->scene.has_domains ? pal_session_load_tree(s, progress, err)
           : s->lent
               ? PAL_OK
               : pal_scene_model(&s->scene, false, progress, &s->model, NULL, &s->cached, err);
}

// Places that the scene names by its surface need the model before all that goes there.
static pal_status settle_scene(pal_session *s, const pal_progress *progress, pal_err *err) {
    if (!s->scene.unsettled) {
        return PAL_OK;
    }
    const pal_status status = load_model(s, progress, err);
    return status == PAL_OK
               ? pal_scene_settle(&s->scene, s->scene.live.has_wall ? NULL : &s->model.surface,
                                  false, err)
               : status;
}

static pal_status open_body(pal_session *s, const pal_progress *progress, double dt, pal_err *err) {
    if (s->scene.live.has_wall) {
        return PAL_OK;
    }
    double feature = 0.0;
    const bool grown = s->scene.has_domains;
    pal_status status = load_model(s, progress, err);
    if (status == PAL_OK) {
        status = make_tools(s, progress, &feature, err);
    }
    if (status == PAL_OK) {
        status = pal_session_plan_edits(s, dt, err);
    }
    const pal_live_options how = {.dt = dt,
                                  .precision = s->precision,
                                  .feature = feature,
                                  .like = s->like,
                                  .keep = s->anew ? NULL : pal_cache_keep()};
    if (status == PAL_OK) {
        status = grown ? pal_session_open_tree(s, dt, feature, err)
                       : pal_live_body_open(&s->body, &s->model, &how, err);
    }
    return status == PAL_OK ? set_surface(s, err) : status;
}

static void set_tool(pal_session *s, int32_t h) {
    const pal_scene_live *live = pal_scene_live_of(&s->scene, h);
    const pal_device_limits *limits = &s->device[h].limits;
    pal_tool_options *tool = &s->options.tool[h];
    pal_servo_defaults_hand(&s->options, h, limits);
    if (!s->scene.live.has_wall) {
        tool->shape = s->tool[h].shape;
    }
    tool->flat_normals = s->scene.live.flat_normals;
    tool->grasp_stiffness = live->tool_grasp;
    if (!isnan(live->coupling_stiffness)) {
        tool->stiffness = live->coupling_stiffness;
    }
    if (!isnan(live->coupling_turn_stiffness) && limits->max_torque > 0.0) {
        tool->turn_stiffness = live->coupling_turn_stiffness;
    }
    if (live->coupling_mass > 0.0) {
        const double of_ball = 0.4 * live->coupling_mass * tool->shape.bound * tool->shape.bound;
        pal_tool_make_dynamic(tool, live->coupling_mass,
                              isnan(live->coupling_inertia) ? of_ball : live->coupling_inertia,
                              limits->max_damping, limits->max_turn_damping);
        tool->damping = isnan(live->coupling_damping) ? tool->damping : live->coupling_damping;
    }
}

// The stalls among the faults, whichever hand they are written at: there is one body.
static pal_status take_stalls(pal_session *s, double dt, pal_err *err) {
    pal_servo_options *options = &s->options;
    for (int32_t h = 0; h < s->hand_count; h++) {
        const pal_scene_live *live = pal_scene_live_of(&s->scene, h);
        options->observe_only = options->observe_only || live->unwatched;
        for (int32_t i = 0; i < live->fault_count; i++) {
            const pal_fault *fault = &live->fault[i];
            if (fault->kind != PAL_FAULT_STALL) {
                continue;
            }
            if (options->stall_count == PAL_SERVO_STALLS) {
                return pal_fail(err, PAL_ERR_INPUT, "%.300s: faults: at most %d stalls in a scene",
                                s->scene.path, PAL_SERVO_STALLS);
            }
            options->stall[options->stall_count++] =
                (pal_stall){(uint64_t)llrint(fault->at / dt),
                            (uint64_t)llrint((fault->at + fault->seconds) / dt)};
        }
    }
    return PAL_OK;
}

static pal_status open_servo(pal_session *s, double dt, double delay, pal_err *err) {
    const pal_scene_live *live = &s->scene.live;
    pal_servo_options *options = &s->options;
    s->note_count = 0;
    pal_servo_defaults(options, &s->device[0].limits);
    options->dt = dt;
    options->delay = delay;
    options->no_local = s->no_local;
    options->form = s->form;
    options->stiffening = s->scene.live.stiffening;
    options->plan = &s->plan;
    pal_status status = take_stalls(s, dt, err);
    if (status != PAL_OK) {
        return status;
    }
    options->wall = (pal_wall){live->wall_height, live->wall_stiffness, live->wall_damping};
    for (int32_t h = 0; h < s->hand_count; h++) {
        set_tool(s, h);
    }
    pal_session_limit_stiffness(s);
    return pal_servo_open(&s->servo, options, s->device, live->has_wall ? NULL : &s->body, err);
}

// With its scene read.
static pal_status open_scene(pal_session *s, const pal_session_options *options,
                             const pal_progress *progress, pal_err *err) {
    s->hand_count = s->scene.hand_count;
    s->seed = options->seed >= 0 ? (uint64_t)options->seed : s->scene.live.seed;
    s->precision = options->precision;
    s->no_local = options->no_local;
    s->form = options->form != NULL ? *options->form : s->scene.live.form;
    s->like = options->like;
    s->lent = options->model != NULL;
    s->one_thread = options->one_thread;
    s->anew = options->anew;
    if (s->lent) {
        s->model = *options->model;
        s->tree = options->tree != NULL ? *options->tree : s->tree;
    }
    // Before the baking: it finds mistakes at once
    pal_status status = settle_scene(s, progress, err);
    if (status == PAL_OK) {
        status = open_devices(s, options->device, options->may_take_over, err);
    }
    if (status == PAL_OK) {
        status = pal_session_take_edits(s, options->edits, err);
    }
    if (status == PAL_OK) {
        status = open_body(s, progress, servo_dt, err);
    }
    if (status == PAL_OK) {
        status = open_servo(s, servo_dt, s->scene.live.delay, err);
    }
    if (status == PAL_OK) {
        status = pal_session_open_desk(s, NULL, err);
    }
    if (status != PAL_OK) {
        pal_session_close(s);
    }
    return status;
}

pal_status pal_session_open(pal_session *s, const char *scene, const pal_session_options *options,
                            const pal_progress *progress, pal_err *err) {
    memset(s, 0, sizeof *s);
    pal_status status = pal_scene_read(scene, &s->scene, err);
    if (status == PAL_OK && options->hide != NULL) {
        status = pal_scene_hide(&s->scene, *options->hide, err);
        if (status != PAL_OK) {
            pal_scene_free(&s->scene);
        }
    }
    return status == PAL_OK ? open_scene(s, options, progress, err) : status;
}

pal_status pal_session_open_text(pal_session *s, const char *path, const char *text,
                                 const pal_session_options *options, const pal_progress *progress,
                                 pal_err *err) {
    memset(s, 0, sizeof *s);
    pal_status status = pal_scene_parse(path, text, strlen(text), &s->scene, err);
    return status == PAL_OK ? open_scene(s, options, progress, err) : status;
}

pal_status pal_session_open_trace(pal_session *s, const pal_trace_data *trace,
                                  const pal_progress *progress, pal_err *err) {
    memset(s, 0, sizeof *s);
    pal_status status = pal_scene_parse(trace->scene_path, trace->scene_text,
                                        strlen(trace->scene_text), &s->scene, err);
    if (status != PAL_OK) {
        return status;
    }
    s->hand_count = s->scene.hand_count;
    s->seed = trace->info.seed;
    s->precision = trace->info.single ? PAL_FLOAT : PAL_DOUBLE;
    s->no_local = trace->info.no_local;
    s->form = trace->info.penalty ? PAL_CONTACT_PENALTY : PAL_CONTACT_COMPLIANCE;
    status = settle_scene(s, progress, err);
    if (status == PAL_OK) {
        status = open_readings(s, trace, err);
    }
    if (status == PAL_OK) {
        status = pal_session_take_edits(s, trace->edits, err);
    }
    if (status == PAL_OK) {
        status = open_body(s, progress, trace->info.dt, err);
    }
    if (status == PAL_OK) {
        status = open_servo(s, trace->info.dt, trace->info.delay, err);
    }
    if (status == PAL_OK) {
        status = pal_session_open_desk(s, trace->live_edits, err);
    }
    if (status != PAL_OK) {
        pal_session_close(s);
    }
    return status;
}

pal_status pal_session_return(pal_session *s, const pal_trace_data *trace, uint64_t tick,
                              pal_err *err) {
    int edits = 0;
    if (s->desk != NULL) {
        pal_desk_log(s->desk, &edits);
    }
    if (s->plan.count + edits > 0) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "a run with edits of materials cannot be taken back; replay its trace");
    }
    // The body at rest and in our time, another servo from the start, the recorded hand
    pal_step_forget(&s->servo->own.world);
    pal_live_reset(&s->body);
    pal_live_set_step(&s->body, trace->info.dt);
    pal_servo *ran = s->servo;
    s->servo = NULL;
    for (int32_t h = 0; h < s->hand_count; h++) {
        pal_device_close(&s->device[h]);
    }
    pal_status status = open_readings(s, trace, err);
    if (status == PAL_OK) {
        status = open_servo(s, trace->info.dt, trace->info.delay, err);
    }
    pal_realtime_flush_denormals(true); // as the servo thread does
    for (uint64_t k = 0; status == PAL_OK && k <= tick; k++) {
        pal_tick_record now[PAL_MAX_TOOLS];
        status = pal_session_repeat(s, &trace->record[k * (uint64_t)s->hand_count], now, err);
    }
    pal_realtime_flush_denormals(false);
    if (status == PAL_OK) {
        s->servo->own.counters = ran->own.counters;
        memcpy(s->servo->own.hand, ran->own.hand, sizeof ran->own.hand);
    }
    pal_servo_close(ran);
    return status;
}

void pal_session_close(pal_session *s) {
    pal_servo_close(s->servo);
    pal_desk_close(s->desk);
    free(s->live_edit);
    for (int32_t h = 0; h < s->hand_count; h++) {
        pal_device_close(&s->device[h]);
    }
    pal_live_body_close(&s->body);
    for (int32_t h = 0; h < s->hand_count; h++) {
        pal_tool_shape_free(&s->tool[h]);
    }
    pal_edit_plan_close(&s->plan);
    if (!s->lent) {
        pal_model_free(&s->model);
        pal_tree_model_free(&s->tree);
    }
    pal_scene_free(&s->scene);
    free(s->edits);
    free(s->pointer);
    memset(s, 0, sizeof *s);
}

void pal_session_info(const pal_session *s, bool virtual_time, pal_trace_info *info) {
    *info = (pal_trace_info){.hand_count = s->hand_count,
                             .dt = s->options.dt,
                             .delay = s->options.delay,
                             .seed = s->seed,
                             .virtual_time = virtual_time,
                             .single = s->precision == PAL_FLOAT,
                             .no_local = s->no_local,
                             .penalty = s->form == PAL_CONTACT_PENALTY,
                             .edits = s->edits,
                             .scene_path = s->scene.path,
                             .scene_text = s->scene.text};
    for (int32_t h = 0; h < s->hand_count; h++) {
        info->limits[h] = s->device[h].limits;
    }
    snprintf(info->scene, sizeof info->scene, "%s", s->scene.name);
    snprintf(info->device, sizeof info->device, "%s", s->device_kind);
    snprintf(info->program, sizeof info->program, "palpate %s", PAL_VERSION);
    pal_cpu_kernels(info->kernels);
    snprintf(info->body_hash, sizeof info->body_hash, "%s", s->body.hash);
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(info->started, sizeof info->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
