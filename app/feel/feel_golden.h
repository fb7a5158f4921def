// Golden scorecards: what a scene felt like when it was right, in a file that CI compares with.
//
// The file is JSON: the scores of every trial (without those that depend on the machine's time),
// and for each metric how far a value may be off: |value - golden| <= absolute + relative |golden|.
// Both can be edited by hand.
#ifndef PAL_APP_FEEL_GOLDEN_H
#define PAL_APP_FEEL_GOLDEN_H

#include "haptics/feel/scorecard.h"

typedef struct pal_golden_difference {
    pal_metric_id metric;
    char trial[PAL_TRIAL_NAME];
    double golden, value; // NAN: not measured
    double allowed;       // how far off it may be
} pal_golden_difference;

typedef struct pal_golden_result {
    int compared;                      // scores
    int missing;                       // that the file has and the card does not
    int added;                         // the other way round
    int left_out;                      // that the file has, of trials that were not wanted
    int different;                     // too far off; missing ones are among them
    pal_golden_difference *difference; // [different], owned
} pal_golden_result;

// Writes the card to path, whole or not at all. scene and program are for people.
pal_status pal_golden_record(const char *path, const pal_scorecard *card, const char *scene,
                             const char *program, pal_err *err);

// Whether a list of names, separated by commas, has this one; NULL has none.
bool pal_feel_lists(const char *list, const char *name);

// Compares the card with the file; with `only` (names of trials, separated by commas; NULL: all)
// what the file has of these trials alone, and no score that is of several trials. A file that is
// no golden scorecard, of another scene, or garbled is an error; differences are not. Free the
// result's list with free().
pal_status pal_golden_check(const char *path, const pal_scorecard *card, const char *scene,
                            const char *only, pal_golden_result *result, pal_err *err);

#endif
