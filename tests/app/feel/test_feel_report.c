// The report of a suite: what it must hold, the same for the same suite, and whole or not at all.
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/feel/feel_report_parts.h"
#include "app/json.h"
#include "sim/base/file.h"
#include "tests/support/check.h"

static pal_err err;
static pal_feel whole;        // a press, of which there are pictures, and a hold
static pal_feel suite, other; // a hold
static char *page;
static char folder[300];

// Trials of the wall, measured without a truth, and a score of our own.
static void open_suite(pal_feel *feel, const char *only, double buzz) {
    const pal_feel_wish wish = {.only = only, .seed = -1, .quick = true};
    CHECK_OK(pal_feel_open(feel, "wall", &wish, NULL, &err), err);
    CHECK_OK(pal_feel_run(feel, NULL, &err), err);
    for (int i = 0; i < feel->trial_count; i++) {
        pal_feel_trial *trial = &feel->trial[i];
        pal_feel_truth_none(&trial->truth);
        CHECK_OK(pal_feel_measure(&trial->seen, &trial->truth, &trial->card, &err), err);
        CHECK_OK(pal_scorecard_append(&feel->card, &trial->card, &err), err);
    }
    CHECK_OK(pal_scorecard_add(&feel->card, PAL_METRIC_BUZZ, "hold <&>", buzz, &err, "made up"),
             err);
}

void setUp(void) {
    page = NULL;
}
void tearDown(void) {
    free(page);
}

static void name_folder(const char *name) {
    snprintf(folder, sizeof folder, "%s", check_scratch(name));
}

static void remove_folder(void) {
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    TEST_ASSERT_EQUAL_INT(0, system(command));
}

static char *read_part(const char *name) {
    char path[400], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_OK(pal_file_read(path, &text, &size, &err), err);
    return text;
}

static bool is_there(const char *name) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void report(const pal_feel *feel, const pal_feel *against) {
    CHECK_OK(pal_feel_report(feel, against, folder, NULL, &err), err);
    free(page);
    page = read_part("report.html");
}

static const char *find(const char *part) {
    const char *at = strstr(page, part);
    TEST_ASSERT_NOT_NULL_MESSAGE(at, part);
    return at;
}

static int count(const char *part) {
    int found = 0;
    for (const char *at = page; (at = strstr(at, part)) != NULL; at += strlen(part)) {
        found++;
    }
    return found;
}

// ---- what it holds

static void test_a_report_holds_what_was_measured(void) {
    name_folder("a/b/report"); // folders are made
    report(&whole, NULL);
    find("Contact feel: wall");
    find(" gates pass");
    TEST_ASSERT_TRUE_MESSAGE(find("class=\"fail\"") < find("class=\"pass\""), "failures first");
    find("<td data-label=\"worst in\">hold &lt;&amp;&gt;</td>");
    find("<h2 id=\"trial-press\">press</h2>");
    find(whole.trial[1].trace.hash);
    for (int id = 0; pal_metric_at(id) != NULL; id++) { // all are defined
        char term[200];
        snprintf(term, sizeof term, "<dt>%s</dt>", pal_metric_at(id)->name);
        find(term);
    }
    TEST_ASSERT_GREATER_OR_EQUAL(6, count("<figure class=\"chart\">"));
    find("aria-label=\"Force and depth");
    find("aria-label=\"Spectrum of the hold");
    find("aria-label=\"Energy ledger");
    find("aria-label=\"Compute time of a tick");
    pal_trace_data trace; // which can be replayed
    char path[400];
    snprintf(path, sizeof path, "%s/traces/press.h5", folder);
    CHECK_OK(pal_trace_read(path, &trace, &err), err);
    TEST_ASSERT_EQUAL_STRING(whole.trial[0].trace.hash, trace.hash);
    pal_trace_data_free(&trace);
    remove_folder();
}

static void test_the_file_for_programs_holds_every_score(void) {
    name_folder("json");
    report(&suite, NULL);
    char *text = read_part("feel.json");
    cJSON *root = cJSON_Parse(text);
    TEST_ASSERT_NOT_NULL(root);
    const cJSON *scores = cJSON_GetObjectItem(root, "scores");
    const cJSON *times = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "timing"), "scores");
    TEST_ASSERT_EQUAL_INT(suite.card.count, cJSON_GetArraySize(scores) + cJSON_GetArraySize(times));
    const cJSON *last = cJSON_GetArrayItem(scores, cJSON_GetArraySize(scores) - 1);
    TEST_ASSERT_EQUAL_STRING("buzz", cJSON_GetObjectItem(last, "metric")->valuestring);
    TEST_ASSERT_EQUAL_DOUBLE(0.05, cJSON_GetObjectItem(last, "value")->valuedouble);
    TEST_ASSERT_EQUAL_DOUBLE(50.0, cJSON_GetObjectItem(last, "shown")->valuedouble);
    TEST_ASSERT_EQUAL_DOUBLE(0.02, cJSON_GetObjectItem(last, "limit")->valuedouble);
    TEST_ASSERT_EQUAL_STRING("mN", cJSON_GetObjectItem(last, "unit")->valuestring);
    TEST_ASSERT_EQUAL_STRING("fail", cJSON_GetObjectItem(last, "verdict")->valuestring);
    char hash[PAL_HASH_TEXT];
    pal_scorecard_hash(&suite.card, hash);
    TEST_ASSERT_EQUAL_STRING(hash, cJSON_GetObjectItem(root, "scorecard_hash")->valuestring);
    cJSON_Delete(root);
    free(text);
    remove_folder();
}

// ---- the same for the same

// feel.json without what depends on the machine's time.
static char *read_timeless(void) {
    char *text = read_part("feel.json");
    cJSON *root = cJSON_Parse(text);
    TEST_ASSERT_NOT_NULL(root);
    cJSON_DeleteItemFromObject(root, "timing");
    free(text);
    text = cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}

static void test_the_same_suite_gives_the_same_report(void) {
    name_folder("same");
    report(&suite, NULL);
    char *first = page, *json = read_timeless();
    page = NULL;
    report(&suite, NULL);
    TEST_ASSERT_EQUAL_STRING(first, page);
    free(first);
    pal_feel kept = suite; // run again, it differs in its times alone
    open_suite(&suite, "hold", 0.05);
    report(&suite, NULL);
    pal_feel_close(&suite);
    suite = kept;
    char *again = read_timeless();
    TEST_ASSERT_EQUAL_STRING(json, again);
    free(json);
    free(again);
    remove_folder();
}

// ---- beside another

static void test_beside_itself_nothing_differs(void) {
    name_folder("itself");
    report(&suite, &suite);
    TEST_ASSERT_EQUAL_INT(0, count("mark better") + count("mark worse") + count("mark changed"));
    TEST_ASSERT_GREATER_OR_EQUAL(10, count("mark same"));
    remove_folder();
}

static void test_differences_are_marked(void) {
    name_folder("beside");
    report(&suite, &other);
    find("worse by 20.0 mN");
    find("Where the other comes from");
    TEST_ASSERT_EQUAL_INT(count("<figure"), count("</figure>"));
    find(">other</text>"); // in the key of a chart
    remove_folder();
}

// ---- trouble

static void test_what_is_in_the_way_is_told(void) {
    name_folder("file");
    CHECK_OK(pal_file_write_atomic(folder, "x", 1, &err), err);
    CHECK_FAILS(PAL_ERR_IO, "is no folder", pal_feel_report(&suite, NULL, folder, NULL, &err), err);
    remove_folder();
    char path[400];
    name_folder("page");
    snprintf(path, sizeof path, "%s/report.html", folder);
    TEST_ASSERT_EQUAL_INT(0, mkdir(folder, 0777));
    TEST_ASSERT_EQUAL_INT(0, mkdir(path, 0777));
    CHECK_FAILS(PAL_ERR_IO, "report.html", pal_feel_report(&suite, NULL, folder, NULL, &err), err);
    remove_folder();
}

static void test_without_gnuplot_there_is_no_half_a_report(void) {
    char path[4096];
    name_folder("poor");
    snprintf(path, sizeof path, "%s", getenv("PATH") != NULL ? getenv("PATH") : "");
    setenv("PATH", "/nowhere", 1);
    const pal_status status = pal_feel_report(&suite, NULL, folder, NULL, &err);
    setenv("PATH", path, 1);
    CHECK_FAILS(PAL_ERR_UNSUPPORTED, "gnuplot-nox", status, err);
    TEST_ASSERT_FALSE(is_there("report.html"));
    TEST_ASSERT_FALSE(is_there("feel.json")); // nor anything else
    remove_folder();
}

static void test_a_full_disk_is_told_and_leaves_the_older_report(void) {
    name_folder("full");
    report(&suite, NULL);
    struct rlimit kept, tight;
    getrlimit(RLIMIT_FSIZE, &kept);
    tight = kept;
    tight.rlim_cur = 2048; // less than feel.json
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    const pal_status status = pal_report_json(&suite, NULL, check_scratch("full/feel.json"), &err);
    setrlimit(RLIMIT_FSIZE, &kept);
    CHECK_FAILS(PAL_ERR_IO, "feel.json", status, err);
    char *before = page;
    page = read_part("report.html");
    TEST_ASSERT_EQUAL_STRING(before, page);
    free(before);
    free(read_timeless()); // still sound
    remove_folder();
}

static void test_without_opengl_the_report_says_so(void) {
    name_folder("blind");
    setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere.json", 1); // no driver for libEGL
    report(&whole, NULL);
    unsetenv("__EGL_VENDOR_LIBRARY_FILENAMES");
    find("No picture of the body: ");
    TEST_ASSERT_EQUAL_INT(0, count("<img"));
    remove_folder();
}

static void test_a_suite_of_nothing_is_no_trouble(void) {
    static const pal_feel nothing;
    name_folder("nothing");
    report(&nothing, NULL);
    find("No gate could be judged");
    remove_folder();
}

int main(void) {
    UNITY_BEGIN();
    open_suite(&whole, "press,hold", 0.05);
    open_suite(&suite, "hold", 0.05);
    open_suite(&other, "hold", 0.03);
    RUN_TEST(test_without_opengl_the_report_says_so); // before a driver is loaded
    RUN_TEST(test_a_report_holds_what_was_measured);
    RUN_TEST(test_the_file_for_programs_holds_every_score);
    RUN_TEST(test_the_same_suite_gives_the_same_report);
    RUN_TEST(test_beside_itself_nothing_differs);
    RUN_TEST(test_differences_are_marked);
    RUN_TEST(test_what_is_in_the_way_is_told);
    RUN_TEST(test_without_gnuplot_there_is_no_half_a_report);
    RUN_TEST(test_a_full_disk_is_told_and_leaves_the_older_report);
    RUN_TEST(test_a_suite_of_nothing_is_no_trouble);
    pal_feel_close(&whole);
    pal_feel_close(&suite);
    pal_feel_close(&other);
    return UNITY_END();
}
