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
    return (pal_servo_command){PAL_COMMAND_MATERIAL, i, coefficients(i), 0.0};
}

static void test_commands_arrive_in_order(void) {
    pal_command_init(&servo);
    pal_servo_command got;
    TEST_ASSERT_FALSE(pal_command_next(&servo, &got));
    for (int kind = PAL_COMMAND_RESET; kind <= PAL_COMMAND_STOP; kind++) {
        TEST_ASSERT_TRUE(
            pal_command_send(&servo, &(pal_servo_command){.kind = (pal_command_kind)kind}));
    }
    for (int kind = PAL_COMMAND_RESET; kind <= PAL_COMMAND_STOP; kind++) {
        TEST_ASSERT_TRUE(pal_command_next(&servo, &got));
        TEST_ASSERT_EQUAL_INT(kind, got.kind);
    }
    TEST_ASSERT_FALSE(pal_command_next(&servo, &got));
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
    // The servo takes every command at once; the sender collects nothing
    int sent = 0;
    for (int i = 0; i < 3 * PAL_COMMANDS; i++) {
        pal_servo_command command = material(i);
        if (pal_command_send(&servo, &command)) {
            TEST_ASSERT_TRUE(pal_command_next(&servo, &got));
            pal_command_give_back(&servo, got.coefficients);
            sent++;
        }
    }
    TEST_ASSERT_EQUAL_INT(PAL_COMMANDS, sent);
    // All come back, in order, and then there is room again
    for (int i = 0; i < sent; i++) {
        TEST_ASSERT_EQUAL_PTR(coefficients(i), pal_command_take_back(&servo));
    }
    TEST_ASSERT_NULL(pal_command_take_back(&servo));
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
            pal_command_give_back(&servo, own);
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
        pal_coefficients *back = pal_command_take_back(&servo);
        if (back != NULL) {
            bool *owned = &mine[(char *)back - place];
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
    for (pal_coefficients *back; (back = pal_command_take_back(&servo)) != NULL;) {
        mine[(char *)back - place] = true;
    }
    TEST_ASSERT_EQUAL_INT(0, doubled);
    TEST_ASSERT_EQUAL_INT(3, mine[0] + mine[1] + mine[2] + mine[3]);
    TEST_ASSERT_FALSE(mine[(char *)last - place]);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_commands_arrive_in_order);
    RUN_TEST(test_too_many_waiting_are_refused);
    RUN_TEST(test_there_is_always_room_to_give_back);
    RUN_TEST(test_coefficients_are_never_lost_or_in_two_hands);
    return UNITY_END();
}
