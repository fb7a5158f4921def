#include "app/feel/stability_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "render/plot.h"
#include "sim/base/memory.h"
#include "sim/base/parallel.h"

static const double delays[] = {0.0, 1e-3, 3e-3}; // s, of the borders beside the device's own
enum { DELAYS = sizeof delays / sizeof *delays };
enum { COLUMNS = 48, ROWS = 40, FEW_COLUMNS = 24, FEW_ROWS = 20 };

// ---- the cells

typedef struct work {
    pal_stability_map *map;
    const pal_progress *progress;
    pal_status *status; // [rows] of each,
    pal_err *err;       // [rows] and why
} work;

static pal_status judge(const pal_stability_map *map, double K, double B, double *value,
                        pal_err *err) {
    pal_wall_loop loop = map->loop;
    bool grows = false;
    loop.passivity = false;
    pal_status status = pal_wall_loop_grows(&loop, K, B, &grows, err);
    *value = grows ? 0.0 : 1.0;
    if (status == PAL_OK && grows && map->loop.passivity) {
        status = pal_wall_loop_grows(&map->loop, K, B, &grows, err);
        *value = grows ? 0.0 : 0.5;
    }
    return status;
}

static void judge_row(void *context, int row, int thread) {
    work *w = context;
    pal_stability_map *map = w->map;
    for (int32_t c = 0; c < map->columns && w->status[row] == PAL_OK; c++) {
        double *value = &map->value[(size_t)row * (size_t)map->columns + (size_t)c];
        w->status[row] = judge(map, map->K[row], map->B[c], value, &w->err[row]);
    }
    if (thread == 0) {
        pal_progress_report(w->progress, "map", (row + 1.0) / map->rows);
    }
}

static pal_status judge_all(pal_stability_map *map, const pal_progress *progress, pal_err *err) {
    work w = {.map = map, .progress = progress};
    w.status = PAL_NEW(pal_status, map->rows, err);
    w.err = w.status != NULL ? PAL_NEW(pal_err, map->rows, err) : NULL;
    pal_status status = w.err != NULL ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        pal_parallel_for(map->rows, judge_row, &w);
    }
    for (int32_t r = 0; r < map->rows && status == PAL_OK; r++) {
        status = w.status[r];
        *err = status != PAL_OK ? w.err[r] : *err;
    }
    free(w.status);
    free(w.err);
    return status;
}

static double agreement(const pal_stability_map *map) {
    const pal_wall_plant plant = pal_wall_loop_plant(&map->loop);
    bool stable[ROWS];
    int64_t right = 0;
    if (map->loop.passivity || plant.friction > 0.0) {
        return NAN;
    }
    for (int32_t c = 0; c < map->columns; c++) {
        pal_stability_judge(&plant, map->B[c], map->K, map->rows, stable);
        for (int32_t r = 0; r < map->rows; r++) {
            const double value = map->value[(size_t)r * (size_t)map->columns + (size_t)c];
            right += (value == 1.0) == stable[r];
        }
    }
    return (double)right / (double)((int64_t)map->columns * map->rows);
}

// ---- the lines

typedef double (*law)(const pal_wall_plant *plant, double B);

static pal_map_line *add_law(pal_stability_map *map, const pal_wall_plant *plant, law of,
                             double B_top, double K_top) {
    pal_map_line *line = &map->line[map->line_count++];
    line->count = PAL_MAP_POINTS;
    for (int32_t i = 0; i < PAL_MAP_POINTS; i++) {
        const double B = B_top * i / (PAL_MAP_POINTS - 1), K = of(plant, B);
        line->B[i] = B;
        line->K[i] = K > 0.0 && K <= K_top ? K : NAN;
    }
    return line;
}

// The corner of the map that the maker's limits leave, as far as they lie in it.
static void add_limits(pal_stability_map *map, const pal_device_limits *limits, double B_top,
                       double K_top) {
    const double B = limits->max_damping, K = limits->max_stiffness;
    if (B > B_top && K > K_top) {
        return;
    }
    pal_map_line *line = &map->line[map->line_count++];
    *line = (pal_map_line){.count = 3,
                           .B = {0.0, fmin(B, B_top), B <= B_top ? B : NAN},
                           .K = {K <= K_top ? K : NAN, fmin(K, K_top), 0.0}};
    snprintf(line->name, sizeof line->name, "what its maker allows");
}

static void add_lines(pal_stability_map *map, const pal_device_limits *limits, double B_top,
                      double K_top) {
    pal_wall_plant plant = pal_wall_loop_plant(&map->loop);
    const double own = plant.delay;
    pal_map_line *line = add_law(map, &plant, pal_stability_border, B_top, K_top);
    snprintf(line->name, sizeof line->name, "exact border, delay %g ms", 1e3 * own);
    line = add_law(map, &plant, pal_stability_law, B_top, K_top);
    snprintf(line->name, sizeof line->name, "K = (b + B) / (T/2 + t_d)%s",
             plant.hand.mass > 0.0 ? ", no hand" : "");
    for (int i = 0; i < DELAYS; i++) {
        plant.delay = delays[i];
        if (delays[i] != own) {
            line = add_law(map, &plant, pal_stability_border, B_top, K_top);
            snprintf(line->name, sizeof line->name, "delay %g ms", 1e3 * delays[i]);
        }
    }
    if (plant.friction > 0.0) {
        plant.delay = own;
        plant = pal_stability_damped(&plant, map->loop.speed);
        line = add_law(map, &plant, pal_stability_border, B_top, K_top);
        snprintf(line->name, sizeof line->name, "with friction %g N up to %g m/s",
                 map->loop.device.friction, map->loop.speed);
    }
    add_limits(map, limits, B_top, K_top);
}

// ---- the whole

// Two digits, upwards.
static double round_up(double value) {
    const double unit = pow(10.0, floor(log10(value)) - 1.0);
    return unit * ceil(value / unit - 1e-9);
}

static double highest_border(const pal_stability_map *map, double B_top) {
    pal_wall_plant plant = pal_wall_loop_plant(&map->loop);
    plant = pal_stability_damped(&plant, map->loop.speed);
    double highest = pal_stability_law(&plant, 0.0);
    for (int i = 0; i <= 40; i++) {
        highest = fmax(highest, pal_stability_border(&plant, B_top * i / 40.0));
    }
    return highest;
}

static pal_status alloc(pal_stability_map *map, pal_err *err) {
    map->B = PAL_NEW(double, map->columns, err);
    map->K = map->B != NULL ? PAL_NEW(double, map->rows, err) : NULL;
    map->value = map->K != NULL ? PAL_NEW(double, (int64_t)map->rows * map->columns, err) : NULL;
    return map->value != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

static void name_map(pal_stability_map *map, const pal_device_limits *limits) {
    const pal_sim_options *d = &map->loop.device;
    char friction[48] = "no friction";
    if (d->friction > 0.0) {
        snprintf(friction, sizeof friction, "friction %g N at %g m/s", d->friction,
                 map->loop.speed);
    }
    snprintf(map->title, sizeof map->title, "A wall on the %s: %s, %s%s", limits->name,
             d->hand.mass > 0.0 ? "in a hand" : "no hand", friction,
             map->loop.passivity ? ", passivity controller" : "");
}

pal_status pal_stability_map_make(pal_stability_map *map, const pal_wall_loop *loop,
                                  const pal_device_limits *limits, bool quick,
                                  const pal_progress *progress, pal_err *err) {
    *map = (pal_stability_map){.loop = *loop,
                               .columns = quick ? FEW_COLUMNS : COLUMNS,
                               .rows = quick ? FEW_ROWS : ROWS,
                               .agreement = NAN};
    const pal_wall_plant plant = pal_wall_loop_plant(loop);
    const double B_top =
        round_up(fmin(2.0 * limits->max_damping, 1.1 * pal_stability_largest_damper(&plant)));
    const double beyond = loop->passivity ? 2.5 : 1.25;
    const double K_top = round_up(beyond * highest_border(map, B_top));
    pal_status status = alloc(map, err);
    for (int32_t c = 0; c < map->columns && status == PAL_OK; c++) {
        map->B[c] = B_top * (c + 0.5) / map->columns;
    }
    for (int32_t r = 0; r < map->rows && status == PAL_OK; r++) {
        map->K[r] = K_top * (r + 0.5) / map->rows;
    }
    map->loop.seconds = quick ? 2.0 : loop->passivity ? 8.0 : loop->seconds;
    status = status == PAL_OK ? judge_all(map, progress, err) : status;
    if (status != PAL_OK) {
        pal_stability_map_free(map);
        return status;
    }
    map->agreement = agreement(map);
    name_map(map, limits);
    add_lines(map, limits, B_top, K_top);
    return PAL_OK;
}

void pal_stability_map_free(pal_stability_map *map) {
    free(map->B);
    free(map->K);
    free(map->value);
    map->B = map->K = map->value = NULL;
}

// ---- for the eye

static const char B_label[] = "B, rendered damping (N s/m)",
                  K_label[] = "K, rendered stiffness (N/m)";

void pal_stability_map_chart(const pal_stability_map *map, pal_chart_series series[PAL_MAP_LINES],
                             pal_chart *chart) {
    for (int32_t i = 0; i < map->line_count && i < PAL_MAP_LINES; i++) {
        const pal_map_line *line = &map->line[i];
        series[i] = (pal_chart_series){.name = line->name,
                                       .style = PAL_CHART_LINE,
                                       .x = line->B,
                                       .y = line->K,
                                       .count = line->count};
    }
    *chart = (pal_chart){.title = map->title,
                         .x_label = B_label,
                         .y_label = K_label,
                         .series = series,
                         .series_count = map->line_count,
                         .map = map->value,
                         .map_x = map->B,
                         .map_y = map->K,
                         .map_columns = map->columns,
                         .map_rows = map->rows,
                         .map_zones = true,
                         .map_label = map->loop.passivity
                                          ? "green: stable; amber: bounded by the controller"
                                          : "green: stable"};
}

pal_status pal_stability_map_svg(const pal_stability_map *map, char **svg, pal_err *err) {
    pal_chart_series series[PAL_MAP_LINES];
    pal_chart chart;
    pal_stability_map_chart(map, series, &chart);
    return pal_chart_svg(&chart, svg, err);
}

pal_status pal_stability_map_picture(const pal_stability_map *map, const char *path, pal_err *err) {
    pal_plot_line line[PAL_MAP_LINES];
    for (int32_t i = 0; i < map->line_count; i++) {
        const pal_map_line *from = &map->line[i];
        line[i] =
            (pal_plot_line){.name = from->name, .x = from->B, .y = from->K, .count = from->count};
    }
    const pal_plot plot = {
        .title = map->title,
        .x_label = B_label,
        .y_label = K_label,
        .line = line,
        .line_count = map->line_count,
        .map = {.value = map->value,
                .x = map->B,
                .y = map->K,
                .columns = map->columns,
                .rows = map->rows,
                .names = {"unstable", map->loop.passivity ? "bounded by the controller" : NULL,
                          "stable"}}};
    return pal_plot_write(path, &plot, err);
}
