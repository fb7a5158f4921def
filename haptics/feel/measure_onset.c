// The first milliseconds of a tap.
#include <stdlib.h>

#include "haptics/feel/measure_parts.h"

static const double rate_seconds = 5e-3, speed_seconds = 10e-3, peak_seconds = 10e-3;
static const double least_speed = 10e-3; // m/s, below which there is no impact
static const double other_speed = 1.1;   // taps nearer than this are of the same speed

typedef struct onset {
    double speed; // m/s, of the impact; NAN: none
    double rate;  // N/s
    double peak;  // N
    double rest;  // N, at rest
} onset;

// What the contact sets against its depth in the long run: through zero, over both ways.
static double force_at_rest(const pal_feel_view *v) {
    double up = 0.0, down = 0.0, most = 0.0, held = 0.0;
    if (pal_feel_is_window(v->hold) && v->hold.last <= v->press.last) {
        const int64_t second = (int64_t)(1.0 / v->dt + 0.5);
        for (int64_t k = v->hold.last + 1 - second; k <= v->hold.last; k++) {
            held += pal_norm3(v->trace->row[k].force) / (double)second;
        }
        return held;
    }
    for (int64_t k = v->press.first; k <= v->press.last; k++) {
        const double d = v->depth[k];
        if (d > 0.0) {
            up += d * pal_dot3(v->trace->row[k].force, v->axis);
            down += d * d;
            most = fmax(most, d);
        }
    }
    return down > 0.0 ? most * up / down : NAN;
}

static onset find_onset(const pal_feel_view *v) {
    onset o = {.speed = NAN, .rate = NAN, .peak = NAN, .rest = NAN};
    const int64_t first = v->press.first, before = (int64_t)(speed_seconds / v->dt);
    if (!pal_feel_is_window(v->press) || first < before) {
        return o;
    }
    pal_feel_line way = {0}, force = {0};
    for (int64_t k = first - before; k < first; k++) {
        pal_feel_line_add(&way, (double)k * v->dt, v->depth[k]);
    }
    const int64_t ticks = (int64_t)(rate_seconds / v->dt), peak = (int64_t)(peak_seconds / v->dt);
    const int64_t last = first + ticks < v->count ? first + ticks : v->count - 1;
    for (int64_t k = first; k <= last; k++) {
        pal_feel_line_add(&force, (double)k * v->dt, pal_dot3(v->trace->row[k].force, v->axis));
    }
    double change[3]; // from the tick before, so that a step at the first touch counts
    pal_sub3(v->trace->row[last].force, v->trace->row[first - 1].force, change);
    const double secant = pal_dot3(change, v->axis) / ((double)(last + 1 - first) * v->dt);
    o.peak = 0.0;
    for (int64_t k = first; k < first + peak && k <= v->press.last; k++) {
        o.peak = fmax(o.peak, pal_norm3(v->trace->row[k].force));
    }
    o.speed = pal_feel_line_slope(&way);
    o.rate = fmax(secant, last > first ? pal_feel_line_slope(&force) : secant);
    o.rest = force_at_rest(v);
    return o;
}

void pal_feel_measure_onset(pal_feel_view *v) {
    const onset o = find_onset(v);
    if (isnan(o.speed) || o.speed < least_speed) {
        const char *why = isnan(o.speed) ? "no contact begins out of free space"
                                         : "the contact begins too slowly for an impact";
        pal_feel_score(v, PAL_METRIC_RATE_HARDNESS, NAN, "%s", why);
        pal_feel_score(v, PAL_METRIC_ONSET, NAN, "%s", why);
        return;
    }
    pal_feel_score(v, PAL_METRIC_RATE_HARDNESS, o.rate / o.speed, "%.1f N/s at %.1f mm/s", o.rate,
                   1e3 * o.speed);
    pal_feel_score(v, PAL_METRIC_ONSET, o.rest > 0.0 ? o.peak / o.rest : NAN,
                   "peak %.3f N at %.1f mm/s, at rest %.3f N", o.peak, 1e3 * o.speed, o.rest);
}

// ---- several taps

static int by_speed(const void *a, const void *b) {
    const double x = ((const onset *)a)->speed, y = ((const onset *)b)->speed;
    return (x > y) - (x < y);
}

pal_status pal_feel_measure_taps(const pal_feel_trace *tap, int count, pal_scorecard *card,
                                 pal_err *err) {
    enum { MOST = 32 };
    onset found[MOST];
    int taps = 0, wrong = 0, pairs = 0;
    for (int i = 0; i < count && taps < MOST; i++) {
        pal_feel_view view;
        pal_status status = pal_feel_view_open(&view, &tap[i], NULL, err);
        if (status != PAL_OK) {
            return status;
        }
        found[taps] = find_onset(&view);
        taps += found[taps].speed >= least_speed;
        pal_feel_view_close(&view);
    }
    qsort(found, (size_t)taps, sizeof *found, by_speed);
    for (int i = 0; i < taps; i++) {
        for (int k = i + 1; k < taps; k++) {
            const bool faster = found[k].speed > other_speed * found[i].speed;
            pairs += faster;
            wrong += faster && found[k].peak < found[i].peak;
        }
    }
    if (pairs == 0) {
        return pal_scorecard_add(card, PAL_METRIC_ONSET_ORDER, "taps", NAN, err,
                                 "there are no two taps of different speed");
    }
    return pal_scorecard_add(card, PAL_METRIC_ONSET_ORDER, "taps", wrong, err,
                             "%d taps, %.0f to %.0f mm/s, peaks %.3f to %.3f N", taps,
                             1e3 * found[0].speed, 1e3 * found[taps - 1].speed, found[0].peak,
                             found[taps - 1].peak);
}
