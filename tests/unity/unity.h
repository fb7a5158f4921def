// The Unity test API (ThrowTheSwitch), the part of it that we use: same names, same meaning, our
// own code. CMake takes an installed Unity instead when it finds one.
#ifndef UNITY_H
#define UNITY_H

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

void setUp(void);    // before every test; each test program defines both
void tearDown(void); // after every test

void UnityBegin(const char *file);
int UnityEnd(void); // the number of failures
void UnityRun(void (*test)(void), const char *name, int line);
_Noreturn void UnityFail(const char *message, int line);
_Noreturn void UnityIgnore(const char *message, int line);
void UnityAssertInt(int64_t expected, int64_t actual, const char *message, int line);
void UnityAssertDouble(double delta, double expected, double actual, const char *message, int line);
void UnityAssertString(const char *expected, const char *actual, const char *message, int line);
void UnityAssertMemory(const void *expected, const void *actual, size_t size, const char *message,
                       int line);

#define UNITY_BEGIN()                UnityBegin(__FILE__)
#define UNITY_END()                  UnityEnd()
#define RUN_TEST(test)               UnityRun(test, #test, __LINE__)
#define TEST_FAIL()                  UnityFail(NULL, __LINE__)
#define TEST_FAIL_MESSAGE(message)   UnityFail(message, __LINE__)
#define TEST_IGNORE()                UnityIgnore(NULL, __LINE__)
#define TEST_IGNORE_MESSAGE(message) UnityIgnore(message, __LINE__)
#define TEST_PASS()                  return

#define TEST_ASSERT_MESSAGE(condition, message)                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            UnityFail(message, __LINE__);                                                          \
        }                                                                                          \
    } while (0)
#define TEST_ASSERT(condition)                        TEST_ASSERT_MESSAGE(condition, #condition " is false")
#define TEST_ASSERT_TRUE(condition)                   TEST_ASSERT_MESSAGE(condition, #condition " is false")
#define TEST_ASSERT_FALSE(condition)                  TEST_ASSERT_MESSAGE(!(condition), #condition " is true")
#define TEST_ASSERT_TRUE_MESSAGE(condition, message)  TEST_ASSERT_MESSAGE(condition, message)
#define TEST_ASSERT_FALSE_MESSAGE(condition, message) TEST_ASSERT_MESSAGE(!(condition), message)
#define TEST_ASSERT_NULL(pointer)                     TEST_ASSERT_MESSAGE((pointer) == NULL, #pointer " is not NULL")
#define TEST_ASSERT_NOT_NULL(pointer)                 TEST_ASSERT_MESSAGE((pointer) != NULL, #pointer " is NULL")

#define TEST_ASSERT_EQUAL_INT_MESSAGE(expected, actual, message)                                   \
    UnityAssertInt((int64_t)(expected), (int64_t)(actual), message, __LINE__)
#define TEST_ASSERT_EQUAL_INT(expected, actual)                                                    \
    TEST_ASSERT_EQUAL_INT_MESSAGE(expected, actual, NULL)
#define TEST_ASSERT_EQUAL_INT64(expected, actual)                                                  \
    TEST_ASSERT_EQUAL_INT_MESSAGE(expected, actual, NULL)
#define TEST_ASSERT_EQUAL(expected, actual) TEST_ASSERT_EQUAL_INT_MESSAGE(expected, actual, NULL)
#define TEST_ASSERT_EQUAL_UINT8(expected, actual)                                                  \
    TEST_ASSERT_EQUAL_INT_MESSAGE(expected, actual, NULL)

#define TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(delta, expected, actual, message)                        \
    UnityAssertDouble(delta, expected, actual, message, __LINE__)
#define TEST_ASSERT_DOUBLE_WITHIN(delta, expected, actual)                                         \
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(delta, expected, actual, NULL)
#define TEST_ASSERT_EQUAL_DOUBLE(expected, actual)                                                 \
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(fabs((double)(expected)) * 1e-12, expected, actual, NULL)

#define TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, actual, message)                                \
    UnityAssertString(expected, actual, message, __LINE__)
#define TEST_ASSERT_EQUAL_STRING(expected, actual)                                                 \
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, actual, NULL)
#define TEST_ASSERT_EQUAL_MEMORY(expected, actual, size)                                           \
    UnityAssertMemory(expected, actual, size, NULL, __LINE__)

#endif
