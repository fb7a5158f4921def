// Many suites at once: `--sweep young=5e3:50e3:10 --sweep grip=loose,firm` is one suite for each of
// the twenty pairs, and a table of what was worst in each.
#ifndef PAL_APP_FEEL_SWEEP_H
#define PAL_APP_FEEL_SWEEP_H

#include "app/feel/feel.h"
#include "app/json.h"

enum { PAL_SWEEP_AXES = 4, PAL_SWEEP_VALUES = 64, PAL_SWEEP_POINTS = 1000 };

typedef struct pal_sweep_axis {
    int key; // place in the table of what can be varied
    int count;
    char text[PAL_SWEEP_VALUES][32]; // as shown, and as taken where it is a word
    double number[PAL_SWEEP_VALUES]; // NAN for words
} pal_sweep_axis;

typedef struct pal_sweep {
    int axis_count;
    pal_sweep_axis axis[PAL_SWEEP_AXES];
    int point_count;
    pal_scorecard *card; // [point_count], the last axis running fastest
} pal_sweep;

// What can be varied, for help and errors: "young, delay, ...".
const char *pal_sweep_keys(void);

// Texts "KEY=FROM:TO:COUNT" (evenly spaced) or "KEY=A,B,C". Errors name the text.
pal_status pal_sweep_read(pal_sweep *sweep, const char *const *text, int count, pal_err *err);
void pal_sweep_free(pal_sweep *sweep);

// Runs them all; each suite is quick (no full elements) and uses all threads.
pal_status pal_sweep_run(pal_sweep *sweep, const char *scene, const pal_feel_wish *wish,
                         const pal_progress *progress, pal_err *err);

// The place of a point on an axis.
int pal_sweep_place(const pal_sweep *sweep, int point, int axis);
const char *pal_sweep_axis_name(const pal_sweep *sweep, int axis); // "young"
const char *pal_sweep_axis_unit(const pal_sweep *sweep, int axis); // "Pa", "" for words

// What was worst, point by point: on standard output, as JSON, as a CSV file, and as a page of
// small multiples.
void pal_sweep_print(const pal_sweep *sweep);
void pal_sweep_json(const pal_sweep *sweep, cJSON *root);
pal_status pal_sweep_write_csv(const pal_sweep *sweep, const char *path, pal_err *err);
pal_status pal_sweep_write_html(const pal_sweep *sweep, const char *scene, const char *path,
                                pal_err *err);

#endif
