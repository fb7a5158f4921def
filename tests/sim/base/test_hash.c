// Laws of the content hash.
#include "sim/base/hash.h"

#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static void text_of(const void *data, size_t size, char text[PAL_HASH_TEXT]) {
    pal_hash hash;
    pal_hash_init(&hash);
    pal_hash_update(&hash, data, size);
    pal_hash_text(&hash, text);
}

// The empty hash is given with XXH3's specification.
static void test_known_value(void) {
    char text[PAL_HASH_TEXT];
    text_of("", 0, text);
    TEST_ASSERT_EQUAL_STRING("99aa06d3014798d86001c324468d497f", text);
}

static void test_cutting_the_stream_does_not_matter(void) {
    enum { SIZE = 3000 };
    unsigned char data[SIZE];
    for (int i = 0; i < SIZE; i++) {
        data[i] = (unsigned char)(i * i / 7);
    }
    char whole[PAL_HASH_TEXT], parts[PAL_HASH_TEXT];
    text_of(data, SIZE, whole);
    for (size_t cut = 0; cut <= SIZE; cut += 37) {
        pal_hash hash;
        pal_hash_init(&hash);
        pal_hash_update(&hash, data, cut);
        pal_hash_text(&hash, parts); // looking does not disturb
        pal_hash_update(&hash, data + cut, SIZE - cut);
        pal_hash_text(&hash, parts);
        TEST_ASSERT_EQUAL_STRING(whole, parts);
    }
}

static void test_strings_do_not_run_together(void) {
    char first[PAL_HASH_TEXT], second[PAL_HASH_TEXT];
    pal_hash hash;
    pal_hash_init(&hash);
    pal_hash_update_string(&hash, "ab");
    pal_hash_update_string(&hash, "c");
    pal_hash_text(&hash, first);
    pal_hash_init(&hash);
    pal_hash_update_string(&hash, "a");
    pal_hash_update_string(&hash, "bc");
    pal_hash_text(&hash, second);
    TEST_ASSERT_TRUE(strcmp(first, second) != 0);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_known_value);
    RUN_TEST(test_cutting_the_stream_does_not_matter);
    RUN_TEST(test_strings_do_not_run_together);
    return UNITY_END();
}
