// Laws of the whole tick: the same in every run, bounded whatever happens, passive, and as stiff as
// it should be.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"

static const pal_live_options live_options = {.dt = 1e-3, .feature = 5e-3};

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

static double norm_of_change(const double a[3], const double b[3]) {
    double d[3];
    pal_sub3(a, b, d);
    return pal_norm3(d);
}

// |force| within the limit and |change| within the slew limit, tick after tick.
static void check_bounds(const pal_tick_record *record, double last[3]) {
    const pal_safety_options *limit = &block.servo->own.hand[0].safety.options;
    TEST_ASSERT_TRUE(pal_norm3(record->force) <= limit->max_force * (1 + 1e-12));
    TEST_ASSERT_TRUE(norm_of_change(record->force, last) <=
                     limit->max_slew * block.servo->options.dt * (1 + 1e-9));
    memcpy(last, record->force, 3 * sizeof *last);
}

static void hash_of_press(char text[PAL_HASH_TEXT]) {
    pal_hash hash;
    pal_hash_init(&hash);
    open_press();
    for (int k = 0; k < LIVE_BLOCK_PRESS_TICKS; k++) {
        pal_tick_record record = live_block_tick(&block);
        pal_trace_hash_record(&hash, &record);
    }
    live_block_close(&block);
    pal_hash_text(&hash, text);
}

static void test_two_runs_are_the_same_bit_for_bit(void) {
    char a[PAL_HASH_TEXT], b[PAL_HASH_TEXT];
    hash_of_press(a);
    hash_of_press(b);
    TEST_ASSERT_EQUAL_STRING(a, b);
}

static void test_a_press_is_felt_and_gives_way(void) {
    open_press();
    double most = 0.0, deepest = 0.0;
    int touching = 0;
    for (int k = 0; k < LIVE_BLOCK_PRESS_TICKS; k++) {
        pal_tick_record record = live_block_tick(&block);
        touching += record.touching > 0;
        most = fmax(most, record.force[2]);
        deepest = fmax(deepest, record.touching > 0 ? LIVE_BLOCK_TOP - record.point[2] : 0.0);
        TEST_ASSERT_EQUAL_UINT32(0, record.outcome & ~(uint32_t)PAL_OUT_PASSIVITY);
        if (!record.touching) {
            TEST_ASSERT_TRUE_MESSAGE(pal_norm3(record.wanted) == 0.0, "free space pushes");
        }
    }
    TEST_ASSERT_TRUE(touching > 300 && touching < LIVE_BLOCK_PRESS_TICKS);
    TEST_ASSERT_TRUE(most > 0.2 && most < 3.3);
    TEST_ASSERT_TRUE(block.servo->own.counters.max_depth < 1.5e-3);
    live_block_close(&block);
}

static void test_hand_and_body_feel_the_same_force(void) {
    open_press();
    // at rest, which a step of the encoder ends for a while, the body's reduced force is that of
    // the contacts, which make up the force on the hand
    pal_tick_record record = {.kinetic = INFINITY};
    for (int k = 0; k < 500 || (k < 750 && !(record.kinetic < 1e-10)); k++) {
        record = live_block_tick(&block);
    }
    TEST_ASSERT_TRUE(record.kinetic < 1e-10);
    const pal_newmark *body = block.body.newmark;
    double force[PAL_MAX_R], largest = 0.0;
    pal_newmark_evaluate(block.body.newmark, pal_newmark_q(body), force, NULL);
    const pal_contacts *contacts = &block.servo->own.world.contacts;
    double felt[3] = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < 3 * contacts->count; k++) {
        felt[k % 3] += contacts->force[k];
    }
    for (int32_t i = 0; i < pal_newmark_r(body); i++) {
        double difference = fabs(force[i] - block.servo->own.world.reduced[i]);
        TEST_ASSERT_TRUE(difference < 0.02 * felt[2]);
        largest = fmax(largest, fabs(force[i]));
    }
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_DOUBLE_WITHIN(0.02 * felt[2], felt[c], record.wanted[c]);
    }
    TEST_ASSERT_TRUE(largest > 0.1);
    live_block_close(&block);
}

// By the true places: between the steps of the encoder the force does work, too.
static void test_press_and_release_make_no_energy(void) {
    open_press();
    double work = 0.0, least = 0.0, before[3]; // put in by the hand
    pal_sim_truth truth;
    for (int k = 1; k < LIVE_BLOCK_PRESS_TICKS; k++) {
        pal_sim_read_truth(&block.device, &truth);
        memcpy(before, truth.position, sizeof before);
        pal_tick_record record = live_block_tick(&block);
        pal_sim_read_truth(&block.device, &truth);
        for (int c = 0; c < 3; c++) {
            work -= record.force[c] * (truth.position[c] - before[c]);
        }
        least = fmin(least, work);
    }
    TEST_ASSERT_TRUE(-least <= 1e-4);
    TEST_ASSERT_TRUE(block.servo->own.hand[0].passivity.made <= 1e-4);
    live_block_close(&block);
}

static void test_a_wall_is_rendered_at_its_stiffness(void) {
    static const pal_wall wall = {.height = LIVE_BLOCK_TOP, .stiffness = 500.0, .damping = 1.0};
    static const pal_intent slow[] = {
        {.kind = PAL_INTENT_PRESS, .seconds = 3.0, .to = {0.03, 0.03, LIVE_BLOCK_TOP - 0.01}}};
    pal_sim_options sim;
    live_block_sim(&sim, slow, 1);
    live_block_open(&block, &sim, &wall);
    double sums[5] = {0.0}; // n, x, y, xx, xy
    for (int k = 0; k < 3000; k++) {
        pal_tick_record record = live_block_tick(&block);
        double x = LIVE_BLOCK_TOP - record.position[2], y = record.force[2];
        if (x > 0.0 && x < 2e-3) {
            const double row[5] = {1.0, x, y, x * x, x * y};
            for (int i = 0; i < 5; i++) {
                sums[i] += row[i];
            }
        }
    }
    double slope =
        (sums[0] * sums[4] - sums[1] * sums[2]) / (sums[0] * sums[3] - sums[1] * sums[1]);
    TEST_ASSERT_DOUBLE_WITHIN(0.03 * wall.stiffness, wall.stiffness, slope);
    live_block_close(&block);
}

// Coefficients that are not numbers, swapped in at a tick.
static void test_a_body_that_is_not_a_number_is_let_go(void) {
    const pal_model *model = live_block_model();
    pal_quartic bad = model->quartic;
    const size_t pairs = (size_t)pal_pairs(bad.r);
    pal_err err = {0};
    bad.p = PAL_NEW(double, pairs, &err);
    for (size_t i = 0; i < pairs; i++) {
        bad.p[i] = NAN;
    }
    void *memory = pal_alloc(pal_newmark_coefficient_bytes(bad.r, PAL_DOUBLE), 1, &err);
    pal_coefficients *poison = pal_newmark_prepare(memory, &bad, NULL, PAL_DOUBLE);
    pal_taken good;
    open_press();
    double last[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 1000; k++) {
        if (k == 500) {
            TEST_ASSERT_TRUE(last[2] > 0.2);
            TEST_ASSERT_TRUE(pal_command_send(
                &block.servo->link,
                &(pal_servo_command){.kind = PAL_COMMAND_MATERIAL, .coefficients = poison}));
        }
        if (k == 700) { // healed
            TEST_ASSERT_TRUE(pal_command_take_back(&block.servo->link, &good));
            TEST_ASSERT_EQUAL_UINT64(500, good.tick);
            pal_command_send(&block.servo->link,
                             &(pal_servo_command){.kind = PAL_COMMAND_MATERIAL,
                                                  .coefficients = good.coefficients});
        }
        pal_tick_record record = live_block_tick(&block);
        check_bounds(&record, last);
        TEST_ASSERT_EQUAL_INT(k >= 500 && k < 700, (record.outcome & PAL_OUT_NAN) != 0);
        if (k >= 510 && k < 700) {
            TEST_ASSERT_TRUE(pal_norm3(record.force) == 0.0);
        }
        TEST_ASSERT_TRUE(isfinite(record.kinetic));
    }
    live_block_close(&block);
    free(memory);
    free(bad.p);
}

static void test_a_device_that_vanishes_gets_no_force(void) {
    static const pal_fault fault = {.kind = PAL_FAULT_UNPLUG, .at = 0.5};
    pal_sim_options sim;
    live_block_sim(&sim, live_block_press, 3);
    sim.fault = &fault;
    sim.fault_count = 1;
    live_block_open(&block, &sim, NULL);
    double last[3] = {0.0, 0.0, 0.0}, before = 0.0;
    for (int k = 0; k < 1000; k++) {
        pal_tick_record record = live_block_tick(&block);
        before = k == 499 ? pal_norm3(record.force) : before;
        check_bounds(&record, last);
        if (k > 510) {
            TEST_ASSERT_TRUE(record.outcome & PAL_OUT_DEVICE_LOST);
            TEST_ASSERT_TRUE(pal_norm3(record.force) == 0.0);
        }
    }
    TEST_ASSERT_TRUE(before > 0.2);
    TEST_ASSERT_TRUE(block.servo->own.hand[0].safety.latched);
    live_block_close(&block);
}

static void test_missed_ticks_end_in_a_latched_fault_without_a_jump(void) {
    open_press();
    double last[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 700; k++) {
        pal_tick_record record;
        pal_servo_tick(block.servo, k == 500 ? 200 : 0, 0.0);
        TEST_ASSERT_TRUE(pal_ring_get(&block.servo->log, &record));
        TEST_ASSERT_EQUAL_UINT32(k == 500 ? 200 : 0, record.missed);
        check_bounds(&record, last);
    }
    TEST_ASSERT_TRUE(pal_norm3(last) == 0.0);
    TEST_ASSERT_TRUE(block.servo->own.hand[0].safety.latched);
    TEST_ASSERT_EQUAL_UINT64(200, block.servo->own.counters.missed);
    live_block_close(&block);
}

static void test_stopping_takes_the_force_away_in_time(void) {
    open_press();
    for (int k = 0; k < 600; k++) {
        live_block_tick(&block);
    }
    double last[3];
    memcpy(last, block.servo->own.hand[0].safety.last, sizeof last);
    TEST_ASSERT_TRUE(pal_norm3(last) > 0.2);
    pal_servo_order(block.servo, PAL_COMMAND_STOP);
    for (int k = pal_servo_stop_ticks(block.servo); k > 0; k--) {
        pal_tick_record record = live_block_tick(&block);
        check_bounds(&record, last);
    }
    TEST_ASSERT_TRUE(pal_norm3(last) == 0.0);
    live_block_close(&block);
}

static void test_a_pause_lets_go_and_a_reset_brings_the_body_to_rest(void) {
    open_press();
    for (int k = 0; k < 600; k++) {
        live_block_tick(&block);
    }
    pal_servo_order(block.servo, PAL_COMMAND_PAUSE);
    pal_tick_record record;
    for (int k = 0; k < 20; k++) {
        record = live_block_tick(&block);
    }
    TEST_ASSERT_TRUE(pal_norm3(record.force) == 0.0);
    TEST_ASSERT_TRUE(record.strain > 0.0);
    pal_servo_order(block.servo, PAL_COMMAND_RESET);
    record = live_block_tick(&block);
    TEST_ASSERT_EQUAL_UINT32(1u << PAL_COMMAND_RESET, record.commands);
    for (int32_t i = 0; i < block.body.body.size; i++) {
        TEST_ASSERT_TRUE(block.body.body.q[i] == 0.0);
    }
    pal_servo_order(block.servo, PAL_COMMAND_RESUME);
    for (int k = 0; k < 20;
         k++) { // the hand is in the body now, and feels nothing until it was out
        record = live_block_tick(&block);
        TEST_ASSERT_TRUE(pal_norm3(record.wanted) == 0.0 && record.strain == 0.0);
    }
    live_block_close(&block);
}

static void test_the_surface_moves_as_the_embedding_says(void) {
    const pal_model *model = live_block_model();
    pal_live_body body;
    pal_err err = {0};
    CHECK_OK(pal_live_body_open(&body, model, &live_options, &err), err);
    double q[PAL_MAX_R] = {0.003, -0.002, 0.001}, x[3];
    double *u = PAL_NEW(double, 3 * model->mesh.vertex_count, &err);
    double *moved = PAL_NEW(double, 3 * model->surface.vertex_count, &err);
    for (int64_t i = 0; i < 3 * (int64_t)model->mesh.vertex_count; i++) {
        for (int32_t l = 0; l < model->r; l++) {
            u[i] += model->basis[i * model->r + l] * q[l];
        }
    }
    pal_embedding_displace(&model->embedding, u, moved);
    pal_newmark_set_state(body.newmark, q, NULL, NULL);
    for (int32_t p = 0; p < model->surface.vertex_count; p++) {
        body.body.functions->position(&body.body, p, x);
        for (int c = 0; c < 3; c++) {
            double expected = model->surface.x[3 * p + c] + moved[3 * p + c];
            TEST_ASSERT_DOUBLE_WITHIN(1e-14, expected, x[c]);
        }
    }
    free(u);
    free(moved);
    pal_live_body_close(&body);
}

static void test_set_up_survives_every_failing_allocation(void) {
    const pal_model *model = live_block_model();
    pal_device device;
    pal_device_open_null(&device);
    pal_servo_options options;
    pal_servo_defaults(&options, pal_device_profile("touch"));
    for (long n = 0;; n++) {
        pal_live_body body;
        pal_servo *servo = NULL;
        pal_err err = {0};
        pal_memory_fail_after(n);
        pal_status status = pal_live_body_open(&body, model, &live_options, &err);
        pal_status opened = status;
        if (status == PAL_OK) {
            status = pal_servo_open(&servo, &options, &device, &body, &err);
        }
        pal_memory_fail_after(-1);
        pal_servo_close(servo);
        if (opened == PAL_OK) {
            pal_live_body_close(&body);
        }
        if (status == PAL_OK) {
            TEST_ASSERT_TRUE(n > 3);
            break;
        }
        TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, status);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_two_runs_are_the_same_bit_for_bit);
    RUN_TEST(test_a_press_is_felt_and_gives_way);
    RUN_TEST(test_hand_and_body_feel_the_same_force);
    RUN_TEST(test_press_and_release_make_no_energy);
    RUN_TEST(test_a_wall_is_rendered_at_its_stiffness);
    RUN_TEST(test_a_body_that_is_not_a_number_is_let_go);
    RUN_TEST(test_a_device_that_vanishes_gets_no_force);
    RUN_TEST(test_missed_ticks_end_in_a_latched_fault_without_a_jump);
    RUN_TEST(test_stopping_takes_the_force_away_in_time);
    RUN_TEST(test_a_pause_lets_go_and_a_reset_brings_the_body_to_rest);
    RUN_TEST(test_the_surface_moves_as_the_embedding_says);
    RUN_TEST(test_set_up_survives_every_failing_allocation);
    return UNITY_END();
}
