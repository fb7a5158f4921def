// The standard trials: what the hand does in each.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_plan.h"
#include "app/feel/feel_try.h"
#include "sim/base/vec3.h"

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

double pal_plan_clearance(const pal_plan *plan, const double x[3]) {
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
            clear = fmin(clear, pal_plan_clearance(plan, place[k]));
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

// How deep below the press somebody holds the body, m: there it cannot give way. INFINITY: nobody.
static double held_below(const pal_plan *plan) {
    const pal_feel *feel = plan->feel;
    const double beside = fmax(2.0 * plan->radius, 10e-3);
    double nearest = INFINITY;
    for (int32_t v = 0; v < feel->held_count; v++) {
        double away[3];
        pal_sub3(feel->held[v], plan->spot.x, away);
        const double below = -pal_dot3(away, plan->spot.normal), far = pal_norm3(away);
        if (below > 0.0 && far * far - below * below < beside * beside) {
            nearest = fmin(nearest, below);
        }
    }
    return nearest;
}

// As deep as the device's force and workspace allow, and half of what lies on something; of a
// tree no deeper than the tool stays on it: a slender part may turn away from under it, and then
// the force is gone.
static pal_status add_bend(pal_plan *plan) {
    enum { PILOTS = 7 };
    static const double kept = 0.7; // of the largest force, while it is held
    static const double sure = 0.6; // of the depth at which a quick press just stays on
    const double most = 0.85 * plan->limits->max_force, enough = 0.7 * plan->limits->max_force;
    const double deepest =
        fmax(plan->feel->depth, fmin(0.5 * plan->limits->workspace_radius, 0.5 * held_below(plan)));
    double low = plan->feel->depth, high = 0.0, depth = low;
    bool slips = false;
    for (int k = 0; k < PILOTS; k++) {
        pal_pilot pilot = {.at = 1.3}; // in the middle of the hold
        depth = high > 0.0 ? 0.5 * (low + high) : fmin(1.6 * low, deepest);
        pal_script_begin(&plan->script);
        pal_plan_press(plan, &plan->script, depth, 1.0, 0.2, 0.5);
        const pal_status status = pal_plan_try(plan, &plan->script, &pilot);
        if (status != PAL_OK) {
            return status;
        }
        const bool slipped = plan->feel->domain != NULL && pilot.then < kept * pilot.force;
        const bool over = pilot.force > most || pilot.unsafe || slipped;
        slips = slips || slipped;
        low = over ? low : depth;
        high = over ? depth : high;
        if (!over && (pilot.force >= enough || depth >= deepest)) {
            break;
        }
    }
    low *= slips ? sure : 1.0;
    pal_script_begin(&plan->script);
    pal_plan_press(plan, &plan->script, low, plan->slow, 0.5, plan->slow);
    return pal_plan_add(plan, "bend", PAL_TRIAL_BEND, &(pal_trial_text){.probe = plan->script.text},
                        "A press of %.0f mm, by which the whole body gives way.", 1e3 * low);
}

// ---- two hands

// How many spots of a way look to the same hand as the press does: it may lead round a slender
// part.
static int keep_facing(const pal_plan *plan, const pal_spot *way, int count) {
    static const double facing = 0.5; // cosine
    int kept = 0;
    while (kept < count && pal_dot3(way[kept].normal, plan->spot.normal) > facing) {
        kept++;
    }
    return kept;
}

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
    int count = keep_facing(plan, way, pal_plan_walk(plan, &plan->spot, side, apart, 0.5, way));
    for (int k = 0; k < 3; k++) {
        const double sign = k == 0 ? -1.0 : k == 1 ? 1.0 : -1.0;
        double other[3];
        shift(other, (double[3]){0.0, 0.0, 0.0}, sign, k == 0 ? side : plan->feel->along);
        const int more =
            keep_facing(plan, beside, pal_plan_walk(plan, &plan->spot, other, apart, 0.5, beside));
        if (more > count) {
            count = more;
            memcpy(way, beside, sizeof beside);
        }
    }
    if ((count - 1) * PAL_PLAN_STEP < 2.5 * plan->radius) {
        return pal_plan_leave(plan, "two-tools", "no room for a second tool beside the press");
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
                        1e3 * PAL_PLAN_STEP * (count - 1));
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

// A trial that cannot be planned is left out, with its reason; what stops all of them, stops.
static pal_status try_to_add(pal_plan *plan, const char *name, pal_status (*add)(pal_plan *plan)) {
    pal_err *const err = plan->err;
    const int count = plan->feel->trial_count;
    pal_err inner = {0};
    plan->err = &inner;
    pal_status status = add(plan);
    plan->err = err;
    if (status == PAL_OK) {
        return PAL_OK;
    }
    if (pal_feel_stops_all(status)) {
        return pal_fail(err, status, "%s", inner.text);
    }
    while (plan->feel->trial_count > count) {
        pal_feel_trial_free(&plan->feel->trial[--plan->feel->trial_count]);
    }
    return pal_plan_leave(plan, name, "%s", inner.text);
}

// Nothing holds the body: what is pressed on goes away.
static pal_status add_flying(pal_plan *plan) {
    static const struct {
        const char *name;
        pal_status (*add)(pal_plan *plan);
    } all[] = {{"free", add_free},
               {"tap-slow", add_tap_slow},
               {"tap-medium", add_tap_medium},
               {"tap-fast", add_tap_fast}};
    pal_status status = PAL_OK;
    for (size_t i = 0; status == PAL_OK && i < sizeof all / sizeof *all; i++) {
        if (pal_plan_wants(plan, all[i].name)) {
            status = try_to_add(plan, all[i].name, all[i].add);
        }
    }
    return status == PAL_OK
               ? pal_plan_leave(plan, "all that press",
                                "the body flies and weighs %.2g kg to the hand there: a press, a "
                                "hold, a slide, a grip, a second tool or a stall only push it away",
                                plan->flying_mass)
               : status;
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
                 {"slide", pal_plan_add_slide},
                 {"border", pal_plan_add_border},
                 {"domains", pal_plan_add_domains},
                 {"edge", pal_plan_add_edge},
                 {"corner", pal_plan_add_corner},
                 {"friction", pal_plan_add_friction}, // of several names
                 {"two-tools", add_two},
                 {"stall-10ms", add_stall_short},
                 {"stall-100ms", add_stall_long},
                 {"bend", add_bend_of_body}};
    static const char *const grips[] = {"loose", "medium", "firm"};
    pal_status status = PAL_OK;
    if (plan->flies) {
        return add_flying(plan);
    }
    for (size_t i = 0; status == PAL_OK && i < sizeof first / sizeof *first; i++) {
        const bool several = first[i].add == pal_plan_add_friction;
        if (several || pal_plan_wants(plan, first[i].name)) {
            status = try_to_add(plan, first[i].name, first[i].add);
        }
    }
    for (size_t i = 0; status == PAL_OK && i < sizeof grips / sizeof *grips; i++) {
        status = add_grip(plan, grips[i]);
    }
    return status;
}
