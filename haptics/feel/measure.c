// The one way from a trace to its scores.
#include "haptics/feel/measure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/feel/measure_parts.h"
#include "sim/base/memory.h"

// Which trials are judged by a metric, as bits 1 << pal_trial_kind. A recording of any kind is by
// all but what needs several trials or a planned stall.
#define KIND(name) (1u << PAL_TRIAL_##name)
enum {
    ALL = (1u << PAL_TRIAL_KINDS) - 1,
    TOUCHING = ALL & ~KIND(FREE),
    PRESSED = KIND(ANY) | KIND(PRESS),
    STATIC = PRESSED | KIND(HOLD) | KIND(GRIP),
    SLIDES = KIND(ANY) | KIND(SLIDE) | KIND(EDGE),
};
static const unsigned judges[PAL_METRIC_COUNT] = {
    [PAL_METRIC_STIFFNESS] = PRESSED,
    [PAL_METRIC_STIFFNESS_AT_1N] = PRESSED,
    [PAL_METRIC_SLOPE] = PRESSED,
    [PAL_METRIC_FELT] = STATIC,
    [PAL_METRIC_INDENTATION] = PRESSED,
    [PAL_METRIC_HERTZ] = PRESSED,
    [PAL_METRIC_BENDING] = KIND(BEND),
    [PAL_METRIC_PATH_ERROR] = PRESSED | KIND(HOLD) | KIND(BEND) | KIND(SLIDE),
    [PAL_METRIC_BASIS_ALONE] = PRESSED,
    [PAL_METRIC_PENETRATION] = TOUCHING,
    [PAL_METRIC_POP_THROUGH] = TOUCHING,
    [PAL_METRIC_FORCE_STEP] = TOUCHING & ~KIND(STALL),
    [PAL_METRIC_BUZZ] = KIND(ANY) | KIND(HOLD) | KIND(GRIP),
    [PAL_METRIC_ENERGY] = TOUCHING & ~KIND(TWO_TOOLS), // what one hand puts in the other may get
    [PAL_METRIC_PUSH] = TOUCHING & ~KIND(STALL),
    [PAL_METRIC_HYSTERESIS] = PRESSED,
    [PAL_METRIC_LEAK] = ALL,
    [PAL_METRIC_LATENCY] = PRESSED | KIND(TAP),
    [PAL_METRIC_RATE_HARDNESS] = KIND(ANY) | KIND(TAP),
    [PAL_METRIC_ONSET] = KIND(ANY) | KIND(TAP),
    [PAL_METRIC_BREAKAWAY] = KIND(ANY) | KIND(FRICTION),
    [PAL_METRIC_SLIDING] = KIND(ANY) | KIND(FRICTION),
    [PAL_METRIC_EDGE_ANGLE] = SLIDES,
    [PAL_METRIC_EDGE_JERK] = SLIDES,
    [PAL_METRIC_STALL_STEP] = KIND(STALL),
    [PAL_METRIC_MISSES] = ALL,
    [PAL_METRIC_LONGEST_MISS] = ALL,
    [PAL_METRIC_COMPUTE_P50] = ALL,
    [PAL_METRIC_COMPUTE_P99] = ALL,
    [PAL_METRIC_COMPUTE_P9999] = ALL,
    [PAL_METRIC_COMPUTE_MAX] = ALL,
};

void pal_feel_score(pal_feel_view *v, pal_metric_id metric, double value, const char *note, ...) {
    if (v->status != PAL_OK || !v->judged[metric]) {
        return;
    }
    char text[PAL_SCORE_NOTE];
    va_list args;
    va_start(args, note);
    vsnprintf(text, sizeof text, note, args);
    va_end(args);
    const pal_feel_trace *trace = v->trace;
    v->status = pal_scorecard_add(
        v->card, metric, trace->name[0] != '\0' ? trace->name : pal_trial_kind_name(trace->kind),
        value, v->err, "%s", text);
}

pal_status pal_feel_measure(const pal_feel_trace *trace, const pal_feel_truth *truth,
                            pal_scorecard *card, pal_err *err) {
    pal_feel_view view;
    bool judged[PAL_METRIC_COUNT];
    pal_status status = pal_feel_view_open(&view, trace, truth, err);
    if (status != PAL_OK) {
        return status;
    }
    for (int id = 0; id < PAL_METRIC_COUNT; id++) {
        judged[id] = judges[id] >> trace->kind & 1;
    }
    view.judged = judged;
    view.card = card;
    pal_feel_measure_stiffness(&view);
    pal_feel_measure_truth(&view);
    pal_feel_measure_contact(&view);
    pal_feel_measure_steps(&view);
    pal_feel_measure_buzz(&view);
    pal_feel_measure_energy(&view);
    pal_feel_measure_push(&view);
    pal_feel_measure_onset(&view);
    pal_feel_measure_friction(&view);
    pal_feel_measure_edge(&view);
    pal_feel_measure_times(&view);
    status = view.status;
    pal_feel_view_close(&view);
    return status;
}

// ---- windows and curves for plots

pal_feel_window pal_feel_contact(const pal_feel_trace *trace, int n) {
    pal_feel_view view;
    pal_feel_window run = {0, -1};
    if (pal_feel_view_open(&view, trace, NULL, NULL) != PAL_OK) {
        return run;
    }
    for (int i = 0; i <= n && (i == 0 || pal_feel_is_window(run)); i++) {
        run = pal_feel_run_from(view.joined, view.count, run.last + 1);
    }
    pal_feel_view_close(&view);
    return run;
}

pal_feel_window pal_feel_hold(const pal_feel_trace *trace) {
    pal_feel_view view;
    pal_feel_window hold = {0, -1};
    if (pal_feel_view_open(&view, trace, NULL, NULL) == PAL_OK) {
        hold = view.hold;
        pal_feel_view_close(&view);
    }
    return hold;
}

pal_feel_window pal_feel_slide(const pal_feel_trace *trace) {
    pal_feel_view view;
    pal_feel_window slide = {0, -1};
    if (pal_feel_view_open(&view, trace, NULL, NULL) == PAL_OK) {
        slide = view.slide;
        pal_feel_view_close(&view);
    }
    return slide;
}

double *pal_feel_depths(const pal_feel_trace *trace) {
    pal_feel_view view;
    double *depth = NULL;
    if (pal_feel_view_open(&view, trace, NULL, NULL) != PAL_OK) {
        return NULL;
    }
    if (pal_feel_is_window(view.press)) {
        depth = view.depth;
        view.depth = NULL; // given away
    }
    pal_feel_view_close(&view);
    return depth;
}

double *pal_feel_energy(const pal_feel_trace *trace) {
    pal_feel_view view;
    double *energy = NULL;
    if (pal_feel_view_open(&view, trace, NULL, NULL) != PAL_OK) {
        return NULL;
    }
    if ((energy = PAL_NEW(double, trace->count, NULL)) != NULL) {
        pal_feel_put_in(&view, NULL, 0, trace->count - 1, energy);
    }
    pal_feel_view_close(&view);
    return energy;
}
