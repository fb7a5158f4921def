// What the hand puts in and gets back.
#include <stdlib.h>

#include "haptics/feel/measure_parts.h"
#include "sim/base/memory.h"

static const double least_loss = 0.1; // of the model's own loop, below which it is not compared

// A force sent at tick k acts from k dt + delay on, until the next one does: in the tick from k to
// k + 1 first what was sent one tick earlier, for the part of a tick that the delay has, then that
// of `whole` ticks before.
static void applied(const pal_feel_view *v, int64_t k, double force[3]) {
    const double ticks = v->trace->delay / v->dt, whole = floor(ticks), part = ticks - whole;
    const int64_t now = k - (int64_t)whole;
    for (int c = 0; c < 3; c++) {
        force[c] = (now >= 0 ? (1.0 - part) * v->trace->row[now].force[c] : 0.0) +
                   (now >= 1 ? part * v->trace->row[now - 1].force[c] : 0.0);
    }
}

void pal_feel_put_in(const pal_feel_view *v, const double *force, int64_t first, int64_t last,
                     double *energy) {
    double sum = 0.0;
    energy[0] = 0.0;
    for (int64_t k = first; k < last; k++) {
        double way[3], now[3];
        pal_sub3(v->path[k + 1], v->path[k], way);
        applied(v, k, now);
        sum -= pal_dot3(force != NULL ? force + 3 * k : now, way);
        energy[k + 1 - first] = sum;
    }
}

// Until nothing of a contact's force acts any more: the delay, and what the slew limit takes.
static int64_t end_of(const pal_feel_view *v, pal_feel_window contact) {
    const int64_t end = contact.last + 10 + (int64_t)ceil(v->trace->delay / v->dt);
    return end < v->count ? end : v->count - 1;
}

// What the body holds, J.
static double stored(const pal_feel_view *v, int64_t k) {
    return v->trace->row[k].strain + v->trace->row[k].kinetic;
}

static void measure_made(pal_feel_view *v, double *energy) {
    double least = INFINITY, made = 0.0, input = 0.0;
    for (int64_t k = 0; k < v->count; k++) {
        least = fmin(least, stored(v, k));
    }
    int contacts = 0;
    pal_feel_window run;
    for (int64_t k = 0; pal_feel_is_window(run = pal_feel_run_from(v->joined, v->count, k));
         k = run.last + 1, contacts++) {
        const int64_t first = run.first > 0 ? run.first - 1 : 0, last = end_of(v, run);
        const double before = stored(v, first) - least;
        pal_feel_put_in(v, NULL, first, last, energy);
        for (int64_t i = first; i <= last; i++) {
            made = fmax(made, -energy[i - first] - before);
            input = fmax(input, energy[i - first]);
        }
    }
    if (contacts == 0) {
        pal_feel_score(v, PAL_METRIC_ENERGY, NAN, "nothing was touched");
    } else {
        pal_feel_score(v, PAL_METRIC_ENERGY, made, "%d contact%s, at most %.4f mJ put in", contacts,
                       contacts == 1 ? "" : "s", 1e3 * input);
    }
}

// Share of the peak that a loop loses; NAN: not a loop, or a force in it is not known.
static double loss_of(const pal_feel_view *v, const double *force, double *energy) {
    const int64_t first = v->press.first, last = end_of(v, v->press);
    double peak = 0.0;
    pal_feel_put_in(v, force, first, last, energy);
    for (int64_t k = first; k <= last; k++) {
        peak = fmax(peak, energy[k - first]);
    }
    const double end = energy[last - first];
    return peak > 0.0 ? end / peak : NAN;
}

static void measure_loss(pal_feel_view *v, double *energy) {
    const char *why = !pal_feel_is_window(v->press)                          ? "nothing was touched"
                      : v->press.first == 0 || v->press.last + 1 >= v->count ? "no whole press and "
                                                                               "release"
                                                                             : NULL;
    if (why != NULL) {
        pal_feel_score(v, PAL_METRIC_HYSTERESIS, NAN, "%s", why);
        return;
    }
    const double loss = loss_of(v, NULL, energy);
    const double own = v->truth.own != NULL ? loss_of(v, v->truth.own, energy) : NAN;
    if (isnan(own) || isnan(loss)) {
        pal_feel_score(v, PAL_METRIC_HYSTERESIS, NAN,
                       "%.1f %% lost; the model's own is not known along the whole loop",
                       100.0 * loss);
    } else {
        pal_feel_score(v, PAL_METRIC_HYSTERESIS, (loss - own) / fmax(own, least_loss),
                       "%.1f %% lost, the model's own %.1f %%", 100.0 * loss, 100.0 * own);
    }
}

void pal_feel_measure_energy(pal_feel_view *v) {
    double *energy = PAL_NEW(double, v->count, v->err);
    if (energy == NULL) {
        v->status = PAL_ERR_MEMORY;
        return;
    }
    measure_made(v, energy);
    measure_loss(v, energy);
    free(energy);
}
