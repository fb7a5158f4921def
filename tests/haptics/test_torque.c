// What is true of the torque on its way to the hand: coupling, ledger, safety, and the whole tick.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "devices/dev_replay.h"
#include "sim/base/pose.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"
#include "tests/support/random.h"

void setUp(void) {
}
void tearDown(void) {
}

static const double dt = 1e-3;
static const double lying[3] = {0.0, 1.5707963267948966, 0.0};

static const pal_device_limits *profile(const char *name) {
    return pal_device_profile(name);
}

// ---- coupling

static void test_a_device_without_torque_gets_none(void) {
    const pal_tool tool = {.options.turn_stiffness = 0.5, .felt_torque = {0.05, -0.02, 0.1}};
    const double spin[3] = {1.0, 2.0, 3.0};
    for (int i = 0; pal_device_profile_at(i) != NULL; i++) {
        pal_coupling coupling;
        double torque[3];
        pal_coupling_init(&coupling, pal_device_profile_at(i), dt, 0.0);
        pal_coupling_torque(&coupling, &tool, spin, torque);
        TEST_ASSERT_TRUE((pal_norm3(torque) > 0.0) == (pal_device_profile_at(i)->max_torque > 0.0));
    }
}

static void test_the_torque_is_damped_by_the_hold_and_saturates_smoothly(void) {
    pal_coupling coupling;
    pal_coupling_init(&coupling, profile("premium"), dt, 0.0);
    pal_tool tool = {.turn_stiffness = 0.5, .felt_torque = {0.0, 0.0, 0.05}};
    const double against[3] = {5.0, 0.0, -2.0};
    double torque[3];
    pal_coupling_torque(&coupling, &tool, against, torque);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.05 + 0.5 * 0.5e-3 * 2.0, torque[2]);
    TEST_ASSERT_TRUE(torque[0] == 0.0);
    tool.felt_torque[2] = 10.0;
    pal_coupling_torque(&coupling, &tool, (double[3]){0.0}, torque);
    TEST_ASSERT_TRUE(torque[2] <= 0.188 && torque[2] > 0.18);
}

// ---- the ledger

// A torque that pulls the hand along makes energy; one that holds it back stores it.
static void test_the_ledger_counts_the_work_of_the_torque(void) {
    for (int sign = -1; sign <= 1; sign += 2) {
        pal_passivity passivity;
        pal_passivity_init(&passivity, profile("premium"), dt, 0.0, false);
        pal_device_state state = {.present = true};
        for (int k = 0; k <= 100; k++) {
            const double angle[3] = {0.0, 0.01 * k, 0.0};
            double force[3] = {0.0}, torque[3] = {0.0, sign * 0.1, 0.0};
            pal_turn_of_vector(angle, state.turn);
            pal_passivity_apply(&passivity, &state, force, torque);
            pal_passivity_sent(&passivity, force, torque);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, -sign * 0.1 * 1.0, passivity.energy);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, sign > 0 ? 0.1 : 0.0, passivity.made);
    }
}

// A debt is paid back by damping what turns as well as what moves.
static void test_a_debt_damps_the_turning(void) {
    pal_device_limits limits = *profile("sigma");
    limits.resolution = limits.turn_resolution = 0.0;
    pal_passivity passivity;
    pal_passivity_init(&passivity, &limits, dt, 0.0, true);
    const pal_device_state state = {.turn = {1.0}, .spin = {0.0, 0.0, 4.0}, .present = true};
    double force[3] = {0.0}, torque[3] = {0.0, 0.0, 0.1};
    passivity.energy = -1e-3;
    TEST_ASSERT_EQUAL_UINT32(PAL_OUT_PASSIVITY,
                             pal_passivity_apply(&passivity, &state, force, torque));
    TEST_ASSERT_TRUE(torque[2] < 0.1 && pal_norm3(force) == 0.0);
    // not above inertia / (2 T)
    TEST_ASSERT_TRUE(0.1 - torque[2] <= 0.5 * limits.inertia / dt * 4.0 * (1.0 + 1e-12));
    // but what the other hands have put in is no debt
    double again[3] = {0.0, 0.0, 0.1};
    passivity.others = 2e-3;
    TEST_ASSERT_EQUAL_UINT32(0, pal_passivity_apply(&passivity, &state, force, again));
    TEST_ASSERT_TRUE(again[2] == 0.1);
}

// ---- safety

// Force and torque at random, huge and broken ones among them.
static void test_what_is_sent_is_bounded_and_slow_whatever_comes_in(void) {
    test_random random = {3};
    pal_safety_options options;
    pal_safety safety;
    pal_safety_defaults(&options, profile("premium"));
    options.ramp_seconds = 0.01;
    pal_safety_init(&safety, &options, dt);
    pal_device_state state = {.present = true};
    double last[2][3] = {{0.0}};
    for (int k = 0; k < 20000; k++) {
        double force[3], torque[3], change[3];
        random_fill(&random, pow(10.0, 3.0 * random_number(&random)), force, 3);
        random_fill(&random, pow(10.0, 3.0 * random_number(&random)), torque, 3);
        const bool broken = random_share(&random) < 0.01;
        torque[1] = broken ? NAN : torque[1];
        state.sequence += random_share(&random) < 0.9;
        state.spin[0] = random_share(&random) < 0.01 ? 1000.0 : 0.0;
        const pal_outcome outcome = pal_safety_apply(&safety, &state, 0, force, torque);
        TEST_ASSERT_TRUE(!broken || outcome & PAL_OUT_NAN);
        TEST_ASSERT_TRUE(state.spin[0] == 0.0 || outcome & PAL_OUT_OVERSPEED);
        TEST_ASSERT_TRUE(pal_norm3(force) <= options.max_force * (1.0 + 1e-12));
        TEST_ASSERT_TRUE(pal_norm3(torque) <= options.max_torque * (1.0 + 1e-12));
        pal_sub3(torque, last[1], change);
        TEST_ASSERT_TRUE(pal_norm3(change) <= options.max_turn_slew * dt * (1.0 + 1e-9));
        pal_sub3(force, last[0], change);
        TEST_ASSERT_TRUE(pal_norm3(change) <= options.max_slew * dt * (1.0 + 1e-9));
        memcpy(last[0], force, sizeof force);
        memcpy(last[1], torque, sizeof torque);
        if (safety.latched) {
            pal_safety_rearm(&safety);
        }
    }
}

// What is wrong with one cuts the other, too; the ramp waits for both.
static void test_force_and_torque_are_cut_and_ramped_together(void) {
    pal_safety_options options;
    pal_safety safety;
    pal_safety_defaults(&options, profile("premium"));
    options.max_slew = options.max_turn_slew = 1e9;
    pal_safety_init(&safety, &options, dt);
    pal_device_state state = {.present = true};
    double force[3] = {0.0}, torque[3] = {0.1, 0.0, 0.0};
    state.sequence++;
    pal_safety_apply(&safety, &state, 0, force, torque);
    TEST_ASSERT_TRUE(!safety.armed && pal_norm3(torque) == 0.0); // it begins with a large torque
    for (int k = 0; k < 300; k++) {
        double f[3] = {1.0, 0.0, 0.0}, t[3] = {0.0, 0.1, 0.0};
        const double begin = k == 0 ? 0.0 : 1.0;
        f[0] *= begin;
        t[1] *= begin;
        state.sequence++;
        pal_safety_apply(&safety, &state, 0, f, t);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, begin * safety.ramp, f[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.1 * begin * safety.ramp, t[1]);
    }
    double f[3] = {NAN, 0.0, 0.0}, t[3] = {0.0, 0.1, 0.0};
    state.sequence++;
    TEST_ASSERT_TRUE(pal_safety_apply(&safety, &state, 0, f, t) & PAL_OUT_NAN);
    TEST_ASSERT_TRUE(pal_norm3(f) == 0.0 && pal_norm3(t) == 0.0);
    state.present = false;
    TEST_ASSERT_TRUE(pal_safety_apply(&safety, &state, 0, f, t) & PAL_OUT_DEVICE_LOST);
    TEST_ASSERT_TRUE(safety.latched);
}

// ---- the whole tick

typedef struct rig {
    pal_live_body body;
    pal_device device;
    pal_servo *servo;
} rig;

// A stylus that lies over the block, with its tip beside it, in a hand that comes down.
static void open_rig(rig *r, const char *name) {
    static const pal_intent press[] = {
        {.kind = PAL_INTENT_PRESS, .seconds = 0.5, .to = {-0.02, 0.03, LIVE_BLOCK_TOP + 0.002}},
        {.kind = PAL_INTENT_HOLD, .seconds = 0.5},
        {.kind = PAL_INTENT_RELEASE, .seconds = 0.5},
    };
    pal_err err = {0};
    pal_sim_options sim;
    pal_servo_options options;
    pal_sim_defaults(&sim, profile(name));
    sim.friction = 0.0;
    sim.intent = press;
    sim.intent_count = 3;
    memcpy(sim.start, (double[3]){-0.02, 0.03, LIVE_BLOCK_TOP + 0.02}, sizeof sim.start);
    memcpy(sim.start_turn, lying, sizeof lying);
    memset(r, 0, sizeof *r);
    CHECK_OK(pal_device_open_sim(&r->device, &sim, &err), err);
    pal_servo_defaults(&options, &r->device.limits);
    CHECK_OK(pal_shape_capsule(&options.tool[0].shape, 5e-3, 0.1, &err), err);
    const pal_live_options how = {.dt = dt, .feature = 5e-3};
    CHECK_OK(pal_live_body_open(&r->body, live_block_model(), &how, &err), err);
    CHECK_OK(pal_servo_open(&r->servo, &options, &r->device, &r->body, &err), err);
}

static void close_rig(rig *r) {
    pal_servo_close(r->servo);
    pal_device_close(&r->device);
    pal_live_body_close(&r->body);
}

static pal_tick_record tick(rig *r) {
    pal_tick_record record = {0};
    pal_servo_tick(r->servo, 0, 0.0);
    TEST_ASSERT_TRUE(pal_ring_get(&r->servo->log, &record));
    return record;
}

// The device with torques turns the hand away from the block; those without turn with the hand.
static void test_a_press_off_the_tip_turns_the_hand_that_can_feel_it(void) {
    static const char *const names[] = {"premium", "sigma", "touch", "omega"};
    for (int i = 0; i < 4; i++) {
        rig r;
        open_rig(&r, names[i]);
        const bool makes = r.device.limits.max_torque > 0.0;
        double most = 0.0, still[4], turned[3];
        pal_turn_of_vector(lying, still);
        for (int k = 0; k < 950; k++) {
            const pal_tick_record record = tick(&r);
            TEST_ASSERT_EQUAL_UINT32(0, record.outcome & (PAL_OUT_NAN | PAL_OUT_CLAMPED));
            TEST_ASSERT_TRUE(pal_norm3(record.torque) <= r.device.limits.max_torque);
            most = fmax(most, pal_norm3(record.torque));
            if (record.touching == 0) {
                TEST_ASSERT_TRUE(pal_norm3(record.torque) == 0.0);
            }
        }
        const pal_servo_hand *hand = &r.servo->own.hand[0];
        TEST_ASSERT_TRUE(r.servo->own.counters.max_torque == most);
        TEST_ASSERT_TRUE(makes == (most > 1e-3));
        if (makes) {
            pal_turn_between(still, hand->state.turn, turned);
            TEST_ASSERT_TRUE(hand->torque[1] < -1e-3 && turned[1] < -1e-3);
            for (int k = 950; k < 1800; k++) {
                tick(&r);
            }
            TEST_ASSERT_TRUE(pal_norm3(hand->torque) == 0.0);
            TEST_ASSERT_TRUE(hand->passivity.made < 1e-4); // J
        } else if (r.device.limits.senses_turn) {
            for (int c = 0; c < 4; c++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-3, still[c], hand->state.turn[c]);
            }
        }
        close_rig(&r);
    }
}

// A hold is quiet: no trembling between torque, hand and block.
static void test_a_held_press_with_torque_is_still(void) {
    rig r;
    open_rig(&r, "premium");
    double sum[2] = {0.0}, square[2] = {0.0};
    enum { FROM = 800, TICKS = 190 };
    for (int k = 0; k < FROM + TICKS; k++) {
        const pal_tick_record record = tick(&r);
        const double value[2] = {record.force[2], record.torque[1]};
        for (int i = 0; k >= FROM && i < 2; i++) {
            sum[i] += value[i];
            square[i] += value[i] * value[i];
        }
    }
    for (int i = 0; i < 2; i++) {
        const double mean = sum[i] / TICKS;
        TEST_ASSERT_TRUE(sqrt(fabs(square[i] / TICKS - mean * mean)) < 0.03 * fabs(mean));
    }
    close_rig(&r);
}

static void test_a_reading_of_no_number_or_no_rotation_is_not_taken(void) {
    pal_device_state state[40];
    pal_err err = {0};
    pal_device device;
    pal_servo_options options;
    pal_servo *servo;
    pal_live_body body;
    const pal_live_options how = {.dt = dt, .feature = 5e-3};
    for (int k = 0; k < 40; k++) {
        state[k] = (pal_device_state){.position = {0.0, 0.0, 0.1},
                                      .turn = {0.7, 0.0, 0.0, 0.7}, // not quite of length 1
                                      .sequence = (uint64_t)k + 1,
                                      .present = true};
    }
    memset(state[10].turn, 0, sizeof state[10].turn); // a turn of 90 degrees within a tick
    state[15].turn[0] = 2.0;
    state[20].turn[2] = NAN;
    state[21].spin[0] = INFINITY;
    CHECK_OK(pal_device_open_replay(&device, profile("premium"), state, 40, &err), err);
    CHECK_OK(pal_live_body_open(&body, live_block_model(), &how, &err), err);
    pal_servo_defaults(&options, &device.limits);
    CHECK_OK(pal_servo_open(&servo, &options, &device, &body, &err), err);
    for (int k = 0; k < 40; k++) {
        pal_tick_record record;
        pal_servo_tick(servo, 0, 0.0);
        TEST_ASSERT_TRUE(pal_ring_get(&servo->log, &record));
        TEST_ASSERT_TRUE(((record.outcome & PAL_OUT_IMPLAUSIBLE) != 0) ==
                         (k == 10 || k == 15 || k == 20 || k == 21));
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, sqrt(0.5), record.turn[0]);
    }
    pal_servo_close(servo);
    pal_live_body_close(&body);
    pal_device_close(&device);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_device_without_torque_gets_none);
    RUN_TEST(test_the_torque_is_damped_by_the_hold_and_saturates_smoothly);
    RUN_TEST(test_the_ledger_counts_the_work_of_the_torque);
    RUN_TEST(test_a_debt_damps_the_turning);
    RUN_TEST(test_what_is_sent_is_bounded_and_slow_whatever_comes_in);
    RUN_TEST(test_force_and_torque_are_cut_and_ramped_together);
    RUN_TEST(test_a_press_off_the_tip_turns_the_hand_that_can_feel_it);
    RUN_TEST(test_a_held_press_with_torque_is_still);
    RUN_TEST(test_a_reading_of_no_number_or_no_rotation_is_not_taken);
    return UNITY_END();
}
