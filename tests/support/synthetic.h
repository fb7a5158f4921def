// Traces whose metrics are known: a hand that comes down onto a surface at z = 0, and what it feels
// there.
#ifndef PAL_TESTS_SYNTHETIC_H
#define PAL_TESTS_SYNTHETIC_H

#include "haptics/feel/measure.h"
#include "tests/support/check.h"

typedef struct synthetic {
    double above;      // m, where the hand begins and ends
    double depth;      // m
    double speed;      // m/s, down and up, constant
    double hold;       // s
    double resolution; // m, of the encoder; 0: none
    double stiffness;  // N/m
    double damping;    // N s/m
} synthetic;

// 5 mm above, 4 mm deep at 10 mm/s, held 1.5 s; 500 N/m.
synthetic synthetic_press(void);

// The hand's place, m above the surface, and its velocity.
double synthetic_height(const synthetic *s, double t);
double synthetic_rate(const synthetic *s, double t);

// A trace of it: a wall with a tool that stays 10 um behind the hand (so that it is no wall on the
// device itself). Free with pal_feel_trace_free.
void synthetic_open(pal_feel_trace *trace, pal_trial_kind kind, const synthetic *s);

// The force of the rows, times `factor`, as truth [count][3]; every n-th tick, the rest NAN.
double *synthetic_force(const pal_feel_trace *trace, double factor, int every);

// The scores of a trace; free with pal_scorecard_free. And that of one metric, which must be there.
pal_scorecard synthetic_measure(const pal_feel_trace *trace, const pal_feel_truth *truth);
pal_score synthetic_score(const pal_feel_trace *trace, const pal_feel_truth *truth,
                          pal_metric_id metric);

// The score has this value (within `within`) and verdict.
void synthetic_expect(pal_score score, double value, double within, pal_verdict verdict);

#endif
