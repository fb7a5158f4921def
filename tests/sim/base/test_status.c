#include "sim/base/progress.h"
#include "sim/base/status.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static void test_every_status_has_words(void) {
    TEST_ASSERT_EQUAL_STRING("ok", pal_status_text(PAL_OK));
    for (int s = PAL_OK; s <= PAL_ERR_VERSION; s++) {
        TEST_ASSERT_NOT_EQUAL(0, strcmp("unknown status", pal_status_text((pal_status)s)));
    }
    TEST_ASSERT_EQUAL_STRING("unknown status", pal_status_text((pal_status)(PAL_ERR_VERSION + 1)));
}

static void test_a_failure_returns_its_status_and_says_why(void) {
    pal_err err;
    TEST_ASSERT_EQUAL_INT(PAL_ERR_IO, pal_fail(&err, PAL_ERR_IO, "disk %d is full", 3));
    TEST_ASSERT_EQUAL_INT(PAL_ERR_IO, err.status);
    TEST_ASSERT_EQUAL_STRING("disk 3 is full", err.text);
}

static void test_a_place_stands_in_front(void) {
    pal_err err;
    pal_fail_at(&err, PAL_ERR_INPUT, "a.msh", 12, "bad %s", "node");
    TEST_ASSERT_EQUAL_STRING("a.msh:12: bad node", err.text);
    pal_fail_at(&err, PAL_ERR_INPUT, "a.msh", 0, "bad %s", "node");
    TEST_ASSERT_EQUAL_STRING("a.msh: bad node", err.text);
}

static void test_a_file_can_be_named_afterwards(void) {
    pal_err err;
    pal_fail(&err, PAL_ERR_INPUT, "element 3 is flat");
    TEST_ASSERT_EQUAL_INT(PAL_ERR_INPUT, pal_fail_in(&err, PAL_ERR_INPUT, "a.msh"));
    TEST_ASSERT_EQUAL_STRING("a.msh: element 3 is flat", err.text);
    TEST_ASSERT_EQUAL_INT(PAL_OK, pal_fail_in(&err, PAL_OK, "b.msh"));
    TEST_ASSERT_EQUAL_STRING("a.msh: element 3 is flat", err.text);
    TEST_ASSERT_EQUAL_INT(PAL_ERR_USAGE, pal_fail_in(NULL, PAL_ERR_USAGE, "a.msh"));
}

static void test_nobody_needs_to_listen(void) {
    TEST_ASSERT_EQUAL_INT(PAL_ERR_INPUT, pal_fail(NULL, PAL_ERR_INPUT, "x"));
    TEST_ASSERT_EQUAL_INT(PAL_ERR_INPUT, pal_fail_at(NULL, PAL_ERR_INPUT, "f", 1, "x"));
}

static void test_long_messages_are_cut_not_overrun(void) {
    char name[4000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    pal_err err;
    pal_fail(&err, PAL_ERR_INPUT, "%s", name);
    TEST_ASSERT_EQUAL_INT(sizeof err.text - 1, strlen(err.text));
    pal_fail_at(&err, PAL_ERR_INPUT, "a.msh", 1, "%s", name);
    TEST_ASSERT_EQUAL_INT(sizeof err.text - 1, strlen(err.text));
    pal_fail_at(&err, PAL_ERR_INPUT, name, 1, "the point");
    TEST_ASSERT_NOT_NULL(strstr(err.text, "the point"));
}

typedef struct heard {
    int calls;
    const char *stage;
    double fraction;
} heard;

static void hear(void *user, const char *stage, double fraction) {
    heard *h = user;
    *h = (heard){h->calls + 1, stage, fraction};
}

static void test_progress_reaches_the_listener(void) {
    heard h = {0};
    pal_progress progress = {.report = hear, .user = &h};
    pal_progress_report(&progress, "modes", 0.25);
    TEST_ASSERT_EQUAL_INT(1, h.calls);
    TEST_ASSERT_EQUAL_STRING("modes", h.stage);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, h.fraction);
}

static void test_progress_without_a_listener_is_silent(void) {
    pal_progress deaf = {0};
    pal_progress_report(&deaf, "modes", 0.5);
    pal_progress_report(NULL, "modes", 0.5);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_every_status_has_words);
    RUN_TEST(test_a_failure_returns_its_status_and_says_why);
    RUN_TEST(test_a_place_stands_in_front);
    RUN_TEST(test_a_file_can_be_named_afterwards);
    RUN_TEST(test_nobody_needs_to_listen);
    RUN_TEST(test_long_messages_are_cut_not_overrun);
    RUN_TEST(test_progress_reaches_the_listener);
    RUN_TEST(test_progress_without_a_listener_is_silent);
    return UNITY_END();
}
