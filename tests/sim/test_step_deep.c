// A ball pressed in deeper than its radius: dents that grow stiffer (stiffening.h) hold it as full
// neo-Hookean elements do, at a place, size and mesh that were not used to fit them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fem/indent.h"
#include "sim/model/bake.h"
#include "tests/support/check.h"
#include "tests/support/press.h"
#include "tests/support/sanitized.h"
#include "tests/support/touch_bench.h"

// A ball of 5 mm on a block of 54 x 50 x 30 mm, elements of 1.8 mm beneath it.
static const press_shape shape = {.kind = PAL_HEX8,
                                  .low = {-0.027, -0.025, -0.03},
                                  .high = {0.027, 0.025, 0.0},
                                  .fine = 1.8e-3,
                                  .zone = {7e-3, 7e-3, 7e-3},
                                  .growth = 1.7};
enum { DEPTHS = 4 };
static const double depth[DEPTHS] = {1e-3, 2.5e-3, 5e-3, 8e-3};

static press block;
static pal_model model;
static touch_bench b;

void setUp(void) {
    pal_err err = {0};
    if (model.r > 0) {
        return;
    }
    press_open(&block, &shape);
    uint8_t *held = press_held(&shape, &block.mesh);
    const pal_bake_spec spec = {.name = "block",
                                .scene_text = "",
                                .mesh = &block.mesh,
                                .held = held,
                                .material = block.fem.material,
                                .damping_alpha = 20.0,
                                .damping_beta = 5e-3,
                                .basis = {.kind = PAL_BASIS_MODES, .size = 20, .modes = 20},
                                .local = {.choice = PAL_LOCAL_WANT_EXACT, .radius = 0.02}};
    CHECK_OK(pal_bake(&spec, NULL, &model, NULL, &err), err);
    free(held);
}
void tearDown(void) {
}

static void open_bench(bool stiffening) {
    touch_bench_open(&b, &model, 1e5);
    b.tool.options.look_budget = 4000;
    b.tool.options.most = PAL_MAX_TOUCHES;
    b.tool.options.stretches = stiffening;
    b.world->scene.visits = 4000;
    b.world->scene.local_rows = stiffening ? b.live.local_rows : NULL;
}

// One tick with the ball's middle `deep` below where it first touches.
static double tick(double deep) {
    TEST_ASSERT_EQUAL_UINT32(0, touch_bench_go(&b, 0.0, 0.0, 5e-3 - deep) & PAL_OUT_NAN);
    return b.tool.force[2];
}

static void full_forces(pal_indent_result *full) {
    pal_err err = {0};
    pal_indent_outcome outcome;
    const pal_indent_spec spec = {
        .axis = {0.0, 0.0, -1.0}, .radius = 5e-3, .count = DEPTHS, .depth = depth};
    CHECK_OK(
        pal_indent_full(&block.fem, PAL_LAW_NEO_HOOKEAN, &spec, NULL, NULL, full, &outcome, &err),
        err);
    TEST_ASSERT_EQUAL_INT(DEPTHS, outcome.reached);
}

// Within 5 % down to a radius, 10 % beyond.
static void test_a_deep_press_is_that_of_neo_hookean_elements(void) {
    if (IS_SANITIZED) {
        TEST_IGNORE_MESSAGE("too long for a sanitizer; the live press is looked at below");
    }
    pal_indent_result full[DEPTHS];
    double deep = -1e-3;
    full_forces(full);
    open_bench(true);
    for (int k = 0; k < DEPTHS; k++) {
        double force = 0.0;
        for (; deep < depth[k]; deep += 1e-5) {
            tick(deep);
        }
        for (int settle = 0; settle < 200; settle++) {
            force = tick(depth[k]);
        }
        const double error = force / full[k].force - 1.0;
        char text[128];
        snprintf(text, sizeof text, "%.1f mm: %.5f N for %.5f N (%+.1f %%), %d touches",
                 1e3 * depth[k], force, full[k].force, 100.0 * error, (int)b.tool.set.count);
        printf("%s\n", text);
        TEST_ASSERT_TRUE_MESSAGE(fabs(error) < (depth[k] <= 5e-3 ? 0.05 : 0.10), text);
    }
    touch_bench_close(&b);
}

// Pressed in by 1.9 radii and drawn back, it never lets go, and no energy comes out.
static void test_it_is_held_and_makes_no_energy(void) {
    const double most = 9.5e-3, step = SANITIZED_OR(4e-5, 1e-5);
    double last = 0.0, work = 0.0, put_in = 0.0;
    open_bench(true);
    for (double deep = -1e-3; deep < most; deep += step) {
        const double force = tick(deep);
        TEST_ASSERT_TRUE(deep < 5e-4 || b.tool.set.count > 0);
        work += 0.5 * (force + last) * step;
        last = force;
    }
    TEST_ASSERT_TRUE(last > 1.1);
    put_in = work;
    for (double deep = most; deep > -1e-3; deep -= step) {
        const double force = tick(deep);
        work -= 0.5 * (force + last) * step;
        last = force;
    }
    printf("%.3f mJ put in, %.4f mJ lost\n", 1e3 * put_in, 1e3 * work);
    TEST_ASSERT_TRUE(work > -0.01 * put_in);
    touch_bench_close(&b);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_deep_press_is_that_of_neo_hookean_elements);
    RUN_TEST(test_it_is_held_and_makes_no_energy);
    const int failed = UNITY_END();
    pal_model_free(&model);
    press_close(&block);
    return failed;
}
