#include "devices/device.h"

// Always there, always fresh, always at the origin.
static void read_null(pal_device *device, pal_device_state *state) {
    *state = (pal_device_state){.turn = {1.0}, .sequence = ++device->readings, .present = true};
}

static void write_null(pal_device *device, const double force[3], const double torque[3]) {
    (void)device;
    (void)force;
    (void)torque;
}

static void advance_null(pal_device *device, double dt) {
    (void)device;
    (void)dt;
}

static void close_null(pal_device *device) {
    (void)device;
}

static const pal_device_functions functions = {
    .read = read_null, .write = write_null, .advance = advance_null, .close = close_null};

void pal_device_open_null(pal_device *device) {
    *device = (pal_device){.functions = &functions,
                           .limits = {.name = "null", .watchdog = PAL_WATCHDOG_NOT_NEEDED}};
}
