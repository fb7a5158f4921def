// The K-B plane of a device: where the analytic wall is stable, measured cell by cell in the closed
// loop, with the borders of the theory over it and the delay as parameter. As data, as a chart for
// a report and as a picture.
#ifndef PAL_APP_STABILITY_MAP_H
#define PAL_APP_STABILITY_MAP_H

#include "app/feel/wall_loop.h"
#include "render/report/chart.h"
#include "sim/base/progress.h"

enum { PAL_MAP_LINES = 7, PAL_MAP_POINTS = 241 };

typedef struct pal_map_line {
    char name[64];
    int32_t count;
    double B[PAL_MAP_POINTS], K[PAL_MAP_POINTS]; // K is NAN above the map
} pal_map_line;

typedef struct pal_stability_map {
    pal_wall_loop loop;
    char title[160];
    int32_t columns, rows;
    double *B;     // [columns] N s/m, middles of the cells
    double *K;     // [rows] N/m
    double *value; // [rows][columns] 1: stable; 0.5: by the passivity controller; 0: not
    // Cells on the side where the exact border has them, among all; NAN with friction or a
    // controller, of which the border knows nothing.
    double agreement;
    int32_t line_count;
    pal_map_line line[PAL_MAP_LINES];
} pal_stability_map;

// B to twice what the device bears, K beyond the border. quick: a coarse map in about a second of
// one processor. The limits are those of the profile, for its name and its corner in the map. Uses
// pal_parallel_for. After a failure there is nothing to free.
pal_status pal_stability_map_make(pal_stability_map *map, const pal_wall_loop *loop,
                                  const pal_device_limits *limits, bool quick,
                                  const pal_progress *progress, pal_err *err);
void pal_stability_map_free(pal_stability_map *map);

// The map for pal_chart_svg(): everything is borrowed from the map and from series. And drawn, on
// the heap:
//
//     pal_wall_loop_defaults(&loop, limits);
//     loop.device.delay = delay;
//     pal_stability_map_make(&map, &loop, limits, true, progress, err);
//     pal_stability_map_svg(&map, &svg, err);
//     pal_stability_map_free(&map);
void pal_stability_map_chart(const pal_stability_map *map, pal_chart_series series[PAL_MAP_LINES],
                             pal_chart *chart);
pal_status pal_stability_map_svg(const pal_stability_map *map, char **svg, pal_err *err);

// A PNG of it.
pal_status pal_stability_map_picture(const pal_stability_map *map, const char *path, pal_err *err);

#endif
