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
#include "tests/support/sanitized.h"

typedef struct subject { // a body and where it is pressed
    const char *name;
    const pal_model *model;
    double top[3]; // m, of the surface there
    double press;  // m, how far below the hand goes
    double way[2]; // m, where a slide goes
} subject;

enum { SUBJECTS = SANITIZED_OR(2, 3), TRACE = 6000 }; // the last is the liver
static pal_model liver, spoon;
static live_block rig;
static pal_tick_record trace[TRACE];
static double rubs[TRACE][3]; // N, what rubs at all touches together
static double ratio[TRACE];   // of that to what would rub with a friction of 1
static bool slides[TRACE];

static const char liver_text[] =
    "palpate: 1\nname: small liver\n"
    "body:\n  shape: {name: liver, size: 0.2 m}\n  voxels: 18\n  fixed: y>0.085 & z>0.06\n"
    "  material: {preset: liver}\n  damping: {mass: 0.5 1/s, stiffness: 2 ms}\n"
    "basis: {kind: derivatives, modes: 8, size: 15}\n";

static const char spoon_text[] =
    "palpate: 1\nname: small spoon\n"
    "body:\n  shape: {name: spoon, size: 0.2 m}\n  voxels: 50\n  fixed: x<0.01\n"
    "  material: {young: 50 MPa, poisson: 0.4, density: 1000 kg/m3}\n"
    "  damping: {mass: 0.5 1/s, stiffness: 1 ms}\n"
    "basis: {kind: derivatives, modes: 4, size: 8}\n";

static void free_models(void) {
    pal_model_free(&liver);
    pal_model_free(&spoon);
}

static const pal_model *baked(const char *text, pal_model *model) {
    pal_scene scene;
    pal_err err = {0};
    pal_bake_times times;
    if (model->r == 0) {
        CHECK_OK(pal_scene_parse("scene.yaml", text, strlen(text), &scene, &err), err);
        CHECK_OK(pal_scene_bake(&scene, NULL, model, &times, &err), err);
        pal_scene_free(&scene);
    }
    return model;
}

static subject subject_at(int i) {
    switch (i) {
    case 0:
        return (subject){
            "block", live_block_model(), {0.03, 0.03, LIVE_BLOCK_TOP}, 0.004, {0.012, 0.01}};
    case 1:
        return (subject){
            "dented block", live_block_local(), {0.03, 0.03, LIVE_BLOCK_TOP}, 0.006, {0.012, 0.01}};
    default:
        return (subject){
            "liver", baked(liver_text, &liver), {0.12, 0.03, 0.1165}, 0.008, {-0.012, 0.006}};
    }
}

void setUp(void) {
}
void tearDown(void) {
}

static void open_rig(const subject *s, const char *profile, const char *grip, double friction,
                     const pal_intent *intent, int count) {
    pal_sim_options sim;
    bool known;
    live_block_sim(&sim, intent, count);
    sim.limits = *pal_device_profile(profile);
    sim.friction = friction;
    sim.hand = pal_hand_grip(grip, &known);
    memcpy(sim.start, s->top, sizeof sim.start);
    sim.start[2] += 0.012;
    live_block_open_model(&rig, &sim, s->model, PAL_DOUBLE);
}

// In a dent the normals differ: each touch pushes along its own, and what rubs at it lies in its
// own plane. All slip one way, and rub against it as far as it goes along their planes.
static void measure(const pal_tool *tool, int k) {
    double sum[3] = {0.0, 0.0, 0.0}, most = 0.0;
    for (int32_t i = 0; i < tool->last.count; i++) {
        const double *n = tool->set.item[i].normal, push = pal_dot3(tool->last.force[i], n);
        for (int c = 0; c < 3; c++) {
            sum[c] += tool->last.force[i][c] - push * n[c];
        }
    }
    const double size = pal_norm3(sum);
    for (int32_t i = 0; i < tool->last.count && size > 0.0; i++) {
        const double *n = tool->set.item[i].normal, up = pal_dot3(sum, n) / size;
        most += pal_dot3(tool->last.force[i], n) * sqrt(fmax(0.0, 1.0 - up * up));
    }
    memcpy(rubs[k], sum, sizeof sum);
    ratio[k] = most > 0.0 ? size / most : 0.0;
    slides[k] = tool->sliding;
}

static int run(int ticks) {
    for (int k = 0; k < ticks; k++) {
        trace[k] = live_block_tick(&rig);
        measure(&rig.servo->own.tool[0], k);
    }
    return ticks;
}

// Down to s->press below the surface, and then.
#define PRESS(s, how_long)                                                                         \
    {                                                                                              \
        .kind = PAL_INTENT_PRESS, .seconds = how_long,                                             \
        .to = {(s).top[0], (s).top[1], (s).top[2] - (s).press},                                    \
    }

// ---- holding still

// Buzz: what of the force of the last second lies between 30 and 300 Hz, all axes together.
static double buzz_of(int ticks) {
    double power = 0.0;
    for (int c = 0; c < 3; c++) {
        double f[1000];
        for (int k = 0; k < 1000; k++) {
            f[k] = trace[ticks - 1000 + k].force[c];
        }
        power += pow(band_rms(f, 1000, 1e-3, 30.0, 300.0), 2);
    }
    return sqrt(power);
}

static void test_a_hold_is_still(void) {
    static const char *const grips[] = {"loose", "medium", "firm"};
    const double friction = pal_device_profile("touch")->friction;
    for (int i = 0; i < SUBJECTS; i++) {
        const subject s = subject_at(i);
        const pal_intent script[] = {PRESS(s, 0.5), {.kind = PAL_INTENT_HOLD, .seconds = 2.5}};
        for (int k = 0; k < 6; k += SANITIZED_OR(5, 1)) {
            char text[128];
            open_rig(&s, "touch", grips[k / 2], k % 2 ? friction : 0.0, script, 2);
            const double buzz = buzz_of(run(2500));
            snprintf(text, sizeof text, "%s, %s grip, device friction %.2f N: %.2f N, buzz %.2f mN",
                     s.name, grips[k / 2], k % 2 ? friction : 0.0, trace[2499].force[2],
                     1e3 * buzz);
            printf("%s\n", text);
            TEST_ASSERT_TRUE_MESSAGE(trace[2499].force[2] > 0.1 && buzz < 20e-3, text);
            TEST_ASSERT_EQUAL_UINT64(0, rig.servo->own.counters.outcome[PAL_OUT_BUDGET_NUMBER]);
            live_block_close(&rig);
        }
    }
}

// A light body, which the hand presses aside slowly, stays on the ball.
static void test_a_light_body_does_not_bounce(void) {
    const subject s = {"spoon", baked(spoon_text, &spoon), {0.18, 0.018, 0.004}, 0.024, {0.0, 0.0}};
    const pal_intent script[] = {PRESS(s, 1.0), {.kind = PAL_INTENT_HOLD, .seconds = 1.0}};
    open_rig(&s, "touch", "medium", 0.0, script, 2);
    const int n = run(2000);
    int away = 0;
    double most = 0.0;
    for (int k = n - 1000; k < n; k++) {
        away += trace[k].touching == 0;
        most = fmax(most, trace[k].force[2]);
    }
    printf("spoon: held at %.3f N, at most %.3f N, away from the ball for %d of 1000 ticks\n",
           trace[n - 1].force[2], most, away);
    TEST_ASSERT_EQUAL_INT(0, away);
    TEST_ASSERT_TRUE(most < 1.2 * trace[n - 1].force[2]);
    live_block_close(&rig);
}

// The ball is not visibly in the body, and a reading is answered at its own tick.
static void test_a_press_is_answered_at_once_and_not_deep(void) {
    for (int i = 0; i < SUBJECTS; i++) {
        const subject s = subject_at(i);
        const pal_intent script[] = {PRESS(s, 0.5), {.kind = PAL_INTENT_HOLD, .seconds = 0.5}};
        open_rig(&s, "touch", "firm", 0.0, script, 2);
        const int n = run(1000);
        double deep = 0.0;
        for (int k = 1; k < n; k++) {
            const pal_tick_record *now = &trace[k], *last = &trace[k - 1];
            if (pal_norm3(now->force) <= 1.0) {
                deep = fmax(deep, now->depth);
            }
            if (now->touching && last->touching && now->position[2] != last->position[2]) {
                TEST_ASSERT_TRUE(now->wanted[2] != last->wanted[2]);
            }
            if (!now->touching) { // and free space is free
                TEST_ASSERT_TRUE(pal_norm3(now->wanted) == 0.0);
                TEST_ASSERT_TRUE(last->touching || pal_norm3(now->force) == 0.0);
            }
        }
        printf("%s: %.0f um deep at 1 N\n", s.name, 1e6 * deep);
        TEST_ASSERT_TRUE(deep > 0.0 && deep < 0.5e-3);
        live_block_close(&rig);
    }
}

// Presses, holds and lets go again; what the hand has given in all, J. *made: by the servo's
// account.
static double given_in_a_press(const subject *s, const char *grip, double *made) {
    const pal_intent script[] = {PRESS(*s, 0.3),
                                 {.kind = PAL_INTENT_HOLD, .seconds = 0.2},
                                 {.kind = PAL_INTENT_RELEASE, .seconds = 0.3},
                                 {.kind = PAL_INTENT_HOLD, .seconds = 0.2}};
    double given = 0.0, most = 0.0, before[3];
    pal_sim_truth truth;
    open_rig(s, "touch", grip, 0.0, script, 4);
    for (int k = 0; k < 1000; k++) {
        pal_sim_read_truth(&rig.device, &truth);
        memcpy(before, truth.position, sizeof before);
        trace[k] = live_block_tick(&rig);
        most = fmax(most, pal_norm3(trace[k].force));
        pal_sim_read_truth(&rig.device, &truth);
        for (int c = 0; c < 3; c++) {
            given -= trace[k].force[c] * (truth.position[c] - before[c]);
        }
    }
    *made = rig.servo->own.hand[0].passivity.made;
    printf("%s, %s: %.2f N, press and release take %.4f mJ, %.4f made\n", s->name, grip, most,
           1e3 * given, 1e3 * *made);
    TEST_ASSERT_TRUE(most > 0.05 && pal_norm3(trace[999].force) == 0.0);
    live_block_close(&rig);
    return given;
}

static void test_press_and_release_make_no_energy(void) {
    for (int i = 0; i < SUBJECTS; i++) {
        const subject s = subject_at(i);
        double made;
        TEST_ASSERT_TRUE(given_in_a_press(&s, "firm", &made) > -0.1e-3);
        TEST_ASSERT_TRUE(given_in_a_press(&s, "loose", &made) > -0.1e-3);
    }
}

// From a tenth of what the device bears to ten times that; the passivity controller has next to
// nothing to do.
static void test_bodies_of_any_stiffness_make_no_energy(void) {
    static const char *const grips[] = {"firm", "medium", "loose"};
    enum { COUNT = SANITIZED_OR(2, 9) };
    for (int i = 0; i < COUNT; i++) {
        char name[32];
        const live_block_spec spec = {.young = 4e3 * pow(100.0, (double)i / (COUNT - 1)),
                                      .local = PAL_LOCAL_WANT_EXACT};
        pal_model model;
        live_block_bake(&spec, &model);
        snprintf(name, sizeof name, "block of %.1f kPa", 1e-3 * spec.young);
        const subject s = {name, &model, {0.03, 0.03, LIVE_BLOCK_TOP}, 0.005, {0.0, 0.0}};
        for (int k = 0; k < 3; k++) {
            double made;
            TEST_ASSERT_TRUE(given_in_a_press(&s, grips[k], &made) > -0.05e-3);
            TEST_ASSERT_TRUE(made < 0.05e-3);
        }
        pal_model_free(&model);
    }
}

// ---- sliding

// From the press on, over the surface within so many seconds; the ticks of the slide are
// first..last.
static void slide(const subject *s, double seconds, double static_friction, double dynamic_friction,
                  int *first, int *last) {
    const double to[3] = {s->top[0] + s->way[0], s->top[1] + s->way[1], s->top[2] - s->press};
    pal_intent script[] = {PRESS(*s, 0.4),
                           {.kind = PAL_INTENT_HOLD, .seconds = 0.4},
                           {.kind = PAL_INTENT_SLIDE, .seconds = seconds}};
    memcpy(script[2].to, to, sizeof to);
    open_rig(s, "touch", "firm", 0.0, script, 3);
    rig.body.law[0].static_friction = static_friction;
    rig.body.law[0].dynamic_friction = dynamic_friction;
    *first = 800;
    *last = run(800 + (int)lround(1e3 * seconds)) - 1;
}

// What is left of a change of the force when the hand's own motion is taken out, against the force.
static void test_sliding_over_triangles_makes_no_steps(void) {
    for (int i = 0; i < SUBJECTS; i++) {
        const subject s = subject_at(i);
        int first, last;
        slide(&s, 1.0, 0.0, 0.0, &first, &last);
        double most = 0.0;
        for (int k = first + 1; k <= last; k++) {
            double change[3];
            pal_sub3(trace[k].force, trace[k - 1].force, change);
            const double size = pal_norm3(trace[k].force);
            most = fmax(most, pal_norm3(change) / fmax(size, 20e-3 / 0.07));
        }
        printf("%s: largest step while sliding %.2f %%\n", s.name, 100.0 * most);
        TEST_ASSERT_TRUE(most < 0.07);
        live_block_close(&rig);
    }
}

// How much of what rubs is against the hand's way.
static double against_way(const subject *s, int k) {
    const double along = s->way[0] * rubs[k][0] + s->way[1] * rubs[k][1];
    return -along / (hypot(s->way[0], s->way[1]) * pal_norm3(rubs[k]));
}

// Without friction a slide there and back over a hard body, which loses little, does not drive the
// hand on. (One way alone may: the body is softer there.)
static void test_a_slide_without_friction_is_not_driven(void) {
    const live_block_spec hard = {.young = 2e6, .local = PAL_LOCAL_WANT_EXACT};
    pal_model model;
    live_block_bake(&hard, &model);
    const subject s = {"hard block", &model, {0.03, 0.03, LIVE_BLOCK_TOP}, 0.004, {0.012, 0.01}};
    const double length = hypot(s.way[0], s.way[1]);
    pal_intent script[] = {PRESS(s, 0.4),
                           {.kind = PAL_INTENT_HOLD, .seconds = 0.4},
                           {.kind = PAL_INTENT_SLIDE, .seconds = 0.8},
                           {.kind = PAL_INTENT_SLIDE, .seconds = 0.8}};
    memcpy(script[2].to, script[0].to, sizeof script[2].to);
    memcpy(script[3].to, script[0].to, sizeof script[3].to);
    script[2].to[0] += s.way[0];
    script[2].to[1] += s.way[1];
    open_rig(&s, "touch", "firm", 0.0, script, 4);
    run(2400);
    double drive = 0.0, up = 0.0;
    for (int k = 900; k < 2300; k++) {
        const double sign = k < 1600 ? 1.0 : -1.0;
        drive += sign * (s.way[0] * trace[k].force[0] + s.way[1] * trace[k].force[1]) / length;
        up += trace[k].force[2];
    }
    printf("%s: a slide is driven by %.2f %% of the force\n", s.name, 100.0 * drive / up);
    TEST_ASSERT_TRUE(drive < 0.0 && drive > -0.03 * up);
    live_block_close(&rig);
    pal_model_free(&model);
}

static void test_friction_breaks_away_and_slides_at_its_ratios(void) {
    static const double at_rest = 0.5, in_motion = 0.3;
    for (int i = 0; i < SUBJECTS; i++) {
        subject s = subject_at(i);
        if (i == 2) { // it gives way sideways, and before it slides it must come to its end
            s.press = 0.003;
            s.way[0] = -0.03;
            s.way[1] = 0.015;
        }
        int first, last, count = 0;
        double breakaway = 0.0, sliding = 0.0, against = 0.0;
        slide(&s, i == 2 ? 2.0 : 1.0, at_rest, in_motion, &first, &last);
        for (int k = first; k <= last; k++) {
            breakaway = fmax(breakaway, ratio[k]);
            if (k > first + 6 * (last - first) / 10 && slides[k]) {
                against += against_way(&s, k);
                sliding += ratio[k];
                count++;
            }
        }
        TEST_ASSERT_TRUE(count > 3 * (last - first) / 10);
        sliding /= count;
        printf("%s: breaks away at %.4f of %.2f, slides at %.4f of %.2f, %.3f against the way\n",
               s.name, breakaway, at_rest, sliding, in_motion, against / count);
        TEST_ASSERT_TRUE(against > 0.9 * count);
        TEST_ASSERT_DOUBLE_WITHIN(0.05 * at_rest, at_rest, breakaway);
        TEST_ASSERT_DOUBLE_WITHIN(0.05 * in_motion, in_motion, sliding);
        live_block_close(&rig);
    }
}

// ---- stiffness

// The model's own: a ball that is put there, at rest, without any coupling.
static double own_force(const subject *s, const double at[3]) {
    enum { SETTLED = SANITIZED_OR(2200, 3500) }; // ticks
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
    memcpy(goal.x, at, sizeof goal.x);
    double mean = 0.0;
    for (int k = 0; k < SETTLED + 1000; k++) {
        goal.x[2] = at[2] + 0.02 * fmax(0.0, 1.0 - k / SANITIZED_OR(700.0, 1500.0));
        pal_tool_aim(&tool, &goal, false);
        pal_step(world);
        mean += k >= SETTLED ? tool.force[2] / 1000.0 : 0.0;
    }
    pal_live_body_close(&live);
    free(world);
    return mean;
}

// Place and force at the hand in the last second of a long hold.
static void hold_at(const subject *s, const char *profile, double depth, double at[3],
                    double *force) {
    subject deeper = *s;
    deeper.press = depth;
    const pal_intent script[] = {PRESS(deeper, 0.5), {.kind = PAL_INTENT_HOLD, .seconds = 2.5}};
    open_rig(&deeper, profile, "firm", 0.0, script, 2);
    run(3000);
    at[0] = at[1] = at[2] = *force = 0.0;
    for (int k = 2000; k < 3000; k++) {
        for (int c = 0; c < 3; c++) {
            at[c] += trace[k].position[c] / 1000.0;
        }
        *force += trace[k].force[2] / 1000.0;
    }
    live_block_close(&rig);
}

// Of what is softer than the device bears; what is harder is as hard as that.
static void test_the_hand_feels_the_stiffness_of_the_model(void) {
    static const char *const profiles[] = {"touchx", "omega"};
    for (int i = 0; i < SUBJECTS; i++) {
        const subject s = subject_at(i);
        for (int p = SANITIZED_OR(i, 0); p < SANITIZED_OR(i + 1, 2); p++) {
            char text[160];
            double at[2][3], f[2], own[2];
            for (int k = 0; k < 2; k++) {
                hold_at(&s, profiles[p], s.press + 0.004 * k, at[k], &f[k]);
                own[k] = own_force(&s, at[k]);
            }
            const double bears =
                PAL_COUPLING_SHARE * pal_device_profile(profiles[p])->max_stiffness;
            const double felt = (f[1] - f[0]) / (at[0][2] - at[1][2]);
            const double model = (own[1] - own[0]) / (at[0][2] - at[1][2]);
            snprintf(text, sizeof text, "%s, %s (%.0f N/m): felt %.1f N/m, the model's %.1f N/m",
                     s.name, profiles[p], bears, felt, model);
            printf("%s\n", text);
            if (model < bears) {
                TEST_ASSERT_TRUE_MESSAGE(fabs(felt / model - 1.0) < 0.03, text);
            } else {
                TEST_ASSERT_TRUE_MESSAGE(felt > 0.9 * bears && felt < 1.03 * bears, text);
            }
        }
    }
}

int main(void) {
    UNITY_BEGIN();
    atexit(free_models);
    RUN_TEST(test_a_hold_is_still);
    RUN_TEST(test_a_light_body_does_not_bounce);
    RUN_TEST(test_a_press_is_answered_at_once_and_not_deep);
    RUN_TEST(test_press_and_release_make_no_energy);
    RUN_TEST(test_bodies_of_any_stiffness_make_no_energy);
    RUN_TEST(test_sliding_over_triangles_makes_no_steps);
    RUN_TEST(test_a_slide_without_friction_is_not_driven);
    RUN_TEST(test_friction_breaks_away_and_slides_at_its_ratios);
    RUN_TEST(test_the_hand_feels_the_stiffness_of_the_model);
    return UNITY_END();
}
