// palpate bench substructure: the whole tick of a tree under its scene's own probe, while the
// stylus touches it, in virtual time. Times are those of the thread itself, so that other programs
// count only as far as they hold up the helper.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/bench_tree.h"
#include "app/session.h"
#include "sim/base/memory.h"

static const double tick_us = 1000.0; // at 1 kHz

// Runs the scene's probe once; counts the ticks in which something is touched.
static void run_probe(pal_session *session, pal_histogram *touching) {
    const uint64_t ticks = (uint64_t)llrint(session->script_seconds / session->options.dt);
    pal_histogram_init(touching);
    pal_realtime_flush_denormals(true);
    for (uint64_t k = 0; k < ticks; k++) {
        pal_tick_record record;
        pal_servo_tick(session->servo, 0, 0.0);
        while (pal_ring_get(&session->servo->log, &record)) {
            if (record.touching > 0) {
                pal_histogram_add(touching, (int64_t)(1e3 * record.compute_us));
            }
        }
    }
    pal_realtime_flush_denormals(false);
}

static pal_status report(pal_bench *bench, const char *scene, const char *cores, double step_us,
                         const pal_histogram *touching, pal_err *err) {
    const struct {
        const char *what;
        double share, reference;
        const char *source;
    } rows[] = {
        {"median", 0.5, step_us, "the bare step, same run"},
        {"p99", 0.99, tick_us, "goal: 1 kHz"},
        {"p99.9", 0.999, tick_us, "goal: 1 kHz"},
    };
    pal_status status = PAL_OK;
    for (size_t i = 0; status == PAL_OK && i < sizeof rows / sizeof *rows; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s: tick in contact, %s, %s", scene, cores, rows[i].what);
        status = pal_bench_report(bench, name, pal_histogram_quantile(touching, rows[i].share),
                                  "us", PAL_BENCH_LESS, rows[i].reference, rows[i].source, err);
    }
    return status;
}

pal_status pal_bench_tree_tick(pal_bench *bench, const char *scene, const double step_us[2],
                               pal_err *err) {
    static const char *const cores[2] = {"one core", "two cores"};
    pal_status status = PAL_OK;
    pal_histogram *touching = PAL_NEW(pal_histogram, 1, err);
    if (touching == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int k = 0; status == PAL_OK && k < 2; k++) {
        const pal_session_options options = {.device = "sim", .seed = -1, .one_thread = k == 0};
        pal_session session;
        status = pal_session_open(&session, scene, &options, bench->job->progress, err);
        if (status == PAL_OK) {
            run_probe(&session, touching);
            status = report(bench, scene, cores[k], step_us[k], touching, err);
            pal_session_close(&session);
        }
    }
    free(touching);
    return status;
}
