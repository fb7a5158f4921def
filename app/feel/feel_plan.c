// Where the trials press and how deep, by the scene's own probe or its key `feel`; the trials of
// the scene's own. feel_trials.c has the standard ones.
#include "app/feel/feel_plan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_body.h"
#include "app/feel/feel_golden.h"
#include "app/feel/feel_try.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static const double above = 1e-3;         // m, from which a press begins
static const double share_of_force = 0.6; // of the device's largest force, that a press may take
static const double share_of_space = 0.5; // of its workspace's radius, likewise

// ---- texts

bool pal_plan_wants(const pal_plan *plan, const char *name) {
    return plan->naming || plan->feel->wish.only == NULL ||
           pal_feel_lists(plan->feel->wish.only, name);
}

void pal_plan_under(const pal_plan *plan, const pal_spot *spot, double depth, double x[3]) {
    const double lag = depth > 0.0 ? plan->lag : 0.0;
    for (int a = 0; a < 3; a++) {
        x[a] = spot->x[a] + (plan->radius - depth - lag) * spot->normal[a];
    }
}

pal_status pal_plan_lag(pal_plan *plan, const char *grip) {
    const pal_feel_wish *wish = &plan->feel->wish;
    const double own = plan->feel->scene.live.friction;
    pal_hand hand = plan->feel->scene.live.hand;
    bool known = true;
    grip = grip != NULL ? grip : wish->grip;
    if (grip != NULL) {
        hand = pal_hand_grip(grip, &known);
    }
    const double friction = wish->friction < 0.0   ? 0.0
                            : wish->friction > 0.0 ? wish->friction
                            : isnan(own)           ? plan->limits->friction
                                                   : own;
    plan->lag = hand.mass > 0.0 ? friction * (1.0 / hand.k_h + 1.0 / hand.k_g) : 0.0;
    return known ? PAL_OK
                 : pal_fail(plan->err, PAL_ERR_USAGE,
                            "there is no grip '%.60s'; give loose, medium, firm or none", grip);
}

void pal_plan_press(const pal_plan *plan, pal_script *script, double depth, double down,
                    double hold, double up) {
    double start[3], end[3];
    pal_plan_under(plan, &plan->spot, -above, start);
    pal_plan_under(plan, &plan->spot, depth, end);
    pal_script_go(script, "move", start, 0.2);
    pal_script_go(script, "press", end, down);
    if (hold > 0.0) {
        pal_script_wait(script, "hold", hold);
    }
    pal_plan_under(plan, &plan->spot, -above - plan->lag, start);
    pal_script_go(script, "move", start, up);
    pal_script_wait(script, "hold", 0.5); // until also a loose hand is off
}

// ---- adding

// Reads the text as a scene, for its seconds; a mistake in it is ours or the wish's.
static pal_status measure_seconds(pal_plan *plan, pal_feel_trial *trial) {
    pal_scene scene;
    pal_err inner;
    pal_status status =
        pal_scene_parse(plan->feel->scene.path, trial->text, strlen(trial->text), &scene, &inner);
    if (status != PAL_OK) {
        return pal_fail(plan->err, status, "trial '%s': %.900s", trial->name, inner.text);
    }
    for (int32_t h = 0; h < scene.hand_count; h++) {
        const pal_scene_live *live = pal_scene_live_of(&scene, h);
        const pal_sim_options sim = {.intent_count = live->intent_count, .intent = live->intent};
        trial->seconds = fmax(trial->seconds, pal_sim_script_seconds(&sim));
    }
    pal_scene_free(&scene);
    return PAL_OK;
}

static pal_feel_trial *next_trial(pal_plan *plan) {
    enum { MOST = 64 };
    pal_feel *feel = plan->feel;
    if (feel->trial == NULL) {
        feel->trial = PAL_NEW(pal_feel_trial, MOST, plan->err);
    }
    return feel->trial != NULL && feel->trial_count < MOST ? &feel->trial[feel->trial_count] : NULL;
}

static void add_name(pal_plan *plan, const char *name) {
    const size_t used = strlen(plan->names);
    snprintf(plan->names + used, sizeof plan->names - used, "%s%s", used > 0 ? ", " : "", name);
}

pal_status pal_plan_add(pal_plan *plan, const char *name, pal_trial_kind kind,
                        const pal_trial_text *how, const char *about, ...) {
    if (plan->naming) {
        add_name(plan, name);
        return PAL_OK;
    }
    pal_feel_trial *trial = next_trial(plan);
    if (trial == NULL) {
        return pal_fail(plan->err, PAL_ERR_MEMORY, "no room for the trial '%s'", name);
    }
    if (plan->script.full || plan->second.full) {
        return pal_fail(plan->err, PAL_ERR_UNSUPPORTED, "the trial '%s' is too long", name);
    }
    snprintf(trial->name, sizeof trial->name, "%s", name);
    trial->kind = kind;
    va_list args;
    va_start(args, about);
    vsnprintf(trial->about, sizeof trial->about, about, args);
    va_end(args);
    pal_feel_truth_none(&trial->truth);
    plan->feel->trial_count++;
    pal_status status = pal_trial_make_text(plan->feel, how, &trial->text, plan->err);
    return status == PAL_OK ? measure_seconds(plan, trial) : status;
}

pal_status pal_plan_leave(pal_plan *plan, const char *name, const char *why, ...) {
    pal_feel *feel = plan->feel;
    if (!plan->naming && feel->left_out_count < PAL_FEEL_LEFT_OUT) {
        pal_feel_left_out *left = &feel->left_out[feel->left_out_count++];
        va_list args;
        va_start(args, why);
        snprintf(left->name, sizeof left->name, "%s", name);
        vsnprintf(left->why, sizeof left->why, why, args);
        va_end(args);
    }
    return PAL_OK;
}

// ---- where

static pal_status fail_key(const pal_plan *plan, const char *key, const pal_err *inner) {
    return pal_scene_fail(&plan->feel->scene, key, inner, plan->err);
}

static void set_wall(pal_plan *plan, const double x[3]) {
    const double height = plan->feel->scene.live.wall_height;
    plan->spot = (pal_spot){.x = {x[0], x[1], height}, .normal = {0.0, 0.0, 1.0}, .triangle = -1};
}

// At the place that the key names, which must be on the body.
static pal_status find_given(pal_plan *plan) {
    const double *at = plan->feel->scene.feel.at;
    const double near = fmax(plan->radius, 2e-3);
    if (plan->wall) {
        set_wall(plan, at);
        return PAL_OK;
    }
    const double off = pal_ground_nearest(&plan->ground, at, plan->radius, &plan->spot);
    if (fabs(off) <= near) {
        return PAL_OK;
    }
    pal_err inner;
    const double *x = plan->spot.x;
    pal_fail(&inner, PAL_ERR_INPUT,
             "this place is %.1f mm %s the body; the nearest of its surface is [%.4g m, %.4g m, "
             "%.4g m]",
             1e3 * fabs(off), off > 0.0 ? "away from" : "inside", x[0], x[1], x[2]);
    return fail_key(plan, "feel.at", &inner);
}

// Whether the way of this intent meets the surface; sets the spot.
static bool meets(pal_plan *plan, const double from[3], const double to[3]) {
    const double height = plan->feel->scene.live.wall_height;
    if (plan->wall) {
        set_wall(plan, to);
        return from[2] > height && to[2] < height;
    }
    double way[3], end[3]; // of the front of the tool
    pal_sub3(to, from, way);
    const double length = pal_norm3(way);
    for (int a = 0; a < 3; a++) {
        end[a] = to[a] + (length > 0.0 ? plan->radius * way[a] / length : 0.0);
    }
    return pal_ground_meet(&plan->ground, from, end, plan->radius, &plan->spot);
}

// Where the probe first presses, by what its tool touches when it is run (pal_plan_touch): where
// the way of the tool meets the surface, else the place that was touched.
static pal_status find_pressed(pal_plan *plan, double depth_of[1]) {
    const pal_scene_live *live = &plan->feel->scene.live;
    pal_touched touched;
    const pal_status status = pal_plan_touch(plan, &touched);
    if (status != PAL_OK) {
        return status;
    }
    if (!touched.any) {
        pal_err inner;
        char near[96] = "";
        if (touched.nearest <= 0.0) {
            snprintf(near, sizeof near,
                     " (its tool begins within the surface: begin it above, where it is free)");
        } else if (isfinite(touched.nearest)) {
            snprintf(near, sizeof near, " (it stays %.1f mm away from the surface)",
                     1e3 * touched.nearest);
        }
        pal_fail(&inner, PAL_ERR_INPUT,
                 "the probe presses on nothing, run as it is%s, so that there is no place for the "
                 "trials; give one: feel: {at: [x, y, z]}, on the surface",
                 near);
        return fail_key(plan, "probe", &inner);
    }
    const bool straight = touched.intent >= 0;
    const double *to = straight ? live->intent[touched.intent].to : touched.tool;
    if (!straight || !meets(plan, touched.from, to)) {
        if (plan->wall) {
            set_wall(plan, touched.tool);
        } else {
            pal_ground_nearest(&plan->ground, touched.point, plan->radius, &plan->spot);
        }
    }
    if (straight) {
        double under[3];
        pal_sub3(plan->spot.x, to, under);
        *depth_of = pal_dot3(under, plan->spot.normal) + plan->radius;
    }
    return PAL_OK;
}

// The way of slides: as the key or the first slide of the probe says, else the tangent along which
// the surface goes on longest.
static void find_along(pal_plan *plan) {
    const pal_scene *scene = &plan->feel->scene;
    const double *n = plan->spot.normal;
    double *along = plan->feel->along, way[3];
    const double *to = !isnan(scene->feel.slide[0]) ? scene->feel.slide : NULL;
    for (int32_t i = 0; to == NULL && i < scene->live.intent_count; i++) {
        const bool slides = scene->live.intent[i].kind == PAL_INTENT_SLIDE;
        to = slides ? scene->live.intent[i].to : NULL;
    }
    if (to != NULL) {
        pal_sub3(to, plan->spot.x, way);
        if (pal_ground_flatten(way, n, along)) {
            return;
        }
    }
    enum { WAYS = 8 };
    static const double pi = 3.14159265358979323846;
    const double axis[3] = {fabs(n[0]) > 0.9 ? 0.0 : 1.0, fabs(n[0]) > 0.9 ? 1.0 : 0.0, 0.0};
    double first[3], other[3];
    int most = 0;
    pal_ground_flatten(axis, n, first);
    pal_cross3(n, first, other);
    memcpy(along, first, sizeof first);
    for (int k = 0; k < WAYS && !plan->wall; k++) {
        pal_spot spots[PAL_PLAN_WAY];
        for (int a = 0; a < 3; a++) {
            way[a] = cos(2.0 * pi * k / WAYS) * first[a] + sin(2.0 * pi * k / WAYS) * other[a];
        }
        spots[0] = plan->spot;
        const int count =
            pal_ground_walk(&plan->ground, way, 2e-3, plan->radius, 0.5, PAL_PLAN_WAY, spots);
        if (count > most) {
            most = count;
            memcpy(along, way, sizeof way);
        }
    }
}

// ---- how deep

double pal_plan_deepest(const pal_plan *plan) {
    return share_of_space * plan->limits->workspace_radius;
}

// What a quick press at the spot takes.
static pal_status try_press(pal_plan *plan, double depth, pal_pilot *pilot) {
    pal_script_begin(&plan->script);
    pal_plan_press(plan, &plan->script, depth, 0.6, 0.2, 0.3);
    return pal_plan_try(plan, &plan->script, pilot);
}

pal_status pal_plan_fit_depth(pal_plan *plan, const pal_spot *spot, double wanted, double *depth,
                              double *force) {
    enum { PILOTS = 5 };
    static const double near = 1.4; // times: near enough
    const double deepest = pal_plan_deepest(plan);
    const pal_spot own = plan->spot;
    pal_status status = PAL_OK;
    plan->spot = *spot;
    for (int k = 0; status == PAL_OK && k < PILOTS; k++) {
        pal_pilot pilot = {0};
        status = try_press(plan, *depth, &pilot);
        *force = pilot.force;
        const double short_by = wanted / fmax(pilot.force, 1e-6);
        if (status != PAL_OK || plan->naming || (short_by < near && short_by > 1.0 / near) ||
            (short_by > 1.0 && *depth >= deepest)) {
            break;
        }
        *depth = fmin(*depth * fmin(fmax(short_by, 0.3), 4.0), deepest);
    }
    plan->spot = own;
    return status;
}

static pal_status check_depth(const pal_plan *plan, double depth) {
    const double most = pal_plan_deepest(plan);
    pal_err inner;
    if (depth <= most) {
        return PAL_OK;
    }
    pal_fail(&inner, PAL_ERR_INPUT,
             "%.1f mm is too deep for the device '%s', whose workspace has a radius of %.0f mm; "
             "give at most %.1f mm",
             1e3 * depth, plan->limits->name, 1e3 * plan->limits->workspace_radius, 1e3 * most);
    return fail_key(plan, "feel.depth", &inner);
}

// No deeper than the device can answer: a pilot press says what force it takes.
static pal_status limit_depth(pal_plan *plan) {
    enum { PILOTS = 6 };
    const double most = share_of_force * plan->limits->max_force;
    double *depth = &plan->feel->depth;
    pal_pilot pilot = {0};
    for (int k = 0; k < PILOTS; k++) {
        const pal_status status = try_press(plan, *depth, &pilot);
        plan->force = pilot.force;
        if (status != PAL_OK || !pilot.touched || (pilot.force <= most && !pilot.unsafe)) {
            return status;
        }
        *depth *= fmax(0.3, fmin(0.9, 0.95 * most / pilot.force));
    }
    return PAL_OK;
}

// Whether a body that nobody holds goes away from a slow press by more than a part of its depth.
static void find_flight(pal_plan *plan) {
    static const double part = 0.2;
    const pal_feel *feel = plan->feel;
    if (feel->scene.has_domains && feel->tree.tree.flies) {
        plan->flying_mass = pal_feel_flying_mass(feel, feel->at, feel->into);
        plan->flies =
            0.5 * plan->force * plan->slow * plan->slow > part * feel->depth * plan->flying_mass;
    }
}

static pal_status find_place(pal_plan *plan) {
    pal_feel *feel = plan->feel;
    const pal_scene_feel *given = &feel->scene.feel;
    double depth = 5e-3; // m, where nothing says another
    pal_status status = isnan(given->at[0]) ? find_pressed(plan, &depth) : find_given(plan);
    if (status != PAL_OK) {
        return status;
    }
    for (int a = 0; a < 3; a++) {
        feel->at[a] = plan->spot.x[a];
        feel->into[a] = -plan->spot.normal[a];
    }
    find_along(plan);
    if (!isnan(given->depth)) {
        pal_pilot pilot = {0};
        feel->depth = given->depth;
        status = check_depth(plan, given->depth);
        if (status == PAL_OK) {
            status = try_press(plan, given->depth, &pilot);
            plan->force = pilot.force;
        }
    } else {
        feel->depth = fmin(fmax(depth, 1e-3), pal_plan_deepest(plan));
        status = limit_depth(plan);
    }
    find_flight(plan);
    return status;
}

// ---- trials of the scene's own

static pal_status fail_kind(const pal_plan *plan, int32_t n, const char *kind) {
    char key[48], list[256] = "";
    pal_err inner;
    for (int k = 0; k < PAL_TRIAL_KINDS; k++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? ", " : "",
                 pal_trial_kind_name((pal_trial_kind)k));
    }
    pal_fail(&inner, PAL_ERR_INPUT, "there is no kind of trial '%s'; write one of: %s", kind, list);
    snprintf(key, sizeof key, "feel.trials.%d.kind", (int)n);
    return fail_key(plan, key, &inner);
}

static pal_status check_new_name(const pal_plan *plan, int32_t n, const char *name) {
    for (int i = 0; i < plan->feel->trial_count; i++) {
        if (strcmp(plan->feel->trial[i].name, name) == 0) {
            char key[48];
            pal_err inner;
            pal_fail(&inner, PAL_ERR_INPUT,
                     "'%s' is one of the standard trials; give this one another name", name);
            snprintf(key, sizeof key, "feel.trials.%d.name", (int)n);
            return fail_key(plan, key, &inner);
        }
    }
    return PAL_OK;
}

static pal_status add_own(pal_plan *plan, int32_t n) {
    const pal_scene_trial *own = &plan->feel->scene.feel.trial[n];
    const int kind = pal_trial_kind_find(own->kind);
    char key[48], *probe = NULL;
    pal_status status =
        kind < 0 ? fail_kind(plan, n, own->kind) : check_new_name(plan, n, own->name);
    if (status != PAL_OK || !pal_plan_wants(plan, own->name)) {
        return status;
    }
    snprintf(key, sizeof key, "feel.trials.%d.probe", (int)n);
    status = pal_scene_value(&plan->feel->scene, key, &probe, plan->err);
    if (status == PAL_OK) {
        status =
            pal_plan_add(plan, own->name, (pal_trial_kind)kind, &(pal_trial_text){.probe = probe},
                         "What the scene has under feel.trials as '%s'.", own->name);
    }
    free(probe);
    return status;
}

// ---- together

static pal_status open_look(pal_plan *plan) {
    pal_feel *feel = plan->feel;
    pal_session_options options = {.device = "null", .seed = -1};
    pal_feel_lend(feel, &options);
    feel->look = PAL_NEW(pal_session, 1, plan->err);
    if (feel->look == NULL) {
        return PAL_ERR_MEMORY;
    }
    const pal_status status = pal_session_open_text(feel->look, feel->scene.path, feel->scene.text,
                                                    &options, NULL, plan->err);
    return status == PAL_OK ? pal_ground_open(&plan->ground, feel, plan->err) : status;
}

static pal_status check_wish(pal_plan *plan) {
    const pal_feel_wish *wish = &plan->feel->wish;
    plan->limits =
        wish->profile != NULL ? pal_device_profile(wish->profile) : plan->feel->scene.live.profile;
    if (plan->limits == NULL) {
        return pal_fail(plan->err, PAL_ERR_USAGE,
                        "there is no device profile '%.60s'; give touch, touchx, premium, omega, "
                        "sigma, falcon or inverse3",
                        wish->profile);
    }
    return pal_plan_lag(plan, NULL);
}

// Says which trials there are.
static pal_status fail_only(pal_plan *plan, const char *name, size_t length) {
    const pal_scene *scene = &plan->feel->scene;
    plan->naming = true;
    const pal_status status = pal_plan_standard(plan);
    for (int32_t n = 0; status == PAL_OK && n < scene->feel.trial_count; n++) {
        add_name(plan, scene->feel.trial[n].name);
    }
    return status != PAL_OK
               ? status
               : pal_fail(plan->err, PAL_ERR_USAGE,
                          "the scene '%.100s' has no trial '%.*s'; its trials are %s", scene->name,
                          (int)(length < 40 ? length : 40), name, plan->names);
}

static bool is_word(const char *name, const char *word, size_t length) {
    return strlen(name) == length && strncmp(name, word, length) == 0;
}

// Every name in the wish is that of a trial, or of one that this scene does not have.
static pal_status check_only(pal_plan *plan) {
    const pal_feel *feel = plan->feel;
    for (const char *item = feel->wish.only; item != NULL && *item != '\0';) {
        item += strspn(item, ", ");
        const size_t length = strcspn(item, ", ");
        bool found = length == 0;
        for (int i = 0; i < feel->trial_count; i++) {
            found = found || is_word(feel->trial[i].name, item, length);
        }
        for (int i = 0; i < feel->left_out_count; i++) {
            found = found || is_word(feel->left_out[i].name, item, length);
        }
        if (!found) {
            return fail_only(plan, item, length);
        }
        item += length;
    }
    return feel->trial_count > 0 ? PAL_OK
           : feel->left_out_count > 0
               ? pal_fail(plan->err, PAL_ERR_INPUT, "the trial '%s' cannot be made here: %s",
                          feel->left_out[0].name, feel->left_out[0].why)
               : pal_fail(plan->err, PAL_ERR_USAGE, "no trial is wanted; name one at least");
}

// Some periods of its slowest mode.
static double slow_seconds(const pal_feel *feel) {
    static const double periods = 6.0, least = 1.5, most = 3.5; // s
    const pal_model *model = &feel->model;
    const double slowest = model->mode_count > 0 ? model->frequencies_hz[0] : 0.0;
    if (feel->scene.has_domains && !(slowest > 0.0)) {
        return most; // too large a tree to know
    }
    return slowest > 0.0 ? fmin(fmax(periods / slowest, least), most) : least;
}

static pal_status make_plan(pal_plan *plan) {
    pal_feel *feel = plan->feel;
    plan->wall = feel->scene.live.has_wall;
    plan->radius = plan->wall ? 0.0 : fmax(feel->scene.live.tool_radius, 1e-3);
    plan->slow = slow_seconds(feel);
    pal_status status = check_wish(plan);
    if (status == PAL_OK && !plan->wall) {
        status = open_look(plan);
    }
    if (status == PAL_OK) {
        status = find_place(plan);
    }
    if (status == PAL_OK) {
        status = pal_plan_standard(plan);
    }
    for (int32_t n = 0; status == PAL_OK && n < feel->scene.feel.trial_count; n++) {
        status = add_own(plan, n);
    }
    return status == PAL_OK ? check_only(plan) : status;
}

pal_status pal_feel_plan(pal_feel *feel, pal_err *err) {
    pal_plan *plan = PAL_NEW(pal_plan, 1, err);
    if (plan == NULL) {
        return PAL_ERR_MEMORY;
    }
    plan->feel = feel;
    plan->err = err;
    const pal_status status = make_plan(plan);
    pal_ground_close(&plan->ground);
    free(plan);
    return status;
}
