// Text from files, shown: plain characters as they are, all else as escapes.
#include <stdbool.h>
#include <string.h>

#include "sim/base/visible.h"
#include "tests/support/check.h"

void setUp(void) {
}

void tearDown(void) {
}

static void test_every_byte_is_plain_or_an_escape(void) {
    for (int c = 1; c < 256; c++) {
        const char text[2] = {(char)c, '\0'};
        char shown[16];
        pal_visible_copy(text, shown, sizeof shown);
        const bool plain = c >= 0x20 && c < 0x7f;
        TEST_ASSERT_EQUAL_INT(plain ? 1 : 4, (int)strlen(shown));
        for (const char *at = shown; *at != '\0'; at++) {
            TEST_ASSERT_TRUE(*at >= 0x20 && *at < 0x7f);
        }
    }
}

static void test_text_stays_and_orders_do_not(void) {
    static const char *const cases[][2] = {
        {"\xc3\xa9 \xe2\x89\xa4 \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x89\xa4 \xf0\x9f\x98\x80"},
        {"\033[31m", "\\x1b[31m"},
        {"\xc2\x9b"
         "31m",
         "\\xc2\\x9b31m"}, // CSI in one character
        {"a\nb\r\x7f", "a\\x0ab\\x0d\\x7f"},
        {"\xc0\xaf", "\\xc0\\xaf"},          // too long a form
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"}, // half a pair
        {"\xe2\x89", "\\xe2\\x89"},          // cut off
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char shown[64];
        TEST_ASSERT_EQUAL_STRING(cases[i][1], pal_visible_copy(cases[i][0], shown, sizeof shown));
    }
}

static void test_a_copy_is_cut_between_characters(void) {
    char shown[8];
    TEST_ASSERT_EQUAL_STRING("abcdef", pal_visible_copy("abcdef\xe2\x89\xa4", shown, sizeof shown));
    TEST_ASSERT_EQUAL_STRING("abcd", pal_visible_copy("abcd\033[0m", shown, sizeof shown));
    TEST_ASSERT_EQUAL_INT(-1, pal_visible_size("\xe2\x89\xa4", 2));
    TEST_ASSERT_EQUAL_INT(3, pal_visible_size("\xe2\x89\xa4", 3));
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_every_byte_is_plain_or_an_escape);
    RUN_TEST(test_text_stays_and_orders_do_not);
    RUN_TEST(test_a_copy_is_cut_between_characters);
    return UNITY_END();
}
