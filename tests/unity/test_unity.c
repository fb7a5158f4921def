// The test framework itself: assertions that must fail do fail, those that must pass do pass, and
// the summary counts them. Every case runs as a small test program of its own, in a child process.
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int clean_up_speaks; // a case sets it when it wants tearDown to speak

void setUp(void) {
}

void tearDown(void) {
    if (clean_up_speaks) {
        printf("clean-up reached\n");
        TEST_FAIL_MESSAGE("second failure");
    }
}

static const int ints[] = {1, 2, 3}, other_ints[] = {1, 2, 4};
static const int64_t longs[] = {1, 2}, other_longs[] = {1, 2 + ((int64_t)1 << 32)};
static const double reals[] = {1.0, 2.0}, near_reals[] = {1.0, 2.0 + 1e-13};
static const double far_reals[] = {1.0, 2.0 + 1e-6}, nan_reals[] = {1.0, NAN};

#define PASSING(X)                                                                                 \
    X(pass_true, TEST_ASSERT_TRUE(2))                                                              \
    X(pass_false, TEST_ASSERT_FALSE(0))                                                            \
    X(pass_null, TEST_ASSERT_NULL(NULL))                                                           \
    X(pass_not_null, TEST_ASSERT_NOT_NULL(ints))                                                   \
    X(pass_pointer, TEST_ASSERT_EQUAL_PTR(ints, &ints[0]))                                         \
    X(pass_int, TEST_ASSERT_EQUAL_INT(-3, -3))                                                     \
    X(pass_int64, TEST_ASSERT_EQUAL_INT64(INT64_MIN, INT64_MIN))                                   \
    X(pass_uint8_wraps, TEST_ASSERT_EQUAL_UINT8(255, -1))                                          \
    X(pass_not_equal, TEST_ASSERT_NOT_EQUAL(1, 2))                                                 \
    X(pass_int_within, TEST_ASSERT_INT_WITHIN(2, 10, 8))                                           \
    X(pass_greater, TEST_ASSERT_GREATER_THAN(1, 2))                                                \
    X(pass_greater_equal, TEST_ASSERT_GREATER_OR_EQUAL(2, 2))                                      \
    X(pass_less, TEST_ASSERT_LESS_THAN(2, 1))                                                      \
    X(pass_less_equal, TEST_ASSERT_LESS_OR_EQUAL(2, 2))                                            \
    X(pass_double_within, TEST_ASSERT_DOUBLE_WITHIN(0.5, 1.0, 1.5))                                \
    X(pass_double_negative_delta, TEST_ASSERT_DOUBLE_WITHIN(-0.5, 1.0, 1.5))                       \
    X(pass_double_equal, TEST_ASSERT_EQUAL_DOUBLE(1.0, 1.0 + 1e-13))                               \
    X(pass_double_zero, TEST_ASSERT_EQUAL_DOUBLE(0.0, -0.0))                                       \
    X(pass_nan_is_nan, TEST_ASSERT_EQUAL_DOUBLE(NAN, NAN))                                         \
    X(pass_inf_is_inf, TEST_ASSERT_EQUAL_DOUBLE(-INFINITY, -INFINITY))                             \
    X(pass_greater_double, TEST_ASSERT_GREATER_THAN_DOUBLE(1.0, 1.5))                              \
    X(pass_less_double, TEST_ASSERT_LESS_THAN_DOUBLE(1.5, 1.0))                                    \
    X(pass_is_nan, TEST_ASSERT_DOUBLE_IS_NAN(NAN))                                                 \
    X(pass_is_inf, TEST_ASSERT_DOUBLE_IS_INF(INFINITY))                                            \
    X(pass_is_negative_inf, TEST_ASSERT_DOUBLE_IS_NEG_INF(-INFINITY))                              \
    X(pass_determinate, TEST_ASSERT_DOUBLE_IS_DETERMINATE(0.0))                                    \
    X(pass_not_determinate, TEST_ASSERT_DOUBLE_IS_NOT_DETERMINATE(NAN))                            \
    X(pass_int_array, TEST_ASSERT_EQUAL_INT_ARRAY(ints, other_ints, 2))                            \
    X(pass_int64_array, TEST_ASSERT_EQUAL_INT64_ARRAY(longs, other_longs, 1))                      \
    X(pass_double_array, TEST_ASSERT_EQUAL_DOUBLE_ARRAY(reals, near_reals, 2))                     \
    X(pass_double_array_within, TEST_ASSERT_DOUBLE_ARRAY_WITHIN(1e-5, reals, far_reals, 2))        \
    X(pass_string, TEST_ASSERT_EQUAL_STRING("a", "a"))                                             \
    X(pass_string_length, TEST_ASSERT_EQUAL_STRING_LEN("abc", "abd", 2))                           \
    X(pass_memory, TEST_ASSERT_EQUAL_MEMORY("ab\0c", "ab\0c", 4))                                  \
    X(pass_early, TEST_PASS(); TEST_FAIL())

#define FAILING(X)                                                                                 \
    X(fail_plain, TEST_FAIL())                                                                     \
    X(fail_true, TEST_ASSERT_TRUE(0))                                                              \
    X(fail_false, TEST_ASSERT_FALSE(1))                                                            \
    X(fail_null, TEST_ASSERT_NULL(ints))                                                           \
    X(fail_not_null, TEST_ASSERT_NOT_NULL(NULL))                                                   \
    X(fail_pointer, TEST_ASSERT_EQUAL_PTR(ints, other_ints))                                       \
    X(fail_int, TEST_ASSERT_EQUAL_INT(1, 2))                                                       \
    X(fail_int64_high_part, TEST_ASSERT_EQUAL_INT64(1, 1 + ((int64_t)1 << 32)))                    \
    X(fail_not_equal, TEST_ASSERT_NOT_EQUAL(2, 2))                                                 \
    X(fail_int_within, TEST_ASSERT_INT_WITHIN(1, 10, 8))                                           \
    X(fail_greater, TEST_ASSERT_GREATER_THAN(2, 2))                                                \
    X(fail_greater_equal, TEST_ASSERT_GREATER_OR_EQUAL(2, 1))                                      \
    X(fail_less, TEST_ASSERT_LESS_THAN(2, 2))                                                      \
    X(fail_less_equal, TEST_ASSERT_LESS_OR_EQUAL(2, 3))                                            \
    X(fail_double_within, TEST_ASSERT_DOUBLE_WITHIN(0.5, 1.0, 1.6))                                \
    X(fail_double_equal, TEST_ASSERT_EQUAL_DOUBLE(1.0, 1.0 + 1e-11))                               \
    X(fail_nan_actual, TEST_ASSERT_DOUBLE_WITHIN(1e9, 0.0, NAN))                                   \
    X(fail_nan_expected, TEST_ASSERT_DOUBLE_WITHIN(1e9, NAN, 0.0))                                 \
    X(fail_nan_delta, TEST_ASSERT_DOUBLE_WITHIN(NAN, 0.0, 1.0))                                    \
    X(fail_inf_far, TEST_ASSERT_DOUBLE_WITHIN(INFINITY, 0.0, INFINITY))                            \
    X(fail_inf_sign, TEST_ASSERT_EQUAL_DOUBLE(INFINITY, -INFINITY))                                \
    X(fail_greater_nan, TEST_ASSERT_GREATER_THAN_DOUBLE(1.0, NAN))                                 \
    X(fail_less_nan, TEST_ASSERT_LESS_THAN_DOUBLE(1.0, NAN))                                       \
    X(fail_less_double, TEST_ASSERT_LESS_THAN_DOUBLE(1.0, 1.0))                                    \
    X(fail_is_nan, TEST_ASSERT_DOUBLE_IS_NAN(1.0))                                                 \
    X(fail_is_not_nan, TEST_ASSERT_DOUBLE_IS_NOT_NAN(NAN))                                         \
    X(fail_is_inf, TEST_ASSERT_DOUBLE_IS_INF(-INFINITY))                                           \
    X(fail_determinate, TEST_ASSERT_DOUBLE_IS_DETERMINATE(INFINITY))                               \
    X(fail_int_array, TEST_ASSERT_EQUAL_INT_ARRAY(ints, other_ints, 3))                            \
    X(fail_int64_array, TEST_ASSERT_EQUAL_INT64_ARRAY(longs, other_longs, 2))                      \
    X(fail_double_array, TEST_ASSERT_EQUAL_DOUBLE_ARRAY(reals, far_reals, 2))                      \
    X(fail_double_array_nan, TEST_ASSERT_DOUBLE_ARRAY_WITHIN(9.0, reals, nan_reals, 2))            \
    X(fail_array_of_nothing, TEST_ASSERT_EQUAL_DOUBLE_ARRAY(reals, far_reals, 0))                  \
    X(fail_array_null, TEST_ASSERT_EQUAL_INT_ARRAY(NULL, ints, 3))                                 \
    X(fail_string, TEST_ASSERT_EQUAL_STRING("a", "b"))                                             \
    X(fail_string_null, TEST_ASSERT_EQUAL_STRING("a", NULL))                                       \
    X(fail_memory, TEST_ASSERT_EQUAL_MEMORY("ab\0c", "ab\0d", 4))

#define MAKE_CASE(name, statements)                                                                \
    static void name(void) {                                                                       \
        statements;                                                                                \
    }
PASSING(MAKE_CASE)
FAILING(MAKE_CASE)

typedef struct named_case {
    const char *name;
    void (*run)(void);
} named_case;
#define NAME_CASE(name, statements) {#name, name},
static const named_case passing[] = {PASSING(NAME_CASE)};
static const named_case failing[] = {FAILING(NAME_CASE)};

static char output[4096]; // of the last child

// Runs a case as a test program: returns its exit code and keeps what it printed.
static int run_alone(named_case c) {
    int channel[2];
    fflush(NULL);
    if (pipe(channel) != 0) {
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        dup2(channel[1], STDOUT_FILENO);
        UNITY_BEGIN();
        UnityDefaultTestRun(c.run, c.name, __LINE__);
        int failures = UNITY_END();
        fflush(stdout);
        _exit(failures);
    }
    close(channel[1]);
    size_t used = 0;
    for (ssize_t got = 1; got > 0; used += (size_t)got) {
        got = read(channel[0], output + used, sizeof output - 1 - used);
        got = got < 0 ? 0 : got;
    }
    output[used] = '\0';
    close(channel[0]);
    int state = -1;
    waitpid(child, &state, 0);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static void test_what_holds_passes(void) {
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, run_alone(passing[i]), passing[i].name);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "1 Tests 0 Failures 0 Ignored"), output);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, ":PASS"), output);
    }
}

static void test_what_does_not_hold_fails(void) {
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(1, run_alone(failing[i]), failing[i].name);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "1 Tests 1 Failures 0 Ignored"), output);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, ":FAIL"), output);
    }
}

static void ignored_case(void) {
    TEST_IGNORE_MESSAGE("no data here");
}

static void test_an_ignored_test_is_counted_apart(void) {
    TEST_ASSERT_EQUAL_INT(0, run_alone((named_case){"ignored_case", ignored_case}));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "1 Tests 0 Failures 1 Ignored"), output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "no data here"), output);
}

static void failing_in_both(void) {
    clean_up_speaks = 1;
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, 2, "first failure");
}

static void test_a_failed_test_is_cleaned_up_and_counted_once(void) {
    TEST_ASSERT_EQUAL_INT(1, run_alone((named_case){"failing_in_both", failing_in_both}));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "first failure"), output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "clean-up reached"), output);
    TEST_ASSERT_NULL_MESSAGE(strstr(output, "second failure"), output);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(output, "1 Tests 1 Failures 0 Ignored"), output);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_what_holds_passes);
    RUN_TEST(test_what_does_not_hold_fails);
    RUN_TEST(test_an_ignored_test_is_counted_apart);
    RUN_TEST(test_a_failed_test_is_cleaned_up_and_counted_once);
    return UNITY_END();
}
