// The parts of a report of contact feel.
#ifndef PAL_APP_FEEL_REPORT_PARTS_H
#define PAL_APP_FEEL_REPORT_PARTS_H

#include "app/feel/feel.h"
#include "render/report/chart.h"
#include "render/report/html.h"

// A value as it is shown, with its unit; "-" when it is not known.
void pal_report_value(const pal_metric *metric, double value, char *text, size_t size);

// The result in one sentence, the table of verdicts, failures first, and beside another suite.
void pal_report_verdicts(pal_html *html, const pal_feel *feel, const pal_feel *other);
void pal_report_left_out(pal_html *html, const pal_feel *feel);
void pal_report_incidents(pal_html *html, const pal_feel *feel);
// The scores of one trial, but for its times; other NULL: none.
void pal_report_scores(pal_html *html, const pal_feel_trial *trial, const pal_feel_trial *other);
// The times of all trials.
void pal_report_tick_times(pal_html *html, const pal_feel *feel);

// The charts of one trial, and of all of them together.
pal_status pal_report_charts(pal_html *html, const pal_feel_trial *trial,
                             const pal_feel_trial *other, pal_err *err);
pal_status pal_report_times(pal_html *html, const pal_feel *feel, const pal_feel *other,
                            pal_err *err);

// Pictures of the body at the hardest moment of a trace that was written to path. Where there is no
// OpenGL the page says so.
pal_status pal_report_pictures(pal_html *html, const pal_feel_trial *trial, const char *path,
                               pal_err *err);

// The map of stiffness and damping that the device bears.
pal_status pal_report_stability(pal_html *html, const pal_feel *feel, const pal_progress *progress,
                                pal_err *err);

// Definitions; scene, device, versions and hashes.
void pal_report_definitions(pal_html *html);
void pal_report_origin(pal_html *html, const pal_feel *feel, const char *title);

pal_status pal_report_json(const pal_feel *feel, const pal_feel *other, const char *path,
                           pal_err *err);

// The trial of that name; NULL: none.
const pal_feel_trial *pal_report_find(const pal_feel *feel, const char *name);

#endif
