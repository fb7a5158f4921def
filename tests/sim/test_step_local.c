// The step with local compliance: a ball pressed slowly into a soft block gives the force of the
// full linear body in contact (MATH.md 5.1), as the hand would feel it, and far more without the
// dents.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/bake.h"
#include "tests/support/check.h"
#include "tests/support/press.h"
#include "tests/support/touch_bench.h"

enum { DEPTHS = 3 };
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

typedef touch_bench bench;

static void open_bench(bench *b, bool with_local) {
    touch_bench_open(b, &model, 1e5);
    b->tool.options.look_budget = 4000;
    b->tool.options.most = PAL_MAX_TOUCHES;
    b->world->scene.visits = 4000;
    if (!with_local) {
        b->world->scene.local = NULL;
        b->tool.options.spreads = NULL;
    }
}

// Slowly to the depth, and a while to settle; the force against the ball.
static double press_to(bench *b, double depth) {
    const double from = b->tool.placed ? b->tool.goal.x[2] : 6e-3, to = 5e-3 - depth;
    for (int k = 1; k <= 600; k++) {
        const double z = from + (to - from) * fmin(1.0, k / 300.0);
        TEST_ASSERT_EQUAL_UINT32(0, touch_bench_go(b, 0.0, 0.0, z) & PAL_OUT_NAN);
    }
    return b->tool.force[2];
}

// ---- the truth: the full linear body, kept out of the ball not only at its vertices but all over
// its surface, at the shell's points, half an element apart

enum { MOST_POINTS = 600, MOST_VERTICES = 900, CARRIERS = 24 };

typedef struct sampled {
    int32_t count, vertex_count;
    double x[MOST_POINTS][3];
    int32_t vertex[MOST_VERTICES]; // of the mesh
    int32_t carrier[MOST_POINTS][CARRIERS];
    double share[MOST_POINTS][CARRIERS];
} sampled;

static int32_t index_of(sampled *s, int32_t vertex) {
    for (int32_t k = 0; k < s->vertex_count; k++) {
        if (s->vertex[k] == vertex) {
            return k;
        }
    }
    TEST_ASSERT_TRUE(s->vertex_count < MOST_VERTICES);
    s->vertex[s->vertex_count] = vertex;
    return s->vertex_count++;
}

static void sample_surface(const pal_live_body *live, sampled *s) {
    const pal_shell *shell = &live->shell;
    const pal_embedding *e = &model.embedding;
    for (int32_t p = 0; p < shell->count[shell->level_count - 1]; p++) {
        const pal_shell_point *point = shell->point + p;
        if (hypot(point->x[0], point->x[1]) > 6e-3 || point->x[2] < -1e-9) {
            continue;
        }
        TEST_ASSERT_TRUE(s->count < MOST_POINTS);
        memcpy(s->x[s->count], point->x, sizeof point->x);
        for (int k = 0; k < 3 * e->nodes; k++) {
            const int64_t at =
                (int64_t)model.surface.triangle[3 * point->triangle + k / e->nodes] * e->nodes +
                k % e->nodes;
            s->share[s->count][k] = point->weight[k / e->nodes] * e->weight[at];
            s->carrier[s->count][k] = s->share[s->count][k] != 0.0 ? index_of(s, e->vertex[at]) : 0;
        }
        s->count++;
    }
}

static void full_contact(const pal_indent_spec *spec, pal_indent_result *full) {
    pal_err err = {0};
    bench b;
    open_bench(&b, true);
    sampled *s = calloc(1, sizeof *s);
    sample_surface(&b.live, s);
    touch_bench_close(&b);
    const int64_t n = 3 * (int64_t)s->count, m = 3 * (int64_t)s->vertex_count;
    double *of_vertices = calloc((size_t)(m * m), sizeof(double));
    double *half = calloc((size_t)(n * m), sizeof(double)),
           *w = calloc((size_t)(n * n), sizeof(double));
    CHECK_OK(pal_indent_compliance(&block.fem, s->vertex_count, s->vertex, of_vertices, &err), err);
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < CARRIERS; k++) {
            const double share = s->share[i / 3][k];
            const double *row = of_vertices + (3 * s->carrier[i / 3][k] + i % 3) * m;
            for (int64_t c = 0; c < m && share != 0.0; c++) {
                half[i * m + c] += share * row[c];
            }
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            for (int k = 0; k < CARRIERS; k++) {
                w[i * n + j] += s->share[j / 3][k] * half[i * m + 3 * s->carrier[j / 3][k] + j % 3];
            }
        }
    }
    for (int64_t i = 0; i < n; i++) { // the thin layer on top of every surface
        w[i * n + i] += s->count / (PAL_SURFACE_LAW_DEFAULT.stiffness * 3.14159 * 6e-3 * 6e-3);
    }
    CHECK_OK(pal_indent_points(s->count, &s->x[0][0], w, spec, full, &err), err);
    free(of_vertices);
    free(half);
    free(w);
    free(s);
}

static void test_the_ball_feels_the_full_linear_body(void) {
    pal_indent_result full[DEPTHS];
    const pal_indent_spec spec = press_ball(&block, 0.0, 0.0);
    bench b;
    full_contact(&spec, full);
    open_bench(&b, true);
    for (int k = 0; k < DEPTHS; k++) {
        char text[120];
        const double force = press_to(&b, spec.depth[k]), error = force / full[k].force - 1.0;
        snprintf(text, sizeof text, "%g mm: %.5f N for %.5f N (%+.1f %%), %d touches",
                 1e3 * spec.depth[k], force, full[k].force, 100.0 * error, (int)b.tool.set.count);
        TEST_ASSERT_TRUE_MESSAGE(fabs(error) < 0.04, text);
    }
    touch_bench_close(&b);
}

static void test_without_dents_it_is_far_too_hard(void) {
    bench with, without;
    open_bench(&with, true);
    open_bench(&without, false);
    const double soft = press_to(&with, 1e-3), hard = press_to(&without, 1e-3);
    TEST_ASSERT_TRUE(hard > 5.0 * soft && hard < 14.0 * soft);
    touch_bench_close(&with);
    touch_bench_close(&without);
}

// The dent is part of the surface: its points are on the ball, none is in it.
static void test_the_surface_lies_on_the_ball(void) {
    bench b;
    open_bench(&b, true);
    press_to(&b, 2e-3);
    int on = 0;
    for (int32_t p = 0; p < b.live.body.point_count; p++) {
        double x[3];
        b.live.body.functions->position(&b.live.body, p, x);
        const double from_ball = sqrt(x[0] * x[0] + x[1] * x[1] + pow(x[2] - 3e-3, 2)) - 5e-3;
        TEST_ASSERT_TRUE(from_ball > -2e-4);
        on += from_ball < 1e-4;
    }
    TEST_ASSERT_TRUE(on >= 5);
    touch_bench_close(&b);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_ball_feels_the_full_linear_body);
    RUN_TEST(test_without_dents_it_is_far_too_hard);
    RUN_TEST(test_the_surface_lies_on_the_ball);
    return UNITY_END();
}
