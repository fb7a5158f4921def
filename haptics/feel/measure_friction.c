// Friction: what of the force rubs, over what presses.
//
// In a dent the normals differ: with friction mu and pushes p_i along normals n_i, what rubs
// against a way w is mu sum p_i |w - (w n_i) n_i| when all touches slide that way, and less when
// not. The record has this sum with mu = 1, along the tool's way over the surface, and the sum of
// the pushes. Without these, the way of the hand serves, and the one recorded normal or, when there
// is none either, the direction of the force at rest before the slide.
#include <stdlib.h>

#include "haptics/feel/measure_parts.h"
#include "sim/base/memory.h"

static const double least_grip = 5e-3;  // N
static const double least_speed = 1e-3; // m/s
static const double rest_seconds = 0.1;

typedef struct rub {
    double against; // N, friction against the way
    double grip;    // N, the same with a friction of 1; 0: the hand rests
} rub;

// Unit way of the hand about tick k; false: it rests.
static bool way_at(const pal_feel_view *v, int64_t k, double way[3]) {
    const int64_t first = k > 25 ? k - 25 : 0, last = k + 25 < v->count ? k + 25 : v->count - 1;
    pal_sub3(v->path[last], v->path[first], way);
    const double size = pal_norm3(way);
    for (int c = 0; c < 3; c++) {
        way[c] /= size > 0.0 ? size : 1.0;
    }
    return size > least_speed * (double)(last - first) * v->dt;
}

static rub rub_told(const pal_tick_record *row) {
    double along[3];
    const double grip = pal_norm3(row->grip);
    pal_sub3(row->force, row->push, along);
    return (rub){grip > 0.0 ? -pal_dot3(along, row->grip) / grip : 0.0, grip};
}

double pal_feel_friction(const pal_tick_record *row) {
    const rub r = rub_told(row);
    return r.grip > least_grip ? r.against / r.grip : NAN;
}

static rub rub_at(const pal_feel_view *v, int64_t k, const double normal[3]) {
    const pal_tick_record *row = &v->trace->row[k];
    double way[3];
    rub r = {0.0, 0.0};
    if (!(v->trace->missing & PAL_FEEL_NO_FRICTION)) {
        return rub_told(row);
    }
    const double *n = v->trace->missing & PAL_FEEL_NO_NORMAL ? normal : row->normal;
    const double push = pal_dot3(row->force, n);
    if (way_at(v, k, way)) {
        const double up = pal_dot3(way, n);
        r.grip = push * sqrt(fmax(0.0, 1.0 - up * up));
        r.against = push * up - pal_dot3(row->force, way);
    }
    return r;
}

// Unit direction of the force in the tenth of a second before the hand starts to slide.
static void normal_at_rest(const pal_feel_view *v, const pal_feel_window contact,
                           double normal[3]) {
    const int64_t ticks = (int64_t)(rest_seconds / v->dt);
    int64_t first = v->slide.first;
    // Back to where the hand stood: the slide's ends were cut off.
    first -= (v->slide.last - v->slide.first) / 5 + 2 * ticks;
    first = first > contact.first ? first : contact.first;
    for (int c = 0; c < 3; c++) {
        normal[c] = 0.0;
        for (int64_t k = first; k < first + ticks && k <= contact.last; k++) {
            normal[c] += v->trace->row[k].force[c];
        }
    }
    const double size = pal_norm3(normal);
    for (int c = 0; c < 3; c++) {
        normal[c] = size > 0.0 ? normal[c] / size : 0.0;
    }
}

// Largest ratio in the contact where it presses at least half as hard as in the slide.
static double largest_ratio(const rub *all, int64_t count, double usual) {
    double most = 0.0;
    for (int64_t k = 0; k < count; k++) {
        most = all[k].grip > 0.5 * usual ? fmax(most, all[k].against / all[k].grip) : most;
    }
    return most;
}

static void score_ratio(pal_feel_view *v, pal_metric_id metric, double ratio, double truth,
                        const char *how) {
    if (isnan(ratio)) {
        pal_feel_score(v, metric, NAN, "%s", how);
    } else if (!(truth > 0.0)) {
        pal_feel_score(v, metric, NAN, "%.3f%s; %s", ratio, how,
                       isnan(truth) ? "the surface's own is not known, or not one number"
                                    : "the surface has no friction");
    } else {
        pal_feel_score(v, metric, ratio / truth - 1.0, "%.4f, the surface's own %.4f%s", ratio,
                       truth, how);
    }
}

static void measure_in(pal_feel_view *v, pal_feel_window contact, rub *all) {
    const int64_t count = contact.last + 1 - contact.first;
    const bool told = !(v->trace->missing & PAL_FEEL_NO_FRICTION);
    double normal[3], against = 0.0, grip = 0.0, press = 0.0;
    int64_t slides = 0;
    normal_at_rest(v, contact, normal);
    for (int64_t k = 0; k < count; k++) {
        all[k] = rub_at(v, contact.first + k, normal);
    }
    for (int64_t t = v->slide.first; t <= v->slide.last; t++) {
        const int64_t k = t - contact.first;
        press += all[k].grip / (double)(v->slide.last + 1 - v->slide.first);
        if (all[k].grip > least_grip && (!told || v->trace->row[t].slipped > 0.0)) {
            against += all[k].against;
            grip += all[k].grip;
            slides++;
        }
    }
    const char *how = told                                     ? ""
                      : v->trace->missing & PAL_FEEL_NO_NORMAL ? " (normal: the force at rest)"
                                                               : " (normal of one touch)";
    const bool slipped = slides * v->dt > 0.05 && grip > 0.0;
    const char *stuck = "the tool does not slip: the surface goes along";
    score_ratio(v, PAL_METRIC_BREAKAWAY, slipped ? largest_ratio(all, count, press) : NAN,
                v->truth.static_friction, slipped ? how : stuck);
    score_ratio(v, PAL_METRIC_SLIDING, slipped ? against / grip : NAN, v->truth.sliding_friction,
                slipped ? how : stuck);
}

void pal_feel_measure_friction(pal_feel_view *v) {
    if (!v->judged[PAL_METRIC_BREAKAWAY] && !v->judged[PAL_METRIC_SLIDING]) {
        return;
    }
    if (!pal_feel_is_window(v->slide)) {
        pal_feel_score(v, PAL_METRIC_BREAKAWAY, NAN, "no steady slide in contact");
        pal_feel_score(v, PAL_METRIC_SLIDING, NAN, "no steady slide in contact");
        return;
    }
    pal_feel_window contact = {v->slide.first, v->slide.last};
    while (contact.first > 0 && v->joined[contact.first - 1]) {
        contact.first--;
    }
    while (contact.last + 1 < v->count && v->joined[contact.last + 1]) {
        contact.last++;
    }
    const int64_t count = contact.last + 1 - contact.first;
    rub *all = PAL_NEW(rub, count, v->err);
    if (all == NULL) {
        v->status = PAL_ERR_MEMORY;
    } else {
        measure_in(v, contact, all);
    }
    free(all);
}
