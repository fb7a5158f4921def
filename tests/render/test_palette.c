// Colours of regions, and quantities in words.
#include "render/palette.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/quantity.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static double least_apart(const pal_rgb *colour, int32_t count) {
    double least = INFINITY;
    for (int32_t a = 0; a < count; a++) {
        for (int32_t b = 0; b < a; b++) {
            least = fmin(least, pal_palette_distance(colour[a], colour[b]));
        }
    }
    return least;
}

static void test_any_number_of_regions_has_colours_that_can_be_told_apart(void) {
    static const struct {
        int32_t count;
        double apart; // some 0.02 is just seen; of the first 8, grey and pink, to some
    } asked[] = {{8, 0.034}, {14, 0.034}, {40, 0.034}, {128, 0.025}};
    pal_rgb colour[128];
    pal_err err = {0};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        char text[100];
        CHECK_OK(pal_palette_make(asked[i].count, colour, &err), err);
        const double apart = least_apart(colour, asked[i].count);
        snprintf(text, sizeof text, "%d colours are %.4f apart", (int)asked[i].count, apart);
        TEST_ASSERT_TRUE_MESSAGE(apart >= asked[i].apart, text);
    }
}

static void test_more_regions_leave_the_first_ones_their_colours(void) {
    static pal_rgb few[20], many[PAL_PALETTE_MOST + 5];
    pal_err err = {0};
    CHECK_OK(pal_palette_make(20, few, &err), err);
    CHECK_OK(pal_palette_make(PAL_PALETTE_MOST + 5, many, &err), err);
    TEST_ASSERT_EQUAL_INT(0, memcmp(few, many, sizeof few));
    TEST_ASSERT_EQUAL_INT(0, memcmp(many, many + PAL_PALETTE_MOST, 5 * sizeof *many));
    TEST_ASSERT_TRUE(least_apart(many, PAL_PALETTE_MOST) > 0.0);
    CHECK_OK(pal_palette_make(0, few, &err), err);
}

static void test_black_and_white_are_one_apart_and_red_is_like_green_to_some(void) {
    const pal_rgb black = {0, 0, 0}, white = {255, 255, 255};
    const pal_rgb red = {200, 60, 60}, green = {110, 110, 60};
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 1.0, pal_palette_distance(black, white));
    TEST_ASSERT_TRUE(pal_palette_distance(red, green) < 0.1);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, pal_palette_distance(red, red));
}

static void check_said(const char *expected, double value, int digits, const char *unit) {
    char text[64];
    pal_say_quantity(value, PAL_LEAST_ENERGY, digits, unit, text, sizeof text);
    TEST_ASSERT_EQUAL_STRING(expected, text);
}

static void test_quantities_have_the_prefix_that_suits_them(void) {
    check_said("0 J", 3.55e-20, 3, "J"); // a rounding residue is nothing
    check_said("0 J", -4e-17, 3, "J");
    check_said("3.55 mJ", 3.55e-3, 3, "J");
    check_said("-12.3 \xC2\xB5J", -1.234e-5, 3, "J");
    check_said("999 mJ", 0.9994, 3, "J");
    check_said("1 J", 0.9996, 3, "J"); // not 1e+03 mJ
    check_said("12 kPa", 12e3, 3, "Pa");
    check_said("2.1 GPa", 2.1e9, 3, "Pa");
    check_said("210 GPa", 2.1e11, 3, "Pa");
    check_said("2.1e+13 Pa", 2.1e13, 3, "Pa");
    check_said("-", NAN, 3, "J");
    check_said("-", INFINITY, 3, "J");
    check_said("250", 250.0, 3, NULL);
    char text[64];
    pal_say_quantity(0.0, 0.0, 3, "s", text, sizeof text);
    TEST_ASSERT_EQUAL_STRING("0 s", text);
    pal_say_quantity(2e-10, 0.0, 3, "s", text, sizeof text);
    TEST_ASSERT_EQUAL_STRING("200 ps", text);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_any_number_of_regions_has_colours_that_can_be_told_apart);
    RUN_TEST(test_more_regions_leave_the_first_ones_their_colours);
    RUN_TEST(test_black_and_white_are_one_apart_and_red_is_like_green_to_some);
    RUN_TEST(test_quantities_have_the_prefix_that_suits_them);
    return UNITY_END();
}
