#include "tests/support/sim_device.h"

#include "tests/support/check.h"

pal_sim_options sim_alone(void) {
    return (pal_sim_options){.limits = {.name = "alone", .max_force = 1e9, .mass = 0.045}};
}

pal_sim_options sim_held(const char *grip) {
    pal_sim_options options = sim_alone();
    bool known = false;
    options.hand = pal_hand_grip(grip, &known);
    TEST_ASSERT_TRUE_MESSAGE(known, grip);
    return options;
}

pal_device sim_open(const pal_sim_options *options) {
    pal_device device;
    pal_err err = {.status = PAL_OK};
    CHECK_OK(pal_device_open_sim(&device, options, &err), err);
    return device;
}

void sim_pass(pal_device *device, int ticks) {
    for (int k = 0; k < ticks; k++) {
        device->functions->advance(device, SIM_TICK);
    }
}

pal_device_state sim_read(pal_device *device) {
    pal_device_state state;
    device->functions->read(device, &state);
    return state;
}

pal_sim_truth sim_truth(const pal_device *device) {
    pal_sim_truth truth;
    pal_sim_read_truth(device, &truth);
    return truth;
}
