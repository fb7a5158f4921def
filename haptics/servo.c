// The tick, every millisecond. What each line does stands in its own header; here is the order.
#include <string.h>

#include "haptics/servo_parts.h"
#include "sim/base/clock.h"

void pal_servo_tick(pal_servo *servo, int missed, double late_us) {
    const double start = pal_thread_seconds();
    const pal_device_state *state = &servo->own.state;
    pal_tick_record record = {.missed = (uint32_t)missed, .late_us = late_us};
    double *force = record.force;
    pal_outcome outcome = missed > 0 ? PAL_OUT_LATE : 0;

    // Where is the hand, and what do the other threads ask for?
    outcome |= pal_servo_read_device(servo);
    record.commands = pal_servo_take_commands(servo);

    // The tool follows the hand to the surface; the body steps, tool and hand implicit in it.
    pal_servo_move_tool(servo);
    outcome |= pal_servo_find_contact(servo);
    outcome |= pal_servo_step_body(servo);
    pal_servo_move_tool(servo);

    // What should the hand feel?
    pal_servo_make_force(servo, outcome, force);
    memcpy(record.wanted, force, sizeof record.wanted);

    // Never more energy than the hand has put in, and nothing unsafe, whatever made the force.
    outcome |= pal_passivity_apply(&servo->own.passivity, state, force);
    outcome |= pal_safety_apply(&servo->own.safety, state, missed, force);
    pal_passivity_sent(&servo->own.passivity, force);
    servo->device->functions->write(servo->device, force);

    // Tell the others. A full log loses this tick; it does not delay it.
    record.outcome = outcome;
    pal_servo_fill_record(servo, &record);
    record.compute_us = 1e6 * (pal_thread_seconds() - start);
    record.outcome |= pal_ring_put(&servo->log, &record) ? 0 : PAL_OUT_LOG_FULL;
    pal_servo_count(servo, &record);
    pal_servo_publish(servo, &record);

    // A simulated device moves on under this force; hardware does so by itself.
    servo->own.tick++;
    servo->device->functions->advance(servo->device, servo->options.dt);
}
