// All metrics of a trial from its trace: one function, used by a suite, by a recorded trace and by
// tests alike. The metrics that a kind of trial is judged by are in one table (measure.c); a trace
// of kind ANY gets all whose windows are found in it.
#ifndef PAL_FEEL_MEASURE_H
#define PAL_FEEL_MEASURE_H

#include "haptics/feel/feel_trace.h"
#include "haptics/feel/scorecard.h"

// Ticks first..last, both included; first > last: none.
typedef struct pal_feel_window {
    int64_t first, last;
} pal_feel_window;

// truth may be NULL: then what needs it is not measured, and the note says so. Adds to the card.
pal_status pal_feel_measure(const pal_feel_trace *trace, const pal_feel_truth *truth,
                            pal_scorecard *card, pal_err *err);

// What needs several trials: the order of onsets over the taps [count], slow to fast.
pal_status pal_feel_measure_taps(const pal_feel_trace *tap, int count, pal_scorecard *card,
                                 pal_err *err);

// And p99.99 of the compute time over all of them [count], of which one alone has too few ticks.
pal_status pal_feel_measure_all_times(const pal_feel_trace *trace, int count, pal_scorecard *card,
                                      pal_err *err);

// Windows in a trace, for metrics and for plots: the n-th contact (from its first touch to its
// last), the longest still hold, the longest slide; none: first > last.
pal_feel_window pal_feel_contact(const pal_feel_trace *trace, int n);
pal_feel_window pal_feel_hold(const pal_feel_trace *trace);
pal_feel_window pal_feel_slide(const pal_feel_trace *trace);

// Curves of the report, on the heap: NULL when there is nothing to show or no memory.
// Depth of the device below where the longest contact (of a tap: the first) began, along its normal
// there, m [count].
double *pal_feel_depths(const pal_feel_trace *trace);
// One-sided amplitude spectrum of the force's magnitude in a window, N; frequency k is k * *step
// Hz.
double *pal_feel_spectrum(const pal_feel_trace *trace, pal_feel_window window, int32_t *count,
                          double *step);
// Ratio of friction to normal force against the way of the hand; NAN at rest or out of contact, and
// in traces without (PAL_FEEL_NO_FRICTION).
double pal_feel_friction(const pal_tick_record *row);
// Energy that the hand has put in so far, J [count].
double *pal_feel_energy(const pal_feel_trace *trace);

#endif
