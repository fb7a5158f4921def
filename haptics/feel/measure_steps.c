// Steps of the force, and its spectrum in a hold.
#include <stdlib.h>

#include "haptics/feel/measure_parts.h"
#include "sim/base/memory.h"

static const double share = 0.07, small_step = 20e-3, small_force = 0.3; // of FEEL.md 5
static const double onset_seconds = 10e-3;
static const double stall_tail = 0.05;                  // s
static const double buzz_low = 30.0, buzz_high = 300.0; // Hz
enum { SPECTRUM_MOST = 4000 };                          // ticks

// ---- steps

static double reading_step(const pal_feel_view *v, int64_t k) {
    double way[3];
    if (k < 1) {
        return 0.0;
    }
    pal_sub3(v->trace->row[k].position, v->trace->row[k - 1].position, way);
    return pal_norm3(way);
}

// The step at tick k over the force: what is left of it when the device's motion is taken out.
static double step_at(const pal_feel_view *v, int64_t k) {
    const double *now = v->trace->row[k].force, *last = v->trace->row[k - 1].force;
    double change[3];
    pal_sub3(now, last, change);
    const double moved = fmax(reading_step(v, k), reading_step(v, k - 1));
    const double left = fmax(0.0, pal_norm3(change) - v->stiffness * moved);
    const double force = pal_norm3(last);
    return left / (force < small_force ? small_step / share : force);
}

// In the first 10 ms after free space a step is the impact itself (measure_onset.c).
static bool is_onset(const pal_feel_view *v, int64_t k) {
    const int64_t before = k - (int64_t)(onset_seconds / v->dt);
    return before < 0 || !v->joined[before];
}

// In the 10 ms after the tool breaks away the force falls by its friction.
static bool is_breakaway(const pal_feel_view *v, int64_t k) {
    const int64_t first = k - (int64_t)(onset_seconds / v->dt);
    for (int64_t i = first > 1 ? first : 1; i <= k; i++) {
        if (v->trace->row[i].slipped > 0.0 && v->trace->row[i - 1].slipped == 0.0) {
            return true;
        }
    }
    return false;
}

static void score_steps(pal_feel_view *v, pal_metric_id metric, int64_t first, int64_t last) {
    double most = 0.0;
    int64_t at = first, ticks = 0;
    for (int64_t k = first > 1 ? first : 1; k <= last && k < v->count; k++) {
        if ((v->touch[k] || v->touch[k - 1]) && !is_onset(v, k) && !is_breakaway(v, k)) {
            const double step = step_at(v, k);
            ticks++;
            at = step > most ? k : at;
            most = fmax(most, step);
        }
    }
    if (ticks == 0) {
        pal_feel_score(v, metric, NAN, "nothing was touched for 10 ms");
        return;
    }
    double change[3];
    const int64_t k = at > 0 ? at : 1;
    pal_sub3(v->trace->row[k].force, v->trace->row[k - 1].force, change);
    pal_feel_score(v, metric, most, "at %.3f s: %.1f mN of %.3f N; K = %.0f N/m",
                   v->trace->row[k].time, 1e3 * pal_norm3(change),
                   pal_norm3(v->trace->row[k - 1].force), v->stiffness);
}

void pal_feel_measure_steps(pal_feel_view *v) {
    score_steps(v, PAL_METRIC_FORCE_STEP, 0, v->count - 1);
    if (isnan(v->truth.stall_at) || isnan(v->truth.stall_seconds)) {
        pal_feel_score(v, PAL_METRIC_STALL_STEP, NAN, "not known when the body stood still");
        return;
    }
    const double begins = (v->truth.stall_at - v->trace->row[0].time) / v->dt;
    const double lasts = (v->truth.stall_seconds + stall_tail) / v->dt;
    score_steps(v, PAL_METRIC_STALL_STEP, (int64_t)floor(begins), (int64_t)ceil(begins + lasts));
}

// ---- spectra

// Takes mean and trend out of x [count].
static void detrend(double *x, int64_t count) {
    pal_feel_line line = {0};
    for (int64_t k = 0; k < count; k++) {
        pal_feel_line_add(&line, (double)k, x[k]);
    }
    for (int64_t k = 0; k < count; k++) {
        x[k] -= pal_feel_line_at(&line, (double)k);
    }
}

// |sum of x(k) exp(-2 pi i f k / count)| for a whole f, with the cosines and then the
// sines of 2 pi k / count in wave.
static double bin(const double *x, int64_t count, int64_t f, const double *wave) {
    double re = 0.0, im = 0.0;
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = f * k % count;
        re += x[k] * wave[at];
        im += x[k] * wave[count + at];
    }
    return hypot(re, im);
}

static double *make_wave(int64_t count, pal_err *err) {
    static const double two_pi = 6.283185307179586;
    double *wave = PAL_NEW(double, 2 * count, err);
    for (int64_t k = 0; wave != NULL && k < count; k++) {
        wave[k] = cos(two_pi * (double)k / (double)count);
        wave[count + k] = sin(two_pi * (double)k / (double)count);
    }
    return wave;
}

// Power of one axis of the force in the band, N^2; x [count] is room.
static double band_power(const pal_feel_view *v, int64_t first, int64_t count, int c, double *x,
                         const double *wave) {
    const double seconds = (double)count * v->dt;
    double power = 0.0;
    for (int64_t k = 0; k < count; k++) {
        x[k] = v->trace->row[first + k].force[c];
    }
    detrend(x, count);
    for (int64_t f = (int64_t)ceil(buzz_low * seconds - 1e-9); (double)f <= buzz_high * seconds;
         f++) {
        const double size = bin(x, count, f, wave) / (double)count;
        power += 2.0 * size * size; // of f and of -f
    }
    return power;
}

void pal_feel_measure_buzz(pal_feel_view *v) {
    if (!pal_feel_is_window(v->hold)) {
        pal_feel_score(v, PAL_METRIC_BUZZ, NAN, "no still hold of a second in contact");
        return;
    }
    const int64_t count = (int64_t)(1.0 / v->dt + 0.5), first = v->hold.last + 1 - count;
    double *wave = make_wave(count, v->err), *x = PAL_NEW(double, count, v->err);
    if (wave == NULL || x == NULL || first < 0) {
        v->status = PAL_ERR_MEMORY;
    } else {
        double power = 0.0, mean = 0.0;
        for (int c = 0; c < 3; c++) {
            power += band_power(v, first, count, c, x, wave);
        }
        for (int64_t k = first; k <= v->hold.last; k++) {
            mean += pal_norm3(v->trace->row[k].force) / (double)count;
        }
        pal_feel_score(v, PAL_METRIC_BUZZ, sqrt(power), "held at %.3f N, %.2f to %.2f s", mean,
                       v->trace->row[first].time, v->trace->row[v->hold.last].time);
    }
    free(wave);
    free(x);
}

double *pal_feel_spectrum(const pal_feel_trace *trace, pal_feel_window window, int32_t *count,
                          double *step) {
    int64_t n = window.last + 1 - window.first;
    n = n < SPECTRUM_MOST ? n : SPECTRUM_MOST; // the last of a longer one
    *count = 0;
    *step = 0.0;
    if (n < 8 || window.first < 0 || window.last >= trace->count) {
        return NULL;
    }
    double *wave = make_wave(n, NULL), *x = PAL_NEW(double, n, NULL);
    double *size = PAL_NEW(double, n / 2 + 1, NULL);
    if (wave == NULL || x == NULL || size == NULL) {
        free(size);
        size = NULL;
    } else {
        for (int64_t k = 0; k < n; k++) {
            x[k] = pal_norm3(trace->row[window.last + 1 - n + k].force);
        }
        detrend(x, n);
        for (int64_t f = 0; f <= n / 2; f++) {
            const bool once = f == 0 || 2 * f == n; // has no mirror image
            size[f] = (once ? 1.0 : 2.0) * bin(x, n, f, wave) / (double)n;
        }
        *count = (int32_t)(n / 2 + 1);
        *step = 1.0 / ((double)n * trace->dt);
    }
    free(wave);
    free(x);
    return size;
}
