// The body's time: paused, step by step, in slow motion; and commands that a replay can repeat.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/servo.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"

void setUp(void) {
}
void tearDown(void) {
}

static live_block block;

static void open_press(void) {
    pal_sim_options sim;
    live_block_sim(&sim, live_block_press, 3);
    live_block_open(&block, &sim, NULL);
}

static void send(pal_command_kind kind) {
    TEST_ASSERT_TRUE(pal_command_send(&block.servo->link, &(pal_servo_command){.kind = kind}));
}

static pal_tick_record tick_for(int ticks) {
    pal_tick_record record = {0};
    for (int k = 0; k < ticks; k++) {
        record = live_block_tick(&block);
    }
    return record;
}

static const pal_snapshot *latest(void) {
    bool fresh;
    return pal_exchange_latest(&block.servo->exchange, &fresh);
}

static void test_a_single_tick_of_a_paused_body_is_one_step_that_nobody_feels(void) {
    open_press();
    tick_for(450); // going in
    send(PAL_COMMAND_PAUSE);
    tick_for(20);
    const pal_snapshot paused = *latest();
    TEST_ASSERT_TRUE(paused.rate == 0.0);
    TEST_ASSERT_TRUE(paused.hand[0].touching > 0);
    for (int step = 1; step <= 5; step++) {
        pal_snapshot before = *latest();
        tick_for(3);
        TEST_ASSERT_EQUAL_MEMORY(before.q, latest()->q, sizeof before.q);
        send(PAL_COMMAND_TICK);
        pal_tick_record record = tick_for(1);
        TEST_ASSERT_TRUE(memcmp(before.q, latest()->q, sizeof before.q) != 0);
        TEST_ASSERT_TRUE(pal_norm3(record.force) == 0.0 && pal_norm3(record.wanted) == 0.0);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, paused.body_time + 1e-3 * step, latest()->body_time);
    }
    TEST_ASSERT_TRUE(latest()->hand[0].touching > 0); // the tool pressed on in those steps
    send(PAL_COMMAND_RESUME);
    TEST_ASSERT_TRUE(pal_norm3(tick_for(20).wanted) == 0.0); // until it was out
    TEST_ASSERT_TRUE(latest()->rate == 1.0);
    live_block_close(&block);
}

static void test_a_single_tick_does_nothing_to_a_body_that_runs(void) {
    open_press();
    tick_for(10);
    send(PAL_COMMAND_TICK);
    tick_for(10);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.020, latest()->body_time);
    send(PAL_COMMAND_PAUSE);
    tick_for(10);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.020, latest()->body_time);
    live_block_close(&block);
}

// Where a body that was struck is after `ticks`, with time so slow.
static void swing(int slow, int ticks, double q[PAL_MAX_R]) {
    pal_sim_options sim;
    double v[PAL_MAX_R] = {0.02, -0.01, 0.01};
    live_block_sim(&sim, NULL, 0);
    live_block_open(&block, &sim, NULL);
    pal_newmark_set_state(block.body.newmark, NULL, v, NULL);
    send(PAL_COMMAND_SLOW + (unsigned)slow);
    tick_for(ticks);
    memcpy(q, block.body.body.q, (size_t)block.body.body.size * sizeof *q);
    live_block_close(&block);
}

static void test_in_slow_motion_the_body_goes_the_same_way_later(void) {
    double full[PAL_MAX_R] = {0}, half[PAL_MAX_R] = {0}, tenth[PAL_MAX_R] = {0};
    swing(0, 20, full);
    swing(1, 40, half);
    swing(3, 200, tenth);
    // Shorter steps are nearer to the truth, of which the error goes with the square of the step
    const double a = check_relative_difference(full, tenth, 10);
    const double b = check_relative_difference(half, tenth, 10);
    TEST_ASSERT_TRUE_MESSAGE(a < 0.3, "the same way");
    TEST_ASSERT_TRUE_MESSAGE(b < a / 2.5 && b > a / 8.0, "of second order");
}

// What header and help say of slow motion: N^2 times the mass, N times the damping.
static void test_a_slow_body_is_a_heavy_and_damped_one_to_the_hand(void) {
    const pal_model *model = live_block_model();
    const double slow = pal_command_slowness(2);
    pal_err err = {0};
    double *mass = PAL_NEW(double, pal_pairs(model->r), &err);
    for (int32_t i = 0; i < model->r; i++) {
        mass[pal_pair_at(i, i)] = slow * slow;
    }
    void *memory = pal_alloc(pal_newmark_coefficient_bytes(model->r, PAL_DOUBLE), 1, &err);
    pal_tick_record record[2][LIVE_BLOCK_PRESS_TICKS];
    for (int way = 0; way < 2; way++) {
        open_press();
        pal_servo_command heavy = {
            .kind = PAL_COMMAND_MATERIAL,
            .coefficients = pal_newmark_prepare(memory, &model->quartic, mass, PAL_DOUBLE),
            .damps = true,
            .alpha = model->damping_alpha / slow, // times N^2 M is N times as much
            .beta = model->damping_beta * slow};
        if (way == 0) {
            send(PAL_COMMAND_SLOW + 2u);
        } else {
            TEST_ASSERT_TRUE(pal_command_send(&block.servo->link, &heavy));
        }
        for (int k = 0; k < LIVE_BLOCK_PRESS_TICKS; k++) {
            record[way][k] = live_block_tick(&block);
        }
        live_block_close(&block);
    }
    double most = 0.0;
    for (int k = 0; k < LIVE_BLOCK_PRESS_TICKS; k++) {
        double difference[3];
        pal_sub3(record[0][k].force, record[1][k].force, difference);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.0, pal_norm3(difference));
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, record[1][k].kinetic, record[0][k].kinetic);
        most = fmax(most, pal_norm3(record[0][k].force));
    }
    TEST_ASSERT_TRUE(most > 0.2);
    free(mass);
    free(memory);
}

static void test_the_hand_is_safe_at_every_slowness(void) {
    double held[PAL_SLOW_KINDS];
    for (int i = 0; i < PAL_SLOW_KINDS; i++) {
        open_press();
        send(PAL_COMMAND_SLOW + (unsigned)i);
        double last[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < LIVE_BLOCK_PRESS_TICKS + 200; k++) {
            pal_tick_record record = live_block_tick(&block);
            double change[3];
            pal_sub3(record.force, last, change);
            memcpy(last, record.force, sizeof last);
            TEST_ASSERT_TRUE(pal_norm3(record.force) <= 3.3 && pal_norm3(change) <= 0.661);
            held[i] = k == 690 ? pal_norm3(record.force) : held[i];
        }
        TEST_ASSERT_TRUE(block.servo->own.hand[0].passivity.made < 1e-4);
        live_block_close(&block);
    }
    TEST_ASSERT_TRUE(held[0] > 0.2);
    for (int i = 1; i < PAL_SLOW_KINDS; i++) { // slower is heavier: it has given way less
        TEST_ASSERT_TRUE(held[i] > 0.95 * held[i - 1]);
    }
}

static void test_a_command_out_of_turn_waits_for_the_next_tick(void) {
    static const pal_command_kind sent[] = {
        PAL_COMMAND_PAUSE,    PAL_COMMAND_TICK, PAL_COMMAND_TICK, PAL_COMMAND_RESUME,
        PAL_COMMAND_SLOW + 1, PAL_COMMAND_SLOW, PAL_COMMAND_PAUSE};
    static const uint32_t taken[] = {
        1u << PAL_COMMAND_PAUSE | 1u << PAL_COMMAND_TICK,
        1u << PAL_COMMAND_TICK,
        1u << PAL_COMMAND_RESUME | 2u << PAL_COMMAND_SLOW,
        1u << PAL_COMMAND_SLOW,
        1u << PAL_COMMAND_PAUSE,
        0,
    };
    open_press();
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        send(sent[i]);
    }
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) {
        TEST_ASSERT_EQUAL_UINT32(taken[k], live_block_tick(&block).commands);
    }
    TEST_ASSERT_TRUE(block.servo->own.paused);
    live_block_close(&block);
}

// A run under all kinds of commands, and the same by nothing but the bits of its record.
static void test_the_bits_of_a_record_repeat_its_commands(void) {
    enum { TICKS = 900 };
    uint32_t bits[TICKS];
    char hash[2][PAL_HASH_TEXT];
    for (int way = 0; way < 2; way++) {
        pal_hash sum;
        pal_hash_init(&sum);
        open_press();
        for (int k = 0; k < TICKS; k++) {
            if (way == 0 && k % 90 == 50) {
                send(PAL_COMMAND_SLOW + (unsigned)(k / 90 % PAL_SLOW_KINDS));
                send(PAL_COMMAND_PAUSE);
                send(PAL_COMMAND_TICK);
                send(PAL_COMMAND_TICK);
                send(PAL_COMMAND_RESUME);
            } else if (way == 0 && k == 700) {
                send(PAL_COMMAND_RESET);
            }
            for (unsigned kind = PAL_COMMAND_RESET; way == 1 && kind < PAL_COMMAND_KINDS; kind++) {
                if (bits[k] >> kind & 1) {
                    pal_servo_order(block.servo, kind);
                }
            }
            const pal_tick_record record = live_block_tick(&block);
            bits[k] = record.commands;
            pal_trace_hash_record(&sum, &record);
        }
        pal_hash_text(&sum, hash[way]);
        live_block_close(&block);
    }
    TEST_ASSERT_EQUAL_STRING(hash[0], hash[1]);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_single_tick_of_a_paused_body_is_one_step_that_nobody_feels);
    RUN_TEST(test_a_single_tick_does_nothing_to_a_body_that_runs);
    RUN_TEST(test_in_slow_motion_the_body_goes_the_same_way_later);
    RUN_TEST(test_a_slow_body_is_a_heavy_and_damped_one_to_the_hand);
    RUN_TEST(test_the_hand_is_safe_at_every_slowness);
    RUN_TEST(test_a_command_out_of_turn_waits_for_the_next_tick);
    RUN_TEST(test_the_bits_of_a_record_repeat_its_commands);
    return UNITY_END();
}
