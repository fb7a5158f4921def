// What is known of a trial beside its trace. See feel_trace.h for what each number is.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_truth_parts.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/fem/indent.h"

static const double hertz_depth = 1e-3; // m
static const double often = 10e-3;      // m/s: what slides more slowly than that, sticks

// The law that bears most over the whole contact, by force.
static void find_friction(const pal_truth_walk *walk, pal_feel_truth *truth) {
    const pal_live_body *body = &walk->session.body;
    double borne[PAL_SURFACE_LAWS] = {0.0};
    int most = 0;
    for (int64_t k = 0; k < walk->count; k++) {
        if (walk->triangle[k] >= 0) {
            borne[pal_truth_law(&walk->session, walk->triangle[k])] +=
                pal_norm3(walk->force + 3 * k);
        }
    }
    for (int i = 0; i < PAL_SURFACE_LAWS; i++) {
        most = borne[i] > borne[most] ? i : most;
    }
    const pal_surface_law *law = &body->law[most];
    if (borne[most] > 0.0) {
        const bool jerks = law->stick_speed > often && law->static_friction > law->dynamic_friction;
        truth->static_friction = law->adhesion > 0.0 ? NAN : law->static_friction;
        truth->sliding_friction = law->adhesion > 0.0 || jerks ? NAN : law->dynamic_friction;
        truth->soft_layer = pal_truth_layer(&walk->session, most) > 0.0;
    }
}

static pal_status find_material(const pal_feel *feel, const pal_session *s, int32_t triangle,
                                uint64_t tick, pal_material *under, pal_err *err) {
    if (feel->domain != NULL) {
        *under = feel->material[feel->region[triangle]];
        return PAL_OK;
    }
    pal_material *material = pal_truth_materials(s, tick, err);
    if (material != NULL) {
        *under = material[s->body.region_of_triangle[triangle]];
    }
    free(material);
    return material != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

// Of the material under the tool where the device is deepest.
static pal_status find_hertz(const pal_feel *feel, const pal_truth_walk *walk,
                             pal_feel_truth *truth, pal_err *err) {
    const pal_session *s = &walk->session;
    int64_t first, deepest;
    if (s->tool[0].shape.kind != PAL_SHAPE_SPHERE || !pal_truth_press(walk, &first, &deepest) ||
        walk->triangle[deepest] < 0) {
        return PAL_OK;
    }
    pal_material under;
    const pal_status status =
        find_material(feel, s, walk->triangle[deepest], (uint64_t)deepest, &under, err);
    if (status == PAL_OK) {
        truth->hertz =
            pal_indent_hertz(under.young, under.poisson, s->tool[0].shape.radius, hertz_depth);
    }
    return status;
}

// The force of the walk is the truth's from now on.
static double *take_force(pal_truth_walk *walk) {
    double *force = walk->force;
    walk->force = NULL;
    return force;
}

static bool is_press(const pal_feel_trial *trial) {
    return trial->kind == PAL_TRIAL_PRESS || trial->kind == PAL_TRIAL_ANY;
}

static bool is_slide(const pal_feel_trial *trial) {
    return trial->kind == PAL_TRIAL_SLIDE || trial->kind == PAL_TRIAL_EDGE;
}

static pal_status find_basis(const pal_feel *feel, pal_feel_trial *trial,
                             const pal_progress *progress, pal_err *err) {
    pal_truth_walk walk;
    pal_status status = pal_truth_walk_open(&walk, feel, &trial->trace, true, progress, err);
    if (status == PAL_OK) {
        trial->truth.basis = take_force(&walk);
        pal_truth_walk_close(&walk);
    }
    return status;
}

static pal_status find_full(pal_truth_walk *walk, pal_feel_trial *trial,
                            const pal_progress *progress, pal_err *err) {
    pal_feel_truth *truth = &trial->truth;
    truth->full = PAL_NEW(double, 3 * walk->count, err);
    if (truth->full == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int64_t k = 0; k < 3 * walk->count; k++) {
        truth->full[k] = NAN;
    }
    return trial->kind == PAL_TRIAL_BEND ? pal_truth_bend(walk, truth->full, truth->full_note,
                                                          sizeof truth->full_note, progress, err)
                                         : pal_truth_dent(walk, truth->full, truth->full_note,
                                                          sizeof truth->full_note, progress, err);
}

static void find_stall(const pal_truth_walk *walk, pal_feel_truth *truth) {
    const pal_servo_options *options = &walk->session.options;
    if (options->stall_count > 0) {
        const pal_stall *stall = &options->stall[0];
        truth->stall_at = (double)stall->first * options->dt;
        truth->stall_seconds = (double)(stall->end - stall->first) * options->dt;
    }
}

static bool has_dents(const pal_session *s) {
    bool some = s->model.local.row_count > 0;
    for (int32_t k = 0; k < s->tree.class_count; k++) {
        some = some || s->tree.body[k].local.row_count > 0;
    }
    return some;
}

static pal_status find_all(const pal_feel *feel, pal_truth_walk *walk, pal_feel_trial *trial,
                           const pal_progress *progress, pal_err *err) {
    const bool dents = has_dents(&walk->session) && !trial->trace.info.no_local;
    pal_status status = find_hertz(feel, walk, &trial->truth, err);
    find_friction(walk, &trial->truth);
    find_stall(walk, &trial->truth);
    if (status == PAL_OK && is_slide(trial)) {
        status = pal_truth_smooth(feel, walk, trial, &trial->truth.smooth_angle,
                                  &trial->truth.smooth_jerk, err);
    }
    if (status == PAL_OK && is_press(trial) && dents) {
        status = find_basis(feel, trial, progress, err);
    }
    if (status == PAL_OK && (is_press(trial) || trial->kind == PAL_TRIAL_BEND) &&
        !feel->wish.quick) {
        status = find_full(walk, trial, progress, err);
    }
    return status;
}

pal_status pal_feel_find_truth(const pal_feel *feel, pal_feel_trial *trial,
                               const pal_progress *progress, pal_err *err) {
    pal_truth_walk walk;
    pal_feel_truth_free(&trial->truth);
    pal_feel_truth_none(&trial->truth);
    pal_status status = pal_truth_walk_open(&walk, feel, &trial->trace, false, progress, err);
    if (status != PAL_OK) {
        return status;
    }
    if (walk.count != trial->seen.count + trial->seen.cut) {
        status = pal_fail(err, PAL_ERR_INPUT,
                          "trial '%s': %lld ticks of the first hand in a trace of %lld",
                          trial->name, (long long)trial->seen.count, (long long)walk.count);
    } else if (!walk.session.scene.live.has_wall) {
        status = find_all(feel, &walk, trial, progress, err);
    } else {
        snprintf(trial->truth.full_note, sizeof trial->truth.full_note, "the wall's own law");
        trial->truth.static_friction = trial->truth.sliding_friction = 0.0;
    }
    if (status == PAL_OK) {
        trial->truth.own = take_force(&walk);
    }
    pal_truth_walk_close(&walk);
    return status;
}
