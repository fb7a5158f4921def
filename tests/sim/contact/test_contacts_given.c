// What contact tells a tool of how the body gives way to it (sim/contact/contacts_given.c).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/vecn.h"
#include "tests/support/live_block.h"
#include "tests/support/touch_bench.h"
#include "tests/unity/unity.h"

static touch_bench b;
static const double middle = 0.03, top = LIVE_BLOCK_TOP + TOUCH_RADIUS;

void setUp(void) {
}
void tearDown(void) {
}

// The force on a tool as one on the coordinates, touch by touch.
static void pressed(const pal_tool *tool, double *g) {
    const pal_body *body = &b.live.body;
    memset(g, 0, PAL_MAX_R * sizeof *g);
    for (int32_t k = 0; k < tool->last.count; k++) {
        const pal_touch *touch = &tool->set.item[k];
        for (int i = 0; i < 3; i++) {
            double rows[3][PAL_MAX_R] = {{0.0}};
            body->functions->add_rows(body, pal_body_corner(body, touch->triangle, i),
                                      touch->weight[i], rows[0], PAL_MAX_R);
            for (int a = 0; a < 3; a++) {
                pal_add_scaled(body->size, tool->last.force[k][a], rows[a], g);
            }
        }
    }
}

// Pressed, slid and lifted again, by both forms: the work told is that of the step's forces by how
// far the step has taken what they press on.
static void test_the_work_told_is_that_of_the_step(void) {
    for (int form = 0; form < 2; form++) {
        touch_bench_open(&b, live_block_model(), 600.0);
        b.world->form = form == 0 ? PAL_CONTACT_COMPLIANCE : PAL_CONTACT_PENALTY;
        int told = 0;
        for (int k = 0; k < 400; k++) {
            double before[PAL_MAX_R], g[PAL_MAX_R], law = 0.0, size = 0.0;
            const int32_t r = b.live.body.size;
            memcpy(before, b.live.body.q, (size_t)r * sizeof *before);
            touch_bench_go(&b, middle + 2e-5 * k, middle,
                           top + 1e-3 - 4e-3 * sin(3.14159 * k / 400.0));
            pressed(&b.tool, g);
            for (int32_t l = 0; l < r; l++) {
                law += g[l] * (b.live.body.q[l] - before[l]);
                size += fabs(g[l] * (b.live.body.q[l] - before[l]));
            }
            TEST_ASSERT_DOUBLE_WITHIN(1e-9 * size, law, b.tool.given.work);
            told += law != 0.0;
        }
        TEST_ASSERT_TRUE(told > 200);
        touch_bench_close(&b);
    }
}

// In a step that is held the whole part is known: W_0 of the force is how far it takes the body at
// rest, by its own work.
static void test_the_part_taken_back_is_what_a_lasting_force_adds(void) {
    touch_bench_open(&b, live_block_model(), 600.0);
    touch_bench_go(&b, middle, middle, top + 1e-3);
    touch_bench_travel(&b, middle, middle, top - 5e-4, 600, 3000);
    double g[PAL_MAX_R];
    pressed(&b.tool, g);
    const double square = pal_dot3(b.tool.force, b.tool.force);
    const double lasting = -pal_dot(b.live.body.size, g, b.live.body.q) / square;
    const double part = b.tool.given.part, share = b.tool.given.share;
    TEST_ASSERT_TRUE(part > 0.9 * lasting && part < lasting); // it is hard: C is larger
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * lasting, lasting, part / share);
    touch_bench_close(&b);
}

// The other tool stays where it is by the force that leaves this one the least way, at most its own
// more or less.
static double left_by(const double *own, const double *other) {
    const pal_body *body = &b.live.body;
    double least = INFINITY;
    for (int k = -1000; k <= 1000; k++) {
        double both[PAL_MAX_R], work;
        memcpy(both, own, sizeof both);
        pal_add_scaled(body->size, 1e-3 * k, other, both);
        TEST_ASSERT_TRUE(body->functions->lasting(body, 1, both, PAL_MAX_R, &work));
        least = fmin(least, work);
    }
    return least;
}

// Two balls that press: side by side, or one from above and one from the right.
typedef struct two_balls {
    pal_tool tool[2];
    double from[2][3], into[2][3]; // m: where they just touch; how far they go
    double at[2][3];
    double got, put; // J, by the hands of the body; the most they have put in
} two_balls;

static void open_two(two_balls *p, int way) {
    static const double top_[3] = {0.03, 0.03, LIVE_BLOCK_TOP + TOUCH_RADIUS};
    static const double beside[2][3] = {{0.045, 0.035, LIVE_BLOCK_TOP + TOUCH_RADIUS},
                                        {0.06 + TOUCH_RADIUS, 0.03, 0.02}};
    static const double into[2][3] = {{0.0, 0.0, -1.0}, {-1.0, 0.0, 0.0}};
    touch_bench_open(&b, live_block_model(), 600.0);
    *p = (two_balls){.tool = {b.tool, b.tool}};
    memcpy(p->from[0], top_, sizeof top_);
    memcpy(p->from[1], beside[way], sizeof top_);
    memcpy(p->into[0], into[0], sizeof top_);
    memcpy(p->into[1], into[way], sizeof top_);
    b.world->scene.tool = p->tool;
    b.world->scene.tool_count = 2;
}

static void add_half_work(two_balls *p, double by[2][3]) {
    for (int t = 0; t < 2; t++) {
        p->got += 0.5 * pal_dot3(p->tool[t].felt, by[t]);
    }
}

static void press_two(two_balls *p, const double depth[2]) {
    double by[2][3];
    for (int t = 0; t < 2; t++) {
        pal_pose goal = PAL_POSE_IDENTITY;
        for (int a = 0; a < 3; a++) {
            goal.x[a] = p->from[t][a] + depth[t] * p->into[t][a];
            by[t][a] = goal.x[a] - p->at[t][a];
        }
        pal_tool_aim(&p->tool[t], &goal, false);
        memcpy(p->at[t], goal.x, sizeof goal.x);
    }
    add_half_work(p, by); // half by the force before, half after: without a tick of delay
    TEST_ASSERT_EQUAL_UINT32(0, pal_step(b.world) & PAL_OUT_NAN);
    add_half_work(p, by);
    p->put = fmax(p->put, -p->got);
}

static void test_of_several_tools_each_is_told_what_the_others_leave_it(void) {
    for (int way = 0; way < 2; way++) {
        two_balls p;
        double g[2][PAL_MAX_R];
        open_two(&p, way);
        for (int k = 0; k < 4000; k++) {
            const double depth = -5e-4 + 1e-3 * fmin(1.0, k / 600.0);
            press_two(&p, (double[2]){depth, depth});
        }
        pressed(&p.tool[0], g[0]);
        pressed(&p.tool[1], g[1]);
        for (int t = 0; t < 2; t++) {
            const pal_tool *of = &p.tool[t];
            const double square = pal_dot3(of->force, of->force);
            const double alone = left_by(g[t], (double[PAL_MAX_R]){0.0}) / square;
            const double left = left_by(g[t], g[1 - t]) / square;
            const double taken = pal_dot3(of->back.by, of->force) / square;
            printf("of %.3e m/N %.3e are left: %.3e to be taken back, %.3e are\n", alone, left,
                   of->given.part, taken);
            TEST_ASSERT_TRUE(square > 1e-3 && left < 0.99 * alone);
            TEST_ASSERT_TRUE(of->given.part < left && of->given.part > 0.9 * left);
            TEST_ASSERT_TRUE(of->given.share == p.tool[1 - t].given.share);
            TEST_ASSERT_DOUBLE_WITHIN(0.01 * left, of->given.part, taken);
        }
        touch_bench_close(&b);
    }
}

// How deep a hand is that goes down by `far` in 0.4 s from `start` on, waits, and comes up again.
static double depth_at(double seconds, double far, double start, double wait) {
    const double down = (seconds - start) / 0.4, up = (start + 0.8 + wait - seconds) / 0.4;
    return far * fmax(0.0, fmin(1.0, fmin(down, up))) - 2e-4;
}

// (What is made comes of changes of kappa on the way; it was 11 % when nothing followed while both
// pushed.)
static void check_energy(int way, const double far[2], const double start[2], const double wait[2],
                         double most) {
    two_balls p;
    open_two(&p, way);
    press_two(&p, (double[2]){-1e-3, -1e-3});
    p.got = p.put = 0.0;
    for (int n = 0; n < 3000; n++) {
        const double s = 1e-3 * n;
        press_two(&p, (double[2]){depth_at(s, far[0], start[0], wait[0]),
                                  depth_at(s, far[1], start[1], wait[1])});
    }
    printf("%+.4f mJ made of %.3f\n", 1e3 * p.got, 1e3 * p.put);
    TEST_ASSERT_TRUE(p.put > 3e-4 && p.got < most * p.put);
    touch_bench_close(&b);
}

// One after the other, and up again in any order.
static void test_several_hands_together_get_no_more_than_they_put_in(void) {
    static const double wait[3] = {0.1, 0.5, 1.5};
    for (int way = 0; way < 2; way++) {
        for (int k = 0; k < 9; k++) {
            check_energy(way, (double[2]){2e-3, 2e-3}, (double[2]){0.1, 0.3},
                         (double[2]){wait[k % 3], wait[k / 3]}, 0.02);
        }
    }
}

// A hand that presses deep moves the body into, or away from, a light one that leaves before it.
static void test_a_light_touch_gets_no_more_beside_a_deep_one(void) {
    for (int way = 0; way < 2; way++) {
        for (int deep = 0; deep < 2; deep++) {
            for (int first = 0; first < 2; first++) {
                const double light = 4e-4,
                             far[2] = {deep == 0 ? 2e-3 : light, deep == 1 ? 2e-3 : light};
                const double start[2] = {first == 0 ? 0.1 : 0.6, first == 1 ? 0.1 : 0.6};
                check_energy(way, far, start,
                             (double[2]){deep == 0 ? 1.2 : 0.2, deep == 1 ? 1.2 : 0.2}, 0.04);
            }
        }
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_work_told_is_that_of_the_step);
    RUN_TEST(test_the_part_taken_back_is_what_a_lasting_force_adds);
    RUN_TEST(test_of_several_tools_each_is_told_what_the_others_leave_it);
    RUN_TEST(test_several_hands_together_get_no_more_than_they_put_in);
    RUN_TEST(test_a_light_touch_gets_no_more_beside_a_deep_one);
    return UNITY_END();
}
