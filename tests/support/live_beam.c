#include "tests/support/live_beam.h"

#include <string.h>

#include "tests/support/beam_tree.h"
#include "tests/support/check.h"

#define TOP    0.125
#define MIDDLE 0.06

const pal_intent live_beam_slide[3] = {
    {.kind = PAL_INTENT_PRESS, .seconds = 0.4, .to = {0.8, MIDDLE, TOP}},
    {.kind = PAL_INTENT_MOVE, .seconds = 10.0, .to = {0.5, MIDDLE, TOP}},
    {.kind = PAL_INTENT_MOVE, .seconds = 10.0, .to = {0.9, MIDDLE, TOP}},
};

void live_beam_open(live_beam *beam, const pal_intent *intent, int count, const pal_wind *wind) {
    pal_err err = {0};
    pal_sim_options sim;
    live_block *b = &beam->live;
    memset(beam, 0, sizeof *beam);
    pal_test_beam_tree(4, 16, 10, true, &beam->model);
    for (int32_t k = 0; k < beam->model.class_count; k++) {
        beam->model.class_[k].alpha = 2.0;
        beam->model.class_[k].beta = 2e-3;
    }
    live_block_sim(&sim, intent, count);
    memcpy(sim.start, (double[3]){0.8, MIDDLE, TOP + LIVE_BEAM_RADIUS + 0.01}, sizeof sim.start);
    CHECK_OK(pal_device_open_sim(&b->device, &sim, &err), err);
    pal_servo_defaults(&beam->options, &b->device.limits);
    beam->options.log_capacity = 1 << 12;
    CHECK_OK(pal_shape_sphere(&beam->options.tool[0].shape, LIVE_BEAM_RADIUS, &err), err);
    pal_live_tree_options how = {
        .dt = beam->options.dt, .feature = LIVE_BEAM_RADIUS, .inertia = PAL_INERTIA_EXACT};
    if (wind != NULL) {
        how.wind = *wind;
    }
    CHECK_OK(pal_live_tree_open(&b->body, &beam->model, &how, &err), err);
    CHECK_OK(pal_servo_open(&b->servo, &beam->options, &b->device, &b->body, &err), err);
}

void live_beam_close(live_beam *beam) {
    live_block_close(&beam->live);
    pal_tree_model_free(&beam->model);
}
