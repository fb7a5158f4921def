// The parts of a chart's making: points thinned, gnuplot run, its drawing tidied.
#ifndef PAL_REPORT_CHART_PARTS_H
#define PAL_REPORT_CHART_PARTS_H

#include <stddef.h>
#include <stdio.h>

#include "render/report/chart.h"

// The colours of a script, which the tidying gives their meaning: rgb(n, n, n) with n a colour of a
// series, 1..PAL_CHART_COLOURS, or one of these.
enum { PAL_CHART_HEAD = 10, PAL_CHART_GRID, PAL_CHART_AXIS, PAL_CHART_BAND };

// Writes the points of a series, an empty line where it is interrupted, bars with their width;
// returns how many.
int64_t pal_chart_write_points(FILE *out, const pal_chart_series *series, bool log_x, bool log_y);

// Runs gnuplot on a script; *drawing is on the heap.
pal_status pal_chart_run(const char *script, size_t size, char **drawing, pal_err *err);

// Makes gnuplot's drawing fit into a page; *svg is on the heap.
pal_status pal_chart_tidy(const pal_chart *chart, const char *drawing, char **svg, pal_err *err);

static inline double pal_chart_width(const pal_chart *chart) {
    return chart->width > 0.0 ? chart->width : 520.0;
}

static inline double pal_chart_height(const pal_chart *chart) {
    return chart->height > 0.0 ? chart->height : 330.0;
}

#endif
