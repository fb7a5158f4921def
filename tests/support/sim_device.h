// A simulated device for tests: without hand, friction, quantisation and force limit unless a test
// wants them.
#ifndef PAL_TESTS_SIM_DEVICE_H
#define PAL_TESTS_SIM_DEVICE_H

#include "devices/dev_sim.h"

#define SIM_TICK 1e-3 // s

// A mass of 45 g, alone in the world.
pal_sim_options sim_alone(void);

// The same in a hand.
pal_sim_options sim_held(const char *grip);

// Opens; fails the test when it cannot.
pal_device sim_open(const pal_sim_options *options);

// So many ticks with no force written.
void sim_pass(pal_device *device, int ticks);

pal_device_state sim_read(pal_device *device);
pal_sim_truth sim_truth(const pal_device *device);

#endif
