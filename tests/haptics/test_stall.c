// The body stands still in mid-press, as when the thread that moves it hangs: the servo goes on,
// and the hand must not notice more than that something is a little harder.
#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { BEGIN = 250 }; // tick, in the middle of the press

typedef struct press {
    pal_tick_record row[LIVE_BLOCK_PRESS_TICKS];
    double made; // J
} press;

static void run_press(press *p, const pal_model *model, int ticks) {
    live_block block;
    pal_sim_options sim;
    live_block_sim(&sim, live_block_press, 3);
    live_block_open_model(&block, &sim, model, PAL_DOUBLE);
    block.servo->options.stall_count = ticks > 0;
    block.servo->options.stall[0] = (pal_stall){BEGIN, (uint64_t)(BEGIN + ticks)};
    for (int k = 0; k < LIVE_BLOCK_PRESS_TICKS; k++) {
        p->row[k] = live_block_tick(&block);
    }
    p->made = block.servo->own.hand[0].passivity.made;
    live_block_close(&block);
}

static double force(const press *p, int k) {
    return pal_norm3(p->row[k].force);
}

// The just noticeable difference of a force, 7 %, or 20 mN below 0.3 N.
static void check_no_step(const press *p, int first, int last) {
    for (int k = first; k <= last; k++) {
        double change[3];
        pal_sub3(p->row[k].force, p->row[k - 1].force, change);
        TEST_ASSERT_LESS_THAN_DOUBLE(fmax(0.07 * force(p, k), 0.02), pal_norm3(change));
    }
}

static void check_stall(const pal_model *model, int ticks) {
    static press with, without;
    run_press(&without, model, 0);
    run_press(&with, model, ticks);
    const int end = BEGIN + ticks;

    // The same until it begins; then the body does not move, and the force is there all the time
    TEST_ASSERT_TRUE(memcmp(with.row[BEGIN - 1].force, without.row[BEGIN - 1].force,
                            sizeof with.row->force) == 0);
    TEST_ASSERT_GREATER_THAN_DOUBLE(0.1, force(&with, BEGIN - 1));
    for (int k = BEGIN + 1; k < end; k++) {
        TEST_ASSERT_TRUE(with.row[k].strain == with.row[BEGIN].strain);
        TEST_ASSERT_TRUE(with.row[k].kinetic == with.row[BEGIN].kinetic);
        TEST_ASSERT_GREATER_THAN_DOUBLE(0.1, force(&with, k));
    }
    TEST_ASSERT_TRUE(with.row[end + 1].strain != with.row[BEGIN].strain);

    // No step that could be felt, from before it until long after it
    check_no_step(&with, BEGIN - 5, end + 200);

    // In the end it is as if nothing had been
    const int hold = 690;
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * force(&without, hold), force(&without, hold),
                              force(&with, hold));

    // No energy: the hand gets back less than it gave
    double given = 0.0, least = 0.0;
    for (int k = 1; k < LIVE_BLOCK_PRESS_TICKS; k++) {
        double moved[3];
        pal_sub3(with.row[k].position, with.row[k - 1].position, moved);
        given -= pal_dot3(with.row[k - 1].force, moved);
        least = fmin(least, given);
    }
    TEST_ASSERT_GREATER_THAN_DOUBLE(-1e-4, least);
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-4, with.made);
}

static void test_a_stall_of_10_ms_is_not_felt(void) {
    check_stall(live_block_model(), 10);
    check_stall(live_block_local(), 10);
}

static void test_a_stall_of_100_ms_makes_no_step_and_no_energy(void) {
    check_stall(live_block_model(), 100);
    check_stall(live_block_local(), 100);
}

static void test_what_has_no_body_cannot_stall(void) {
    pal_servo_options options;
    pal_servo *servo;
    pal_device device;
    pal_err err;
    pal_device_open_null(&device);
    pal_servo_defaults(&options, pal_device_profile("touch"));
    options.stall_count = 1;
    options.stall[0] = (pal_stall){10, 20};
    CHECK_FAILS(PAL_ERR_USAGE, "stall", pal_servo_open(&servo, &options, &device, NULL, &err), err);
    TEST_ASSERT_NULL(servo);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_stall_of_10_ms_is_not_felt);
    RUN_TEST(test_a_stall_of_100_ms_makes_no_step_and_no_energy);
    RUN_TEST(test_what_has_no_body_cannot_stall);
    return UNITY_END();
}
