#include "sim/base/memory.h"
#include "tests/support/check.h"

#include <stdlib.h>

void setUp(void) {
}
void tearDown(void) {
    pal_memory_fail_after(-1);
}

static void test_memory_is_aligned_and_zeroed(void) {
    for (size_t count = 0; count < 200; count += 13) {
        pal_err err;
        double *x = PAL_NEW(double, count, &err);
        TEST_ASSERT_NOT_NULL(x);
        TEST_ASSERT_EQUAL_INT(0, (uintptr_t)x % 64);
        for (size_t i = 0; i < count; i++) {
            TEST_ASSERT_TRUE(x[i] == 0.0);
            x[i] = 1.0; // the whole of it is ours
        }
        free(x);
    }
}

static void test_a_count_of_zero_gives_a_pointer(void) {
    void *none = pal_alloc(0, 8, NULL), *empty = pal_alloc(8, 0, NULL);
    TEST_ASSERT_NOT_NULL(none);
    TEST_ASSERT_NOT_NULL(empty);
    free(none);
    free(empty);
}

static void refuse(size_t count, size_t size) {
    pal_err err = {.status = PAL_OK};
    TEST_ASSERT_NULL(pal_alloc(count, size, &err));
    TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, err.status);
    TEST_ASSERT_NOT_NULL(strstr(err.text, "out of memory"));
    TEST_ASSERT_NULL(pal_alloc(count, size, NULL));
}

static void test_sizes_that_overflow_are_out_of_memory(void) {
    refuse(SIZE_MAX, 1);
    refuse(SIZE_MAX / 8 + 1, 8);
    refuse(SIZE_MAX / 2, 3);
    refuse(1, SIZE_MAX - 32); // rounding up to the alignment would wrap
}

static void test_the_hook_lets_so_many_pass_and_then_fails_all(void) {
    pal_memory_fail_after(2);
    void *first = pal_alloc(1, 1, NULL), *second = pal_alloc(1, 1, NULL);
    TEST_ASSERT_NOT_NULL(first);
    TEST_ASSERT_NOT_NULL(second);
    for (int i = 0; i < 3; i++) {
        refuse(1, 1);
    }
    pal_memory_fail_after(-1);
    void *third = pal_alloc(1, 1, NULL);
    TEST_ASSERT_NOT_NULL(third);
    free(first);
    free(second);
    free(third);
}

static void test_text_is_copied_whole_or_not_at_all(void) {
    pal_err err = {.status = PAL_OK};
    char *copy = pal_copy_text("a liver", &err);
    TEST_ASSERT_EQUAL_STRING("a liver", copy);
    free(copy);
    copy = pal_copy_text("", &err);
    TEST_ASSERT_EQUAL_STRING("", copy);
    free(copy);
    pal_memory_fail_after(0);
    TEST_ASSERT_NULL(pal_copy_text("a liver", &err));
    TEST_ASSERT_EQUAL_INT(PAL_ERR_MEMORY, err.status);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_memory_is_aligned_and_zeroed);
    RUN_TEST(test_a_count_of_zero_gives_a_pointer);
    RUN_TEST(test_sizes_that_overflow_are_out_of_memory);
    RUN_TEST(test_the_hook_lets_so_many_pass_and_then_fails_all);
    RUN_TEST(test_text_is_copied_whole_or_not_at_all);
    return UNITY_END();
}
