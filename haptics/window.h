// Velocity from readings that come in steps of an encoder: the slope over the longest window of
// ticks in which a straight line passes all readings within one step [JHC00]. Over many ticks when
// the hand is slow, so that a single step makes no jump; over few when it turns, so that it is not
// late. All RT safe.
#ifndef PAL_HAPTICS_WINDOW_H
#define PAL_HAPTICS_WINDOW_H

enum { PAL_WINDOW = 16 }; // ticks, at most

typedef struct pal_window {
    double step; // m, of the encoder
    int count;   // readings kept
    int newest;
    double position[PAL_WINDOW + 1][3]; // m, a ring
} pal_window;

void pal_window_init(pal_window *window, double step);

// The reading of a tick.
void pal_window_add(pal_window *window, const double position[3]);

// m/s; 0 before the second reading. dt: s, of a tick.
void pal_window_velocity(const pal_window *window, double dt, double velocity[3]);

#endif
