// A gamepad as a hand: sticks that are held over move the wished stylus on and on, seen from where
// the camera is. Pure functions; the window reads the pad and posts what comes out (mailbox.h).
//
//     left stick    in the view plane            triggers   away (right) and nearer (left)
//     right stick   turns about the view's vertical and horizontal
//     button 0      the stylus button            button 1   a quarter as fast, while it is down
#ifndef PAL_DEVICES_GAMEPAD_H
#define PAL_DEVICES_GAMEPAD_H

#include "sim/base/wish.h"

enum { PAL_GAMEPAD_STYLUS = 1, PAL_GAMEPAD_PRECISE = 2 };

typedef struct pal_gamepad_state {
    double left[2], right[2]; // sticks: x to the right, y up, -1 to 1
    double trigger[2];        // left and right, 0 to 1
    uint32_t buttons;         // PAL_GAMEPAD_...
} pal_gamepad_state;

typedef struct pal_gamepad_options {
    double dead_zone; // of a stick's way, in which it does nothing
    double speed;     // m/s with the stick all over
    double spin;      // rad/s likewise
} pal_gamepad_options;

// 0.15, 0.12 m/s, 1.5 rad/s.
pal_gamepad_options pal_gamepad_defaults(void);

// A stick without its dead zone, which is a disc: nothing within it, then growing with the square,
// never longer than 1. What is not a number is not held over. Any thread.
void pal_gamepad_shape(const double stick[2], double dead_zone, double out[2]);

// Moves the wish on by dt seconds (more than 0.1 s count as that: a window that hung makes no
// jump). right, up, back: the camera's axes, unit vectors; back points to the eye. Any thread.
void pal_gamepad_step(const pal_gamepad_options *options, const pal_gamepad_state *state,
                      const double right[3], const double up[3], const double back[3], double dt,
                      pal_wish *wish);

#endif
