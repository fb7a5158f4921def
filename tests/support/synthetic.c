#include "tests/support/synthetic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

synthetic synthetic_press(void) {
    return (synthetic){
        .above = 5e-3, .depth = 4e-3, .speed = 10e-3, .hold = 1.5, .stiffness = 500.0};
}

static double stroke(const synthetic *s) {
    return (s->above + s->depth) / s->speed;
}

double synthetic_height(const synthetic *s, double t) {
    const double down = stroke(s), up = t - down - s->hold;
    return t < down ? s->above - s->speed * t
                    : fmin(s->above, -s->depth + s->speed * fmax(0.0, up));
}

double synthetic_rate(const synthetic *s, double t) {
    const double down = stroke(s), up = t - down - s->hold;
    return t < down ? -s->speed : up >= 0.0 && up < down ? s->speed : 0.0;
}

static void fill(pal_tick_record *row, int64_t k, const synthetic *s) {
    const double t = 1e-3 * (double)k, true_height = synthetic_height(s, t);
    const double step = s->resolution;
    const double height = step > 0.0 ? step * round(true_height / step) : true_height;
    *row = (pal_tick_record){.tick = (uint64_t)k,
                             .time = t,
                             .position = {0.01, 0.02, height},
                             .turn = {1.0},
                             .present = 1,
                             .sequence = (uint64_t)k + 1,
                             .tool = {0.01, 0.02, height + 10e-6},
                             .compute_us = 20.0};
    if (height < 0.0) {
        const double push = fmax(0.0, -s->stiffness * height - s->damping * synthetic_rate(s, t));
        row->touching = 1;
        row->depth = 50e-6;
        row->normal[2] = 1.0;
        row->point[0] = 0.01;
        row->point[1] = 0.02;
        row->force[2] = row->wanted[2] = row->push[2] = push;
    }
}

void synthetic_open(pal_feel_trace *trace, pal_trial_kind kind, const synthetic *s) {
    pal_err err = {0};
    const int64_t count = (int64_t)ceil(1e3 * (2.0 * stroke(s) + s->hold)) + 300;
    *trace = (pal_feel_trace){.kind = kind, .dt = 1e-3, .virtual_time = true, .count = count};
    trace->limits.resolution = s->resolution;
    snprintf(trace->name, sizeof trace->name, "%s", pal_trial_kind_name(kind));
    trace->row = PAL_NEW(pal_tick_record, count, &err);
    TEST_ASSERT_NOT_NULL(trace->row);
    for (int64_t k = 0; k < count; k++) {
        fill(&trace->row[k], k, s);
    }
}

double *synthetic_force(const pal_feel_trace *trace, double factor, int every) {
    pal_err err = {0};
    double *force = PAL_NEW(double, 3 * trace->count, &err);
    TEST_ASSERT_NOT_NULL(force);
    for (int64_t k = 0; k < trace->count; k++) {
        for (int c = 0; c < 3; c++) {
            force[3 * k + c] = k % every == 0 ? factor * trace->row[k].force[c] : NAN;
        }
    }
    return force;
}

pal_scorecard synthetic_measure(const pal_feel_trace *trace, const pal_feel_truth *truth) {
    pal_err err = {0};
    pal_scorecard card = {0};
    CHECK_OK(pal_feel_measure(trace, truth, &card, &err), err);
    return card;
}

pal_score synthetic_score(const pal_feel_trace *trace, const pal_feel_truth *truth,
                          pal_metric_id metric) {
    pal_scorecard card = synthetic_measure(trace, truth);
    pal_score found = {.metric = PAL_METRIC_COUNT};
    for (int i = 0; i < card.count; i++) {
        found = card.score[i].metric == metric ? card.score[i] : found;
    }
    pal_scorecard_free(&card);
    TEST_ASSERT_EQUAL_INT_MESSAGE(metric, found.metric, pal_metric_at(metric)->key);
    return found;
}

void synthetic_expect(pal_score score, double value, double within, pal_verdict verdict) {
    char text[512];
    snprintf(text, sizeof text, "%s: %.9g, expected %.9g +- %.3g; %s, expected %s; %s",
             pal_metric_at(score.metric)->key, score.value, value, within,
             pal_verdict_name(score.verdict), pal_verdict_name(verdict), score.note);
    const bool near = isnan(value) ? isnan(score.value) : fabs(score.value - value) <= within;
    TEST_ASSERT_TRUE_MESSAGE(near && score.verdict == verdict && score.note[0] != '\0', text);
}
