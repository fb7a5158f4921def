// palpate bench substructure: one step of every shipped tree of domains, by interface lumping (L1)
// and exactly, on one core and on two, beside the paper's times [BZ11 table 1] and beside the
// domains' own steps, each as if it were alone. All are taken in turns in one run; then steps in a
// row, and the whole ticks under the scene's stylus. Last, trees of ten to ten thousand instances
// of one class: is the cost linear?
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench_tree.h"
#include "scenes/scene.h"
#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/model/tree_model.h"
#include "sim/substruct/tree_step.h"

enum { ROUNDS = 60, WAYS = 5, IN_A_ROW = 300 };

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
    double in_a_row[IN_A_ROW]; // us, exact on one core
    pal_outcome outcome;
} timed;

// For L1 so little gravity that it goes on by itself (tree_guard.c).
static pal_status open_ways(const pal_tree *tree, timed *t, pal_err *err) {
    pal_status status = PAL_OK;
    for (int k = 0; status == PAL_OK && k < WAYS - 1; k++) {
        const pal_tree_options options = {.dt = 1e-3,
                                          .inertia =
                                              k < 2 ? PAL_INERTIA_INTERFACE : PAL_INERTIA_EXACT,
                                          .gravity = {0.0, 0.0, k < 2 ? -1e-3 : -1.0},
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

// As a servo steps: one tree, again and again.
static void time_in_a_row(timed *t) {
    for (int k = 0; k < IN_A_ROW; k++) {
        const double start = pal_seconds();
        t->outcome |= pal_tree_step(t->state[2]);
        t->in_a_row[k] = 1e6 * (pal_seconds() - start);
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
            snprintf(name, sizeof name, "%s: step, %s, in a row", paper->scene, way[k]);
            status = pal_bench_report(bench, name, median(t->in_a_row, IN_A_ROW), "us",
                                      PAL_BENCH_LESS, 1e3 * paper->goal_ms, "goal", err);
        }
    }
    if (status == PAL_OK && (t->outcome & (PAL_OUT_NAN | PAL_OUT_SWUNG_UP))) {
        return pal_fail(err, PAL_ERR_NUMERIC, "%s: %s", paper->scene,
                        t->outcome & PAL_OUT_NAN ? "a step was not a number"
                                                 : "L1 made energy and went on as exact inertia");
    }
    return status;
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
        time_in_a_row(t);
        status = report_scene(bench, paper, &model.tree, t, err);
    }
    if (status == PAL_OK) {
        const double exact[2] = {median(t->us[2], ROUNDS), median(t->us[3], ROUNDS)};
        status = pal_bench_tree_tick(bench, paper->scene, exact, err);
    }
    close_ways(t);
    free(t);
    pal_tree_model_free(&model);
    return status;
}

// ---- how the cost grows

typedef enum shape { BINARY, STAR, CHAIN, SHAPES } shape;
static const char *const shape_names[SHAPES] = {"binary tree", "star", "chain"};

// The parent of a domain, and the port that it hangs on. The class of a star's hub has a port for
// each; all others have two.
static void hang(shape as, int32_t i, pal_domain *domain) {
    domain->parent = i == 0 ? -1 : (as == BINARY ? (i - 1) / 2 : (as == STAR ? 0 : i - 1));
    domain->port = i == 0 || as == CHAIN ? 0 : (as == BINARY ? (i - 1) % 2 : i - 1);
}

// A tree of `count` instances of one class.
typedef struct grown {
    pal_tree tree;
    pal_domain_class class_[2]; // it, and the same with a port for each child of a hub
    pal_domain *domain;
    pal_port *port;
} grown;

static void free_grown(grown *g) {
    free(g->domain);
    free(g->port);
}

static pal_status grow(const pal_tree *of, int32_t kind, shape as, int32_t count, grown *g,
                       pal_err *err) {
    *g = (grown){.tree = *of,
                 .class_ = {of->class_[kind], of->class_[kind]},
                 .domain = PAL_NEW(pal_domain, count, err),
                 .port = PAL_NEW(pal_port, count, err)};
    if (g->domain == NULL || g->port == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < count; i++) {
        g->port[i] = of->class_[kind].port[0];
        g->domain[i] = (pal_domain){.kind = as == STAR && i == 0,
                                    .rest = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                                    .scale = 1.0,
                                    .stiffness = 1.0};
        hang(as, i, &g->domain[i]);
    }
    g->class_[1].port = g->port;
    g->class_[1].port_count = count;
    g->tree.class_ = g->class_;
    g->tree.class_count = 2;
    g->tree.domain = g->domain;
    g->tree.domain_count = count;
    return pal_tree_check(&g->tree, err);
}

static pal_status time_size(const pal_tree *tree, double *us, double *bytes, pal_err *err) {
    const pal_tree_options options = {.dt = 1e-3, .inertia = PAL_INERTIA_EXACT, .threads = 1};
    const int32_t count = tree->domain_count;
    pal_tree_state *state = NULL;
    pal_status status = pal_tree_open(tree, &options, &state, err);
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
    return status;
}

// The slope of the straight line through (log x, log y).
static double log_slope(const double *x, const double *y, int count) {
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int k = 0; k < count; k++) {
        const double a = log(x[k]), b = log(y[k]);
        sx += a;
        sy += b;
        sxx += a * a;
        sxy += a * b;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

// Trees of one shape and ten to ten thousand domains.
static pal_status bench_shape(pal_bench *bench, const pal_tree *of, int32_t kind, shape as,
                              pal_err *err) {
    enum { SIZES = 4 };
    double counts[SIZES], step[SIZES];
    char name[96];
    pal_status status = PAL_OK;
    for (int k = 0; status == PAL_OK && k < SIZES; k++) {
        const int32_t count = (int32_t)lround(pow(10.0, k + 1));
        double us = 0.0, bytes = 0.0;
        grown g;
        status = grow(of, kind, as, count, &g, err);
        if (status == PAL_OK) {
            status = time_size(&g.tree, &us, &bytes, err);
        }
        free_grown(&g);
        counts[k] = count;
        step[k] = us * count;
        if (status == PAL_OK) {
            snprintf(name, sizeof name, "%s of %d domains of %d modes, exact: a domain",
                     shape_names[as], (int)count, (int)of->class_[kind].r);
            status = pal_bench_report(bench, name, us, "us", PAL_BENCH_LESS, NAN, NULL, err);
        }
        if (status == PAL_OK) {
            snprintf(name, sizeof name, "%s of %d domains: memory a domain", shape_names[as],
                     (int)count);
            status = pal_bench_report(bench, name, bytes / 1024.0, "KiB", PAL_BENCH_LESS, NAN, NULL,
                                      err);
        }
    }
    if (status != PAL_OK) {
        return status;
    }
    snprintf(name, sizeof name, "%s of 10 to 10000 domains: power of the cost", shape_names[as]);
    return pal_bench_report(bench, name, log_slope(counts, step, SIZES), "", PAL_BENCH_LESS, 1.1,
                            "goal", err);
}

static pal_status bench_growth(pal_bench *bench, pal_err *err) {
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
    for (int as = 0; status == PAL_OK && as < SHAPES; as++) {
        status = bench_shape(bench, &model.tree, kind, (shape)as, err);
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
