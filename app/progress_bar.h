// How far long work has come, on standard error. On a terminal: one line with the stage, a bar, the
// percentage and the time left, taken away when the work is over. Elsewhere: one plain line per
// stage, with its time. There is one bar in the program.
#ifndef PAL_APP_PROGRESS_BAR_H
#define PAL_APP_PROGRESS_BAR_H

#include <stdbool.h>

#include "sim/base/progress.h"

// Starts the bar; NULL (silence) when `quiet`. Ctrl-C ends the line before it ends the program.
const pal_progress *pal_bar_start(bool quiet);

// Ends the last stage and takes the bar away; call before printing results. May be called again.
void pal_bar_end(void);

#endif
