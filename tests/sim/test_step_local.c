// The step with local compliance: a ball pressed slowly into a soft block gives the force of the full
// linear body in contact (MATH.md 5.1), as the hand would feel it, and far more without the dents.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/live_body.h"
#include "sim/model/bake.h"
#include "tests/support/check.h"
#include "tests/support/press.h"

enum { DEPTHS = 3 };
static const double dt = 1e-3;
// 60 x 60 x 30 mm, elements of 1.25 mm under the ball.
static const press_shape shape = {.kind = PAL_HEX8,
                                  .low = {-0.03, -0.03, -0.03},
                                  .high = {0.03, 0.03, 0.0},
                                  .fine = 1.25e-3,
                                  .zone = {6e-3, 6e-3, 6e-3},
                                  .growth = 1.8};
static press block;
static pal_model model;

static void bake_once(void) {
    static uint8_t *held, *touch;
    pal_err err = {0};
    if (model.r > 0) {
        return;
    }
    press_open(&block, &shape);
    const size_t vertices = (size_t)block.mesh.vertex_count;
    held = calloc(vertices, 1);
    touch = calloc(vertices, 1);
    for (size_t v = 0; v < vertices; v++) {
        const double *x = block.mesh.x + 3 * v;
        held[v] = x[2] < shape.low[2] + 1e-9;
        touch[v] = fabs(x[0]) < 0.011 && fabs(x[1]) < 0.011;
    }
    const pal_bake_spec spec = {
        .name = "block",
        .scene_text = "",
        .mesh = &block.mesh,
        .held = held,
        .material = block.fem.material,
        .damping_alpha = 20.0,
        .damping_beta = 5e-3,
        .basis = {.kind = PAL_BASIS_MODES, .size = 20, .modes = 20},
        .local = {.choice = PAL_LOCAL_WANT_EXACT, .radius = 0.02, .touch = touch}};
    CHECK_OK(pal_bake(&spec, NULL, &model, NULL, &err), err);
    TEST_ASSERT_TRUE(model.local.row_count > 100);
    free(held);
    free(touch);
}

void setUp(void) {
    bake_once();
}
void tearDown(void) {
}

typedef struct bench {
    pal_live_body live;
    pal_world *world;
    pal_tool tool;
    double load[PAL_MAX_R];
} bench;

static void open_bench(bench *b, bool with_local) {
    pal_err err = {0};
    memset(b, 0, sizeof *b);
    pal_tool_options tool = {.stiffness = 1e5, .look_budget = 4000, .most = 32};
    CHECK_OK(pal_shape_sphere(&tool.shape, 5e-3, &err), err);
    const pal_live_options how = {.dt = dt, .feature = tool.shape.feature};
    CHECK_OK(pal_live_body_open(&b->live, &model, &how, &err), err);
    tool.shell = &b->live.shell;
    pal_tool_init(&b->tool, &tool);
    b->world = aligned_alloc(64, (sizeof *b->world + 63) & ~(size_t)63);
    pal_live_body_world(&b->live, b->world);
    b->world->load = b->load;
    b->world->scene.tool = &b->tool;
    b->world->scene.tool_count = 1;
    b->world->scene.dt = dt;
    b->world->scene.visits = 4000;
    if (!with_local) {
        b->world->scene.local = NULL;
    }
}

static void close_bench(bench *b) {
    pal_live_body_close(&b->live);
    free(b->world);
}

// Slowly to the depth, and a while to settle; the force against the ball.
static double press_to(bench *b, double depth) {
    const double from = b->tool.placed ? b->tool.goal.x[2] : 6e-3, to = 5e-3 - depth;
    for (int k = 1; k <= 600; k++) {
        pal_pose goal = PAL_POSE_IDENTITY;
        goal.x[2] = from + (to - from) * fmin(1.0, k / 300.0);
        pal_tool_aim(&b->tool, &goal, false);
        TEST_ASSERT_EQUAL_UINT32(0, pal_step(b->world) & PAL_OUT_NAN);
    }
    return b->tool.force[2];
}

static void test_the_ball_feels_the_full_linear_body(void) {
    pal_err err = {0};
    pal_indent_result full[DEPTHS];
    const pal_indent_spec spec = press_ball(&block, 0.0, 0.0);
    CHECK_OK(pal_indent_linear(&block.fem, &spec, NULL, full, &err), err);
    bench b;
    open_bench(&b, true);
    for (int k = 0; k < DEPTHS; k++) {
        const double force = press_to(&b, spec.depth[k]);
        printf("%.0f mm: full %.5f N, live %.5f N (%+.1f %%), %d touches, dent %.2f mm, most %g\n",
               1e3 * spec.depth[k], full[k].force, force, 100.0 * (force / full[k].force - 1.0),
               (int)b.tool.set.count, 1e3 * b.world->dent.most, b.world->contacts.unsolved);
        TEST_ASSERT_DOUBLE_WITHIN(0.1 * full[k].force, full[k].force, force);
    }
    close_bench(&b);
}

static void test_without_dents_it_is_far_too_hard(void) {
    bench with, without;
    open_bench(&with, true);
    open_bench(&without, false);
    const double soft = press_to(&with, 1e-3), hard = press_to(&without, 1e-3);
    printf("%.4f %.4f\n", soft, hard);
    TEST_ASSERT_TRUE(hard > 4.0 * soft);
    close_bench(&with);
    close_bench(&without);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_ball_feels_the_full_linear_body);
    RUN_TEST(test_without_dents_it_is_far_too_hard);
    return UNITY_END();
}
