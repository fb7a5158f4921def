// Tools of any shape on a live body, placed and turned by hands that do not give way: for laws of
// forces and torques.
#ifndef PAL_TESTS_HANDS_BENCH_H
#define PAL_TESTS_HANDS_BENCH_H

#include "haptics/live_body.h"

#define HANDS_DT 1e-3 // s

typedef struct hands_bench {
    pal_live_body live;
    pal_world *world;
    int32_t count;
    pal_tool tool[PAL_MAX_TOOLS];
    pal_pose at[PAL_MAX_TOOLS]; // where each hand has its tool
    double load[PAL_MAX_R];
} hands_bench;

// Options of a capsule, or of a ball when its length is 0, in a hand that may meet this stiffness
// (N/m) and turn stiffness (N m/rad; 0: no torque).
pal_tool_options hands_tool(double radius, double length, double stiffness, double turn_stiffness);

void hands_bench_open(hands_bench *b, const pal_model *model, const pal_tool_options *tool,
                      int32_t count);
void hands_bench_close(hands_bench *b);

// Puts hand h to this place, turned by the vector, at the next step.
void hands_bench_put(hands_bench *b, int32_t h, const double x[3], const double turn[3]);

// One tick. No number may fail.
void hands_bench_step(hands_bench *b);

// Hand h goes to x and turns to the vector `turn` (from the axes of the world, about a fixed axis)
// in so many ticks, then all wait.
void hands_bench_travel(hands_bench *b, int32_t h, const double x[3], const double turn[3],
                        int ticks, int wait);

#endif
