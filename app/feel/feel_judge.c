// From traces to scores: the truth of every trial, its metrics, and what only several trials tell.
#include <math.h>
#include <stdlib.h>

#include "app/feel/feel_try.h"
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
    int taps = 0, count = 0;
    for (int i = 0; i < feel->trial_count; i++) {
        const pal_feel_trial *trial = &feel->trial[i];
        if (!pal_incident_is_measured(trial->incident.kind)) {
            continue;
        }
        trace[count++] = trial->seen;
        if (trial->kind == PAL_TRIAL_TAP) {
            tap[taps++] = trial->seen;
        }
    }
    qsort(tap, (size_t)taps, sizeof *tap, by_impact);
    pal_status status = taps > 1 ? pal_feel_measure_taps(tap, taps, &feel->card, err) : PAL_OK;
    if (status == PAL_OK && count > 1) {
        status = pal_feel_measure_all_times(trace, count, &feel->card, err);
    }
    free(trace);
    return status;
}

// The truth beside a trial; that there is none is told, and the trial measured without.
static pal_status find_truth(const pal_feel *feel, pal_feel_trial *trial, pal_err *err) {
    pal_err inner;
    if (trial->text == NULL) { // a recording of another device names no scene
        return PAL_OK;
    }
    const pal_status status = pal_feel_find_truth(feel, trial, NULL, &inner);
    if (status == PAL_OK) {
        return PAL_OK;
    }
    if (pal_feel_stops_all(status)) {
        return pal_fail(err, status, "trial '%s': %.900s", trial->name, inner.text);
    }
    pal_feel_truth_free(&trial->truth);
    pal_incident_set(&trial->incident, PAL_INCIDENT_NO_TRUTH, NAN, "%s", inner.text);
    return PAL_OK;
}

static pal_status judge_one(pal_feel *feel, pal_feel_trial *trial, pal_err *err) {
    if (!pal_incident_is_measured(trial->incident.kind)) {
        return PAL_OK;
    }
    pal_status status = pal_feel_find_incident(&trial->seen, &trial->incident, err);
    if (status == PAL_OK) {
        status = find_truth(feel, trial, err);
    }
    if (status == PAL_OK) {
        status = pal_feel_measure(&trial->seen, &trial->truth, &trial->card, err);
    }
    return status == PAL_OK ? pal_scorecard_append(&feel->card, &trial->card, err) : status;
}

const pal_feel_trial *pal_feel_first_run(const pal_feel *feel) {
    int i = 0;
    while (i < feel->trial_count && feel->trial[i].seen.count == 0) {
        i++;
    }
    return i < feel->trial_count ? &feel->trial[i] : NULL;
}

pal_status pal_feel_check_made(const pal_feel *feel, pal_err *err) {
    const pal_feel_trial *first = NULL;
    int lost = 0;
    for (int i = 0; i < feel->trial_count; i++) {
        const pal_feel_trial *trial = &feel->trial[i];
        const bool made = pal_incident_is_measured(trial->incident.kind);
        if (made && trial->kind != PAL_TRIAL_FREE) {
            return PAL_OK;
        }
        first = first == NULL && !made ? trial : first;
        lost += !made;
    }
    return lost == 0
               ? PAL_OK
               : pal_fail(err, PAL_ERR_NUMERIC,
                          "none of %d trial%s could be made%s; the first, '%s', %s: %.700s", lost,
                          lost == 1 ? "" : "s",
                          lost < feel->trial_count ? " (beside free motion)" : "", first->name,
                          pal_incident_name(first->incident.kind), first->incident.why);
}

pal_status pal_feel_judge(pal_feel *feel, const pal_progress *progress, pal_err *err) {
    pal_status status = PAL_OK;
    for (int i = 0; status == PAL_OK && i < feel->trial_count; i++) {
        pal_progress_report(progress, "truth", (double)i / feel->trial_count);
        status = judge_one(feel, &feel->trial[i], err);
    }
    pal_progress_report(progress, "truth", 1.0);
    return status == PAL_OK ? judge_together(feel, err) : status;
}
