// What the watchdog softens, and what it leaves alone.
#include "haptics/watchdog.h"

#include "sim/base/vec3.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static const double dt = 1e-3, pi = 3.14159265358979323846;
static const pal_device_limits device = {.max_force = 3.3, .max_torque = 0.2};
static pal_watchdog dog;

typedef struct result {
    double softened, half, fault; // s: when it first softened, was at a half, latched; 0: never
    pal_fault_cause cause;
    double scale; // at the end
} result;

// A force of this swing (of the largest) at this rate, on a steady half of it, as it is sent after
// softening; a new debt each tick; one deadline missed each `missed` ticks.
static result run(double seconds, double swing, double rate, double made, int missed) {
    result r = {0};
    pal_watchdog_init(&dog, &device, dt);
    double owed = 0.0;
    for (int k = 1; k * dt <= seconds && r.fault == 0.0; k++) {
        const double size = device.max_force * (0.5 + 0.5 * swing * sin(2.0 * pi * rate * k * dt));
        double force[3] = {0.0, 0.6 * size, 0.8 * size}, torque[3] = {0.0, 0.0, 0.0};
        const pal_outcome outcome = pal_watchdog_soften(&dog, force, torque);
        TEST_ASSERT_EQUAL_INT(dog.scale < 1.0, (outcome & PAL_OUT_SOFTENED) != 0);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, dog.scale * size, pal_norm3(force));
        owed += made * dog.scale;
        const pal_fault_cause cause =
            pal_watchdog_look(&dog, force, torque, owed, missed > 0 && k % missed == 0);
        r.softened = r.softened == 0.0 && dog.scale < 1.0 ? k * dt : r.softened;
        r.half = r.half == 0.0 && dog.scale <= 0.5 ? k * dt : r.half;
        r.fault = cause != PAL_CAUSE_NONE ? k * dt : 0.0;
        r.cause = cause;
    }
    r.scale = dog.scale;
    return r;
}

static void test_what_a_hand_does_is_left_alone(void) {
    const double swing[] = {1.0, 1.0, 0.5, 0.05, 0.0}, rate[] = {2.0, 7.0, 12.0, 100.0, 0.0};
    for (int k = 0; k < 5; k++) { // quick taps from nothing to the limit; a texture; a steady press
        const result r = run(5.0, swing[k], rate[k], 0.0, 0);
        TEST_ASSERT_TRUE(r.softened == 0.0 && r.scale == 1.0);
        TEST_ASSERT_EQUAL_DOUBLE(1.0, dog.softest); // told as "not softened"
    }
    TEST_ASSERT_TRUE(run(5.0, 0.0, 0.0, 1e-6, 0).softened == 0.0); // 1 mJ a second
    TEST_ASSERT_TRUE(run(5.0, 0.0, 0.0, 0.0, 50).softened == 0.0); // 2 % missed
}

static void test_a_vibration_from_limit_to_limit_is_softened_and_then_latched(void) {
    const double rate[] = {100.0, 250.0}; // so quick that a quarter of it is too much, too
    for (int k = 0; k < 2; k++) {
        const result r = run(10.0, 1.0, rate[k], 0.0, 0);
        TEST_ASSERT_TRUE(r.softened > 0.0 && r.softened < 0.4);
        TEST_ASSERT_TRUE(r.half > r.softened);
        TEST_ASSERT_TRUE(r.fault > r.half + 0.4 && r.fault < 4.0);
        TEST_ASSERT_EQUAL_INT(PAL_CAUSE_VIBRATION, r.cause);
    }
}

// One that ends as it is softened stays softened, until the user re-arms.
static void test_what_softening_ends_is_no_fault(void) {
    run(1.0, 1.0, 30.0, 0.0, 0);
    double none[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 5000; k++) {
        double force[3] = {1.0, 0.0, 0.0};
        pal_watchdog_soften(&dog, force, none);
        TEST_ASSERT_EQUAL_INT(PAL_CAUSE_NONE, pal_watchdog_look(&dog, force, none, 0.0, 0));
    }
    TEST_ASSERT_TRUE(dog.scale == 0.5 || dog.scale == 0.25);
    TEST_ASSERT_EQUAL_INT(PAL_CAUSE_VIBRATION, dog.why);
    pal_watchdog_restart(&dog);
    TEST_ASSERT_EQUAL_DOUBLE(1.0, dog.scale);
    TEST_ASSERT_TRUE(dog.softest <= 0.5); // what was stays told
}

static void test_torques_are_watched_too(void) {
    pal_watchdog_init(&dog, &device, dt);
    bool latched = false;
    for (int k = 1; k < 5000 && !latched; k++) {
        double force[3] = {0.0, 0.0, 0.0}, torque[3] = {k % 10 < 5 ? 0.2 : -0.2, 0.0, 0.0};
        pal_watchdog_soften(&dog, force, torque);
        latched = pal_watchdog_look(&dog, force, torque, 0.0, 0) == PAL_CAUSE_VIBRATION;
    }
    TEST_ASSERT_TRUE(latched);
}

static void test_energy_made_is_softened_and_then_latched(void) {
    const result r = run(20.0, 0.0, 0.0, 50e-6, 0); // 50 mJ a second
    TEST_ASSERT_TRUE(r.softened > 0.03 && r.softened < 0.2);
    TEST_ASSERT_EQUAL_INT(PAL_CAUSE_ENERGY, r.cause);
    TEST_ASSERT_TRUE(r.fault < 3.0);
}

// The share of missed deadlines that softens, and that which latches; never two in a row here.
static void test_missed_deadlines_soften_and_then_latch(void) {
    const result some = run(5.0, 0.0, 0.0, 0.0, 20); // 4.8 %
    TEST_ASSERT_TRUE(some.softened > 0.3 && some.fault == 0.0);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, some.scale);
    double none[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3000; k++) { // in time again
        double force[3] = {1.0, 0.0, 0.0};
        pal_watchdog_soften(&dog, force, none);
        pal_watchdog_look(&dog, force, none, 0.0, 0);
    }
    TEST_ASSERT_EQUAL_DOUBLE(1.0, dog.scale);
    const result many = run(10.0, 0.0, 0.0, 0.0, 4); // a fifth
    TEST_ASSERT_EQUAL_INT(PAL_CAUSE_LATE, many.cause);
    TEST_ASSERT_TRUE(many.fault > 0.3 && many.fault < 2.0);
}

// However many are missed at once, as when a process was stopped for a while.
static void test_a_long_gap_is_a_share_of_one_at_most(void) {
    pal_watchdog_init(&dog, &device, dt);
    double none[3] = {0.0, 0.0, 0.0};
    pal_watchdog_look(&dog, none, none, 0.0, 2000000000);
    TEST_ASSERT_TRUE(dog.missed > 0.12 && dog.missed <= 1.0);
    for (int k = 0; k < 10000; k++) {
        pal_watchdog_look(&dog, none, none, 0.0, 0);
    }
    TEST_ASSERT_TRUE(dog.missed < 1e-3);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_what_a_hand_does_is_left_alone);
    RUN_TEST(test_a_vibration_from_limit_to_limit_is_softened_and_then_latched);
    RUN_TEST(test_what_softening_ends_is_no_fault);
    RUN_TEST(test_torques_are_watched_too);
    RUN_TEST(test_energy_made_is_softened_and_then_latched);
    RUN_TEST(test_missed_deadlines_soften_and_then_latch);
    RUN_TEST(test_a_long_gap_is_a_share_of_one_at_most);
    return UNITY_END();
}
