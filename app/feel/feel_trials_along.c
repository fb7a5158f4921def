// The standard trials that go along the surface: slides, borders, edges, corners, friction.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/feel/feel_plan.h"
#include "sim/base/vec3.h"

static const double slide_speed = 20e-3;  // m/s
static const double slide_length = 30e-3; // m, at most
static const double slide_force = 80e-3;  // N, about, that a slide presses with at least
static const double felt_force = 20e-3;   // N: less has no direction that is felt (measure_view.c)

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

// ---- ways

int pal_plan_walk(const pal_plan *plan, const pal_spot *from, const double along[3], double length,
                  double turn, pal_spot way[PAL_PLAN_WAY]) {
    const int most = 1 + (int)(length / PAL_PLAN_STEP);
    way[0] = *from;
    if (!plan->wall) {
        return pal_ground_walk(&plan->ground, along, PAL_PLAN_STEP, plan->radius, turn,
                               most < PAL_PLAN_WAY ? most : PAL_PLAN_WAY, way);
    }
    for (int k = 1; k < most; k++) {
        way[k] = *from;
        shift(way[k].x, from->x, k * PAL_PLAN_STEP, along);
    }
    return most;
}

static const double start_height = 1e-3; // m, of a tool over where it will touch

// Down at the first spot, over all of them at this depth, and up at the last.
static void script_way(pal_plan *plan, const pal_spot *way, int count, double depth, double speed) {
    double x[3];
    pal_script_begin(&plan->script);
    pal_plan_under(plan, &way[0], -start_height, x);
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
    const int count = pal_plan_walk(plan, &plan->spot, along, length, turn, way);
    const int less = pal_plan_walk(plan, &plan->spot, back, length, turn, other);
    if (less > count && (count - 1) * PAL_PLAN_STEP < 0.5 * length) {
        memcpy(way, other, sizeof other);
        return less;
    }
    return count;
}

// Half as deep as a press, or deeper where that is hardly felt.
static double slide_depth(const pal_plan *plan) {
    const double part = plan->force > 0.0 ? slide_force / plan->force : 0.5;
    return fmin(fmax(part, 0.5), 1.0) * plan->feel->depth;
}

pal_status pal_plan_add_slide(pal_plan *plan) {
    pal_spot way[PAL_PLAN_WAY];
    const int count = find_slide(plan, slide_length, way);
    script_way(plan, way, count, slide_depth(plan), slide_speed);
    return pal_plan_add(plan, "slide", PAL_TRIAL_SLIDE,
                        &(pal_trial_text){.probe = plan->script.text},
                        "A slide of %.0f mm over the surface at constant depth.",
                        1e3 * PAL_PLAN_STEP * (count - 1));
}

// Both ways from a place: the first part is walked from its far end.
static int walk_through(const pal_plan *plan, const pal_spot *middle, const double along[3],
                        double half, double turn, pal_spot way[2 * PAL_PLAN_WAY]) {
    const double back[3] = {-along[0], -along[1], -along[2]};
    pal_spot before[PAL_PLAN_WAY];
    const int first = pal_plan_walk(plan, middle, back, half, turn, before);
    for (int k = 0; k < first; k++) {
        way[k] = before[first - 1 - k];
    }
    return first - 1 + pal_plan_walk(plan, middle, along, half, turn, way + first - 1);
}

// Whether a tool gets there from outside, and nobody holds the body there.
static bool is_reachable(const pal_plan *plan, const pal_spot *spot) {
    const pal_feel *feel = plan->feel;
    double x[3];
    pal_plan_under(plan, spot, -8e-3, x);
    if (pal_plan_clearance(plan, x) < plan->radius + 4e-3) {
        return false;
    }
    for (int32_t v = 0; v < feel->held_count; v++) {
        double away[3];
        pal_sub3(feel->held[v], spot->x, away);
        if (pal_norm3(away) < 2.0 * plan->radius) {
            return false;
        }
    }
    return true;
}

// Whether a tool that starts over this spot is outside the body: in the corner of two branches it
// may be in the other one, and would touch nothing until it is out.
static bool starts_outside(const pal_plan *plan, const pal_spot *spot) {
    double x[3];
    pal_plan_under(plan, spot, -start_height, x);
    return pal_plan_clearance(plan, x) > plan->radius;
}

// ---- borders

// The triangle of the parent's domain that is nearest to one at the rim of its own; -1: it is not.
static int32_t across_domains(const pal_plan *plan, int32_t t) {
    const pal_feel *feel = plan->feel;
    double nearest = INFINITY;
    int32_t found = -1;
    if (!feel->rim[t]) {
        return -1;
    }
    const int32_t parent = feel->tree.domain[feel->domain[t]].parent;
    for (int32_t k = feel->first[parent]; k < feel->first[parent + 1]; k++) {
        double away[3];
        pal_sub3(plan->ground.middle[k], plan->ground.middle[t], away);
        if (pal_dot3(away, away) < nearest) {
            nearest = pal_dot3(away, away);
            found = k;
        }
    }
    return found;
}

// A triangle beside t that is of another material; -1: none.
static int32_t across_materials(const pal_plan *plan, int32_t t) {
    const pal_ground *g = &plan->ground;
    for (int k = 0; k < 3; k++) {
        const int32_t p = g->tree->joined[g->body->triangle[3 * (int64_t)t + k]];
        for (int32_t i = g->tree->fan_first[p]; i < g->tree->fan_first[p + 1]; i++) {
            if (g->region[g->tree->fan[i]] != g->region[t]) {
                return g->tree->fan[i];
            }
        }
    }
    // (domains that are of other materials need not share their points)
    const int32_t other = plan->feel->domain != NULL ? across_domains(plan, t) : -1;
    return other >= 0 && g->region[other] != g->region[t] ? other : -1;
}

// The way across the border between two triangles. Returns how many spots it has; 0: there is none.
static int walk_across(const pal_plan *plan, int32_t here, int32_t beside,
                       pal_spot way[2 * PAL_PLAN_WAY]) {
    const pal_ground *g = &plan->ground;
    double out[3], middle[3], across[3];
    pal_spot spot;
    for (int a = 0; a < 3; a++) {
        middle[a] = 0.5 * (g->middle[here][a] + g->middle[beside][a]);
    }
    pal_sub3(g->middle[beside], g->middle[here], out);
    pal_ground_nearest(g, middle, plan->radius, &spot);
    return pal_ground_flatten(out, spot.normal, across)
               ? walk_through(plan, &spot, across, 0.5 * slide_length, 0.5, way)
               : 0;
}

// A border in a tree is one of domains, too; it is crossed where a tool gets there and has some way
// to go on both sides.
static bool is_crossed(const pal_plan *plan, const pal_spot *way, int count) {
    const int32_t *domain = plan->feel->domain;
    const int least = 1 + (int)(fmin(plan->radius, 6e-3) / PAL_PLAN_STEP);
    int before = 1;
    while (before < count && domain[way[before].triangle] == domain[way[0].triangle]) {
        before++;
    }
    return before >= least && count - before >= least && starts_outside(plan, &way[0]) &&
           is_reachable(plan, &way[0]) && is_reachable(plan, &way[before]) &&
           is_reachable(plan, &way[count - 1]);
}

// The way across the border that is nearest to the press and looks the same way.
static int find_border(const pal_plan *plan, bool of_domains, pal_spot best[2 * PAL_PLAN_WAY]) {
    const pal_ground *g = &plan->ground;
    double nearest = INFINITY;
    int found = 0;
    for (int32_t t = 0; t < g->body->triangle_count; t++) {
        double away[3];
        pal_sub3(g->middle[t], plan->spot.x, away);
        const double far = pal_norm3(away);
        if (far >= nearest || pal_dot3(g->normal[t], plan->spot.normal) <= 0.0) {
            continue;
        }
        const int32_t beside = of_domains ? across_domains(plan, t) : across_materials(plan, t);
        if (beside < 0) {
            continue;
        }
        pal_spot way[2 * PAL_PLAN_WAY];
        const int count = walk_across(plan, t, beside, way);
        if (count > 0 && (plan->feel->domain == NULL || is_crossed(plan, way, count))) {
            nearest = far;
            found = count;
            memcpy(best, way, (size_t)count * sizeof *way);
        }
    }
    return found;
}

static pal_status add_border(pal_plan *plan, const char *name, bool of_domains) {
    pal_spot way[2 * PAL_PLAN_WAY];
    const int count = find_border(plan, of_domains, way);
    if (count == 0) {
        return pal_plan_leave(plan, name, "no border of %s lies where a tool can cross it",
                              of_domains ? "two domains" : "two materials");
    }
    double depth = 0.5 * plan->feel->depth, force = slide_force;
    if (plan->feel->domain != NULL) { // a slender domain may be far softer than where it is pressed
        const double wanted = fmax(slide_force, 0.5 * plan->force);
        const pal_status status = pal_plan_fit_depth(plan, &way[0], wanted, &depth, &force);
        if (status != PAL_OK) {
            return status;
        }
    }
    if (force < felt_force && !plan->naming) {
        return pal_plan_leave(plan, name,
                              "%.0f mm deep the body gives way there with %.0f mN: not felt",
                              1e3 * depth, 1e3 * force);
    }
    script_way(plan, way, count, depth, slide_speed);
    return add_script(plan, name, PAL_TRIAL_SLIDE,
                      of_domains ? "A slide at constant depth across the border of two domains."
                                 : "A slide at constant depth across the border of two materials.");
}

static bool has_materials(const pal_feel *feel) {
    return (feel->domain != NULL ? feel->material_count : feel->model.region_count) > 1;
}

pal_status pal_plan_add_border(pal_plan *plan) {
    return plan->wall                  ? PAL_OK
           : has_materials(plan->feel) ? add_border(plan, "border", false)
                                       : pal_plan_leave(plan, "border", "one material only");
}

pal_status pal_plan_add_domains(pal_plan *plan) {
    return plan->feel->domain != NULL ? add_border(plan, "domains", true) : PAL_OK;
}

// ---- edges and corners

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
    pal_ground_near near = pal_ground_about(g, plan->spot.x, far);
    const int32_t stride = 1 + (near.end - near.at) / 6000; // some hundreds of places do
    for (int32_t t; (t = pal_ground_next(g, &near)) >= 0; near.at += stride - 1) {
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

pal_status pal_plan_add_edge(pal_plan *plan) {
    pal_spot spot, way[2 * PAL_PLAN_WAY];
    double over[3];
    if (plan->wall) {
        return PAL_OK;
    }
    if (!find_edge(plan, &spot, over)) {
        return pal_plan_leave(plan, "edge", "no edge within a hand's reach of the press");
    }
    const int count = walk_through(plan, &spot, over, 12e-3, 1.2, way);
    const double depth = fmin(2e-3, 0.4 * plan->feel->depth);
    script_way(plan, way, count, depth, slide_speed);
    return add_script(plan, "edge", PAL_TRIAL_EDGE,
                      "A slide over the sharpest edge within reach of the press.");
}

// The place about the press that falls off to all sides most, and still looks up to the hand.
static bool find_corner(const pal_plan *plan, pal_spot *found) {
    static const double far = 0.12, least = 0.25, up = 0.35; // m; radii by radius; cosine
    const pal_ground *g = &plan->ground;
    const double wide = 1.5 * plan->radius;
    double sharpest = least;
    pal_ground_near near = pal_ground_about(g, plan->spot.x, far);
    const int32_t stride = 1 + (near.end - near.at) / 6000; // some hundreds of places do
    for (int32_t t; (t = pal_ground_next(g, &near)) >= 0; near.at += stride - 1) {
        double away[3];
        pal_spot spot;
        pal_sub3(g->middle[t], plan->spot.x, away);
        const double distance = pal_norm3(away);
        if (distance > far || pal_dot3(g->normal[t], plan->spot.normal) <= 0.0) {
            continue;
        }
        pal_ground_nearest(g, g->middle[t], plan->radius, &spot);
        const double sharp =
            (1.0 - 0.5 * distance / far) * plan->radius * pal_ground_bulge(g, &spot, wide);
        if (sharp > sharpest && pal_dot3(spot.normal, plan->spot.normal) > up &&
            is_reachable(plan, &spot)) {
            sharpest = sharp;
            *found = spot;
        }
    }
    return sharpest > least;
}

// From the side of the press over it.
pal_status pal_plan_add_corner(pal_plan *plan) {
    pal_spot spot, way[2 * PAL_PLAN_WAY];
    double from[3], over[3];
    if (plan->wall) {
        return PAL_OK;
    }
    if (!find_corner(plan, &spot)) {
        return pal_plan_leave(plan, "corner", "no corner within a hand's reach of the press");
    }
    pal_sub3(spot.x, plan->spot.x, from);
    if (!pal_ground_flatten(from, spot.normal, over)) {
        memcpy(over, plan->feel->along, sizeof over);
    }
    const int count = walk_through(plan, &spot, over, 12e-3, 1.2, way);
    const double depth = fmin(2e-3, 0.4 * plan->feel->depth);
    pal_pilot pilot = {0};
    script_way(plan, way, count, depth, slide_speed);
    const pal_status status = pal_plan_try(plan, &plan->script, &pilot);
    if (status == PAL_OK && !pilot.touched && !plan->naming) {
        return pal_plan_leave(plan, "corner", "so slender that it gives way to the tool");
    }
    if (status != PAL_OK) {
        return status;
    }
    return add_script(plan, "corner", PAL_TRIAL_EDGE,
                      "A slide over the sharpest corner within reach of the press.");
}

// ---- friction

static const char made_up[] = "[{friction: 0.3, static_friction: 0.5}]";

static int law_at(const pal_plan *plan, int32_t triangle) {
    const uint8_t *law = plan->feel->look->body.law_of_triangle;
    return law != NULL ? law[triangle] : 0;
}

static const char *region_at(const pal_feel *feel, int32_t triangle) {
    if (feel->domain == NULL) {
        return feel->model.region[feel->look->body.region_of_triangle[triangle]].name;
    }
    return feel->tree.domain_name[feel->domain[triangle]];
}

// By the scene's own surfaces.
static bool has_friction(const pal_plan *plan, int law) {
    const pal_surface_law *of = &plan->feel->look->body.law[law];
    return of->dynamic_friction > 0.0 && of->static_friction > 0.0;
}

// Cuts a way where another surface begins under the tool: it is judged by one.
static int keep_to(const pal_plan *plan, const pal_spot *way, int count, int law) {
    const int tool = 1 + (int)(0.6 * plan->radius / PAL_PLAN_STEP);
    int kept = 1;
    while (kept < count && law_at(plan, way[kept].triangle) == law) {
        kept++;
    }
    return kept == count ? count : kept > tool ? kept - tool : 1;
}

// In the middle of what has this law and looks up to the hand; false: nowhere, or out of reach.
static bool find_middle(const pal_plan *plan, int law, pal_spot *spot) {
    const pal_ground *g = &plan->ground;
    double middle[3] = {0.0, 0.0, 0.0}, area = 0.0;
    for (int32_t t = 0; t < g->body->triangle_count; t++) {
        const double up = pal_dot3(g->normal[t], plan->spot.normal);
        if (law_at(plan, t) == law && up > 0.0) {
            area += up;
            shift(middle, middle, up, g->middle[t]);
        }
    }
    if (!(area > 0.0)) {
        return false;
    }
    for (int c = 0; c < 3; c++) {
        middle[c] /= area;
    }
    pal_ground_nearest(g, middle, plan->radius, spot);
    return law_at(plan, spot->triangle) == law &&
           pal_dot3(spot->normal, plan->spot.normal) > 0.35 && is_reachable(plan, spot);
}

static pal_status rub(pal_plan *plan, const char *name, const pal_spot *way, int count,
                      const char *surfaces, const char *about) {
    static const double least = 0.7; // s: to break away, and to slide
    const double speed = fmin(2.0 * slide_speed, (count - 1) * PAL_PLAN_STEP / least);
    script_way(plan, way, count, 0.7 * plan->feel->depth, speed);
    return pal_plan_add(plan, name, PAL_TRIAL_FRICTION,
                        &(pal_trial_text){.probe = plan->script.text, .surfaces = surfaces}, "%s",
                        about);
}

// A surface of its own in another region.
static pal_status add_friction_on(pal_plan *plan, int law, const char *region) {
    char name[PAL_TRIAL_NAME], about[160];
    pal_spot spot, half[2][PAL_PLAN_WAY], way[2 * PAL_PLAN_WAY];
    const double *along = plan->feel->along, back[3] = {-along[0], -along[1], -along[2]};
    snprintf(name, sizeof name, "friction-%.20s", region);
    if (!pal_plan_wants(plan, name) || !find_middle(plan, law, &spot)) {
        return PAL_OK;
    }
    int first = pal_plan_walk(plan, &spot, back, 0.5 * slide_length, 0.5, half[0]);
    int last = pal_plan_walk(plan, &spot, along, 0.5 * slide_length, 0.5, half[1]);
    first = keep_to(plan, half[0], first, law);
    last = keep_to(plan, half[1], last, law);
    for (int k = 0; k < first; k++) {
        way[k] = half[0][first - 1 - k];
    }
    memcpy(way + first - 1, half[1], (size_t)last * sizeof *way);
    if (first + last < 4) { // no way to slide
        return PAL_OK;
    }
    snprintf(about, sizeof about, "The same on '%.40s', with its own friction.", region);
    return rub(plan, name, way, first + last - 1, NULL, about);
}

static pal_status add_other_frictions(pal_plan *plan, int except) {
    bool done[PAL_SURFACE_LAWS] = {false};
    pal_status status = PAL_OK;
    done[except] = true;
    for (int32_t t = 0; status == PAL_OK && t < plan->ground.body->triangle_count; t++) {
        const int law = law_at(plan, t);
        if (!done[law] && has_friction(plan, law)) {
            status = add_friction_on(plan, law, region_at(plan->feel, t));
        }
        done[law] = true;
    }
    return status;
}

// Where the trials press, and on every other surface that rubs in its own way.
pal_status pal_plan_add_friction(pal_plan *plan) {
    pal_spot way[PAL_PLAN_WAY];
    if (plan->wall) {
        return PAL_OK;
    }
    if (plan->feel->scene.live.form == PAL_CONTACT_PENALTY) {
        return pal_plan_leave(plan, "friction", "contact by springs (penalty) has none");
    }
    const int law = law_at(plan, plan->spot.triangle);
    const bool own = has_friction(plan, law);
    int count = find_slide(plan, slide_length, way);
    count = own ? keep_to(plan, way, count, law) : count;
    pal_status status = PAL_OK;
    if (pal_plan_wants(plan, "friction")) {
        status =
            rub(plan, "friction", way, count, own ? NULL : made_up,
                own ? "A press and a slow pull aside until it slides, with the friction of the "
                      "scene."
                    : "A press and a slow pull aside until it slides, with friction put in: "
                      "0.3, 0.5 until it slides.");
    }
    return status == PAL_OK && own ? add_other_frictions(plan, law) : status;
}
