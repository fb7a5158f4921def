#include "tests/support/touch_bench.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

void touch_bench_open(touch_bench *b, const pal_model *model, double stiffness) {
    touch_bench_open_ball(b, model, stiffness, TOUCH_RADIUS, TOUCH_RADIUS);
}

static void open_world(touch_bench *b, pal_tool_options *tool) {
    pal_tool_init(&b->tool, tool);
    b->world = aligned_alloc(64, (sizeof *b->world + 63) & ~(size_t)63);
    pal_live_body_world(&b->live, b->world);
    b->world->load = b->load;
    b->world->scene.tool = &b->tool;
    b->world->scene.tool_count = 1;
    b->world->scene.dt = TOUCH_DT;
    b->world->scene.visits = 2000;
}

static pal_tool_options ball(double stiffness, double radius) {
    pal_err err = {0};
    pal_tool_options tool = {.stiffness = stiffness, .look_budget = 2000, .most = 32};
    CHECK_OK(pal_shape_sphere(&tool.shape, radius, &err), err);
    return tool;
}

void touch_bench_open_ball(touch_bench *b, const pal_model *model, double stiffness, double radius,
                           double feature) {
    pal_err err = {0};
    memset(b, 0, sizeof *b);
    pal_tool_options tool = ball(stiffness, radius);
    const pal_live_options how = {.dt = TOUCH_DT, .feature = feature};
    CHECK_OK(pal_live_body_open(&b->live, model, &how, &err), err);
    tool.shell = &b->live.shell;
    tool.spreads = b->live.local != NULL ? b->live.footprint.spreads : NULL;
    open_world(b, &tool);
}

void touch_bench_open_tree(touch_bench *b, const pal_tree_model *model, pal_inertia inertia,
                           double stiffness, double radius) {
    pal_err err = {0};
    memset(b, 0, sizeof *b);
    pal_tool_options tool = ball(stiffness, radius);
    const pal_live_tree_options how = {
        .dt = TOUCH_DT, .feature = radius, .inertia = inertia, .threads = 1};
    CHECK_OK(pal_live_tree_open(&b->live, model, &how, &err), err);
    tool.domains = &b->live.domains->domains;
    open_world(b, &tool);
}

void touch_bench_close(touch_bench *b) {
    pal_live_body_close(&b->live);
    free(b->world);
}

pal_outcome touch_bench_go(touch_bench *b, double x, double y, double z) {
    pal_pose goal = PAL_POSE_IDENTITY;
    memcpy(goal.x, (double[3]){x, y, z}, sizeof goal.x);
    pal_tool_aim(&b->tool, &goal, b->grasp);
    return pal_step(b->world);
}

void touch_bench_travel(touch_bench *b, double x, double y, double z, int ticks, int wait) {
    double from[3];
    memcpy(from, b->tool.goal.x, sizeof from);
    for (int k = 1; k <= ticks + wait; k++) {
        const double s = k < ticks ? (double)k / ticks : 1.0;
        TEST_ASSERT_EQUAL_UINT32(0, touch_bench_go(b, from[0] + s * (x - from[0]),
                                                   from[1] + s * (y - from[1]),
                                                   from[2] + s * (z - from[2])) &
                                        PAL_OUT_NAN);
    }
}
