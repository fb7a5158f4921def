// A beam of four domains under a simulated stylus: for laws of the servo on trees.
#ifndef PAL_TESTS_LIVE_BEAM_H
#define PAL_TESTS_LIVE_BEAM_H

#include "haptics/live_tree.h"
#include "tests/support/live_block.h"

typedef struct live_beam {
    pal_tree_model model;
    live_block live; // its own model is empty
    pal_servo_options options;
} live_beam;

// Over the beam near its end; then along it and back, in contact all the time.
extern const pal_intent live_beam_slide[3];
#define LIVE_BEAM_RADIUS 0.02

// wind: NULL for none. The test fails when it cannot be opened.
void live_beam_open(live_beam *beam, const pal_intent *intent, int count, const pal_wind *wind);
void live_beam_close(live_beam *beam);

#endif
