// The option parser: what it takes, what it refuses, and what it says then.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/options.h"
#include "app/suggest.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static const pal_option options[] = {
    {.name = "--young",
     .kind = PAL_OPTION_NUMBER,
     .argument = "E",
     .max = INFINITY,
     .open = true,
     .help = "in Pa"},
    {.name = "--poisson",
     .kind = PAL_OPTION_NUMBER,
     .argument = "NU",
     .fallback = "0.3",
     .min = -1,
     .max = 0.5,
     .open = true,
     .help = "ratio"},
    {.name = "--count",
     .letter = 'n',
     .kind = PAL_OPTION_COUNT,
     .argument = "N",
     .fallback = "10",
     .min = 1,
     .max = 50,
     .help = "how many"},
    {.name = "--gravity", .kind = PAL_OPTION_VECTOR, .argument = "gx,gy,gz", .help = "in m/s^2"},
    {.name = "--mass",
     .kind = PAL_OPTION_CHOICE,
     .argument = "consistent|lumped",
     .help = "the mass matrix"},
    {.name = "--load",
     .kind = PAL_OPTION_TEXT,
     .argument = "SEL",
     .repeatable = true,
     .help = "a load"},
    {.name = "--fix", .kind = PAL_OPTION_TEXT, .argument = "SEL", .help = "held"},
    {.name = "--free", .help = "a flag"},
    {.name = NULL},
};

static const pal_usage usage = {.command = "try",
                                .summary = "tries the parser",
                                .operands = "MESH",
                                .min_operands = 1,
                                .max_operands = 1,
                                .examples = "palpate try mesh.msh",
                                .group = {{"Options", options}}};

static pal_args args;
static pal_err err;

// Parses up to five words; the last ones may be NULL.
static pal_status parse(const char *a, const char *b, const char *c, const char *d, const char *e) {
    const char *const words[] = {a, b, c, d, e};
    int count = 0;
    while (count < 5 && words[count] != NULL) {
        count++;
    }
    err = (pal_err){0};
    return pal_options_parse(&usage, count, words, &args, &err);
}

static void test_defaults_stand_until_an_option_is_given(void) {
    CHECK_OK(parse("mesh", NULL, NULL, NULL, NULL), err);
    TEST_ASSERT_EQUAL_STRING("mesh", args.operand[0]);
    TEST_ASSERT_TRUE(isnan(pal_args_number(&args, "--young")));
    TEST_ASSERT_EQUAL_DOUBLE(0.3, pal_args_number(&args, "--poisson"));
    TEST_ASSERT_EQUAL_INT(10, pal_args_count(&args, "--count"));
    TEST_ASSERT_EQUAL_INT(-1, pal_args_choice(&args, "--mass"));
    TEST_ASSERT_NULL(pal_args_text(&args, "--fix"));
    TEST_ASSERT_FALSE(pal_args_flag(&args, "--free"));
    TEST_ASSERT_FALSE(pal_args_given(&args, "--poisson"));
}

static void test_values_come_with_blank_equals_sign_or_letter(void) {
    CHECK_OK(parse("--young", "1e6", "mesh", "-n", "7"), err);
    TEST_ASSERT_EQUAL_DOUBLE(1e6, pal_args_number(&args, "--young"));
    TEST_ASSERT_EQUAL_INT(7, pal_args_count(&args, "--count"));
    CHECK_OK(parse("mesh", "--poisson=-0.25", "--mass=lumped", "--free", NULL), err);
    TEST_ASSERT_EQUAL_DOUBLE(-0.25, pal_args_number(&args, "--poisson"));
    TEST_ASSERT_EQUAL_INT(1, pal_args_choice(&args, "--mass"));
    TEST_ASSERT_TRUE(pal_args_flag(&args, "--free"));
    CHECK_OK(parse("mesh", "--gravity", "-1,0,-9.81", NULL, NULL), err);
    TEST_ASSERT_EQUAL_DOUBLE(-9.81, pal_args_vector(&args, "--gravity")[2]);
    CHECK_OK(parse("--fix=x=3", "--", "--mesh", NULL, NULL), err);
    TEST_ASSERT_EQUAL_STRING("x=3", pal_args_text(&args, "--fix"));
    TEST_ASSERT_EQUAL_STRING("--mesh", args.operand[0]);
}

static void test_repeatable_options_keep_their_order(void) {
    CHECK_OK(parse("mesh", "--load", "a", "--load", "b"), err);
    int count = 0;
    const char *const *loads = pal_args_list(&args, "--load", &count);
    TEST_ASSERT_EQUAL_INT(2, count);
    TEST_ASSERT_EQUAL_STRING("a", loads[0]);
    TEST_ASSERT_EQUAL_STRING("b", loads[1]);
    CHECK_FAILS(PAL_ERR_USAGE, "--young is given twice",
                parse("mesh", "--young=1", "--young", "2", NULL), err);
}

static void test_too_many_repeats_are_refused(void) {
    const char *words[PAL_MAX_REPEATS + 2];
    words[0] = "mesh";
    for (int i = 1; i < PAL_MAX_REPEATS + 2; i++) {
        words[i] = "--load=all";
    }
    CHECK_FAILS(PAL_ERR_USAGE, "more than 64 times",
                pal_options_parse(&usage, PAL_MAX_REPEATS + 2, words, &args, &err), err);
}

static void test_unknown_option_names_the_nearest(void) {
    CHECK_FAILS(PAL_ERR_USAGE,
                "unknown option '--yung'; did you mean '--young'? (palpate try --help)",
                parse("mesh", "--yung", "1", NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "unknown option '--zebra' (palpate try --help)",
                parse("mesh", "--zebra=1", NULL, NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "unknown option '-x'", parse("mesh", "-x", NULL, NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "unknown option '-n5'", parse("mesh", "-n5", NULL, NULL, NULL), err);
}

static void test_numbers_are_plain_finite_and_in_range(void) {
    CHECK_FAILS(PAL_ERR_USAGE, "leave out 'Pa' in '1e6Pa'",
                parse("mesh", "--young", "1e6Pa", NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "not 'nan'", parse("mesh", "--young", "nan", NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "finite", parse("mesh", "--young", "inf", NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "finite", parse("mesh", "--young", "1e999", NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "takes a number, not ''",
                parse("mesh", "--young=", NULL, NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "--young must be more than 0, not -5",
                parse("mesh", "--young", "-5", NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "--poisson must lie between -1 and 0.5 (both excluded), not 0.5",
                parse("mesh", "--poisson", "0.5", NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "--count must lie between 1 and 50, not 0",
                parse("mesh", "--count", "0", NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "whole number", parse("mesh", "--count", "2.5", NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "whole number",
                parse("mesh", "--count", "99999999999999999999", NULL, NULL), err);
}

static void test_vectors_have_three_numbers(void) {
    const char *bad[] = {"1,2", "1,2,3,4", "", ",,", "1,2,", "1,2,3m", "1,nan,3", "1;2;3"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_FAILS(PAL_ERR_USAGE, "--gravity", parse("mesh", "--gravity", bad[i], NULL, NULL),
                    err);
    }
}

static void test_choices_are_listed_when_none_fits(void) {
    CHECK_FAILS(PAL_ERR_USAGE, "--mass is one of consistent|lumped, not 'lump'",
                parse("mesh", "--mass", "lump", NULL, NULL), err);
}

static void test_missing_values_and_operands_are_named(void) {
    CHECK_FAILS(PAL_ERR_USAGE, "--young needs a value: --young E",
                parse("mesh", "--young", NULL, NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "--fix needs a value", parse("mesh", "--fix", "--young", "3", NULL),
                err);
    CHECK_FAILS(PAL_ERR_USAGE, "--free takes no value",
                parse("mesh", "--free=yes", NULL, NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "palpate try needs MESH", parse(NULL, NULL, NULL, NULL, NULL), err);
    CHECK_FAILS(PAL_ERR_USAGE, "do not know what to do with 'other'",
                parse("mesh", "other", NULL, NULL, NULL), err);
}

static void test_help_wins_over_mistakes(void) {
    CHECK_OK(parse("--nonsense", "--help", NULL, NULL, NULL), err);
    TEST_ASSERT_TRUE(args.help);
}

static void test_help_text_shows_every_option_and_default(void) {
    char text[8192] = "";
    FILE *file = tmpfile();
    TEST_ASSERT_NOT_NULL(file);
    pal_options_help(&usage, file);
    rewind(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = '\0';
    fclose(file);
    for (const pal_option *o = options; o->name != NULL; o++) {
        TEST_ASSERT_TRUE_MESSAGE(strstr(text, o->name) != NULL, o->name);
        TEST_ASSERT_TRUE_MESSAGE(strstr(text, o->help) != NULL, o->help);
    }
    TEST_ASSERT_NOT_NULL(strstr(text, "-n, --count N"));
    TEST_ASSERT_NOT_NULL(strstr(text, "(default 0.3)"));
    TEST_ASSERT_NOT_NULL(strstr(text, "(repeatable)"));
    TEST_ASSERT_NOT_NULL(strstr(text, "palpate try mesh.msh"));
}

static void test_suggestion_is_near_or_none(void) {
    pal_suggestion suggestion = {.word = "mdoes"};
    pal_suggest_try(&suggestion, "static");
    TEST_ASSERT_EQUAL_STRING("", pal_suggest_text(&suggestion));
    pal_suggest_try(&suggestion, "modes");
    TEST_ASSERT_EQUAL_STRING("; did you mean 'modes'?", pal_suggest_text(&suggestion));
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_defaults_stand_until_an_option_is_given);
    RUN_TEST(test_values_come_with_blank_equals_sign_or_letter);
    RUN_TEST(test_repeatable_options_keep_their_order);
    RUN_TEST(test_too_many_repeats_are_refused);
    RUN_TEST(test_unknown_option_names_the_nearest);
    RUN_TEST(test_numbers_are_plain_finite_and_in_range);
    RUN_TEST(test_vectors_have_three_numbers);
    RUN_TEST(test_choices_are_listed_when_none_fits);
    RUN_TEST(test_missing_values_and_operands_are_named);
    RUN_TEST(test_help_wins_over_mistakes);
    RUN_TEST(test_help_text_shows_every_option_and_default);
    RUN_TEST(test_suggestion_is_near_or_none);
    return UNITY_END();
}
