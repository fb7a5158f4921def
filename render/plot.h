// A line plot as a PNG: axes with ticks, labels with units, a legend, several lines, and under them
// a map of cells when there is one.
#ifndef PAL_RENDER_PLOT_H
#define PAL_RENDER_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/status.h"

enum { PAL_PLOT_MOST = 7 }; // lines, each in its own colour (safe for the colour-blind)

typedef struct pal_plot_line {
    const char *name; // for the legend; NULL: not in it
    const double *x;  // [count]
    const double *y;  // [count]; a point that is not finite interrupts the line
    int32_t count;
} pal_plot_line;

typedef struct pal_plot_map { // even cells of three colours: 0, 0.5 and 1
    const double *value;      // [rows][columns]; NULL: no map
    const double *x, *y;      // [columns], [rows] middles of the cells, ascending
    int32_t columns, rows;    // at least 2 each
    const char *names[3];     // of the colours, for the legend; NULL: not in it
} pal_plot_map;

typedef struct pal_plot {
    const char *title;
    const char *x_label; // with its unit: "time (s)"
    const char *y_label;
    const pal_plot_line *line; // [line_count]
    int32_t line_count;
    pal_plot_map map;
    bool even; // both axes in the same scale: a path seen from above
} pal_plot;

// Writes 1200 x 720 pixels to path, atomically. A plot without a finite point is an error. The same
// plot gives the same bytes.
pal_status pal_plot_write(const char *path, const pal_plot *plot, pal_err *err);

// Several plots [count] of that size in one picture, so many side by side.
pal_status pal_plot_write_sheet(const char *path, const pal_plot *plot, int32_t count,
                                int32_t columns, pal_err *err);

#endif
