// The Unity test API (ThrowTheSwitch), the part of it that we use: same names, same meaning, our
// own code. CMake takes an installed Unity instead when it finds one. Each assertion X has a form
// X_MESSAGE whose last argument is shown on failure. Assertions leave the test by longjmp, so they
// belong on the thread that runs it.
#ifndef UNITY_H
#define UNITY_H

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void setUp(void);    // before every test; each test program defines both
void tearDown(void); // after every test, whatever its outcome

void UnityBegin(const char *file);
int UnityEnd(void); // prints the summary; the number of failures
void UnityDefaultTestRun(void (*test)(void), const char *name, int line);

_Noreturn void UnityFail(const char *message, int line);
_Noreturn void UnityIgnore(const char *message, int line);
_Noreturn void UnityPass(void);

typedef enum { UNITY_EQUAL, UNITY_LESS, UNITY_LESS_EQUAL, UNITY_MORE, UNITY_MORE_EQUAL } UnityOrder;
typedef enum { UNITY_INT_ITEM, UNITY_INT64_ITEM, UNITY_BYTE_ITEM } UnityItem;
typedef enum { UNITY_FINITE, UNITY_NAN, UNITY_INF, UNITY_NEG_INF } UnityKind;

// Each passes, or ends the test as failed; once a test has its outcome they do nothing.
void UnityAssertTrue(int condition, const char *what, const char *message, int line);
void UnityAssertInt(UnityOrder order, int64_t limit, int64_t actual, const char *message, int line);
void UnityAssertIntWithin(uint64_t delta, int64_t expected, int64_t actual, const char *message,
                          int line);
void UnityAssertIntArray(UnityItem item, const void *expected, const void *actual, size_t count,
                         const char *message, int line);
void UnityAssertDouble(UnityOrder order, double limit, double actual, const char *message,
                       int line);
// delta is absolute and grows by `relative` times |expected|. As in Unity NaN equals NaN, an
// infinity equals itself, and nothing else is near either.
void UnityAssertDoubleArray(double delta, double relative, const double *expected,
                            const double *actual, size_t count, const char *message, int line);
void UnityAssertDoubleKind(UnityKind kind, int is, double actual, const char *message, int line);
void UnityAssertString(const char *expected, const char *actual, size_t length, const char *message,
                       int line);
void UnityAssertMemory(const void *expected, const void *actual, size_t size, const char *message,
                       int line);

#define UNITY_BEGIN()                UnityBegin(__FILE__)
#define UNITY_END()                  UnityEnd()
#define RUN_TEST(test)               UnityDefaultTestRun(test, #test, __LINE__)
#define TEST_FAIL()                  UnityFail(NULL, __LINE__)
#define TEST_FAIL_MESSAGE(message)   UnityFail(message, __LINE__)
#define TEST_IGNORE()                UnityIgnore(NULL, __LINE__)
#define TEST_IGNORE_MESSAGE(message) UnityIgnore(message, __LINE__)
#define TEST_PASS()                  UnityPass()

// In the macros e is the expected value, a the actual, m the message, d the delta, n the count,
// l the limit, c a condition, p a pointer.
#define UNITY_AT(x) (&(double){(double)(x)})

// Conditions and pointers
#define TEST_ASSERT_MESSAGE(c, m)          UnityAssertTrue(!!(c), #c " is false", m, __LINE__)
#define TEST_ASSERT(c)                     TEST_ASSERT_MESSAGE(c, NULL)
#define TEST_ASSERT_TRUE_MESSAGE(c, m)     TEST_ASSERT_MESSAGE(c, m)
#define TEST_ASSERT_TRUE(c)                TEST_ASSERT_MESSAGE(c, NULL)
#define TEST_ASSERT_FALSE_MESSAGE(c, m)    UnityAssertTrue(!(c), #c " is true", m, __LINE__)
#define TEST_ASSERT_FALSE(c)               TEST_ASSERT_FALSE_MESSAGE(c, NULL)
#define TEST_ASSERT_NULL_MESSAGE(p, m)     UnityAssertTrue((p) == NULL, #p " is not NULL", m, __LINE__)
#define TEST_ASSERT_NULL(p)                TEST_ASSERT_NULL_MESSAGE(p, NULL)
#define TEST_ASSERT_NOT_NULL_MESSAGE(p, m) UnityAssertTrue((p) != NULL, #p " is NULL", m, __LINE__)
#define TEST_ASSERT_NOT_NULL(p)            TEST_ASSERT_NOT_NULL_MESSAGE(p, NULL)
#define TEST_ASSERT_EQUAL_PTR_MESSAGE(e, a, m)                                                     \
    UnityAssertTrue((const void *)(e) == (const void *)(a), #a " is another pointer", m, __LINE__)
#define TEST_ASSERT_EQUAL_PTR(e, a) TEST_ASSERT_EQUAL_PTR_MESSAGE(e, a, NULL)
#define TEST_ASSERT_NOT_EQUAL_MESSAGE(e, a, m)                                                     \
    UnityAssertTrue((e) != (a), #a " is equal", m, __LINE__)
#define TEST_ASSERT_NOT_EQUAL(e, a)                TEST_ASSERT_NOT_EQUAL_MESSAGE(e, a, NULL)
#define TEST_ASSERT_NOT_EQUAL_INT_MESSAGE(e, a, m) TEST_ASSERT_NOT_EQUAL_MESSAGE(e, a, m)
#define TEST_ASSERT_NOT_EQUAL_INT(e, a)            TEST_ASSERT_NOT_EQUAL_MESSAGE(e, a, NULL)

// Integers; the sized forms compare after conversion to that size
#define TEST_ASSERT_EQUAL_INT_MESSAGE(e, a, m)                                                     \
    UnityAssertInt(UNITY_EQUAL, (int64_t)(e), (int64_t)(a), m, __LINE__)
#define TEST_ASSERT_EQUAL_MESSAGE(e, a, m)        TEST_ASSERT_EQUAL_INT_MESSAGE(e, a, m)
#define TEST_ASSERT_EQUAL_UINT_MESSAGE(e, a, m)   TEST_ASSERT_EQUAL_INT_MESSAGE(e, a, m)
#define TEST_ASSERT_EQUAL_size_t_MESSAGE(e, a, m) TEST_ASSERT_EQUAL_INT_MESSAGE(e, a, m)
#define TEST_ASSERT_EQUAL_INT64_MESSAGE(e, a, m)  TEST_ASSERT_EQUAL_INT_MESSAGE(e, a, m)
#define TEST_ASSERT_EQUAL_UINT64_MESSAGE(e, a, m) TEST_ASSERT_EQUAL_INT_MESSAGE(e, a, m)
#define TEST_ASSERT_EQUAL_HEX64_MESSAGE(e, a, m)  TEST_ASSERT_EQUAL_INT_MESSAGE(e, a, m)
#define TEST_ASSERT_EQUAL_INT32_MESSAGE(e, a, m)                                                   \
    TEST_ASSERT_EQUAL_INT_MESSAGE((int32_t)(e), (int32_t)(a), m)
#define TEST_ASSERT_EQUAL_UINT32_MESSAGE(e, a, m)                                                  \
    TEST_ASSERT_EQUAL_INT_MESSAGE((uint32_t)(e), (uint32_t)(a), m)
#define TEST_ASSERT_EQUAL_INT8_MESSAGE(e, a, m)                                                    \
    TEST_ASSERT_EQUAL_INT_MESSAGE((int8_t)(e), (int8_t)(a), m)
#define TEST_ASSERT_EQUAL_UINT8_MESSAGE(e, a, m)                                                   \
    TEST_ASSERT_EQUAL_INT_MESSAGE((uint8_t)(e), (uint8_t)(a), m)
#define TEST_ASSERT_EQUAL(e, a)        TEST_ASSERT_EQUAL_MESSAGE(e, a, NULL)
#define TEST_ASSERT_EQUAL_INT(e, a)    TEST_ASSERT_EQUAL_INT_MESSAGE(e, a, NULL)
#define TEST_ASSERT_EQUAL_UINT(e, a)   TEST_ASSERT_EQUAL_UINT_MESSAGE(e, a, NULL)
#define TEST_ASSERT_EQUAL_size_t(e, a) TEST_ASSERT_EQUAL_size_t_MESSAGE(e, a, NULL)
#define TEST_ASSERT_EQUAL_INT64(e, a)  TEST_ASSERT_EQUAL_INT64_MESSAGE(e, a, NULL)
#define TEST_ASSERT_EQUAL_UINT64(e, a) TEST_ASSERT_EQUAL_UINT64_MESSAGE(e, a, NULL)
#define TEST_ASSERT_EQUAL_HEX64(e, a)  TEST_ASSERT_EQUAL_HEX64_MESSAGE(e, a, NULL)
#define TEST_ASSERT_EQUAL_INT32(e, a)  TEST_ASSERT_EQUAL_INT32_MESSAGE(e, a, NULL)
#define TEST_ASSERT_EQUAL_UINT32(e, a) TEST_ASSERT_EQUAL_UINT32_MESSAGE(e, a, NULL)
#define TEST_ASSERT_EQUAL_INT8(e, a)   TEST_ASSERT_EQUAL_INT8_MESSAGE(e, a, NULL)
#define TEST_ASSERT_EQUAL_UINT8(e, a)  TEST_ASSERT_EQUAL_UINT8_MESSAGE(e, a, NULL)

#define TEST_ASSERT_INT_WITHIN_MESSAGE(d, e, a, m)                                                 \
    UnityAssertIntWithin((uint64_t)(d), (int64_t)(e), (int64_t)(a), m, __LINE__)
#define TEST_ASSERT_INT_WITHIN(d, e, a) TEST_ASSERT_INT_WITHIN_MESSAGE(d, e, a, NULL)

#define TEST_ASSERT_GREATER_THAN_MESSAGE(l, a, m)                                                  \
    UnityAssertInt(UNITY_MORE, (int64_t)(l), (int64_t)(a), m, __LINE__)
#define TEST_ASSERT_GREATER_OR_EQUAL_MESSAGE(l, a, m)                                              \
    UnityAssertInt(UNITY_MORE_EQUAL, (int64_t)(l), (int64_t)(a), m, __LINE__)
#define TEST_ASSERT_LESS_THAN_MESSAGE(l, a, m)                                                     \
    UnityAssertInt(UNITY_LESS, (int64_t)(l), (int64_t)(a), m, __LINE__)
#define TEST_ASSERT_LESS_OR_EQUAL_MESSAGE(l, a, m)                                                 \
    UnityAssertInt(UNITY_LESS_EQUAL, (int64_t)(l), (int64_t)(a), m, __LINE__)
#define TEST_ASSERT_GREATER_THAN(l, a)         TEST_ASSERT_GREATER_THAN_MESSAGE(l, a, NULL)
#define TEST_ASSERT_GREATER_OR_EQUAL(l, a)     TEST_ASSERT_GREATER_OR_EQUAL_MESSAGE(l, a, NULL)
#define TEST_ASSERT_LESS_THAN(l, a)            TEST_ASSERT_LESS_THAN_MESSAGE(l, a, NULL)
#define TEST_ASSERT_LESS_OR_EQUAL(l, a)        TEST_ASSERT_LESS_OR_EQUAL_MESSAGE(l, a, NULL)
#define TEST_ASSERT_GREATER_THAN_INT(l, a)     TEST_ASSERT_GREATER_THAN_MESSAGE(l, a, NULL)
#define TEST_ASSERT_GREATER_OR_EQUAL_INT(l, a) TEST_ASSERT_GREATER_OR_EQUAL_MESSAGE(l, a, NULL)
#define TEST_ASSERT_LESS_THAN_INT(l, a)        TEST_ASSERT_LESS_THAN_MESSAGE(l, a, NULL)
#define TEST_ASSERT_LESS_OR_EQUAL_INT(l, a)    TEST_ASSERT_LESS_OR_EQUAL_MESSAGE(l, a, NULL)

// Doubles; EQUAL_DOUBLE allows 1e-12 of the expected value, EQUAL_FLOAT 1e-5
#define TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(d, e, a, m)                                              \
    UnityAssertDoubleArray(d, 0.0, UNITY_AT(e), UNITY_AT(a), 1, m, __LINE__)
#define TEST_ASSERT_FLOAT_WITHIN_MESSAGE(d, e, a, m) TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(d, e, a, m)
#define TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(e, a, m)                                                  \
    UnityAssertDoubleArray(0.0, 1e-12, UNITY_AT(e), UNITY_AT(a), 1, m, __LINE__)
#define TEST_ASSERT_EQUAL_FLOAT_MESSAGE(e, a, m)                                                   \
    UnityAssertDoubleArray(0.0, 1e-5, UNITY_AT(e), UNITY_AT(a), 1, m, __LINE__)
#define TEST_ASSERT_DOUBLE_WITHIN(d, e, a) TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(d, e, a, NULL)
#define TEST_ASSERT_FLOAT_WITHIN(d, e, a)  TEST_ASSERT_FLOAT_WITHIN_MESSAGE(d, e, a, NULL)
#define TEST_ASSERT_EQUAL_DOUBLE(e, a)     TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(e, a, NULL)
#define TEST_ASSERT_EQUAL_FLOAT(e, a)      TEST_ASSERT_EQUAL_FLOAT_MESSAGE(e, a, NULL)

#define TEST_ASSERT_GREATER_THAN_DOUBLE_MESSAGE(l, a, m)                                           \
    UnityAssertDouble(UNITY_MORE, l, a, m, __LINE__)
#define TEST_ASSERT_GREATER_OR_EQUAL_DOUBLE_MESSAGE(l, a, m)                                       \
    UnityAssertDouble(UNITY_MORE_EQUAL, l, a, m, __LINE__)
#define TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(l, a, m)                                              \
    UnityAssertDouble(UNITY_LESS, l, a, m, __LINE__)
#define TEST_ASSERT_LESS_OR_EQUAL_DOUBLE_MESSAGE(l, a, m)                                          \
    UnityAssertDouble(UNITY_LESS_EQUAL, l, a, m, __LINE__)
#define TEST_ASSERT_GREATER_THAN_DOUBLE(l, a) TEST_ASSERT_GREATER_THAN_DOUBLE_MESSAGE(l, a, NULL)
#define TEST_ASSERT_GREATER_OR_EQUAL_DOUBLE(l, a)                                                  \
    TEST_ASSERT_GREATER_OR_EQUAL_DOUBLE_MESSAGE(l, a, NULL)
#define TEST_ASSERT_LESS_THAN_DOUBLE(l, a)     TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(l, a, NULL)
#define TEST_ASSERT_LESS_OR_EQUAL_DOUBLE(l, a) TEST_ASSERT_LESS_OR_EQUAL_DOUBLE_MESSAGE(l, a, NULL)

#define TEST_ASSERT_DOUBLE_IS_NAN(a)     UnityAssertDoubleKind(UNITY_NAN, 1, a, NULL, __LINE__)
#define TEST_ASSERT_DOUBLE_IS_NOT_NAN(a) UnityAssertDoubleKind(UNITY_NAN, 0, a, NULL, __LINE__)
#define TEST_ASSERT_DOUBLE_IS_INF(a)     UnityAssertDoubleKind(UNITY_INF, 1, a, NULL, __LINE__)
#define TEST_ASSERT_DOUBLE_IS_NEG_INF(a) UnityAssertDoubleKind(UNITY_NEG_INF, 1, a, NULL, __LINE__)
#define TEST_ASSERT_DOUBLE_IS_DETERMINATE(a)                                                       \
    UnityAssertDoubleKind(UNITY_FINITE, 1, a, NULL, __LINE__)
#define TEST_ASSERT_DOUBLE_IS_NOT_DETERMINATE(a)                                                   \
    UnityAssertDoubleKind(UNITY_FINITE, 0, a, NULL, __LINE__)

// Arrays; comparing nothing is a failure
#define TEST_ASSERT_EQUAL_INT_ARRAY_MESSAGE(e, a, n, m)                                            \
    UnityAssertIntArray(UNITY_INT_ITEM, e, a, n, m, __LINE__)
#define TEST_ASSERT_EQUAL_INT64_ARRAY_MESSAGE(e, a, n, m)                                          \
    UnityAssertIntArray(UNITY_INT64_ITEM, e, a, n, m, __LINE__)
#define TEST_ASSERT_EQUAL_UINT8_ARRAY_MESSAGE(e, a, n, m)                                          \
    UnityAssertIntArray(UNITY_BYTE_ITEM, e, a, n, m, __LINE__)
#define TEST_ASSERT_EQUAL_DOUBLE_ARRAY_MESSAGE(e, a, n, m)                                         \
    UnityAssertDoubleArray(0.0, 1e-12, e, a, n, m, __LINE__)
#define TEST_ASSERT_DOUBLE_ARRAY_WITHIN_MESSAGE(d, e, a, n, m)                                     \
    UnityAssertDoubleArray(d, 0.0, e, a, n, m, __LINE__)
#define TEST_ASSERT_EQUAL_INT_ARRAY(e, a, n)   TEST_ASSERT_EQUAL_INT_ARRAY_MESSAGE(e, a, n, NULL)
#define TEST_ASSERT_EQUAL_INT32_ARRAY(e, a, n) TEST_ASSERT_EQUAL_INT_ARRAY_MESSAGE(e, a, n, NULL)
#define TEST_ASSERT_EQUAL_INT64_ARRAY(e, a, n) TEST_ASSERT_EQUAL_INT64_ARRAY_MESSAGE(e, a, n, NULL)
#define TEST_ASSERT_EQUAL_UINT8_ARRAY(e, a, n) TEST_ASSERT_EQUAL_UINT8_ARRAY_MESSAGE(e, a, n, NULL)
#define TEST_ASSERT_EQUAL_DOUBLE_ARRAY(e, a, n)                                                    \
    TEST_ASSERT_EQUAL_DOUBLE_ARRAY_MESSAGE(e, a, n, NULL)
#define TEST_ASSERT_DOUBLE_ARRAY_WITHIN(d, e, a, n)                                                \
    TEST_ASSERT_DOUBLE_ARRAY_WITHIN_MESSAGE(d, e, a, n, NULL)

// Text and bytes
#define TEST_ASSERT_EQUAL_STRING_MESSAGE(e, a, m)        UnityAssertString(e, a, SIZE_MAX, m, __LINE__)
#define TEST_ASSERT_EQUAL_STRING(e, a)                   TEST_ASSERT_EQUAL_STRING_MESSAGE(e, a, NULL)
#define TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(e, a, n, m) UnityAssertString(e, a, n, m, __LINE__)
#define TEST_ASSERT_EQUAL_STRING_LEN(e, a, n)            TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(e, a, n, NULL)
#define TEST_ASSERT_EQUAL_MEMORY_MESSAGE(e, a, n, m)     UnityAssertMemory(e, a, n, m, __LINE__)
#define TEST_ASSERT_EQUAL_MEMORY(e, a, n)                TEST_ASSERT_EQUAL_MEMORY_MESSAGE(e, a, n, NULL)

#endif
