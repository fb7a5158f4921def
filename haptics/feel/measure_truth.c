// The force against that of full elements and of Hertz.
#include "haptics/feel/measure_parts.h"

enum { BANDS = 5 };
static const double dent = 5e-3;    // m, how deep a dent is judged
static const double unfelt = 20e-3; // N, as for stiffness: less is not judged

static bool known(const double *truth, int64_t k) {
    return truth != NULL && isfinite(truth[3 * k] + truth[3 * k + 1] + truth[3 * k + 2]);
}

// Force over full elements, less 1, by least squares in each of five bands of depth; the band that
// is farthest off. NAN: nothing to compare.
static double worst_band(const pal_feel_view *v, double depth, int *band, int64_t *ticks) {
    double up[BANDS] = {0.0}, down[BANDS] = {0.0}, most[BANDS] = {0.0}, worst = NAN;
    *ticks = 0;
    *band = 0;
    for (int64_t k = v->press.first; k <= v->press.last; k++) {
        const double at = floor(BANDS * v->depth[k] / depth);
        if (!known(v->truth.full, k) || pal_feel_ramps(v, k) || !(at >= 0.0 && at < BANDS)) {
            continue;
        }
        const int b = (int)at;
        const double full = pal_dot3(v->truth.full + 3 * k, v->axis);
        const double felt = pal_dot3(v->trace->row[k].force, v->axis);
        up[b] += full * felt;
        down[b] += full * full;
        most[b] = fmax(most[b], fmax(fabs(full), fabs(felt)));
        ++*ticks;
    }
    for (int b = 0; b < BANDS; b++) {
        const double error = down[b] > 0.0 && most[b] >= unfelt ? up[b] / down[b] - 1.0 : NAN;
        if (!isnan(error) && (isnan(worst) || fabs(error) > fabs(worst))) {
            worst = error;
            *band = b;
        }
    }
    return worst;
}

static void score_bands(pal_feel_view *v, pal_metric_id metric, double depth) {
    int band;
    int64_t ticks;
    const double worst = worst_band(v, depth, &band, &ticks);
    if (isnan(worst)) {
        pal_feel_score(v, metric, NAN, "%s",
                       ticks > 0 ? "the forces stay below 20 mN, which is not felt"
                                 : "the force of full elements is not known here");
    } else {
        pal_feel_score(v, metric, worst, "%s; worst from %.1f to %.1f mm, %lld ticks in all",
                       v->truth.full_note, 1e3 * depth * band / BANDS,
                       1e3 * depth * (band + 1) / BANDS, (long long)ticks);
    }
}

static void measure_hertz(pal_feel_view *v) {
    pal_feel_line line = {0};
    for (int64_t k = v->inward.first; k <= v->inward.last; k++) {
        if (v->depth[k] >= 0.75e-3 && v->depth[k] <= 1.25e-3 && !pal_feel_ramps(v, k)) {
            pal_feel_line_add(&line, v->depth[k], pal_dot3(v->trace->row[k].force, v->axis));
        }
    }
    const double force = line.n >= 4.0 ? pal_feel_line_at(&line, 1e-3) : NAN;
    if (isnan(v->truth.hertz) || isnan(force)) {
        pal_feel_score(v, PAL_METRIC_HERTZ, NAN, "%s",
                       isnan(force) ? "the way in has too few ticks about 1 mm"
                                    : "Hertz's force is not known here");
    } else {
        pal_feel_score(v, PAL_METRIC_HERTZ, force / v->truth.hertz - 1.0,
                       "%.4f N at 1 mm, Hertz %.4f N", force, v->truth.hertz);
    }
}

static void measure_path(pal_feel_view *v) {
    const double *truth = v->truth.full != NULL ? v->truth.full : v->truth.own;
    double error = 0.0, size = 0.0;
    int64_t ticks = 0;
    for (int64_t k = 0; k < v->count; k++) {
        if (v->joined[k] && known(truth, k) && !pal_feel_ramps(v, k)) {
            double off[3];
            pal_sub3(v->trace->row[k].force, truth + 3 * k, off);
            error += pal_dot3(off, off);
            size += pal_dot3(truth + 3 * k, truth + 3 * k);
            ticks++;
        }
    }
    if (!(size > 0.0)) {
        pal_feel_score(v, PAL_METRIC_PATH_ERROR, NAN, "no true force is known in contact");
    } else {
        pal_feel_score(v, PAL_METRIC_PATH_ERROR, sqrt(error / size),
                       "%.1f mN rms over %lld ticks, against %s", 1e3 * sqrt(error / (double)ticks),
                       (long long)ticks,
                       v->truth.full != NULL ? v->truth.full_note : "the model's own force");
    }
}

static void measure_basis(pal_feel_view *v) {
    double up = 0.0, down = 0.0;
    for (int64_t k = 0; k < v->count; k++) {
        if (v->joined[k] && known(v->truth.full, k) && known(v->truth.basis, k)) {
            up += pal_dot3(v->truth.full + 3 * k, v->truth.basis + 3 * k);
            down += pal_dot3(v->truth.full + 3 * k, v->truth.full + 3 * k);
        }
    }
    if (down > 0.0) {
        pal_feel_score(v, PAL_METRIC_BASIS_ALONE, up / down, "against %s", v->truth.full_note);
    } else {
        pal_feel_score(v, PAL_METRIC_BASIS_ALONE, NAN,
                       "the forces of the basis alone and of full elements are not known");
    }
}

void pal_feel_measure_truth(pal_feel_view *v) {
    double most = 0.0;
    for (int64_t k = v->press.first; k <= v->press.last; k++) {
        most = fmax(most, v->depth[k]);
    }
    score_bands(v, PAL_METRIC_INDENTATION, dent);
    measure_hertz(v);
    score_bands(v, PAL_METRIC_BENDING, most * (1.0 + 1e-9));
    measure_path(v);
    measure_basis(v);
}
