// An X server of our own, without a screen, for tests of windows.
#ifndef PAL_TESTS_DISPLAY_H
#define PAL_TESTS_DISPLAY_H

#include <sys/types.h>

// Starts Xvfb (package xvfb) on a free number with a screen of this size and puts it into DISPLAY.
// Returns its process; fails the test when it does not come up.
pid_t display_start(int width, int height);

// Ends it at once, as a crash would, and waits for that.
void display_kill(pid_t server);

#endif
