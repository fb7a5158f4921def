// Materials edited in a run, under a tool that dents: the dents beyond the basis follow Young's
// modulus of the region that is touched.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "haptics/edit_plan.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"
#include "tests/support/touch_bench.h"

static const double above = LIVE_BLOCK_TOP + TOUCH_RADIUS; // where the ball just touches

static pal_model soft, hard; // 20 and 40 kPa, with dents; two regions

void setUp(void) {
}
void tearDown(void) {
}

// An edit at the very beginning, and the force at a depth, in balance.
static double press(const pal_model *model, const pal_material_edit *edit, double x, double depth) {
    touch_bench b;
    pal_edit_plan plan = {0};
    pal_err err = {0};
    touch_bench_open(&b, model, 1e6);
    if (b.live.local != NULL) { // the layer on top does not change with the body: none, then
        b.live.law[0].stiffness = 1e12;
    }
    if (edit != NULL) {
        CHECK_OK(pal_edit_plan_open(&plan, model, edit, 1, TOUCH_DT, PAL_DOUBLE, &err), err);
        b.live.local_scale[plan.item[0].region] = plan.item[0].local_scale;
        pal_newmark_swap(b.live.newmark, plan.item[0].coefficients);
    }
    touch_bench_go(&b, x, 0.03, above + 0.002);
    touch_bench_travel(&b, x, 0.03, above - depth, 300, 400);
    const double force = b.tool.force[2];
    touch_bench_close(&b);
    pal_edit_plan_close(&plan);
    return force;
}

static void test_dents_make_a_block_softer_under_a_tip(void) {
    const double with = press(&soft, NULL, 0.017, 2e-3);
    const double without = press(live_block_model(), NULL, 0.017, 2e-3);
    char text[64];
    snprintf(text, sizeof text, "%.4f N with, %.4f N without", with, without);
    TEST_ASSERT_TRUE_MESSAGE(with > 0.0 && without > 1.5 * with, text);
}

static void test_after_an_edit_a_dent_is_that_of_a_body_baked_so(void) {
    // Both regions, one after the other, are what is touched
    static const struct {
        const char *region;
        double x;
    } cases[] = {{"body", 0.012}, {"right", 0.048}};
    for (int i = 0; i < 2; i++) {
        pal_material_edit edit = {0.0, "", {4e4, NAN, NAN}, NAN};
        snprintf(edit.region, sizeof edit.region, "%s", cases[i].region);
        const double before = press(&soft, NULL, cases[i].x, 1e-3);
        const double after = press(&soft, &edit, cases[i].x, 1e-3);
        const double baked = press(&hard, NULL, cases[i].x, 1e-3);
        char text[128];
        snprintf(text, sizeof text, "%s: %.4f N before, %.4f after, %.4f all hard", edit.region,
                 before, after, baked);
        // The dent is the region's, what bends below it is the whole block's
        TEST_ASSERT_TRUE_MESSAGE(fabs(after / before - 2.0) < 0.12, text);
        TEST_ASSERT_TRUE_MESSAGE(fabs(baked / before - 2.0) < 0.04, text);
        TEST_ASSERT_TRUE_MESSAGE(fabs(after / baked - 1.0) < 0.06, text);
    }
}

static void test_an_edit_elsewhere_leaves_the_dent_alone(void) {
    const pal_material_edit edit = {0.0, "right", {4e4, NAN, NAN}, NAN};
    const double before = press(&soft, NULL, 0.012, 1e-3);
    const double after = press(&soft, &edit, 0.012, 1e-3);
    TEST_ASSERT_TRUE(after > before && after < 1.1 * before);
}

// Under a hand, at its tick, by plan and by command.
static void test_the_servo_takes_dents_over_with_the_material(void) {
    static const pal_intent script[] = {
        {.kind = PAL_INTENT_PRESS, .seconds = 0.3, .to = {0.012, 0.03, LIVE_BLOCK_TOP - 0.002}},
        {.kind = PAL_INTENT_HOLD, .seconds = 5.0}};
    const pal_material_edit edit[2] = {{0.8, "body", {4e4, NAN, NAN}, NAN},
                                       {0.8, "right", {4e4, NAN, NAN}, NAN}};
    pal_err err = {0};
    double force[3];
    for (int way = 0; way < 3; way++) { // baked hard, by plan, by command
        live_block block;
        pal_sim_options sim;
        pal_edit_plan plan = {0};
        live_block_sim(&sim, script, 2);
        sim.start[0] = 0.012;
        sim.limits.resolution = 0.0;
        const pal_model *model = way == 0 ? &hard : &soft;
        live_block_open_model(&block, &sim, model, PAL_DOUBLE);
        CHECK_OK(pal_edit_plan_open(&plan, model, edit, 2, 1e-3, PAL_DOUBLE, &err), err);
        block.servo->options.plan = way == 1 ? &plan : NULL;
        for (int k = 0; k < 1600; k++) {
            for (int i = 0; way == 2 && k == 800 && i < 2; i++) {
                TEST_ASSERT_TRUE(pal_command_send(
                    &block.servo->link,
                    &(pal_servo_command){.kind = PAL_COMMAND_MATERIAL,
                                         .region = plan.item[i].region,
                                         .coefficients = plan.item[i].coefficients,
                                         .local_scale = plan.item[i].local_scale}));
            }
            force[way] = pal_norm3(live_block_tick(&block).force);
        }
        live_block_close(&block);
        pal_edit_plan_close(&plan);
    }
    TEST_ASSERT_TRUE(force[0] > 0.05);
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * force[0], force[0], force[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, force[1], force[2]);
}

// The pull on a point that is drawn up by 2 mm and held there, in balance.
static double pull(const pal_model *model, double *dent) {
    touch_bench b;
    touch_bench_open(&b, model, 1e6);
    b.tool.options.grasp_stiffness = 1e5;
    touch_bench_go(&b, 0.017, 0.03, above + 0.002);
    touch_bench_travel(&b, 0.017, 0.03, above + 1e-4, 100, 10);
    b.grasp = true;
    touch_bench_travel(&b, 0.017, 0.03, above + 2.1e-3, 300, 400);
    TEST_ASSERT_TRUE(b.tool.held.on);
    const double force = -b.tool.force[2];
    *dent = b.world->dent.most;
    b.grasp = false;
    touch_bench_travel(&b, 0.017, 0.03, above + 0.02, 100, 10);
    TEST_ASSERT_TRUE(b.world->dent.most == 0.0 && pal_norm3(b.tool.force) == 0.0);
    touch_bench_close(&b);
    return force;
}

static void test_what_is_held_is_drawn_out_and_goes_back(void) {
    double dent, none;
    const double with = pull(&soft, &dent), without = pull(live_block_model(), &none);
    TEST_ASSERT_TRUE(with > 0.0 && without > 1.5 * with);
    TEST_ASSERT_TRUE(dent > 5e-4 && none == 0.0);
}

int main(void) {
    live_block_spec how = {.young = 2e4, .two_regions = true, .local = PAL_LOCAL_WANT_EXACT};
    live_block_bake(&how, &soft);
    how.young = 4e4;
    live_block_bake(&how, &hard);
    UNITY_BEGIN();
    RUN_TEST(test_dents_make_a_block_softer_under_a_tip);
    RUN_TEST(test_after_an_edit_a_dent_is_that_of_a_body_baked_so);
    RUN_TEST(test_an_edit_elsewhere_leaves_the_dent_alone);
    RUN_TEST(test_the_servo_takes_dents_over_with_the_material);
    RUN_TEST(test_what_is_held_is_drawn_out_and_goes_back);
    const int failures = UNITY_END();
    pal_model_free(&soft);
    pal_model_free(&hard);
    return failures;
}
