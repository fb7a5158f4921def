// A ball on a live body, moved by a hand that does not give way: for laws of the step with contact.
#ifndef PAL_TESTS_TOUCH_BENCH_H
#define PAL_TESTS_TOUCH_BENCH_H

#include "haptics/live_tree.h"

#define TOUCH_DT     1e-3 // s
#define TOUCH_RADIUS 5e-3 // m

typedef struct touch_bench {
    pal_live_body live;
    pal_world *world;
    pal_tool tool;
    bool grasp; // the button is down
    double load[PAL_MAX_R];
} touch_bench;

// stiffness: N/m that the hand may meet. A ball of TOUCH_RADIUS.
void touch_bench_open(touch_bench *b, const pal_model *model, double stiffness);
// Another ball; `feature`: how fine a tool the surface is sampled for.
void touch_bench_open_ball(touch_bench *b, const pal_model *model, double stiffness, double radius,
                           double feature);
// On a tree of domains.
void touch_bench_open_tree(touch_bench *b, const pal_tree_model *model, pal_inertia inertia,
                           double stiffness, double radius);
void touch_bench_close(touch_bench *b);

// One tick with the hand at x, y, z.
pal_outcome touch_bench_go(touch_bench *b, double x, double y, double z);

// From where it is straight to x, y, z in so many ticks; then it waits.
void touch_bench_travel(touch_bench *b, double x, double y, double z, int ticks, int wait);

#endif
