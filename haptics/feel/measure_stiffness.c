// Stiffness on the way in and at rest, against the model's own force.
#include <stdio.h>

#include "haptics/feel/measure_parts.h"

static const double first_depth = 2e-3, least_depth = 0.2e-3; // m
static const double low_force = 0.7, high_force = 1.3;        // N, about 1 N
static const double least_force = 10e-3; // N, of what something is compared with
static const double felt_force = 20e-3;  // N, below which no difference is felt

// Along the axis: what was sent, and what the truth says (NAN: not known at this tick).
static double sent(const pal_feel_view *v, int64_t k) {
    return pal_dot3(v->trace->row[k].force, v->axis);
}

static double own(const pal_feel_view *v, int64_t k) {
    return v->truth.own != NULL ? pal_dot3(v->truth.own + 3 * k, v->axis) : NAN;
}

// Ticks of the way in where the force or depth is in a band; both forces where both are known.
typedef struct pair {
    pal_feel_line all, sent, own;
    double least, most; // m, depths
    double force;       // N, the largest of both
} pair;

static pair fit(const pal_feel_view *v, bool by_force, double low, double high) {
    pair p = {.least = INFINITY, .most = -INFINITY};
    for (int64_t k = v->inward.first; k <= v->inward.last; k++) {
        const double at = by_force ? sent(v, k) : v->depth[k];
        if (!(at >= low && at <= high) || pal_feel_ramps(v, k)) {
            continue;
        }
        p.least = fmin(p.least, v->depth[k]);
        p.most = fmax(p.most, v->depth[k]);
        p.force = fmax(p.force, fmax(sent(v, k), own(v, k)));
        pal_feel_line_add(&p.all, v->depth[k], sent(v, k));
        if (!isnan(own(v, k))) {
            pal_feel_line_add(&p.sent, v->depth[k], sent(v, k));
            pal_feel_line_add(&p.own, v->depth[k], own(v, k));
        }
    }
    return p;
}

static void score_slope(pal_feel_view *v, pal_metric_id metric, const pair *p, const char *where) {
    const double all = pal_feel_line_slope(&p->all);
    if (!(p->most - p->least >= 0.25 * least_depth) || p->all.n < 8.0) {
        pal_feel_score(v, metric, NAN, "the way in has too few ticks %s", where);
    } else if (p->force < felt_force) {
        pal_feel_score(v, metric, NAN, "%.1f N/m %s: below 20 mN, which is not felt", all, where);
    } else if (v->truth.own == NULL || p->own.n < 8.0) {
        pal_feel_score(v, metric, NAN, "%.1f N/m %s; the model's own is not known", all, where);
    } else {
        const double felt = pal_feel_line_slope(&p->sent), model = pal_feel_line_slope(&p->own);
        pal_feel_score(v, metric, model > 0.0 ? felt / model - 1.0 : NAN,
                       "%.1f N/m %s, the model's own %.1f N/m", felt, where, model);
    }
}

static void measure_first(pal_feel_view *v) {
    const pair p = fit(v, false, 0.0, first_depth);
    char where[64];
    snprintf(where, sizeof where, "down to %.2f mm", 1e3 * fmax(0.0, p.most));
    score_slope(v, PAL_METRIC_STIFFNESS, &p, where);
    const bool deep = p.all.n >= 8.0 && p.most - p.least >= least_depth;
    pal_feel_score(v, PAL_METRIC_SLOPE, deep ? pal_feel_line_slope(&p.all) : NAN, "%s%s",
                   deep ? "" : "the way in is too short: ", where);
}

static void measure_at_1n(pal_feel_view *v) {
    double most = 0.0;
    for (int64_t k = v->inward.first; k <= v->inward.last; k++) {
        most = fmax(most, sent(v, k));
    }
    if (most < 1.0) {
        pal_feel_score(v, PAL_METRIC_STIFFNESS_AT_1N, NAN, "the way in ends at %.2f N", most);
        return;
    }
    const pair p = fit(v, true, low_force, high_force);
    score_slope(v, PAL_METRIC_STIFFNESS_AT_1N, &p, "about 1 N");
}

// ---- at rest

static void measure_hold(pal_feel_view *v) {
    const int64_t second = (int64_t)(1.0 / v->dt + 0.5), last = v->hold.last;
    double felt = 0.0, model = 0.0, count = 0.0;
    for (int64_t k = last + 1 - second; k <= last; k++) {
        const double f = own(v, k);
        if (!isnan(f) && !pal_feel_ramps(v, k)) {
            felt += sent(v, k);
            model += f;
            count += 1.0;
        }
    }
    if (count == 0.0 || !(model / count > least_force)) {
        pal_feel_score(v, PAL_METRIC_FELT, NAN, "the model's own force is not known in the hold");
    } else {
        pal_feel_score(v, PAL_METRIC_FELT, felt / model - 1.0,
                       "held at %.3f N, the model's own %.3f N", felt / count, model / count);
    }
}

// Both ways of the press, deeper than a tenth: through zero, so that what damps, which is
// against the motion on both ways, cancels.
static void measure_both_ways(pal_feel_view *v) {
    double most = 0.0, felt = 0.0, model = 0.0;
    int64_t count = 0;
    for (int64_t k = v->press.first; k <= v->press.last; k++) {
        most = fmax(most, v->depth[k]);
    }
    for (int64_t k = v->press.first; k <= v->press.last; k++) {
        if (v->depth[k] >= 0.1 * most && !isnan(own(v, k)) && !pal_feel_ramps(v, k)) {
            felt += v->depth[k] * sent(v, k);
            model += v->depth[k] * own(v, k);
            count++;
        }
    }
    if (count < 8 || !(model > 0.0) || most < least_depth) {
        pal_feel_score(v, PAL_METRIC_FELT, NAN,
                       "no hold, and the model's own force is not known along the press");
    } else {
        pal_feel_score(v, PAL_METRIC_FELT, felt / model - 1.0,
                       "no hold: both ways of the press to %.2f mm", 1e3 * most);
    }
}

void pal_feel_measure_stiffness(pal_feel_view *v) {
    if (!pal_feel_is_window(v->press)) {
        static const pal_metric_id ids[] = {PAL_METRIC_STIFFNESS, PAL_METRIC_STIFFNESS_AT_1N,
                                            PAL_METRIC_SLOPE, PAL_METRIC_FELT};
        for (int i = 0; i < 4; i++) {
            pal_feel_score(v, ids[i], NAN, "nothing was touched");
        }
        return;
    }
    measure_first(v);
    measure_at_1n(v);
    if (v->truth.own == NULL) {
        pal_feel_score(v, PAL_METRIC_FELT, NAN, "the model's own force is not known");
    } else if (pal_feel_is_window(v->hold)) {
        measure_hold(v);
    } else {
        measure_both_ways(v);
    }
}
