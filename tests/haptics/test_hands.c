// Several hands at one body: the same in every run, replayed bit for bit, each by itself where it
// should be.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices/dev_replay.h"
#include "haptics/trace.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"

void setUp(void) {
}
void tearDown(void) {
}

enum { HANDS = 2, TICKS = 1200 };
static const double radius = 5e-3, middle = 0.03, height = 0.02;

typedef struct rig {
    pal_live_body body;
    pal_device device[HANDS];
    pal_servo *servo;
} rig;

static pal_tick_record row[TICKS][HANDS];

static void open_servo(rig *r) {
    pal_err err = {0};
    pal_servo_options options;
    const pal_live_options how = {.dt = 1e-3, .feature = radius};
    CHECK_OK(pal_live_body_open(&r->body, live_block_model(), &how, &err), err);
    pal_servo_defaults(&options, &r->device[0].limits);
    pal_servo_defaults_hand(&options, 1, &r->device[1].limits);
    CHECK_OK(pal_servo_open(&r->servo, &options, r->device, &r->body, &err), err);
}

// A touch on the left and a premium on the right press the block between them.
static void open_rig(rig *r, const pal_fault *fault) {
    static const char *const names[HANDS] = {"touch", "premium"};
    pal_err err = {0};
    memset(r, 0, sizeof *r);
    for (int h = 0; h < HANDS; h++) {
        const double out = h == 0 ? -1.0 : 1.0, side = (h == 0 ? 0.0 : 0.06) + out * radius;
        const pal_intent press[] = {
            {.kind = PAL_INTENT_PRESS,
             .seconds = 0.4,
             .to = {side - 0.004 * out, middle, height},
             .turned = true,
             .turn = {0.0, 0.3 * h, 0.0}},
            {.kind = PAL_INTENT_HOLD, .seconds = 0.3},
            {.kind = PAL_INTENT_RELEASE, .seconds = 0.4},
        };
        pal_sim_options sim;
        pal_sim_defaults(&sim, pal_device_profile(names[h]));
        sim.friction = 0.0;
        sim.seed = (uint64_t)h + 1;
        sim.intent = press;
        sim.intent_count = 3;
        sim.fault = fault;
        sim.fault_count = fault != NULL && h == 1;
        memcpy(sim.start, (double[3]){side + 0.01 * out, middle, height}, sizeof sim.start);
        CHECK_OK(pal_device_open_sim(&r->device[h], &sim, &err), err);
    }
    open_servo(r);
}

static void close_rig(rig *r) {
    pal_servo_close(r->servo);
    for (int h = 0; h < HANDS; h++) {
        pal_device_close(&r->device[h]);
    }
    pal_live_body_close(&r->body);
}

static void run(rig *r, pal_tick_record out[][HANDS]) {
    for (int k = 0; k < TICKS; k++) {
        pal_servo_tick(r->servo, 0, 0.0);
        for (int h = 0; h < HANDS; h++) {
            memset(&out[k][h], 0, sizeof out[k][h]);
            TEST_ASSERT_TRUE(pal_ring_get(&r->servo->log, &out[k][h]));
            TEST_ASSERT_EQUAL_UINT32(h, out[k][h].hand);
            TEST_ASSERT_TRUE(out[k][h].tick == (uint64_t)k);
        }
    }
}

static void hash_of(pal_tick_record rows[][HANDS], char text[PAL_HASH_TEXT]) {
    pal_hash hash;
    pal_hash_init(&hash);
    for (int k = 0; k < TICKS * HANDS; k++) {
        pal_trace_hash_record(&hash, &rows[k / HANDS][k % HANDS]);
    }
    pal_hash_text(&hash, text);
}

static void test_both_hands_press_and_are_pushed_apart(void) {
    rig r;
    bool fresh;
    open_rig(&r, NULL);
    run(&r, row);
    double most[HANDS] = {0.0};
    for (int k = 0; k < TICKS; k++) {
        most[0] = fmax(most[0], -row[k][0].force[0]);
        most[1] = fmax(most[1], row[k][1].force[0]);
        TEST_ASSERT_TRUE(pal_norm3(row[k][0].torque) == 0.0); // a touch makes none
    }
    TEST_ASSERT_TRUE(most[0] > 0.2 && most[1] > 0.2);
    TEST_ASSERT_TRUE(row[600][1].turn[2] > 0.1 && row[600][0].turn[0] == 1.0);
    TEST_ASSERT_TRUE(r.servo->own.counters.ticks == TICKS);
    const pal_snapshot *shot = pal_exchange_latest(&r.servo->exchange, &fresh);
    TEST_ASSERT_EQUAL_INT(HANDS, shot->hand_count);
    for (int h = 0; h < HANDS; h++) {
        TEST_ASSERT_TRUE(shot->hand[h].device.x[0] == row[TICKS - 1][h].position[0]);
        TEST_ASSERT_TRUE(r.servo->own.hand[h].passivity.made < 1e-4); // J
    }
    close_rig(&r);
}

static void test_two_runs_are_the_same_and_readings_repeat_them(void) {
    static pal_tick_record again[TICKS][HANDS];
    static pal_device_state state[TICKS];
    char text[3][PAL_HASH_TEXT];
    pal_err err = {0};
    for (int i = 0; i < 2; i++) {
        rig r;
        open_rig(&r, NULL);
        run(&r, row);
        hash_of(row, text[i]);
        close_rig(&r);
    }
    rig r = {0};
    for (int h = 0; h < HANDS; h++) {
        for (int k = 0; k < TICKS; k++) {
            const pal_tick_record *from = &row[k][h];
            state[k] = (pal_device_state){.buttons = from->buttons,
                                          .sequence = from->sequence,
                                          .present = from->present != 0};
            memcpy(state[k].position, from->position, sizeof from->position);
            memcpy(state[k].velocity, from->velocity, sizeof from->velocity);
            memcpy(state[k].turn, from->turn, sizeof from->turn);
            memcpy(state[k].spin, from->spin, sizeof from->spin);
        }
        const pal_device_limits *limits = pal_device_profile(h == 0 ? "touch" : "premium");
        CHECK_OK(pal_device_open_replay(&r.device[h], limits, state, TICKS, &err), err);
    }
    open_servo(&r);
    run(&r, again);
    hash_of(again, text[2]);
    close_rig(&r);
    TEST_ASSERT_EQUAL_STRING(text[0], text[1]);
    TEST_ASSERT_EQUAL_STRING(text[0], text[2]);
}

// The fault of one hand's device is its own: the other goes on feeling.
static void test_a_lost_device_takes_the_force_from_its_own_hand(void) {
    const pal_fault unplug = {.kind = PAL_FAULT_UNPLUG, .at = 0.5};
    rig r;
    open_rig(&r, &unplug);
    run(&r, row);
    TEST_ASSERT_TRUE(r.servo->own.hand[1].safety.latched && !r.servo->own.hand[0].safety.latched);
    TEST_ASSERT_TRUE(pal_norm3(row[600][1].force) == 0.0);
    TEST_ASSERT_TRUE(row[600][0].force[0] < -0.1);
    close_rig(&r);
}

static void test_more_hands_than_there_can_be_are_refused(void) {
    pal_err err = {0};
    pal_servo *servo;
    pal_servo_options options;
    pal_device device[PAL_MAX_TOOLS + 1];
    pal_device_open_null(&device[0]);
    pal_servo_defaults(&options, &device[0].limits);
    for (int32_t count = 0; count <= PAL_MAX_TOOLS + 1; count += PAL_MAX_TOOLS + 1) {
        options.hand_count = count;
        pal_status status = pal_servo_open(&servo, &options, device, NULL, &err);
        CHECK_FAILS(PAL_ERR_USAGE, "hands; give 1 to 4", status, err);
        TEST_ASSERT_NULL(servo);
    }
}

// A trace has a row for each hand and the limits of each.
static void test_a_trace_keeps_the_rows_of_all_hands(void) {
    rig r;
    pal_trace *trace;
    pal_trace_summary summary;
    pal_trace_data data;
    pal_err err = {0};
    char path[1024], text[PAL_HASH_TEXT];
    snprintf(path, sizeof path, "%s", check_scratch("hands.h5"));
    open_rig(&r, NULL);
    run(&r, row);
    hash_of(row, text);
    pal_trace_info info = {.scene = "test",
                           .hand_count = HANDS,
                           .limits = {r.device[0].limits, r.device[1].limits},
                           .dt = 1e-3,
                           .scene_path = "test.yaml",
                           .scene_text = "palpate: 1\n"};
    CHECK_OK(pal_trace_open(&trace, &r.servo->log, &info, path, NULL, &err), err);
    for (int k = 0; k < TICKS; k++) {
        for (int h = 0; h < HANDS; h++) {
            pal_trace_wait(trace);
            TEST_ASSERT_TRUE(pal_ring_put(&r.servo->log, &row[k][h]));
        }
    }
    CHECK_OK(pal_trace_close(trace, TICKS * HANDS, 5.0, &summary, &err), err);
    CHECK_OK(pal_trace_read(path, &data, &err), err);
    TEST_ASSERT_EQUAL_STRING(text, data.hash);
    TEST_ASSERT_EQUAL_INT(TICKS * HANDS, (int)data.count);
    TEST_ASSERT_EQUAL_INT(HANDS, data.info.hand_count);
    for (int h = 0; h < HANDS; h++) {
        const pal_device_limits *then = &data.info.limits[h], *now = &r.device[h].limits;
        TEST_ASSERT_EQUAL_STRING(now->name, then->name);
        TEST_ASSERT_TRUE(then->max_torque == now->max_torque && then->inertia == now->inertia);
        TEST_ASSERT_TRUE(then->senses_turn && then->turn_resolution == now->turn_resolution);
    }
    for (int k = 0; k < TICKS * HANDS; k++) {
        const pal_tick_record *then = &data.record[k], *now = &row[k / HANDS][k % HANDS];
        TEST_ASSERT_EQUAL_INT(0, memcmp(then->turn, now->turn, sizeof now->turn));
        TEST_ASSERT_EQUAL_INT(0, memcmp(then->torque, now->torque, sizeof now->torque));
        TEST_ASSERT_TRUE(then->hand == now->hand && then->spin[1] == now->spin[1]);
    }
    pal_trace_data_free(&data);
    close_rig(&r);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_both_hands_press_and_are_pushed_apart);
    RUN_TEST(test_two_runs_are_the_same_and_readings_repeat_them);
    RUN_TEST(test_a_lost_device_takes_the_force_from_its_own_hand);
    RUN_TEST(test_more_hands_than_there_can_be_are_refused);
    RUN_TEST(test_a_trace_keeps_the_rows_of_all_hands);
    return UNITY_END();
}
