// The parts of a tick, in the order of servo.c. All RT safe; for the servo alone.
#ifndef PAL_HAPTICS_SERVO_PARTS_H
#define PAL_HAPTICS_SERVO_PARTS_H

#include "haptics/servo.h"

// A reading that cannot be is not taken (reading.h): the last good one grows stale, and safety sees
// that. Returns what concerns all hands.
pal_outcome pal_servo_read_devices(pal_servo *servo, int missed);

// Returns the bits of the commands that were taken.
uint32_t pal_servo_take_commands(pal_servo *servo);

// The tools are aimed and everything steps; at a wall the depths are measured.
pal_outcome pal_servo_step(pal_servo *servo);

// The force that hand h should feel. After a NaN: none, and no contact; while paused: none.
void pal_servo_make_force(pal_servo *servo, int32_t h, pal_outcome outcome);

// The watchdog looks at what was sent to hand h; a fault that it finds acts from the next tick on.
// Notes when a fault was latched.
void pal_servo_watch(pal_servo *servo, int32_t h, int missed);

// The tick to the counters, the snapshot and the log, a row for each hand. The record holds what
// they have in common; start: when the tick began, s of the thread's time.
void pal_servo_report(pal_servo *servo, const pal_tick_record *common, double start);

// The parts of that which fill the snapshot (servo_show.c): a hand from its record, then what all
// have in common, when everything is counted, and out it goes.
void pal_servo_show_hand(pal_servo *servo, const pal_tick_record *record);
void pal_servo_show(pal_servo *servo, const pal_tick_record *last, pal_outcome outcome);

#endif
