// The unit of a mesh, guessed from its size.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenes/unit_guess.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static void check_guess(double longest, const char *unit) {
    char text[64];
    snprintf(text, sizeof text, "a longest side of %g", longest);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(unit, pal_unit_guess(longest)->name, text);
}

static void test_files_as_they_are_found(void) {
    check_guess(0.2, "m");
    check_guess(1.8, "m"); // a person
    check_guess(0.01, "m");
    check_guess(150.0, "mm");
    check_guess(1800.0, "mm");
    check_guess(2000.0, "mm");
    check_guess(6.5, "cm");    // the liver of SOFA
    check_guess(15.0, "cm");   // an armadillo
    check_guess(20.3, "cm");   // a bridge
    check_guess(0.0002, "km"); // millimetres that were divided by a thousand twice
}

// From a cell's size to a city's, the guess is a body that a hand can press, but for sizes between
// the uncommon units.
static void test_what_is_guessed_can_be_pressed(void) {
    for (double longest = 0.01; longest < 2000.0; longest *= 1.07) {
        TEST_ASSERT_TRUE(pal_unit_is_plausible(longest * pal_unit_guess(longest)->metres));
    }
}

// Larger numbers mean smaller units.
static void test_the_guess_falls_with_the_size(void) {
    double last = INFINITY;
    for (double longest = 1e-6; longest < 1e6; longest *= 1.3) {
        TEST_ASSERT_TRUE(pal_unit_guess(longest)->metres <= last);
        last = pal_unit_guess(longest)->metres;
    }
}

static void test_the_reason_says_both_sizes(void) {
    char text[200];
    pal_unit_reason(6.483, pal_unit_guess(6.483), text, sizeof text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "6.48 m in metres"), text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, "in cm it is 64.8 mm"), text);
}

static void test_units_have_names(void) {
    for (int i = 0; pal_length_unit_at(i) != NULL; i++) {
        TEST_ASSERT_EQUAL_PTR(pal_length_unit_at(i),
                              pal_length_unit_find(pal_length_unit_at(i)->name));
    }
    TEST_ASSERT_NULL(pal_length_unit_find("ell"));
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_files_as_they_are_found);
    RUN_TEST(test_what_is_guessed_can_be_pressed);
    RUN_TEST(test_the_guess_falls_with_the_size);
    RUN_TEST(test_the_reason_says_both_sizes);
    RUN_TEST(test_units_have_names);
    return UNITY_END();
}
