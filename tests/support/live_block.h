// A small soft block on a table (60 x 60 x 30 mm, held below), baked in a moment, under a simulated
// stylus: for laws of the whole servo.
#ifndef PAL_TESTS_LIVE_BLOCK_H
#define PAL_TESTS_LIVE_BLOCK_H

#include "devices/dev_sim.h"
#include "haptics/servo.h"
#include "haptics/trace.h"
#include "sim/model/bake.h"

#define LIVE_BLOCK_TOP 0.03 // m

typedef struct live_block {
    pal_model model;
    pal_live_body body;
    pal_device device;
    pal_servo *servo;
} live_block;

typedef struct live_block_spec {
    double young;           // Pa
    bool two_regions;       // "body" for x below 30 mm, "right" above
    pal_local_choice local; // compliance beyond the basis
} live_block_spec;

// Bakes the block so; free with pal_model_free.
void live_block_bake(const live_block_spec *how, pal_model *model);

// The block of 20 kPa, one region and no local compliance, baked once per program and shared.
const pal_model *live_block_model(void);

// Press to 10 mm below the top within 0.4 s from 10 mm above it, hold 0.3 s, release in 0.4 s.
extern const pal_intent live_block_press[3];
enum { LIVE_BLOCK_PRESS_TICKS = 1100 };

// A touch without friction in a firm grip over the middle of the block, with this script.
void live_block_sim(pal_sim_options *sim, const pal_intent *intent, int count);

// *wall: in the place of the block; NULL: the block.
void live_block_open(live_block *block, const pal_sim_options *sim, const pal_wall *wall);
// The same with another model and coefficients of this precision.
void live_block_open_model(live_block *block, const pal_sim_options *sim, const pal_model *model,
                           pal_precision precision);
void live_block_close(live_block *block);

// One tick; its record is taken out of the log.
pal_tick_record live_block_tick(live_block *block);

#endif
