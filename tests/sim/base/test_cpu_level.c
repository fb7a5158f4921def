// The level of the processor: known by name, the one that was asked for, and refused where it
// cannot be had.
#include <stdlib.h>
#include <string.h>

#include "sim/base/cpu_level.h"
#include "tests/support/check.h"

static const char *asked; // for at the start, NULL: nothing

void setUp(void) {
    unsetenv("PALPATE_CPU");
}
void tearDown(void) {
}

// Only a program with several levels takes a wish.
static bool has_levels(void) {
    pal_err err;
    setenv("PALPATE_CPU", "v2", 1);
    const bool has = pal_cpu_check(&err) == PAL_OK;
    unsetenv("PALPATE_CPU");
    return has;
}

static void test_the_level_has_a_name_and_its_compiler(void) {
    char kernels[PAL_CPU_TEXT];
    pal_cpu_kernels(kernels);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, strncmp(kernels, pal_cpu_level(), strlen(pal_cpu_level())),
                                  kernels);
    TEST_ASSERT_EQUAL_INT(pal_cpu_is_native(), strstr(kernels, "native") != NULL);
#if defined(__clang__)
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(kernels, ", clang "), kernels);
#elif defined(__GNUC__)
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(kernels, ", gcc " __VERSION__), kernels);
#endif
}

static void test_the_level_in_use_is_the_one_that_was_asked_for(void) {
    const char *expected = asked != NULL ? asked : pal_cpu_level_best();
    const size_t from = strlen(pal_cpu_level()) - strlen(expected);
    TEST_ASSERT_EQUAL_STRING(expected, pal_cpu_level() + from);
    TEST_ASSERT_FALSE(has_levels() && pal_cpu_is_native());
}

static void test_what_is_no_level_is_refused(void) {
    const char *const wrong[] = {"v1", "v5", "x86-64-v3", "native", "V3"};
    pal_err err;
    TEST_ASSERT_EQUAL_INT(PAL_OK, pal_cpu_check(&err));
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        setenv("PALPATE_CPU", wrong[k], 1);
        TEST_ASSERT_EQUAL_INT(PAL_ERR_INPUT, pal_cpu_check(&err));
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, wrong[k]), err.text);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, has_levels() ? "v2, v3 or v4" : "portable"),
                                     err.text);
    }
}

int main(void) {
    asked = getenv("PALPATE_CPU");
    UNITY_BEGIN();
    RUN_TEST(test_the_level_has_a_name_and_its_compiler);
    RUN_TEST(test_the_level_in_use_is_the_one_that_was_asked_for);
    RUN_TEST(test_what_is_no_level_is_refused);
    return UNITY_END();
}
