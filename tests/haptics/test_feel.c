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

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_hold_is_still);
    return UNITY_END();
}
