// palpate bench contact, its whole steps: a ball on the bridge, in its parts, and a mesh tool on
// the tower.
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

// ---- The step with a ball pressed on the bridge -------------------------------------------------

typedef struct pressed { // medians, us
    double step, find, begin, solve, apply, tick, p9999, penalty;
    double touches, bearing;
} pressed;

// A ball, and a shell finer than it needs, so that more than ten points bear it. On top of the arch
// the ball is large; on the deck it goes between the hangers.
typedef struct ball_place {
    double radius, spacing; // m
    const char *name;
} ball_place;
static const ball_place on_arch = {0.05, 0.0022, "ball on the arch"};
static const ball_place on_deck = {0.019, 0.0015, "ball on the deck"};

static const ball_place *place_of(const pal_press_case *which) {
    return which->deck ? &on_deck : &on_arch;
}

// The highest place in the middle: of the deck, which is in the lower part, or of all.
static void find_top(const pal_touched *t, bool deck, double top[3]) {
    static const double lower = 0.3, wide = 0.01; // of the height; m
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < 3 * (int64_t)t->body.point_count; i++) {
        low[i % 3] = fmin(low[i % 3], t->body.rest[i]);
        high[i % 3] = fmax(high[i % 3], t->body.rest[i]);
    }
    top[2] = -INFINITY;
    for (int64_t i = 0; i < t->body.point_count; i++) {
        const double *x = t->body.rest + 3 * i;
        const bool fits = !deck || (fabs(x[1] - 0.5 * (low[1] + high[1])) < wide &&
                                    x[2] < low[2] + lower * (high[2] - low[2]));
        if (fits && fabs(x[0] - 0.5 * (low[0] + high[0])) < wide && x[2] > top[2]) {
            memcpy(top, x, 3 * sizeof *top);
        }
    }
    for (int c = 0; c < 2 && deck; c++) {
        top[c] = 0.5 * (low[c] + high[c]); // as far from all hangers
    }
}

static void aim_ball(const double top[3], pal_tool *tool, int k) {
    pal_pose goal = PAL_POSE_IDENTITY;
    memcpy(goal.x, top, sizeof goal.x);
    goal.x[0] += 2e-3 * sin(0.01 * k); // it rolls a little to and fro
    goal.x[2] += tool->options.shape.feature + 0.002 - fmin(0.022, 1e-4 * k);
    pal_tool_aim(tool, &goal, false);
}

// Seconds for a whole step: the clock between its parts would count as much as some of them.
static double whole_step(pal_world *world) {
    const double start = pal_thread_seconds();
    pal_step(world);
    return pal_thread_seconds() - start;
}

// The parts of pal_step (sim/step.c), each timed.
static void timed_step(pal_world *world, double at[5]) {
    const pal_contact_scene *scene = &world->scene;
    at[0] = pal_thread_seconds();
    const double speed = pal_step_fastest_point(world);
    pal_tool_find(&scene->tool[0], scene->body, world->tree, speed, world->slowness, scene->dt);
    at[1] = pal_thread_seconds();
    scene->body->functions->begin(scene->body, world->load);
    at[2] = pal_thread_seconds();
    pal_contacts_solve(&world->contacts, scene, &world->dent);
    at[3] = pal_thread_seconds();
    pal_contacts_apply(&world->contacts, scene, false, world->reduced, &world->dent);
    scene->body->functions->finish(scene->body, world->reduced);
    at[4] = pal_thread_seconds();
}

// The same press in the penalty form (sim/contact/penalty.h): median of what comes after the find,
// us.
static double press_by_penalty(const double top[3], pal_world *world, pal_histogram *times) {
    enum { LEAD = 1000, STEPS = 5000 };
    const pal_contact_scene *scene = &world->scene;
    pal_step_forget(world);
    pal_histogram_init(times);
    for (int k = 0; k < LEAD + STEPS; k++) {
        aim_ball(top, scene->tool, k);
        const double speed = pal_step_fastest_point(world);
        pal_tool_find(&scene->tool[0], scene->body, world->tree, speed, world->slowness, scene->dt);
        const double start = pal_thread_seconds();
        pal_penalty_step(&world->contacts, scene, world->load);
        if (k >= LEAD) {
            pal_histogram_add(times, (int64_t)(1e9 * (pal_thread_seconds() - start)));
        }
    }
    return pal_histogram_quantile(times, 0.5);
}

// Mean over so many steps.
static void count_touches(const pal_tool *tool, int steps, pressed *p) {
    p->touches += (double)tool->set.count / steps;
    for (int32_t i = 0; i < tool->last.count; i++) {
        p->bearing += (pal_norm3(tool->last.force[i]) > 0.0) / (double)steps;
    }
}

static void press_ball(pal_touched *t, const pal_press_case *which, pal_world *world,
                       pal_histogram times[6], pressed *out) {
    enum { LEAD = 1000, STEPS = 24000, IN_PARTS = 6 }; // every sixth step is timed in parts
    double at[5], top[3];
    pal_tool *tool = world->scene.tool;
    find_top(t, which->deck, top);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 6; i++) {
        pal_histogram_init(&times[i]);
    }
    for (int k = 0; k < LEAD + STEPS; k++) {
        aim_ball(top, tool, k);
        if (k % IN_PARTS == 0) {
            timed_step(world, at);
        } else {
            at[0] = whole_step(world);
        }
        for (int i = 0; i < 4 && k >= LEAD && k % IN_PARTS == 0; i++) {
            pal_histogram_add(&times[i], (int64_t)(1e9 * (at[i + 1] - at[i])));
        }
        if (k >= LEAD && k % IN_PARTS != 0) {
            pal_histogram_add(&times[4], (int64_t)(1e9 * at[0]));
        }
        if (k >= LEAD) {
            count_touches(tool, STEPS, out);
        }
    }
    for (int k = 0; k < STEPS / 4; k++) {
        const double start = pal_thread_seconds();
        pal_newmark_step(t->live.newmark, world->load, NULL, 0, NULL);
        pal_histogram_add(&times[5], (int64_t)(1e9 * (pal_thread_seconds() - start)));
    }
    out->step = pal_histogram_quantile(&times[5], 0.5);
    out->penalty = press_by_penalty(top, world, &times[5]);
    out->find = pal_histogram_quantile(&times[0], 0.5);
    out->begin = pal_histogram_quantile(&times[1], 0.5);
    out->solve = pal_histogram_quantile(&times[2], 0.5);
    out->apply = pal_histogram_quantile(&times[3], 0.5);
    out->tick = pal_histogram_quantile(&times[4], 0.5);
    out->p9999 = pal_histogram_quantile(&times[4], 0.9999);
}

static pal_status report_press(pal_bench *bench, const pal_touched *t, const pal_press_case *which,
                               const pressed *p, double before, pal_err *err) {
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
        {"penalty form, without find", p->penalty, p->begin + p->solve + p->apply,
         "the compliance form"},
        {"step with contact, p99.99", p->p9999, 500.0, "half of a tick"},
        {"step with contact, again", p->tick, 1.3 * before, "1.3 times that of fewer triangles"},
    };
    pal_status status = PAL_OK;
    snprintf(head, sizeof head, "bridge%s%s, %d triangles, %s", which->dents ? ", dents" : "",
             which->as_run ? "" : ", densely", t->body.triangle_count, place_of(which)->name);
    snprintf(name, sizeof name, "%s: touches", head);
    status = pal_bench_report(bench, name, p->touches, "", PAL_BENCH_MORE, NAN, "", err);
    snprintf(name, sizeof name, "%s: touches that bear", head);
    if (status == PAL_OK) {
        status =
            pal_bench_report(bench, name, p->bearing, "", PAL_BENCH_MORE,
                             which->as_run ? NAN : 10.0, which->as_run ? "" : "asked for", err);
    }
    for (int i = 0; status == PAL_OK && i < (before > 0.0 ? 9 : 8); i++) {
        snprintf(name, sizeof name, "%s: %s", head, rows[i].what);
        status = pal_bench_report(bench, name, rows[i].value, "us", PAL_BENCH_LESS,
                                  rows[i].reference, rows[i].source, err);
    }
    return status;
}

// The body alive under one tool.
static void open_world(pal_touched *t, pal_world *world, pal_tool *tool,
                       const pal_tool_options *how, bool local) {
    static const double no_load[PAL_MAX_R];
    pal_tool_init(tool, how);
    pal_live_body_world(&t->live, world);
    t->body.q = t->live.body.q;
    t->body.velocity = t->live.body.velocity;
    pal_body_attach(&t->body, t->live.newmark);
    t->body.dent_bound = t->live.body.dent_bound;
    t->body.dent_travel = t->live.body.dent_travel;
    t->body.dent = local ? t->body.dent : NULL;
    t->body.yielding = local ? t->body.yielding : NULL;
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

static pal_status open_pressed(pal_touched *t, pal_bench *bench, const pal_press_case *which,
                               pal_tool_options *how, pal_err *err) {
    const ball_place *place = place_of(which);
    const pal_shell_spec dense = {.spacing = place->spacing, .most_points = 40000};
    const pal_live_options as_run = {.dt = 1e-3, .feature = place->radius};
    pal_status status = pal_touched_open(t, bench, "bridge", which->finer, &dense, err);
    if (status != PAL_OK) {
        return status;
    }
    how->shell = &t->shell;
    if (which->as_run) {
        pal_live_body_close(&t->live);
        status = pal_live_body_open(&t->live, &t->model, &as_run, err);
        t->body = t->live.body;
        how->shell = &t->live.shell;
        how->spreads = t->live.footprint.spreads;
    }
    status = status == PAL_OK ? pal_shape_sphere(&how->shape, place->radius, err) : status;
    if (status != PAL_OK) {
        pal_touched_close(t);
    }
    return status;
}

pal_status pal_bench_press(pal_bench *bench, const pal_press_case *which, double *before,
                           pal_histogram *times, pal_err *err) {
    pal_touched t;
    pal_tool tool;
    pressed p;
    // Of a fixed strength: the hand of this press is a place that gives way to nothing, and a
    // coupling that is taken back under it would shake
    pal_tool_options how = {
        .stiffness = 1000.0, .fixed_coupling = true, .look_budget = 2000, .most = PAL_MAX_TOUCHES};
    pal_world *world = pal_alloc(sizeof *world, 1, err);
    pal_status status = world != NULL ? open_pressed(&t, bench, which, &how, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        open_world(&t, world, &tool, &how, which->dents);
        press_ball(&t, which, world, times, &p);
        status = report_press(bench, &t, which, &p, which->finer ? *before : 0.0, err);
        *before = p.tick;
        pal_touched_close(&t);
    }
    free(world);
    return status;
}

// ---- The step with a mesh tool on the tower -----------------------------------------------------

static const double bar[3] = {0.12, 0.03, 0.02}; // m: the strip of the scenes, so large

// How far the tower goes out to at about this height.
static double outermost(const pal_touched *t, double z) {
    double x = -INFINITY;
    for (int64_t i = 0; i < t->body.point_count; i++) {
        const double *at = t->body.rest + 3 * i;
        x = fabs(at[2] - z) < 0.2 * bar[1] ? fmax(x, at[0]) : x;
    }
    return x;
}

// The bar flat on a side of the lattice column, across its chords; and the way out.
static void lay_bar(const pal_touched *t, pal_pose *pose, double out[3]) {
    static const double height = 0.43; // of the tower: between the second platform and the top
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < 3 * (int64_t)t->body.point_count; i++) {
        low[i % 3] = fmin(low[i % 3], t->body.rest[i]);
        high[i % 3] = fmax(high[i % 3], t->body.rest[i]);
    }
    const double z = low[2] + height * (high[2] - low[2]);
    const double below = outermost(t, z - 0.5 * bar[1]), above = outermost(t, z + 0.5 * bar[1]);
    const double tilt = atan2(below - above, bar[1]), c = cos(tilt), s = sin(tilt);
    const double half[2] = {0.5 * cos(0.5 * tilt), 0.5 * sin(0.5 * tilt)};
    // along the tool's x, y and z: y, up the column, and out of it
    const double turn[4] = {half[0] + half[1], half[0] - half[1], half[0] - half[1],
                            half[0] + half[1]};
    memcpy(pose->turn, turn, sizeof turn);
    pose->x[0] = 0.5 * (below + above) + 0.5 * bar[1] * s;
    pose->x[1] = 0.5 * (low[1] + high[1]) - 0.5 * bar[0];
    pose->x[2] = z - 0.5 * bar[1] * c;
    out[0] = c;
    out[1] = 0.0;
    out[2] = s;
}

// Pressed there, and moved to and fro.
static void press_bar(pal_touched *t, pal_world *world, pal_histogram *times, pressed *p) {
    enum { LEAD = 600, STEPS = 3000 };
    pal_tool *tool = world->scene.tool;
    pal_pose laid;
    double out[3];
    lay_bar(t, &laid, out);
    pal_histogram_init(times);
    *p = (pressed){.touches = 0.0};
    for (int k = 0; k < LEAD + STEPS; k++) {
        pal_pose goal = laid;
        for (int c = 0; c < 3; c++) {
            goal.x[c] += fmax(-0.02, 0.01 - 1e-4 * k) * out[c];
        }
        goal.x[1] += 2e-3 * sin(0.01 * k);
        pal_tool_aim(tool, &goal, false);
        const double took = whole_step(world);
        if (k >= LEAD) {
            pal_histogram_add(times, (int64_t)(1e9 * took));
            count_touches(tool, STEPS, p);
        }
    }
    p->tick = pal_histogram_quantile(times, 0.5);
}

pal_status pal_bench_tower_step(pal_bench *bench, pal_histogram *times, pal_err *err) {
    pal_touched t;
    pal_distfield field = {0};
    const pal_shell_spec spec = {.spacing = 1e-4, .most_points = 10000};
    pal_status status = pal_touched_open(&t, bench, "tower", false, &spec, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_world *world = pal_alloc(sizeof *world, 1, err);
    pal_tool tool;
    pal_tool_options how = {
        .shell = &t.shell, .stiffness = 1000.0, .look_budget = 10000, .most = PAL_MAX_TOUCHES};
    double took;
    pressed p;
    status = world != NULL ? pal_touched_tool("strip", bar[0], &field, &how.shape, &took, err)
                           : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        char name[96];
        memset(t.q, 0, (size_t)t.body.size * sizeof *t.q);
        open_world(&t, world, &tool, &how, true);
        press_bar(&t, world, times, &p);
        snprintf(name, sizeof name, "tower, r = %d, %d points, dents, bar: touches", t.body.size,
                 t.shell.count[t.shell.level_count - 1]);
        status = pal_bench_report(bench, name, p.touches, "", PAL_BENCH_MORE, NAN, "", err);
        strcat(name, " that bear");
        status = status == PAL_OK ? pal_bench_report(bench, name, p.bearing, "", PAL_BENCH_MORE,
                                                     10.0, "asked for", err)
                                  : status;
        strcpy(strstr(name, "touches"), "step with contact");
        status = status == PAL_OK ? pal_bench_report(bench, name, p.tick, "us", PAL_BENCH_LESS,
                                                     500.0, "half of a tick", err)
                                  : status;
    }
    pal_distfield_free(&field);
    free(world);
    pal_touched_close(&t);
    return status;
}
