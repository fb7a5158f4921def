// From traces to scores: the truth of every trial, its metrics, and what only several trials tell.
#include <stdlib.h>

#include "app/feel/feel.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

// How fast a tool was when it first touched, m/s.
static double impact_speed(const pal_feel_trace *trace) {
    const pal_feel_window contact = pal_feel_contact(trace, 0);
    return contact.first <= contact.last ? pal_norm3(trace->row[contact.first].velocity) : 0.0;
}

static int by_impact(const void *a, const void *b) {
    const double x = impact_speed(a), y = impact_speed(b);
    return (x > y) - (x < y);
}

// What needs several trials. The traces are borrowed.
static pal_status judge_together(pal_feel *feel, pal_err *err) {
    pal_feel_trace *trace = PAL_NEW(pal_feel_trace, 2 * feel->trial_count + 1, err);
    if (trace == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_feel_trace *tap = trace + feel->trial_count;
    int taps = 0;
    for (int i = 0; i < feel->trial_count; i++) {
        trace[i] = feel->trial[i].seen;
        if (feel->trial[i].kind == PAL_TRIAL_TAP) {
            tap[taps++] = trace[i];
        }
    }
    qsort(tap, (size_t)taps, sizeof *tap, by_impact);
    pal_status status = taps > 1 ? pal_feel_measure_taps(tap, taps, &feel->card, err) : PAL_OK;
    if (status == PAL_OK && feel->trial_count > 1) {
        status = pal_feel_measure_all_times(trace, feel->trial_count, &feel->card, err);
    }
    free(trace);
    return status;
}

pal_status pal_feel_judge(pal_feel *feel, const pal_progress *progress, pal_err *err) {
    pal_status status = PAL_OK;
    for (int i = 0; status == PAL_OK && i < feel->trial_count; i++) {
        pal_feel_trial *trial = &feel->trial[i];
        pal_progress_report(progress, "truth", (double)i / feel->trial_count);
        if (trial->text != NULL) { // a recording of another device names no scene
            status = pal_feel_find_truth(feel, trial, NULL, err);
        }
        if (status == PAL_OK) {
            status = pal_feel_measure(&trial->seen, &trial->truth, &trial->card, err);
        }
        if (status == PAL_OK) {
            status = pal_scorecard_append(&feel->card, &trial->card, err);
        }
    }
    pal_progress_report(progress, "truth", 1.0);
    return status == PAL_OK ? judge_together(feel, err) : status;
}
