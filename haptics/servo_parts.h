// The parts of a tick, in the order of servo.c. All RT safe; for the servo alone.
#ifndef PAL_HAPTICS_SERVO_PARTS_H
#define PAL_HAPTICS_SERVO_PARTS_H

#include "haptics/servo.h"

// A reading that is not finite is not taken: the last good one grows stale, and safety sees that.
pal_outcome pal_servo_read_device(pal_servo *servo);

// Returns the bits of the commands that were taken.
uint32_t pal_servo_take_commands(pal_servo *servo);

// The tool goes where the coupling and the contact are in balance: with the last contact, to look
// for the next; and with that one, when the body has moved. At a wall the device is the tool.
void pal_servo_move_tool(pal_servo *servo);

// The contact at the tool, and the spring between the hand and the body; at a wall the contact
// alone.
pal_outcome pal_servo_find_contact(pal_servo *servo);

// The body one step on, the spring inside it, and how deep the tool is then.
pal_outcome pal_servo_step_body(pal_servo *servo);

// The force that the hand should feel. After a NaN, and while paused: none, and no contact.
void pal_servo_make_force(pal_servo *servo, pal_outcome outcome, double force[3]);

// The tick as the trace keeps it (force, wanted, outcome, commands and times are the caller's), and
// as the counters and the snapshot do.
void pal_servo_fill_record(pal_servo *servo, pal_tick_record *record);
void pal_servo_count(pal_servo *servo, const pal_tick_record *record);
void pal_servo_publish(pal_servo *servo, const pal_tick_record *record);

#endif
