// palpate bench render: u = U q on the CPU beside the rate at which this processor reads that
// memory (measured in turns with it, on one thread), and whole pictures a second, beside the
// paper's [BJ05 table 2]: a 3 GHz Pentium 4 with a GeForce 5950.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench.h"
#include "app/shown.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"

enum { ROUNDS = 60, FRAMES = 12, WIDTH = 1280, HEIGHT = 800, LANES = 8, SUMS = 8 };

static const double beyond_caches = 4e6; // bytes; a smaller basis stays in a core's own caches

static const struct paper_row {
    const char *scene;
    double uq_ms; // of the paper; NAN: the scene is ours
    double rate;  // frames a second, by the CPU
    double gpu_rate;
} rows[] = {{"spoon", 0.565, 275.0, 470.0},
            {"bridge", 14.5, 38.0, 84.0},
            {"tower", 25.5, 17.0, 40.0},
            {"heart", 6.5, 31.0, 45.0},
            {"liver", NAN, NAN, NAN}};

// ---- u = U q

typedef float lanes __attribute__((vector_size(4 * LANES)));

// Reads all of it and does as little else as can be.
static float read_all(const float *x, int64_t count) {
    lanes sum[SUMS] = {0};
    for (int64_t i = 0; i + SUMS * LANES <= count; i += SUMS * LANES) {
        for (int k = 0; k < SUMS; k++) {
            lanes v;
            memcpy(&v, x + i + (int64_t)k * LANES, sizeof v);
            sum[k] += v;
        }
    }
    float all = 0.0F;
    for (int k = 0; k < SUMS; k++) {
        for (int i = 0; i < LANES; i++) {
            all += sum[k][i];
        }
    }
    return all;
}

typedef struct streaming {
    double seconds;      // of one u = U q, the fastest
    double read_seconds; // of reading the basis
} streaming;

// The fastest of many, in turns: another program takes its share of both.
static streaming stream(const pal_deform *deform, const float *q, float *place) {
    streaming s = {INFINITY, INFINITY};
    volatile float kept = 0.0F;
    const int64_t count = (int64_t)(pal_deform_bytes(deform) / sizeof(float));
    for (int k = 0; k < ROUNDS; k++) {
        double start = pal_seconds();
        kept = kept + read_all(deform->basis, count);
        s.read_seconds = fmin(s.read_seconds, pal_seconds() - start);
        start = pal_seconds();
        pal_deform_places(deform, q, PAL_DEFORM_MOVED, place);
        s.seconds = fmin(s.seconds, pal_seconds() - start);
    }
    return s;
}

static pal_status bench_uq(pal_bench *bench, const struct paper_row *row, const pal_model *model,
                           pal_err *err) {
    pal_deform deform;
    pal_status status = pal_deform_open(&deform, model, err);
    if (status != PAL_OK) {
        return status;
    }
    float q[PAL_SNAPSHOT_R];
    for (int32_t l = 0; l < model->r; l++) {
        q[l] = 1e-3F * sinf((float)l);
    }
    float *place = PAL_NEW(float, 4 * (size_t)PAL_DEFORM_LANES * (size_t)deform.block_count, err);
    status = place != NULL ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        const streaming s = stream(&deform, q, place);
        const double bytes = pal_deform_bytes(&deform);
        char name[96];
        snprintf(name, sizeof name, "%s: u = U q on the CPU, %d points, r = %d", row->scene,
                 (int)deform.point_count, (int)model->r);
        status = pal_bench_report(bench, name, 1e3 * s.seconds, "ms", PAL_BENCH_LESS, row->uq_ms,
                                  isnan(row->uq_ms) ? NULL : "the paper's", err);
        snprintf(name, sizeof name, "%s: its basis streams at", row->scene);
        if (status == PAL_OK && bytes > beyond_caches) {
            status = pal_bench_report(bench, name, 1e-9 * bytes / s.seconds, "GB/s", PAL_BENCH_MORE,
                                      0.5e-9 * bytes / s.read_seconds,
                                      "half of the rate of reading, same run", err);
        }
    }
    free(place);
    pal_deform_close(&deform);
    return status;
}

// ---- pictures

// Pictures a second, the body deformed anew for each.
static pal_status time_frames(pal_studio *studio, pal_snapshot *shot, double *rate, pal_err *err) {
    pal_view view;
    pal_view_defaults(&view);
    pal_status status = pal_studio_fit(studio, &view, shot, 1.0, err);
    double start = 0.0;
    for (int k = 0; status == PAL_OK && k <= FRAMES; k++) {
        shot->q[0] = 1e-4 * (k % 2);
        status = pal_studio_draw(studio, &view, shot, NULL, err);
        if (status == PAL_OK) {
            pal_gl_finish();
        }
        start = k == 0 ? pal_seconds() : start; // the first one builds shaders
    }
    *rate = FRAMES / (pal_seconds() - start);
    return status;
}

static pal_status bench_frames(pal_bench *bench, const struct paper_row *row,
                               const pal_model *model, pal_deform_way way, pal_err *err) {
    const pal_stage_spec spec = {.model = model,
                                 .tool_count = 1,
                                 .tool = {{.kind = PAL_LOOK_BALL, .radius = 5e-3}},
                                 .way = way};
    const bool gpu = way == PAL_DEFORM_GPU;
    pal_snapshot *shot = PAL_NEW(pal_snapshot, 1, err);
    pal_studio studio;
    double rate = 0.0;
    pal_status status =
        shot != NULL ? pal_studio_open(&studio, &spec, WIDTH, HEIGHT, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        char name[96];
        shot->r = model->r;
        shot->hand_count = 1;
        shot->hand[0].tool = shot->hand[0].device = PAL_POSE_IDENTITY;
        memcpy(shot->hand[0].tool.x, model->surface.x, sizeof shot->hand[0].tool.x);
        status = time_frames(&studio, shot, &rate, err);
        snprintf(name, sizeof name, "%s: pictures of %d x %d, deformed on the %s%s", row->scene,
                 WIDTH, HEIGHT, gpu ? "GPU" : "CPU",
                 studio.context.software ? " (software OpenGL)" : "");
        pal_studio_close(&studio);
        if (status == PAL_OK) {
            status = pal_bench_report(bench, name, rate, "/s", PAL_BENCH_MORE,
                                      gpu ? row->gpu_rate : row->rate,
                                      isnan(row->rate) ? NULL : "the paper's", err);
        }
    }
    free(shot);
    return status;
}

pal_status pal_bench_render(pal_bench *bench, pal_err *err) {
    pal_status status = PAL_OK;
    for (size_t i = 0; status == PAL_OK && i < sizeof rows / sizeof *rows; i++) {
        pal_scene scene;
        pal_model model = {0};
        status = pal_scene_read(rows[i].scene, &scene, err);
        if (status != PAL_OK) {
            return status;
        }
        status = pal_scene_model(&scene, false, bench->job->progress, &model, NULL, NULL, err);
        if (status == PAL_OK) {
            status = bench_uq(bench, &rows[i], &model, err);
        }
        if (status == PAL_OK) {
            status = bench_frames(bench, &rows[i], &model, PAL_DEFORM_CPU, err);
        }
        if (status == PAL_OK) {
            status = bench_frames(bench, &rows[i], &model, PAL_DEFORM_GPU, err);
        }
        pal_model_free(&model);
        pal_scene_free(&scene);
    }
    return status;
}
