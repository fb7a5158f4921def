#include "tests/support/hands_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

pal_tool_options hands_tool(double radius, double length, double stiffness, double turn_stiffness) {
    pal_err err = {0};
    pal_tool_options tool = {.stiffness = stiffness,
                             .turn_stiffness = turn_stiffness,
                             .look_budget = 2000,
                             .most = PAL_MAX_TOUCHES};
    CHECK_OK(length > 0.0 ? pal_shape_capsule(&tool.shape, radius, length, &err)
                          : pal_shape_sphere(&tool.shape, radius, &err),
             err);
    return tool;
}

void hands_bench_open(hands_bench *b, const pal_model *model, const pal_tool_options *tool,
                      int32_t count) {
    pal_err err = {0};
    memset(b, 0, sizeof *b);
    pal_live_options how = {.dt = HANDS_DT, .feature = INFINITY};
    for (int32_t h = 0; h < count; h++) {
        how.feature = fmin(how.feature, tool[h].shape.feature);
    }
    CHECK_OK(pal_live_body_open(&b->live, model, &how, &err), err);
    b->count = count;
    for (int32_t h = 0; h < count; h++) {
        pal_tool_options options = tool[h];
        options.shell = &b->live.shell;
        pal_tool_init(&b->tool[h], &options);
        b->at[h] = PAL_POSE_IDENTITY;
    }
    b->world = aligned_alloc(64, (sizeof *b->world + 63) & ~(size_t)63);
    pal_live_body_world(&b->live, b->world);
    b->world->load = b->load;
    b->world->scene.tool = b->tool;
    b->world->scene.tool_count = count;
    b->world->scene.dt = HANDS_DT;
    b->world->scene.visits = 4000;
}

void hands_bench_close(hands_bench *b) {
    pal_live_body_close(&b->live);
    free(b->world);
}

void hands_bench_put(hands_bench *b, int32_t h, const double x[3], const double turn[3]) {
    memcpy(b->at[h].x, x, sizeof b->at[h].x);
    pal_turn_of_vector(turn, b->at[h].turn);
}

void hands_bench_step(hands_bench *b) {
    for (int32_t h = 0; h < b->count; h++) {
        pal_tool_aim(&b->tool[h], &b->at[h], false);
    }
    TEST_ASSERT_EQUAL_UINT32(0, pal_step(b->world) & PAL_OUT_NAN);
}

void hands_bench_travel(hands_bench *b, int32_t h, const double x[3], const double turn[3],
                        int ticks, int wait) {
    const pal_pose from = b->at[h];
    double goal[4], by[3];
    pal_turn_of_vector(turn, goal);
    pal_turn_between(from.turn, goal, by);
    for (int k = 1; k <= ticks + wait; k++) {
        const double s = k < ticks ? (double)k / ticks : 1.0;
        double shift[3], part[3];
        for (int c = 0; c < 3; c++) {
            shift[c] = s * (x[c] - from.x[c]);
            part[c] = s * by[c];
        }
        b->at[h] = from;
        pal_pose_move(&b->at[h], shift, part);
        hands_bench_step(b);
    }
}
