// The step with local compliance: a ball pressed slowly into a soft block gives the force of the
// full linear body in contact (MATH.md 5.1), as the hand would feel it, and far more without the
// dents. The truth is press_facets: the same mesh, all its degrees of freedom, linear, held where
// the model is, without friction, no place of its surface in the ball.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/bake.h"
#include "tests/support/check.h"
#include "tests/support/press.h"
#include "tests/support/sanitized.h"
#include "tests/support/touch_bench.h"

#define SIDE SANITIZED_OR(0.02, 0.03) // m
enum { DEPTHS = 3, PARTS = 3 };
// 60 x 60 x 30 mm, elements of 1.25 mm under the ball; a smaller block under the sanitizers.
static const press_shape fine = {.kind = PAL_HEX8,
                                 .low = {-SIDE, -SIDE, -SIDE},
                                 .high = {SIDE, SIDE, 0.0},
                                 .fine = 1.25e-3,
                                 .zone = {6e-3, 6e-3, 6e-3},
                                 .growth = 1.8};
// Elements of about a third of the ball's radius; narrower and less high.
static const press_shape narrow = {.kind = PAL_HEX8,
                                   .low = {-0.024, -0.021, -0.026},
                                   .high = {0.027, 0.022, 0.0},
                                   .fine = 1.6e-3,
                                   .zone = {7e-3, 7e-3, 6e-3},
                                   .growth = 1.7};
static const press_shape of_tets = {.kind = PAL_TET4,
                                    .low = {-0.025, -0.02, -0.02},
                                    .high = {0.02, 0.025, 0.0},
                                    .fine = 1.8e-3,
                                    .zone = {7e-3, 7e-3, 6e-3},
                                    .growth = 1.7};
// The ball's middle is 3.5 mm from an edge.
static const press_shape beside_edge = {.kind = PAL_HEX8,
                                        .low = {-0.028, -0.03, -0.025},
                                        .high = {3.5e-3, 0.03, 0.0},
                                        .fine = 1.7e-3,
                                        .zone = {6e-3, 6e-3, 6e-3},
                                        .growth = 1.8};
// A lump of 4.5 mm radius, four times as stiff, 2.5 mm below the surface.
static const press_shape with_lump = {.kind = PAL_HEX8,
                                      .low = {-0.03, -0.03, -0.025},
                                      .high = {0.03, 0.03, 0.0},
                                      .fine = 1.9e-3,
                                      .zone = {0.022, 7e-3, 0.012},
                                      .growth = 2.0,
                                      .contrast = 4.0,
                                      .lump_radius = 4.5e-3,
                                      .lump_depth = 7e-3};
static press block;
static pal_model model, fine_model;

// 20 modes, and dents within 11 mm of the way from x1, y to x2, y.
static void bake(const press_shape *shape, pal_local_choice way, double x1, double x2, double y,
                 pal_model *out) {
    pal_err err = {0};
    const size_t vertices = (size_t)block.mesh.vertex_count;
    uint8_t *held = calloc(vertices, 1), *touch = calloc(vertices, 1);
    for (size_t v = 0; v < vertices; v++) {
        const double *at = block.mesh.x + 3 * v;
        held[v] = at[2] < shape->low[2] + 1e-9;
        touch[v] = at[0] > x1 - 0.011 && at[0] < x2 + 0.011 && fabs(at[1] - y) < 0.011;
    }
    const pal_bake_spec spec = {.name = "block",
                                .scene_text = "",
                                .mesh = &block.mesh,
                                .held = held,
                                .material = block.fem.material,
                                .damping_alpha = 20.0,
                                .damping_beta = 5e-3,
                                .basis = {.kind = PAL_BASIS_MODES, .size = 20, .modes = 20},
                                .local = {.choice = way, .radius = 0.02, .touch = touch}};
    pal_model_free(out);
    CHECK_OK(pal_bake(&spec, NULL, out, NULL, &err), err);
    TEST_ASSERT_TRUE(out->local.row_count > 100);
    free(held);
    free(touch);
}

static void free_fine(void) {
    pal_model_free(&fine_model);
}

static const pal_model *bake_fine(void) {
    if (fine_model.r == 0) {
        press_open(&block, &fine);
        bake(&fine, PAL_LOCAL_WANT_EXACT, 0.0, 0.0, 0.0, &fine_model);
        atexit(free_fine);
    }
    return &fine_model;
}

void setUp(void) {
}
void tearDown(void) {
    press_close(&block);
    pal_model_free(&model);
}

typedef touch_bench bench;

static void open_bench(bench *b, const pal_model *of, bool with_local) {
    touch_bench_open(b, of, 1e5);
    b->tool.options.look_budget = 4000;
    b->tool.options.most = PAL_MAX_TOUCHES;
    b->world->scene.visits = 4000;
    if (!with_local) {
        b->world->scene.local = NULL;
        b->tool.options.spreads = NULL;
    }
}

// Slowly to the depth over x, y, and a while to settle; the force against the ball. It does not
// change any more then.
static double press_to(bench *b, double x, double y, double depth) {
    const double from = b->tool.placed ? b->tool.goal.x[2] : 6e-3, to = 5e-3 - depth;
    double low = INFINITY, high = -INFINITY;
    for (int k = 1; k <= 600; k++) {
        const double z = from + (to - from) * fmin(1.0, k / 300.0);
        TEST_ASSERT_EQUAL_UINT32(0, touch_bench_go(b, x, y, z) & PAL_OUT_NAN);
        low = fmin(k > 550 ? b->tool.force[2] : INFINITY, low);
        high = fmax(k > 550 ? b->tool.force[2] : -INFINITY, high);
    }
    TEST_ASSERT_TRUE(high - low < 0.005 * high);
    return b->tool.force[2];
}

// The live force at the depths of the spec against the full one.
static void check_live(const char *what, const pal_model *of, const pal_indent_spec *spec,
                       const pal_indent_result *full, double share, double force[DEPTHS]) {
    bench b;
    open_bench(&b, of, true);
    for (int k = 0; k < spec->count; k++) {
        char text[160];
        force[k] = press_to(&b, spec->at[0], spec->at[1], spec->depth[k]);
        const double error = force[k] / full[k].force - 1.0;
        snprintf(text, sizeof text, "%s, %g mm: %.5f N for %.5f N (%+.1f %%), %d touches", what,
                 1e3 * spec->depth[k], force[k], full[k].force, 100.0 * error,
                 (int)b.tool.set.count);
        printf("%s\n", text);
        TEST_ASSERT_TRUE_MESSAGE(fabs(error) < share, text);
    }
    touch_bench_close(&b);
}

// The first ways of local compliance, exact and fast, at one place.
static void check_place(const char *what, const press_shape *shape, double x, double y, int count) {
    static const pal_local_choice ways[] = {PAL_LOCAL_WANT_EXACT, PAL_LOCAL_WANT_FAST};
    pal_indent_result full[DEPTHS];
    press_open(&block, shape);
    const pal_indent_spec spec = press_ball(&block, x, y);
    press_facets(&block, &spec, PARTS, full);
    for (int w = 0; w < count; w++) {
        char text[64];
        double force[DEPTHS];
        bake(shape, ways[w], x, x, y, &model);
        snprintf(text, sizeof text, "%s, %s", what, w == 0 ? "exact" : "fast");
        check_live(text, &model, &spec, full, w == 0 ? 0.02 : 0.06, force);
    }
}

static void test_the_ball_feels_the_full_linear_body(void) {
    pal_indent_result full[DEPTHS];
    double force[DEPTHS];
    bake_fine();
    const pal_indent_spec spec = press_ball(&block, 0.0, 0.0);
    press_facets(&block, &spec, PARTS, full);
    check_live("fine, exact", &fine_model, &spec, full, 0.02, force);
}

static void test_another_block_off_its_symmetry(void) {
    check_place("narrow", &narrow, 0.53e-3, -0.37e-3, 2);
}

static void test_tetrahedra(void) {
    check_place("tets", &of_tets, -0.7e-3, 0.2e-3, 1);
}

static void test_beside_an_edge(void) {
    check_place("edge", &beside_edge, 0.0, 0.0, 2);
}

// How much larger the force is over the lump than beside it is what one feels.
static void test_over_a_lump(void) {
    static const pal_local_choice ways[] = {PAL_LOCAL_WANT_EXACT, PAL_LOCAL_WANT_FAST};
    static const double places[2][2] = {{0.4e-3, 0.3e-3}, {0.017, -0.2e-3}};
    pal_indent_result full[2][DEPTHS];
    pal_indent_spec spec[2];
    press_open(&block, &with_lump);
    for (int k = 0; k < 2; k++) {
        spec[k] = press_ball(&block, places[k][0], places[k][1]);
        press_facets(&block, &spec[k], PARTS, full[k]);
    }
    for (int w = 0; w < 2; w++) {
        double force[2][DEPTHS];
        bake(&with_lump, ways[w], places[0][0], places[1][0], 0.0, &model);
        for (int k = 0; k < 2; k++) {
            check_live(k == 0 ? "over the lump" : "beside it", &model, &spec[k], full[k],
                       w == 0 ? 0.02 : 0.06, force[k]);
        }
        for (int d = 0; d < DEPTHS; d++) {
            const double more = force[0][d] - force[1][d];
            const double expected = full[0][d].force - full[1][d].force;
            printf("%.5f N more for %.5f N (%+.1f %%)\n", more, expected,
                   100.0 * (more / expected - 1.0));
            TEST_ASSERT_TRUE(expected > 0.05 * full[1][d].force);
            TEST_ASSERT_TRUE(fabs(more / expected - 1.0) < 0.07);
        }
    }
}

static void test_without_dents_it_is_far_too_hard(void) {
    bench with, without;
    open_bench(&with, bake_fine(), true);
    open_bench(&without, bake_fine(), false);
    const double soft = press_to(&with, 0.0, 0.0, 1e-3);
    const double hard = press_to(&without, 0.0, 0.0, 1e-3);
    TEST_ASSERT_TRUE(hard > 5.0 * soft && hard < 14.0 * soft);
    touch_bench_close(&with);
    touch_bench_close(&without);
}

// The dent is part of the surface: its points are on the ball, none is in it.
static void test_the_surface_lies_on_the_ball(void) {
    bench b;
    open_bench(&b, bake_fine(), true);
    press_to(&b, 0.0, 0.0, 2e-3);
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

// W has the dents' columns only of what is thought to press; whatever does press has its own, also
// what has come to it within the tick.
static void test_what_presses_has_its_column(void) {
    bench b;
    int32_t spared = 0, came = 0;
    open_bench(&b, bake_fine(), true);
    for (int k = 0; k < 600; k++) {
        const pal_contacts *c = &b.world->contacts;
        const double deep = fmin(1.5e-3, 1e-5 * k), aside = 3e-3 * sin(0.02 * k);
        touch_bench_go(&b, aside, 0.0, 5e-3 + 1e-3 - 2.0 * deep);
        bool all = c->count > 0;
        for (int32_t i = 0; i < c->count; i++) {
            TEST_ASSERT_TRUE(c->presses[i] || pal_norm3(c->force + 3 * i) == 0.0);
            all = all && c->presses[i];
            spared += !c->presses[i];
        }
        came += all && k > 100;
    }
    TEST_ASSERT_TRUE(spared > 600 && came > 0);
    touch_bench_close(&b);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_ball_feels_the_full_linear_body);
    if (getenv("PALPATE_PRESSES") != NULL) { // any value: more of the same, and long
        RUN_TEST(test_tetrahedra);
    }
    if (SANITIZED_OR(false, true)) {
        RUN_TEST(test_another_block_off_its_symmetry);
        RUN_TEST(test_beside_an_edge);
        RUN_TEST(test_over_a_lump);
    }
    RUN_TEST(test_without_dents_it_is_far_too_hard);
    RUN_TEST(test_the_surface_lies_on_the_ball);
    RUN_TEST(test_what_presses_has_its_column);
    return UNITY_END();
}
