// Commands to the servo, and the coefficients that come back.
#include <pthread.h>
#include <sched.h>

#include "haptics/command.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static pal_command_link servo;

// Coefficients are opaque here: any address will do.
static char place[4 * PAL_COMMANDS];
static pal_coefficients *coefficients(int i) {
    return (pal_coefficients *)(void *)&place[i];
}

static pal_servo_command material(int i) {
    return (pal_servo_command){
        .kind = PAL_COMMAND_MATERIAL, .region = i, .coefficients = coefficients(i)};
}

static void test_commands_arrive_in_order(void) {
    pal_command_init(&servo);
    pal_servo_command got;
    TEST_ASSERT_FALSE(pal_command_next(&servo, &got));
    for (int kind = PAL_COMMAND_RESET; kind < PAL_COMMAND_KINDS; kind++) {
        TEST_ASSERT_TRUE(
            pal_command_send(&servo, &(pal_servo_command){.kind = (pal_command_kind)kind}));
    }
    for (int kind = PAL_COMMAND_RESET; kind < PAL_COMMAND_KINDS; kind++) {
        TEST_ASSERT_TRUE(pal_command_next(&servo, &got));
        TEST_ASSERT_EQUAL_INT(kind, got.kind);
    }
    TEST_ASSERT_FALSE(pal_command_next(&servo, &got));
}

static void test_a_slowness_is_that_of_the_nearest_kind(void) {
    for (int i = 0; i < PAL_SLOW_KINDS; i++) {
        TEST_ASSERT_EQUAL_INT(PAL_COMMAND_SLOW + i, pal_command_slow(pal_command_slowness(i)));
    }
    TEST_ASSERT_EQUAL_INT(PAL_COMMAND_SLOW, pal_command_slow(0.1));
    TEST_ASSERT_EQUAL_INT(PAL_COMMAND_SLOW + 1, pal_command_slow(3.0));
    TEST_ASSERT_EQUAL_INT(PAL_COMMAND_KINDS - 1, (int)pal_command_slow(1e9));
    TEST_ASSERT_TRUE(pal_command_slowness(-1) == 1.0 && pal_command_slowness(99) == 100.0);
}

static void test_too_many_waiting_are_refused(void) {
    pal_command_init(&servo);
    pal_servo_command pause = {.kind = PAL_COMMAND_PAUSE}, got;
    for (int i = 0; i < PAL_COMMANDS; i++) {
        TEST_ASSERT_TRUE(pal_command_send(&servo, &pause));
    }
    TEST_ASSERT_FALSE(pal_command_send(&servo, &pause));
    TEST_ASSERT_TRUE(pal_command_next(&servo, &got));
    TEST_ASSERT_TRUE(pal_command_send(&servo, &pause));
}

static void test_there_is_always_room_to_give_back(void) {
    pal_command_init(&servo);
    pal_servo_command got;
    pal_taken taken;
    // The servo takes every command at once; the sender collects nothing
    int sent = 0;
    for (int i = 0; i < 3 * PAL_COMMANDS; i++) {
        pal_servo_command command = material(i);
        if (pal_command_send(&servo, &command)) {
            TEST_ASSERT_TRUE(pal_command_next(&servo, &got));
            pal_command_give_back(&servo, got.coefficients, 100 + (uint64_t)i);
            sent++;
        }
    }
    TEST_ASSERT_EQUAL_INT(PAL_COMMANDS, sent);
    // All come back, in order, and then there is room again
    for (int i = 0; i < sent; i++) {
        TEST_ASSERT_TRUE(pal_command_take_back(&servo, &taken));
        TEST_ASSERT_EQUAL_PTR(coefficients(i), taken.coefficients);
        TEST_ASSERT_EQUAL_UINT64(100 + i, taken.tick);
    }
    TEST_ASSERT_FALSE(pal_command_take_back(&servo, &taken));
    pal_servo_command command = material(0);
    TEST_ASSERT_TRUE(pal_command_send(&servo, &command));
}

// ---- Two threads --------------------------------------------------------------------------------

enum { MANY = 20000 };

// A servo: swaps its coefficients for those it gets.
static void *serve(void *argument) {
    pal_coefficients *own = argument;
    pal_servo_command command = {.kind = PAL_COMMAND_RESET};
    while (command.kind != PAL_COMMAND_STOP) {
        if (!pal_command_next(&servo, &command)) {
            sched_yield();
        } else if (command.kind == PAL_COMMAND_MATERIAL) {
            pal_command_give_back(&servo, own, 0);
            own = command.coefficients;
        }
    }
    return own;
}

static void test_coefficients_are_never_lost_or_in_two_hands(void) {
    pal_command_init(&servo);
    pthread_t thread;
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, serve, coefficients(0)));
    // Four of them go round; here are those that the sender may use
    bool mine[4] = {false, true, true, true};
    int doubled = 0;
    for (int sent = 0; sent < MANY;) {
        pal_taken back;
        if (pal_command_take_back(&servo, &back)) {
            bool *owned = &mine[(char *)back.coefficients - place];
            doubled += *owned;
            *owned = true;
        }
        int i = mine[sent % 4] ? sent % 4 : (sent + 1) % 4;
        pal_servo_command command = material(i);
        if (mine[i] && pal_command_send(&servo, &command)) {
            mine[i] = false;
            sent++;
        } else {
            sched_yield();
        }
    }
    while (!pal_command_send(&servo, &(pal_servo_command){.kind = PAL_COMMAND_STOP})) {
        sched_yield();
    }
    void *last = NULL;
    pthread_join(thread, &last);
    for (pal_taken back; pal_command_take_back(&servo, &back);) {
        mine[(char *)back.coefficients - place] = true;
    }
    TEST_ASSERT_EQUAL_INT(0, doubled);
    TEST_ASSERT_EQUAL_INT(3, mine[0] + mine[1] + mine[2] + mine[3]);
    TEST_ASSERT_FALSE(mine[(char *)last - place]);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_commands_arrive_in_order);
    RUN_TEST(test_a_slowness_is_that_of_the_nearest_kind);
    RUN_TEST(test_too_many_waiting_are_refused);
    RUN_TEST(test_there_is_always_room_to_give_back);
    RUN_TEST(test_coefficients_are_never_lost_or_in_two_hands);
    return UNITY_END();
}
