// Materials that change in a run, at set ticks.
#include "haptics/edit_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/reduced/quartic_build.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { EDIT_TICK = 900, TICKS = 2000 };

static const pal_intent press_and_hold[] = {
    {.kind = PAL_INTENT_PRESS, .seconds = 0.4, .to = {0.03, 0.03, LIVE_BLOCK_TOP - 0.005}},
    {.kind = PAL_INTENT_HOLD, .seconds = 10.0},
};

static pal_material_edit edit_of(double at, double young, double poisson, double density) {
    return (pal_material_edit){at, "body", {young, poisson, density}, NAN};
}

static void open_plan(pal_edit_plan *plan, const pal_material_edit *edit, int count) {
    pal_err err = {0};
    CHECK_OK(pal_edit_plan_open(plan, live_block_model(), edit, count, 1e-3, PAL_DOUBLE, &err),
             err);
}

// Twice Young's modulus, in the same basis.
static pal_model make_doubled(void) {
    pal_model model = *live_block_model();
    pal_err err = {0};
    CHECK_OK(pal_quartic_alloc(&model.quartic, model.r, &err), err);
    pal_quartic_add(&model.quartic, 2.0, &live_block_model()->quartic);
    return model;
}

typedef struct pressed {
    double force;    // N, at the end
    double earlier;  // N, before the edit
    uint64_t edited; // the tick with the bit of a change of material; UINT64_MAX: none
    int edits;       // such ticks
    char hash[PAL_HASH_TEXT];
} pressed;

static pressed press(const pal_model *model, const pal_edit_plan *plan, pal_precision precision) {
    live_block block;
    pal_sim_options sim;
    pal_hash hash;
    pressed out = {.edited = UINT64_MAX};
    live_block_sim(&sim, press_and_hold, 2);
    sim.limits.resolution = 0.0; // an encoder's steps would keep the hand between two of them
    live_block_open_model(&block, &sim, model, precision);
    block.servo->options.plan = plan;
    block.servo->own.tool[0].options.fixed_coupling = true; // body and coupling in series
    pal_hash_init(&hash);
    for (int k = 0; k < TICKS; k++) {
        pal_tick_record record = live_block_tick(&block);
        pal_trace_hash_record(&hash, &record);
        out.force = pal_norm3(record.force);
        out.earlier = k < EDIT_TICK ? out.force : out.earlier;
        if (record.commands >> PAL_COMMAND_MATERIAL & 1) {
            out.edited = record.tick;
            out.edits++;
        }
    }
    pal_hash_text(&hash, out.hash);
    live_block_close(&block);
    return out;
}

static void test_after_an_edit_the_force_is_that_of_a_body_made_so(void) {
    pal_edit_plan plan;
    pal_model doubled = make_doubled();
    const pal_material_edit edit = edit_of(1e-3 * EDIT_TICK, 4e4, NAN, NAN);
    open_plan(&plan, &edit, 1);
    const pressed changed = press(live_block_model(), &plan, PAL_DOUBLE);
    const pressed soft = press(live_block_model(), NULL, PAL_DOUBLE);
    const pressed stiff = press(&doubled, NULL, PAL_DOUBLE);
    TEST_ASSERT_TRUE(changed.earlier == soft.earlier && changed.earlier > 0.1);
    TEST_ASSERT_TRUE(stiff.force > 1.02 * soft.force); // most of the give is the hand's
    TEST_ASSERT_DOUBLE_WITHIN(1e-4 * stiff.force, stiff.force, changed.force);
    TEST_ASSERT_EQUAL_UINT64(EDIT_TICK, changed.edited);
    TEST_ASSERT_EQUAL_INT(1, changed.edits);
    TEST_ASSERT_EQUAL_UINT64(UINT64_MAX, soft.edited);
    pal_edit_plan_close(&plan);
    pal_quartic_free(&doubled.quartic);
}

static void test_runs_with_an_edit_are_the_same(void) {
    pal_edit_plan plan;
    const pal_material_edit edit = edit_of(1e-3 * EDIT_TICK, NAN, 0.3, 2000.0);
    open_plan(&plan, &edit, 1);
    const pressed a = press(live_block_model(), &plan, PAL_DOUBLE);
    const pressed b = press(live_block_model(), &plan, PAL_DOUBLE);
    const pressed none = press(live_block_model(), NULL, PAL_DOUBLE);
    TEST_ASSERT_EQUAL_STRING(a.hash, b.hash);
    TEST_ASSERT_TRUE(strcmp(a.hash, none.hash) != 0);
    pal_edit_plan_close(&plan);
}

// The energy at one place, and of one motion, with the coefficients of an entry.
static void energies(const pal_planned_edit *entry, double *strain, double *kinetic) {
    const pal_model *model = live_block_model();
    pal_live_body live;
    pal_err err = {0};
    double q[PAL_MAX_R], v[PAL_MAX_R];
    for (int i = 0; i < model->r; i++) {
        q[i] = 1e-3 * sin(1.0 + i);
        v[i] = cos(2.0 + i);
    }
    CHECK_OK(
        pal_live_body_open(&live, model, &(pal_live_options){.dt = 1e-3, .feature = 5e-3}, &err),
        err);
    if (entry != NULL) {
        pal_newmark_swap(live.newmark, entry->coefficients);
    }
    *strain = pal_newmark_evaluate(live.newmark, q, NULL, NULL);
    pal_newmark_set_state(live.newmark, q, v, NULL);
    *kinetic = pal_newmark_kinetic_energy(live.newmark);
    pal_live_body_close(&live);
}

static void test_each_edit_changes_only_what_it_names(void) {
    pal_edit_plan plan;
    const pal_material_edit edit[] = {edit_of(0.3, NAN, NAN, 3000.0), edit_of(0.1, 4e4, NAN, NAN),
                                      edit_of(0.3, 2e4, NAN, NAN)};
    double strain[4], kinetic[4];
    open_plan(&plan, edit, 3);
    energies(NULL, &strain[0], &kinetic[0]);
    for (int i = 0; i < 3; i++) {
        energies(&plan.item[i], &strain[i + 1], &kinetic[i + 1]);
    }
    TEST_ASSERT_EQUAL_UINT64(100, plan.item[0].tick);
    TEST_ASSERT_EQUAL_UINT64(300, plan.item[1].tick);
    TEST_ASSERT_EQUAL_UINT64(300, plan.item[2].tick);
    const double stiffer[] = {1.0, 2.0, 2.0, 1.0}, heavier[] = {1.0, 1.0, 3.0, 3.0};
    for (int i = 0; i < 4; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-10 * strain[0], stiffer[i] * strain[0], strain[i]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-10 * kinetic[0], heavier[i] * kinetic[0], kinetic[i]);
    }
    TEST_ASSERT_TRUE(pal_edit_plan_has(&plan, 300) && !pal_edit_plan_has(&plan, 200));
    pal_edit_plan_close(&plan);
}

static void test_mistakes_are_told(void) {
    pal_edit_plan plan;
    pal_err err = {0};
    pal_material_edit edit[PAL_EDITS_MAX + 1] = {{1.0, "bone", {1e4, NAN, NAN}, NAN}};
    const pal_model *model = live_block_model();
    CHECK_FAILS(PAL_ERR_INPUT, "no region 'bone'; its regions: body",
                pal_edit_plan_open(&plan, model, edit, 1, 1e-3, PAL_DOUBLE, &err), err);
    edit[0] = edit_of(1.0, -1.0, NAN, NAN);
    CHECK_FAILS(PAL_ERR_INPUT, "region 'body'",
                pal_edit_plan_open(&plan, model, edit, 1, 1e-3, PAL_DOUBLE, &err), err);
    CHECK_FAILS(PAL_ERR_UNSUPPORTED, "at most 16",
                pal_edit_plan_open(&plan, model, edit, PAL_EDITS_MAX + 1, 1e-3, PAL_DOUBLE, &err),
                err);
}

static void test_no_failing_allocation_leaks_or_crashes(void) {
    const pal_material_edit edit[] = {edit_of(0.1, 4e4, NAN, NAN), edit_of(0.2, 3e4, NAN, NAN)};
    const pal_model *model = live_block_model();
    for (long n = 0;; n++) {
        pal_edit_plan plan;
        pal_err err = {0};
        pal_memory_fail_after(n);
        pal_status status = pal_edit_plan_open(&plan, model, edit, 2, 1e-3, PAL_DOUBLE, &err);
        pal_memory_fail_after(-1);
        if (status == PAL_OK) {
            pal_edit_plan_close(&plan);
            TEST_ASSERT_TRUE(n > 3);
            return;
        }
        TEST_ASSERT_EQUAL_INT_MESSAGE(PAL_ERR_MEMORY, status, err.text);
    }
}

static void test_float_coefficients_make_the_same_force(void) {
    const pressed fine = press(live_block_model(), NULL, PAL_DOUBLE);
    const pressed coarse = press(live_block_model(), NULL, PAL_FLOAT);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4 * fine.force, fine.force, coarse.force);
    TEST_ASSERT_TRUE(strcmp(fine.hash, coarse.hash) != 0);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_after_an_edit_the_force_is_that_of_a_body_made_so);
    RUN_TEST(test_runs_with_an_edit_are_the_same);
    RUN_TEST(test_each_edit_changes_only_what_it_names);
    RUN_TEST(test_mistakes_are_told);
    RUN_TEST(test_no_failing_allocation_leaks_or_crashes);
    RUN_TEST(test_float_coefficients_make_the_same_force);
    return UNITY_END();
}
