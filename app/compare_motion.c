// The same blow by full and by reduced dynamics, and the same push by full and by reduced statics.
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/compare.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/fem/dynamic.h"
#include "sim/fem/static.h"
#include "sim/reduced/newmark.h"

static const double TOLERANCE = 1e-4; // on residuals, of the greatest force of the blow
enum { NEWTON_ITERATIONS = 40, STATIC_STEPS = 24, STATIC_NEWTON = 30 };

double pal_blow_factor(void *blow, double time) {
    const double pi = 3.14159265358979323846, duration = ((const pal_blow *)blow)->duration;
    return time > 0.0 && time < duration ? sin(pi * time / duration) : 0.0;
}

static void record(const pal_trial *trial, pal_motion *motion, int32_t step, const double u[3]) {
    motion->time[step] = step * trial->dt;
    memcpy(motion->u + 3 * (int64_t)step, u, 3 * sizeof *u);
    motion->along[step] = pal_dot3(u, trial->blow.direction);
}

// ---- the full body

// The load of `strength` along the blow, a full vector on the heap.
static pal_status full_load(const pal_trial *trial, double strength, double **f, pal_err *err) {
    double total[3];
    for (int c = 0; c < 3; c++) {
        total[c] = strength * trial->blow.direction[c];
    }
    *f = PAL_NEW(double, 3 * (size_t)trial->fem.mesh->vertex_count, err);
    return *f ? pal_fem_add_load(&trial->fem, trial->probe.selector, total, *f, err)
              : PAL_ERR_MEMORY;
}

typedef struct watcher {
    const pal_trial *trial;
    pal_motion *motion;
    double *shapes;
    int32_t shape_count, stride;
} watcher;

static bool watch(void *user, int step, double time, const double *u, const double *v,
                  double kinetic, double strain) {
    (void)time;
    (void)v;
    (void)kinetic;
    (void)strain;
    watcher *w = user;
    double mean[3];
    pal_probe_read(&w->trial->probe, u, mean);
    record(w->trial, w->motion, step, mean);
    if (step > 0 && step % w->stride == 0 && w->shape_count < PAL_SNAPSHOTS) {
        size_t rows = 3 * (size_t)w->trial->fem.mesh->vertex_count;
        memcpy(w->shapes + (size_t)w->shape_count * rows, u, rows * sizeof *u);
        w->shape_count++;
    }
    return true;
}

pal_status pal_motion_full(pal_trial *trial, const pal_progress *progress, pal_motion *motion,
                           double **shapes, int32_t *shape_count, pal_err *err) {
    size_t rows = 3 * (size_t)trial->fem.mesh->vertex_count;
    watcher w = {.trial = trial, .motion = motion};
    w.stride = (trial->steps + PAL_SNAPSHOTS - 1) / PAL_SNAPSHOTS;
    w.shapes = PAL_NEW(double, PAL_SNAPSHOTS *rows, err);
    double *f = NULL;
    pal_status status = w.shapes ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = full_load(trial, trial->blow.strength, &f, err);
    }
    if (status == PAL_OK) {
        pal_dynamic_options options = {.dt = trial->dt,
                                       .steps = trial->steps,
                                       .alpha = trial->alpha,
                                       .beta = trial->beta,
                                       .tolerance = TOLERANCE,
                                       .load_factor = pal_blow_factor,
                                       .load_user = &trial->blow};
        double start = pal_seconds();
        status = pal_dynamic_run(&trial->fem, f, &options, progress, watch, &w, err);
        motion->seconds_per_step = (pal_seconds() - start) / trial->steps;
    }
    free(f);
    *shapes = w.shapes;
    *shape_count = w.shape_count;
    return status;
}

pal_status pal_full_displacement(pal_trial *trial, double force, const pal_progress *progress,
                                 double *distance, pal_err *err) {
    double *f = NULL, mean[3];
    double *u = PAL_NEW(double, 3 * (size_t)trial->fem.mesh->vertex_count, err);
    pal_static_report report;
    pal_status status = u ? full_load(trial, force, &f, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = pal_static_solve(&trial->fem, f, NULL, progress, u, &report, err);
    }
    if (status == PAL_OK) {
        pal_probe_read(&trial->probe, u, mean);
        *distance = pal_dot3(mean, trial->blow.direction);
    }
    free(f);
    free(u);
    return status;
}

// ---- a reduced body

typedef struct reduced {
    int32_t r;
    double *memory;
    pal_newmark *body;
    double *row;  // [3][r]: the probe's mean displacement is row q
    double *push; // [r]: 1 N along the blow at the probe
    double *f;    // [r] a force
} reduced;

static void close_reduced(reduced *x) {
    free(x->memory);
    free(x->row);
    free(x->push);
    free(x->f);
}

static pal_status open_reduced(const pal_trial *trial, const pal_reduction *reduction, reduced *x,
                               pal_err *err) {
    const int32_t r = reduction->r;
    *x = (reduced){.r = r};
    x->row = PAL_NEW(double, 3 * (size_t)r, err);
    x->push = PAL_NEW(double, r, err);
    x->f = PAL_NEW(double, r, err);
    x->memory = pal_alloc(1, pal_newmark_bytes(r, PAL_DOUBLE), err);
    if (!x->row || !x->push || !x->f || !x->memory) {
        close_reduced(x);
        return PAL_ERR_MEMORY;
    }
    double norm = 0.0;
    for (int32_t k = 0; k < r; k++) {
        for (int32_t i = 0; i < trial->probe.count; i++) {
            const double *u = reduction->basis + 3 * (int64_t)trial->probe.vertex[i] * r + k;
            for (int c = 0; c < 3; c++) {
                x->row[c * r + k] += u[(int64_t)c * r] / trial->probe.count;
            }
        }
        for (int c = 0; c < 3; c++) {
            x->push[k] += x->row[c * r + k] * trial->blow.direction[c];
        }
        norm += x->push[k] * x->push[k];
    }
    const pal_newmark_options options = {.dt = trial->dt,
                                         .alpha = trial->alpha,
                                         .beta = trial->beta,
                                         .newton_iterations = NEWTON_ITERATIONS,
                                         .newton_tolerance =
                                             TOLERANCE * trial->blow.strength * sqrt(norm)};
    x->body = pal_newmark_init(x->memory, &reduction->quartic, NULL, PAL_DOUBLE, &options);
    return PAL_OK;
}

static void read_probe(const reduced *x, double u[3]) {
    const double *q = pal_newmark_q(x->body);
    for (int c = 0; c < 3; c++) {
        u[c] = 0.0;
        for (int32_t k = 0; k < x->r; k++) {
            u[c] += x->row[c * x->r + k] * q[k];
        }
    }
}

pal_status pal_motion_reduced(const pal_trial *trial, const pal_reduction *reduction,
                              pal_motion *motion, pal_err *err) {
    reduced x;
    pal_status status = open_reduced(trial, reduction, &x, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_blow blow = trial->blow;
    double u[3] = {0.0, 0.0, 0.0}, spent = 0.0;
    record(trial, motion, 0, u);
    for (int32_t step = 1; step <= trial->steps; step++) {
        double force = blow.strength * pal_blow_factor(&blow, step * trial->dt);
        for (int32_t k = 0; k < x.r; k++) {
            x.f[k] = force * x.push[k];
        }
        double start = pal_seconds();
        pal_outcome outcome = pal_newmark_step(x.body, x.f, NULL, 0, NULL);
        spent += pal_seconds() - start;
        read_probe(&x, u);
        if ((outcome & PAL_OUT_NAN) != 0) {
            u[0] = u[1] = u[2] = (double)NAN;
        }
        record(trial, motion, step, u);
    }
    motion->seconds_per_step = spent / trial->steps;
    close_reduced(&x);
    return PAL_OK;
}

// ---- a reduced body held in place

// The Newton system of R(q) = s push, push.q = distance in the unknowns (q, s), of size r + 1.
static double form_held(reduced *x, const double *q, double s, double distance, double *matrix,
                        double *right, double *stiffness) {
    const int32_t r = x->r, n = r + 1;
    double residual = 0.0, moved = 0.0;
    pal_newmark_evaluate(x->body, q, right, stiffness);
    for (int32_t i = 0; i < r; i++) {
        memcpy(matrix + (size_t)i * (size_t)n, stiffness + (size_t)i * (size_t)r,
               (size_t)r * sizeof *matrix);
        matrix[i * n + r] = -x->push[i];
        matrix[r * n + i] = x->push[i];
        right[i] = s * x->push[i] - right[i];
        residual += right[i] * right[i];
        moved += x->push[i] * q[i];
    }
    matrix[r * n + r] = 0.0;
    right[r] = distance - moved;
    return sqrt(residual);
}

// Newton at one distance from the last; false when it fails.
static bool settle(reduced *x, double distance, double *q, double *s, double *work) {
    const int32_t r = x->r, n = r + 1;
    double *matrix = work, *right = work + n * n, *stiffness = right + n;
    lapack_int pivot[PAL_MAX_R + 1];
    double first = 0.0;
    for (int k = 0; k < STATIC_NEWTON; k++) {
        double residual = form_held(x, q, *s, distance, matrix, right, stiffness);
        first = fmax(first, residual);
        if (!isfinite(residual)) {
            return false;
        }
        if (k > 1 && residual <= 1e-9 * first) {
            return true;
        }
        if (LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, matrix, n, pivot, right, 1) != 0) {
            return false;
        }
        for (int32_t i = 0; i < r; i++) {
            q[i] += right[i];
        }
        *s += right[r];
    }
    return false;
}

pal_status pal_reduced_holding_force(const pal_trial *trial, const pal_reduction *reduction,
                                     double distance, double *force, pal_err *err) {
    reduced x;
    pal_status status = open_reduced(trial, reduction, &x, err);
    if (status != PAL_OK) {
        return status;
    }
    size_t n = (size_t)x.r + 1;
    double *work = PAL_NEW(double, 2 * n * n + 2 * n, err), s = 0.0;
    status = work ? PAL_OK : PAL_ERR_MEMORY;
    bool settled = status == PAL_OK;
    for (int k = 1; settled && k <= STATIC_STEPS; k++) {
        settled = settle(&x, distance * k / STATIC_STEPS, x.f, &s, work);
    }
    *force = settled ? s : (double)NAN;
    free(work);
    close_reduced(&x);
    return status;
}
