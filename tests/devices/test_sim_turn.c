// Laws of the simulated hand and device in their turning.
#include <math.h>
#include <string.h>

#include "sim/base/pose.h"
#include "tests/support/check.h"
#include "tests/support/sim_device.h"

void setUp(void) {
}
void tearDown(void) {
}

static const double no_force[3] = {0.0, 0.0, 0.0};
static const double lever = 0.03; // m, at which the hand's springs turn the device

// A profile in a firm grip, with exact readings of its turn.
static pal_sim_options options_of(const char *profile) {
    pal_sim_options options;
    pal_sim_defaults(&options, pal_device_profile(profile));
    options.limits.turn_resolution = 0.0;
    return options;
}

static void check_turn(const double expected[4], const double turn[4], double within) {
    double off[3];
    pal_turn_between(expected, turn, off);
    TEST_ASSERT_DOUBLE_WITHIN(within, 0.0, pal_norm3(off));
}

static void test_nothing_turns_by_itself(void) {
    for (int i = 0; pal_device_profile_at(i) != NULL; i++) {
        pal_sim_options options;
        pal_sim_defaults(&options, pal_device_profile_at(i));
        const pal_intent away = {.kind = PAL_INTENT_MOVE, .to = {0.05, 0.02, 0.0}, .seconds = 0.2};
        options.intent = &away;
        options.intent_count = 1;
        pal_device device = sim_open(&options);
        sim_pass(&device, 300);
        const pal_device_state state = sim_read(&device);
        TEST_ASSERT_TRUE(state.turn[0] == 1.0 && pal_norm3(state.turn + 1) == 0.0);
        TEST_ASSERT_TRUE(pal_norm3(state.spin) == 0.0);
        pal_device_close(&device);
    }
}

// Any turns after each other, from any start: the device ends as the hand was told to.
static void test_the_device_turns_with_the_hand_to_what_it_intends(void) {
    pal_sim_options options = options_of("touch"); // which makes no torque
    const pal_intent intent[] = {
        {.kind = PAL_INTENT_HOLD, .seconds = 0.5, .turned = true, .turn = {0.4, -0.9, 0.3}},
        {.kind = PAL_INTENT_HOLD, .seconds = 0.2},
        {.kind = PAL_INTENT_MOVE,
         .to = {0.01, 0.0, 0.0},
         .seconds = 0.8,
         .turned = true,
         .turn = {-1.5, 0.2, 2.0}},
    };
    options.start_turn[2] = 0.7;
    options.intent = intent;
    options.intent_count = 3;
    pal_device device = sim_open(&options);
    double expected[4];
    pal_turn_of_vector(options.start_turn, expected);
    check_turn(expected, sim_read(&device).turn, 1e-12);
    for (int i = 0; i < 3; i += 2) {
        sim_pass(&device, i == 0 ? 690 : 3000);
        pal_turn_of_vector(intent[i].turn, expected);
        check_turn(expected, sim_read(&device).turn, i == 0 ? 2e-3 : 1e-6);
    }
    pal_device_close(&device);
}

// About one axis turning is what moving is along one: the same springs at a lever.
static void test_a_turn_about_one_axis_is_a_move_along_one(void) {
    pal_sim_options along = options_of("premium"), about = along;
    const pal_intent move = {.kind = PAL_INTENT_MOVE, .to = {0.0, 0.0, 0.5}, .seconds = 0.3};
    const pal_intent turn = {
        .kind = PAL_INTENT_HOLD, .seconds = 0.3, .turned = true, .turn = {0.0, 0.0, 0.5}};
    along.friction = 0.0;
    along.limits.resolution = 0.0;
    about.limits.inertia = lever * lever * along.limits.mass;
    along.intent = &move;
    about.intent = &turn;
    along.intent_count = about.intent_count = 1;
    pal_device a = sim_open(&along), b = sim_open(&about);
    for (int k = 0; k < 600; k++) {
        const double push[3] = {0.0, 0.0, k > 100 ? 0.1 : 0.0};
        const double twist[3] = {0.0, 0.0, push[2] * lever * lever};
        a.functions->write(&a, push, no_force);
        b.functions->write(&b, no_force, twist);
        sim_pass(&a, 1);
        sim_pass(&b, 1);
        double angle[3];
        pal_turn_to_vector(sim_truth(&b).turn, angle);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, sim_truth(&a).position[2], angle[2]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-7, sim_truth(&a).velocity[2], sim_truth(&b).spin[2]);
    }
    pal_device_close(&a);
    pal_device_close(&b);
}

// Two springs, grip and arm, give way to a torque in series, however the hand is turned.
static void test_a_torque_turns_the_hand_by_its_springs(void) {
    const double torque[3] = {0.01, -0.03, 0.02};
    for (int i = 0; i < 2; i++) {
        pal_sim_options options = options_of("premium");
        double expected[4], by[3];
        options.start_turn[0] = i * 1.2;
        pal_device device = sim_open(&options);
        for (int k = 0; k < 2000; k++) {
            device.functions->write(&device, no_force, torque);
            sim_pass(&device, 1);
        }
        pal_turn_of_vector(options.start_turn, expected);
        pal_turn_between(expected, sim_read(&device).turn, by);
        const double soft = (1.0 / options.hand.k_g + 1.0 / options.hand.k_h) / (lever * lever);
        for (int c = 0; c < 3; c++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, soft * torque[c], by[c]);
        }
        pal_device_close(&device);
    }
}

static void test_torques_are_cut_by_magnitude_and_what_is_no_number_is_none(void) {
    pal_sim_options options = options_of("sigma");
    pal_device device = sim_open(&options);
    device.functions->write(&device, no_force, (double[3]){3.0, 0.0, -4.0});
    sim_pass(&device, 1);
    const pal_sim_truth cut = sim_truth(&device);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2, pal_norm3(cut.torque));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.12, cut.torque[0]);
    device.functions->write(&device, no_force, (double[3]){NAN, 0.0, 0.1});
    sim_pass(&device, 1);
    TEST_ASSERT_TRUE(pal_norm3(sim_truth(&device).torque) == 0.0);
    pal_device_close(&device);
}

static void test_a_device_without_torque_is_not_turned_by_one(void) {
    for (int i = 0; pal_device_profile_at(i) != NULL; i++) {
        pal_sim_options options;
        pal_sim_defaults(&options, pal_device_profile_at(i));
        pal_device device = sim_open(&options);
        for (int k = 0; k < 100; k++) {
            device.functions->write(&device, no_force, (double[3]){0.1, 0.0, 0.0});
            sim_pass(&device, 1);
        }
        const bool makes = options.limits.max_torque > 0.0;
        TEST_ASSERT_TRUE(makes == (sim_read(&device).turn[1] != 0.0));
        pal_device_close(&device);
    }
}

// The spin that is read, summed up, is the turn; and readings come in the encoder's steps.
static void test_the_readings_of_turn_and_spin_belong_together(void) {
    pal_sim_options options = options_of("touchx");
    const pal_intent turn = {
        .kind = PAL_INTENT_HOLD, .seconds = 0.4, .turned = true, .turn = {0.0, 1.0, 0.0}};
    options.limits.turn_resolution = 1e-3;
    options.intent = &turn;
    options.intent_count = 1;
    pal_device device = sim_open(&options);
    double sum = 0.0, most = 0.0;
    for (int k = 0; k < 1000; k++) {
        sim_pass(&device, 1);
        const pal_device_state state = sim_read(&device);
        double vector[3];
        pal_turn_to_vector(state.turn, vector);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, round(vector[1] / 1e-3), vector[1] / 1e-3);
        sum += SIM_TICK * state.spin[1];
        most = fmax(most, state.spin[1]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 1.0, sum);
    TEST_ASSERT_DOUBLE_WITHIN(0.2 * 4.69, 4.69, most); // 1.875 of the mean
    pal_device_close(&device);
}

// It turns, and does not tell.
static void test_a_device_that_senses_no_turn_reads_none(void) {
    pal_sim_options options = options_of("omega");
    const pal_intent turn = {
        .kind = PAL_INTENT_HOLD, .seconds = 0.2, .turned = true, .turn = {1.0, 0.0, 0.0}};
    options.intent = &turn;
    options.intent_count = 1;
    pal_device device = sim_open(&options);
    sim_pass(&device, 500);
    TEST_ASSERT_TRUE(sim_read(&device).turn[0] == 1.0 && sim_read(&device).spin[0] == 0.0);
    TEST_ASSERT_TRUE(sim_truth(&device).turn[1] > 0.4);
    pal_device_close(&device);
}

static void test_a_turn_that_is_no_number_is_refused(void) {
    pal_sim_options options = options_of("premium");
    pal_device device;
    pal_err err = {0};
    const pal_intent turn = {
        .kind = PAL_INTENT_HOLD, .seconds = 0.2, .turned = true, .turn = {NAN, 0.0, 0.0}};
    options.intent = &turn;
    options.intent_count = 1;
    pal_status status = pal_device_open_sim(&device, &options, &err);
    CHECK_FAILS(PAL_ERR_USAGE, "intent 0 (hold): a number is not finite", status, err);
    options.intent_count = 0;
    options.start_turn[0] = INFINITY;
    status = pal_device_open_sim(&device, &options, &err);
    CHECK_FAILS(PAL_ERR_USAGE, "its start is not finite", status, err);
    options.start_turn[0] = 0.0;
    options.limits.max_torque = -1.0;
    status = pal_device_open_sim(&device, &options, &err);
    CHECK_FAILS(PAL_ERR_USAGE, "max_torque is -1", status, err);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_nothing_turns_by_itself);
    RUN_TEST(test_the_device_turns_with_the_hand_to_what_it_intends);
    RUN_TEST(test_a_turn_about_one_axis_is_a_move_along_one);
    RUN_TEST(test_a_torque_turns_the_hand_by_its_springs);
    RUN_TEST(test_torques_are_cut_by_magnitude_and_what_is_no_number_is_none);
    RUN_TEST(test_a_device_without_torque_is_not_turned_by_one);
    RUN_TEST(test_the_readings_of_turn_and_spin_belong_together);
    RUN_TEST(test_a_device_that_senses_no_turn_reads_none);
    RUN_TEST(test_a_turn_that_is_no_number_is_refused);
    return UNITY_END();
}
