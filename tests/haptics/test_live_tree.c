// Laws of the servo on a tree of domains.
#include <math.h>
#include <string.h>

#include "haptics/live_motion.h"
#include "tests/support/check.h"
#include "tests/support/live_beam.h"

void setUp(void) {
}
void tearDown(void) {
}

static const pal_wind breeze = {
    .direction = {0.0, 1.0, 0.0}, .speed = 20.0, .gust = 10.0, .period = 0.5};

static void test_a_press_is_felt_and_ends(void) {
    static const pal_intent script[] = {
        {.kind = PAL_INTENT_PRESS, .seconds = 0.4, .to = {0.8, 0.06, 0.125}},
        {.kind = PAL_INTENT_HOLD, .seconds = 0.5},
        {.kind = PAL_INTENT_RELEASE, .seconds = 0.4}};
    live_beam beam;
    double most = 0.0, last = 0.0;
    live_beam_open(&beam, script, 3, NULL);
    for (int k = 0; k < 1400; k++) {
        const pal_tick_record record = live_block_tick(&beam.live);
        TEST_ASSERT_EQUAL_UINT32(0, record.outcome & PAL_OUT_NAN);
        last = pal_norm3(record.force);
        most = fmax(most, last);
    }
    TEST_ASSERT_GREATER_THAN_DOUBLE(0.5, most);
    TEST_ASSERT_TRUE(last == 0.0);
    live_beam_close(&beam);
}

// What the step leaves behind is what measuring all of it finds.
static void test_energies_out_of_the_step_are_those_that_are_measured(void) {
    live_beam beam;
    live_beam_open(&beam, live_beam_slide, 3, &breeze);
    for (int k = 0; k < 700; k++) {
        pal_tree_energy now;
        pal_tree_measure(beam.live.body.domains->state, &now);
        const pal_tick_record record = live_block_tick(&beam.live);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * now.strain + 1e-15, now.strain, record.strain);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * now.kinetic + 1e-15, now.kinetic, record.kinetic);
        TEST_ASSERT_TRUE(k < 600 || (now.strain > 1e-4 && now.kinetic > 1e-7));
    }
    live_beam_close(&beam);
}

static void test_the_snapshot_has_the_frames_and_coordinates(void) {
    live_beam beam;
    bool fresh;
    live_beam_open(&beam, live_beam_slide, 3, NULL);
    for (int k = 0; k < 600; k++) {
        live_block_tick(&beam.live);
    }
    const pal_snapshot *shot = pal_exchange_latest(&beam.live.servo->exchange, &fresh);
    const float *at = shot->domain;
    TEST_ASSERT_TRUE(fresh);
    TEST_ASSERT_EQUAL_INT32(4, shot->domain_count);
    for (int32_t i = 0; i < 4; i++, at += 12 + 10) {
        double x[3], turn[3][3], q[PAL_DOMAIN_MOST_MODES];
        pal_tree_frame(beam.live.body.domains->state, i, x, turn);
        pal_tree_get(beam.live.body.domains->state, i, q, NULL, NULL);
        for (int k = 0; k < 3; k++) {
            TEST_ASSERT_TRUE(at[k] == (float)x[k]);
        }
        for (int k = 0; k < 9; k++) {
            TEST_ASSERT_TRUE(at[3 + k] == (float)turn[k / 3][k % 3]);
        }
        for (int l = 0; l < 10; l++) {
            TEST_ASSERT_TRUE(at[12 + l] == (float)q[l]);
        }
    }
    live_beam_close(&beam);
}

static void far_end(const live_beam *beam, double x[3]) {
    double turn[3][3];
    pal_tree_frame(beam->live.body.domains->state, 3, x, turn);
}

// The wind bends the beam to where it blows, the same in every run, and a reset begins it anew.
static void test_wind_is_the_same_in_every_run_and_after_a_reset(void) {
    live_beam beam;
    double at[3][3], rest[3];
    for (int run = 0; run < 2; run++) {
        live_beam_open(&beam, NULL, 0, &breeze);
        far_end(&beam, rest);
        for (int k = 0; k < 300; k++) {
            live_block_tick(&beam.live);
        }
        far_end(&beam, at[run]);
        if (run == 1) {
            pal_servo_order(beam.live.servo, PAL_COMMAND_RESET);
            for (int k = 0; k < 300; k++) {
                live_block_tick(&beam.live);
            }
            far_end(&beam, at[2]);
        }
        live_beam_close(&beam);
    }
    TEST_ASSERT_TRUE(memcmp(at[0], at[1], sizeof at[0]) == 0);
    TEST_ASSERT_TRUE(memcmp(at[0], at[2], sizeof at[0]) == 0);
    TEST_ASSERT_GREATER_THAN_DOUBLE(rest[1] + 1e-3, at[0][1]);
    TEST_ASSERT_DOUBLE_WITHIN(0.1 * (at[0][1] - rest[1]), rest[2], at[0][2]);
}

// In slow motion a tick is a shorter time for the tree.
static void test_slow_motion_slows_the_tree(void) {
    live_beam beam;
    double fast[3], slow[3], rest[3];
    live_beam_open(&beam, NULL, 0, &breeze);
    far_end(&beam, rest);
    for (int k = 0; k < 40; k++) {
        live_block_tick(&beam.live);
    }
    far_end(&beam, fast);
    pal_servo_order(beam.live.servo, PAL_COMMAND_RESET);
    pal_servo_order(beam.live.servo, PAL_COMMAND_SLOW + 1);
    const double slowness = pal_command_slowness(1);
    for (int k = 0; k < (int)(40 * slowness); k++) {
        live_block_tick(&beam.live);
    }
    far_end(&beam, slow);
    TEST_ASSERT_GREATER_THAN_DOUBLE(1.5, slowness);
    TEST_ASSERT_DOUBLE_WITHIN(0.03 * (fast[1] - rest[1]), fast[1], slow[1]);
    live_beam_close(&beam);
}

static void test_springs_in_the_step_are_for_single_bodies(void) {
    live_beam beam;
    pal_servo *servo;
    pal_err err = {0};
    live_beam_open(&beam, NULL, 0, NULL);
    beam.options.form = PAL_CONTACT_PENALTY;
    TEST_ASSERT_EQUAL_INT(PAL_ERR_USAGE, pal_servo_open(&servo, &beam.options, &beam.live.device,
                                                        &beam.live.body, &err));
    TEST_ASSERT_NULL(servo);
    TEST_ASSERT_NOT_NULL(strstr(err.text, "compliance"));
    live_beam_close(&beam);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_press_is_felt_and_ends);
    RUN_TEST(test_energies_out_of_the_step_are_those_that_are_measured);
    RUN_TEST(test_the_snapshot_has_the_frames_and_coordinates);
    RUN_TEST(test_wind_is_the_same_in_every_run_and_after_a_reset);
    RUN_TEST(test_slow_motion_slows_the_tree);
    RUN_TEST(test_springs_in_the_step_are_for_single_bodies);
    return UNITY_END();
}
