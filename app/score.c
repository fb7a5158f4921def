#include "app/score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/traces.h"
#include "render/raster.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

enum { MOST_CELLS = 200 };              // along the longer side of the map
static const double ruler = 0.5e-3;     // m, steps of a path: above the noise of encoders
static const double depth_share = 0.25; // how far from d0 a tick may be

// One tick in contact.
typedef struct felt {
    double at[2];        // m
    double force, depth; // N, m; NAN beside the map
} felt;

typedef struct scoring {
    pal_score_result *r;
    const pal_trace_data *trace;
    double tip; // m from the tool's origin to its lowest point
    felt *felt; // [count]
    int64_t count;
    double *weight; // [height][width] of the map's force
    pal_err *err;
} scoring;

void pal_score_free(pal_score_result *r) {
    free(r->map.top);
    free(r->map.pressed);
    free(r->map.force);
    memset(r, 0, sizeof *r);
}

// ---- the map

static pal_status make_map(pal_score_result *r, pal_err *err) {
    pal_score_map *map = &r->map;
    double side[2];
    for (int c = 0; c < 2; c++) {
        map->low[c] = r->truth.low[c] - r->truth.radius;
        side[c] = r->truth.high[c] + r->truth.radius - map->low[c];
    }
    map->cell = fmax(side[0], side[1]) / MOST_CELLS;
    map->width = (int32_t)ceil(side[0] / map->cell - 1e-9);
    map->height = (int32_t)ceil(side[1] / map->cell - 1e-9);
    const int64_t cells = (int64_t)map->width * map->height;
    map->top = PAL_NEW(double, cells, err);
    map->pressed = PAL_NEW(double, cells, err);
    map->force = PAL_NEW(double, cells, err);
    return map->top != NULL && map->pressed != NULL && map->force != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

// The heights of the surface by the rasteriser: what is nearest to an eye far above.
static pal_status find_heights(pal_score_map *map, const pal_surface *surface, pal_err *err) {
    pal_raster raster;
    double *screen = PAL_NEW(double, 3 * (int64_t)surface->vertex_count, err);
    pal_status status =
        screen == NULL ? PAL_ERR_MEMORY : pal_raster_alloc(&raster, map->width, map->height, err);
    if (status != PAL_OK) {
        free(screen);
        return status;
    }
    double floor_z = INFINITY;
    for (int32_t v = 0; v < surface->vertex_count; v++) {
        floor_z = fmin(floor_z, surface->x[3 * (int64_t)v + 2]);
    }
    for (int32_t v = 0; v < surface->vertex_count; v++) {
        const double *x = surface->x + 3 * (int64_t)v;
        double *to = screen + 3 * (int64_t)v;
        to[0] = (x[0] - map->low[0]) / map->cell;
        to[1] = (x[1] - map->low[1]) / map->cell;
        to[2] = x[2] - floor_z + map->cell; // above 0
    }
    pal_raster_draw(&raster, screen, surface->triangle, surface->triangle_count);
    for (int64_t k = 0; k < (int64_t)map->width * map->height; k++) {
        map->top[k] =
            raster.seen[k] >= 0 ? (double)raster.nearness[k] + floor_z - map->cell : (double)NAN;
    }
    pal_raster_free(&raster);
    free(screen);
    return PAL_OK;
}

// The cell under a place, -1: it is not on the map.
static int64_t cell_at(const pal_score_map *map, const double at[2]) {
    const double i = floor((at[0] - map->low[0]) / map->cell);
    const double j = floor((at[1] - map->low[1]) / map->cell);
    const bool inside = i >= 0.0 && i < map->width && j >= 0.0 && j < map->height;
    return inside ? (int64_t)j * map->width + (int64_t)i : -1;
}

static void centre_of(const pal_score_map *map, int32_t i, int32_t j, double at[2]) {
    at[0] = map->low[0] + (i + 0.5) * map->cell;
    at[1] = map->low[1] + (j + 0.5) * map->cell;
}

static double across(const double a[2], const double b[2]) {
    return hypot(a[0] - b[0], a[1] - b[1]);
}

// One tick onto the cells within the tool's radius: the press, and, where `level` (F0) is a number,
// what was felt, by a bell.
static void spread_tick(scoring *s, const felt *tick, double level) {
    const double reach = s->r->tool_radius;
    pal_score_map *map = &s->r->map;
    int32_t from[2], to[2];
    const int32_t size[2] = {map->width, map->height};
    for (int c = 0; c < 2; c++) {
        from[c] = (int32_t)fmax(0.0, floor((tick->at[c] - reach - map->low[c]) / map->cell));
        to[c] = (int32_t)fmin(size[c] - 1.0, ceil((tick->at[c] + reach - map->low[c]) / map->cell));
    }
    for (int32_t j = from[1]; j <= to[1]; j++) {
        for (int32_t i = from[0]; i <= to[0]; i++) {
            const int64_t k = (int64_t)j * map->width + i;
            double at[2];
            centre_of(map, i, j, at);
            const double far = across(at, tick->at);
            if (far > reach) {
                continue;
            }
            map->pressed[k] = fmax(map->pressed[k], tick->force);
            if (isfinite(level)) {
                const double w = pow(1.0 - far * far / (reach * reach), 2.0);
                s->weight[k] += w;
                map->force[k] += w * level;
            }
        }
    }
}

// ---- what was felt

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Of the finite ones; they are sorted. NAN: there is none.
static double median(double *value, int64_t count) {
    int64_t kept = 0;
    for (int64_t k = 0; k < count; k++) {
        if (isfinite(value[k])) {
            value[kept++] = value[k];
        }
    }
    qsort(value, (size_t)kept, sizeof *value, ascending);
    return kept > 0 ? value[kept / 2] : (double)NAN;
}

static void gather(scoring *s) {
    for (int64_t k = 0; k < s->trace->count; k++) {
        const pal_tick_record *row = &s->trace->record[k];
        const int64_t cell = cell_at(&s->r->map, row->tool);
        const double top = cell >= 0 ? s->r->map.top[cell] : (double)NAN;
        const double depth = top - (row->tool[2] - s->tip); // NAN beside the map
        if (row->touching > 0 && row->force[2] > 0.0) {
            s->felt[s->count++] = (felt){
                .at = {row->tool[0], row->tool[1]},
                .force = row->force[2],
                .depth = depth,
            };
        }
    }
}

// d0 is the median depth of presses that are hard enough.
static pal_status find_depth(scoring *s) {
    double *depth = PAL_NEW(double, s->count, s->err);
    if (depth == NULL) {
        return PAL_ERR_MEMORY;
    }
    int64_t count = 0;
    for (int64_t k = 0; k < s->count; k++) {
        if (s->felt[k].force >= s->r->enough) {
            depth[count++] = s->felt[k].depth;
        }
    }
    s->r->depth = median(depth, count);
    free(depth);
    return PAL_OK;
}

// F0 of a tick, NAN: it was not at that depth.
static double at_equal_depth(const pal_score_result *r, const felt *tick) {
    const double share = tick->depth / r->depth; // NAN is never within
    return fabs(share - 1.0) <= depth_share ? tick->force * pow(share, -1.5) : (double)NAN;
}

static pal_status fill_map(scoring *s) {
    pal_score_map *map = &s->r->map;
    const int64_t cells = (int64_t)map->width * map->height;
    s->weight = PAL_NEW(double, cells, s->err);
    if (s->weight == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int64_t k = 0; k < s->count; k++) {
        spread_tick(s, &s->felt[k], at_equal_depth(s->r, &s->felt[k]));
    }
    int64_t covered = 0, there = 0;
    for (int64_t k = 0; k < cells; k++) {
        map->force[k] = s->weight[k] > 0.0 ? map->force[k] / s->weight[k] : (double)NAN;
        there += isfinite(map->top[k]);
        covered += isfinite(map->top[k]) && map->pressed[k] >= s->r->enough;
    }
    s->r->coverage = there > 0 ? (double)covered / (double)there : 0.0;
    return PAL_OK;
}

// Over the nodule: within its radius. Far from it: beyond its radius and one and a half tools.
static void compare_places(scoring *s) {
    pal_score_result *r = s->r;
    const double near = r->truth.radius, far = near + 1.5 * r->tool_radius;
    double on = 0.0, around = 0.0, square = 0.0;
    for (int64_t k = 0; k < s->count; k++) {
        const double level = at_equal_depth(r, &s->felt[k]);
        const double away = across(s->felt[k].at, r->truth.place);
        if (isfinite(level) && away <= near) {
            on += level;
            r->on_ticks++;
        } else if (isfinite(level) && away >= far) {
            around += level;
            square += level * level;
            r->around_ticks++;
        }
    }
    r->on = r->on_ticks > 0 ? on / (double)r->on_ticks : (double)NAN;
    const double n = (double)r->around_ticks;
    r->around = n > 0.0 ? around / n : (double)NAN;
    r->spread = n > 0.0 ? sqrt(fmax(0.0, square / n - r->around * r->around)) : (double)NAN;
    r->force_jnds = (r->on / r->around - 1.0) / PAL_FORCE_JND;
    r->stiffness_jnds = (r->on / r->around - 1.0) / PAL_STIFFNESS_JND;
}

// ---- where the hand says it is

static void find_mark(scoring *s) {
    uint32_t before = 0;
    for (int64_t k = 0; k < s->trace->count; k++) {
        const pal_tick_record *row = &s->trace->record[k];
        if ((row->buttons & ~before & 1u) != 0) {
            s->r->by = PAL_FOUND_MARK;
            memcpy(s->r->guess, row->tool, sizeof s->r->guess);
            s->r->guess_time = row->time;
        }
        before = row->buttons;
    }
}

// The hardest place of the map, when it stands out.
static pal_status find_hardest(scoring *s) {
    pal_score_result *r = s->r;
    const pal_score_map *map = &r->map;
    const int64_t cells = (int64_t)map->width * map->height;
    double *sorted = PAL_NEW(double, cells, s->err);
    if (sorted == NULL) {
        return PAL_ERR_MEMORY;
    }
    memcpy(sorted, map->force, (size_t)cells * sizeof *sorted);
    const double usual = median(sorted, cells);
    free(sorted);
    int64_t best = -1;
    for (int64_t k = 0; k < cells; k++) {
        if (isfinite(map->force[k]) && (best < 0 || map->force[k] > map->force[best])) {
            best = k;
        }
    }
    if (best >= 0 && map->force[best] > (1.0 + PAL_FORCE_JND) * usual) {
        r->by = PAL_FOUND_FELT;
        centre_of(map, (int32_t)(best % map->width), (int32_t)(best / map->width), r->guess);
        r->guess_time = r->seconds;
    }
    return PAL_OK;
}

// ---- the run as a whole

static void measure_run(scoring *s) {
    pal_score_result *r = s->r;
    const pal_tick_record *row = s->trace->record;
    const double *last = row[0].tool;
    int64_t touching = 0;
    for (int64_t k = 0; k < s->trace->count; k++) {
        const bool touches = row[k].touching > 0;
        const double force = pal_norm3(row[k].force);
        double step[3];
        pal_sub3(row[k].tool, last, step);
        if (pal_norm3(step) >= ruler) {
            r->path += pal_norm3(step);
            r->contact_path += touches ? pal_norm3(step) : 0.0;
            last = row[k].tool;
        }
        r->peak = fmax(r->peak, force);
        r->mean += touches ? force : 0.0;
        touching += touches;
    }
    r->mean /= touching > 0 ? (double)touching : 1.0;
    r->seconds = (double)s->trace->count * s->trace->info.dt;
    r->contact_time = (double)touching * s->trace->info.dt;
}

static pal_status score(scoring *s) {
    pal_score_result *r = s->r;
    measure_run(s);
    gather(s);
    pal_status status = find_depth(s);
    if (status == PAL_OK && !isfinite(r->depth)) {
        return pal_fail(s->err, PAL_ERR_INPUT,
                        "the hand has nowhere pressed with %.3g N over the place where the %.60s "
                        "may be: nothing to score (--enough takes less for a press)",
                        r->enough, r->truth.name);
    }
    if (status == PAL_OK) {
        status = fill_map(s);
    }
    if (status != PAL_OK) {
        return status;
    }
    compare_places(s);
    find_mark(s);
    status = r->by == PAL_FOUND_MARK ? PAL_OK : find_hardest(s);
    r->most = r->truth.radius + r->tool_radius;
    r->distance = r->by != PAL_FOUND_NOTHING ? across(r->guess, r->truth.place) : (double)NAN;
    r->found = r->by != PAL_FOUND_NOTHING && r->distance <= r->most;
    return status;
}

// ---- what can be scored

static pal_status check_trace(const char *path, const pal_trace_data *trace, pal_err *err) {
    if (trace->info.hand_count != 1) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "%s: a trace of %d hands; a search is scored for one hand", path,
                        (int)trace->info.hand_count);
    }
    if (trace->hash[0] == '\0' || trace->count == 0) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s: the run was cut off before its trace was closed; score a run that has "
                        "ended (Ctrl-C and closing the window end one, too)",
                        path);
    }
    return PAL_OK;
}

static pal_status open_scene(const char *path, const pal_trace_data *trace, pal_scene *scene,
                             pal_err *err) {
    pal_status status = pal_scene_parse(trace->scene_path, trace->scene_text,
                                        strlen(trace->scene_text), scene, err);
    if (status == PAL_OK && scene->hidden.name[0] == '\0') {
        status = pal_fail(err, PAL_ERR_INPUT,
                          "%s: nothing is hidden in its scene '%.100s', so that there is nothing "
                          "to find; palpate run nodule has something (body.hidden)",
                          path, scene->name);
        pal_scene_free(scene);
    }
    return status;
}

static pal_status score_scene(scoring *s, const pal_scene *scene, const pal_progress *progress) {
    const pal_tool_spec *tool = &scene->live.tool;
    const bool round = tool->kind == PAL_TOOL_SPHERE || tool->kind == PAL_TOOL_CAPSULE;
    pal_scene_body body;
    pal_status status = pal_scene_build(scene, progress, &body, s->err);
    if (status != PAL_OK) {
        return status;
    }
    s->r->truth = scene->hidden;
    s->r->tool_radius = scene->live.tool_radius > 0.0 ? scene->live.tool_radius : 5e-3;
    s->tip = round ? scene->live.tool_radius : 0.0;
    s->felt = PAL_NEW(felt, s->trace->count, s->err);
    status = s->felt != NULL ? make_map(s->r, s->err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = find_heights(&s->r->map, &body.surface, s->err);
    }
    pal_scene_body_free(&body);
    if (status == PAL_OK) {
        status = score(s);
    }
    free(s->felt);
    free(s->weight);
    return status;
}

pal_status pal_score_trace(const char *path, double enough, const pal_progress *progress,
                           pal_score_result *result, pal_err *err) {
    memset(result, 0, sizeof *result);
    if (access(path, F_OK) == 0 && !pal_trace_is_path(path)) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s is no trace; make one by: palpate run nodule --trace FILE.h5", path);
    }
    pal_trace_data trace;
    pal_scene scene;
    pal_status status = pal_traces_read(path, &trace, err);
    if (status != PAL_OK) {
        return status;
    }
    status = check_trace(path, &trace, err);
    if (status == PAL_OK) {
        status = open_scene(path, &trace, &scene, err);
    }
    if (status == PAL_OK) {
        result->enough = enough;
        scoring s = {.r = result, .trace = &trace, .err = err};
        status = score_scene(&s, &scene, progress);
        pal_scene_free(&scene);
    }
    pal_trace_data_free(&trace);
    if (status != PAL_OK) {
        pal_score_free(result);
    }
    return status;
}
