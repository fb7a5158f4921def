// Charts as SVG text, drawn by gnuplot: they take the colours of the page that they stand in, light
// or dark (variables --pal-1 .. 6 of html_style.c), and tell lines apart by dashes as well. The
// same chart gives the same bytes. Labels may hold any characters.
#ifndef PAL_REPORT_CHART_H
#define PAL_REPORT_CHART_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/status.h"

typedef enum pal_chart_style {
    PAL_CHART_LINE,
    PAL_CHART_POINTS,
    PAL_CHART_BARS,
    PAL_CHART_WIDE, // a broad pale line, for a truth under a measured one
} pal_chart_style;

enum { PAL_CHART_COLOURS = 6 };

typedef struct pal_chart_series {
    const char *name; // for the key; NULL: not in it
    pal_chart_style style;
    const double *x, *y; // [count]; a point that is not finite interrupts the line
    int64_t count;       // long series are thinned to what can be seen, peaks kept
    int colour;          // 1..PAL_CHART_COLOURS; 0: by its place among the series
} pal_chart_series;

// A thin line across the chart, with a word at its end.
typedef struct pal_chart_mark {
    double at;         // on the x axis, or
    bool level;        // on the y axis
    const char *label; // NULL: none
} pal_chart_mark;

typedef struct pal_chart {
    const char *title, *x_label, *y_label; // labels with their units
    bool log_x, log_y;                     // what is not above 0 is then left out
    double width, height;                  // of the drawing; 0: 520 x 330
    const pal_chart_series *series;
    int32_t series_count;
    const pal_chart_mark *mark; // [mark_count]
    int32_t mark_count;
    double band_from, band_to; // on the x axis, shaded; equal: none
    // A map in the place of series: value [rows][columns] over x [columns], y [rows], which grow;
    // what is not finite is left blank; with lines (series) over it. NULL: none.
    const double *map, *map_x, *map_y;
    int32_t map_columns, map_rows;
    const char *map_label;
    bool map_zones; // of 0 (left blank), 0.5 and 1 alone: pale, no scale, the label inside
} pal_chart;

// *svg is on the heap, NUL-terminated, without an XML head. Without gnuplot: an error that says
// what to install.
pal_status pal_chart_svg(const pal_chart *chart, char **svg, pal_err *err);

// Whether charts can be drawn at all: to be asked before much work is done for one.
pal_status pal_chart_ready(pal_err *err);

#endif
