// How far long work has come, on standard error. On a terminal: one line with the stage, a bar, the
// percentage and the time left, taken away when the work is over. Elsewhere: one plain line per
// stage, with its time. There is one bar in the program.
#ifndef PAL_APP_PROGRESS_BAR_H
#define PAL_APP_PROGRESS_BAR_H

#include <stdbool.h>

#include "sim/base/progress.h"
#include "sim/base/status.h"

// Starts the bar; NULL (silence) when `quiet`. Ctrl-C ends the line before it ends the program.
const pal_progress *pal_bar_start(bool quiet);

// Ends the last stage and takes the bar away; call before printing results or an error. A stage
// that failed gets no line of its own. May be called again.
void pal_bar_end(pal_status status);

#endif
