// The recorded path once more, with the tool held rigidly: what a perfect device would render.
//
// A rigid tool would feel every step of the encoder (55 um of a touch) as a blow on the body, which
// the hand's true motion is not. So the places are smoothed first.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_body.h"
#include "app/feel/feel_truth_parts.h"
#include "haptics/live_motion.h"
#include "haptics/live_tree.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

enum { HALF = 12, RATE = 4 };           // ticks to each side of a mean, and of a rate
enum { SWING = 50 };                    // ticks that a contact may be lost for
enum { VISITS = 20000, LOOKS = 20000 }; // to contacts, and at points, in a tick
static const double rigid = 1e9;        // N/m

// ---- the path

static double mean_place(const pal_tick_record *row, int64_t ticks, int32_t hands, int64_t at,
                         int c) {
    double sum = 0.0, weights = 0.0;
    // As far as both sides go: then a steady motion stays what it is
    int64_t half = at < ticks - 1 - at ? at : ticks - 1 - at;
    half = half < HALF ? half : HALF;
    for (int64_t k = -half; k <= half; k++) {
        const double weight = 1.0 + cos(M_PI * (double)k / (double)(half + 1));
        sum += weight * row[(at + k) * hands].position[c];
        weights += weight;
    }
    return sum / weights;
}

pal_status pal_truth_smooth_places(pal_tick_record *row, int64_t ticks, int32_t hands,
                                   const pal_device_limits *limits, pal_err *err) {
    double(*place)[3] = pal_alloc((size_t)ticks, sizeof *place, err);
    for (int32_t h = 0; place != NULL && h < hands; h++) {
        const double most = 0.5 * limits[h].resolution;
        for (int64_t k = 0; k < ticks; k++) {
            const double *read = row[k * hands + h].position;
            for (int c = 0; c < 3; c++) {
                const double mean = mean_place(row + h, ticks, hands, k, c);
                place[k][c] = fmin(fmax(mean, read[c] - most), read[c] + most);
            }
        }
        for (int64_t k = 0; k < ticks; k++) {
            memcpy(row[k * hands + h].position, place[k], sizeof place[k]);
        }
    }
    free(place);
    return place != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

static pal_status take_rows(pal_truth_walk *walk, const pal_trace_data *trace, pal_err *err) {
    walk->hands = trace->info.hand_count;
    walk->count = trace->count / walk->hands;
    walk->row = PAL_NEW(pal_tick_record, trace->count, err);
    walk->force = PAL_NEW(double, 3 * walk->count, err);
    walk->triangle = PAL_NEW(int32_t, walk->count, err);
    walk->normal = PAL_NEW(double, 3 * walk->count, err);
    if (!walk->row || !walk->force || !walk->triangle || !walk->normal) {
        return PAL_ERR_MEMORY;
    }
    memcpy(walk->row, trace->record, (size_t)trace->count * sizeof *walk->row);
    return pal_truth_smooth_places(walk->row, walk->count, walk->hands, trace->info.limits, err);
}

// ---- the walk

// Nothing between hand and tool, and time enough to settle.
static void hold_rigidly(pal_servo *servo) {
    for (int32_t h = 0; h < servo->options.hand_count; h++) {
        pal_tool_options *tool = &servo->own.tool[h].options;
        tool->stiffness = rigid;
        tool->turn_stiffness = tool->mass = tool->max_force = 0.0;
        tool->look_budget = LOOKS;
    }
    servo->own.world.scene.visits = VISITS;
}

// The touch that pushes hardest.
static void keep_touch(pal_truth_walk *walk, int64_t tick, const pal_tool *tool) {
    double most = 0.0;
    walk->triangle[tick] = -1;
    for (int32_t k = 0; k < tool->last.count && k < tool->set.count; k++) {
        const pal_touch *touch = &tool->set.item[k];
        const double push = pal_dot3(tool->last.force[k], touch->normal);
        if (push > most) {
            most = push;
            walk->triangle[tick] = touch->triangle;
            memcpy(walk->normal + 3 * tick, touch->normal, sizeof touch->normal);
        }
    }
}

static pal_status go(pal_truth_walk *walk, const pal_progress *progress, pal_err *err) {
    pal_session *s = &walk->session;
    pal_status status = PAL_OK;
    hold_rigidly(s->servo);
    const bool flushed = pal_realtime_flush_denormals(true); // as the servo thread does
    for (int64_t k = 0; status == PAL_OK && k < walk->count; k++) {
        pal_tick_record now[PAL_MAX_TOOLS];
        status = pal_session_repeat(s, &walk->row[k * walk->hands], now, err);
        const pal_tool *tool = &s->servo->own.tool[0];
        keep_touch(walk, k, tool);
        for (int c = 0; c < 3; c++) {
            walk->force[3 * k + c] = s->servo->own.paused ? 0.0 : tool->force[c];
        }
        if (k % 500 == 0) {
            pal_progress_report(progress, "the model's own force", (double)k / (double)walk->count);
        }
    }
    if (flushed) {
        pal_realtime_flush_denormals(false);
    }
    return status;
}

// F = K depth + B rate of a wall, the rate over some ticks to each side.
static void go_into_wall(pal_truth_walk *walk) {
    const pal_wall *wall = &walk->session.options.wall;
    const int64_t last = walk->count - 1;
    for (int64_t k = 0; k <= last; k++) {
        const int64_t a = k > RATE ? k - RATE : 0, b = k + RATE < last ? k + RATE : last;
        const double way =
            walk->row[a * walk->hands].position[2] - walk->row[b * walk->hands].position[2];
        const double rate = b > a ? way / ((double)(b - a) * walk->session.options.dt) : 0.0;
        const double depth = wall->height - walk->row[k * walk->hands].position[2];
        walk->triangle[k] = -1;
        walk->force[3 * k + 2] =
            depth > 0.0 ? fmax(0.0, wall->stiffness * depth + wall->damping * rate) : 0.0;
    }
}

// The trace's scene as it ran, with the suite's model.
static pal_status open_session(pal_truth_walk *walk, const pal_feel *feel,
                               const pal_trace_data *trace, bool no_local,
                               const pal_progress *progress, pal_err *err) {
    static const pal_contact_form penalty = PAL_CONTACT_PENALTY,
                                  compliance = PAL_CONTACT_COMPLIANCE;
    pal_session *s = &walk->session;
    pal_session_options options = {
        .device = "null",
        .seed = (long)trace->info.seed,
        .precision = trace->info.single ? PAL_FLOAT : PAL_DOUBLE,
        .no_local = trace->info.no_local || no_local,
        .form = trace->info.penalty ? &penalty : &compliance,
        .edits = trace->edits,
    };
    pal_feel_lend(feel, &options);
    pal_status status =
        pal_session_open_text(s, trace->scene_path, trace->scene_text, &options, progress, err);
    if (status == PAL_OK && s->hand_count != walk->hands) {
        status = pal_fail(err, PAL_ERR_INPUT, "a trace of %d hands of a scene that has %d",
                          (int)walk->hands, (int)s->hand_count);
    }
    if (status == PAL_OK && trace->live_edits != NULL) {
        status = pal_live_edits_parse(&s->model, trace->live_edits, "the trace", &s->live_edit,
                                      &s->live_count, err);
    }
    for (int32_t h = 0; status == PAL_OK && h < walk->hands; h++) {
        status = pal_session_play(s, h, walk->row + h, walk->count, walk->hands, err);
    }
    return status;
}

pal_status pal_truth_walk_open(pal_truth_walk *walk, const pal_feel *feel,
                               const pal_trace_data *trace, bool no_local,
                               const pal_progress *progress, pal_err *err) {
    memset(walk, 0, sizeof *walk);
    pal_status status = take_rows(walk, trace, err);
    if (status == PAL_OK) {
        status = open_session(walk, feel, trace, no_local, progress, err);
    }
    if (status == PAL_OK && walk->session.scene.live.has_wall) {
        go_into_wall(walk);
    } else if (status == PAL_OK) {
        status = go(walk, progress, err);
    }
    if (status != PAL_OK) {
        pal_truth_walk_close(walk);
    }
    return status;
}

void pal_truth_walk_close(pal_truth_walk *walk) {
    pal_session_close(&walk->session);
    free(walk->row);
    free(walk->force);
    free(walk->triangle);
    free(walk->normal);
    memset(walk, 0, sizeof *walk);
}

// ---- at rest

// Back to rest, smooth, and damped so much that the slowest mode does not swing.
static double make_quiet(pal_session *s) {
    const double slowest = s->model.mode_count > 0 ? 2.0 * M_PI * s->model.frequencies_hz[0] : 20.0;
    pal_step_forget(&s->servo->own.world);
    s->servo->own.world.still = false;
    pal_live_reset(&s->body);
    pal_live_set_damping(&s->body, 2.0 * slowest, s->model.damping_beta);
    for (int i = 0; i < PAL_SURFACE_LAWS; i++) {
        s->body.law[i].static_friction = s->body.law[i].dynamic_friction = 0.0;
        s->body.law[i].texture_height = 0.0;
    }
    return fmin(fmax(10.0 / slowest, 0.2), 1.0);
}

// A tree has no other damping: whenever its motion has become as fast as it gets, which is where it
// would rest, it is stopped.
static void stop_at_rest(pal_live_body *live, double *fastest) {
    const double kinetic = pal_live_kinetic(live);
    if (live->domains != NULL && kinetic < *fastest) {
        pal_truth_stop(live->domains->state);
    }
    *fastest = kinetic;
}

static void step_to(pal_truth_walk *walk, const double place[3]) {
    pal_servo_options *options = &walk->session.servo->options;
    for (int32_t h = 0; h < options->hand_count; h++) {
        pal_pose goal = PAL_POSE_IDENTITY;
        memcpy(goal.x, h == 0 ? place : walk->row[h].position, sizeof goal.x);
        memcpy(goal.turn, walk->row[h].turn, sizeof goal.turn);
        pal_tool_aim(&walk->session.servo->own.tool[h], &goal, false);
    }
    pal_step(&walk->session.servo->own.world);
}

void pal_truth_settle(pal_truth_walk *walk, const pal_truth_rest *rest) {
    const pal_tool *tool = &walk->session.servo->own.tool[0];
    const double seconds = make_quiet(&walk->session);
    const int ticks = (int)(seconds / walk->session.options.dt), last = ticks / 5;
    const double *from = rest->place[0];
    double fastest = 0.0;
    pal_realtime_flush_denormals(true);
    step_to(walk, walk->row[0].position); // clear of the body
    for (int i = 0; i < rest->count; i++) {
        memset(rest->force[i], 0, sizeof rest->force[i]);
        for (int k = 1; k <= ticks; k++) { // half of the time to get there
            double place[3];
            for (int c = 0; c < 3; c++) {
                const double share = fmin(1.0, 2.0 * k / ticks);
                place[c] = from[c] + share * (rest->place[i][c] - from[c]);
            }
            step_to(walk, place);
            stop_at_rest(&walk->session.body, &fastest);
            for (int c = 0; k > ticks - last && c < 3; c++) {
                rest->force[i][c] += tool->force[c] / last;
            }
        }
        from = rest->place[i];
    }
    pal_realtime_flush_denormals(false);
}

// ---- what the path tells

bool pal_truth_press(const pal_truth_walk *walk, int64_t *first, int64_t *deepest) {
    int64_t begin = -1, touched = -1, longest = 0, last = -1;
    for (int64_t k = 0; k < walk->count; k++) {
        if (walk->triangle[k] < 0) {
            continue;
        }
        begin = begin < 0 || k - touched > SWING ? k : begin;
        touched = k;
        if (k + 1 - begin > longest) {
            longest = k + 1 - begin;
            *first = begin;
            last = k;
        }
    }
    double most = 0.0, way[3];
    for (int64_t k = *deepest = last < 0 ? 0 : *first; k <= last; k++) {
        pal_sub3(walk->row[k * walk->hands].position, walk->row[*first * walk->hands].position,
                 way);
        const double depth = -pal_dot3(way, walk->normal + 3 * *first);
        if (depth > most && walk->triangle[k] >= 0) {
            most = depth;
            *deepest = k;
        }
    }
    return last >= 0;
}

pal_material *pal_truth_materials(const pal_session *s, uint64_t tick, pal_err *err) {
    pal_material *material = PAL_NEW(pal_material, s->model.region_count, err);
    for (int32_t g = 0; material != NULL && g < s->model.region_count; g++) {
        material[g] = s->model.region[g].material;
    }
    // The scene's and the user's, in the order of time; then those made in the run
    double done = -1.0;
    for (bool more = material != NULL; more;) {
        double next = INFINITY;
        for (int i = 0; i < s->edit_count; i++) {
            next = s->edit[i].at > done ? fmin(next, s->edit[i].at) : next;
        }
        more = next <= (double)tick * s->options.dt;
        for (int i = 0; more && i < s->edit_count; i++) {
            if (s->edit[i].at == next) {
                pal_material_edit_apply(&s->edit[i], &s->model, material, err);
            }
        }
        done = next;
    }
    for (int i = 0; material != NULL && i < s->live_count; i++) {
        if (s->live_edit[i].tick <= tick) {
            material[s->live_edit[i].region] = s->live_edit[i].to;
        }
    }
    return material;
}
