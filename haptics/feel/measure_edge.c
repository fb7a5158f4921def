// Smoothness of a slide: how much the force turns and jerks from tick to tick, over what it does on
// a smooth surface and what no hand feels:
//
//     rough / sqrt(smooth^2 + floor^2) - 1,      floor = 20 mN 2 sin(pi 30 Hz dt) = 3.8 mN a tick
//
// (over the force as an angle). A force that changes by less from tick to tick has less than 20 mN
// between 30 and 300 Hz at whatever frequency, the gate of a hold's buzz: our choice, as that is. A
// flat surface without friction turns no force at all; without the floor any slide over it would be
// infinitely rough.
#include <stdlib.h>

#include "haptics/feel/measure_parts.h"
#include "sim/base/memory.h"

static const double smooth_hz = 30.0; // what a smooth surface may do

static double angle_between(const double *a, const double *b) {
    double across[3];
    pal_cross3(a, b, across);
    return atan2(pal_norm3(across), pal_dot3(a, b));
}

typedef struct roughness {
    double angle, jerk; // rad, N rms
} roughness;

// Of force [count][3].
static roughness rough(const double (*force)[3], int64_t count) {
    double angle = 0.0, jerk = 0.0;
    for (int64_t k = 1; k + 1 < count; k++) {
        double second = 0.0;
        for (int c = 0; c < 3; c++) {
            const double d = force[k + 1][c] - 2.0 * force[k][c] + force[k - 1][c];
            second += d * d;
        }
        const double turn = angle_between(force[k], force[k - 1]);
        angle += turn * turn;
        jerk += second;
    }
    const double n = (double)(count - 2);
    return (roughness){sqrt(angle / n), sqrt(jerk / n)};
}

// force [count][3] of the slide, and the same below 30 Hz: under a bell curve that is -3 dB there.
// Near the ends it is from the ticks that the trace has beyond them.
static void take_forces(const pal_feel_view *v, double (*force)[3], double (*smooth)[3]) {
    const double sigma = sqrt(log(2.0)) / (6.283185307179586 * smooth_hz * v->dt); // ticks
    const int64_t reach = (int64_t)ceil(4.0 * sigma);
    for (int64_t k = v->slide.first; k <= v->slide.last; k++) {
        double sum[3] = {0.0, 0.0, 0.0}, weights = 0.0;
        for (int64_t i = k - reach; i <= k + reach; i++) {
            const double z = (double)(i - k) / sigma, weight = exp(-0.5 * z * z);
            if (i >= 0 && i < v->count) {
                weights += weight;
                for (int c = 0; c < 3; c++) {
                    sum[c] += weight * v->trace->row[i].force[c];
                }
            }
        }
        for (int c = 0; c < 3; c++) {
            force[k - v->slide.first][c] = v->trace->row[k].force[c];
            smooth[k - v->slide.first][c] = sum[c] / weights;
        }
    }
}

// What the steps of the encoder alone make of a smooth force: K times how far the reading is from
// the path, tick by tick.
static void add_steps(const pal_feel_view *v, double (*smooth)[3]) {
    for (int64_t k = v->slide.first; k <= v->slide.last; k++) {
        for (int c = 0; c < 3; c++) {
            const double off = v->trace->row[k].position[c] - v->path[k][c];
            smooth[k - v->slide.first][c] -= v->stiffness * off;
        }
    }
}

// N, what a force may change by from tick to tick, rms, without being felt.
static double unfelt(const pal_feel_view *v) {
    return pal_metric_at(PAL_METRIC_BUZZ)->limit * 2.0 * sin(3.141592653589793 * smooth_hz * v->dt);
}

static void score_rough(pal_feel_view *v, pal_metric_id metric, double value, double truth,
                        double smooth, double floor, const char *unit) {
    const bool known = !isnan(truth);
    const double reference = hypot(known ? truth : smooth, floor);
    pal_feel_score(v, metric, fmax(0.0, value / reference - 1.0), "%.3g %s; %.3g %s, %.3g not felt",
                   value, unit, known ? truth : smooth,
                   known ? "over a smooth surface"
                         : "in the same force below 30 Hz with the encoder's steps (no smooth "
                           "surface known)",
                   floor);
}

static double mean_size(const double (*force)[3], int64_t count) {
    double sum = 0.0;
    for (int64_t k = 0; k < count; k++) {
        sum += pal_norm3(force[k]) / (double)count;
    }
    return sum;
}

static void measure_slide(pal_feel_view *v, double (*force)[3], double (*smooth)[3]) {
    const int64_t count = v->slide.last + 1 - v->slide.first;
    take_forces(v, force, smooth);
    add_steps(v, smooth);
    const roughness own = rough((const double(*)[3])force, count);
    const roughness other = rough((const double(*)[3])smooth, count);
    const double floor = unfelt(v), mean = mean_size((const double(*)[3])force, count);
    score_rough(v, PAL_METRIC_EDGE_ANGLE, own.angle, v->truth.smooth_angle, other.angle,
                floor / mean, "rad a tick");
    score_rough(v, PAL_METRIC_EDGE_JERK, own.jerk, v->truth.smooth_jerk, other.jerk, floor,
                "N a tick^2");
}

void pal_feel_measure_edge(pal_feel_view *v) {
    if (!v->judged[PAL_METRIC_EDGE_ANGLE] && !v->judged[PAL_METRIC_EDGE_JERK]) {
        return;
    }
    if (!pal_feel_is_window(v->slide)) {
        pal_feel_score(v, PAL_METRIC_EDGE_ANGLE, NAN, "no steady slide in contact");
        pal_feel_score(v, PAL_METRIC_EDGE_JERK, NAN, "no steady slide in contact");
        return;
    }
    const size_t count = (size_t)(v->slide.last + 1 - v->slide.first);
    double(*force)[3] = pal_alloc(count, sizeof *force, v->err);
    double(*smooth)[3] = pal_alloc(count, sizeof *smooth, v->err);
    if (force == NULL || smooth == NULL) {
        v->status = PAL_ERR_MEMORY;
    } else {
        measure_slide(v, force, smooth);
    }
    free(force);
    free(smooth);
}
