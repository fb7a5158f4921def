#include "devices/device.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static void test_profiles_are_found_by_name_and_by_number(void) {
    const char *const names[] = {"touch", "touchx", "premium", "omega",
                                 "sigma", "falcon", "inverse3"};
    for (int i = 0; i < 7; i++) {
        const pal_device_limits *limits = pal_device_profile(names[i]);
        TEST_ASSERT_NOT_NULL_MESSAGE(limits, names[i]);
        TEST_ASSERT_EQUAL_PTR(pal_device_profile_at(i), limits);
    }
    TEST_ASSERT_NULL(pal_device_profile_at(7));
    TEST_ASSERT_NULL(pal_device_profile_at(-1));
    TEST_ASSERT_NULL(pal_device_profile("Touch"));
    TEST_ASSERT_NULL(pal_device_profile(""));
}

static void test_every_profile_is_whole_and_plausible(void) {
    const pal_device_limits *p;
    for (int i = 0; (p = pal_device_profile_at(i)) != NULL; i++) {
        TEST_ASSERT_TRUE_MESSAGE(p->max_force > 1.0 && p->max_force < 50.0, p->name);
        TEST_ASSERT_TRUE_MESSAGE(p->max_continuous_force > 0.0, p->name);
        TEST_ASSERT_TRUE_MESSAGE(p->max_continuous_force <= p->max_force, p->name);
        TEST_ASSERT_TRUE_MESSAGE(p->max_stiffness >= 400.0, p->name);
        TEST_ASSERT_TRUE_MESSAGE(p->max_damping >= 4.0, p->name);
        TEST_ASSERT_TRUE_MESSAGE(p->workspace_radius >= 0.04, p->name);
        TEST_ASSERT_TRUE_MESSAGE(p->resolution > 0.0 && p->resolution < 1e-4, p->name);
        TEST_ASSERT_TRUE_MESSAGE(p->friction > 0.0 && p->friction < p->max_force, p->name);
        TEST_ASSERT_TRUE_MESSAGE(p->mass > 0.01 && p->mass < 1.0, p->name);
    }
}

static void test_the_null_device_is_there_fresh_and_still(void) {
    pal_device device;
    pal_device_open_null(&device);
    for (uint64_t k = 1; k <= 5; k++) {
        pal_device_state state;
        device.functions->write(&device, (double[3]){1.0, 2.0, 3.0}, NULL);
        device.functions->advance(&device, 1e-3);
        device.functions->read(&device, &state);
        TEST_ASSERT_TRUE(state.present);
        TEST_ASSERT_EQUAL_UINT64(k, state.sequence);
        for (int i = 0; i < 3; i++) {
            TEST_ASSERT_TRUE(state.position[i] == 0.0 && state.velocity[i] == 0.0);
        }
    }
    TEST_ASSERT_TRUE(device.limits.max_force == 0.0);
    pal_device_close(&device);
    TEST_ASSERT_NULL(device.functions);
    pal_device_close(&device); // twice does no harm
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_profiles_are_found_by_name_and_by_number);
    RUN_TEST(test_every_profile_is_whole_and_plausible);
    RUN_TEST(test_the_null_device_is_there_fresh_and_still);
    return UNITY_END();
}
