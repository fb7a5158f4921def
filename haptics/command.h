// Commands to the servo: a ring there, and a ring back for the coefficients that a change of
// material has put out of use. One thread sends, the servo takes.
//
//     sender                               servo, at the start of a tick
//     prepares coefficients                pal_command_next
//     pal_command_send           ------>   pal_newmark_swap
//     pal_command_take_back      <------   pal_command_give_back (the old ones)
#ifndef PAL_HAPTICS_COMMAND_H
#define PAL_HAPTICS_COMMAND_H

#include "haptics/ring.h"
#include "sim/reduced/newmark.h"

enum { PAL_COMMANDS = 16 }; // waiting at once

typedef enum pal_command_kind {
    PAL_COMMAND_MATERIAL, // other coefficients: lambda, mu or density of a region were edited
    PAL_COMMAND_RESET,    // body at rest; after a fault, safety begins again
    PAL_COMMAND_PAUSE,    // time stands still, force goes to zero
    PAL_COMMAND_RESUME,
    PAL_COMMAND_STOP, // end of the run: force goes to zero, then the servo leaves
} pal_command_kind;

typedef struct pal_servo_command {
    pal_command_kind kind;
    int32_t region;                 // of MATERIAL: whose material it was
    pal_coefficients *coefficients; // of MATERIAL: prepared, lent to the servo until it gives back
    double local_scale;             // of MATERIAL: E as baked / E now of that region; 0: it stays
} pal_servo_command;

typedef struct pal_command_link {
    pal_ring there; // pal_servo_command
    pal_ring back;  // pal_coefficients *
    pal_servo_command there_item[PAL_COMMANDS];
    pal_coefficients *back_item[PAL_COMMANDS];
    struct {
        int lent; // coefficients sent and not yet matched by one taken back
    } sender;
} pal_command_link;

void pal_command_init(pal_command_link *link);

// False: too many are waiting; try again later. For MATERIAL also when PAL_COMMANDS coefficients
// are lent: take some back first. Sender only; RT safe.
bool pal_command_send(pal_command_link *link, const pal_servo_command *command);

// The next one that is no longer in use, to be freed or filled again; NULL: none. Sender only.
pal_coefficients *pal_command_take_back(pal_command_link *link);

// False: nothing waits. Servo only. RT safe.
bool pal_command_next(pal_command_link *link, pal_servo_command *command);

// Once per MATERIAL command; there is always room. Servo only. RT safe.
void pal_command_give_back(pal_command_link *link, pal_coefficients *coefficients);

#endif
