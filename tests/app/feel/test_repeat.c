// The same trials give the same scores, bit for bit: from the trace that was saved, and from a run
// that replays it. (With one thread or two: test_trials.c.)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_recorded.h"
#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/sanitized.h"
#include "tests/support/strip_scene.h"

// (full elements, by which a press is judged, take long)
enum { TRIALS = SANITIZED_OR(2, 3), FIRST = SANITIZED_OR(1, 0) }; // replayed from that one on
static const char *const only = SANITIZED_OR("friction,stall-10ms", "press,friction,stall-10ms");
static pal_feel feel; // run once
static pal_err err;

static void run_suite(void) {
    char path[256];
    snprintf(path, sizeof path, "%s", check_scratch("strip.yaml"));
    strip_scene_write(path, STRIP_SCENE);
    CHECK_OK(pal_feel_open(&feel, path, &(pal_feel_wish){.seed = -1, .only = only}, NULL, &err),
             err);
    TEST_ASSERT_EQUAL_INT(TRIALS, feel.trial_count);
    CHECK_OK(pal_feel_run(&feel, NULL, &err), err);
    CHECK_OK(pal_feel_judge(&feel, NULL, &err), err);
}

void setUp(void) {
    check_use_cache();
    if (feel.trial_count == 0) {
        run_suite();
    }
}
void tearDown(void) {
}

static void check_same(const pal_scorecard *a, const pal_scorecard *b) {
    char hash[2][PAL_HASH_TEXT];
    pal_scorecard_hash(a, hash[0]);
    pal_scorecard_hash(b, hash[1]);
    TEST_ASSERT_EQUAL_STRING(hash[0], hash[1]);
}

static void test_the_trace_of_a_trial_gives_its_scores(void) {
    char file[256];
    snprintf(file, sizeof file, "%s", check_scratch("trial.h5"));
    for (int i = FIRST; i < TRIALS; i++) {
        pal_feel back;
        CHECK_OK(pal_feel_save_trace(&feel.trial[i], file, &err), err);
        CHECK_OK(pal_feel_open_trace(&back, file, NULL, &err), err);
        CHECK_OK(pal_feel_judge(&back, NULL, &err), err);
        check_same(&feel.trial[i].card, &back.card);
        pal_feel_close(&back);
    }
    // As a user asks for it
    char hash[PAL_HASH_TEXT];
    pal_scorecard_hash(&feel.trial[TRIALS - 1].card, hash);
    program_run("feel --trace '%s' --json --lenient", file);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.out, hash), program.out);
}

// Takes the trace of a run for one of the trial.
static void load_as(const pal_feel_trial *trial, const char *file, pal_feel_trial *again) {
    CHECK_OK(pal_feel_load_trace(again, file, &err), err);
    again->kind = again->seen.kind = trial->kind;
    memcpy(again->name, trial->name, sizeof again->name);
    memcpy(again->seen.name, trial->seen.name, sizeof again->seen.name);
}

static void test_a_run_that_replays_a_trial_gives_its_scores(void) {
    char file[256], text[256], other[256];
    snprintf(file, sizeof file, "%s", check_scratch("trial.h5"));
    snprintf(text, sizeof text, "%s", check_scratch("trial.yaml"));
    snprintf(other, sizeof other, "%s", check_scratch("again.h5"));
    for (int i = FIRST; i < TRIALS; i++) {
        const pal_feel_trial *trial = &feel.trial[i];
        pal_feel_trial again;
        CHECK_OK(pal_feel_save_trace(trial, file, &err), err);
        strip_scene_write(text, trial->text);
        program_run("run '%s' --virtual --device 'replay:%s' --trace '%s'", text, file, other);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
        load_as(trial, other, &again);
        TEST_ASSERT_EQUAL_STRING(trial->trace.hash, again.trace.hash);
        CHECK_OK(pal_feel_find_truth(&feel, &again, NULL, &err), err);
        CHECK_OK(pal_feel_measure(&again.seen, &again.truth, &again.card, &err), err);
        check_same(&trial->card, &again.card);
        pal_feel_trial_free(&again);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_trace_of_a_trial_gives_its_scores);
    RUN_TEST(test_a_run_that_replays_a_trial_gives_its_scores);
    pal_feel_close(&feel);
    return UNITY_END();
}
