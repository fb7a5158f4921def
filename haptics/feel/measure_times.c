// Deadlines and compute times.
#include <stdlib.h>
#include <string.h>

#include "haptics/feel/measure_parts.h"
#include "sim/base/memory.h"

static void measure_misses(pal_feel_view *v) {
    const char *why = v->trace->virtual_time                   ? "virtual time has no deadlines"
                      : v->trace->missing & PAL_FEEL_NO_MISSES ? "the trace has no column missed"
                                                               : NULL;
    if (why != NULL) {
        pal_feel_score(v, PAL_METRIC_MISSES, NAN, "%s", why);
        pal_feel_score(v, PAL_METRIC_LONGEST_MISS, NAN, "%s", why);
        return;
    }
    uint64_t misses = 0, run = 0, longest = 0;
    for (int64_t k = 0; k < v->count; k++) {
        const uint32_t missed = v->trace->row[k].missed;
        misses += missed;
        run = missed > 0 ? run + missed : 0;
        longest = run > longest ? run : longest;
    }
    pal_feel_score(v, PAL_METRIC_MISSES, (double)misses, "of %lld ticks", (long long)v->count);
    pal_feel_score(v, PAL_METRIC_LONGEST_MISS, (double)longest, "in a row");
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The times of all ticks, sorted, on the heap; NULL: no memory.
static double *sorted_times(const pal_feel_trace *trace, int traces, int64_t *count, pal_err *err) {
    *count = 0;
    for (int i = 0; i < traces; i++) {
        *count += trace[i].count;
    }
    double *us = PAL_NEW(double, *count, err);
    int64_t used = 0;
    for (int i = 0; us != NULL && i < traces; i++) {
        for (int64_t k = 0; k < trace[i].count; k++) {
            us[used++] = trace[i].row[k].compute_us;
        }
    }
    if (us != NULL) {
        qsort(us, (size_t)*count, sizeof *us, compare);
    }
    return us;
}

// s that a share of the ticks did not exceed.
static double quantile(const double *us, int64_t count, double share) {
    const int64_t rank = (int64_t)ceil(share * (double)count - 1e-9);
    return 1e-6 * us[rank > 0 ? rank - 1 : 0];
}

enum { FEWEST = 10000 }; // ticks, for one in ten thousand

void pal_feel_measure_times(pal_feel_view *v) {
    static const struct {
        pal_metric_id metric;
        double share;
    } quantiles[] = {{PAL_METRIC_COMPUTE_P50, 0.5},
                     {PAL_METRIC_COMPUTE_P99, 0.99},
                     {PAL_METRIC_COMPUTE_P9999, 0.9999},
                     {PAL_METRIC_COMPUTE_MAX, 1.0}};
    measure_misses(v);
    int64_t count;
    double *us = sorted_times(v->trace, 1, &count, v->err);
    if (us == NULL) {
        v->status = PAL_ERR_MEMORY;
        return;
    }
    for (int i = 0; i < 4; i++) {
        const bool few = quantiles[i].metric == PAL_METRIC_COMPUTE_P9999 && count < FEWEST;
        if (v->trace->missing & PAL_FEEL_NO_TIMES) {
            pal_feel_score(v, quantiles[i].metric, NAN, "the trace has no column compute_us");
        } else if (few) {
            pal_feel_score(v, quantiles[i].metric, NAN, "%lld ticks are fewer than %d",
                           (long long)count, FEWEST);
        } else {
            pal_feel_score(v, quantiles[i].metric, quantile(us, count, quantiles[i].share),
                           "of %lld ticks", (long long)count);
        }
    }
    free(us);
}

pal_status pal_feel_measure_all_times(const pal_feel_trace *trace, int traces, pal_scorecard *card,
                                      pal_err *err) {
    int64_t count;
    double *us = sorted_times(trace, traces, &count, err);
    if (us == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = PAL_OK;
    if (count >= FEWEST) {
        status =
            pal_scorecard_add(card, PAL_METRIC_COMPUTE_P9999, "all", quantile(us, count, 0.9999),
                              err, "of %lld ticks of all trials", (long long)count);
    }
    free(us);
    return status;
}
