// palpate bench contact: how long it takes to find what a tool touches, by the nested shell of
// points, on the bridge and on the same surface with nine times the triangles; how tight the bounds
// are; and whole steps: a ball on the bridge, in its parts, and a mesh tool on the tower.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench.h"
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

enum { PLACES = 150, TICKS = 40, FINER = 3 };

// A body with its shell, at some deformation.
typedef struct touched {
    pal_scene scene;
    pal_model model;
    pal_live_body live;
    pal_body body; // that of `live`, or the same with finer triangles
    pal_bdtree tree;
    pal_shell shell;
    double *q, *rest, *basis;
    int32_t *triangle;
    double built; // s
} touched;

static void touched_close(touched *t) {
    pal_shell_free(&t->shell);
    pal_bdtree_free(&t->tree);
    pal_live_body_close(&t->live);
    pal_model_free(&t->model);
    pal_scene_free(&t->scene);
    free(t->q);
    free(t->rest);
    free(t->basis);
    free(t->triangle);
    memset(t, 0, sizeof *t);
}

// Random coordinates that move the surface by about `size`, the softest the most.
static pal_status bend(touched *t, double size, pal_err *err) {
    t->q = PAL_NEW(double, t->body.size, err);
    if (t->q == NULL) {
        return PAL_ERR_MEMORY;
    }
    pal_rng rng = pal_rng_make(3, 0);
    for (int32_t l = 0; l < t->body.size; l++) {
        double most = 0.0;
        for (int64_t i = 0; i < 3 * (int64_t)t->body.point_count; i++) {
            most = fmax(most, fabs(t->body.basis[i * t->body.size + l]));
        }
        t->q[l] = pal_rng_uniform(&rng, -1.0, 1.0) * size / (most * (1 + l));
    }
    t->body.q = t->q;
    return PAL_OK;
}

// ---- The same surface with finer triangles ------------------------------------------------------

static int32_t fine_index(int i, int j) { // row i (0..FINER) of a triangle of points
    return i * (i + 1) / 2 + j;
}

// Point k of triangle t of the finer surface, and its rows. Corners are not shared between
// triangles: the tree joins them.
static void fill_fine_point(touched *t, int32_t triangle, int i, int j) {
    enum { POINTS = (FINER + 1) * (FINER + 2) / 2 };
    const pal_body *from = &t->live.body;
    const double w[3] = {1.0 - (double)i / FINER, (double)(i - j) / FINER, (double)j / FINER};
    const int64_t to = (int64_t)triangle * POINTS + fine_index(i, j);
    const int32_t r = from->size;
    for (int k = 0; k < 3; k++) {
        const int64_t p = from->triangle[3 * (int64_t)triangle + k];
        for (int c = 0; c < 3; c++) {
            t->rest[3 * to + c] += w[k] * from->rest[3 * p + c];
        }
        for (int32_t l = 0; l < 3 * r; l++) {
            t->basis[3 * to * r + l] += w[k] * from->basis[3 * p * r + l];
        }
    }
}

static pal_status make_finer(touched *t, pal_err *err) {
    enum { POINTS = (FINER + 1) * (FINER + 2) / 2, PARTS = FINER * FINER };
    const pal_body *from = &t->live.body;
    const size_t triangles = (size_t)from->triangle_count, points = triangles * POINTS;
    t->rest = PAL_NEW(double, 3 * points, err);
    t->basis = PAL_NEW(double, 3 * points * (size_t)from->size, err);
    t->triangle = PAL_NEW(int32_t, 3 * PARTS * triangles, err);
    if (t->rest == NULL || t->basis == NULL || t->triangle == NULL) {
        return PAL_ERR_MEMORY;
    }
    int32_t *out = t->triangle;
    for (int32_t k = 0; k < from->triangle_count; k++) {
        for (int i = 0; i <= FINER; i++) {
            for (int j = 0; j <= i; j++) {
                fill_fine_point(t, k, i, j);
            }
        }
        for (int i = 0; i < FINER; i++) {
            for (int j = 0; j < 2 * i + 1; j++) {
                const int a = j / 2;
                const int32_t up[3] = {fine_index(i, a), fine_index(i + 1, a),
                                       fine_index(i + 1, a + 1)};
                const int32_t down[3] = {fine_index(i, a), fine_index(i + 1, a + 1),
                                         fine_index(i, a + 1)};
                for (int c = 0; c < 3; c++) {
                    *out++ = k * POINTS + (j % 2 == 0 ? up[c] : down[c]);
                }
            }
        }
    }
    pal_body_init_linear(&t->body, from->size, (int32_t)points, PARTS * from->triangle_count,
                         t->triangle, t->rest, t->basis, t->q, t->q);
    return PAL_OK;
}

static pal_status touched_open(touched *t, pal_bench *bench, const char *scene, bool finer,
                               const pal_shell_spec *spec, pal_err *err) {
    memset(t, 0, sizeof *t);
    pal_status status = pal_scene_read(scene, &t->scene, err);
    if (status == PAL_OK) {
        status =
            pal_scene_model(&t->scene, false, bench->job->progress, &t->model, NULL, NULL, err);
    }
    if (status == PAL_OK) {
        const pal_live_options how = {.dt = 1e-3, .feature = 3.0 * spec->spacing};
        status = pal_live_body_open(&t->live, &t->model, &how, err);
    }
    t->body = t->live.body;
    if (status == PAL_OK && finer) {
        status = make_finer(t, err);
    }
    status = status == PAL_OK ? bend(t, 0.02, err) : status;
    status = status == PAL_OK ? pal_bdtree_build(&t->body, &t->tree, err) : status;
    const double start = pal_thread_seconds();
    status = status == PAL_OK ? pal_shell_build(&t->body, &t->tree, spec, &t->shell, err) : status;
    t->built = pal_thread_seconds() - start;
    if (status != PAL_OK) {
        touched_close(t);
    }
    return status;
}

// ---- Sliding tools ------------------------------------------------------------------------------

typedef struct slides {
    double median, p99; // us
    double touches, looked;
} slides;

// The tool over a point of the shell, its axis along the surface's normal, 1 mm deep.
static void place_tool(const touched *t, const pal_shape *shape, int32_t point,
                       pal_shell_query *query) {
    const pal_shell_point *p = &t->shell.point[point];
    const double *n = p->axis[2];
    double x[3], turn[4] = {1.0 + n[2], -n[1], n[0], 0.0}; // from z to the normal
    const double size = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    pal_shell_place(&t->shell, t->q, point, x);
    query->pose = PAL_POSE_IDENTITY;
    for (int c = 0; c < 4 && size > 1e-6; c++) {
        query->pose.turn[c] = turn[c] / size;
    }
    const double tip[3] = {0.0, 0.0, 0.0}, away = 0.001;
    double g[3];
    const double depth = pal_shape_distance(shape, tip, g); // of the origin within the tool
    for (int c = 0; c < 3; c++) {
        query->pose.x[c] = x[c] + (-depth - away) * n[c];
    }
}

static slides slide(const touched *t, const pal_shape *shape, pal_histogram *times) {
    slides all = {0.0, 0.0, 0.0, 0.0};
    pal_rng rng = pal_rng_make(7, 0);
    int32_t done = 0;
    pal_histogram_init(times);
    const int32_t last = t->shell.level_count - 1;
    for (int k = 0; k < PLACES; k++) {
        pal_shell_query query = {
            .shape = shape, .margin = 0.0005, .look_budget = 4000, .most = PAL_MAX_TOUCHES};
        const int32_t point = (int32_t)(pal_rng_next(&rng) % (uint64_t)t->shell.count[last]);
        place_tool(t, shape, point, &query);
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
static double tightness(const touched *t, pal_err *err) {
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

static pal_status open_spoon(pal_distfield *field, pal_shape *shape, double *took, pal_err *err) {
    pal_surface spoon;
    pal_status status = pal_shape_make("spoon", 0.06, &spoon, err);
    const pal_distfield_spec spec = {.cells = 64, .margin = 0.002};
    const double start = pal_seconds();
    status = status == PAL_OK ? pal_distfield_build(&spoon, &spec, NULL, field, err) : status;
    *took = pal_seconds() - start;
    pal_surface_free(&spoon);
    return status == PAL_OK ? pal_shape_field(shape, field, err) : status;
}

static pal_status bench_bridge(pal_bench *bench, bool finer, slides before[3], pal_histogram *times,
                               pal_err *err) {
    static const char *const tools[3] = {"sphere", "capsule", "spoon"};
    touched t;
    pal_shape shape[3];
    pal_distfield field = {0};
    double took = 0.0;
    const pal_shell_spec spec = {.spacing = 0.005 / 3.0};
    pal_status status = touched_open(&t, bench, "bridge", finer, &spec, err);
    if (status != PAL_OK) {
        return status;
    }
    status = pal_shape_sphere(&shape[0], 0.005, err);
    status = status == PAL_OK ? pal_shape_capsule(&shape[1], 0.003, 0.1, err) : status;
    status = status == PAL_OK ? open_spoon(&field, &shape[2], &took, err) : status;
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
    touched_close(&t);
    return status;
}

// A sphere that is larger than the tower: as far from all of it as it is large, or over all of it.
static pal_status bench_tower(pal_bench *bench, pal_histogram *times, pal_err *err) {
    touched t;
    const pal_shell_spec spec = {.spacing = 1e-4, .most_points = 10000};
    pal_status status = touched_open(&t, bench, "tower", false, &spec, err);
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
    touched_close(&t);
    return status;
}

// ---- The step with a ball pressed on the bridge -------------------------------------------------

typedef struct pressed { // medians, us
    double step, find, begin, solve, apply, tick, p9999;
    double touches, bearing;
} pressed;

// A ball so large that many points bear it, over the middle of the deck.
static const double ball = 0.05;

// The middle of the deck.
static void deck_middle(const touched *t, double middle[3]) {
    double low = INFINITY, high = -INFINITY;
    middle[2] = -INFINITY;
    for (int64_t i = 0; i < t->body.point_count; i++) {
        low = fmin(low, t->body.rest[3 * i]);
        high = fmax(high, t->body.rest[3 * i]);
    }
    for (int64_t i = 0; i < t->body.point_count; i++) {
        const double *x = t->body.rest + 3 * i;
        if (fabs(x[0] - 0.5 * (low + high)) < 0.01 && x[2] > middle[2]) {
            memcpy(middle, x, 3 * sizeof *middle);
        }
    }
}

static void aim_ball(const double middle[3], pal_tool *tool, int k) {
    pal_pose goal = PAL_POSE_IDENTITY;
    memcpy(goal.x, middle, sizeof goal.x);
    goal.x[0] += 2e-3 * sin(0.01 * k); // it rolls a little to and fro
    goal.x[2] += ball + 0.002 - fmin(0.022, 1e-4 * k);
    pal_tool_aim(tool, &goal, false);
}

// The parts of pal_step (sim/step.c), each timed.
static void timed_step(pal_world *world, double at[5]) {
    const pal_contact_scene *scene = &world->scene;
    at[0] = pal_thread_seconds();
    pal_tool_find(&scene->tool[0], scene->body, world->tree, 0.0, scene->dt);
    at[1] = pal_thread_seconds();
    scene->body->functions->begin(scene->body, world->load);
    at[2] = pal_thread_seconds();
    pal_contacts_solve(&world->contacts, scene);
    at[3] = pal_thread_seconds();
    pal_contacts_apply(&world->contacts, scene, world->reduced, &world->dent);
    scene->body->functions->finish(scene->body, world->reduced);
    at[4] = pal_thread_seconds();
}

static void press_ball(touched *t, pal_world *world, pal_histogram times[6], pressed *out) {
    enum { LEAD = 1000, STEPS = 20000 };
    double at[5], middle[3];
    pal_tool *tool = world->scene.tool;
    deck_middle(t, middle);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 6; i++) {
        pal_histogram_init(&times[i]);
    }
    for (int k = 0; k < LEAD + STEPS; k++) {
        aim_ball(middle, tool, k);
        timed_step(world, at);
        for (int i = 0; i < 4 && k >= LEAD; i++) {
            pal_histogram_add(&times[i], (int64_t)(1e9 * (at[i + 1] - at[i])));
        }
        if (k >= LEAD) {
            pal_histogram_add(&times[4], (int64_t)(1e9 * (at[4] - at[0])));
            out->touches += (double)tool->set.count / STEPS;
            for (int32_t i = 0; i < tool->last.count; i++) {
                out->bearing += (pal_norm3(tool->last.force[i]) > 0.0) / (double)STEPS;
            }
        }
    }
    for (int k = 0; k < STEPS / 4; k++) {
        const double start = pal_thread_seconds();
        pal_newmark_step(t->live.newmark, world->load, NULL, 0, NULL);
        pal_histogram_add(&times[5], (int64_t)(1e9 * (pal_thread_seconds() - start)));
    }
    out->find = pal_histogram_quantile(&times[0], 0.5);
    out->begin = pal_histogram_quantile(&times[1], 0.5);
    out->solve = pal_histogram_quantile(&times[2], 0.5);
    out->apply = pal_histogram_quantile(&times[3], 0.5);
    out->tick = pal_histogram_quantile(&times[4], 0.5);
    out->p9999 = pal_histogram_quantile(&times[4], 0.9999);
    out->step = pal_histogram_quantile(&times[5], 0.5);
}

static pal_status report_press(pal_bench *bench, const touched *t, bool local, const pressed *p,
                               double before, pal_err *err) {
    char head[64], name[96];
    const struct {
        const char *what;
        double value, reference;
        const char *source;
    } rows[] = {
        {"bare step", p->step, NAN, ""},
        {"find", p->find, NAN, ""},
        {"begin", p->begin, NAN, ""},
        {"rows, W and forces", p->solve, NAN, ""},
        {"apply and finish", p->apply, NAN, ""},
        {"step with contact", p->tick, 30.0 * p->step, "30 bare steps, same run"},
        {"step with contact, p99.99", p->p9999, 500.0, "half of a tick"},
        {"step with contact, again", p->tick, 1.3 * before, "1.3 times that of fewer triangles"},
    };
    pal_status status = PAL_OK;
    snprintf(head, sizeof head, "bridge%s, %d triangles, ball", local ? ", dents" : "",
             t->body.triangle_count);
    snprintf(name, sizeof name, "%s: touches", head);
    status = pal_bench_report(bench, name, p->touches, "", PAL_BENCH_MORE, NAN, "", err);
    snprintf(name, sizeof name, "%s: touches that bear", head);
    if (status == PAL_OK) {
        status =
            pal_bench_report(bench, name, p->bearing, "", PAL_BENCH_MORE, 10.0, "asked for", err);
    }
    for (int i = 0; status == PAL_OK && i < (before > 0.0 ? 8 : 7); i++) {
        snprintf(name, sizeof name, "%s: %s", head, rows[i].what);
        status = pal_bench_report(bench, name, rows[i].value, "us", PAL_BENCH_LESS,
                                  rows[i].reference, rows[i].source, err);
    }
    return status;
}

// The body alive under one tool.
static void open_world(touched *t, pal_world *world, pal_tool *tool, const pal_tool_options *how,
                       bool local) {
    static const double no_load[PAL_MAX_R];
    pal_tool_init(tool, how);
    pal_live_body_world(&t->live, world);
    t->body.q = t->live.body.q;
    t->body.velocity = t->live.body.velocity;
    pal_body_attach(&t->body, t->live.newmark);
    t->body.dent_bound = t->live.body.dent_bound;
    t->body.dent = local ? t->body.dent : NULL;
    world->tree = &t->tree;
    world->load = no_load;
    world->scene.body = &t->body;
    world->scene.law_of_triangle = NULL;
    world->scene.local = local ? world->scene.local : NULL;
    world->scene.tool = tool;
    world->scene.tool_count = 1;
    world->scene.dt = 1e-3;
    world->scene.visits = 640;
}

static pal_status bench_press(pal_bench *bench, bool finer, bool local, double *before,
                              pal_histogram times[6], pal_err *err) {
    touched t;
    const pal_shell_spec spec = {.spacing = 0.0022};
    pal_status status = touched_open(&t, bench, "bridge", finer, &spec, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_world *world = pal_alloc(sizeof *world, 1, err);
    pal_tool tool;
    pal_tool_options how = {
        .shell = &t.shell, .stiffness = 1000.0, .look_budget = 2000, .most = PAL_MAX_TOUCHES};
    status = world != NULL ? pal_shape_sphere(&how.shape, ball, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        pressed p;
        open_world(&t, world, &tool, &how, local);
        press_ball(&t, world, times, &p);
        status = report_press(bench, &t, local, &p, finer ? *before : 0.0, err);
        *before = p.tick;
    }
    free(world);
    touched_close(&t);
    return status;
}

// A spoon (a mesh tool) laid on the tower, and rocked there.
static void rock_spoon(touched *t, pal_world *world, pal_histogram *times, double *touches) {
    enum { LEAD = 300, STEPS = 3000 };
    pal_tool *tool = world->scene.tool;
    pal_shell_query query = {.shape = &tool->options.shape};
    const int32_t last = t->shell.level_count - 1, point = t->shell.count[last] / 2;
    double at[5];
    place_tool(t, query.shape, point, &query);
    pal_histogram_init(times);
    *touches = 0.0;
    for (int k = 0; k < LEAD + STEPS; k++) {
        pal_pose goal = query.pose;
        for (int c = 0; c < 3; c++) {
            goal.x[c] += fmax(-0.005, 0.05 - 2e-4 * k) * t->shell.point[point].axis[2][c] +
                         2e-3 * sin(0.01 * k) * t->shell.point[point].axis[0][c];
        }
        pal_tool_aim(tool, &goal, false);
        timed_step(world, at);
        if (k >= LEAD) {
            pal_histogram_add(times, (int64_t)(1e9 * (at[4] - at[0])));
            *touches += (double)tool->set.count / STEPS;
        }
    }
}

static pal_status bench_tower_step(pal_bench *bench, pal_histogram *times, pal_err *err) {
    touched t;
    pal_distfield field = {0};
    const pal_shell_spec spec = {.spacing = 1e-4, .most_points = 10000};
    pal_status status = touched_open(&t, bench, "tower", false, &spec, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_world *world = pal_alloc(sizeof *world, 1, err);
    pal_tool tool;
    pal_tool_options how = {
        .shell = &t.shell, .stiffness = 1000.0, .look_budget = 10000, .most = PAL_MAX_TOUCHES};
    double took, touches;
    status = world != NULL ? open_spoon(&field, &how.shape, &took, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        char name[96];
        memset(t.q, 0, (size_t)t.body.size * sizeof *t.q);
        open_world(&t, world, &tool, &how, false);
        rock_spoon(&t, world, times, &touches);
        snprintf(name, sizeof name, "tower, r = %d, %d points, spoon: step, %.0f touches",
                 t.body.size, t.shell.count[t.shell.level_count - 1], touches);
        status = pal_bench_report(bench, name, pal_histogram_quantile(times, 0.5), "us",
                                  PAL_BENCH_LESS, 500.0, "half of a tick", err);
    }
    pal_distfield_free(&field);
    free(world);
    touched_close(&t);
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
    status = status == PAL_OK ? bench_press(bench, false, true, &fewer, times, err) : status;
    status = status == PAL_OK ? bench_press(bench, false, false, &fewer, times, err) : status;
    status = status == PAL_OK ? bench_press(bench, true, false, &fewer, times, err) : status;
    status = status == PAL_OK ? bench_tower(bench, times, err) : status;
    status = status == PAL_OK ? bench_tower_step(bench, times, err) : status;
    free(times);
    return status;
}
