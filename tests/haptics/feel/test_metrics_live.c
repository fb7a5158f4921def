// Metrics of the servo's own traces, in a closed loop with the simulated hand, against what the
// simulation knows beside the trace.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/live_block.h"
#include "tests/support/synthetic.h"

static live_block rig;
static pal_feel_trace trace;

void setUp(void) {
    memset(&trace, 0, sizeof trace);
}
void tearDown(void) {
    pal_feel_trace_free(&trace);
}

// The rows of these ticks become the trace; given [count], J, is what the hand really put in.
static void run(int64_t count, double *given) {
    pal_err err = {0};
    pal_tick_record *row = calloc((size_t)count, sizeof *row);
    TEST_ASSERT_NOT_NULL(row);
    for (int64_t k = 0; k < count; k++) {
        pal_sim_truth before, after;
        pal_sim_read_truth(&rig.device, &before);
        row[k] = live_block_tick(&rig);
        pal_sim_read_truth(&rig.device, &after);
        double work = 0.0;
        for (int c = 0; c < 3; c++) {
            work -= row[k].force[c] * (after.position[c] - before.position[c]);
        }
        if (given != NULL) {
            given[k] = (k > 0 ? given[k - 1] : 0.0) + work;
        }
    }
    pal_trace_data data = {
        .info = {.hand_count = 1, .virtual_time = true}, .record = row, .count = count};
    data.info.limits[0] = rig.device.limits;
    CHECK_OK(pal_feel_trace_take(&trace, &data, 0, &err), err);
    free(row);
}

// The readings come in steps of 55 um; the energy is nevertheless that of the true path.
static void test_energy_is_that_of_the_true_path(void) {
    static const pal_wall walls[] = {
        {.height = LIVE_BLOCK_TOP, .stiffness = 400.0},
        {.height = LIVE_BLOCK_TOP, .stiffness = 150.0, .damping = 1.0}};
    for (int i = 0; i < 3; i++) {
        static double given[LIVE_BLOCK_PRESS_TICKS];
        pal_sim_options sim;
        live_block_sim(&sim, live_block_press, 3);
        TEST_ASSERT_TRUE(sim.limits.resolution > 50e-6);
        live_block_open(&rig, &sim, i < 2 ? &walls[i] : NULL);
        run(LIVE_BLOCK_PRESS_TICKS, given);
        live_block_close(&rig);
        double *energy = pal_feel_energy(&trace), peak = 0.0, off = 0.0;
        TEST_ASSERT_NOT_NULL(energy);
        for (int64_t k = 0; k + 1 < trace.count; k++) { // what is given in tick k shows at k + 1
            const double unknown = trace.row[k].force[2] * sim.limits.resolution;
            peak = fmax(peak, given[k]);
            off = fmax(off, fabs(energy[k + 1] - given[k]) - unknown); // where it is within a step
        }
        const double end = energy[trace.count - 1] - given[trace.count - 2];
        printf("peak %.4f mJ; at the end off by %.4f mJ, before by at most %.4f\n", 1e3 * peak,
               1e3 * end, 1e3 * off);
        TEST_ASSERT_TRUE(peak > 0.5e-3 && off < 10e-6 && fabs(end) < 10e-6);
        free(energy);
        tearDown();
    }
}

// On the bare block a touch or two bear, in the dent many with normals of their own.
static void test_friction_is_found_in_a_dent(void) {
    const pal_model *const models[] = {live_block_model(), live_block_local()};
    for (int i = 0; i < 2; i++) {
        const double top = LIVE_BLOCK_TOP, deep = i ? 0.006 : 0.004;
        const pal_intent script[] = {
            {.kind = PAL_INTENT_PRESS, .seconds = 0.4, .to = {0.03, 0.03, top - deep}},
            {.kind = PAL_INTENT_HOLD, .seconds = 0.4},
            {.kind = PAL_INTENT_SLIDE, .seconds = 1.0, .to = {0.042, 0.04, top - deep}},
            {.kind = PAL_INTENT_HOLD, .seconds = 0.3}};
        pal_sim_options sim;
        live_block_sim(&sim, script, 4);
        live_block_open_model(&rig, &sim, models[i], PAL_DOUBLE);
        rig.body.law[0].static_friction = 0.5;
        rig.body.law[0].dynamic_friction = 0.3;
        run(2100, NULL);
        live_block_close(&rig);
        trace.kind = PAL_TRIAL_FRICTION;
        pal_feel_truth truth;
        pal_feel_truth_none(&truth);
        truth.static_friction = 0.5;
        truth.sliding_friction = 0.3;
        const pal_score breaks = synthetic_score(&trace, &truth, PAL_METRIC_BREAKAWAY);
        const pal_score slides = synthetic_score(&trace, &truth, PAL_METRIC_SLIDING);
        printf("breaks away at %s; slides at %s\n", breaks.note, slides.note);
        TEST_ASSERT_EQUAL_INT(PAL_VERDICT_PASS, breaks.verdict);
        TEST_ASSERT_EQUAL_INT(PAL_VERDICT_PASS, slides.verdict);
        tearDown();
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_energy_is_that_of_the_true_path);
    RUN_TEST(test_friction_is_found_in_a_dent);
    return UNITY_END();
}
