// A stylus that follows a mouse: the hand-over between threads, the smoothing, the closed loop.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "devices/dev_pointer.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"
#include "tests/support/sanitized.h"

void setUp(void) {
}
void tearDown(void) {
}

// ---- The mailbox --------------------------------------------------------------------------------

// All numbers of a wish say the same.
static pal_wish numbered(uint32_t n) {
    const double d = n;
    return (pal_wish){.pose = {{d, d, d}, {d, d, d, d}}, .buttons = n};
}

static bool is_whole(const pal_wish *wish) {
    const pal_wish same = numbered(wish->buttons);
    return memcmp(wish->pose.x, same.pose.x, sizeof same.pose.x) == 0 &&
           memcmp(wish->pose.turn, same.pose.turn, sizeof same.pose.turn) == 0;
}

static pal_mailbox box;

static void test_the_newest_wish_is_the_one_that_is_read(void) {
    pal_wish wish = numbered(1);
    pal_mailbox_init(&box, &wish);
    TEST_ASSERT_EQUAL_UINT32(1, pal_mailbox_latest(&box)->buttons);
    for (uint32_t n = 2; n < 20; n++) {
        wish = numbered(n);
        pal_mailbox_post(&box, &wish);
        if (n % 3 == 0) {
            TEST_ASSERT_EQUAL_UINT32(n, pal_mailbox_latest(&box)->buttons);
            TEST_ASSERT_EQUAL_UINT32(n, pal_mailbox_latest(&box)->buttons);
        }
    }
}

enum { POSTS = 200000 };
static atomic_bool posted_all;

static void *post_all(void *context) {
    (void)context;
    for (uint32_t n = 1; n <= POSTS; n++) {
        const pal_wish wish = numbered(n);
        pal_mailbox_post(&box, &wish);
    }
    atomic_store(&posted_all, true);
    return NULL;
}

static void test_no_wish_is_torn_and_none_goes_back(void) {
    const pal_wish first = numbered(0);
    pthread_t thread;
    pal_mailbox_init(&box, &first);
    atomic_store(&posted_all, false);
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, post_all, NULL));
    uint32_t last = 0;
    long torn = 0, back = 0;
    for (bool more = true; more;) {
        more = !atomic_load(&posted_all);
        const pal_wish *wish = pal_mailbox_latest(&box);
        torn += !is_whole(wish);
        back += wish->buttons < last;
        last = wish->buttons;
    }
    pthread_join(thread, NULL);
    TEST_ASSERT_EQUAL_INT(0, (int)torn);
    TEST_ASSERT_EQUAL_INT(0, (int)back);
    TEST_ASSERT_EQUAL_UINT32(POSTS, last);
}

// ---- The follower -------------------------------------------------------------------------------

static pal_follower begin(void) {
    pal_follower f;
    const pal_follower_options options = pal_follower_defaults();
    pal_follower_init(&f, &options, &PAL_POSE_IDENTITY);
    return f;
}

static void test_a_jump_is_followed_smoothly_and_never_too_fast(void) {
    pal_follower f = begin();
    const double wish[3] = {0.03, -0.04, 0.0};
    double last[3] = {0.0}, last_v[3] = {0.0};
    for (int k = 0; k < 200; k++) {
        pal_follower_move(&f, wish, 1e-3);
        double step[3], jerk[3];
        pal_sub3(f.u, last, step);
        pal_sub3(f.v, last_v, jerk);
        TEST_ASSERT_TRUE(pal_norm3(step) <= 1e-3 * f.options.speed * (1.0 + 1e-9));
        TEST_ASSERT_TRUE(pal_norm3(f.v) <= f.options.speed * (1.0 + 1e-9));
        TEST_ASSERT_TRUE(pal_norm3(jerk) <= 1e-3 * f.options.speed * 2.0 / f.options.lag);
        TEST_ASSERT_TRUE(pal_norm3(f.u) <= 0.05 * (1.0 + 1e-12)); // no overshoot
        memcpy(last, f.u, sizeof last);
        memcpy(last_v, f.v, sizeof last_v);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.03, f.u[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -0.04, f.u[1]);
}

static void test_a_place_does_not_depend_on_how_time_is_cut(void) {
    pal_follower a = begin(), b = begin();
    const double wish[3] = {0.01, 0.02, 0.03};
    pal_follower_move(&a, wish, 0.1);
    for (int k = 0; k < 1000; k++) {
        pal_follower_move(&b, wish, 1e-4);
    }
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, a.u[c], b.u[c]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, a.v[c], b.v[c]);
    }
}

// The header says so: late by `lag`, and of a mouse's steps a tenth is left.
static void test_a_mouse_of_60_hz_is_late_by_the_lag_and_its_steps_are_gone(void) {
    pal_follower f = begin();
    const double speed = 0.1, frame = 1.0 / 60.0;
    double most = -1.0, least = 1.0;
    for (int k = 0; k < 3000; k++) {
        const double now = 1e-3 * k, wish[3] = {speed * frame * floor(now / frame), 0.0, 0.0};
        pal_follower_move(&f, wish, 1e-3);
        if (k > 1000) { // behind the mouse itself, which lags by half a frame
            const double behind = speed * (now + 1e-3 - 0.5 * frame) - f.u[0];
            most = fmax(most, behind);
            least = fmin(least, behind);
        }
    }
    const double late = 0.5 * (most + least) / speed;
    TEST_ASSERT_TRUE(late > f.options.lag && late < f.options.lag + 2e-3);
    TEST_ASSERT_TRUE(most - least < 0.1 * speed * frame);
}

static void test_a_turn_is_followed_about_its_axis_and_never_too_fast(void) {
    pal_follower f = begin();
    double wish[4], last[4] = {1.0, 0.0, 0.0, 0.0}, by[3];
    pal_turn_of_vector((double[3]){0.0, 1.2, 0.9}, wish);
    for (int k = 0; k < 400; k++) {
        pal_follower_turn(&f, wish, 1e-3);
        pal_turn_between(last, f.turn_u, by);
        TEST_ASSERT_TRUE(pal_norm3(by) <= 1e-3 * f.options.spin * (1.0 + 1e-6));
        memcpy(last, f.turn_u, sizeof last);
    }
    pal_turn_to_vector(f.turn_u, by);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.0, by[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1.2, by[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.9, by[2]);
}

static void test_what_is_no_number_is_not_followed(void) {
    pal_follower f = begin();
    pal_follower_move(&f, (double[3]){NAN, 0.0, 0.0}, 1e-3);
    pal_follower_move(&f, (double[3]){INFINITY, 0.0, 0.0}, 1e-3);
    pal_follower_turn(&f, (double[4]){NAN, 0.0, 0.0, 0.0}, 1e-3);
    TEST_ASSERT_TRUE(f.u[0] == 0.0 && f.v[0] == 0.0 && f.turn_u[0] == 1.0);
}

// ---- The device ---------------------------------------------------------------------------------

static void test_the_stylus_goes_where_the_mouse_points_and_turns_and_clicks(void) {
    pal_device device;
    pal_sim_options sim;
    pal_err err = {0};
    pal_device_state state;
    live_block_sim(&sim, NULL, 0);
    CHECK_OK(pal_device_open_pointer(&device, &sim, &box, &err), err);
    pal_wish wish = {.pose = PAL_POSE_IDENTITY, .buttons = 1};
    memcpy(wish.pose.x, (double[3]){0.05, 0.02, 0.06}, sizeof wish.pose.x);
    pal_turn_of_vector((double[3]){0.5, 0.0, 0.0}, wish.pose.turn);
    pal_mailbox_post(&box, &wish);
    device.functions->read(&device, &state);
    TEST_ASSERT_EQUAL_UINT32(0, state.buttons);
    for (int k = 0; k < 800; k++) {
        device.functions->advance(&device, 1e-3);
        device.functions->read(&device, &state);
        TEST_ASSERT_EQUAL_UINT32(1, state.buttons);
        TEST_ASSERT_TRUE(pal_norm3(state.velocity) < 2.0); // safety would cut the force
    }
    double turned[3];
    pal_turn_to_vector(state.turn, turned);
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-4, wish.pose.x[c], state.position[c]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.5, turned[0]);
    pal_device_close(&device);
}

// A script leads as if there were no mouse, until the first wish; from then on the mouse, without a
// jump.
static void test_a_script_leads_until_the_first_wish(void) {
    pal_sim_options options;
    pal_device alone, either;
    pal_device_state a, b;
    pal_err err = {0};
    double last[3], step[3], most = 0.0;
    const pal_intent press = {.kind = PAL_INTENT_MOVE, .seconds = 1.0, .to = {0.0, 0.05, 0.0}};
    pal_sim_defaults(&options, pal_device_profile("touch"));
    options.intent_count = 1;
    options.intent = &press;
    CHECK_OK(pal_device_open_sim(&alone, &options, &err), err);
    CHECK_OK(pal_device_open_sim_or_pointer(&either, &options, &box, &err), err);
    for (int k = 0; k < 400; k++) {
        alone.functions->advance(&alone, 1e-3);
        either.functions->advance(&either, 1e-3);
        alone.functions->read(&alone, &a);
        either.functions->read(&either, &b);
        TEST_ASSERT_EQUAL_MEMORY(a.position, b.position, sizeof a.position);
    }
    pal_wish wish = {.pose = PAL_POSE_IDENTITY};
    memcpy(wish.pose.x, (double[3]){0.03, b.position[1], 0.0}, sizeof wish.pose.x);
    pal_mailbox_post(&box, &wish);
    for (int k = 0; k < 1200; k++) {
        memcpy(last, b.position, sizeof last);
        either.functions->advance(&either, 1e-3);
        either.functions->read(&either, &b);
        pal_sub3(b.position, last, step);
        most = fmax(most, pal_norm3(step));
    }
    TEST_ASSERT_TRUE(most < 1.5e-3); // the follower's speed, and what the hand swings
    pal_sub3(b.position, wish.pose.x, step);
    TEST_ASSERT_TRUE(pal_norm3(step) < 2e-3); // but for friction
    pal_device_close(&alone);
    pal_device_close(&either);
}

static void test_a_script_beside_the_mouse_is_refused(void) {
    pal_device device;
    pal_sim_options sim;
    pal_err err = {0};
    live_block_sim(&sim, live_block_press, 3);
    CHECK_FAILS(PAL_ERR_USAGE, "script", pal_device_open_pointer(&device, &sim, &box, &err), err);
}

typedef struct mouse_run {
    double force; // N, at the end
    double deepest;
    char hash[PAL_HASH_TEXT];
} mouse_run;

// A mouse at 60 Hz presses 5 mm below the block's top within half a second, and holds.
static mouse_run press_by_mouse(void) {
    live_block block = {0};
    pal_sim_options sim;
    pal_servo_options options;
    pal_err err = {0};
    pal_hash hash;
    mouse_run out = {0};
    pal_hash_init(&hash);
    live_block_sim(&sim, NULL, 0);
    CHECK_OK(pal_device_open_pointer(&block.device, &sim, &box, &err), err);
    pal_servo_defaults(&options, &block.device.limits);
    options.log_capacity = 1 << 12;
    CHECK_OK(pal_live_body_open(&block.body, live_block_model(),
                                &(pal_live_options){.dt = 1e-3, .feature = 5e-3}, &err),
             err);
    CHECK_OK(pal_servo_open(&block.servo, &options, &block.device, &block.body, &err), err);
    for (int k = 0; k < 1500; k++) {
        if (k % 17 == 0) { // a frame of the window
            pal_wish wish = {.pose = PAL_POSE_IDENTITY};
            memcpy(wish.pose.x, sim.start, sizeof wish.pose.x);
            wish.pose.x[2] -= 0.020 * fmin(1.0, k / 500.0);
            pal_mailbox_post(&box, &wish);
        }
        const pal_tick_record record = live_block_tick(&block);
        pal_trace_hash_record(&hash, &record);
        out.force = record.force[2];
        out.deepest = record.position[2];
    }
    TEST_ASSERT_TRUE(block.servo->own.hand[0].passivity.made < 1e-4);
    pal_hash_text(&hash, out.hash);
    live_block_close(&block);
    return out;
}

static void test_the_force_of_the_body_holds_the_stylus_up_against_the_mouse(void) {
    const mouse_run a = press_by_mouse(), b = press_by_mouse();
    TEST_ASSERT_TRUE(a.force > 0.1);
    // k_h and k_g in series hold the device by as much as the force asks for
    const double spring = 500.0 * 1000.0 / 1500.0;
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, LIVE_BLOCK_TOP - 0.005 + a.force / spring, a.deepest);
    TEST_ASSERT_EQUAL_STRING(a.hash, b.hash); // what is posted between ticks is the same every time
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_newest_wish_is_the_one_that_is_read);
    RUN_TEST(test_no_wish_is_torn_and_none_goes_back);
    RUN_TEST_OF_ONE_THREAD(test_a_jump_is_followed_smoothly_and_never_too_fast);
    RUN_TEST_OF_ONE_THREAD(test_a_place_does_not_depend_on_how_time_is_cut);
    RUN_TEST_OF_ONE_THREAD(test_a_mouse_of_60_hz_is_late_by_the_lag_and_its_steps_are_gone);
    RUN_TEST_OF_ONE_THREAD(test_a_turn_is_followed_about_its_axis_and_never_too_fast);
    RUN_TEST_OF_ONE_THREAD(test_what_is_no_number_is_not_followed);
    RUN_TEST_OF_ONE_THREAD(test_the_stylus_goes_where_the_mouse_points_and_turns_and_clicks);
    RUN_TEST_OF_ONE_THREAD(test_a_script_leads_until_the_first_wish);
    RUN_TEST_OF_ONE_THREAD(test_a_script_beside_the_mouse_is_refused);
    RUN_TEST_OF_ONE_THREAD(test_the_force_of_the_body_holds_the_stylus_up_against_the_mouse);
    return UNITY_END();
}
