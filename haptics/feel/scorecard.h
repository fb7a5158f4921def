// What is measured of a contact and how it is judged: the metrics with their gates (FEEL.md 5), and
// the scores of one trial or of many.
//
// Values are in SI units or plain ratios; `scale` and `unit` are for people. A gate holds when
// |value| <= limit; a metric whose limit is not a number is only reported.
#ifndef PAL_FEEL_SCORECARD_H
#define PAL_FEEL_SCORECARD_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/hash.h"
#include "sim/base/status.h"

typedef enum pal_metric_id {
    PAL_METRIC_STIFFNESS,       // rendered over the model's, first 2 mm, less 1
    PAL_METRIC_STIFFNESS_AT_1N, // the same at 1 N
    PAL_METRIC_SLOPE,           // N/m, rendered, first 2 mm
    PAL_METRIC_FELT,            // felt stiffness over that of the model with its dents, less 1
    PAL_METRIC_INDENTATION,     // force over full neo-Hookean elements along the press, less 1
    PAL_METRIC_HERTZ,           // force at 1 mm over that of Hertz, less 1
    PAL_METRIC_BENDING,         // large bending over full StVK elements, less 1
    PAL_METRIC_PATH_ERROR,      // rms force error along the path over the rms force
    PAL_METRIC_BASIS_ALONE,     // what the basis alone would have felt over full elements
    PAL_METRIC_PENETRATION,     // m at 1 N
    PAL_METRIC_POP_THROUGH,     // passes
    PAL_METRIC_FORCE_STEP,      // over the force
    PAL_METRIC_BUZZ,            // N rms, 30-300 Hz
    PAL_METRIC_ENERGY,          // J made in a press and release
    PAL_METRIC_PUSH,            // impulse on the hand over that on the body, less 1
    PAL_METRIC_HYSTERESIS,      // loss of the loop over the model's own, less 1
    PAL_METRIC_LEAK,            // N in free space
    PAL_METRIC_LATENCY,         // ticks
    PAL_METRIC_RATE_HARDNESS,   // N/s by m/s
    PAL_METRIC_ONSET,           // peak of the first 10 ms over the static force
    PAL_METRIC_ONSET_ORDER,     // pairs of taps in which the faster one hits less hard
    PAL_METRIC_BREAKAWAY,       // over the surface's static friction, less 1
    PAL_METRIC_SLIDING,         // over its sliding friction, less 1
    PAL_METRIC_EDGE_ANGLE,      // rms angle a tick over that of a smooth surface, less 1
    PAL_METRIC_EDGE_JERK,       // rms second difference, likewise
    PAL_METRIC_STALL_STEP,      // force step while the body is frozen, over the force
    PAL_METRIC_MISSES,          // deadlines
    PAL_METRIC_LONGEST_MISS,    // of them in a row
    PAL_METRIC_COMPUTE_P50,     // s
    PAL_METRIC_COMPUTE_P99,     // s
    PAL_METRIC_COMPUTE_P9999,   // s
    PAL_METRIC_COMPUTE_MAX,     // s
    PAL_METRIC_COUNT
} pal_metric_id;

typedef struct pal_metric {
    const char *key;        // "force_step": in files and options
    const char *name;       // "force step"
    const char *unit;       // of what is shown: "%", "mN"
    double scale;           // shown = scale * value
    double limit;           // |value| <= limit; NAN: only reported
    bool timing;            // depends on the machine, not on the run alone: not in the hash
    const char *definition; // how it is computed
    const char *passes;     // what it means to the hand, in one plain sentence
    const char *fails;
} pal_metric;

// The table; NULL past the end.
const pal_metric *pal_metric_at(int id);
// By key; -1: there is none of that name.
int pal_metric_find(const char *key);

typedef enum pal_verdict {
    PAL_VERDICT_PASS,
    PAL_VERDICT_FAIL,
    PAL_VERDICT_REPORTED, // measured, no gate
    PAL_VERDICT_UNKNOWN,  // could not be measured; the note says why
} pal_verdict;
const char *pal_verdict_name(pal_verdict verdict); // "pass", "fail", "reported", "not measured"

enum { PAL_SCORE_NOTE = 192, PAL_TRIAL_NAME = 32 };

typedef struct pal_score {
    pal_metric_id metric;
    char trial[PAL_TRIAL_NAME];
    double value; // NAN: not measured
    pal_verdict verdict;
    char note[PAL_SCORE_NOTE]; // what it was compared with, or why it could not be measured; ""
} pal_score;

typedef struct pal_scorecard {
    int count, room;
    pal_score *score; // [count], owned
} pal_scorecard;

// Adds a score and judges it: by the metric's gate, or as not measured when value is NAN. The note
// is a printf format. PAL_ERR_MEMORY is the only failure.
pal_status pal_scorecard_add(pal_scorecard *card, pal_metric_id metric, const char *trial,
                             double value, pal_err *err, const char *note, ...) PAL_PRINTF(6, 7);
pal_status pal_scorecard_append(pal_scorecard *card, const pal_scorecard *more, pal_err *err);
void pal_scorecard_free(pal_scorecard *card);

// The worst score of a metric: a failed one before a passed one, by how far it is from its gate;
// NULL: none was measured. (of several that are reported only: the largest)
const pal_score *pal_scorecard_worst(const pal_scorecard *card, pal_metric_id metric);

// The score that speaks for a metric: the worst, or one that says why there is none; NULL: the
// metric has no place in this card.
const pal_score *pal_scorecard_speaks(const pal_scorecard *card, pal_metric_id metric);

typedef struct pal_tally { // metrics with a gate, each by the score that speaks for it
    int passed, failed, unmeasured;
} pal_tally;
pal_tally pal_scorecard_tally(const pal_scorecard *card);

// Over everything but what depends on the machine's time.
void pal_scorecard_hash(const pal_scorecard *card, char hash[PAL_HASH_TEXT]);

#endif
