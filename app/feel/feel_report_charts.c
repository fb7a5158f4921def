// The charts of a trial: its own curves, the truth under them, and those of another suite beside.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_report_parts.h"
#include "haptics/histogram.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

// A chart as it is put together; it owns the points of its series.
enum { SERIES = 8, MARKS = 4 };
typedef struct easel {
    pal_chart chart;
    pal_chart_series series[SERIES];
    double *point[SERIES]; // x, then y
    pal_chart_mark mark[MARKS];
    bool short_of_memory;
} easel;

// The colours, the same in all charts.
enum { THIS = 1, OTHER = 2, FULL = 3, BASIS = 4, HERTZ = 5, OWN = 6 };

static void begin(easel *board, const char *title, const char *x_label, const char *y_label) {
    memset(board, 0, sizeof *board);
    board->chart.title = title;
    board->chart.x_label = x_label;
    board->chart.y_label = y_label;
    board->chart.series = board->series;
    board->chart.mark = board->mark;
}

// A new series with room for so many points, none yet; NULL: no room or memory.
static pal_chart_series *add_series(easel *board, const char *name, pal_chart_style style,
                                    int colour, int64_t room) {
    const int32_t k = board->chart.series_count;
    double *point = k < SERIES ? PAL_NEW(double, 2 * (size_t)room, NULL) : NULL;
    if (point == NULL) {
        board->short_of_memory = true;
        return NULL;
    }
    board->chart.series_count++;
    board->point[k] = point;
    board->series[k] = (pal_chart_series){name, style, point, point + room, 0, colour};
    return &board->series[k];
}

static void add_point(easel *board, pal_chart_series *series, double x, double y) {
    double *point = board->point[series - board->series];
    const ptrdiff_t room = series->y - series->x;
    point[series->count] = x;
    point[room + series->count++] = y;
}

static void add_mark(easel *board, double at, bool level, const char *label) {
    if (board->chart.mark_count < MARKS && isfinite(at)) {
        board->mark[board->chart.mark_count++] = (pal_chart_mark){at, level, label};
    }
}

// Draws it into the page and frees it; a chart without a point is left out.
static pal_status finish(easel *board, pal_html *html, const char *caption, pal_err *err) {
    char *svg = NULL;
    int64_t points = 0;
    for (int32_t i = 0; i < board->chart.series_count; i++) {
        points += board->series[i].count;
    }
    pal_status status = board->short_of_memory
                            ? pal_fail(err, PAL_ERR_MEMORY, "out of memory for a chart")
                            : PAL_OK;
    if (status == PAL_OK && points > 0) {
        status = pal_chart_svg(&board->chart, &svg, err);
    }
    if (svg != NULL) {
        pal_html_svg(html, svg, caption);
    }
    free(svg);
    for (int32_t i = 0; i < board->chart.series_count; i++) {
        free(board->point[i]);
    }
    return status;
}

static bool has_rows(const pal_feel_trial *trial) {
    return trial != NULL && trial->seen.count > 0 && trial->seen.row != NULL;
}

// ---- force and depth

// The ticks of the first contact; of a trial of any kind, all.
static pal_feel_window loop_of(const pal_feel_trial *trial) {
    const pal_feel_window all = {0, trial->seen.count - 1};
    const pal_feel_window first =
        trial->kind != PAL_TRIAL_ANY ? pal_feel_contact(&trial->seen, 0) : all;
    return first.first <= first.last ? first : all;
}

static void add_loop(easel *board, const char *name, int colour, const pal_feel_trial *trial) {
    double *depth = has_rows(trial) ? pal_feel_depths(&trial->seen) : NULL;
    pal_chart_series *series =
        depth != NULL ? add_series(board, name, PAL_CHART_LINE, colour, trial->seen.count) : NULL;
    const pal_feel_window loop = series != NULL ? loop_of(trial) : (pal_feel_window){0, -1};
    for (int64_t k = loop.first; k <= loop.last; k++) {
        add_point(board, series, 1e3 * depth[k], pal_norm3(trial->seen.row[k].force));
    }
    free(depth);
}

static double strongest(const pal_feel_trial *trial) {
    double most = 0.0;
    for (int64_t k = 0; k < trial->seen.count; k++) {
        most = fmax(most, pal_norm3(trial->seen.row[k].force));
    }
    return most;
}

// A truth, where it was computed and is no more than `most`: what is many times too stiff would
// press the rest flat.
static void add_truth(easel *board, const char *name, pal_chart_style style, int colour,
                      const pal_feel_trial *trial, const double *force, const double *depth,
                      double most) {
    if (force == NULL || depth == NULL) {
        return;
    }
    pal_chart_series *series = add_series(board, name, style, colour, trial->seen.count);
    const pal_feel_window loop = loop_of(trial);
    for (int64_t k = loop.first; series != NULL && k <= loop.last; k++) {
        const double f = pal_norm3(force + 3 * k);
        if (f <= most) {
            add_point(board, series, 1e3 * depth[k], f);
        }
    }
}

// Hertz: F ~ d^1.5, as far as a ball may be taken for a paraboloid, and no more than `most`.
static void add_hertz(easel *board, const pal_feel_trial *trial, const double *depth, double most) {
    double deepest = 0.0;
    for (int64_t k = 0; depth != NULL && k < trial->seen.count; k++) {
        deepest = depth[k] > deepest ? depth[k] : deepest;
    }
    const double hertz = trial->truth.hertz; // at 1 mm
    const double ball = trial->seen.tool_radius > 0.0 ? trial->seen.tool_radius : 5e-3;
    const double to = fmin(fmin(deepest, ball), 1e-3 * cbrt(pow(most / hertz, 2)));
    enum { POINTS = 40 };
    pal_chart_series *series = isfinite(hertz) && hertz > 0.0 && to > 0.0
                                   ? add_series(board, "Hertz", PAL_CHART_LINE, HERTZ, POINTS)
                                   : NULL;
    for (int i = 0; series != NULL && i < POINTS; i++) {
        const double d = to * i / (POINTS - 1);
        add_point(board, series, 1e3 * d, hertz * pow(d / 1e-3, 1.5));
    }
}

static pal_status draw_loop(pal_html *html, const pal_feel_trial *trial,
                            const pal_feel_trial *other, pal_err *err) {
    easel board;
    char caption[400];
    const pal_feel_truth *truth = &trial->truth;
    double *depth = pal_feel_depths(&trial->seen);
    const double most = 2.5 * strongest(trial);
    begin(&board, "Force and depth", "depth of the hand (mm)", "force (N)");
    add_truth(&board, "the model itself", PAL_CHART_WIDE, OWN, trial, truth->own, depth, most);
    add_truth(&board, "basis alone", PAL_CHART_LINE, BASIS, trial, truth->basis, depth, most);
    add_hertz(&board, trial, depth, most);
    add_loop(&board, other != NULL ? "this" : "felt", THIS, trial);
    add_loop(&board, "other", OTHER, other);
    add_truth(&board, "full elements", PAL_CHART_POINTS, FULL, trial, truth->full, depth, most);
    snprintf(caption, sizeof caption,
             "The force on the hand over its depth, in and out again.%s%s%s%s",
             truth->own != NULL ? " The broad line is what a perfect device would render." : "",
             truth->full != NULL ? " Points: " : "", truth->full != NULL ? truth->full_note : "",
             truth->full != NULL ? "." : "");
    free(depth);
    return finish(&board, html, caption, err);
}

// ---- over time

static void add_force(easel *board, const char *name, int colour, const pal_feel_trial *trial) {
    pal_chart_series *series =
        has_rows(trial) ? add_series(board, name, PAL_CHART_LINE, colour, trial->seen.count) : NULL;
    for (int64_t k = 0; series != NULL && k < trial->seen.count; k++) {
        add_point(board, series, trial->seen.row[k].time, pal_norm3(trial->seen.row[k].force));
    }
}

// The other hands of a trial.
static void add_hands(easel *board, const pal_feel_trial *trial) {
    static const char *const name[] = {"", "second hand", "third hand", "fourth hand"};
    for (uint32_t h = 1; h < (uint32_t)trial->trace.info.hand_count && h < 4; h++) {
        pal_chart_series *series =
            add_series(board, name[h], PAL_CHART_LINE, 2 + (int)h, trial->trace.count);
        for (int64_t k = 0; series != NULL && k < trial->trace.count; k++) {
            const pal_tick_record *row = &trial->trace.record[k];
            if (row->hand == h) {
                add_point(board, series, row->time, pal_norm3(row->force));
            }
        }
    }
}

static pal_status draw_force(pal_html *html, const pal_feel_trial *trial,
                             const pal_feel_trial *other, pal_err *err) {
    easel board;
    if (strongest(trial) == 0.0 && (!has_rows(other) || strongest(other) == 0.0)) {
        return PAL_OK; // a line at zero
    }
    const pal_feel_truth *truth = &trial->truth;
    const bool stall = trial->kind == PAL_TRIAL_STALL && truth->stall_seconds > 0.0;
    begin(&board, "Force over time", "time (s)", "force (N)");
    add_force(&board, other != NULL ? "this" : NULL, THIS, trial);
    add_force(&board, "other", OTHER, other);
    add_hands(&board, trial);
    if (board.chart.series_count > 1 && board.series[0].name == NULL) {
        board.series[0].name = "first hand";
    }
    if (stall) {
        board.chart.band_from = truth->stall_at;
        board.chart.band_to = truth->stall_at + truth->stall_seconds;
    }
    return finish(&board, html,
                  stall ? "Strength of the force as sent to the device. Shaded: the body stands "
                          "still, as when its computation is late."
                        : "Strength of the force as sent to the device.",
                  err);
}

static void add_energy(easel *board, const char *name, int colour, const pal_feel_trial *trial) {
    double *energy = has_rows(trial) ? pal_feel_energy(&trial->seen) : NULL;
    pal_chart_series *series =
        energy != NULL ? add_series(board, name, PAL_CHART_LINE, colour, trial->seen.count) : NULL;
    for (int64_t k = 0; series != NULL && k < trial->seen.count; k++) {
        add_point(board, series, trial->seen.row[k].time, 1e3 * energy[k]);
    }
    free(energy);
}

static pal_status draw_energy(pal_html *html, const pal_feel_trial *trial,
                              const pal_feel_trial *other, pal_err *err) {
    easel board;
    begin(&board, "Energy ledger", "time (s)", "energy put in (mJ)");
    add_energy(&board, other != NULL ? "this" : NULL, THIS, trial);
    add_energy(&board, "other", OTHER, other);
    add_mark(&board, 0.0, true, NULL);
    return finish(&board, html,
                  "What the hand has put into the body so far, less what it got back. Below zero "
                  "the body would have made energy.",
                  err);
}

// ---- hold

static void add_spectrum(easel *board, const char *name, int colour, const pal_feel_trial *trial) {
    if (!has_rows(trial)) {
        return;
    }
    const pal_feel_window hold = pal_feel_hold(&trial->seen);
    int32_t count = 0;
    double step = 0.0;
    double *amplitude =
        hold.first <= hold.last ? pal_feel_spectrum(&trial->seen, hold, &count, &step) : NULL;
    pal_chart_series *series =
        amplitude != NULL ? add_series(board, name, PAL_CHART_LINE, colour, count) : NULL;
    for (int32_t k = 1; series != NULL && k < count; k++) {                 // without the mean
        add_point(board, series, k * step, fmax(1e3 * amplitude[k], 1e-6)); // a floor for the log
    }
    free(amplitude);
}

static pal_status draw_spectrum(pal_html *html, const pal_feel_trial *trial,
                                const pal_feel_trial *other, pal_err *err) {
    easel board;
    begin(&board, "Spectrum of the hold", "frequency (Hz)", "amplitude (mN)");
    board.chart.log_x = board.chart.log_y = true;
    board.chart.band_from = 30.0;
    board.chart.band_to = 300.0;
    add_spectrum(&board, other != NULL ? "this" : NULL, THIS, trial);
    add_spectrum(&board, "other", OTHER, other);
    return finish(&board, html,
                  "The force while the hand is still. Shaded: 30 to 300 Hz, where skin feels "
                  "buzzing best and where the gate is.",
                  err);
}

// ---- slides

static void add_angles(easel *board, const char *name, int colour, const pal_feel_trial *trial) {
    const pal_feel_window slide =
        has_rows(trial) ? pal_feel_slide(&trial->seen) : (pal_feel_window){0, -1};
    pal_chart_series *series =
        slide.last > slide.first
            ? add_series(board, name, PAL_CHART_LINE, colour, slide.last - slide.first)
            : NULL;
    for (int64_t k = slide.first + 1; series != NULL && k <= slide.last; k++) {
        const double *a = trial->seen.row[k - 1].force, *b = trial->seen.row[k].force;
        double across[3];
        pal_cross3(a, b, across); // atan2 is exact for small angles, acos is not
        const double angle = atan2(pal_norm3(across), pal_dot3(a, b));
        add_point(board, series, trial->seen.row[k].time, angle * 180.0 / acos(-1.0));
    }
}

static pal_status draw_angles(pal_html *html, const pal_feel_trial *trial,
                              const pal_feel_trial *other, pal_err *err) {
    easel board;
    const double smooth = trial->truth.smooth_angle * 180.0 / acos(-1.0);
    begin(&board, "Turn of the force", "time (s)", "angle a tick (degrees)");
    add_angles(&board, other != NULL ? "this" : NULL, THIS, trial);
    add_angles(&board, "other", OTHER, other);
    add_mark(&board, smooth, true, NULL);
    return finish(&board, html,
                  isfinite(smooth)
                      ? "How far the force turns from one tick to the next while the tool slides: "
                        "a spike is an edge that is felt. Dashed: root mean square of the same "
                        "slide over a smooth surface."
                      : "How far the force turns from one tick to the next while the tool slides: "
                        "a spike is an edge that is felt.",
                  err);
}

static void add_friction(easel *board, const char *name, int colour, const pal_feel_trial *trial) {
    pal_chart_series *series =
        has_rows(trial) && !(trial->seen.missing & PAL_FEEL_NO_FRICTION)
            ? add_series(board, name, PAL_CHART_LINE, colour, trial->seen.count)
            : NULL;
    int silent = 0; // ticks without a ratio; a few do not interrupt the line
    for (int64_t k = 0; series != NULL && k < trial->seen.count; k++) {
        const double ratio = pal_feel_friction(&trial->seen.row[k]);
        silent = isfinite(ratio) ? 0 : silent + 1;
        if (isfinite(ratio) || silent == 20) {
            add_point(board, series, trial->seen.row[k].time, ratio);
        }
    }
}

static pal_status draw_friction(pal_html *html, const pal_feel_trial *trial,
                                const pal_feel_trial *other, pal_err *err) {
    easel board;
    const pal_feel_truth *truth = &trial->truth;
    if (truth->sliding_friction == 0.0 && truth->static_friction == 0.0) {
        return PAL_OK; // nothing rubs
    }
    begin(&board, "Friction", "time (s)", "friction over normal force");
    add_friction(&board, other != NULL ? "this" : NULL, THIS, trial);
    add_friction(&board, "other", OTHER, other);
    add_mark(&board, truth->sliding_friction, true, "sliding");
    if (truth->static_friction != truth->sliding_friction) {
        add_mark(&board, truth->static_friction, true, "static");
    }
    return finish(&board, html, "What rubs over what presses; dashed: the surface's own.", err);
}

// ---- of a trial, of all

pal_status pal_report_charts(pal_html *html, const pal_feel_trial *trial,
                             const pal_feel_trial *other, pal_err *err) {
    static const struct {
        pal_status (*draw)(pal_html *, const pal_feel_trial *, const pal_feel_trial *, pal_err *);
        uint32_t kinds; // 1 << pal_trial_kind
    } chart[] = {
        {draw_loop,
         1 << PAL_TRIAL_ANY | 1 << PAL_TRIAL_PRESS | 1 << PAL_TRIAL_BEND | 1 << PAL_TRIAL_TAP},
        {draw_force, ~0u},
        {draw_spectrum, 1 << PAL_TRIAL_ANY | 1 << PAL_TRIAL_HOLD | 1 << PAL_TRIAL_GRIP},
        {draw_angles, 1 << PAL_TRIAL_ANY | 1 << PAL_TRIAL_SLIDE | 1 << PAL_TRIAL_EDGE},
        {draw_friction, 1 << PAL_TRIAL_SLIDE | 1 << PAL_TRIAL_FRICTION},
        {draw_energy, ~(1u << PAL_TRIAL_FREE)},
    };
    pal_status status = PAL_OK;
    if (!has_rows(trial)) {
        return PAL_OK;
    }
    pal_html_figures(html);
    for (size_t i = 0; status == PAL_OK && i < sizeof chart / sizeof *chart; i++) {
        if (chart[i].kinds >> trial->kind & 1) {
            status = chart[i].draw(html, trial, other, err);
        }
    }
    pal_html_figures_end(html);
    return status;
}

// Ticks by their time, in bins that grow by 15 %; and the time that one in 10,000 exceeds, ms.
static double add_times(easel *board, const char *name, pal_chart_style style, int colour,
                        const pal_feel *feel) {
    enum { BINS = 90 };
    const double first = 1e-4, growth = 1.15; // ms
    double count[BINS] = {0};
    pal_histogram *histogram = PAL_NEW(pal_histogram, 1, NULL);
    if (histogram == NULL) {
        board->short_of_memory = true;
        return NAN;
    }
    pal_histogram_init(histogram);
    for (int i = 0; i < feel->trial_count; i++) {
        const pal_feel_trace *seen = &feel->trial[i].seen;
        for (int64_t k = 0; k < seen->count && !(seen->missing & PAL_FEEL_NO_TIMES); k++) {
            const double ms = 1e-3 * seen->row[k].compute_us;
            const int bin = ms > first ? (int)(log(ms / first) / log(growth)) : 0;
            count[bin < BINS ? bin : BINS - 1]++;
            pal_histogram_add(histogram, (int64_t)(1e6 * ms));
        }
    }
    const double p9999 =
        histogram->count > 0 ? 1e-3 * pal_histogram_quantile(histogram, 0.9999) : NAN;
    free(histogram);
    pal_chart_series *series = add_series(board, name, style, colour, BINS);
    for (int b = 0; series != NULL && b < BINS; b++) {
        if (count[b] > 0.0) {
            add_point(board, series, first * pow(growth, b + 0.5), count[b]);
        }
    }
    return p9999;
}

pal_status pal_report_times(pal_html *html, const pal_feel *feel, const pal_feel *other,
                            pal_err *err) {
    easel board;
    begin(&board, "Compute time of a tick", "time (ms)", "ticks");
    board.chart.log_x = board.chart.log_y = true;
    const double p9999 =
        add_times(&board, other != NULL ? "this" : NULL, PAL_CHART_BARS, THIS, feel);
    if (other != NULL) {
        add_times(&board, "other", PAL_CHART_LINE, OTHER, other);
    }
    const pal_metric *gate = pal_metric_at(PAL_METRIC_COMPUTE_P9999);
    add_mark(&board, p9999, false, "p99.99");
    add_mark(&board, 1e3 * gate->limit, false, "gate");
    pal_html_figures(html);
    const pal_status status =
        finish(&board, html,
               "All ticks of all trials. One in 10,000 takes longer than p99.99; this depends on "
               "the machine and on what else it does.",
               err);
    pal_html_figures_end(html);
    return status;
}
