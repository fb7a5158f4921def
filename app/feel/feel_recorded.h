// Suites that were run before: a recording, or the traces of an earlier report, to be judged again.
#ifndef PAL_APP_FEEL_RECORDED_H
#define PAL_APP_FEEL_RECORDED_H

#include "app/feel/feel.h"

// One trial from a recording: an HDF5 trace, whose scene is opened for the truth, or a CSV file,
// which has none.
pal_status pal_feel_open_trace(pal_feel *feel, const char *path, const pal_progress *progress,
                               pal_err *err);

// What a suite is compared with, run or read, and judged: a scene (run with the same wishes), or
// the folder of a report.
pal_status pal_feel_open_other(pal_feel *feel, const char *other, const pal_feel_wish *wish,
                               const pal_progress *progress, pal_err *err);

// Whether there may be such a one, before anything is run.
pal_status pal_feel_look_for_other(const char *other, pal_err *err);

#endif
