// Small helps shared by the tests.
#ifndef PAL_TESTS_CHECK_H
#define PAL_TESTS_CHECK_H

#include <stddef.h>

#include "sim/base/status.h"
#include "unity.h"

// The status must be PAL_OK; shows the error text when it is not.
#define CHECK_OK(status, err) TEST_ASSERT_TRUE_MESSAGE((status) == PAL_OK, (err).text)

// The call must fail with this status and a message that contains `part`.
#define CHECK_FAILS(expected, part, status, err)                                                   \
    do {                                                                                           \
        TEST_ASSERT_EQUAL_INT_MESSAGE(expected, status, (err).text);                               \
        TEST_ASSERT_TRUE_MESSAGE(strstr((err).text, part) != NULL, (err).text);                    \
    } while (0)

// max |a - b| / max |b|
double check_relative_difference(const double *a, const double *b, size_t count);

// Path of a file in tests/data, and of one in the shared data beside the project (NULL when it is
// not there: TEST_IGNORE then). The text lives until the next call.
const char *check_data(const char *name);
const char *check_shared(const char *name);

// A path for a scratch file of this process, in a fresh folder that is removed at exit. The text
// lives until the next call.
const char *check_scratch(const char *name);

// Lets the program keep its models in $PALPATE_TEST_CACHE, where other builds of the same sources
// may have left them (sanitizers are slow at baking, and bakes have tests of their own), else in a
// scratch folder.
void check_use_cache(void);

#endif
