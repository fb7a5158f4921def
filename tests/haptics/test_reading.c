// Which readings of a device are believed: whatever a hand can do is; what no device can do is not.
#include "haptics/reading.h"

#include "sim/base/pose.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

void setUp(void) {
}
void tearDown(void) {
}

static const double dt = 1e-3;
static pal_reading reading;
static pal_device_state state, fresh;

static void start(void) {
    const pal_device_limits touch = {
        .resolution = 55e-6, .turn_resolution = 1e-3, .workspace_radius = 0.075};
    pal_reading_init(&reading, &touch, dt);
    state = (pal_device_state){0};
    fresh = (pal_device_state){.turn = {1.0}, .present = true};
}

// The next reading; true: it was believed.
static bool take(int missed) {
    fresh.sequence++;
    const pal_outcome outcome = pal_reading_take(&reading, &fresh, missed, &state);
    TEST_ASSERT_EQUAL_INT(outcome == 0, state.sequence == fresh.sequence);
    return outcome == 0;
}

// A hand at rest in x0, for a while.
static void rest_at(double x0) {
    start();
    fresh.position[0] = x0;
    for (int k = 0; k < 50; k++) {
        TEST_ASSERT_TRUE(take(0));
    }
}

// ---- What a hand can do

// Strokes of up to 2 m/s and 30 g, in steps of the encoder, with a velocity that lags by 3 ms, and
// deadlines that are missed on the way.
static void test_what_a_hand_does_is_believed(void) {
    test_random random = {5};
    for (int run = 0; run < 40; run++) {
        const double reach = 0.02 + 0.08 * random_share(&random);
        const double rate = fmin(2.0 / reach, sqrt(300.0 / reach));
        double t = 0.0, last = 0.0, lagged = 0.0;
        start();
        for (int k = 0; k < 2000; k++) {
            const int missed =
                random_share(&random) < 0.05 ? (int)(4.9 * random_share(&random)) : 0;
            t += dt * (1 + missed);
            const double x = 55e-6 * round(reach * (1.0 - cos(rate * t)) / 55e-6);
            const double elapsed = dt * (1 + missed);
            lagged += ((x - last) / elapsed - lagged) * (1.0 - exp(-elapsed / 3e-3));
            last = x;
            fresh.position[1] = x;
            fresh.velocity[1] = lagged;
            const double angle = 0.5 * sin(8.0 * t);
            fresh.turn[0] = cos(0.5 * angle);
            fresh.turn[2] = sin(0.5 * angle);
            fresh.buttons = (uint32_t)(t * 6.0) % 2; // six clicks a second
            TEST_ASSERT_TRUE(take(missed));
            TEST_ASSERT_EQUAL_UINT32(fresh.buttons, state.buttons);
        }
    }
}

static void test_the_first_reading_may_be_anywhere_and_the_next_after_a_restart(void) {
    rest_at(-3.0);
    fresh.position[0] = 2.0;
    TEST_ASSERT_FALSE(take(0));
    pal_reading_restart(&reading);
    TEST_ASSERT_TRUE(take(0));
    TEST_ASSERT_EQUAL_DOUBLE(2.0, state.position[0]);
}

static void test_a_stale_reading_changes_nothing_but_presence(void) {
    rest_at(0.1);
    fresh.position[0] = 0.2;
    fresh.present = false;
    TEST_ASSERT_EQUAL_UINT32(0, pal_reading_take(&reading, &fresh, 0, &state));
    TEST_ASSERT_EQUAL_DOUBLE(0.1, state.position[0]);
    TEST_ASSERT_FALSE(state.present);
}

// ---- What no device can do

static void test_a_jump_is_not_taken_and_the_way_back_is(void) {
    const double jumps[] = {0.005, 0.02, 0.1, 1.0, 1e6, 1e300, -1e-2, INFINITY, NAN};
    for (int j = 0; j < 9; j++) {
        rest_at(0.0);
        fresh.position[0] = jumps[j];
        TEST_ASSERT_FALSE(take(0));
        TEST_ASSERT_EQUAL_DOUBLE(0.0, state.position[0]);
        fresh.position[0] = 1e-4;
        TEST_ASSERT_TRUE(take(0));
        TEST_ASSERT_EQUAL_DOUBLE(1e-4, state.position[0]);
    }
}

// A jump that stays is believed only when the device may have gone there: after 1 m never within
// the ticks after which safety latches.
static void test_a_place_that_stays_is_believed_as_soon_as_it_can_be_reached(void) {
    const double jumps[] = {3e-3, 7e-3, 11e-3, 1.0};
    const int refused[] = {0, 1, 2, 249}; // at 4 m/s, six steps of the encoder besides
    for (int j = 0; j < 3; j++) {
        rest_at(0.0);
        fresh.position[2] = jumps[j];
        int count = 0;
        while (!take(0)) {
            count++;
        }
        TEST_ASSERT_EQUAL_INT(refused[j], count);
    }
    rest_at(0.0);
    fresh.position[2] = jumps[3];
    for (int k = 0; k < 100; k++) {
        TEST_ASSERT_FALSE(take(0));
    }
}

static void test_turns_and_velocities_that_cannot_be_are_not_taken(void) {
    rest_at(0.0);
    const pal_device_state good = fresh;
    for (int kind = 0; kind < 7; kind++) {
        const double v[3] = {0.0, 0.2, 0.0};
        fresh = good;
        fresh.sequence = state.sequence;
        fresh.velocity[0] = kind == 0 ? 5.0 : kind == 1 ? NAN : 0.0;
        fresh.spin[1] = kind == 2 ? 200.0 : kind == 3 ? 1e300 : 0.0;
        fresh.turn[0] = kind == 4 ? 2.0 : kind == 5 ? -INFINITY : 1.0;
        if (kind == 6) {
            pal_turn_of_vector(v, fresh.turn);
        }
        TEST_ASSERT_FALSE(take(0));
        fresh = good;
        fresh.sequence = state.sequence + 7;
        TEST_ASSERT_TRUE(take(0));
    }
}

static void test_far_out_of_the_workspace_is_not_taken(void) {
    rest_at(0.0);
    for (int k = 0; k < 2000; k++) { // at 1 m/s
        fresh.position[0] = 1e-3 * k;
        fresh.velocity[0] = 1.0;
        const bool inside = fresh.position[0] <= 20.0 * 0.075;
        TEST_ASSERT_EQUAL_INT(inside, take(0));
    }
}

// A velocity that is not that of the places: nought while it moves, of the wrong sign, or without
// an end while it rests.
static void test_a_velocity_is_checked_against_the_places(void) {
    const double speed[] = {1.0, 0.6, 0.0}, told[] = {0.0, -0.6, 1.5};
    for (int kind = 0; kind < 3; kind++) {
        rest_at(0.0);
        int believed = 0;
        for (int k = 1; k <= 100; k++) {
            fresh.position[0] = speed[kind] * dt * k;
            fresh.velocity[0] = told[kind];
            believed += take(0);
        }
        TEST_ASSERT_TRUE(believed > 5 && believed < 40);
    }
}

static void test_buttons_that_chatter_keep_their_value(void) {
    rest_at(0.0);
    int changes = 0;
    for (int k = 0; k < 1000; k++) {
        const uint32_t before = state.buttons;
        fresh.buttons = (uint32_t)k % 2;
        TEST_ASSERT_TRUE(take(0));
        changes += state.buttons != before;
    }
    TEST_ASSERT_TRUE(changes >= 8 && changes <= 30);
    TEST_ASSERT_TRUE(reading.chatter > 400); // each that would have changed them
    for (int k = 0; k < 500; k++) {          // calm again
        fresh.buttons = state.buttons;
        take(0);
    }
    fresh.buttons = 1 - state.buttons;
    TEST_ASSERT_TRUE(take(0));
    TEST_ASSERT_EQUAL_UINT32(fresh.buttons, state.buttons);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_what_a_hand_does_is_believed);
    RUN_TEST(test_the_first_reading_may_be_anywhere_and_the_next_after_a_restart);
    RUN_TEST(test_a_stale_reading_changes_nothing_but_presence);
    RUN_TEST(test_a_jump_is_not_taken_and_the_way_back_is);
    RUN_TEST(test_a_place_that_stays_is_believed_as_soon_as_it_can_be_reached);
    RUN_TEST(test_turns_and_velocities_that_cannot_be_are_not_taken);
    RUN_TEST(test_far_out_of_the_workspace_is_not_taken);
    RUN_TEST(test_a_velocity_is_checked_against_the_places);
    RUN_TEST(test_buttons_that_chatter_keep_their_value);
    return UNITY_END();
}
