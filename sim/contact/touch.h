// Points of contact between one tool and one body, as found in one tick.
#ifndef PAL_CONTACT_TOUCH_H
#define PAL_CONTACT_TOUCH_H

#include <stdbool.h>
#include <stdint.h>

enum { PAL_MAX_TOUCHES = 48 }; // of one tool

typedef struct pal_touch {
    int32_t id;       // of the shell's point: the same at every tick
    int32_t triangle; // of the body's surface
    double weight[3]; // barycentric
    double x[3];      // m, on the deformed surface as it is now, dents included
    double normal[3]; // unit, out of the body into the tool
    double gap;       // m, negative: overlap
    double area;      // m^2 at rest that the point stands for among the points of its level
    bool spread;      // its force is spread over that area
    int32_t deepest;  // triangle where the tool is deepest in its cell, which may be elsewhere
    double deepest_weight[3];
} pal_touch;

typedef struct pal_touch_set {
    int32_t count;
    int32_t level;  // of the shell that the points are taken from
    int32_t looked; // points whose place was computed
    pal_touch item[PAL_MAX_TOUCHES];
} pal_touch_set;

#endif
