// The standard trials: what the hand does in each.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_plan.h"
#include "sim/base/vec3.h"

static const double step = 2e-3;          // m, between the spots of a way over the surface
static const double slide_speed = 20e-3;  // m/s
static const double slide_length = 30e-3; // m, at most

static void shift(double x[3], const double from[3], double distance, const double direction[3]) {
    for (int a = 0; a < 3; a++) {
        x[a] = from[a] + distance * direction[a];
    }
}

static pal_status add_script(pal_plan *plan, const char *name, pal_trial_kind kind,
                             const char *about) {
    return pal_plan_add(plan, name, kind, &(pal_trial_text){.probe = plan->script.text}, "%s",
                        about);
}

// ---- without contact

// How far the nearest of the body is from the tool's origin.
static double clearance(const pal_plan *plan, const double x[3]) {
    pal_spot spot;
    return plan->wall ? x[2] - plan->spot.x[2]
                      : pal_ground_nearest(&plan->ground, x, plan->radius, &spot);
}

// Fast strokes along the surface and away from it, with sharp turns, a hand's breadth of air above.
static pal_status add_free(pal_plan *plan) {
    enum { PLACES = 4 };
    static const double reach = 15e-3, air = 5e-3, lift = 4e-3;
    const double *along = plan->feel->along, *n = plan->spot.normal;
    double base[3], place[PLACES][3], clear = 0.0;
    for (double height = 8e-3; height < 60e-3 && clear < plan->radius + air; height += lift) {
        clear = INFINITY;
        pal_plan_under(plan, &plan->spot, -height, base);
        shift(place[0], base, reach, along);
        shift(place[1], base, -reach, along);
        shift(place[2], base, reach, n);
        memcpy(place[3], base, sizeof base);
        for (int k = 0; k < PLACES; k++) {
            clear = fmin(clear, clearance(plan, place[k]));
        }
    }
    pal_script_begin(&plan->script);
    pal_script_go(&plan->script, "move", base, 0.2);
    for (int k = 0; k < 3; k++) {
        pal_script_fast(&plan->script, "move", place[0], 0.3, 0.0);
        pal_script_fast(&plan->script, "move", place[1], 0.3, 0.0);
    }
    pal_script_fast(&plan->script, "move", base, 0.2, 0.0);
    for (int k = 0; k < 2; k++) {
        pal_script_fast(&plan->script, "move", place[2], 0.2, 0.0);
        pal_script_fast(&plan->script, "move", base, 0.2, 0.0);
    }
    pal_script_wait(&plan->script, "hold", 0.5);
    return add_script(plan, "free", PAL_TRIAL_FREE,
                      "Fast strokes and turns close above the surface, without touching it.");
}

// ---- at one place

static pal_status add_press(pal_plan *plan) {
    pal_script_begin(&plan->script);
    pal_plan_press(plan, &plan->script, plan->feel->depth, plan->slow, 0.3, plan->slow);
    return add_script(plan, "press", PAL_TRIAL_PRESS, "A slow press and release.");
}

static pal_status add_hold(pal_plan *plan) {
    pal_script_begin(&plan->script);
    pal_plan_press(plan, &plan->script, plan->feel->depth, plan->slow, 2.0, 0.7);
    return add_script(plan, "hold", PAL_TRIAL_HOLD, "A press that is held still for two seconds.");
}

// A tap from 10 mm above, as fast at the surface as it gets; then a slow press as deep, for what
// the same depth weighs at rest.
static pal_status add_tap(pal_plan *plan, const char *name, double speed) {
    static const double height = 10e-3, deepest = 4e-3;
    const double depth = fmin(deepest, 0.6 * plan->feel->depth);
    double start[3], end[3];
    pal_plan_under(plan, &plan->spot, -height, start);
    pal_plan_under(plan, &plan->spot, depth, end);
    pal_script_begin(&plan->script);
    pal_script_go(&plan->script, "move", start, 0.2);
    pal_script_fast(&plan->script, "tap", end, speed, 1.2);
    pal_script_go(&plan->script, "press", end, 0.8);
    pal_script_wait(&plan->script, "hold", 0.5);
    pal_script_wait(&plan->script, "release", 0.5);
    pal_script_wait(&plan->script, "hold", 0.3);
    return pal_plan_add(plan, name, PAL_TRIAL_TAP, &(pal_trial_text){.probe = plan->script.text},
                        "A tap at %.0f mm/s, then a slow press as deep.", 1e3 * speed);
}

static pal_status add_grip(pal_plan *plan, const char *grip) {
    char name[PAL_TRIAL_NAME];
    snprintf(name, sizeof name, "grip-%s", grip);
    if (!pal_plan_wants(plan, name)) {
        return PAL_OK;
    }
    pal_status status = pal_plan_lag(plan, grip);
    pal_script_begin(&plan->script);
    pal_plan_press(plan, &plan->script, plan->feel->depth, plan->slow, 2.0, 0.7);
    if (status == PAL_OK) {
        status = pal_plan_add(plan, name, PAL_TRIAL_GRIP,
                              &(pal_trial_text){.probe = plan->script.text, .grip = grip},
                              "A press that is held for two seconds in a %s grip.", grip);
    }
    return status == PAL_OK ? pal_plan_lag(plan, NULL) : status;
}

// In the middle of the press, when the body moves fastest.
static pal_status add_stall(pal_plan *plan, const char *name, double seconds) {
    char faults[96];
    snprintf(faults, sizeof faults, "[{kind: stall, at: %.4g s, seconds: %.4g s}]",
             0.2 + 0.5 * plan->slow, seconds);
    pal_script_begin(&plan->script);
    pal_plan_press(plan, &plan->script, plan->feel->depth, plan->slow, 0.5, 0.8);
    return pal_plan_add(plan, name, PAL_TRIAL_STALL,
                        &(pal_trial_text){.probe = plan->script.text, .faults = faults},
                        "A press in which the body stands still for %.0f ms.", 1e3 * seconds);
}

// As deep as the device's force and workspace allow.
static pal_status add_bend(pal_plan *plan) {
    enum { PILOTS = 7 };
    const double most = 0.85 * plan->limits->max_force, enough = 0.7 * plan->limits->max_force;
    const double deepest = 0.5 * plan->limits->workspace_radius;
    double low = plan->feel->depth, high = 0.0, depth = low;
    for (int k = 0; k < PILOTS; k++) {
        pal_pilot pilot;
        depth = high > 0.0 ? 0.5 * (low + high) : fmin(1.6 * low, deepest);
        pal_script_begin(&plan->script);
        pal_plan_press(plan, &plan->script, depth, 1.0, 0.2, 0.5);
        const pal_status status = pal_plan_try(plan, &plan->script, &pilot);
        if (status != PAL_OK) {
            return status;
        }
        const bool over = pilot.force > most || pilot.unsafe;
        low = over ? low : depth;
        high = over ? depth : high;
        if (!over && (pilot.force >= enough || depth >= deepest)) {
            break;
        }
    }
    pal_script_begin(&plan->script);
    pal_plan_press(plan, &plan->script, low, plan->slow, 0.5, plan->slow);
    return pal_plan_add(plan, "bend", PAL_TRIAL_BEND, &(pal_trial_text){.probe = plan->script.text},
                        "A press of %.0f mm, by which the whole body gives way.", 1e3 * low);
}

// ---- along the surface

// The way from the spot on; on a wall it is straight.
static int walk(const pal_plan *plan, const pal_spot *from, const double along[3], double length,
                double turn, pal_spot way[PAL_PLAN_WAY]) {
    const int most = 1 + (int)(length / step);
    way[0] = *from;
    if (!plan->wall) {
        return pal_ground_walk(&plan->ground, along, step, plan->radius, turn,
                               most < PAL_PLAN_WAY ? most : PAL_PLAN_WAY, way);
    }
    for (int k = 1; k < most; k++) {
        way[k] = *from;
        shift(way[k].x, from->x, k * step, along);
    }
    return most;
}

// Down at the first spot, over all of them at this depth, and up at the last.
static void script_way(pal_plan *plan, const pal_spot *way, int count, double depth, double speed) {
    double x[3];
    pal_script_begin(&plan->script);
    pal_plan_under(plan, &way[0], -1e-3, x);
    pal_script_go(&plan->script, "move", x, 0.2);
    pal_plan_under(plan, &way[0], depth, x);
    pal_script_go(&plan->script, "press", x, plan->slow);
    pal_script_wait(&plan->script, "hold", 0.3);
    if (count > 1) {
        pal_script_path(&plan->script);
        for (int k = 0; k < count; k++) {
            pal_plan_under(plan, &way[k], depth, x);
            pal_script_through(&plan->script, x);
        }
        pal_script_end_path(&plan->script, speed);
    }
    pal_script_wait(&plan->script, "hold", 0.2);
    pal_plan_under(plan, &way[count - 1], -5e-3 - plan->lag, x);
    pal_script_go(&plan->script, "move", x, 0.6);
    pal_script_wait(&plan->script, "hold", 0.3);
}

// From the spot along the slides' way, or the other way where that is longer.
static int find_slide(const pal_plan *plan, double length, pal_spot way[PAL_PLAN_WAY]) {
    const double turn = 0.5;
    const double *along = plan->feel->along, back[3] = {-along[0], -along[1], -along[2]};
    pal_spot other[PAL_PLAN_WAY];
    const int count = walk(plan, &plan->spot, along, length, turn, way);
    const int less = walk(plan, &plan->spot, back, length, turn, other);
    if (less > count && (count - 1) * step < 0.5 * length) {
        memcpy(way, other, sizeof other);
        return less;
    }
    return count;
}

static pal_status add_slide(pal_plan *plan) {
    pal_spot way[PAL_PLAN_WAY];
    const int count = find_slide(plan, slide_length, way);
    script_way(plan, way, count, 0.5 * plan->feel->depth, slide_speed);
    return pal_plan_add(
        plan, "slide", PAL_TRIAL_SLIDE, &(pal_trial_text){.probe = plan->script.text},
        "A slide of %.0f mm over the surface at constant depth.", 1e3 * step * (count - 1));
}

// Both ways from a place: the first part is walked from its far end.
static int walk_through(const pal_plan *plan, const pal_spot *middle, const double along[3],
                        double half, double turn, pal_spot way[2 * PAL_PLAN_WAY]) {
    const double back[3] = {-along[0], -along[1], -along[2]};
    pal_spot before[PAL_PLAN_WAY];
    const int first = walk(plan, middle, back, half, turn, before);
    for (int k = 0; k < first; k++) {
        way[k] = before[first - 1 - k];
    }
    return first - 1 + walk(plan, middle, along, half, turn, way + first - 1);
}

// The nearest border of two regions on the surface, and the way across it.
static bool find_border(const pal_plan *plan, pal_spot *spot, double across[3]) {
    const pal_ground *g = &plan->ground;
    double nearest = INFINITY;
    int32_t found = -1, beside = -1;
    for (int32_t t = 0; t < g->body->triangle_count; t++) {
        double away[3];
        pal_sub3(g->middle[t], plan->spot.x, away);
        const double far = pal_norm3(away);
        for (int k = 0; far < nearest && k < 3; k++) {
            const int32_t p = g->tree->joined[g->body->triangle[3 * (int64_t)t + k]];
            for (int32_t i = g->tree->fan_first[p]; i < g->tree->fan_first[p + 1]; i++) {
                const int32_t other = g->tree->fan[i];
                if (g->region[other] != g->region[t] && far < nearest &&
                    pal_dot3(g->normal[t], plan->spot.normal) > 0.0) {
                    nearest = far;
                    found = t;
                    beside = other;
                }
            }
        }
    }
    if (found < 0) {
        return false;
    }
    double way[3], middle[3];
    for (int a = 0; a < 3; a++) {
        middle[a] = 0.5 * (g->middle[found][a] + g->middle[beside][a]);
    }
    pal_sub3(g->middle[beside], g->middle[found], way);
    pal_ground_nearest(g, middle, plan->radius, spot);
    return pal_ground_flatten(way, spot->normal, across);
}

static pal_status add_border(pal_plan *plan) {
    pal_spot spot, way[2 * PAL_PLAN_WAY];
    double across[3];
    if (plan->wall || plan->feel->model.region_count < 2 || !find_border(plan, &spot, across)) {
        return PAL_OK;
    }
    const int count = walk_through(plan, &spot, across, 0.5 * slide_length, 0.5, way);
    script_way(plan, way, count, 0.5 * plan->feel->depth, slide_speed);
    return add_script(plan, "border", PAL_TRIAL_SLIDE,
                      "A slide at constant depth across the border of two materials.");
}

// ---- edges

// Whether a tool gets there from outside, and nobody holds the body there.
static bool is_reachable(const pal_plan *plan, const pal_spot *spot) {
    const pal_model *model = &plan->feel->model;
    double x[3];
    pal_plan_under(plan, spot, -8e-3, x);
    if (clearance(plan, x) < plan->radius + 4e-3) {
        return false;
    }
    for (int32_t v = 0; v < model->mesh.vertex_count; v++) {
        double away[3];
        pal_sub3(model->mesh.x + 3 * (int64_t)v, spot->x, away);
        if (model->held[v] && pal_norm3(away) < 2.0 * plan->radius) {
            return false;
        }
    }
    return true;
}

// The sharpest place about the press that still looks up to the hand, or the one given; what is
// nearer counts for more.
static bool find_edge(const pal_plan *plan, pal_spot *found, double over[3]) {
    static const double far = 0.12, least = 0.04, up = 0.35; // m; sharpness; cosine
    const pal_ground *g = &plan->ground;
    const double *given = plan->feel->scene.feel.edge;
    const double wide = 1.5 * plan->radius;
    if (!isnan(given[0])) {
        pal_ground_nearest(g, given, plan->radius, found);
        pal_ground_sharpness(g, found, wide, over);
        return pal_norm3(over) > 0.0;
    }
    double sharpest = least;
    const int32_t stride = 1 + g->body->triangle_count / 6000; // some hundreds of places do
    for (int32_t t = 0; t < g->body->triangle_count; t += stride) {
        double away[3], down[3];
        pal_spot spot;
        pal_sub3(g->middle[t], plan->spot.x, away);
        const double distance = pal_norm3(away);
        if (distance > far || pal_dot3(g->normal[t], plan->spot.normal) <= 0.0) {
            continue;
        }
        pal_ground_nearest(g, g->middle[t], plan->radius, &spot);
        const double sharp =
            (1.0 - 0.5 * distance / far) * pal_ground_sharpness(g, &spot, wide, down);
        if (sharp > sharpest && pal_dot3(spot.normal, plan->spot.normal) > up &&
            is_reachable(plan, &spot)) {
            sharpest = sharp;
            *found = spot;
            memcpy(over, down, sizeof down);
        }
    }
    return sharpest > least;
}

static pal_status add_edge(pal_plan *plan) {
    pal_spot spot, way[2 * PAL_PLAN_WAY];
    double over[3];
    if (plan->wall || !find_edge(plan, &spot, over)) {
        return PAL_OK;
    }
    const int count = walk_through(plan, &spot, over, 12e-3, 1.2, way);
    const double depth = fmin(2e-3, 0.4 * plan->feel->depth);
    script_way(plan, way, count, depth, slide_speed);
    return add_script(plan, "edge", PAL_TRIAL_EDGE,
                      "A slide over the sharpest edge within reach of the press.");
}

// ---- friction

// The friction where the trials press, by the scene's own surfaces.
static bool has_friction(const pal_plan *plan) {
    const pal_live_body *body = &plan->feel->look->body;
    const pal_surface_law *law = &body->law[body->law_of_triangle[plan->spot.triangle]];
    return law->dynamic_friction > 0.0 && law->static_friction > 0.0;
}

static pal_status add_friction(pal_plan *plan) {
    pal_spot way[PAL_PLAN_WAY];
    if (plan->wall || plan->feel->scene.live.form == PAL_CONTACT_PENALTY) {
        return PAL_OK;
    }
    const int count = find_slide(plan, slide_length, way);
    const bool own = has_friction(plan);
    script_way(plan, way, count, 0.7 * plan->feel->depth, 2.0 * slide_speed);
    return pal_plan_add(
        plan, "friction", PAL_TRIAL_FRICTION,
        &(pal_trial_text){.probe = plan->script.text,
                          .surfaces = own ? NULL : "[{friction: 0.3, static_friction: 0.5}]"},
        own ? "A press and a slow pull aside until it slides, with the friction of the scene."
            : "A press and a slow pull aside until it slides, with friction put in: 0.3, 0.5 until "
              "it slides.");
}

// ---- two hands

// A second tool presses beside the first while that holds.
static pal_status add_two(pal_plan *plan) {
    pal_spot way[PAL_PLAN_WAY], beside[PAL_PLAN_WAY];
    double side[3], start[3], end[3];
    const double apart = fmax(4.0 * plan->radius, 20e-3);
    if (plan->wall) {
        return PAL_OK;
    }
    // Across the slides, or along them, where there is more room
    pal_cross3(plan->spot.normal, plan->feel->along, side);
    int count = walk(plan, &plan->spot, side, apart, 0.5, way);
    for (int k = 0; k < 3; k++) {
        const double sign = k == 0 ? -1.0 : k == 1 ? 1.0 : -1.0;
        double other[3];
        shift(other, (double[3]){0.0, 0.0, 0.0}, sign, k == 0 ? side : plan->feel->along);
        const int more = walk(plan, &plan->spot, other, apart, 0.5, beside);
        if (more > count) {
            count = more;
            memcpy(way, beside, sizeof beside);
        }
    }
    if ((count - 1) * step < 2.5 * plan->radius) {
        return PAL_OK;
    }
    pal_script_begin(&plan->script);
    pal_plan_press(plan, &plan->script, plan->feel->depth, plan->slow, plan->slow + 0.7, 0.6);
    pal_plan_under(plan, &way[count - 1], -2e-3, start);
    pal_plan_under(plan, &way[count - 1], plan->feel->depth, end);
    pal_script_begin(&plan->second);
    pal_script_go(&plan->second, "move", start, 0.2);
    pal_script_wait(&plan->second, "hold", plan->slow);
    pal_script_go(&plan->second, "press", end, 0.6 * plan->slow);
    pal_script_wait(&plan->second, "hold", 0.2);
    pal_script_wait(&plan->second, "release", 0.5);
    return pal_plan_add(plan, "two-tools", PAL_TRIAL_TWO_TOOLS,
                        &(pal_trial_text){.probe = plan->script.text, .second = plan->second.text},
                        "A press that is held while a second tool presses %.0f mm beside it.",
                        1e3 * step * (count - 1));
}

// ---- all

static pal_status add_tap_slow(pal_plan *plan) {
    return add_tap(plan, "tap-slow", 0.05);
}

static pal_status add_tap_medium(pal_plan *plan) {
    return add_tap(plan, "tap-medium", 0.1);
}

static pal_status add_tap_fast(pal_plan *plan) {
    return add_tap(plan, "tap-fast", 0.2);
}

// (a body that is touched by springs in its own step goes on or the springs do not)
static bool can_stall(const pal_plan *plan) {
    return !plan->wall && plan->feel->scene.live.form != PAL_CONTACT_PENALTY;
}

static pal_status add_stall_short(pal_plan *plan) {
    return !can_stall(plan) ? PAL_OK : add_stall(plan, "stall-10ms", 10e-3);
}

static pal_status add_stall_long(pal_plan *plan) {
    return !can_stall(plan) ? PAL_OK : add_stall(plan, "stall-100ms", 100e-3);
}

static pal_status add_bend_of_body(pal_plan *plan) {
    return plan->wall ? PAL_OK : add_bend(plan);
}

pal_status pal_plan_standard(pal_plan *plan) {
    static const struct {
        const char *name;
        pal_status (*add)(pal_plan *plan);
    } first[] = {{"free", add_free},
                 {"press", add_press},
                 {"hold", add_hold},
                 {"tap-slow", add_tap_slow},
                 {"tap-medium", add_tap_medium},
                 {"tap-fast", add_tap_fast},
                 {"slide", add_slide},
                 {"border", add_border},
                 {"edge", add_edge},
                 {"friction", add_friction},
                 {"two-tools", add_two},
                 {"stall-10ms", add_stall_short},
                 {"stall-100ms", add_stall_long},
                 {"bend", add_bend_of_body}};
    static const char *const grips[] = {"loose", "medium", "firm"};
    pal_status status = PAL_OK;
    for (size_t i = 0; status == PAL_OK && i < sizeof first / sizeof *first; i++) {
        status = pal_plan_wants(plan, first[i].name) ? first[i].add(plan) : PAL_OK;
    }
    for (size_t i = 0; status == PAL_OK && i < sizeof grips / sizeof *grips; i++) {
        status = add_grip(plan, grips[i]);
    }
    return status;
}
