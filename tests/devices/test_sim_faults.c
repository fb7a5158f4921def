#include "devices/dev_sim.h"

#include <math.h>

#include "tests/support/check.h"
#include "tests/support/sim_device.h"

void setUp(void) {
}
void tearDown(void) {
}

// A device that glides at 0.1 m/s along x and y, with one fault; tick k is at x = k * 0.1 mm.
static pal_device glide(pal_fault fault) {
    pal_sim_options options = sim_alone();
    options.start_velocity[0] = options.start_velocity[1] = 0.1;
    options.fault = &fault;
    options.fault_count = 1;
    return sim_open(&options);
}

static void check_place(double expected_tick, double x) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, expected_tick * 0.1e-3, x);
}

static void test_an_unplugged_device_is_absent_frozen_and_limp(void) {
    pal_device device = glide((pal_fault){.kind = PAL_FAULT_UNPLUG, .at = 0.05});
    for (int k = 0; k < 100; k++) {
        pal_device_state state = sim_read(&device);
        int last = k < 50 ? k : 49;
        TEST_ASSERT_EQUAL_INT(k < 50, state.present);
        TEST_ASSERT_EQUAL_UINT64(last + 1, state.sequence);
        check_place(last, state.position[0]);
        device.functions->write(&device, (double[3]){0.0, 0.0, 1.0}, NULL);
        sim_pass(&device, 1);
        TEST_ASSERT_TRUE(sim_truth(&device).force[2] == (k < 50 ? 1.0 : 0.0));
    }
    pal_device_close(&device);
}

static void test_in_a_dropout_the_sequence_stands_still(void) {
    pal_device device = glide((pal_fault){.kind = PAL_FAULT_DROPOUT, .at = 0.02, .seconds = 0.01});
    for (int k = 0; k < 50; k++) {
        pal_device_state state = sim_read(&device);
        bool lost = k >= 20 && k < 30;
        TEST_ASSERT_TRUE(state.present);
        TEST_ASSERT_EQUAL_UINT64(k < 20 ? k + 1 : lost ? 20 : k - 9, state.sequence);
        check_place(lost ? 19 : k, state.position[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.1, state.velocity[0]);
        sim_pass(&device, 1);
    }
    pal_device_close(&device);
}

static void test_a_stuck_encoder_stands_still_while_the_others_go_on(void) {
    pal_device device =
        glide((pal_fault){.kind = PAL_FAULT_STUCK, .at = 0.02, .seconds = 0.01, .axis = 1});
    for (int k = 0; k < 50; k++) {
        pal_device_state state = sim_read(&device);
        bool stuck = k >= 20 && k < 30;
        TEST_ASSERT_EQUAL_UINT64(k + 1, state.sequence); // looks fresh
        check_place(k, state.position[0]);
        check_place(stuck ? 19 : k, state.position[1]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, stuck ? 0.0 : k == 30 ? 1.1 : 0.1, state.velocity[1]);
        sim_pass(&device, 1);
    }
    pal_device_close(&device);
}

// Readings come late by at most the jitter, never out of order, and some ticks bring none.
static void test_jitter_delays_readings_up_to_its_seconds(void) {
    pal_device device = glide((pal_fault){.kind = PAL_FAULT_JITTER, .at = 0.1, .seconds = 4e-3});
    int stale = 0;
    double age_sum = 0.0;
    pal_device_state before = sim_read(&device);
    for (int k = 1; k < 3000; k++) {
        sim_pass(&device, 1);
        pal_device_state state = sim_read(&device);
        double age = k - state.position[0] / 0.1e-3; // ticks
        TEST_ASSERT_TRUE(age > -1e-6 && age < 4.0 + 1e-6);
        TEST_ASSERT_TRUE(k >= 100 || age < 1e-6);
        bool fresh = state.sequence == before.sequence + 1;
        TEST_ASSERT_TRUE(fresh || state.sequence == before.sequence);
        TEST_ASSERT_EQUAL_INT(fresh, state.position[0] > before.position[0]);
        stale += !fresh;
        age_sum += age;
        before = state;
    }
    TEST_ASSERT_TRUE(stale > 300 && stale < 2500);
    TEST_ASSERT_TRUE(age_sum / 2900 > 0.3 && age_sum / 2900 < 3.0);
    pal_device_close(&device);
}

static void test_long_jitter_at_short_ticks_fills_the_ring_and_goes_on(void) {
    pal_device device = glide((pal_fault){.kind = PAL_FAULT_JITTER, .seconds = 0.1});
    for (int k = 0; k < 5000; k++) {
        device.functions->advance(&device, 1e-4);
    }
    pal_device_state state = sim_read(&device);
    TEST_ASSERT_TRUE(state.sequence > 10);
    TEST_ASSERT_TRUE(state.position[0] > 0.1 * 0.4 && state.position[0] <= 0.1 * 0.5 + 1e-9);
    pal_device_close(&device);
}

static void refuse(pal_fault fault, const char *part) {
    pal_sim_options options = sim_alone();
    options.fault = &fault;
    options.fault_count = 1;
    pal_device device;
    pal_err err = {.status = PAL_OK};
    CHECK_FAILS(PAL_ERR_USAGE, part, pal_device_open_sim(&device, &options, &err), err);
}

static void test_faults_without_sense_are_refused(void) {
    refuse((pal_fault){.kind = PAL_FAULT_STUCK, .axis = 3}, "fault 0 (stuck): its axis");
    refuse((pal_fault){.kind = PAL_FAULT_DROPOUT, .seconds = -1.0}, "not negative");
    refuse((pal_fault){.kind = PAL_FAULT_UNPLUG, .at = NAN}, "finite");
    refuse((pal_fault){.kind = PAL_FAULT_JITTER, .seconds = 0.2}, "at most 0.1");
    refuse((pal_fault){.kind = (pal_fault_kind)9}, "unknown kind 9");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_an_unplugged_device_is_absent_frozen_and_limp);
    RUN_TEST(test_in_a_dropout_the_sequence_stands_still);
    RUN_TEST(test_a_stuck_encoder_stands_still_while_the_others_go_on);
    RUN_TEST(test_jitter_delays_readings_up_to_its_seconds);
    RUN_TEST(test_long_jitter_at_short_ticks_fills_the_ring_and_goes_on);
    RUN_TEST(test_faults_without_sense_are_refused);
    return UNITY_END();
}
