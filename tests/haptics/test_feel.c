// What the hand feels, in a closed loop with the simulated device and hand in virtual time: the
// gates of contact feel.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/scene.h"
#include "tests/support/band.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"

typedef struct subject { // a body and where it is pressed
    const char *name;
    const pal_model *model;
    double top[3]; // m, of the surface there
    double press;  // m, how far below the hand goes
} subject;

enum { SUBJECTS = 3, TRACE = 6000 };
static pal_model liver;
static live_block rig;
static pal_tick_record trace[TRACE];

static const char liver_text[] =
    "palpate: 1\nname: small liver\n"
    "body:\n  shape: {name: liver, size: 0.2 m}\n  voxels: 18\n  fixed: y>0.085 & z>0.06\n"
    "  material: {preset: liver}\n  damping: {mass: 0.5 1/s, stiffness: 2 ms}\n"
    "basis: {kind: derivatives, modes: 8, size: 15}\n";

static void free_liver(void) {
    pal_model_free(&liver);
}

static const pal_model *liver_model(void) {
    pal_scene scene;
    pal_err err = {0};
    pal_bake_times times;
    if (liver.r == 0) {
        CHECK_OK(pal_scene_parse("liver.yaml", liver_text, sizeof liver_text - 1, &scene, &err),
                 err);
        CHECK_OK(pal_scene_bake(&scene, NULL, &liver, &times, &err), err);
        pal_scene_free(&scene);
        atexit(free_liver);
    }
    return &liver;
}

static subject subject_at(int i) {
    switch (i) {
    case 0:
        return (subject){"block", live_block_model(), {0.03, 0.03, LIVE_BLOCK_TOP}, 0.004};
    case 1:
        return (subject){"dented block", live_block_local(), {0.03, 0.03, LIVE_BLOCK_TOP}, 0.006};
    default:
        return (subject){"liver", liver_model(), {0.12, 0.03, 0.1165}, 0.008};
    }
}

void setUp(void) {
}
void tearDown(void) {
}

static void open_rig(const subject *s, const char *grip, double friction, const pal_intent *intent,
                     int count) {
    pal_sim_options sim;
    bool known;
    live_block_sim(&sim, intent, count);
    sim.friction = friction;
    sim.hand = pal_hand_grip(grip, &known);
    memcpy(sim.start, s->top, sizeof sim.start);
    sim.start[2] += 0.012;
    live_block_open_model(&rig, &sim, s->model, PAL_DOUBLE);
}

static int run(int ticks) {
    for (int k = 0; k < ticks; k++) {
        trace[k] = live_block_tick(&rig);
        if (getenv("DBG") && k % 50 == 0) {
            const pal_tool *t = &rig.servo->own.tool[0];
            printf("%4d z %.5f F %.4f n %d lvl %d reach %.5f K %.1f C %.5f sweeps %d uns %.1e looked %d out %x depth %.6f\n", k, t->goal.x[2],
                   trace[k].force[2], t->set.count, t->set.level, t->reach, t->stiffness,
                   t->compliance, rig.servo->own.world.contacts.sweeps, rig.servo->own.world.contacts.unsolved, t->set.looked, trace[k].outcome, t->depth);
        }
    }
    return ticks;
}

static void test_a_hold_is_still(void) {
    static const char *const grips[] = {"loose", "medium", "firm"};
    for (int i = 0; i < SUBJECTS; i++) {
        const subject s = subject_at(i);
        const pal_intent script[] = {
            {.kind = PAL_INTENT_PRESS, .seconds = 0.5, .to = {s.top[0], s.top[1], s.top[2] - s.press}},
            {.kind = PAL_INTENT_HOLD, .seconds = 2.5},
        };
        for (int k = 0; k < 6; k++) {
            double z[1000];
            open_rig(&s, grips[k / 2], k % 2 ? rig.device.limits.friction : 0.0, script, 2);
            const int n = run(3000);
            for (int j = 0; j < 1000; j++) {
                z[j] = trace[n - 1000 + j].force[2];
            }
            const double buzz = band_rms(z, 1000, 1e-3, 30.0, 300.0);
            uint64_t budget = rig.servo->own.counters.outcome[PAL_OUT_BUDGET_NUMBER];
            printf("%s, %s, friction %d: %.3f N, buzz %.2f mN, made %.4f mJ, budget %lu tick %.1f\n", s.name, grips[k / 2],
                   k % 2, z[999], 1e3 * buzz, 1e3 * rig.servo->own.hand[0].passivity.made, (unsigned long)budget, rig.servo->own.counters.max_depth * 1e6);
            live_block_close(&rig);
        }
    }
}


// ---- stiffness

// The model's own: a ball that is put there, at rest, without any coupling.
static double own_force(const subject *s, double depth) {
    pal_err err = {0};
    pal_live_body live;
    pal_tool tool;
    static const double no_load[PAL_MAX_R];
    pal_tool_options how = {.stiffness = 1e9, .look_budget = 2000, .most = PAL_MAX_TOUCHES};
    CHECK_OK(pal_shape_sphere(&how.shape, 5e-3, &err), err);
    const pal_live_options options = {.dt = 1e-3, .feature = how.shape.feature};
    CHECK_OK(pal_live_body_open(&live, s->model, &options, &err), err);
    how.shell = &live.shell;
    pal_tool_init(&tool, &how);
    pal_world *world = aligned_alloc(64, (sizeof *world + 63) & ~(size_t)63);
    pal_live_body_world(&live, world);
    world->load = no_load;
    world->scene.tool = &tool;
    world->scene.tool_count = 1;
    world->scene.dt = 1e-3;
    world->scene.visits = 20000;
    pal_pose goal = PAL_POSE_IDENTITY;
    memcpy(goal.x, s->top, sizeof goal.x);
    double mean = 0.0;
    for (int k = 0; k < 6000; k++) {
        goal.x[2] = s->top[2] + 0.007 - (0.007 + depth) * fmin(1.0, k / 2000.0);
        pal_tool_aim(&tool, &goal, false);
        pal_step(world);
        mean += k >= 4000 ? tool.force[2] / 2000.0 : 0.0;
    }
    pal_live_body_close(&live);
    free(world);
    return mean;
}

// Force and place at the hand of a long hold, with the device's own place.
static void hold_at(const subject *s, const char *profile, double depth, double *z, double *force) {
    const pal_intent script[] = {
        {.kind = PAL_INTENT_PRESS, .seconds = 1.0, .to = {s->top[0], s->top[1], s->top[2] - depth}},
        {.kind = PAL_INTENT_HOLD, .seconds = 3.0},
    };
    pal_sim_options sim;
    live_block_sim(&sim, script, 2);
    sim.limits = *pal_device_profile(profile);
    memcpy(sim.start, s->top, sizeof sim.start);
    sim.start[2] += 0.012;
    live_block_open_model(&rig, &sim, s->model, PAL_DOUBLE);
    run(4000);
    *z = *force = 0.0;
    for (int k = 3000; k < 4000; k++) {
        *z += trace[k].position[2] / 1000.0;
        *force += trace[k].force[2] / 1000.0;
    }
    live_block_close(&rig);
}

static void test_the_hand_feels_the_stiffness_of_the_model(void) {
    static const char *const profiles[] = {"touch", "touchx", "omega"};
    for (int i = 0; i < SUBJECTS; i++) {
        const subject s = subject_at(i);
        for (int p = 0; p < 3; p++) {
            double z[2], f[2];
            hold_at(&s, profiles[p], s.press, &z[0], &f[0]);
            hold_at(&s, profiles[p], s.press + 0.003, &z[1], &f[1]);
            const double felt = (f[1] - f[0]) / (z[0] - z[1]);
            const double own = (own_force(&s, s.top[2] - z[1]) - own_force(&s, s.top[2] - z[0])) / (z[0] - z[1]);
            printf("%s, %s: felt %.1f N/m, own %.1f N/m, F %.3f own %.3f\n", s.name, profiles[p], felt, own, f[1], own_force(&s, s.top[2] - z[1]));
        }
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_hold_is_still);
    RUN_TEST(test_the_hand_feels_the_stiffness_of_the_model);
    return UNITY_END();
}
