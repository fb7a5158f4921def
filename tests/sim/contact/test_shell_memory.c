// What a tool remembers of the surface around it leaves nothing out: with and without it, a moving
// tool on a moving, dented surface finds the same touches.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/contact/distfield_build.h"
#include "sim/contact/shell_build.h"
#include "tests/support/check.h"
#include "tests/support/sanitized.h"
#include "tests/support/shapes.h"
#include "tests/support/soft_surface.h"

enum { TICKS = SANITIZED_OR(800, 4000) };

static pal_err err;
static test_random seed;
static soft_surface soft;
static pal_shell shell;
static pal_volmesh mesh;
static pal_embedding embedding;
static double *dent, bound, travel;
static pal_shell_memory memory;
static int recalled, anew, touched;

// A plate, 60 mm wide and 10 mm thick, each of whose points is a vertex of the mesh.
void setUp(void) {
    seed.state = 7;
    memset(&soft, 0, sizeof soft);
    memset(&memory, 0, sizeof memory);
    recalled = anew = touched = 0;
    bound = travel = 0.0;
    int32_t *vertex = NULL;
    shape_box(&mesh, PAL_HEX8, 12, 12, 2, (double[]){0.06, 0.06, 0.01});
    CHECK_OK(pal_surface_of_volmesh(&mesh, &soft.surface, &vertex, &err), err);
    soft_open(&soft, 4, &seed);
    embedding = (pal_embedding){.point_count = soft.body.point_count, .nodes = 1, .vertex = vertex};
    embedding.weight = PAL_NEW(double, soft.body.point_count, &err);
    for (int32_t i = 0; i < soft.body.point_count; i++) {
        embedding.weight[i] = 1.0;
    }
    dent = PAL_NEW(double, 3 * mesh.vertex_count, &err);
    soft.body.embedding = &embedding;
    const pal_shell_spec spec = {.spacing = 0.0015};
    CHECK_OK(pal_shell_build(&soft.body, &soft.tree, &spec, &shell, &err), err);
}

void tearDown(void) {
    pal_shell_free(&shell);
    soft_close(&soft);
    free(embedding.weight);
    free(embedding.vertex);
    free(dent);
    pal_volmesh_free(&mesh);
}

static void let_dent(void) {
    soft.body.dent = dent;
    soft.body.dent_bound = &bound;
    soft.body.dent_travel = &travel;
}

// A dent under the tool, which changes a little; `travel` goes as far as the vertex that moves
// most.
static void change_dent(const double x[3]) {
    const double deep = 1e-3 * (1.0 + 0.1 * random_number(&seed));
    double most = 0.0;
    bound = 0.0;
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        double u[3] = {0.0, 0.0, 0.0}, by[3], *old = dent + 3 * (int64_t)v;
        const double *at = mesh.x + 3 * (int64_t)v;
        const double r2 = pow(at[0] - x[0], 2) + pow(at[1] - x[1], 2);
        u[2] = r2 < 1e-4 ? -deep * (1.0 - r2 / 1e-4) : 0.0;
        pal_sub3(u, old, by);
        most = fmax(most, pal_norm3(by));
        bound = fmax(bound, pal_norm3(u));
        memcpy(old, u, sizeof u);
    }
    travel += most;
}

// One query with what is remembered, and one without, at the same level.
static void compare(pal_shell_query *query, int tick) {
    pal_touch_set with, without;
    char what[96];
    query->memory = &memory;
    const bool knew = memory.valid;
    const double holds = memory.holds;
    const pal_outcome outcome = pal_shell_find(&shell, &soft.body, query, &with);
    const bool kept = knew && memory.valid && memory.holds == holds;
    recalled += kept;
    anew += !kept;
    query->memory = NULL;
    query->settled = 1 + with.level;
    TEST_ASSERT_EQUAL_UINT32(outcome, pal_shell_find(&shell, &soft.body, query, &without));
    snprintf(what, sizeof what, "tick %d, level %d", tick, with.level);
    TEST_ASSERT_EQUAL_INT_MESSAGE(without.level, with.level, what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(without.count, with.count, what);
    for (int32_t i = 0; i < with.count; i++) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(without.item[i].id, with.item[i].id, what);
        TEST_ASSERT_TRUE(without.item[i].gap == with.item[i].gap);
        TEST_ASSERT_EQUAL_MEMORY(without.item[i].x, with.item[i].x, sizeof with.item[i].x);
    }
    touched += with.count;
}

// Along the plate, sinking in and out, over a body that swings.
static void stroll(const pal_shape *shape, double height, bool dented) {
    for (int k = 0; k < TICKS; k++) {
        pal_shell_query query = {.shape = shape,
                                 .pose = PAL_POSE_IDENTITY,
                                 .margin = 2e-4 * (1.2 + sin(0.05 * k)),
                                 .look_budget = INT32_MAX,
                                 .most = PAL_MAX_TOUCHES,
                                 .settled = memory.valid ? 1 + memory.level : 0};
        const double turn[3] = {0.1 * sin(0.003 * k), 0.1 * cos(0.002 * k), 1e-3 * k};
        pal_turn_of_vector(turn, query.pose.turn);
        query.pose.x[0] = 0.03 + 0.015 * sin(2e-3 * k);
        query.pose.x[1] = 0.03 + 0.015 * cos(3e-3 * k);
        query.pose.x[2] = height + 5e-4 * sin(0.01 * k);
        if (k % (TICKS / 4) == TICKS / 4 - 1) { // and now and then it jumps
            query.pose.x[0] += 0.01;
        }
        for (int32_t l = 0; l < soft.body.size; l++) {
            soft.q[l] = 2e-4 * sin(0.01 * (l + 1) * k);
        }
        if (dented) {
            change_dent(query.pose.x);
        }
        compare(&query, k);
    }
    printf("%d recalled, %d searched anew, %.1f touches\n", recalled, anew,
           (double)touched / TICKS);
    TEST_ASSERT_TRUE(recalled > 2 * anew && anew > SANITIZED_OR(4, 10));
    TEST_ASSERT_TRUE(touched > TICKS);
}

static void test_a_ball_misses_nothing(void) {
    pal_shape shape;
    CHECK_OK(pal_shape_sphere(&shape, 0.005, &err), err);
    stroll(&shape, 0.0147, false);
}

static void test_a_ball_misses_nothing_of_a_dented_surface(void) {
    pal_shape shape;
    CHECK_OK(pal_shape_sphere(&shape, 0.005, &err), err);
    let_dent();
    stroll(&shape, 0.0142, true);
}

static void test_a_shaft_misses_nothing(void) {
    pal_shape shape;
    CHECK_OK(pal_shape_capsule(&shape, 0.004, 0.03, &err), err);
    stroll(&shape, 0.0135, false);
}

static void test_a_mesh_tool_misses_nothing(void) {
    pal_shape shape;
    pal_distfield field;
    pal_surface ball = {0};
    shape_add_sphere(&ball, (double[]){0.0, 0.0, 0.0}, 0.006, 6);
    const pal_distfield_spec spec = {.cells = 24, .margin = 0.003};
    CHECK_OK(pal_distfield_build(&ball, &spec, NULL, &field, &err), err);
    CHECK_OK(pal_shape_field(&shape, &field, &err), err);
    stroll(&shape, 0.0157, false);
    pal_distfield_free(&field);
    pal_surface_free(&ball);
}

static void test_a_dent_of_unknown_travel_is_looked_at_anew(void) {
    pal_shape shape;
    CHECK_OK(pal_shape_sphere(&shape, 0.005, &err), err);
    let_dent();
    soft.body.dent_travel = NULL;
    const double x[3] = {0.03, 0.03, 0.0};
    for (int k = 0; k < 20; k++) {
        pal_shell_query query = {.shape = &shape,
                                 .pose = PAL_POSE_IDENTITY,
                                 .margin = 2e-4,
                                 .look_budget = INT32_MAX,
                                 .most = PAL_MAX_TOUCHES};
        memcpy(query.pose.x, (double[]){0.03, 0.03, 0.0142}, sizeof query.pose.x);
        change_dent(x);
        compare(&query, k);
    }
    TEST_ASSERT_EQUAL_INT(0, recalled);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_ball_misses_nothing);
    RUN_TEST(test_a_ball_misses_nothing_of_a_dented_surface);
    RUN_TEST(test_a_shaft_misses_nothing);
    RUN_TEST(test_a_mesh_tool_misses_nothing);
    RUN_TEST(test_a_dent_of_unknown_travel_is_looked_at_anew);
    return UNITY_END();
}
