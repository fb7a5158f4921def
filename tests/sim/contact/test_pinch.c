// Two tools on both sides of a thin sheet that dents: each presses on what the other has dented.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/random.h"
#include "tests/support/sanitized.h"
#include "tests/support/sheet.h"

enum { PINCHES = SANITIZED_OR(4, 200) };

static const double radius = 1.5e-3;

typedef struct pair { // tool 0 comes from above, tool 1 from below
    sheet on;
    pal_tool tool[2];
} pair;

void setUp(void) {
}
void tearDown(void) {
}

static void open_pair(pair *p, double friction) {
    sheet_open(&p->on, sheet_model(true), radius, 0.0, 240.0);
    p->on.tool.options.most = PAL_MAX_TOUCHES / 2;
    p->tool[0] = p->tool[1] = p->on.tool;
    p->on.world->scene.tool = p->tool;
    p->on.world->scene.tool_count = 2;
    p->on.live.law[0].static_friction = p->on.live.law[0].dynamic_friction = friction;
}

static pal_outcome go(pair *p, double x[2][3]) {
    for (int t = 0; t < 2; t++) {
        pal_pose goal = PAL_POSE_IDENTITY;
        memcpy(goal.x, x[t], sizeof goal.x);
        pal_tool_aim(&p->tool[t], &goal, false);
    }
    return pal_step(p->on.world);
}

// A straight way down and a straight way up that end `beyond` the middle, each on its other side.
static void place_hands(double at[2][3], double slope[2][2], double beyond, double x[2][3]) {
    for (int t = 0; t < 2; t++) {
        const double z = t == 0 ? -beyond : beyond;
        x[t][0] = at[t][0] + slope[t][0] * beyond;
        x[t][1] = at[t][1] + slope[t][1] * beyond;
        x[t][2] = at[t][2] + z;
    }
}

// Both hands go on by 8 mm and come back, at up to 1 m/s.
static void test_neither_passes_the_other(void) {
    test_random random = {3};
    pair p;
    long through = 0, lost = 0;
    open_pair(&p, 0.3);
    for (int k = 0; k < PINCHES; k++) {
        double at[2][3], slope[2][2], x[2][3];
        const double speed = 0.5 + 0.5 * random_share(&random);
        for (int c = 0; c < 2; c++) {
            at[0][c] = 0.5 * SHEET_SIDE + 0.3 * SHEET_SIDE * random_number(&random);
            at[1][c] = at[0][c] + 2e-3 * random_number(&random);
        }
        at[0][2] = at[1][2] = 0.5 * SHEET_THICK;
        random_fill(&random, 1.0, &slope[0][0], 4);
        sheet_reset(&p.on);
        const int there = (int)(12e-3 / (1e-3 * speed));
        for (int n = 0; n <= 2 * there; n++) {
            place_hands(at, slope, 1e-3 * speed * (n <= there ? n : 2 * there - n) - 4e-3, x);
            const double push[2] = {pal_norm3(p.tool[0].force), pal_norm3(p.tool[1].force)};
            TEST_ASSERT_EQUAL_UINT32(0, go(&p, x) & PAL_OUT_NAN);
            for (int t = 0; t < 2; t++) {
                lost += push[t] > 0.5 && p.tool[t].set.count == 0;
            }
            for (int t = 0; t < 2 && n % 4 == 0; t++) {
                const int side = sheet_side(&p.on, p.tool[t].pose.x);
                through += side == 2 || side == (t == 0 ? -1 : 1);
            }
        }
    }
    printf("%d pinches: %ld times in or beyond the sheet, %ld times it was lost\n", PINCHES,
           through, lost);
    TEST_ASSERT_TRUE(through == 0 && lost == 0);
    sheet_close(&p.on);
}

// Still hands: what the step leaves of the gaps is what is there at the next tick, so each tool
// knows what the other does to the surface under it.
static void test_each_knows_the_dent_of_the_other(void) {
    static double at[2][3] = {{0.029, 0.031, 0.5 * SHEET_THICK}, {0.030, 0.031, 0.5 * SHEET_THICK}};
    static double slope[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
    pair p;
    int compared = 0;
    double most = 0.0;
    open_pair(&p, 0.0);
    for (int n = 0; n < 900; n++) {
        double x[2][3];
        place_hands(at, slope, 1e-5 * fmin(n, 600) - 4e-3, x);
        const pal_tool before[2] = {p.tool[0], p.tool[1]};
        go(&p, x);
        for (int t = 0; t < 2 && n > 800; t++) {
            const pal_touch_set *set = &p.tool[t].set;
            TEST_ASSERT_EQUAL_INT(before[t].last.count, set->count);
            for (int32_t i = 0; i < set->count; i++) {
                TEST_ASSERT_EQUAL_INT(before[t].last.id[i], set->item[i].id);
                if (pal_norm3(before[t].last.force[i]) > 0.0) {
                    most = fmax(most, fabs(before[t].last.gap[i] - set->item[i].gap));
                    compared++;
                }
            }
        }
    }
    printf("forces %.2f N and %.2f N, dent %.3f mm: gaps off by %.2e m\n", p.tool[0].force[2],
           p.tool[1].force[2], 1e3 * p.on.world->dent.most, most);
    TEST_ASSERT_TRUE(compared > 400 && p.on.world->dent.most > 2e-4);
    TEST_ASSERT_TRUE(most < 5e-6);
    sheet_close(&p.on);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_neither_passes_the_other);
    RUN_TEST(test_each_knows_the_dent_of_the_other);
    return UNITY_END();
}
