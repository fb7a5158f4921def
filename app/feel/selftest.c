#include "app/feel/selftest.h"

#include <math.h>
#include <string.h>

#include "sim/base/parallel.h"

enum { JOBS = PAL_SELFTEST_BORDERS + PAL_SELFTEST_SPEEDS + PAL_SELFTEST_GRIPS };
static const double dampings[] = {0.1, 0.5, 1.0}; // N s/m
static const double delays[] = {0.0, 1e-3, 3e-3}; // s
static const char *const grips[PAL_SELFTEST_GRIPS] = {"none", "loose", "medium", "firm"};
static const double some_friction = 0.1; // N, for the speed law on a device that has none

static void plan_borders(pal_selftest *test) {
    for (int share = 0; share < (test->wish.quick ? 1 : 2); share++) {
        for (int d = 0; d < 3; d++) {
            for (int i = 0; i < 3; i++) {
                test->border[test->border_count++] = (pal_selftest_border){
                    .b = dampings[i], .B = 0.5 * share * dampings[i], .delay = delays[d]};
            }
        }
    }
}

// Above the law by these factors.
static void plan_speeds(pal_selftest *test) {
    static const double above[] = {1.5, 2.5, 5.0};
    static const double at[][2] = {{0.1, 0.0}, {0.5, 0.0}, {0.1, 1e-3}}; // b, delay
    const double c = test->wish.limits->friction;
    for (int k = 0; k < (test->wish.quick ? 1 : 3); k++) {
        for (int i = 0; i < 3; i++) {
            const double law = at[k][0] / (0.5e-3 + at[k][1]);
            test->speed[test->speed_count++] =
                (pal_selftest_speed){.b = at[k][0],
                                     .delay = at[k][1],
                                     .friction = c > 0.0 ? c : some_friction,
                                     .K = above[i] * law};
        }
    }
}

// ---- one measurement each

static pal_status measure_border(const pal_selftest *test, pal_selftest_border *row, pal_err *err) {
    pal_wall_loop loop;
    pal_wall_loop_defaults(&loop, test->wish.limits);
    loop.device.velocity_filter = 0.0;
    loop.device.device_damping = row->b;
    loop.device.delay = row->delay;
    const pal_wall_plant plant = pal_wall_loop_plant(&loop);
    row->law = pal_stability_law(&plant, row->B);
    row->exact = pal_stability_border(&plant, row->B);
    return pal_wall_loop_critical_stiffness(&loop, row->B, row->law, &row->measured, err);
}

static pal_status measure_speed(const pal_selftest *test, pal_selftest_speed *row, pal_err *err) {
    pal_wall_loop loop;
    pal_wall_loop_defaults(&loop, test->wish.limits);
    loop.device.device_damping = row->b;
    loop.device.delay = row->delay;
    loop.device.friction = row->friction;
    const pal_wall_plant plant = pal_wall_loop_plant(&loop);
    row->law = pal_stability_speed(&plant, row->K, 0.0);
    row->exact = pal_stability_border_speed(&plant, row->K, 0.0);
    return pal_wall_loop_critical_speed(&loop, row->K, 0.0, row->law, &row->measured, err);
}

static pal_status measure_safe(const pal_selftest *test, pal_selftest_safe *row, pal_err *err) {
    pal_wall_loop loop;
    bool known;
    pal_wall_loop_defaults(&loop, test->wish.limits);
    loop.device.delay = test->wish.delay;
    loop.device.hand = pal_hand_grip(row->grip, &known);
    pal_wall_plant plant = pal_wall_loop_plant(&loop);
    row->exact = pal_stability_border(&plant, 0.0);
    pal_status status =
        pal_wall_loop_critical_stiffness(&loop, 0.0, row->exact, &row->measured, err);
    if (status == PAL_OK) {
        loop.device.friction = test->wish.limits->friction;
        loop.speed = test->wish.speed;
        plant = pal_wall_loop_plant(&loop);
        plant = pal_stability_damped(&plant, loop.speed);
        status = pal_wall_loop_critical_stiffness(&loop, 0.0, pal_stability_border(&plant, 0.0),
                                                  &row->with_friction, err);
    }
    return status;
}

typedef struct sweep {
    pal_selftest *test;
    const pal_progress *progress;
    int jobs;
    pal_status status[JOBS];
    pal_err err[JOBS];
} sweep;

static void measure(void *context, int job, int thread) {
    sweep *s = context;
    pal_selftest *test = s->test;
    pal_err *err = &s->err[job];
    const int speeds = job - test->border_count, grip = speeds - test->speed_count;
    s->status[job] = speeds < 0 ? measure_border(test, &test->border[job], err)
                     : grip < 0 ? measure_speed(test, &test->speed[speeds], err)
                                : measure_safe(test, &test->safe[grip], err);
    if (thread == 0) {
        pal_progress_report(s->progress, "critical stiffness and speed", (job + 1.0) / s->jobs);
    }
}

static pal_status measure_all(pal_selftest *test, const pal_progress *progress, pal_err *err) {
    sweep s = {.test = test, .progress = progress};
    s.jobs = test->border_count + test->speed_count + PAL_SELFTEST_GRIPS;
    pal_parallel_for(s.jobs, measure, &s);
    for (int i = 0; i < s.jobs; i++) {
        if (s.status[i] != PAL_OK) {
            *err = s.err[i];
            return s.status[i];
        }
    }
    return PAL_OK;
}

// ---- all of them

pal_status pal_selftest_run(pal_selftest *test, const pal_selftest_wish *wish,
                            const pal_progress *progress, pal_err *err) {
    memset(test, 0, sizeof *test);
    test->wish = *wish;
    plan_borders(test);
    plan_speeds(test);
    for (int i = 0; i < PAL_SELFTEST_GRIPS; i++) {
        test->safe[i].grip = grips[i];
    }
    pal_status status = measure_all(test, progress, err);
    if (status != PAL_OK) {
        return status;
    }
    pal_wall_loop loop;
    bool known;
    pal_wall_loop_defaults(&loop, wish->limits);
    loop.device.delay = wish->delay;
    pal_wall_plant plant = pal_wall_loop_plant(&loop);
    plant.friction = wish->limits->friction;
    plant.resolution = wish->limits->resolution;
    test->passive = pal_stability_passive(&plant, 0.0);
    test->quantised = pal_stability_quantised(&plant);
    loop.device.friction = wish->friction;
    loop.device.hand = pal_hand_grip(wish->grip, &known);
    loop.passivity = wish->passivity;
    loop.speed = wish->friction > 0.0 || wish->passivity ? wish->speed : loop.speed;
    return pal_stability_map_make(&test->map, &loop, wish->limits, wish->quick, progress, err);
}

void pal_selftest_free(pal_selftest *test) {
    pal_stability_map_free(&test->map);
}

// What was not found is infinitely wrong.
static double error_of(double measured, double wanted) {
    const double error = fabs(measured / wanted - 1.0);
    return isnan(error) ? INFINITY : error;
}

bool pal_selftest_law_holds(const pal_selftest_border *border) {
    return error_of(border->exact, border->law) <= PAL_SELFTEST_STIFFNESS;
}

pal_selftest_verdict pal_selftest_judge(const pal_selftest *test) {
    pal_selftest_verdict v = {.cells = test->map.agreement};
    for (int i = 0; i < test->border_count; i++) {
        const pal_selftest_border *row = &test->border[i];
        v.exact = fmax(v.exact, error_of(row->measured, row->exact));
        if (pal_selftest_law_holds(row)) {
            v.law = fmax(v.law, error_of(row->measured, row->law));
        } else {
            v.beyond++;
        }
    }
    for (int i = 0; i < test->speed_count; i++) {
        v.speed = fmax(v.speed, error_of(test->speed[i].measured, test->speed[i].law));
    }
    for (int i = 0; i < PAL_SELFTEST_GRIPS; i++) {
        v.exact = fmax(v.exact, error_of(test->safe[i].measured, test->safe[i].exact));
    }
    v.passed = v.exact <= PAL_SELFTEST_EXACT && v.law <= PAL_SELFTEST_STIFFNESS &&
               v.speed <= PAL_SELFTEST_SPEED && (isnan(v.cells) || v.cells >= PAL_SELFTEST_CELLS);
    return v;
}
