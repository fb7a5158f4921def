#include "devices/dev_replay.h"
#include "sim/base/memory.h"
#include "tests/support/check.h"

enum { READINGS = 5 };
static pal_device_state recorded[READINGS];
static const pal_device_limits limits = {.name = "recorded", .max_force = 3.0};

void setUp(void) {
    for (int k = 0; k < READINGS; k++) {
        recorded[k] = (pal_device_state){.position = {0.1 * k, -k, 1.0 / (k + 1)},
                                         .velocity = {k, 0.3 * k, 7.0},
                                         .buttons = (uint32_t)k & 1u,
                                         .sequence = 40 + (uint64_t)k / 2,
                                         .present = k != 3};
    }
}
void tearDown(void) {
    pal_memory_fail_after(-1);
}

static void check_same(const pal_device_state *a, const pal_device_state *b) {
    TEST_ASSERT_EQUAL_INT(0, memcmp(a->position, b->position, sizeof a->position));
    TEST_ASSERT_EQUAL_INT(0, memcmp(a->velocity, b->velocity, sizeof a->velocity));
    TEST_ASSERT_EQUAL_UINT32(a->buttons, b->buttons);
    TEST_ASSERT_EQUAL_UINT64(a->sequence, b->sequence);
}

static void test_readings_come_back_bit_for_bit_one_a_tick(void) {
    pal_device device;
    pal_err err;
    CHECK_OK(pal_device_open_replay(&device, &limits, recorded, READINGS, &err), err);
    TEST_ASSERT_TRUE(device.limits.max_force == 3.0);
    pal_device_state kept[READINGS], state;
    memcpy(kept, recorded, sizeof kept);
    memset(recorded, 0, sizeof recorded); // the device has its own copy
    for (int k = 0; k < READINGS; k++) {
        device.functions->read(&device, &state);
        check_same(&kept[k], &state);
        TEST_ASSERT_EQUAL_INT(kept[k].present, state.present);
        device.functions->write(&device, (double[3]){1.0, 1.0, 1.0}, NULL);
        device.functions->read(&device, &state); // reading moves nothing
        check_same(&kept[k], &state);
        device.functions->advance(&device, 1e-3);
    }
    for (int k = 0; k < 3; k++) { // past the end
        device.functions->read(&device, &state);
        check_same(&kept[READINGS - 1], &state);
        TEST_ASSERT_FALSE(state.present);
        device.functions->advance(&device, 1e-3);
    }
    pal_device_close(&device);
}

static void test_an_empty_recording_is_not_present(void) {
    pal_device device;
    pal_device_state state;
    pal_err err;
    CHECK_OK(pal_device_open_replay(&device, &limits, NULL, 0, &err), err);
    device.functions->read(&device, &state);
    TEST_ASSERT_FALSE(state.present);
    pal_device_close(&device);
}

static void test_a_negative_count_is_refused(void) {
    pal_device device;
    pal_err err;
    CHECK_FAILS(PAL_ERR_USAGE, "-1 readings",
                pal_device_open_replay(&device, &limits, recorded, -1, &err), err);
    pal_device_close(&device);
}

static void test_want_of_memory_leaks_nothing(void) {
    for (int n = 0; n < 2; n++) {
        pal_device device;
        pal_err err;
        pal_memory_fail_after(n);
        CHECK_FAILS(PAL_ERR_MEMORY, "out of memory",
                    pal_device_open_replay(&device, &limits, recorded, READINGS, &err), err);
        pal_device_close(&device);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_readings_come_back_bit_for_bit_one_a_tick);
    RUN_TEST(test_an_empty_recording_is_not_present);
    RUN_TEST(test_a_negative_count_is_refused);
    RUN_TEST(test_want_of_memory_leaks_nothing);
    return UNITY_END();
}
