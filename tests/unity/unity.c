#include "unity.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static struct {
    const char *file;
    const char *test;
    int tests, failures, ignored;
    enum { OPEN, PASSED, FAILED, IGNORED } outcome; // of the present test
    jmp_buf leave;
} unity;

void UnityBegin(const char *file) {
    unity.file = file;
    unity.tests = unity.failures = unity.ignored = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
}

int UnityEnd(void) {
    printf("\n-----------------------\n%d Tests %d Failures %d Ignored\n%s\n", unity.tests,
           unity.failures, unity.ignored, unity.failures == 0 ? "OK" : "FAIL");
    return unity.failures;
}

static void report(int line, const char *word, const char *message) {
    printf("%s:%d:%s:%s%s%s\n", unity.file, line, unity.test, word, message ? ": " : "",
           message ? message : "");
}

void UnityDefaultTestRun(void (*test)(void), const char *name, int line) {
    unity.test = name;
    unity.tests++;
    unity.outcome = OPEN;
    if (setjmp(unity.leave) == 0) {
        setUp();
        test();
    }
    if (setjmp(unity.leave) == 0) {
        tearDown();
    }
    unity.failures += unity.outcome == FAILED;
    unity.ignored += unity.outcome == IGNORED;
    if (unity.outcome == OPEN || unity.outcome == PASSED) {
        report(line, "PASS", NULL);
    }
}

// A test that has failed or was ignored stays so.
static int decided(void) {
    return unity.outcome == FAILED || unity.outcome == IGNORED;
}

void UnityFail(const char *message, int line) {
    if (!decided()) {
        unity.outcome = FAILED;
        report(line, "FAIL", message);
    }
    longjmp(unity.leave, 1);
}

void UnityIgnore(const char *message, int line) {
    if (!decided()) {
        unity.outcome = IGNORED;
        report(line, "IGNORE", message);
    }
    longjmp(unity.leave, 1);
}

void UnityPass(void) {
    longjmp(unity.leave, 1);
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static _Noreturn void
differ(const char *message, int line, const char *format, ...) {
    char what[1024], text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(text, sizeof text, "%s%s%s", what, message ? ". " : "", message ? message : "");
    UnityFail(text, line);
}

void UnityAssertTrue(int condition, const char *what, const char *message, int line) {
    if (!decided() && !condition) {
        differ(message, line, "%s", what);
    }
}

static const char *const order_words[] = {
    [UNITY_EQUAL] = "",          [UNITY_LESS] = "less than ",      [UNITY_LESS_EQUAL] = "at most ",
    [UNITY_MORE] = "more than ", [UNITY_MORE_EQUAL] = "at least ",
};

// `less`, `equal`: how the actual value stands to the limit. Both are 0 for NaN.
static int in_order(UnityOrder order, int less, int equal, int more) {
    switch (order) {
    case UNITY_LESS:
        return less;
    case UNITY_LESS_EQUAL:
        return less || equal;
    case UNITY_MORE:
        return more;
    case UNITY_MORE_EQUAL:
        return more || equal;
    default:
        return equal;
    }
}

void UnityAssertInt(UnityOrder order, int64_t limit, int64_t actual, const char *message,
                    int line) {
    if (!decided() && !in_order(order, actual<limit, actual == limit, actual> limit)) {
        differ(message, line, "Expected %s%" PRId64 " Was %" PRId64, order_words[order], limit,
               actual);
    }
}

void UnityAssertIntWithin(uint64_t delta, int64_t expected, int64_t actual, const char *message,
                          int line) {
    uint64_t distance = expected > actual ? (uint64_t)expected - (uint64_t)actual
                                          : (uint64_t)actual - (uint64_t)expected;
    if (!decided() && distance > delta) {
        differ(message, line, "Expected %" PRId64 " +- %" PRIu64 " Was %" PRId64, expected, delta,
               actual);
    }
}

// Arrays: says whether there are elements to compare; no elements and a lone NULL are failures.
static int comparable(const void *expected, const void *actual, size_t count, const char *message,
                      int line) {
    if (decided()) {
        return 0;
    }
    if (count == 0) {
        differ(message, line, "You asked to compare nothing");
    }
    if (expected != actual && (expected == NULL || actual == NULL)) {
        differ(message, line, "%s pointer is NULL", expected == NULL ? "Expected" : "Actual");
    }
    return expected != actual;
}

static int64_t item_at(UnityItem item, const void *array, size_t index) {
    switch (item) {
    case UNITY_INT64_ITEM:
        return ((const int64_t *)array)[index];
    case UNITY_BYTE_ITEM:
        return ((const uint8_t *)array)[index];
    default:
        return ((const int *)array)[index];
    }
}

void UnityAssertIntArray(UnityItem item, const void *expected, const void *actual, size_t count,
                         const char *message, int line) {
    if (!comparable(expected, actual, count, message, line)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t e = item_at(item, expected, i), a = item_at(item, actual, i);
        if (e != a) {
            differ(message, line, "Element %zu Expected %" PRId64 " Was %" PRId64, i, e, a);
        }
    }
}

void UnityAssertDouble(UnityOrder order, double limit, double actual, const char *message,
                       int line) {
    if (!decided() && !in_order(order, actual<limit, actual == limit, actual> limit)) {
        differ(message, line, "Expected %s%.17g Was %.17g", order_words[order], limit, actual);
    }
}

static int near(double delta, double expected, double actual) {
    if ((isnan(expected) && isnan(actual)) || expected == actual) {
        return 1;
    }
    double distance = fabs(expected - actual);
    return isfinite(distance) && distance <= fabs(delta);
}

void UnityAssertDoubleArray(double delta, double relative, const double *expected,
                            const double *actual, size_t count, const char *message, int line) {
    if (!comparable(expected, actual, count, message, line)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        double allowed = fabs(delta) + relative * fabs(expected[i]);
        if (!near(allowed, expected[i], actual[i])) {
            char where[32] = "";
            if (count > 1) {
                snprintf(where, sizeof where, "Element %zu ", i);
            }
            differ(message, line, "%sExpected %.17g +- %.3g Was %.17g", where, expected[i], allowed,
                   actual[i]);
        }
    }
}

void UnityAssertDoubleKind(UnityKind kind, int is, double actual, const char *message, int line) {
    static const char *const words[] = {
        [UNITY_FINITE] = "finite",
        [UNITY_NAN] = "NaN",
        [UNITY_INF] = "infinity",
        [UNITY_NEG_INF] = "negative infinity",
    };
    int holds = kind == UNITY_FINITE ? isfinite(actual) != 0
                : kind == UNITY_NAN  ? isnan(actual) != 0
                : kind == UNITY_INF  ? actual == INFINITY
                                     : actual == -INFINITY;
    if (!decided() && holds != is) {
        differ(message, line, "Expected %s%s Was %.17g", is ? "" : "not ", words[kind], actual);
    }
}

void UnityAssertString(const char *expected, const char *actual, size_t length, const char *message,
                       int line) {
    int same = expected == actual || (expected && actual && strncmp(expected, actual, length) == 0);
    if (!decided() && !same) {
        differ(message, line, "Expected '%.300s' Was '%.300s'", expected ? expected : "NULL",
               actual ? actual : "NULL");
    }
}

void UnityAssertMemory(const void *expected, const void *actual, size_t size, const char *message,
                       int line) {
    if (!comparable(expected, actual, size, message, line)) {
        return;
    }
    const unsigned char *e = expected, *a = actual;
    for (size_t i = 0; i < size; i++) {
        if (e[i] != a[i]) {
            differ(message, line, "Byte %zu Expected 0x%02X Was 0x%02X", i, e[i], a[i]);
        }
    }
}
