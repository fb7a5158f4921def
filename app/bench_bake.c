// palpate bench bake: the offline half beside what it is measured against. Rates are taken as
// shares of the DGEMM rate of the same run on one thread, so that they mean the same on every
// machine.
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/bench.h"
#include "app/progress_bar.h"
#include "scenes/scene.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/base/packed.h"
#include "sim/base/parallel.h"
#include "sim/basis/eigen.h"
#include "sim/basis/modal_deriv.h"
#include "sim/fem/element.h"
#include "sim/mesh/block.h"
#include "sim/model/model_hdf5.h"
#include "sim/reduced/quartic_build.h"

enum { REPEATS = 3 };

static const pal_material rubber = {1e6, 0.4, 1000.0};

// Seconds of the fastest of a few runs of job(context).
static pal_status fastest(pal_status (*job)(void *context, pal_err *err), void *context,
                          double *seconds, pal_err *err) {
    *seconds = INFINITY;
    for (int k = 0; k < REPEATS; k++) {
        double start = pal_seconds();
        pal_status status = job(context, err);
        if (status != PAL_OK) {
            return status;
        }
        *seconds = fmin(*seconds, pal_seconds() - start);
    }
    return PAL_OK;
}

// The same on one thread.
static pal_status fastest_alone(pal_status (*job)(void *context, pal_err *err), void *context,
                                double *seconds, pal_err *err) {
    int threads = pal_thread_count();
    pal_set_thread_count(1);
    pal_status status = fastest(job, context, seconds, err);
    pal_set_thread_count(threads);
    return status;
}

// ---- DGEMM on one thread

enum { GEMM_SIZE = 1024 };

static pal_status multiply(void *context, pal_err *err) {
    (void)err;
    double *a = context;
    const int n = GEMM_SIZE;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1.0, a, n, a + n * n, n, 0.0,
                a + 2 * n * n, n);
    return PAL_OK;
}

static pal_status measure_dgemm(double *flops_per_second, pal_err *err) {
    const size_t square = (size_t)GEMM_SIZE * GEMM_SIZE;
    double *a = PAL_NEW(double, 3 * square, err), seconds;
    if (a == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (size_t i = 0; i < 2 * square; i++) {
        a[i] = (double)(i % 17) - 8.0;
    }
    pal_status status = fastest_alone(multiply, a, &seconds, err);
    *flops_per_second = 2.0 * pow(GEMM_SIZE, 3) / seconds;
    free(a);
    return status;
}

// ---- the quartic

typedef struct quartic_job {
    pal_volmesh mesh;
    int32_t r;
    double *basis;
    pal_quartic per_lambda, per_mu;
} quartic_job;

static pal_status build_quartic(void *context, pal_err *err) {
    quartic_job *job = context;
    return pal_quartic_build(&job->mesh, 0, job->basis, job->r, NULL, &job->per_lambda,
                             &job->per_mu, err);
}

// Smooth made-up vectors: waves of the coordinates.
static double wave(const double *x, int32_t k, int c) {
    return sin((k + 1) * 3.0 * x[0] + c) * cos((k % 5) * 2.0 * x[1]) + x[2] * (k % 3);
}

static pal_status open_quartic(quartic_job *job, pal_element_kind kind, int32_t r, pal_err *err) {
    const int32_t tets[3] = {12, 12, 12}, voxels[3] = {8, 8, 8};
    job->r = r;
    pal_status status =
        pal_mesh_block(kind, kind == PAL_TET4 ? tets : voxels, 0.1, &job->mesh, err);
    if (status != PAL_OK) {
        return status;
    }
    job->basis = PAL_NEW(double, 3 * (size_t)job->mesh.vertex_count * (size_t)r, err);
    if (job->basis == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int64_t row = 0; row < 3 * (int64_t)job->mesh.vertex_count; row++) {
        for (int32_t k = 0; k < r; k++) {
            job->basis[row * r + k] = wave(job->mesh.x + row / 3 * 3, k, (int)(row % 3));
        }
    }
    status = pal_quartic_alloc(&job->per_lambda, r, err);
    return status == PAL_OK ? pal_quartic_alloc(&job->per_mu, r, err) : status;
}

static void close_quartic(quartic_job *job) {
    pal_volmesh_free(&job->mesh);
    free(job->basis);
    pal_quartic_free(&job->per_lambda);
    pal_quartic_free(&job->per_mu);
}

static pal_status report_quartic(pal_bench *bench, const quartic_job *job, double one, double all,
                                 double dgemm, double vega_us, pal_err *err) {
    bool tets = job->mesh.kind == PAL_TET4;
    const char *what = tets ? "tet" : "voxel";
    double points = (double)job->mesh.element_count * (tets ? 1 : 27);
    double flops = 6.0 * pow((double)pal_pairs(job->r), 2) * points;
    char name[96];
    snprintf(name, sizeof name, "quartic, %ss, r = %d: share of DGEMM", what, job->r);
    pal_status status = pal_bench_report(bench, name, flops / one / dgemm, "of one thread",
                                         PAL_BENCH_MORE, 0.4, "goal", err);
    snprintf(name, sizeof name, "quartic, %ss, r = %d: time per %s", what, job->r, what);
    if (status == PAL_OK) {
        status = pal_bench_report(bench, name, 1e6 * one / job->mesh.element_count, "us",
                                  PAL_BENCH_LESS, vega_us, "VegaFEM, one thread", err);
    }
    snprintf(name, sizeof name, "quartic, %ss, r = %d: all cores against one", what, job->r);
    return status == PAL_OK ? pal_bench_report(bench, name, one / all, "times faster",
                                               PAL_BENCH_MORE, 1.6, "goal on two cores", err)
                            : status;
}

static pal_status bench_quartic(pal_bench *bench, pal_element_kind kind, int32_t r, double dgemm,
                                double vega_us, pal_err *err) {
    quartic_job job = {0};
    double one = 0.0, all = 0.0;
    pal_status status = open_quartic(&job, kind, r, err);
    if (status == PAL_OK) {
        status = fastest_alone(build_quartic, &job, &one, err);
    }
    if (status == PAL_OK) {
        status = fastest(build_quartic, &job, &all, err);
    }
    if (status == PAL_OK) {
        status = report_quartic(bench, &job, one, all, dgemm, vega_us, err);
    }
    close_quartic(&job);
    return status;
}

// ---- right-hand sides of the modal derivatives

typedef struct hessian_job {
    pal_fem fem;
    pal_modes modes;
    double *out;
} hessian_job;

enum { HESSIAN_MODES = 10 };

static pal_status build_products(void *context, pal_err *err) {
    hessian_job *job = context;
    return pal_hessian_products(&job->fem, job->modes.psi, HESSIAN_MODES, job->out, err);
}

// A block with its face x = 0 held.
static pal_status open_block(pal_volmesh *mesh, pal_fem *fem, pal_element_kind kind, int32_t edge,
                             pal_err *err) {
    const int32_t n[3] = {edge, edge, edge};
    pal_status status = pal_mesh_block(kind, n, 0.1, mesh, err);
    if (status != PAL_OK) {
        return status;
    }
    uint8_t *held = PAL_NEW(uint8_t, mesh->vertex_count, err);
    if (held == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        held[v] = mesh->x[3 * (int64_t)v] == 0.0;
    }
    status = pal_fem_init(fem, mesh, &rubber, held, PAL_MASS_CONSISTENT, err);
    free(held);
    return status;
}

static pal_status bench_hessian(pal_bench *bench, pal_element_kind kind, double vega_us,
                                pal_err *err) {
    pal_volmesh mesh = {0};
    hessian_job job = {0};
    double seconds = 0.0;
    pal_status status = open_block(&mesh, &job.fem, kind, 10, err);
    if (status == PAL_OK) {
        status = pal_modes_solve(&job.fem, HESSIAN_MODES, NULL, &job.modes, err);
    }
    if (status == PAL_OK) {
        size_t pairs = (size_t)pal_pairs(HESSIAN_MODES);
        job.out = PAL_NEW(double, pairs *(size_t)pal_fem_dofs(&job.fem), err);
        status = job.out ? PAL_OK : PAL_ERR_MEMORY;
    }
    if (status == PAL_OK) {
        status = fastest_alone(build_products, &job, &seconds, err);
    }
    if (status == PAL_OK) {
        status = pal_bench_report(bench,
                                  kind == PAL_TET4 ? "55 derivative right-hand sides, per tet"
                                                   : "55 derivative right-hand sides, per voxel",
                                  1e6 * seconds / mesh.element_count, "us", PAL_BENCH_LESS, vega_us,
                                  "VegaFEM, one thread", err);
    }
    free(job.out);
    pal_modes_free(&job.modes);
    pal_fem_free(&job.fem);
    pal_volmesh_free(&mesh);
    return status;
}

// ---- whole jobs

static pal_status bench_modes(pal_bench *bench, pal_err *err) {
    pal_volmesh mesh = {0};
    pal_fem fem = {0};
    pal_modes modes = {0};
    double start = pal_seconds();
    pal_status status = open_block(&mesh, &fem, PAL_TET4, 21, err); // 55,566 tets
    if (status == PAL_OK) {
        status = pal_modes_solve(&fem, 20, bench->job->progress, &modes, err);
    }
    if (status == PAL_OK) {
        status = pal_bench_report(bench, "20 modes of a block of 55,566 tets",
                                  pal_seconds() - start, "s", PAL_BENCH_LESS, NAN, "", err);
    }
    pal_modes_free(&modes);
    pal_fem_free(&fem);
    pal_volmesh_free(&mesh);
    return status;
}

// Bakes the scene to a scratch file; *seconds from the scene's name to the written file.
static pal_status bake_to_file(const pal_bench *bench, const char *name, double *seconds,
                               pal_bake_times *times, pal_err *err) {
    pal_scene scene = {0};
    pal_model model = {0};
    char path[64];
    snprintf(path, sizeof path, "/tmp/palpate-bench-%ld.h5", (long)getpid());
    double start = pal_seconds();
    pal_status status = pal_scene_read(name, &scene, err);
    if (status == PAL_OK) {
        status = pal_scene_bake(&scene, bench->job->progress, &model, times, err);
    }
    if (status == PAL_OK) {
        status = pal_model_write(path, &model, err);
    }
    *seconds = pal_seconds() - start;
    remove(path);
    pal_model_free(&model);
    pal_scene_free(&scene);
    return status;
}

static double peak_gigabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / (1024.0 * 1024.0);
}

// The heart with 20 modes and 210 derivatives. The paper's times (its figures 5 and 8): modes 111
// s, right-hand sides 291 s, solves 28 min, coefficients 97.4 min.
static pal_status bench_heart(pal_bench *bench, pal_err *err) {
    pal_bake_times times = {0};
    double seconds;
    pal_status status = bake_to_file(bench, "heart", &seconds, &times, err);
    const struct {
        const char *name;
        double value, reference;
    } rows[] = {
        {"heart: linear modes", times.modes, 111.0},
        {"heart: 210 modal derivatives", times.derivatives, 291.0 + 28.0 * 60.0},
        {"heart: quartic coefficients, r = 30", times.quartic, 97.4 * 60.0},
        {"heart: mesh to file", seconds, 111.0 + 291.0 + 28.0 * 60.0 + 97.4 * 60.0},
    };
    for (size_t k = 0; status == PAL_OK && k < sizeof rows / sizeof *rows; k++) {
        status = pal_bench_report(bench, rows[k].name, rows[k].value, "s", PAL_BENCH_LESS,
                                  rows[k].reference, "the paper, 3 GHz Pentium", err);
    }
    return status == PAL_OK ? pal_bench_report(bench, "peak memory of this run", peak_gigabytes(),
                                               "GB", PAL_BENCH_LESS, 4.0, "goal", err)
                            : status;
}

pal_status pal_bench_bake(pal_bench *bench, pal_err *err) {
    double dgemm;
    pal_status status = measure_dgemm(&dgemm, err);
    if (status == PAL_OK) {
        status = pal_bench_report(bench, "DGEMM, one thread", 1e-9 * dgemm, "GFLOP/s",
                                  PAL_BENCH_MORE, NAN, "", err);
    }
    const struct {
        pal_element_kind kind;
        int32_t r;
        double vega_us;
    } cases[] = {{PAL_TET4, 20, 750.0},
                 {PAL_TET4, 30, 3600.0},
                 {PAL_HEX8, 20, 4400.0},
                 {PAL_HEX8, 30, 17700.0}};
    for (size_t k = 0; status == PAL_OK && k < sizeof cases / sizeof *cases; k++) {
        pal_progress_report(bench->job->progress, "quartic rates",
                            (double)k / (sizeof cases / sizeof *cases));
        status = bench_quartic(bench, cases[k].kind, cases[k].r, dgemm, cases[k].vega_us, err);
    }
    if (status == PAL_OK) {
        status = bench_hessian(bench, PAL_TET4, 63.0, err);
    }
    if (status == PAL_OK) {
        status = bench_hessian(bench, PAL_HEX8, 530.0, err);
    }
    if (status == PAL_OK) {
        status = bench_modes(bench, err);
    }
    return status == PAL_OK ? bench_heart(bench, err) : status;
}
