// Set-up of the servo: the only place where its memory comes from.
#include <math.h>
#include <stdlib.h>

#include "haptics/servo.h"
#include "sim/base/memory.h"

enum { TREE_BUDGET = 2000 };

void pal_servo_defaults(pal_servo_options *options, const pal_device_limits *limits) {
    *options = (pal_servo_options){.dt = 1e-3,
                                   .tool_radius = 5e-3,
                                   .tool_stiffness = 2000.0,
                                   .tool_damping = 1.0,
                                   .coupling_stiffness = PAL_COUPLING_SHARE * limits->max_stiffness,
                                   .coupling_damping = 0.1 * limits->max_damping,
                                   .log_capacity = 1 << 15};
}

static void init_own(pal_servo *servo) {
    const pal_servo_options *options = &servo->options;
    pal_safety_options safety;
    pal_safety_defaults(&safety, &servo->device->limits);
    pal_safety_init(&servo->own.safety, &safety, options->dt);
    pal_passivity_init(&servo->own.passivity, &servo->device->limits, options->dt, options->delay,
                       !options->observe_only);
    pal_coupling_init(&servo->own.coupling, options->coupling_stiffness, options->coupling_damping);
    pal_histogram_init(&servo->own.counters.tick);
    pal_sphere_init(&servo->own.tool, options->tool_radius, options->tool_stiffness,
                    options->tool_damping, TREE_BUDGET);
}

pal_status pal_servo_open(pal_servo **out, const pal_servo_options *options, pal_device *device,
                          pal_live_body *body, pal_err *err) {
    pal_servo *servo = *out = PAL_NEW(pal_servo, 1, err);
    pal_tick_record *items = PAL_NEW(pal_tick_record, options->log_capacity, err);
    if (servo == NULL || items == NULL) {
        free(servo);
        free(items);
        *out = NULL;
        return PAL_ERR_MEMORY;
    }
    servo->options = *options;
    servo->device = device;
    servo->body = body;
    servo->items = items;
    pal_ring_init(&servo->log, items, sizeof *items, options->log_capacity);
    pal_command_init(&servo->link);
    pal_exchange_init(&servo->exchange);
    init_own(servo);
    return PAL_OK;
}

void pal_servo_close(pal_servo *servo) {
    if (servo != NULL) {
        free(servo->items);
        free(servo);
    }
}

void pal_servo_order(pal_servo *servo, pal_command_kind kind) {
    servo->own.orders |= 1u << kind;
}

int pal_servo_stop_ticks(const pal_servo *servo) {
    const pal_safety_options *safety = &servo->own.safety.options;
    return 2 + (int)ceil(safety->max_force / (safety->max_slew * servo->options.dt));
}
