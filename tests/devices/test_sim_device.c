// Laws of the simulated device in the loop.
#include "devices/dev_sim.h"

#include <math.h>
#include <time.h>

#include "sim/base/memory.h"
#include "sim/base/rng.h"
#include "tests/support/check.h"
#include "tests/support/sim_device.h"

void setUp(void) {
}
void tearDown(void) {
    pal_memory_fail_after(-1);
}

static const double PI = 3.14159265358979323846;

// ---- Stability of a sampled spring --------------------------------------------------------------

typedef struct loop {
    double b, B, t_d; // of the device, rendered, delay
    double friction, speed;
} loop;

// A spring K x and damper B rendered at 1 kHz on a device alone: does its swing grow? Compares the
// swing of the second and of the last second.
static bool grows(const loop *l, double K, int seconds) {
    pal_sim_options options = sim_alone();
    options.device_damping = l->b;
    options.delay = l->t_d;
    options.friction = l->friction;
    options.start_velocity[0] = l->speed;
    options.substeps = 1;
    pal_device device = sim_open(&options);
    double before = 0.0, early = 0.0, late = 0.0;
    for (int k = 0; k < 1000 * seconds; k++) {
        double x = sim_read(&device).position[0];
        double force[3] = {-K * x - l->B * (x - before) / SIM_TICK, 0.0, 0.0};
        before = x;
        early = k / 1000 == 1 ? fmax(early, fabs(x)) : early;
        late = k / 1000 == seconds - 1 ? fmax(late, fabs(x)) : late;
        device.functions->write(&device, force, NULL);
        device.functions->advance(&device, SIM_TICK);
    }
    pal_device_close(&device);
    return late > early;
}

static double find_critical_stiffness(const loop *l, double guess) {
    double low = 0.8 * guess, high = 1.25 * guess;
    for (int i = 0; i < 11; i++) {
        double middle = 0.5 * (low + high);
        *(grows(l, middle, 5) ? &high : &low) = middle;
    }
    return 0.5 * (low + high);
}

static void test_the_sampled_spring_is_stable_up_to_the_law(void) {
    static const loop loops[] = {
        {.b = 0.3},
        {.b = 1.0},
        {.b = 0.3, .B = 0.3},
        {.b = 0.3, .t_d = 0.5e-3},
        {.b = 0.2, .B = 0.2, .t_d = 0.3e-3},
        {.b = 0.3, .t_d = 1e-3},
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        loop one = loops[i];
        one.speed = 0.01;
        double law = (one.b + one.B) / (0.5 * SIM_TICK + one.t_d);
        double found = find_critical_stiffness(&one, law);
        TEST_ASSERT_DOUBLE_WITHIN(0.01 * law, law, found);
    }
}

// Without delay the sampled system has two states, and its determinant reaches 1 at the bound.
static void test_the_bound_is_that_of_the_exactly_sampled_system(void) {
    loop one = {.b = 2.0, .speed = 0.01};
    double beta = one.b / 0.045, e = exp(-beta * SIM_TICK), glide = (1.0 - e) / beta;
    double gain[2] = {(SIM_TICK - glide) / one.b, (1.0 - e) / one.b};
    double exact = (1.0 - e) / (gain[1] * glide - gain[0] * e);
    double found = find_critical_stiffness(&one, exact);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * exact, exact, found);
}

// Above the bound friction keeps slow swings stable: up to the speed (4/pi) c / (K T/2 - b).
static void test_friction_keeps_slow_swings_stable(void) {
    loop one = {.b = 0.1, .friction = 0.02};
    double K = 1000.0, law = 4.0 / PI * one.friction / (0.5 * K * SIM_TICK - one.b);
    double low = 0.7 * law, high = 1.4 * law;
    for (int i = 0; i < 8; i++) {
        one.speed = 0.5 * (low + high);
        *(grows(&one, K, 4) ? &high : &low) = one.speed;
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * law, law, 0.5 * (low + high));
}

// ---- The hand -----------------------------------------------------------------------------------

static void test_a_held_device_comes_to_rest_at_the_intent(void) {
    pal_intent intents[] = {{.kind = PAL_INTENT_MOVE, .seconds = 0.5, .to = {0.03, -0.02, 0.01}},
                            {.kind = PAL_INTENT_HOLD, .seconds = 3.0}};
    const char *const grips[] = {"loose", "medium", "firm"};
    for (int g = 0; g < 3; g++) {
        pal_sim_options options = sim_held(grips[g]);
        options.intent = intents;
        options.intent_count = 2;
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3.5, pal_sim_script_seconds(&options));
        pal_device device = sim_open(&options);
        sim_pass(&device, 3500);
        pal_sim_truth truth = sim_truth(&device);
        for (int i = 0; i < 3; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, intents[0].to[i], truth.position[i]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, intents[0].to[i], truth.hand[i]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.0, truth.velocity[i]);
        }
        pal_device_close(&device);
    }
}

// A steady force stretches grip and arm in series.
static void test_a_force_moves_the_hand(void) {
    pal_sim_options options = sim_held("firm");
    pal_device device = sim_open(&options);
    device.functions->write(&device, (double[3]){0.0, 1.5, 0.0}, NULL);
    sim_pass(&device, 4000);
    pal_sim_truth truth = sim_truth(&device);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 1.5 / options.hand.k_h, truth.hand[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 1.5 / options.hand.k_h + 1.5 / options.hand.k_g,
                              truth.position[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, truth.position[0]);
    pal_device_close(&device);
}

static void test_the_grips_have_names(void) {
    bool known = true;
    TEST_ASSERT_TRUE(pal_hand_grip("none", &known).mass == 0.0 && known);
    TEST_ASSERT_TRUE(pal_hand_grip("iron", &known).mass == 0.0 && !known);
}

// ---- The actuator -------------------------------------------------------------------------------

static void test_a_force_acts_after_the_delay_to_the_microsecond(void) {
    const double delays[] = {0.0, 0.37e-3, 1e-3, 2.5e-3, 3e-3};
    for (int d = 0; d < 5; d++) {
        pal_sim_options options = sim_alone();
        options.delay = delays[d];
        pal_device device = sim_open(&options);
        double m = options.limits.mass;
        for (int k = 0; k < 10; k++) { // +1 N for five ticks, then -1 N
            device.functions->write(&device, (double[3]){k < 5 ? 1.0 : -1.0, 0.0, 0.0}, NULL);
            device.functions->advance(&device, SIM_TICK);
            double t = fmax(0.0, (k + 1) * SIM_TICK - delays[d]);
            double back = fmax(0.0, t - 5.0 * SIM_TICK);
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, (0.5 * t * t - back * back) / m,
                                      sim_truth(&device).position[0]);
        }
        pal_device_close(&device);
    }
}

static void test_the_last_of_two_writes_counts(void) {
    pal_sim_options options = sim_alone();
    options.delay = 1e-3;
    pal_device device = sim_open(&options);
    for (int k = 0; k < 1000; k++) { // more than any ring holds
        device.functions->write(&device, (double[3]){1000.0 - k, 0.0, 0.0}, NULL);
    }
    sim_pass(&device, 2);
    TEST_ASSERT_TRUE(sim_truth(&device).force[0] == 1.0);
    pal_device_close(&device);
}

static void test_saturation_keeps_the_direction(void) {
    pal_sim_options options = sim_alone();
    options.limits.max_force = 3.3;
    pal_device device = sim_open(&options);
    const double wanted[][3] = {{1.0, 2.0, 2.0}, {10.0, -20.0, 20.0}, {1e200, 1e200, 0.0}};
    const double scale[] = {1.0, 0.11, 0.0}; // the last overflows its own length
    for (int w = 0; w < 3; w++) {
        device.functions->write(&device, wanted[w], NULL);
        sim_pass(&device, 1);
        pal_sim_truth truth = sim_truth(&device);
        for (int i = 0; i < 3; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, scale[w] * wanted[w][i], truth.force[i]);
        }
    }
    device.functions->write(&device, (double[3]){NAN, 1.0, 0.0}, NULL);
    sim_pass(&device, 1);
    pal_sim_truth truth = sim_truth(&device);
    TEST_ASSERT_TRUE(truth.force[0] == 0.0 && truth.force[1] == 0.0);
    TEST_ASSERT_TRUE(isfinite(truth.position[0]) && isfinite(truth.position[1]));
    pal_device_close(&device);
}

// ---- The encoders -------------------------------------------------------------------------------

static void test_readings_are_within_half_a_step_and_on_the_grid(void) {
    pal_sim_options options = sim_held("loose");
    pal_intent wander = {.kind = PAL_INTENT_WANDER, .seconds = 2.0, .radius = 0.02};
    options.limits.resolution = 55e-6;
    options.intent = &wander;
    options.intent_count = 1;
    pal_device device = sim_open(&options);
    for (int k = 0; k < 2000; k++) {
        pal_device_state state = sim_read(&device);
        pal_sim_truth truth = sim_truth(&device);
        for (int i = 0; i < 3; i++) {
            double steps = state.position[i] / 55e-6;
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, round(steps), steps);
            TEST_ASSERT_DOUBLE_WITHIN(27.5e-6 + 1e-12, truth.position[i], state.position[i]);
        }
        TEST_ASSERT_EQUAL_UINT64(k + 1, state.sequence);
        TEST_ASSERT_EQUAL_UINT32(0, state.buttons);
        TEST_ASSERT_TRUE(state.present);
        sim_pass(&device, 1);
    }
    pal_device_close(&device);
}

static void test_the_velocity_follows_with_the_filters_lag(void) {
    pal_sim_options options = sim_alone();
    options.start_velocity[2] = 0.2;
    options.velocity_filter = 3e-3;
    pal_device device = sim_open(&options);
    sim_pass(&device, 100);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.2, sim_read(&device).velocity[2]);
    pal_device_close(&device);

    // Under constant acceleration it lags by the filter and half a tick.
    options.start_velocity[2] = 0.0;
    device = sim_open(&options);
    device.functions->write(&device, (double[3]){0.0, 0.0, 0.045}, NULL); // 1 m/s^2
    sim_pass(&device, 200);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.2 - 3e-3 - 0.5e-3, sim_read(&device).velocity[2]);
    pal_device_close(&device);
}

static void test_noise_has_its_strength(void) {
    pal_sim_options options = sim_alone();
    options.noise = 20e-6;
    pal_device device = sim_open(&options);
    double sum = 0.0, square = 0.0;
    int count = 20000;
    for (int k = 0; k < count; k++) {
        sim_pass(&device, 1);
        double x = sim_read(&device).position[0];
        sum += x / count;
        square += x * x / count;
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.6e-6, 0.0, sum);
    TEST_ASSERT_DOUBLE_WITHIN(0.4e-6, 20e-6, sqrt(square));
    TEST_ASSERT_TRUE(sim_truth(&device).position[0] == 0.0); // only the reading is noisy
    pal_device_close(&device);
}

// ---- Determinism and cost -----------------------------------------------------------------------

// One number for a whole trajectory against a soft wall, with all there is switched on.
static uint64_t trajectory(uint64_t seed) {
    pal_intent intents[] = {{.kind = PAL_INTENT_PRESS, .seconds = 0.3, .to = {-0.01, 0.0, 0.0}},
                            {.kind = PAL_INTENT_WANDER, .seconds = 0.7, .radius = 0.01}};
    pal_fault fault = {.kind = PAL_FAULT_JITTER, .at = 0.5, .seconds = 3e-3};
    pal_sim_options options;
    pal_sim_defaults(&options, pal_device_profile("touch"));
    options.noise = 10e-6;
    options.delay = 0.4e-3;
    options.seed = seed;
    options.intent = intents;
    options.intent_count = 2;
    options.fault = &fault;
    options.fault_count = 1;
    pal_device device = sim_open(&options);
    uint64_t hash = 0;
    for (int k = 0; k < 1000; k++) {
        pal_device_state state = sim_read(&device);
        double x = state.position[0];
        device.functions->write(&device, (double[3]){x < 0.0 ? -300.0 * x : 0.0, 0.0, 0.0}, NULL);
        device.functions->advance(&device, SIM_TICK);
        for (int i = 0; i < 3; i++) {
            uint64_t bits[2];
            memcpy(&bits[0], &state.position[i], sizeof bits[0]);
            memcpy(&bits[1], &state.velocity[i], sizeof bits[1]);
            hash = pal_rng_splitmix(&hash) ^ bits[0];
            hash = pal_rng_splitmix(&hash) ^ bits[1];
        }
    }
    pal_device_close(&device);
    return hash;
}

static void test_the_seed_decides_the_trajectory_bit_for_bit(void) {
    uint64_t first = trajectory(5);
    TEST_ASSERT_TRUE(first == trajectory(5));
    TEST_ASSERT_TRUE(first != trajectory(6));
}

static void test_a_second_costs_far_less_than_a_second(void) {
    clock_t before = clock();
    trajectory(1);
    TEST_ASSERT_TRUE((double)(clock() - before) / CLOCKS_PER_SEC < 0.2);
}

// ---- Refusals -----------------------------------------------------------------------------------

static void refuse(const pal_sim_options *options, const char *part) {
    pal_device device;
    pal_err err = {.status = PAL_OK};
    CHECK_FAILS(PAL_ERR_USAGE, part, pal_device_open_sim(&device, options, &err), err);
    TEST_ASSERT_NULL(device.functions);
    pal_device_close(&device);
}

static void test_options_without_sense_are_refused(void) {
    pal_sim_options options = sim_alone();
    options.limits.mass = 0.0;
    refuse(&options, "mass");
    options = sim_alone();
    options.delay = 1.0;
    refuse(&options, "delay of 1 s");
    options.delay = -1.0;
    refuse(&options, "delay is -1");
    options = sim_alone();
    options.friction = NAN;
    refuse(&options, "friction is");
    options = sim_alone();
    options.hand.k_g = INFINITY;
    refuse(&options, "k_g is");
    options = sim_alone();
    options.start[1] = NAN;
    refuse(&options, "start");
    options = sim_alone();
    options.fault_count = -1;
    refuse(&options, "negative count");
}

static void test_want_of_memory_leaks_nothing(void) {
    pal_sim_options options = sim_alone();
    for (int n = 0; n < 3; n++) {
        pal_device device;
        pal_err err;
        pal_memory_fail_after(n);
        CHECK_FAILS(PAL_ERR_MEMORY, "out of memory", pal_device_open_sim(&device, &options, &err),
                    err);
        pal_device_close(&device);
    }
}

static void test_the_button_is_down_during_the_intents_that_say_so(void) {
    static const pal_intent script[] = {{.kind = PAL_INTENT_HOLD, .seconds = 0.02, .buttons = 1},
                                        {.kind = PAL_INTENT_HOLD, .seconds = 0.03},
                                        {.kind = PAL_INTENT_HOLD, .seconds = 0.02, .buttons = 3}};
    pal_sim_options options = sim_held("firm");
    options.intent = script;
    options.intent_count = 3;
    pal_device device = sim_open(&options);
    for (int k = 0; k < 90; k++, sim_pass(&device, 1)) {
        const uint32_t wanted = k < 20 ? 1 : k < 50 ? 0 : k < 70 ? 3 : 0;
        if (k % 10 != 0) { // at the borders it is either
            TEST_ASSERT_EQUAL_UINT32(wanted, sim_read(&device).buttons);
        }
    }
    pal_device_close(&device);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_sampled_spring_is_stable_up_to_the_law);
    RUN_TEST(test_the_bound_is_that_of_the_exactly_sampled_system);
    RUN_TEST(test_friction_keeps_slow_swings_stable);
    RUN_TEST(test_a_held_device_comes_to_rest_at_the_intent);
    RUN_TEST(test_a_force_moves_the_hand);
    RUN_TEST(test_the_grips_have_names);
    RUN_TEST(test_a_force_acts_after_the_delay_to_the_microsecond);
    RUN_TEST(test_the_last_of_two_writes_counts);
    RUN_TEST(test_saturation_keeps_the_direction);
    RUN_TEST(test_readings_are_within_half_a_step_and_on_the_grid);
    RUN_TEST(test_the_velocity_follows_with_the_filters_lag);
    RUN_TEST(test_noise_has_its_strength);
    RUN_TEST(test_the_seed_decides_the_trajectory_bit_for_bit);
    RUN_TEST(test_a_second_costs_far_less_than_a_second);
    RUN_TEST(test_the_button_is_down_during_the_intents_that_say_so);
    RUN_TEST(test_options_without_sense_are_refused);
    RUN_TEST(test_want_of_memory_leaks_nothing);
    return UNITY_END();
}
