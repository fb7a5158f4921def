// Which way is up: one of the axes, or its opposite. z unless somebody says another. RT safe.
#ifndef PAL_BASE_UP_H
#define PAL_BASE_UP_H

#include <string.h>

typedef enum pal_up {
    PAL_UP_Z,
    PAL_UP_X,
    PAL_UP_Y,
    PAL_UP_MINUS_Z,
    PAL_UP_MINUS_X,
    PAL_UP_MINUS_Y,
    PAL_UP_COUNT
} pal_up;

static inline const char *pal_up_name(pal_up up) {
    static const char *const name[PAL_UP_COUNT] = {"z", "x", "y", "-z", "-x", "-y"};
    return name[up];
}

static inline int pal_up_axis(pal_up up) { // 0 x, 1 y, 2 z
    return ((int)up + 2) % 3;
}

static inline double pal_up_sign(pal_up up) {
    return up < PAL_UP_MINUS_Z ? 1.0 : -1.0;
}

static inline pal_up pal_up_of(int axis, double sign) {
    return (pal_up)((axis + 1) % 3 + (sign < 0.0 ? 3 : 0));
}

// A right-handed frame [3][3]: to the right of one who looks ahead, ahead, and up. The axes
// themselves where z is up; where y is up, ahead is -z.
static inline void pal_up_frame(pal_up up, double frame[3][3]) {
    static const double all[PAL_UP_COUNT][3][3] = {
        [PAL_UP_Z] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        [PAL_UP_X] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
        [PAL_UP_Y] = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}},
        [PAL_UP_MINUS_Z] = {{1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
        [PAL_UP_MINUS_X] = {{0, 1, 0}, {0, 0, -1}, {-1, 0, 0}},
        [PAL_UP_MINUS_Y] = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
    };
    memcpy(frame, all[up], sizeof all[up]);
}

// The coordinates of a vector along that frame's axes: (to the right, ahead, up).
static inline void pal_up_level(pal_up up, const double x[3], double level[3]) {
    double frame[3][3];
    pal_up_frame(up, frame);
    for (int k = 0; k < 3; k++) {
        level[k] = frame[k][0] * x[0] + frame[k][1] * x[1] + frame[k][2] * x[2];
    }
}

// And the vector that has these coordinates.
static inline void pal_up_raise(pal_up up, const double level[3], double x[3]) {
    double frame[3][3];
    pal_up_frame(up, frame);
    for (int c = 0; c < 3; c++) {
        x[c] = frame[0][c] * level[0] + frame[1][c] * level[1] + frame[2][c] * level[2];
    }
}

// The rotation vector [rad] that takes x, y, z to that frame's axes: none where z is up.
static inline void pal_up_turn(pal_up up, double turn[3]) {
    static const double quarter = 1.5707963267948966192;
    static const double third = 1.2091995761561452337; // 120 degrees over the root of 3
    static const double all[PAL_UP_COUNT][3] = {
        [PAL_UP_Z] = {0.0, 0.0, 0.0},
        [PAL_UP_X] = {third, third, third},
        [PAL_UP_Y] = {-quarter, 0.0, 0.0},
        [PAL_UP_MINUS_Z] = {2.0 * quarter, 0.0, 0.0},
        [PAL_UP_MINUS_X] = {-third, -third, third},
        [PAL_UP_MINUS_Y] = {quarter, 0.0, 0.0},
    };
    memcpy(turn, all[up], sizeof all[up]);
}

#endif
