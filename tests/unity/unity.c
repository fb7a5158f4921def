#include "unity.h"

#include <inttypes.h>
#include <stdio.h>

static struct {
    const char *file;
    const char *test;
    int tests, failures, ignored;
    enum { PASSED, FAILED, IGNORED } result;
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

void UnityRun(void (*test)(void), const char *name, int line) {
    unity.test = name;
    unity.tests++;
    unity.result = PASSED;
    if (setjmp(unity.leave) == 0) {
        setUp();
        test();
    }
    if (setjmp(unity.leave) == 0) {
        tearDown();
    }
    unity.failures += unity.result == FAILED;
    unity.ignored += unity.result == IGNORED;
    if (unity.result == PASSED) {
        report(line, "PASS", NULL);
    }
}

void UnityFail(const char *message, int line) {
    unity.result = FAILED;
    report(line, "FAIL", message);
    longjmp(unity.leave, 1);
}

void UnityIgnore(const char *message, int line) {
    unity.result = IGNORED;
    report(line, "IGNORE", message);
    longjmp(unity.leave, 1);
}

static _Noreturn void differ(const char *what, const char *message, int line) {
    static char text[1024];
    snprintf(text, sizeof text, "%s%s%s", what, message ? ". " : "", message ? message : "");
    UnityFail(text, line);
}

void UnityAssertInt(int64_t expected, int64_t actual, const char *message, int line) {
    if (expected != actual) {
        char text[128];
        snprintf(text, sizeof text, "Expected %" PRId64 " Was %" PRId64, expected, actual);
        differ(text, message, line);
    }
}

void UnityAssertDouble(double delta, double expected, double actual, const char *message,
                       int line) {
    int same = expected == actual || fabs(expected - actual) <= delta;
    if (!same) {
        char text[160];
        snprintf(text, sizeof text, "Expected %.17g +- %.3g Was %.17g", expected, delta, actual);
        differ(text, message, line);
    }
}

void UnityAssertString(const char *expected, const char *actual, const char *message, int line) {
    int same = expected == actual || (expected && actual && strcmp(expected, actual) == 0);
    if (!same) {
        char text[768];
        snprintf(text, sizeof text, "Expected '%.300s' Was '%.300s'", expected ? expected : "NULL",
                 actual ? actual : "NULL");
        differ(text, message, line);
    }
}

void UnityAssertMemory(const void *expected, const void *actual, size_t size, const char *message,
                       int line) {
    if (memcmp(expected, actual, size) != 0) {
        differ("Memory differs", message, line);
    }
}
