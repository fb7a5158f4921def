// What the snapshot tells those who draw is what the tick made: dents, contacts, the hand, counts.
#include <math.h>
#include <string.h>

#include "haptics/servo_parts.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"

static live_block block;
static pal_sim_options sim;

void setUp(void) {
    live_block_sim(&sim, live_block_press, 3);
}
void tearDown(void) {
    live_block_close(&block);
}

static const pal_snapshot *latest(void) {
    bool fresh;
    const pal_snapshot *shot = pal_exchange_latest(&block.servo->exchange, &fresh);
    TEST_ASSERT_TRUE(fresh);
    return shot;
}

// To the middle of the hold.
static const pal_snapshot *press(pal_tick_record *record) {
    live_block_open_model(&block, &sim, live_block_local(), PAL_DOUBLE);
    for (int k = 0; k < 600; k++) {
        *record = live_block_tick(&block);
    }
    return latest();
}

static void test_body_and_hand_are_where_the_tick_left_them(void) {
    pal_tick_record record;
    const pal_snapshot *shot = press(&record);
    const pal_snapshot_hand *hand = &shot->hand[0];
    TEST_ASSERT_EQUAL_UINT64(599, shot->tick);
    TEST_ASSERT_EQUAL_INT(10, shot->r);
    TEST_ASSERT_TRUE(memcmp(shot->q, block.body.body.q, 10 * sizeof *shot->q) == 0);
    TEST_ASSERT_TRUE(memcmp(hand->device.x, record.position, sizeof record.position) == 0);
    TEST_ASSERT_TRUE(memcmp(hand->device.turn, record.turn, sizeof record.turn) == 0);
    TEST_ASSERT_TRUE(memcmp(hand->tool.x, record.tool, sizeof record.tool) == 0);
    TEST_ASSERT_TRUE(hand->present && hand->fault == 0 && !hand->holds && !shot->paused);
    TEST_ASSERT_TRUE(hand->device.x[2] < hand->tool.x[2]); // the hand is inside, the tool is not
    TEST_ASSERT_TRUE(shot->strain == record.strain && shot->strain > 0.0);
    TEST_ASSERT_TRUE(hand->ledger == record.ledger);
    TEST_ASSERT_TRUE(shot->softer[0] == 1.0);
}

static void test_contacts_bear_together_what_the_tool_feels(void) {
    pal_tick_record record;
    const pal_snapshot_hand *hand = &press(&record)->hand[0];
    double sum[3] = {0.0};
    TEST_ASSERT_EQUAL_INT((int)record.touching, hand->contact_count);
    TEST_ASSERT_TRUE(hand->contact_count > 1);
    for (int32_t k = 0; k < hand->contact_count; k++) {
        for (int c = 0; c < 3; c++) {
            sum[c] += hand->contact[k].force[c];
        }
        TEST_ASSERT_FLOAT_WITHIN(2e-3F, 0.03F, hand->contact[k].point[2] + 0.005F);
        TEST_ASSERT_TRUE(hand->contact[k].normal[2] > 0.5F);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, block.servo->own.tool[0].force[2], sum[2]);
}

static void test_dents_are_those_of_the_body(void) {
    pal_tick_record record;
    const pal_snapshot *shot = press(&record);
    const pal_dent *dent = &block.servo->own.world.dent;
    TEST_ASSERT_TRUE(shot->dent_count > 4);
    TEST_ASSERT_EQUAL_INT(dent->touched_count, shot->dent_count + shot->dent_left_out);
    double most = 0.0;
    for (int32_t k = 0; k < shot->dent_count; k++) {
        const double *u = dent->u + 3 * (int64_t)shot->dent_vertex[k];
        for (int c = 0; c < 3; c++) {
            TEST_ASSERT_FLOAT_WITHIN(1e-9F, (float)u[c], shot->dent[k][c]);
        }
        most = fmax(most, pal_norm3(u));
    }
    TEST_ASSERT_TRUE(most > 1e-4);
}

static void test_after_the_press_nothing_is_left_of_it(void) {
    pal_tick_record record;
    press(&record);
    for (int k = 600; k < 1500; k++) {
        live_block_tick(&block);
    }
    const pal_snapshot *shot = latest();
    TEST_ASSERT_EQUAL_INT(0, shot->dent_count);
    TEST_ASSERT_EQUAL_INT(0, shot->hand[0].contact_count);
    TEST_ASSERT_EQUAL_INT(0, shot->hand[0].touching);
}

static void test_the_last_forces_and_all_tick_times_are_there(void) {
    live_block_open_model(&block, &sim, live_block_local(), PAL_DOUBLE);
    float sent[600];
    for (int k = 0; k < 600; k++) {
        const pal_tick_record record = live_block_tick(&block);
        sent[k] = (float)pal_norm3(record.force);
    }
    const pal_snapshot *shot = latest();
    for (int k = 600 - PAL_SNAPSHOT_RECENT; k < 600; k++) {
        TEST_ASSERT_EQUAL_FLOAT(sent[k], shot->hand[0].recent[k % PAL_SNAPSHOT_RECENT]);
    }
    uint64_t ticks = 0;
    int highest = 0;
    for (int i = 0; i < PAL_SNAPSHOT_BINS; i++) {
        ticks += shot->tick_bin[i];
        highest = shot->tick_bin[i] > 0 ? i : highest;
    }
    TEST_ASSERT_EQUAL_UINT64(600, ticks);
    TEST_ASSERT_TRUE(shot->max_tick_us <= pal_snapshot_bin_us(highest) * 1.001);
    TEST_ASSERT_TRUE(shot->max_tick_us >= pal_snapshot_bin_us(highest - 1) * 0.999);
    TEST_ASSERT_TRUE(shot->max_force == block.servo->own.counters.max_force);
}

static void test_counts_and_faults_are_told(void) {
    const pal_fault unplug = {.kind = PAL_FAULT_UNPLUG, .at = 0.3, .seconds = 1.0};
    sim.fault = &unplug;
    sim.fault_count = 1;
    live_block_open_model(&block, &sim, live_block_local(), PAL_DOUBLE);
    for (int k = 0; k < 400; k++) {
        live_block_tick(&block);
    }
    pal_servo_tick(block.servo, 3, 0.0); // three deadlines missed
    const pal_snapshot *shot = latest();
    TEST_ASSERT_TRUE(!shot->hand[0].present && shot->hand[0].fault != 0);
    TEST_ASSERT_TRUE(shot->counted[PAL_OUT_DEVICE_LOST_NUMBER] > 50);
    TEST_ASSERT_EQUAL_UINT64(3, shot->missed);
    TEST_ASSERT_TRUE(shot->outcome & PAL_OUT_LATE);
}

static void test_a_wall_shows_the_device_at_it(void) {
    const pal_wall wall = {LIVE_BLOCK_TOP, 500.0, 1.0};
    live_block_open(&block, &sim, &wall);
    for (int k = 0; k < 600; k++) {
        live_block_tick(&block);
    }
    const pal_snapshot *shot = latest();
    TEST_ASSERT_EQUAL_INT(0, shot->r);
    TEST_ASSERT_EQUAL_INT(0, shot->dent_count);
    TEST_ASSERT_EQUAL_INT(1, shot->hand[0].contact_count);
    TEST_ASSERT_FLOAT_WITHIN(1e-6F, (float)LIVE_BLOCK_TOP, shot->hand[0].contact[0].point[2]);
    TEST_ASSERT_TRUE(shot->hand[0].contact[0].force[2] > 0.0F);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_body_and_hand_are_where_the_tick_left_them);
    RUN_TEST(test_contacts_bear_together_what_the_tool_feels);
    RUN_TEST(test_dents_are_those_of_the_body);
    RUN_TEST(test_after_the_press_nothing_is_left_of_it);
    RUN_TEST(test_the_last_forces_and_all_tick_times_are_there);
    RUN_TEST(test_counts_and_faults_are_told);
    RUN_TEST(test_a_wall_shows_the_device_at_it);
    return UNITY_END();
}
