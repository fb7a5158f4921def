// Commands to the servo: a ring there, and a ring back for the coefficients that a change of
// material has put out of use. One thread sends, the servo takes.
//
//     sender                               servo, at the start of a tick
//     prepares coefficients                pal_command_next
//     pal_command_send           ------>   pal_newmark_swap
//     pal_command_take_back      <------   pal_command_give_back (the old ones, and the tick)
//
// Time. The servo ticks at 1 kHz whatever the body's time does; what the hand feels meanwhile:
//
//     paused   The body stands and the force is zero, through the slew limit. TICK lets the body
//              and the tools make one step, as if time went on for that long; the hand feels
//              nothing of it. RESUME lets go of what is touched: a hand that is in the body then
//              feels nothing until it has been out of it.
//     slow     At a slowness N the body's clock goes on by dt / N a tick. In the hand's time that
//     is
//              the same body N^2 times as heavy and N times as damped, with the same springs: a
//              passive body, stepped and felt a thousand times a second like every other. Tools,
//              friction and dents stay in the hand's time. (In the penalty form of contact a
//              surface's damper counts in the body's time.)
//
// Of each kind but MATERIAL the servo takes one a tick, and in the order of the list below; one
// that comes out of turn waits for the next tick. So the bits of a tick's record say all about it,
// and a replay repeats it; what MATERIAL did is told by the sender (material_desk.h).
#ifndef PAL_HAPTICS_COMMAND_H
#define PAL_HAPTICS_COMMAND_H

#include "haptics/ring.h"
#include "sim/reduced/newmark.h"

enum { PAL_COMMANDS = 16 };  // waiting at once
enum { PAL_SLOW_KINDS = 7 }; // 1, 2, 5, 10, 20, 50, 100

typedef enum pal_command_kind {
    PAL_COMMAND_MATERIAL, // other coefficients or damping: the material of a region was edited
    PAL_COMMAND_RESET,    // body at rest; after a fault, safety begins again
    PAL_COMMAND_PAUSE,    // time stands still, force goes to zero
    PAL_COMMAND_RESUME,
    PAL_COMMAND_STOP, // end of the run: force goes to zero, then the servo leaves
    PAL_COMMAND_TICK, // while paused: one step
    PAL_COMMAND_SLOW, // and the kinds after it: SLOW + i for pal_command_slowness(i)
    PAL_COMMAND_KINDS = PAL_COMMAND_SLOW + PAL_SLOW_KINDS
} pal_command_kind;

typedef struct pal_servo_command {
    pal_command_kind kind;
    int32_t region; // of MATERIAL: whose material it was
    // Of MATERIAL: prepared, lent to the servo until it gives back; NULL: they stay
    pal_coefficients *coefficients;
    double local_scale; // of MATERIAL: E as baked / E now of that region; 0: it stays
    bool damps;         // of MATERIAL: the damping of the body is alpha, beta (1/s, s) from now on
    double alpha, beta;
} pal_servo_command;

typedef struct pal_taken {          // what became of a MATERIAL command
    uint64_t tick;                  // that took it
    pal_coefficients *coefficients; // no longer in use, to be freed or filled again; NULL: none
} pal_taken;

typedef struct pal_command_link {
    pal_ring there; // pal_servo_command
    pal_ring back;  // pal_taken
    pal_servo_command there_item[PAL_COMMANDS];
    pal_taken back_item[PAL_COMMANDS];
    struct {
        int lent; // MATERIAL commands sent and not yet matched by one taken back
    } sender;
} pal_command_link;

void pal_command_init(pal_command_link *link);

// How many times slower the body's time runs, i from 0 (not at all) to PAL_SLOW_KINDS - 1; and the
// kind of the command that comes nearest to a slowness. Any thread.
double pal_command_slowness(int i);
pal_command_kind pal_command_slow(double slowness);

// False: too many are waiting; try again later. For MATERIAL also when PAL_COMMANDS of them are
// lent: take some back first. Sender only; RT safe.
bool pal_command_send(pal_command_link *link, const pal_servo_command *command);

// What came of the next MATERIAL command, in the order sent; false: nothing new. Sender only.
bool pal_command_take_back(pal_command_link *link, pal_taken *taken);

// False: nothing waits. Servo only. RT safe.
bool pal_command_next(pal_command_link *link, pal_servo_command *command);

// Once per MATERIAL command, with the coefficients that are out of use and the tick; there is
// always room. Servo only. RT safe.
void pal_command_give_back(pal_command_link *link, pal_coefficients *coefficients, uint64_t tick);

#endif
