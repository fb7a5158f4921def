// Points of a chart, thinned: a series is cut into short runs, and each keeps its first and last
// point and those that are outermost in x and y. So a peak of a single tick stays, and a loop keeps
// its shape.
#include <math.h>

#include "render/report/chart_parts.h"

enum { RUNS = 320 }; // about one for each pixel and a half of the axis

typedef struct plotter {
    FILE *out;
    const pal_chart_series *series;
    bool log_x, log_y;
    int64_t written;
    bool up;    // the line is interrupted here
    double gap; // of bars
} plotter;

static bool is_shown(const plotter *pen, int64_t i) {
    const double x = pen->series->x[i], y = pen->series->y[i];
    return isfinite(x) && isfinite(y) && (!pen->log_x || x > 0.0) && (!pen->log_y || y > 0.0);
}

static void put(plotter *pen, int64_t i) {
    if (pen->up && pen->written > 0) {
        fputs("\n", pen->out);
    }
    pen->up = false;
    pen->written++;
    const double x = pen->series->x[i];
    if (pen->series->style != PAL_CHART_BARS) {
        fprintf(pen->out, "%.7g %.7g\n", x, pen->series->y[i]);
    } else if (pen->log_x) { // from x / sqrt(gap) to x sqrt(gap)
        const double left = x / sqrt(pen->gap), right = x * sqrt(pen->gap);
        fprintf(pen->out, "%.7g %.7g %.7g\n", 0.5 * (left + right), pen->series->y[i],
                0.9 * (right - left));
    } else {
        fprintf(pen->out, "%.7g %.7g %.7g\n", x, pen->series->y[i], 0.9 * pen->gap);
    }
}

// The least distance of neighbours, or factor between them on a logarithmic axis.
static double find_gap(const plotter *pen) {
    double least = INFINITY;
    for (int64_t i = 1; i < pen->series->count; i++) {
        const double a = pen->series->x[i - 1], b = pen->series->x[i];
        const double gap = pen->log_x ? b / a : b - a;
        least = gap > (pen->log_x ? 1.0 : 0.0) && gap < least ? gap : least;
    }
    return least < INFINITY ? least : pen->log_x ? 1.2 : 1.0;
}

// The points first..last (all of them shown) that must stay, in their order.
static void put_run(plotter *pen, int64_t first, int64_t last) {
    const double *x = pen->series->x, *y = pen->series->y;
    int64_t low_x = first, high_x = first, low_y = first, high_y = first;
    for (int64_t i = first; i <= last; i++) {
        low_x = x[i] < x[low_x] ? i : low_x;
        high_x = x[i] > x[high_x] ? i : high_x;
        low_y = y[i] < y[low_y] ? i : low_y;
        high_y = y[i] > y[high_y] ? i : high_y;
    }
    for (int64_t i = first; i <= last; i++) {
        if (i == first || i == last || i == low_x || i == high_x || i == low_y || i == high_y) {
            put(pen, i);
        }
    }
}

int64_t pal_chart_write_points(FILE *out, const pal_chart_series *series, bool log_x, bool log_y) {
    plotter pen = {out, series, log_x, log_y, 0, false, 0.0};
    pen.gap = find_gap(&pen);
    const int64_t run = series->style == PAL_CHART_BARS ? 1 : series->count / RUNS + 1;
    for (int64_t i = 0; i < series->count;) {
        if (!is_shown(&pen, i)) {
            pen.up = true;
            i++;
            continue;
        }
        int64_t last = i;
        while (last + 1 < series->count && last + 1 < i + run && is_shown(&pen, last + 1)) {
            last++;
        }
        put_run(&pen, i, last);
        i = last + 1;
    }
    return pen.written;
}
