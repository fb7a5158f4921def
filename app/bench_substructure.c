// palpate bench substructure: one step of every shipped tree of domains, by interface lumping (L1)
// and exactly, on one core and on two, beside the paper's times [BZ11 table 1] and beside the
// domains' own steps, each as if it were alone. All are taken in turns in one run. Then trees of
// ten to ten thousand instances of one class: is the cost linear?
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench.h"
#include "scenes/scene.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/model/tree_model.h"
#include "sim/substruct/tree_step.h"

enum { ROUNDS = 60, WAYS = 5 };

typedef struct published {
    const char *scene;
    double ms; // of the paper, per step
    double goal_ms;
} published;
static const published papers[] = {{"flower", 6.5, 0.15}, {"letters", 1.7, 0.15},
                                   {"dragon", 1.6, 0.3},  {"station", 4.5, 0.5},
                                   {"oak", 29.0, 1.0},    {"vessels", NAN, NAN}};

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int count) {
    qsort(x, (size_t)count, sizeof *x, ascending);
    return x[count / 2];
}

// The ways that are timed: L1 and exact on one core and two, and the domains alone.
typedef struct timed {
    pal_tree_state *state[WAYS - 1]; // L1 on 1, 2; exact on 1, 2
    double us[WAYS][ROUNDS];
    pal_outcome outcome;
} timed;

static pal_status open_ways(const pal_tree *tree, timed *t, pal_err *err) {
    pal_status status = PAL_OK;
    for (int k = 0; status == PAL_OK && k < WAYS - 1; k++) {
        const pal_tree_options options = {.dt = 1e-3,
                                          .inertia =
                                              k < 2 ? PAL_INERTIA_INTERFACE : PAL_INERTIA_EXACT,
                                          .gravity = {0.0, 0.0, -1.0},
                                          .threads = 1 + k % 2};
        status = pal_tree_open(tree, &options, &t->state[k], err);
    }
    return status;
}

static void close_ways(timed *t) {
    for (int k = 0; k < WAYS - 1; k++) {
        pal_tree_close(t->state[k]);
    }
}

// In turns; the second of two steps is timed, so that each begins with its own memory at hand and
// its helper awake.
static void time_ways(timed *t) {
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < WAYS; k++) {
            pal_tree_state *state = t->state[k < WAYS - 1 ? k : 0];
            double start = 0.0;
            for (int twice = 0; twice < 2; twice++) {
                start = pal_seconds();
                if (k < WAYS - 1) {
                    t->outcome |= pal_tree_step(state);
                } else {
                    pal_tree_step_alone(state);
                }
            }
            t->us[k][round] = 1e6 * (pal_seconds() - start);
        }
    }
}

static pal_status report_scene(pal_bench *bench, const published *paper, const pal_tree *tree,
                               timed *t, pal_err *err) {
    static const char *const way[WAYS - 1] = {"L1, one core", "L1, two cores", "exact, one core",
                                              "exact, two cores"};
    const double alone = median(t->us[WAYS - 1], ROUNDS);
    char name[96];
    snprintf(name, sizeof name, "%s, %d domains: their own steps", paper->scene,
             (int)tree->domain_count);
    pal_status status = pal_bench_report(bench, name, alone, "us", PAL_BENCH_LESS, NAN, NULL, err);
    for (int k = 0; status == PAL_OK && k < WAYS - 1; k++) {
        const double us = median(t->us[k], ROUNDS);
        snprintf(name, sizeof name, "%s: step, %s", paper->scene, way[k]);
        status = pal_bench_report(bench, name, us, "us", PAL_BENCH_LESS, 1e3 * paper->ms,
                                  isnan(paper->ms) ? NULL : "[BZ11 table 1], L1 on one core", err);
        if (status == PAL_OK && k % 2 == 0) {
            snprintf(name, sizeof name, "%s: %s, in their own steps", paper->scene, way[k]);
            status = pal_bench_report(bench, name, us / alone, "times", PAL_BENCH_LESS,
                                      k == 0 ? 2.0 : 3.0, "goal", err);
        }
        if (status == PAL_OK && k == 2 && !isnan(paper->goal_ms)) {
            snprintf(name, sizeof name, "%s: step, %s", paper->scene, way[k]);
            status = pal_bench_report(bench, name, us, "us", PAL_BENCH_LESS, 1e3 * paper->goal_ms,
                                      "goal", err);
        }
    }
    return status == PAL_OK && (t->outcome & PAL_OUT_NAN)
               ? pal_fail(err, PAL_ERR_NUMERIC, "%s: a step was not a number", paper->scene)
               : status;
}

static pal_status bench_tree(pal_bench *bench, const published *paper, pal_err *err) {
    pal_scene scene;
    pal_tree_model model = {0};
    timed *t = PAL_NEW(timed, 1, err);
    if (t == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_status status = pal_scene_read(paper->scene, &scene, err);
    if (status == PAL_OK) {
        status = pal_scene_tree_model(&scene, false, bench->job->progress, &model, NULL, NULL, err);
        pal_scene_free(&scene);
    }
    if (status == PAL_OK) {
        status = open_ways(&model.tree, t, err);
    }
    if (status == PAL_OK) {
        time_ways(t);
        status = report_scene(bench, paper, &model.tree, t, err);
    }
    close_ways(t);
    free(t);
    pal_tree_model_free(&model);
    return status;
}

// ---- how the cost grows

// `count` instances of class `kind`, which has two ports or more: each domain has two children,
// until there are enough.
static void grow(int32_t kind, int32_t count, pal_domain *domain) {
    for (int32_t i = 0; i < count; i++) {
        domain[i] = (pal_domain){.kind = kind,
                                 .parent = i == 0 ? -1 : (i - 1) / 2,
                                 .port = i == 0 ? 0 : (i - 1) % 2,
                                 .rest = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                                 .scale = 1.0,
                                 .stiffness = 1.0};
    }
}

static pal_status time_size(const pal_tree *of, int32_t kind, int32_t count, double *us,
                            double *bytes, pal_err *err) {
    pal_domain *domain = PAL_NEW(pal_domain, count, err);
    if (domain == NULL) {
        return PAL_ERR_MEMORY;
    }
    grow(kind, count, domain);
    pal_tree tree = *of;
    tree.domain = domain;
    tree.domain_count = count;
    const pal_tree_options options = {.dt = 1e-3, .inertia = PAL_INERTIA_EXACT, .threads = 1};
    pal_tree_state *state = NULL;
    pal_status status = pal_tree_check(&tree, err);
    if (status == PAL_OK) {
        status = pal_tree_open(&tree, &options, &state, err);
    }
    double taken[ROUNDS];
    const int repeat = count < 1000 ? 1000 / count : 1;
    for (int round = 0; status == PAL_OK && round < ROUNDS; round++) {
        const double start = pal_seconds();
        for (int k = 0; k < repeat; k++) {
            pal_tree_step(state);
        }
        taken[round] = 1e6 * (pal_seconds() - start) / repeat;
    }
    if (status == PAL_OK) {
        *us = median(taken, ROUNDS) / count;
        *bytes = (double)pal_tree_bytes(state) / count;
    }
    pal_tree_close(state);
    free(domain);
    return status;
}

static pal_status bench_growth(pal_bench *bench, pal_err *err) {
    static const int32_t counts[] = {10, 100, 1000, 10000};
    pal_scene scene;
    pal_tree_model model = {0};
    pal_status status = pal_scene_read("vessels", &scene, err);
    if (status == PAL_OK) {
        status = pal_scene_tree_model(&scene, false, bench->job->progress, &model, NULL, NULL, err);
        pal_scene_free(&scene);
    }
    int32_t kind = 0;
    while (status == PAL_OK && kind + 1 < model.class_count &&
           (model.class_[kind].port_count < 2 || kind == model.domain[0].kind)) {
        kind++;
    }
    for (int k = 0; status == PAL_OK && k < 4; k++) {
        char name[96];
        double us = 0.0, bytes = 0.0;
        status = time_size(&model.tree, kind, counts[k], &us, &bytes, err);
        snprintf(name, sizeof name, "%d domains of %d modes, exact: a domain", (int)counts[k],
                 (int)model.class_[kind].r);
        if (status == PAL_OK) {
            status = pal_bench_report(bench, name, us, "us", PAL_BENCH_LESS, NAN, NULL, err);
        }
        if (status == PAL_OK) {
            snprintf(name, sizeof name, "%d domains: memory a domain", (int)counts[k]);
            status = pal_bench_report(bench, name, bytes / 1024.0, "KiB", PAL_BENCH_LESS, NAN, NULL,
                                      err);
        }
    }
    pal_tree_model_free(&model);
    return status;
}

pal_status pal_bench_substructure(pal_bench *bench, pal_err *err) {
    pal_status status = PAL_OK;
    for (size_t k = 0; status == PAL_OK && k < sizeof papers / sizeof *papers; k++) {
        status = bench_tree(bench, &papers[k], err);
    }
    return status == PAL_OK ? bench_growth(bench, err) : status;
}
