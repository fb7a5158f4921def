// The script of a chart, for gnuplot.
#include "render/report/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/report/chart_parts.h"
#include "render/report/html.h"

// A text in single quotes, in which gnuplot takes every character as it is, but a quote, which is
// doubled.
static void write_text(FILE *out, const char *text) {
    fputc('\'', out);
    for (const char *at = text != NULL ? text : ""; *at != '\0';) {
        const int size = pal_html_character(at);
        if (size == 0) {
            pal_html_no_character(out, *at);
        } else if (size == 1 && (unsigned char)*at < 0x20) {
            fputc(' ', out);
        } else {
            fprintf(out, "%s%.*s", *at == '\'' ? "'" : "", size, at);
        }
        at += size > 0 ? size : 1;
    }
    fputc('\'', out);
}

static void write_grey(FILE *out, int grey) {
    fprintf(out, "rgb '#%02x%02x%02x'", (unsigned)grey, (unsigned)grey, (unsigned)grey);
}

static void write_look(FILE *out, const pal_chart *chart) {
    fprintf(out,
            "set terminal svg size %g,%g dynamic font 'sans-serif,14' noenhanced dashlength 1\n"
            "set encoding utf8\nset border 3 lw 1 lc ",
            pal_chart_width(chart), pal_chart_height(chart));
    write_grey(out, PAL_CHART_AXIS);
    fputs("\nset tics nomirror out scale 0.6\nset format '%h'\nset grid lt 1 lw 1 lc ", out);
    write_grey(out, PAL_CHART_GRID);
    fputs("\nset style fill solid 0.75 noborder\nset rmargin 3\n"
          "set autoscale xfix\nset bmargin 2.6\nset xtics offset 0,0.35\n",
          out);
    fputs(chart->log_x ? "set logscale x\n" : "", out);
    fputs(chart->log_y ? "set logscale y\n" : "", out);
    fputs("set xlabel ", out);
    write_text(out, chart->x_label);
    fputs(" offset 0,0.75\nset ylabel ", out);
    write_text(out, chart->y_label);
    fputs(" offset 0.8,0\n", out);
}

// ---- title and key, above the axes, from the left, where the reading begins

static int colour_of(const pal_chart_series *series, int32_t place) {
    return series->colour > 0 && series->colour <= PAL_CHART_COLOURS
               ? series->colour
               : 1 + (int)(place % PAL_CHART_COLOURS);
}

static void write_style(FILE *out, const pal_chart_series *series, int colour) {
    static const char *const dash[] = {"solid", "(9,3)", "(2,2.5)", "(9,3,2,3)", "(14,4)", "(4,3)"};
    static const int point[] = {7, 5, 9};
    switch (series->style) {
    case PAL_CHART_WIDE: // pale by the first two digits
        fprintf(out, "lw 7 lc rgb '#a0%02x%02x%02x'", (unsigned)colour, (unsigned)colour,
                (unsigned)colour);
        return;
    case PAL_CHART_LINE:
        fprintf(out, "lw 1.7 dt %s lc ", dash[colour - 1]);
        break;
    case PAL_CHART_POINTS:
        fprintf(out, "pt %d ps 0.75 lc ", point[(colour - 1) % 3]);
        break;
    case PAL_CHART_BARS:
        fputs("lc ", out);
        break;
    }
    write_grey(out, colour);
}

// A sample of a series at x, y (from the upper left corner, in pixels as all here).
static void write_sample(FILE *out, const pal_chart *chart, int32_t place, double x, double y) {
    const pal_chart_series *series = &chart->series[place];
    const int colour = colour_of(series, place);
    const double w = pal_chart_width(chart), h = pal_chart_height(chart);
    const double left = (x + 2.0) / w, right = (x + 24.0) / w, at = 1.0 - y / h;
    if (series->style == PAL_CHART_POINTS) {
        fprintf(out, "set label '' at screen %.4f, screen %.4f point ", 0.5 * (left + right), at);
        write_style(out, series, colour);
    } else if (series->style == PAL_CHART_BARS) {
        fprintf(out,
                "set object rectangle from screen %.4f, screen %.4f to screen %.4f, screen %.4f "
                "fs solid 0.75 noborder fc ",
                left, at - 5.0 / h, right, at + 5.0 / h);
        write_grey(out, colour);
    } else {
        fprintf(out, "set arrow from screen %.4f, screen %.4f to screen %.4f, screen %.4f nohead ",
                left, at, right, at);
        write_style(out, series, colour);
    }
    fputs("\nset label ", out);
    write_text(out, series->name);
    fprintf(out, " at screen %.4f, screen %.4f left\n", (x + 30.0) / w, at);
}

static double text_width(const char *text) {
    int letters = 0;
    for (const char *at = text; *at != '\0'; at++) {
        letters += (*at & 0xc0) != 0x80;
    }
    return 7.9 * letters; // of 14 pixels high ones, in a broad type
}

static void write_top(FILE *out, const pal_chart *chart) {
    const double width = pal_chart_width(chart), height = pal_chart_height(chart);
    double x = 4.0, y = 16.0;
    if (chart->title != NULL && chart->title[0] != '\0') {
        fputs("set label ", out);
        write_text(out, chart->title);
        fprintf(out, " at screen %.4f, screen %.4f left font ',15.5' textcolor ", 6.0 / width,
                1.0 - y / height);
        write_grey(out, PAL_CHART_HEAD);
        fputs("\n", out);
        y += 25.0;
    }
    bool keyed = false;
    for (int32_t i = 0; i < chart->series_count; i++) {
        const char *name = chart->series[i].name;
        if (name != NULL) {
            const double wide = 30.0 + text_width(name);
            if (keyed && x + wide > width) {
                x = 4.0;
                y += 19.0;
            }
            write_sample(out, chart, i, x, y);
            x += wide + 14.0;
            keyed = true;
        }
    }
    fprintf(out, "unset key\nset tmargin at screen %.4f\n",
            1.0 - (y + (keyed ? 22.0 : 0.0)) / height);
}

// The least and the largest of what is drawn on an axis.
static void find_reach(const pal_chart *chart, bool level, double reach[2]) {
    reach[0] = INFINITY;
    reach[1] = -INFINITY;
    for (int32_t i = 0; i < chart->series_count; i++) {
        const pal_chart_series *series = &chart->series[i];
        for (int64_t k = 0; k < series->count; k++) {
            const double at = level ? series->y[k] : series->x[k];
            if (isfinite(series->x[k]) && isfinite(series->y[k])) {
                reach[0] = fmin(reach[0], at);
                reach[1] = fmax(reach[1], at);
            }
        }
    }
}

// The axes reach at least to the marks on them. gnuplot can be told so, but forgets it on a
// logarithmic axis: there, the end at which a mark is outermost is given.
static void write_reach(FILE *out, const pal_chart *chart, bool level) {
    const bool log = level ? chart->log_y : chart->log_x;
    double low = INFINITY, high = -INFINITY, reach[2];
    for (int32_t i = 0; i < chart->mark_count; i++) {
        const pal_chart_mark *mark = &chart->mark[i];
        if (mark->level == level && isfinite(mark->at) && (mark->at > 0.0 || !log)) {
            low = fmin(low, mark->at);
            high = fmax(high, mark->at);
        }
    }
    if (low > high) {
        return;
    }
    const char axis = level ? 'y' : 'x';
    if (!log) {
        fprintf(out, "set %crange [*<%.7g:%.7g<*]\n", axis, low, high);
        return;
    }
    find_reach(chart, level, reach);
    if (low < reach[0]) {
        fprintf(out, "set %crange [%.7g:*]\n", axis, 0.8 * low);
    }
    if (high > reach[1]) {
        fprintf(out, "set %crange [:%.7g]\n", axis, 1.25 * high);
    }
}

// Numbers of many digits at fewer places: gnuplot would write up to ten of them over each other.
static void write_tics(FILE *out, const pal_chart *chart) {
    enum { USUAL = 10 };
    const double room = pal_chart_width(chart) - 90.0, gap = 14.0;
    double reach[2], widest = 0.0;
    find_reach(chart, false, reach);
    const double tenth = (reach[1] - reach[0]) / USUAL;
    const int decimals = tenth > 1e-9 && tenth < 0.5 ? (int)ceil(-log10(tenth)) : 0;
    for (int end = 0; end < 2; end++) {
        char label[32];
        snprintf(label, sizeof label, "%.*f", decimals, reach[end]);
        widest = fmax(widest, text_width(label) + gap);
    }
    if (chart->log_x || !(reach[0] < reach[1]) || USUAL * widest <= room) {
        return;
    }
    const double least = (reach[1] - reach[0]) * widest / room;
    const double power = pow(10.0, floor(log10(least))), times = least / power;
    fprintf(out, "set xtics %.7g\n",
            power * (times <= 1.0   ? 1.0
                     : times <= 2.0 ? 2.0
                     : times <= 5.0 ? 5.0
                                    : 10.0));
}

static void write_marks(FILE *out, const pal_chart *chart) {
    write_reach(out, chart, false);
    write_reach(out, chart, true);
    if (chart->band_from < chart->band_to) {
        fprintf(out,
                "set object rectangle from %.7g, graph 0 to %.7g, graph 1 behind fs solid 1 "
                "noborder fc ",
                chart->band_from, chart->band_to);
        write_grey(out, PAL_CHART_BAND);
        fputs("\n", out);
    }
    for (int32_t i = 0; i < chart->mark_count; i++) {
        const pal_chart_mark *mark = &chart->mark[i];
        if (!isfinite(mark->at)) {
            continue;
        }
        fprintf(out,
                mark->level ? "set arrow from graph 0, first %.7g to graph 1, first %.7g"
                            : "set arrow from %.7g, graph 0 to %.7g, graph 1",
                mark->at, mark->at);
        fputs(" nohead front dt (6,4) lw 1.2 lc ", out);
        write_grey(out, PAL_CHART_AXIS);
        fputs("\n", out);
        if (mark->label != NULL) {
            fputs("set label ", out);
            write_text(out, mark->label);
            fprintf(out,
                    mark->level ? " at graph 0.99, first %.7g right offset 0,0.55 front\n"
                                : " at %.7g, graph 0.98 right rotate by 90 offset -0.8,0 front\n",
                    mark->at);
        }
    }
}

// ---- maps

// Where a cell of a map ends: half way to the next, on the scale of the axis.
static double edge(const double *at, int32_t count, int32_t i, bool log) {
    if (count < 2) {
        return log ? at[0] * (i == 0 ? 0.7 : 1.4) : at[0] + (i == 0 ? -0.5 : 0.5);
    }
    const int32_t k = i < 1 ? 1 : i >= count ? count - 1 : i;
    const double a = log ? log10(at[k - 1]) : at[k - 1], b = log ? log10(at[k]) : at[k];
    const double e = i < 1 ? 1.5 * a - 0.5 * b : i >= count ? 1.5 * b - 0.5 * a : 0.5 * (a + b);
    return log ? pow(10.0, e) : e;
}

static bool is_blank(const pal_chart *chart, double value) {
    return !isfinite(value) || (chart->map_zones && value == 0.0);
}

// Neighbours in a row that have the same value are one box. Returns how many there are.
static int64_t write_boxes(FILE *out, const pal_chart *chart) {
    const double *x = chart->map_x, *y = chart->map_y;
    const int32_t columns = chart->map_columns, rows = chart->map_rows;
    int64_t written = 0;
    for (int32_t row = 0; row < rows; row++) {
        const double *value = &chart->map[(int64_t)row * columns];
        for (int32_t from = 0, to; from < columns; from = to) {
            for (to = from + 1; to < columns && value[to] == value[from]; to++) {
            }
            if (!is_blank(chart, value[from])) {
                fprintf(out, "%.7g %.7g %.7g %.7g %.7g %.7g %.7g\n", x[from], y[row],
                        edge(x, columns, from, chart->log_x), edge(x, columns, to, chart->log_x),
                        edge(y, rows, row, chart->log_y), edge(y, rows, row + 1, chart->log_y),
                        value[from]);
                written++;
            }
        }
    }
    return written;
}

static int64_t write_map(FILE *out, const pal_chart *chart) {
    fputs("$map << EOD\n", out);
    const int64_t written = write_boxes(out, chart);
    fputs("EOD\nunset grid\nset autoscale yfix\n", out);
    if (chart->map_zones) {
        fprintf(out,
                "set palette defined (0 '#ffffff', 0.5 '#e69f00', 1 '#009e73')\nset cbrange "
                "[0:1]\nunset colorbox\nset xrange [%.7g:%.7g]\nset yrange [%.7g:%.7g]\n",
                edge(chart->map_x, chart->map_columns, 0, chart->log_x),
                edge(chart->map_x, chart->map_columns, chart->map_columns, chart->log_x),
                edge(chart->map_y, chart->map_rows, 0, chart->log_y),
                edge(chart->map_y, chart->map_rows, chart->map_rows, chart->log_y));
        fputs("set label ", out);
        write_text(out, chart->map_label);
        fputs(" at graph 0.98, graph 0.94 right front\n", out);
        return written;
    }
    // cividis, which the colour-blind read as well (Nunez, Anderton & Renslow 2018)
    fputs("set palette maxcolors 48 defined (0 '#00224e', 1 '#35456c', 2 '#666970', "
          "3 '#948e77', 4 '#c8b866', 5 '#fee838')\nset cblabel ",
          out);
    write_text(out, chart->map_label);
    fputs("\nset rmargin 11\nset colorbox user origin graph 1.03, graph 0 size graph 0.04, graph "
          "1\n",
          out);
    return written;
}

// ---- series

static int64_t write_series(FILE *out, const pal_chart *chart) {
    int64_t points = 0;
    for (int32_t i = 0; i < chart->series_count; i++) {
        fprintf(out, "$d%d << EOD\n", (int)i);
        const int64_t of_this =
            pal_chart_write_points(out, &chart->series[i], chart->log_x, chart->log_y);
        fputs(of_this == 0 ? "NaN NaN NaN\nEOD\n" : "EOD\n", out);
        points += of_this;
    }
    return points;
}

static void write_plot(FILE *out, const pal_chart *chart, bool map) {
    static const char *const with[] = {"1:2 with lines", "1:2 with points", "1:2:3 with boxes",
                                       "1:2 with lines"}; // by style
    fputs("plot ", out);
    if (map) {
        fprintf(out, "$map using 1:2:3:4:5:6:7 with boxxyerror fs %s noborder lc palette",
                chart->map_zones ? "transparent solid 0.3" : "solid");
    }
    for (int32_t i = 0; i < chart->series_count; i++) {
        fprintf(out, "%s$d%d using %s ", i > 0 || map ? ", " : "", (int)i,
                with[chart->series[i].style]);
        write_style(out, &chart->series[i], colour_of(&chart->series[i], i));
    }
    fputs(!map && chart->series_count == 0 ? "NaN\n" : "\n", out);
}

// Bars of counts on a logarithmic axis: one of 1 is to be seen, too.
static bool has_counts(const pal_chart *chart) {
    double reach[2];
    bool bars = false;
    for (int32_t i = 0; i < chart->series_count; i++) {
        bars = bars || chart->series[i].style == PAL_CHART_BARS;
    }
    find_reach(chart, true, reach);
    return bars && chart->log_y && reach[0] >= 1.0;
}

static void write_script(FILE *out, const pal_chart *chart) {
    write_look(out, chart);
    write_top(out, chart);
    write_tics(out, chart);
    write_marks(out, chart);
    const int64_t cells = chart->map != NULL ? write_map(out, chart) : 0;
    const int64_t points = write_series(out, chart);
    fputs(has_counts(chart) ? "set yrange [0.5:]\n" : "", out);
    if (cells + points == 0) {
        fputs("set xrange [1:10]\nset yrange [1:10]\nset label 'nothing to show' at graph 0.5, "
              "graph 0.5 center\n",
              out);
    }
    write_plot(out, chart, cells > 0);
}

pal_status pal_chart_svg(const pal_chart *chart, char **svg, pal_err *err) {
    char *script = NULL, *drawing = NULL;
    size_t size;
    *svg = NULL;
    FILE *out = open_memstream(&script, &size);
    if (out == NULL) {
        return pal_fail(err, PAL_ERR_MEMORY, "out of memory for a chart");
    }
    write_script(out, chart);
    const bool bad = ferror(out) != 0;
    pal_status status = fclose(out) == 0 && !bad
                            ? pal_chart_run(script, size, &drawing, err)
                            : pal_fail(err, PAL_ERR_MEMORY, "out of memory for a chart");
    if (status == PAL_OK) {
        status = pal_chart_tidy(chart, drawing, svg, err);
    }
    free(script);
    free(drawing);
    return status;
}
