// palpate bench contact: how long it takes to find what a tool touches, by the nested shell of
// points, on the bridge and on the same surface with nine times the triangles; how tight the bounds
// are; and whole steps: a ball on the bridge, in its parts, and a mesh tool on the tower.
#include "app/bench_touched.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/histogram.h"
#include "haptics/live_body.h"
#include "scenes/scene.h"
#include "scenes/shapes.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/base/rng.h"
#include "sim/base/vec3.h"
#include "sim/contact/bdtree_build.h"
#include "sim/contact/distfield_build.h"
#include "sim/contact/shell_build.h"

enum { PLACES = 150, TICKS = 40 };

// ---- Sliding tools ------------------------------------------------------------------------------

typedef struct slides {
    double median, p99; // us
    double touches, looked;
} slides;

static slides slide(const pal_touched *t, const pal_shape *shape, pal_histogram *times) {
    slides all = {0.0, 0.0, 0.0, 0.0};
    pal_rng rng = pal_rng_make(7, 0);
    int32_t done = 0;
    pal_histogram_init(times);
    const int32_t last = t->shell.level_count - 1;
    for (int k = 0; k < PLACES; k++) {
        pal_shell_query query = {
            .shape = shape, .margin = 0.0005, .look_budget = 4000, .most = PAL_MAX_TOUCHES};
        const int32_t point = (int32_t)(pal_rng_next(&rng) % (uint64_t)t->shell.count[last]);
        pal_touched_place(t, shape, point, &query);
        for (int i = 0; i < TICKS; i++) {
            pal_touch_set set;
            for (int c = 0; c < 3; c++) {
                query.pose.x[c] += 2e-5 * t->shell.point[point].axis[0][c];
            }
            const double start = pal_thread_seconds();
            pal_shell_find(&t->shell, &t->body, &query, &set);
            const double took = pal_thread_seconds() - start;
            if (i > 0 && set.count > 0) { // the first one finds cold memory
                pal_histogram_add(times, (int64_t)(1e9 * took));
                all.touches += set.count;
                all.looked += set.looked;
                done++;
            }
        }
    }
    const pal_histogram_summary s = pal_histogram_summarize(times);
    all.median = s.p50;
    all.p99 = s.p99;
    all.touches /= done;
    all.looked /= done;
    return all;
}

static pal_status report_slides(pal_bench *bench, const char *body, const char *tool,
                                const slides *s, double reference, const char *source,
                                pal_err *err) {
    char name[96];
    snprintf(name, sizeof name, "%s, %s: find %.0f touches (%.0f looks)", body, tool, s->touches,
             s->looked);
    pal_status status =
        pal_bench_report(bench, name, s->median, "us", PAL_BENCH_LESS, reference, source, err);
    snprintf(name, sizeof name, "%s, %s: p99", body, tool);
    return status == PAL_OK
               ? pal_bench_report(bench, name, s->p99, "us", PAL_BENCH_LESS, NAN, "", err)
               : status;
}

// ---- Bounds -------------------------------------------------------------------------------------

// Mean of radius(q) over the true radius, of the nodes with something below them.
static double tightness(const pal_touched *t, pal_err *err) {
    const pal_shell *shell = &t->shell;
    const int32_t last = shell->level_count - 1, points = shell->count[last];
    double *x = PAL_NEW(double, 3 * (size_t)points, err);
    double *most = PAL_NEW(double, (size_t)shell->first[last], err);
    double sum = 0.0;
    int32_t count = 0;
    for (int32_t i = 0; x != NULL && most != NULL && i < points; i++) {
        pal_shell_place(shell, t->q, i, x + 3 * (int64_t)i);
        int32_t holder = i;
        for (int32_t l = last - 1; l >= 0; l--) {
            double apart[3];
            holder = holder < shell->count[l] ? holder : shell->point[holder].parent;
            pal_sub3(x + 3 * (int64_t)i, x + 3 * (int64_t)holder, apart);
            const double radius = pal_norm3(apart) + (double)shell->reach[shell->first[last] + i];
            double *held = &most[shell->first[l] + holder];
            *held = fmax(*held, radius);
        }
    }
    for (int32_t l = 0; x != NULL && most != NULL && l < last; l++) {
        for (int32_t i = 0; i < shell->count[l]; i++) {
            if (shell->node[shell->first[l] + i].child_count > 0) {
                sum += pal_shell_radius(shell, t->q, l, i) / most[shell->first[l] + i];
                count++;
            }
        }
    }
    free(x);
    free(most);
    return count > 0 ? sum / count : NAN;
}

// ---- The benchmark ------------------------------------------------------------------------------

static pal_status bench_bridge(pal_bench *bench, bool finer, slides before[3], pal_histogram *times,
                               pal_err *err) {
    static const char *const tools[3] = {"sphere", "capsule", "spoon"};
    pal_touched t;
    pal_shape shape[3];
    pal_distfield field = {0};
    double took = 0.0;
    const pal_shell_spec spec = {.spacing = 0.005 / 3.0};
    pal_status status = pal_touched_open(&t, bench, "bridge", finer, &spec, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_shape_sphere(&shape[0], 0.005, err);
    status = status == PAL_OK ? pal_shape_capsule(&shape[1], 0.003, 0.1, err) : status;
    status =
        status == PAL_OK ? pal_touched_tool("spoon", 0.06, &field, &shape[2], &took, err) : status;
    char body[64], name[96];
    snprintf(body, sizeof body, "bridge, %d triangles", t.body.triangle_count);
    snprintf(name, sizeof name, "%s: a shell of %d points", body,
             t.shell.count[t.shell.level_count - 1]);
    if (status == PAL_OK) {
        status = pal_bench_report(bench, name, 1e3 * t.built, "ms", PAL_BENCH_LESS, 2000.0,
                                  "what one waits for gladly", err);
    }
    for (int i = 0; status == PAL_OK && i < 3; i++) {
        const slides s = slide(&t, &shape[i], times);
        status = report_slides(bench, body, tools[i], &s, finer ? before[i].median : 15.0,
                               finer ? "fewer triangles, same run" : "a quarter of the tick", err);
        before[i] = s;
    }
    if (status == PAL_OK && !finer) {
        status = pal_bench_report(bench, "bridge: bound over true radius, mean", tightness(&t, err),
                                  "", PAL_BENCH_LESS, 1.28, "a random sphere, per mode", err);
        snprintf(name, sizeof name, "spoon: distance field, %d x %d x %d samples", field.count[0],
                 field.count[1], field.count[2]);
        status = status == PAL_OK
                     ? pal_bench_report(bench, name, 1e3 * took, "ms", PAL_BENCH_LESS, NAN, "", err)
                     : status;
    }
    pal_distfield_free(&field);
    pal_touched_close(&t);
    return status;
}

// A sphere that is larger than the tower: as far from all of it as it is large, or over all of it.
static pal_status bench_tower(pal_bench *bench, pal_histogram *times, pal_err *err) {
    pal_touched t;
    const pal_shell_spec spec = {.spacing = 1e-4, .most_points = 10000};
    pal_status status = pal_touched_open(&t, bench, "tower", false, &spec, err);
    if (status != PAL_OK) {
        return status;
    }
    const int32_t points = t.shell.count[t.shell.level_count - 1];
    char name[96];
    for (int over = 0; status == PAL_OK && over < 2; over++) {
        pal_shape shape;
        pal_touch_set set = {0};
        status = pal_shape_sphere(&shape, 3.0, err);
        pal_shell_query query = {.shape = &shape,
                                 .pose = PAL_POSE_IDENTITY,
                                 .margin = over ? 0.0005 : -0.01,
                                 .look_budget = INT32_MAX,
                                 .most = PAL_MAX_TOUCHES};
        // beside it, so that its surface cuts through the tower, or around it
        query.pose.x[0] = over ? 0.0 : -3.0;
        pal_histogram_init(times);
        for (int i = 0; status == PAL_OK && i < 400; i++) {
            query.pose.x[0] += 1e-5;
            const double start = pal_thread_seconds();
            pal_shell_find(&t.shell, &t.body, &query, &set);
            pal_histogram_add(times, (int64_t)(1e9 * (pal_thread_seconds() - start)));
        }
        snprintf(name, sizeof name, "tower, r = %d, %d points, %s: %d looks", t.body.size, points,
                 over ? "inside a ball" : "cut by a ball", set.looked);
        status = status == PAL_OK
                     ? pal_bench_report(bench, name, pal_histogram_quantile(times, 0.5), "us",
                                        PAL_BENCH_LESS, 500.0, "half of a tick", err)
                     : status;
    }
    pal_touched_close(&t);
    return status;
}

pal_status pal_bench_contact(pal_bench *bench, pal_err *err) {
    slides before[3];
    double fewer = 0.0;
    pal_histogram *times = PAL_NEW(pal_histogram, 6, err);
    if (times == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = bench_bridge(bench, false, before, times, err);
    status = status == PAL_OK ? bench_bridge(bench, true, before, times, err) : status;
    static const pal_press_case press[] = {
        {.dents = true, .as_run = true}, {.dents = true}, {.dents = false},
        {.dents = true, .deck = true},   {.deck = true},  {.deck = true, .finer = true}};
    for (size_t i = 0; status == PAL_OK && i < sizeof press / sizeof *press; i++) {
        status = pal_bench_press(bench, &press[i], &fewer, times, err);
    }
    status = status == PAL_OK ? bench_tower(bench, times, err) : status;
    status = status == PAL_OK ? pal_bench_tower_step(bench, times, err) : status;
    free(times);
    return status;
}
