// A budget that is cut again and again: the force goes wrong little by little, never at once.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/live_body.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"
#include "tests/support/sanitized.h"
#include "tests/support/sheet.h"
#include "tests/support/touch_bench.h"

typedef touch_bench bench;

typedef struct budget {
    int32_t looks, most, visits;
} budget;

enum { FASTER = SANITIZED_OR(4, 1) }; // the press, under the sanitizers

static const budget full = {4000, PAL_MAX_TOUCHES, 4000};

void setUp(void) {
}
void tearDown(void) {
}

static void set_budget(bench *b, budget given) {
    b->tool.options.look_budget = given.looks;
    b->tool.options.most = given.most;
    b->world->scene.visits = given.visits;
}

static void open_bench(bench *b, const pal_model *model, budget given) {
    touch_bench_open_ball(b, model, 240.0, 8e-3, 4e-3); // sampled finely: many touches
    set_budget(b, given);
}

// Down within 0.4 s to 5 mm below the top, at a place beside the middle, and still there.
static pal_outcome tick(bench *b, int k) {
    const double depth = 5e-3 * fmin(1.0, k / 400.0) - 1e-3 * fmax(0.0, 1.0 - k / 400.0);
    return touch_bench_go(b, 0.033, 0.028, LIVE_BLOCK_TOP + 8e-3 - depth);
}

// The force of the press with this budget, N, over its last part; *spent: ticks that ran out.
static double press(budget given, int *spent) {
    bench b;
    double mean = 0.0;
    open_bench(&b, live_block_local(), given);
    *spent = 0;
    for (int k = 0; k < 900; k += FASTER) {
        const pal_outcome outcome = tick(&b, k);
        TEST_ASSERT_EQUAL_UINT32(0, outcome & PAL_OUT_NAN);
        TEST_ASSERT_TRUE(isfinite(pal_norm3(b.tool.force)));
        *spent += (outcome & PAL_OUT_BUDGET) != 0;
        mean += k >= 700 ? b.tool.force[2] * FASTER / 200.0 : 0.0;
    }
    touch_bench_close(&b);
    return mean;
}

// The error of each halving, from nothing on: none is much smaller than one before, and no step of
// it is a collapse.
static void check_halvings(const char *name, int32_t *what, budget *given, int32_t least) {
    static double whole; // N, of the full budget
    static int spent;
    double worst = 0.0;
    if (whole == 0.0) {
        whole = press(full, &spent);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, spent, name);
    }
    TEST_ASSERT_TRUE(whole > 0.2);
    for (; *what >= least; *what /= SANITIZED_OR(8, 2)) {
        char text[128];
        const double error = fabs(press(*given, &spent) / whole - 1.0);
        snprintf(text, sizeof text, "%s %d: force off by %.2f %%, %d ticks spent", name, *what,
                 100.0 * error, spent);
        printf("%s\n", text);
        TEST_ASSERT_TRUE_MESSAGE(error >= worst - 0.05, text);
        TEST_ASSERT_TRUE_MESSAGE(error < worst + 0.5 && error < 0.9, text);
        TEST_ASSERT_TRUE_MESSAGE(error < 1e-3 || spent > 0, text);
        worst = fmax(worst, error);
    }
}

static void test_fewer_looks_make_the_force_wrong_little_by_little(void) {
    budget given = full;
    check_halvings("looks", &given.looks, &given, 30);
}

static void test_fewer_touches_make_the_force_wrong_little_by_little(void) {
    budget given = full;
    check_halvings("touches", &given.most, &given, 1);
}

static void test_fewer_visits_make_the_force_wrong_little_by_little(void) {
    budget given = full;
    check_halvings("visits", &given.visits, &given, 8);
}

// The shell's level changes in mid-press, there and back.
static void test_a_change_of_level_is_not_felt(void) {
    const pal_model *const models[] = {live_block_model(), live_block_local()};
    for (int m = 0; m < 2; m++) {
        bench b;
        double last = 0.0, most = 0.0;
        int changes = 0, level = -1;
        open_bench(&b, models[m], full);
        for (int k = 0; k < 1200; k++) {
            budget given = full;
            given.looks = k >= 700 && k < 900 ? 150 : full.looks;
            b.tool.memory.valid = b.tool.memory.valid && k != 700 && k != 900; // looks anew
            set_budget(&b, given);
            tick(&b, k);
            if (k > 600) {
                most = fmax(most, fabs(b.tool.felt[2] - last) / last);
                changes += level != b.tool.set.level;
            }
            last = b.tool.felt[2];
            level = b.tool.set.level;
        }
        printf("%d changes of level: largest step %.2f %%\n", changes, 100.0 * most);
        TEST_ASSERT_TRUE(changes >= 2);
        TEST_ASSERT_TRUE(most < 0.07);
        touch_bench_close(&b);
    }
}

// However little may be looked at, what was touched is still touched: dents, in which the tool is
// no higher than its surroundings, are not lost in cells that are wider than the tool.
static void test_contact_is_not_lost_when_the_budget_is_cut(void) {
    static const int32_t cuts[] = {62, 30};
    const pal_model *const models[] = {live_block_model(), live_block_local()};
    for (int m = SANITIZED_OR(2, 0); m < 4; m++) {
        bench b;
        double last = 0.0, most = 0.0, least = INFINITY;
        open_bench(&b, models[m % 2], full);
        for (int k = 0; k < 1000; k++) {
            budget given = full;
            given.looks = k >= 700 && k < 900 ? cuts[m / 2] : full.looks;
            set_budget(&b, given);
            tick(&b, k);
            most = k > 600 ? fmax(most, fabs(b.tool.felt[2] - last) / last) : 0.0;
            least = k > 600 ? fmin(least, b.tool.force[2]) : INFINITY;
            last = b.tool.felt[2];
        }
        printf("%d looks: force at least %.3f N, largest step %.2f %%\n", cuts[m / 2], least,
               100.0 * most);
        TEST_ASSERT_TRUE(least > 0.5 * last && most < 0.1);
        touch_bench_close(&b);
    }
}

// The rim of a thin sheet is narrower than the coarse cells, which do not see it.
static void test_a_narrow_part_is_touched_with_few_touches(void) {
    sheet on;
    sheet_open(&on, sheet_model(false), 1.5e-3, 0.0, 240.0);
    for (int32_t most = PAL_MAX_TOUCHES; most > 2; most /= 2) {
        pal_pose goal = PAL_POSE_IDENTITY;
        on.tool.options.most = most;
        sheet_reset(&on);
        for (int k = 0; k < 200; k++) {
            goal.x[0] = SHEET_SIDE + 2e-3 - 1e-4 * fmin(k, 50);
            goal.x[1] = 0.6 * SHEET_SIDE + 2e-5 * k;
            goal.x[2] = 0.5 * SHEET_THICK;
            sheet_go(&on, &goal);
            TEST_ASSERT_TRUE(k < 10 || (on.tool.set.count > 0 && on.tool.set.count <= most &&
                                        on.tool.force[0] > 0.0));
        }
        printf("%d touches at the most: %.3f N\n", most, on.tool.force[0]);
        TEST_ASSERT_TRUE(on.tool.force[0] > 0.5);
    }
    sheet_close(&on);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_fewer_looks_make_the_force_wrong_little_by_little);
    RUN_TEST(test_fewer_touches_make_the_force_wrong_little_by_little);
    RUN_TEST(test_fewer_visits_make_the_force_wrong_little_by_little);
    RUN_TEST(test_a_change_of_level_is_not_felt);
    RUN_TEST(test_contact_is_not_lost_when_the_budget_is_cut);
    RUN_TEST(test_a_narrow_part_is_touched_with_few_touches);
    return UNITY_END();
}
