// palpate bench tick: the whole tick of every shipped scene under its own probe, in virtual time,
// and beside it the bare step of the same body. Times are those of the thread itself, so that other
// programs do not count; the simulated hand does not count either. Last, one scene in real time
// with and without somebody who draws.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench.h"
#include "app/bench_drawn.h"
#include "app/session.h"
#include "haptics/live_tree.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"

static const double budget_us = 500.0; // half of a tick

// Runs the scene's probe; every tick, touching or not, is in the servo's histogram.
static uint64_t run_probe(pal_session *session) {
    const uint64_t ticks = (uint64_t)llrint(session->script_seconds / session->options.dt);
    for (uint64_t k = 0; k < ticks; k++) {
        pal_tick_record record;
        pal_servo_tick(session->servo, 0, 0.0);
        while (pal_ring_get(&session->servo->log, &record)) {
        }
    }
    return ticks;
}

// The median of as many bare steps, from the state that the probe left, the last spring inside.
static double median_step(pal_session *session, uint64_t steps, pal_histogram *histogram) {
    pal_histogram_init(histogram);
    for (uint64_t k = 0; k < steps; k++) {
        double start = pal_thread_seconds();
        if (session->body.domains != NULL) {
            pal_tree_step(session->body.domains->state);
        } else {
            pal_newmark_step(session->body.newmark, session->servo->own.no_force, NULL, 0, NULL);
        }
        pal_histogram_add(histogram, (int64_t)(1e9 * (pal_thread_seconds() - start)));
    }
    return pal_histogram_quantile(histogram, 0.5);
}

static pal_status report(pal_bench *bench, const pal_session *session, double step_us,
                         pal_err *err) {
    const pal_histogram_summary tick = pal_histogram_summarize(&session->servo->own.counters.tick);
    const struct {
        const char *what;
        double value, reference;
        const char *source;
    } rows[] = {
        {"median", tick.p50, step_us, "the bare step, same run"},
        {"p99", tick.p99, budget_us, "half of a tick"},
        {"p99.99", tick.p9999, budget_us, "half of a tick"},
        {"max", tick.max, budget_us, "half of a tick"},
    };
    pal_status status = PAL_OK;
    for (size_t i = 0; status == PAL_OK && i < sizeof rows / sizeof *rows; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s, r = %d: tick, %s", session->scene.name,
                 (int)session->model.r, rows[i].what);
        status = pal_bench_report(bench, name, rows[i].value, "us", PAL_BENCH_LESS,
                                  rows[i].reference, rows[i].source, err);
    }
    return status;
}

static pal_status bench_scene(pal_bench *bench, const char *scene, pal_err *err) {
    const pal_session_options options = {.device = "sim", .seed = -1};
    pal_session session;
    pal_histogram *steps = PAL_NEW(pal_histogram, 1, err);
    if (steps == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_session_open(&session, scene, &options, bench->job->progress, err);
    if (status == PAL_OK) {
        pal_realtime_flush_denormals(true);
        uint64_t ticks = run_probe(&session);
        double step_us = session.scene.live.has_wall ? NAN : median_step(&session, ticks, steps);
        pal_realtime_flush_denormals(false);
        status = report(bench, &session, step_us, err);
        pal_session_close(&session);
    }
    free(steps);
    return status;
}

pal_status pal_bench_tick(pal_bench *bench, pal_err *err) {
    pal_status status = PAL_OK;
    for (int i = 0; status == PAL_OK && pal_scene_shipped(i) != NULL; i++) {
        status = bench_scene(bench, pal_scene_shipped(i), err);
    }
    return status == PAL_OK ? pal_bench_drawn(bench, err) : status;
}
