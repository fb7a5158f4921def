// What the metrics share: a trace with what was found in it. For measure*.c alone.
//
// The place of a device comes in steps of its encoder. Its path between them is taken as the
// straight lines through the moments at which the reading changes, where the device was half way
// between the two readings: energy and speed are those of this path, while forces are compared with
// the readings that made them.
#ifndef PAL_FEEL_MEASURE_PARTS_H
#define PAL_FEEL_MEASURE_PARTS_H

#include <math.h>

#include "haptics/feel/measure.h"
#include "sim/base/vec3.h"

typedef struct pal_feel_view {
    const pal_feel_trace *trace;
    pal_feel_truth truth; // arrays borrowed
    int64_t count;
    double dt;
    double (*path)[3];      // [count] m, of the device between the steps of its encoder
    double (*lean)[3];      // [count] N, the force along the normals
    bool *touch;            // [count] in contact
    bool *joined;           // [count] the same, gaps shorter than 50 ms closed
    double *depth;          // [count] m, along the axis, from where the press began
    double axis[3];         // unit, the normal where the press began
    pal_feel_window press;  // the longest contact; of a tap the first (then it bounces)
    pal_feel_window inward; // and the way in
    pal_feel_window hold, slide;
    double stiffness; // N/m that the way in shows, its stiffest part; 0: not known

    // Where the scores go
    const bool *judged; // [PAL_METRIC_COUNT]
    pal_scorecard *card;
    pal_status status;
    pal_err *err;
} pal_feel_view;

// truth may be NULL. After a failure there is nothing to close.
pal_status pal_feel_view_open(pal_feel_view *view, const pal_feel_trace *trace,
                              const pal_feel_truth *truth, pal_err *err);
void pal_feel_view_close(pal_feel_view *view);

// Adds a score, when the trial is judged by this metric. The note is a printf format.
void pal_feel_score(pal_feel_view *view, pal_metric_id metric, double value, const char *note, ...)
    PAL_PRINTF(4, 5);

static inline bool pal_feel_is_window(pal_feel_window window) {
    return window.first <= window.last;
}

// The next run of true in flag [count] from tick k on.
pal_feel_window pal_feel_run_from(const bool *flag, int64_t count, int64_t k);

// Whether the force of this tick is scaled down by the start-up ramp.
static inline bool pal_feel_ramps(const pal_feel_view *view, int64_t k) {
    return view->trace->row[k].outcome & PAL_OUT_RAMP;
}

// Least squares of y over x: added up, then the slope and the value at x.
typedef struct pal_feel_line {
    double n, x, y, xx, xy;
} pal_feel_line;
void pal_feel_line_add(pal_feel_line *line, double x, double y);
double pal_feel_line_slope(const pal_feel_line *line); // NAN: no two places
double pal_feel_line_at(const pal_feel_line *line, double x);

// The energy that the hand has put in since tick `first`, J, energy[k - first] at ticks k =
// first..last, against a force [count][3] or, when that is NULL, against the force applied: sent,
// and late by the actuator's delay.
void pal_feel_put_in(const pal_feel_view *view, const double *force, int64_t first, int64_t last,
                     double *energy);

// The groups; each adds the scores of its metrics.
void pal_feel_measure_stiffness(pal_feel_view *view);
void pal_feel_measure_truth(pal_feel_view *view);   // indentation, bending, path error, basis
void pal_feel_measure_contact(pal_feel_view *view); // penetration, pop-through, leak, latency
void pal_feel_measure_onset(pal_feel_view *view);   // rate-hardness, onset transient
void pal_feel_measure_steps(pal_feel_view *view);   // force step, stall step
void pal_feel_measure_buzz(pal_feel_view *view);
void pal_feel_measure_energy(pal_feel_view *view); // energy, hysteresis
void pal_feel_measure_push(pal_feel_view *view);   // hand against body
void pal_feel_measure_friction(pal_feel_view *view);
void pal_feel_measure_edge(pal_feel_view *view);
void pal_feel_measure_times(pal_feel_view *view);

#endif
