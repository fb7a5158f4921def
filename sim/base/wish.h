// What a person wants of a stylus, whatever says it (a mouse, a gamepad, a script): where it should
// be, how it should be turned, and which buttons are down.
#ifndef PAL_BASE_WISH_H
#define PAL_BASE_WISH_H

#include <stdint.h>

#include "sim/base/pose.h"

typedef struct pal_wish {
    pal_pose pose;    // m, in the scene's frame
    uint32_t buttons; // as in devices/device.h: bit 0 is the stylus button
} pal_wish;

#endif
