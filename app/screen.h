// Standard output and standard error, all that commands print: what is no plain text is shown as an
// escape (sim/base/visible.h), so that a name out of a file gives the terminal no orders, whoever
// prints it. Colours and the cursor of a live line are orders of our own (pal_screen_order).
#ifndef PAL_APP_SCREEN_H
#define PAL_APP_SCREEN_H

// From now on for stdout and stderr of this process. Where it cannot be they stay as they are.
void pal_screen_start(void);

typedef enum pal_screen_order {
    PAL_SCREEN_BOLD,
    PAL_SCREEN_DIM,
    PAL_SCREEN_ALARM,
    PAL_SCREEN_PLAIN, // back to normal
    PAL_SCREEN_BACK,  // to the beginning of the line
    PAL_SCREEN_CLEAR, // the rest of the line
} pal_screen_order;

// What to print for it: behind a key that nobody knows before the program starts.
const char *pal_screen_say(pal_screen_order order);

#endif
