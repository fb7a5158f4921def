// Materials changed by hand while a body runs.
#include "haptics/material_desk.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/servo.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"
#include "tests/support/sanitized.h"

void setUp(void) {
}
void tearDown(void) {
}

static live_block block;
static pal_desk *desk;
static pal_model two; // regions "body" and "right"

static void open_with(const pal_model *model, uint64_t begins) {
    pal_sim_options sim;
    pal_err err = {0};
    live_block_sim(&sim, live_block_press, 3);
    live_block_open_model(&block, &sim, model, PAL_DOUBLE);
    const pal_desk_options options = {
        .model = model, .link = &block.servo->link, .precision = PAL_DOUBLE, .begins = begins};
    CHECK_OK(pal_desk_open(&desk, &options, &err), err);
}

static pal_command_link alone;

// A desk with nobody at the other end.
static void open_alone(const pal_model *model, uint64_t begins) {
    pal_err err = {0};
    pal_command_init(&alone);
    const pal_desk_options options = {.model = model, .link = &alone, .begins = begins};
    CHECK_OK(pal_desk_open(&desk, &options, &err), err);
}

// What it has sent.
static bool sent(pal_servo_command *command) {
    return pal_command_next(&alone, command);
}

static void close_all(void) {
    live_block_close(&block);
    pal_desk_close(desk);
}

static void set(int32_t region, pal_property property, double value) {
    pal_err err = {0};
    CHECK_OK(pal_desk_set(desk, region, property, value, &err), err);
}

static bool pump(void) {
    pal_err err = {0};
    bool waiting = false;
    CHECK_OK(pal_desk_pump(desk, block.servo->own.tick, &waiting, &err), err);
    return waiting;
}

static double energy(void) {
    double q[PAL_MAX_R];
    for (int i = 0; i < PAL_MAX_R; i++) {
        q[i] = 1e-3 * sin(1.0 + i);
    }
    return pal_newmark_evaluate(block.body.newmark, q, NULL, NULL);
}

static void test_what_is_set_reaches_the_body_at_the_next_tick(void) {
    open_with(live_block_model(), 0);
    const double before = energy();
    set(0, PAL_PROPERTY_YOUNG, 2e5); // ten times as hard
    live_block_tick(&block);
    TEST_ASSERT_TRUE(energy() == before); // nothing has gone out
    TEST_ASSERT_FALSE(pump());
    TEST_ASSERT_TRUE(energy() == before);
    const pal_tick_record record = live_block_tick(&block);
    TEST_ASSERT_EQUAL_UINT32(1u << PAL_COMMAND_MATERIAL, record.commands);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * before, 10.0 * before, energy());
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.1, block.body.local_scale[0]);
    pump(); // nothing more to say
    TEST_ASSERT_EQUAL_UINT32(0, live_block_tick(&block).commands);
    int count;
    const pal_live_edit *log = pal_desk_log(desk, &count);
    TEST_ASSERT_EQUAL_INT(1, count);
    TEST_ASSERT_EQUAL_UINT64(record.tick, log->tick);
    TEST_ASSERT_TRUE(log->to.young == 2e5 && log->to.density == 1000.0);
    close_all();
}

static void test_the_sliders_end_two_decades_apart(void) {
    open_alone(live_block_model(), 0);
    const pal_slider young = pal_desk_slider(desk, 0, PAL_PROPERTY_YOUNG);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 100.0, young.most / young.least);
    TEST_ASSERT_TRUE(young.logarithmic);
    for (int p = 0; p < PAL_PROPERTY_COUNT; p++) {
        const pal_slider s = pal_desk_slider(desk, 0, (pal_property)p);
        const double now = pal_desk_get(desk, 0, (pal_property)p);
        TEST_ASSERT_TRUE(s.least <= now && now <= s.most && s.least < s.most);
        set(0, (pal_property)p, s.most);
        set(0, (pal_property)p, s.least);
        TEST_ASSERT_TRUE(pal_desk_get(desk, 0, (pal_property)p) == s.least);
    }
    pal_desk_restore(desk);
    TEST_ASSERT_TRUE(pal_desk_get(desk, 0, PAL_PROPERTY_YOUNG) == 2e4);
    TEST_ASSERT_TRUE(pal_desk_get(desk, 0, PAL_PROPERTY_STIFFNESS_DAMPING) == 2e-3);
    pal_desk_close(desk);
}

// A slider drawn over both decades and back, and the others with it, under a press.
static void test_a_slider_drawn_to_and_fro_under_a_press_stays_safe(void) {
    open_with(live_block_model(), 0);
    double last[3] = {0.0, 0.0, 0.0}, most = 0.0;
    for (int k = 0; k < LIVE_BLOCK_PRESS_TICKS; k++) {
        if (k % 16 == 0) {
            const double s = sin(0.02 * k);
            set(0, PAL_PROPERTY_YOUNG, 2e4 * pow(10.0, s));
            set(0, PAL_PROPERTY_POISSON, 0.25 + 0.24 * s);
            set(0, PAL_PROPERTY_DENSITY, 1000.0 * pow(4.0, -s));
            set(0, PAL_PROPERTY_MASS_DAMPING, 5.0 + 5.0 * s);
            set(0, PAL_PROPERTY_STIFFNESS_DAMPING, 0.01 - 0.01 * s);
            TEST_ASSERT_FALSE(pump());
        }
        const pal_tick_record record = live_block_tick(&block);
        double change[3];
        pal_sub3(record.force, last, change);
        memcpy(last, record.force, sizeof last);
        TEST_ASSERT_TRUE(pal_norm3(record.force) <= 3.3 && pal_norm3(change) <= 0.661);
        TEST_ASSERT_FALSE(record.outcome & PAL_OUT_NAN);
        most = fmax(most, pal_norm3(record.force));
    }
    TEST_ASSERT_TRUE(most > 0.1);
    close_all();
}

// The kinetic and strain energy that is left of a blow after 50 ms.
static double left_of_a_blow(double alpha, double beta) {
    const double v[PAL_MAX_R] = {0.02, -0.01, 0.01};
    set(0, PAL_PROPERTY_MASS_DAMPING, alpha);
    set(0, PAL_PROPERTY_STIFFNESS_DAMPING, beta);
    pump();
    live_block_tick(&block);
    pal_newmark_set_state(block.body.newmark, NULL, v, NULL);
    for (int k = 0; k < 50; k++) {
        live_block_tick(&block);
    }
    return pal_newmark_kinetic_energy(block.body.newmark) +
           pal_newmark_strain_energy(block.body.newmark);
}

static void test_damping_takes_the_swing_out_of_a_body(void) {
    pal_sim_options sim;
    pal_err err = {0};
    live_block_sim(&sim, NULL, 0);
    live_block_open(&block, &sim, NULL);
    const pal_desk_options options = {.model = live_block_model(), .link = &block.servo->link};
    CHECK_OK(pal_desk_open(&desk, &options, &err), err);
    const double usual = left_of_a_blow(0.5, 2e-3);
    // Of an energy, exp(-alpha t) more
    TEST_ASSERT_DOUBLE_WITHIN(0.1, exp(-1.0), left_of_a_blow(20.5, 2e-3) / usual);
    TEST_ASSERT_TRUE(left_of_a_blow(0.5, 2e-2) < 0.5 * usual);
    TEST_ASSERT_TRUE(left_of_a_blow(0.5, 0.0) > 1.5 * usual);
    close_all();
}

static void test_what_no_material_can_be_is_refused(void) {
    pal_err err = {0};
    open_alone(live_block_model(), 0);
    pal_servo_command command;
    const struct {
        int32_t region;
        pal_property property;
        double value;
        const char *words;
    } bad[] = {
        {0, PAL_PROPERTY_YOUNG, 0.0, "Young"},
        {0, PAL_PROPERTY_YOUNG, NAN, "Young"},
        {0, PAL_PROPERTY_POISSON, 0.5, "Poisson"},
        {0, PAL_PROPERTY_DENSITY, -1.0, "density"},
        {0, PAL_PROPERTY_MASS_DAMPING, -0.1, "damping"},
        {0, PAL_PROPERTY_STIFFNESS_DAMPING, INFINITY, "damping"},
        {1, PAL_PROPERTY_YOUNG, 1e4, "no region 1"},
        {-1, PAL_PROPERTY_YOUNG, 1e4, "no region -1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const pal_status status =
            pal_desk_set(desk, bad[i].region, bad[i].property, bad[i].value, &err);
        TEST_ASSERT_TRUE(status != PAL_OK);
        TEST_ASSERT_TRUE_MESSAGE(strstr(err.text, bad[i].words) != NULL, err.text);
    }
    CHECK_OK(pal_desk_pump(desk, 0, NULL, &err), err);
    TEST_ASSERT_FALSE(sent(&command));
    pal_desk_close(desk);
}

static void test_a_servo_that_does_not_tick_makes_nobody_wait(void) {
    open_with(&two, 0);
    bool waiting = false;
    for (int k = 0; k < 200; k++) {
        set(0, PAL_PROPERTY_YOUNG, 1e4 + k);
        set(1, PAL_PROPERTY_YOUNG, 3e4 - k);
        waiting = pump();
    }
    TEST_ASSERT_TRUE(waiting);
    for (int k = 0; k < 3; k++) { // the last wish gets through
        live_block_tick(&block);
        waiting = pump();
    }
    TEST_ASSERT_FALSE(waiting);
    live_block_tick(&block);
    pump();
    int count;
    const pal_live_edit *log = pal_desk_log(desk, &count);
    TEST_ASSERT_TRUE(count >= 4 && count <= 8);
    pal_material last[2] = {{0}};
    for (int i = 0; i < count; i++) {
        last[log[i].region] = log[i].to;
    }
    TEST_ASSERT_TRUE(last[0].young == 1e4 + 199 && last[1].young == 3e4 - 199);
    close_all();
}

static void test_nothing_goes_out_before_the_desk_may_begin(void) {
    pal_servo_command command;
    pal_err err = {0};
    open_alone(live_block_model(), 20);
    set(0, PAL_PROPERTY_DENSITY, 1200.0);
    for (uint64_t tick = 0; tick < 40; tick++) {
        bool waiting;
        CHECK_OK(pal_desk_pump(desk, tick, &waiting, &err), err);
        TEST_ASSERT_EQUAL_INT(tick < 20, waiting);
        TEST_ASSERT_EQUAL_INT(tick == 20, sent(&command));
    }
    TEST_ASSERT_EQUAL_INT(PAL_COMMAND_MATERIAL, command.kind);
    pal_desk_close(desk);
}

// ---- repeating ----------------------------------------------------------------------------------

enum { TICKS = 600 };

static void hash_run(const pal_live_edit *edit, int count, char hash[PAL_HASH_TEXT]) {
    pal_hash sum;
    pal_err err = {0};
    pal_hash_init(&sum);
    open_with(&two, 0);
    for (int k = 0, i = 0; k < TICKS; k++) {
        if (edit == NULL && k % 50 == 13) { // live: two regions and the damping at once
            set(0, PAL_PROPERTY_YOUNG, 1e4 + 50.0 * k);
            set(1, PAL_PROPERTY_POISSON, 0.2 + 2e-4 * k);
            set(1, PAL_PROPERTY_DENSITY, 900.0 + k % 100);
            set(1, PAL_PROPERTY_MASS_DAMPING, 0.01 * k);
        } else if (edit == NULL && k % 50 == 40) { // the damping alone
            set(0, PAL_PROPERTY_STIFFNESS_DAMPING, 1e-5 * k);
        }
        if (edit == NULL && k % 7 == 0) {
            pump();
        }
        for (; edit != NULL && i < count && edit[i].tick == (uint64_t)k; i++) {
            CHECK_OK(pal_desk_repeat(desk, &edit[i], &err), err);
        }
        const pal_tick_record record = live_block_tick(&block);
        pal_trace_hash_record(&sum, &record);
    }
    pal_hash_text(&sum, hash);
}

static void test_the_log_repeats_a_run_bit_for_bit(void) {
    char live[PAL_HASH_TEXT], again[PAL_HASH_TEXT];
    pal_err err = {0};
    int count, read_count;
    pal_live_edit *edit;
    hash_run(NULL, 0, live);
    pal_desk_take_back(desk);
    const pal_live_edit *log = pal_desk_log(desk, &count);
    TEST_ASSERT_TRUE(count > 20);
    char *text = pal_live_edits_print(&two, log, count, &err);
    TEST_ASSERT_NOT_NULL(text);
    CHECK_OK(pal_live_edits_parse(&two, text, "run.h5", &edit, &read_count, &err), err);
    TEST_ASSERT_EQUAL_INT(count, read_count);
    close_all();
    hash_run(edit, read_count, again);
    TEST_ASSERT_EQUAL_STRING(live, again);
    close_all();
    free(edit);
    free(text);
}

static void test_a_garbled_list_of_edits_is_refused(void) {
    static const char good[] =
        "5:right:young=1,poisson=0.1,density=2,mass_damping=0,stiffness_damping=0\n";
    static const char *const bad[] = {
        "right:young=1,poisson=0.1,density=2,mass_damping=0,stiffness_damping=0\n",
        "5:left:young=1,poisson=0.1,density=2,mass_damping=0,stiffness_damping=0\n",
        "5:right:young=0,poisson=0.1,density=2,mass_damping=0,stiffness_damping=0\n",
        "5:right:young=1,poisson=0.1,density=2,mass_damping=0\n",
        "5:right:young=1,poisson=0.1,density=2,mass_damping=-1,stiffness_damping=0\n",
        "-5:right:young=1,poisson=0.1,density=2,mass_damping=0,stiffness_damping=0\n",
        "6:right:young=1,poisson=0.1,density=2,mass_damping=0,stiffness_damping=0\n"
        "5:right:young=1,poisson=0.1,density=2,mass_damping=0,stiffness_damping=0\n",
        "nonsense\n",
    };
    pal_live_edit *edit;
    pal_err err = {0};
    int count;
    CHECK_OK(pal_live_edits_parse(&two, good, "run.h5", &edit, &count, &err), err);
    TEST_ASSERT_TRUE(count == 1 && edit->tick == 5 && edit->region == 1 && edit->to.young == 1.0);
    free(edit);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_FAILS(PAL_ERR_INPUT, "run.h5: edit ",
                    pal_live_edits_parse(&two, bad[i], "run.h5", &edit, &count, &err), err);
        TEST_ASSERT_NULL(edit);
    }
}

// ---- two threads --------------------------------------------------------------------------------

static void *tick_away(void *context) {
    (void)context;
    for (int k = 0; k < 800; k++) {
        live_block_tick(&block);
    }
    return NULL;
}

static void test_a_desk_on_another_thread_than_the_servo(void) {
    pthread_t thread;
    open_with(&two, 0);
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, tick_away, NULL));
    int count = 0;
    pal_err err = {0};
    for (int k = 0; count < 60 && k < 100000; k++) {
        bool fresh;
        const uint64_t tick = pal_exchange_latest(&block.servo->exchange, &fresh)->tick;
        set(k % 2, PAL_PROPERTY_YOUNG, 1e4 + k);
        CHECK_OK(pal_desk_pump(desk, tick, NULL, &err), err);
        pal_desk_log(desk, &count);
    }
    pthread_join(thread, NULL);
    pal_desk_take_back(desk);
    const pal_live_edit *log = pal_desk_log(desk, &count);
    TEST_ASSERT_TRUE(count > 0);
    for (int i = 1; i < count; i++) {
        TEST_ASSERT_TRUE(log[i].tick >= log[i - 1].tick);
    }
    close_all();
}

static void test_no_memory_is_an_error_and_loses_nothing(void) {
    pal_err err = {0};
    pal_servo_command command;
    pal_status status = PAL_ERR_MEMORY;
    const pal_desk_options options = {.model = &two, .link = &alone};
    for (long after = 0; status != PAL_OK; after++) {
        pal_command_init(&alone);
        pal_memory_fail_after(after);
        status = pal_desk_open(&desk, &options, &err);
        if (status == PAL_OK) {
            pal_desk_set(desk, 0, PAL_PROPERTY_YOUNG, 5e4, &err);
            status = pal_desk_pump(desk, 0, NULL, &err);
            pal_memory_fail_after(-1);
            if (status != PAL_OK) { // later there is some
                TEST_ASSERT_FALSE(sent(&command));
                CHECK_OK(pal_desk_pump(desk, 0, NULL, &err), err);
            }
            TEST_ASSERT_TRUE(sent(&command));
            TEST_ASSERT_NOT_NULL(command.coefficients);
        }
        pal_memory_fail_after(-1);
        TEST_ASSERT_TRUE(status == PAL_OK || status == PAL_ERR_MEMORY);
        pal_desk_close(desk);
    }
}

int main(void) {
    live_block_bake(&(live_block_spec){.young = 2e4, .two_regions = true}, &two);
    UNITY_BEGIN();
    RUN_TEST(test_what_is_set_reaches_the_body_at_the_next_tick);
    RUN_TEST_OF_ONE_THREAD(test_the_sliders_end_two_decades_apart);
    RUN_TEST_OF_ONE_THREAD(test_a_slider_drawn_to_and_fro_under_a_press_stays_safe);
    RUN_TEST_OF_ONE_THREAD(test_damping_takes_the_swing_out_of_a_body);
    RUN_TEST_OF_ONE_THREAD(test_what_no_material_can_be_is_refused);
    RUN_TEST(test_a_servo_that_does_not_tick_makes_nobody_wait);
    RUN_TEST_OF_ONE_THREAD(test_nothing_goes_out_before_the_desk_may_begin);
    RUN_TEST_OF_ONE_THREAD(test_the_log_repeats_a_run_bit_for_bit);
    RUN_TEST_OF_ONE_THREAD(test_a_garbled_list_of_edits_is_refused);
    RUN_TEST(test_a_desk_on_another_thread_than_the_servo);
    RUN_TEST_OF_ONE_THREAD(test_no_memory_is_an_error_and_loses_nothing);
    pal_model_free(&two);
    return UNITY_END();
}
