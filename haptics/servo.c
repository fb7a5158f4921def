// The tick, every millisecond. What each line does stands in its own header; here is the order.
#include "haptics/live_tree.h"
#include "haptics/servo_parts.h"
#include "sim/base/clock.h"

void pal_servo_wait(pal_servo *servo) {
    for (int32_t h = 0; h < servo->options.hand_count; h++) {
        pal_servo_hand *hand = &servo->own.hand[h];
        hand->outcome |= pal_safety_wait(&hand->safety, hand->force, hand->torque);
        pal_passivity_sent(&hand->passivity, hand->force, hand->torque);
        servo->device[h].functions->write(&servo->device[h], hand->force, hand->torque);
    }
}

static void wait_on(void *servo) {
    pal_servo_wait(servo);
}

void pal_servo_keep_time(pal_servo *servo) {
    if (servo->body != NULL && servo->body->domains != NULL) {
        pal_tree_set_patience(servo->body->domains->state, servo->options.dt, wait_on, servo);
    }
}

void pal_servo_tick(pal_servo *servo, int missed, double late_us) {
    const double start = pal_thread_seconds();
    pal_tick_record record = {.missed = (uint32_t)missed, .late_us = late_us};
    record.outcome = missed > 0 ? PAL_OUT_LATE : 0;

    // Where are the hands, and what do the other threads ask for?
    record.outcome |= pal_servo_read_devices(servo, missed);
    record.commands = pal_servo_take_commands(servo);

    // The tools follow the hands as far as the body lets them; the body gives way.
    record.outcome |= pal_servo_step(servo);

    for (int32_t h = 0; h < servo->options.hand_count; h++) {
        pal_servo_hand *hand = &servo->own.hand[h];
        pal_device *device = &servo->device[h];

        // What should the hand feel?
        pal_servo_make_force(servo, h, record.outcome);

        // Never more energy than the hand has put in, and nothing unsafe, whatever made the force.
        hand->outcome |= pal_watchdog_soften(&hand->watchdog, hand->force, hand->torque);
        hand->outcome |=
            pal_passivity_apply(&hand->passivity, &hand->state, hand->force, hand->torque);
        hand->outcome |=
            pal_safety_apply(&hand->safety, &hand->state, missed, hand->force, hand->torque);
        pal_passivity_sent(&hand->passivity, hand->force, hand->torque);
        device->functions->write(device, hand->force, hand->torque);
        pal_servo_watch(servo, h, missed);
    }

    // Tell the others. A full log loses this tick; it does not delay it.
    pal_servo_report(servo, &record, start);

    // A simulated device moves on under this force; hardware does so by itself.
    servo->own.tick++;
    for (int32_t h = 0; h < servo->options.hand_count; h++) {
        servo->device[h].functions->advance(&servo->device[h], servo->options.dt);
    }
}
