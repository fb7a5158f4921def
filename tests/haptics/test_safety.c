// The laws of the safety pipeline: whatever comes in, what goes out is finite, short and slow.
#include "haptics/safety.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

void setUp(void) {
}
void tearDown(void) {
}

static const double dt = 1e-3;
static const pal_device_limits touch = {.name = "touch", .max_force = 3.3, .mass = 0.045};

static pal_safety safety;
static pal_device_state state;

static void start(pal_safety_options options) {
    pal_safety_init(&safety, &options, dt);
    state = (pal_device_state){.present = true};
}

static pal_safety_options defaults(void) {
    pal_safety_options options;
    pal_safety_defaults(&options, &touch);
    return options;
}

// Options under which nothing but the limit at test acts.
static pal_safety_options plain(void) {
    return (pal_safety_options){
        .max_force = 3.3, .max_slew = 1e9, .max_speed = 2.0, .ramp_threshold = INFINITY};
}

// One tick with a fresh reading.
static pal_outcome tick(double force[3]) {
    state.sequence++;
    return pal_safety_apply(&safety, &state, 0, force, NULL);
}

// One tick with the same reading as before.
static pal_outcome stale_tick(int missed, double force[3]) {
    return pal_safety_apply(&safety, &state, missed, force, NULL);
}

static void settle(const double wanted[3]) {
    for (int i = 0; i < 1000; i++) {
        double force[3] = {wanted[0], wanted[1], wanted[2]};
        tick(force);
    }
}

// ---- Laws under random inputs -------------------------------------------------------------------

// A force of any kind: small, large, huge, infinite, not a number.
static void random_force(test_random *random, double force[3]) {
    random_fill(random, pow(10.0, 4.0 * random_number(random)), force, 3);
    double kind = random_share(random);
    int axis = (int)(2.999 * random_share(random));
    if (kind < 0.02) {
        force[axis] = NAN;
    } else if (kind < 0.04) {
        force[axis] = -INFINITY;
    } else if (kind < 0.06) {
        force[axis] = 1e300;
    } else if (kind < 0.08) {
        random_fill(random, 1e-310, force, 3);
    }
}

static void random_state(test_random *random) {
    random_fill(random, random_share(random) < 0.05 ? 10.0 : 0.5, state.velocity, 3);
    if (random_share(random) < 0.01) {
        state.velocity[1] = NAN;
    }
    state.sequence += random_share(random) < 0.8;
}

static void check_laws(const double before[3], const double after[3],
                       const pal_safety_options *limit) {
    double change[3];
    pal_sub3(after, before, change);
    TEST_ASSERT_TRUE(isfinite(after[0]) && isfinite(after[1]) && isfinite(after[2]));
    TEST_ASSERT_TRUE(pal_norm3(after) <= limit->max_force * (1.0 + 1e-12));
    TEST_ASSERT_TRUE(pal_norm3(change) <= limit->max_slew * dt * (1.0 + 1e-9));
}

static void test_whatever_comes_in_the_limits_hold(void) {
    test_random random = {11};
    pal_safety_options options = defaults();
    int latched = 0;
    for (int run = 0; run < 200; run++) {
        start(options);
        double before[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < 500; i++) {
            double force[3];
            random_force(&random, force);
            random_state(&random);
            state.present = run % 4 != 0 || i < 250;
            int missed = random_share(&random) < 0.02 ? (int)(8.0 * random_share(&random)) : 0;
            pal_safety_apply(&safety, &state, missed, force, NULL);
            check_laws(before, force, &options);
            memcpy(before, force, sizeof before);
            if (random_share(&random) < 0.003) {
                pal_safety_rearm(&safety);
            }
        }
        latched += safety.latched;
    }
    TEST_ASSERT_GREATER_THAN(10, latched); // it was no easy ride
}

static void test_zero_in_zero_out(void) {
    start(defaults());
    for (int i = 0; i < 500; i++) {
        double force[3] = {0.0, 0.0, 0.0};
        TEST_ASSERT_EQUAL_UINT32(0, tick(force));
        TEST_ASSERT_EQUAL_DOUBLE(0.0, pal_norm3(force));
    }
}

static void test_a_harmless_force_goes_through_untouched(void) {
    start(defaults());
    settle((double[3]){0.0, 0.0, 0.0});
    for (int i = 0; i < 1000; i++) {
        double force[3] = {sin(0.02 * i), 0.5 * sin(0.03 * i), 0.0};
        const double wanted[3] = {force[0], force[1], force[2]};
        TEST_ASSERT_EQUAL_UINT32(0, tick(force));
        TEST_ASSERT_EQUAL_MEMORY(wanted, force, sizeof force);
    }
}

// ---- Each stage ---------------------------------------------------------------------------------

static void test_the_clamp_keeps_the_direction(void) {
    test_random random = {12};
    start(plain());
    for (int i = 0; i < 1000; i++) {
        double force[3], wanted[3], cross[3];
        random_fill(&random, i % 10 == 0 ? 1e300 : 10.0, wanted, 3);
        memcpy(force, wanted, sizeof force);
        pal_outcome outcome = tick(force);
        double size = fmax(fabs(wanted[0]), fmax(fabs(wanted[1]), fabs(wanted[2])));
        for (int c = 0; c < 3; c++) {
            wanted[c] /= size;
        }
        pal_cross3(wanted, force, cross);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.0, pal_norm3(cross));
        TEST_ASSERT_TRUE(pal_dot3(wanted, force) > 0.0);
        bool above = pal_norm3(wanted) * size > 3.3;
        TEST_ASSERT_EQUAL_INT(above, (outcome & PAL_OUT_CLAMPED) != 0);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, above ? 3.3 : pal_norm3(wanted) * size, pal_norm3(force));
    }
}

static void test_not_a_number_leads_to_zero_through_the_slew_limit(void) {
    start(defaults());
    settle((double[3]){0.0, 0.0, 0.0});
    settle((double[3]){0.0, 2.0, 0.0});
    double expected = 2.0, step = safety.options.max_slew * dt;
    for (int i = 0; i < 6; i++) {
        double force[3] = {NAN, 2.0, 0.0};
        TEST_ASSERT_TRUE(tick(force) & PAL_OUT_NAN);
        expected = fmax(0.0, expected - step);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, expected, force[1]);
        TEST_ASSERT_EQUAL_DOUBLE(0.0, force[0]);
    }
    TEST_ASSERT_EQUAL_DOUBLE(0.0, expected);
    TEST_ASSERT_FALSE(safety.latched);
}

static void test_a_fast_device_feels_nothing_until_it_is_slow_again(void) {
    start(defaults());
    settle((double[3]){0.0, 0.0, 0.0});
    settle((double[3]){1.0, 0.0, 0.0});
    state.velocity[2] = 2.5;
    for (int i = 0; i < 5; i++) {
        double force[3] = {1.0, 0.0, 0.0};
        TEST_ASSERT_TRUE(tick(force) & PAL_OUT_OVERSPEED);
        TEST_ASSERT_EQUAL_INT(i >= 1, force[0] == 0.0); // 0.66 N a tick
    }
    state.velocity[2] = 0.1;
    for (int i = 0; i < 5; i++) {
        double force[3] = {1.0, 0.0, 0.0};
        TEST_ASSERT_FALSE(tick(force) & PAL_OUT_OVERSPEED);
        TEST_ASSERT_EQUAL_INT(i >= 1, force[0] == 1.0);
    }
}

static void test_the_slew_limit_is_the_largest_change(void) {
    pal_safety_options options = plain();
    options.max_slew = 100.0;
    start(options);
    for (int i = 1; i <= 20; i++) {
        double force[3] = {0.0, 1.25, 0.0};
        pal_outcome outcome = tick(force);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, fmin(1.25, 0.1 * i), force[1]);
        TEST_ASSERT_EQUAL_INT(0.1 * i < 1.25, outcome == PAL_OUT_SLEW);
    }
}

static void test_start_up_waits_for_a_small_force_and_then_ramps(void) {
    start(defaults());
    // Inside a body from the start: nothing is felt, however long
    for (int i = 0; i < 500; i++) {
        double force[3] = {0.0, 0.0, i % 7 == 0 ? NAN : 2.0};
        TEST_ASSERT_TRUE(tick(force) & (PAL_OUT_RAMP | PAL_OUT_NAN));
        TEST_ASSERT_EQUAL_DOUBLE(0.0, pal_norm3(force));
    }
    // Outside for one tick, then a steady force
    tick((double[3]){0.0, 0.0, 0.0});
    for (int i = 1; i <= 300; i++) {
        double force[3] = {0.0, 0.0, 2.0};
        pal_outcome outcome = tick(force);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2.0 * fmin(1.0, i * dt / 0.2), force[2]);
        TEST_ASSERT_EQUAL_INT(i < 200, outcome == PAL_OUT_RAMP);
    }
}

// A wall that asks for far more than the device can make: what is sent stays below the ramp's line.
static void test_the_ramp_bounds_what_is_sent(void) {
    pal_safety_options options = plain();
    options.ramp_seconds = 0.2;
    options.ramp_threshold = 0.1;
    start(options);
    tick((double[3]){0.0, 0.0, 0.0});
    for (int i = 1; i <= 400; i++) {
        double force[3] = {20.0, -40.0, 5.0};
        tick(force);
        const double line = fmin(1.0, i * dt / 0.2);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 3.3 * line, pal_norm3(force));
    }
}

// ---- Heat

// A first-order motor, by its own small integration: its mean square never passes that of the
// continuous force; a cold one bears the peak for a while; what is below the continuous force is
// never cut, and a motor that has rested bears the peak again.
static void test_the_motors_are_never_hotter_than_the_continuous_force_makes_them(void) {
    pal_safety_options options = plain();
    options.continuous = 0.88;
    options.heat_seconds = 6.0;
    start(options);
    settle((double[3]){0.0, 0.0, 0.0});
    double square = 0.0, first_cut = 0.0;
    for (int i = 0; i < 40000; i++) {
        double force[3] = {0.0, 5.0, 0.0};
        const pal_outcome outcome = tick(force);
        square += (pal_dot3(force, force) - square) * (1.0 - exp(-dt / 6.0));
        TEST_ASSERT_TRUE(square <= 0.88 * 0.88 * (1.0 + 1e-3));
        first_cut = first_cut == 0.0 && (outcome & PAL_OUT_HOT) ? i * dt : first_cut;
    }
    // 1 - exp(-t / tau) = 0.9 (continuous / peak)^2
    TEST_ASSERT_DOUBLE_WITHIN(0.01, -6.0 * log(1.0 - 0.9 * pow(0.88 / 3.3, 2.0)), first_cut);
    TEST_ASSERT_DOUBLE_WITHIN(1e-2, 1.0, safety.heat);
    for (int i = 0; i < 10000; i++) {
        double force[3] = {0.0, 0.87, 0.0};
        tick(force);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.87, force[1]);
    }
    for (int i = 0; i < 60000; i++) {
        tick((double[3]){0.0, 0.0, 0.0});
    }
    double force[3] = {0.0, 3.3, 0.0};
    TEST_ASSERT_EQUAL_UINT32(0, tick(force));
    TEST_ASSERT_EQUAL_DOUBLE(3.3, force[1]);
}

static void test_a_device_without_a_continuous_limit_is_not_cut(void) {
    const double continuous[] = {0.0, 3.3, 5.0, NAN, -1.0};
    for (int k = 0; k < 5; k++) {
        pal_safety_options options = plain();
        options.continuous = continuous[k];
        options.heat_seconds = 0.01;
        start(options);
        settle((double[3]){0.0, 0.0, 0.0});
        settle((double[3]){3.3, 0.0, 0.0});
        double force[3] = {3.3, 0.0, 0.0};
        TEST_ASSERT_EQUAL_UINT32(0, tick(force));
        TEST_ASSERT_EQUAL_DOUBLE(3.3, force[0]);
    }
}

// ---- Stale readings and missed ticks ------------------------------------------------------------

static void test_without_fresh_readings_the_force_is_held_then_decayed_then_gone(void) {
    start(defaults());
    settle((double[3]){0.0, 0.0, 0.0});
    settle((double[3]){0.0, 0.0, 3.3}); // the largest: decay is within the slew limit even so
    for (int age = 1; age <= 12; age++) {
        double force[3] = {1.0, 1.0, 1.0}; // made from an old reading: not to be used
        pal_outcome outcome = stale_tick(0, force);
        TEST_ASSERT_TRUE(outcome & PAL_OUT_STALE);
        double held = 3.3 * exp(-(age - 1) * dt / 0.005);
        double gone = fmax(0.0, 3.3 * exp(-4 * dt / 0.005) - 0.66 * (age - 5));
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, age <= 5 ? held : gone, force[2]);
        TEST_ASSERT_EQUAL_DOUBLE(0.0, force[0]);
        TEST_ASSERT_EQUAL_INT(age > 5, safety.latched);
    }
    TEST_ASSERT_EQUAL_UINT32(PAL_CAUSE_STALE, safety.fault);
}

// A tick that does not end (its body waits for a thread that was stopped) sends on: held, decayed,
// gone; if it ends soon enough the force comes back, no faster than the slew limit.
static void test_while_a_tick_does_not_end_the_force_decays_and_goes(void) {
    const double wanted[3] = {0.0, 0.0, 1.0};
    for (int periods = 1; periods < 12; periods++) {
        double force[3] = {0.0, 0.0, 1.0}, torque[3] = {0.0, 0.0, 0.0}, last = 1.0;
        start(defaults());
        settle((double[3]){0.0, 0.0, 0.0});
        settle(wanted);
        for (int k = 0; k < periods; k++) {
            pal_safety_wait(&safety, force, torque);
            TEST_ASSERT_TRUE(force[2] <= last);
            TEST_ASSERT_TRUE(k > 0 || force[2] == 1.0);
            TEST_ASSERT_TRUE(k < 2 || force[2] < last || force[2] == 0.0);
            last = force[2];
        }
        TEST_ASSERT_EQUAL_INT(periods > 5, safety.latched);
        TEST_ASSERT_TRUE(periods < 8 || pal_norm3(force) == 0.0);
        memcpy(force, wanted, sizeof force);
        tick(force);
        TEST_ASSERT_TRUE(force[2] - last <= safety.options.max_slew * dt * (1.0 + 1e-12));
        TEST_ASSERT_EQUAL_INT(periods > 5 ? PAL_CAUSE_MISSED : PAL_CAUSE_NONE, safety.fault);
    }
}

static void test_missed_ticks_count_in_the_age_of_a_reading(void) {
    start(defaults());
    settle((double[3]){0.0, 0.0, 0.0});
    settle((double[3]){0.0, 0.0, 1.0});
    double force[3] = {0.0, 0.0, 1.0};
    stale_tick(2, force); // age 3
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, exp(-2 * dt / 0.005), force[2]);
    stale_tick(1, force); // age 5
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, exp(-4 * dt / 0.005), force[2]);
    TEST_ASSERT_FALSE(safety.latched);
    // A fresh reading ends it, and the next gap is counted from there
    force[2] = 0.6;
    TEST_ASSERT_EQUAL_UINT32(0, tick(force));
    TEST_ASSERT_EQUAL_DOUBLE(0.6, force[2]);
    force[2] = 1.0;
    TEST_ASSERT_EQUAL_UINT32(PAL_OUT_STALE, stale_tick(0, force));
    TEST_ASSERT_EQUAL_DOUBLE(0.6, force[2]);
}

static void test_a_short_gap_before_a_fresh_reading_is_no_fault_and_a_long_one_is(void) {
    for (int missed = 0; missed < 10; missed++) {
        start(defaults());
        settle((double[3]){0.0, 0.0, 0.0});
        settle((double[3]){0.0, 0.0, 1.0});
        state.sequence++;
        double force[3] = {0.0, 0.0, 1.1};
        pal_outcome outcome = pal_safety_apply(&safety, &state, missed, force, NULL);
        TEST_ASSERT_EQUAL_INT(missed > 5, safety.latched);
        TEST_ASSERT_EQUAL_INT(missed > 5, (outcome & PAL_OUT_FAULT) != 0);
        TEST_ASSERT_EQUAL_INT(missed > 5 ? PAL_CAUSE_MISSED : PAL_CAUSE_NONE, safety.fault);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, missed > 5 ? 1.0 - 0.66 : 1.1, force[2]);
    }
}

static void test_twenty_milliseconds_latch_whatever_the_rate(void) {
    pal_safety_options options = defaults();
    pal_safety_init(&safety, &options, 0.005);
    state = (pal_device_state){.present = true};
    tick((double[3]){0.0, 0.0, 0.0});
    for (int age = 1; age <= 5; age++) {
        stale_tick(0, (double[3]){0.0, 0.0, 0.0});
        TEST_ASSERT_EQUAL_INT(age >= 4, safety.latched);
    }
}

static void test_a_lost_device_is_a_fault(void) {
    start(defaults());
    settle((double[3]){0.0, 0.0, 0.0});
    settle((double[3]){1.0, 0.0, 0.0});
    state.present = false;
    double force[3] = {1.0, 0.0, 0.0};
    TEST_ASSERT_TRUE(tick(force) & PAL_OUT_DEVICE_LOST);
    TEST_ASSERT_TRUE(safety.latched);
    TEST_ASSERT_EQUAL_UINT32(PAL_CAUSE_DEVICE_LOST, safety.fault);
}

static void test_latched_stays_latched_until_the_user_says_so(void) {
    start(defaults());
    settle((double[3]){0.0, 0.0, 0.0});
    settle((double[3]){1.0, 0.0, 0.0});
    state.present = false;
    tick((double[3]){1.0, 0.0, 0.0});
    state.present = true;
    // All is well again, but the fault stays and the force is gone within 5 ms
    for (int i = 1; i < 2000; i++) {
        double force[3] = {1.0, 0.0, 0.0};
        TEST_ASSERT_TRUE(tick(force) & PAL_OUT_FAULT);
        TEST_ASSERT_TRUE(safety.latched);
        TEST_ASSERT_TRUE(i < 5 || force[0] == 0.0);
    }
    // Rearmed it begins as at start-up
    pal_safety_rearm(&safety);
    double force[3] = {1.0, 0.0, 0.0};
    TEST_ASSERT_EQUAL_UINT32(PAL_OUT_RAMP, tick(force));
    TEST_ASSERT_EQUAL_DOUBLE(0.0, force[0]);
    settle((double[3]){0.0, 0.0, 0.0});
    force[0] = 0.5;
    TEST_ASSERT_EQUAL_UINT32(0, tick(force));
    TEST_ASSERT_EQUAL_DOUBLE(0.5, force[0]);
}

static void test_release_ramps_to_zero_without_a_fault(void) {
    start(defaults());
    settle((double[3]){0.0, 0.0, 0.0});
    settle((double[3]){3.0, 0.0, 0.0});
    pal_safety_release(&safety);
    for (int i = 1; i <= 10; i++) {
        double force[3] = {3.0, 0.0, 0.0};
        pal_outcome outcome = tick(force);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, fmax(0.0, 3.0 - 0.66 * i), force[0]);
        TEST_ASSERT_EQUAL_UINT32(i <= 4 ? PAL_OUT_SLEW : 0, outcome);
    }
    TEST_ASSERT_FALSE(safety.latched);
}

static void test_limits_without_sense_mean_no_force(void) {
    pal_safety_options options = plain();
    options.max_force = NAN;
    start(options);
    double force[3] = {1.0, 1e-310, 0.0};
    tick(force);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, pal_norm3(force));
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_whatever_comes_in_the_limits_hold);
    RUN_TEST(test_zero_in_zero_out);
    RUN_TEST(test_a_harmless_force_goes_through_untouched);
    RUN_TEST(test_the_clamp_keeps_the_direction);
    RUN_TEST(test_not_a_number_leads_to_zero_through_the_slew_limit);
    RUN_TEST(test_a_fast_device_feels_nothing_until_it_is_slow_again);
    RUN_TEST(test_the_slew_limit_is_the_largest_change);
    RUN_TEST(test_start_up_waits_for_a_small_force_and_then_ramps);
    RUN_TEST(test_the_ramp_bounds_what_is_sent);
    RUN_TEST(test_the_motors_are_never_hotter_than_the_continuous_force_makes_them);
    RUN_TEST(test_a_device_without_a_continuous_limit_is_not_cut);
    RUN_TEST(test_without_fresh_readings_the_force_is_held_then_decayed_then_gone);
    RUN_TEST(test_while_a_tick_does_not_end_the_force_decays_and_goes);
    RUN_TEST(test_missed_ticks_count_in_the_age_of_a_reading);
    RUN_TEST(test_a_short_gap_before_a_fresh_reading_is_no_fault_and_a_long_one_is);
    RUN_TEST(test_twenty_milliseconds_latch_whatever_the_rate);
    RUN_TEST(test_a_lost_device_is_a_fault);
    RUN_TEST(test_latched_stays_latched_until_the_user_says_so);
    RUN_TEST(test_release_ramps_to_zero_without_a_fault);
    RUN_TEST(test_limits_without_sense_mean_no_force);
    return UNITY_END();
}
