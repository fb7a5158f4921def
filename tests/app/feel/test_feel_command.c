// palpate feel as a user calls it: what is asked wrongly, what was recorded badly, what is kept and
// compared, and the exit codes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/trace.h"
#include "sim/base/file.h"
#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/strip_scene.h"

static char scene[256], csv[256], trace[256];
static pal_err err;

void setUp(void) {
    check_use_cache();
    snprintf(scene, sizeof scene, "%s", check_scratch("strip.yaml"));
    snprintf(csv, sizeof csv, "%s", check_scratch("recorded.csv"));
    snprintf(trace, sizeof trace, "%s", check_scratch("recorded.h5"));
    strip_scene_write(scene, STRIP_SCENE);
}
void tearDown(void) {
}

// ---- recordings

typedef struct recording {
    const char *head; // NULL: the columns that there must be
    double step;      // s; 0: a millisecond
    double hum;       // N at 100 Hz in the hold
    int back, bad;    // row whose time goes back, and whose force is no number; 0: none
    int rows;         // of 3000; 0: all
    const char *end;  // in the place of what comes after; NULL: nothing
} recording;

// A press of 5 mm on a spring of 300 N/m in half a second, held for two, and let go.
static void record(const recording *r) {
    FILE *file = fopen(csv, "w");
    TEST_ASSERT_NOT_NULL(file);
    fprintf(file, "%s\n", r->head != NULL ? r->head : "time_s,x_m,y_m,z_m,fx_n,fy_n,fz_n");
    for (int k = 0; k < (r->rows > 0 ? r->rows : 3000); k++) {
        const double t = 1e-3 * k, pi = 3.14159265358979;
        const double way = t < 0.5   ? 0.5 - 0.5 * cos(2.0 * pi * t)
                           : t < 2.5 ? 1.0
                                     : 0.5 + 0.5 * cos(2.0 * pi * (t - 2.5));
        const double z = 2e-3 - 7e-3 * way;
        const double hum = t > 0.6 && t < 2.5 ? r->hum * sin(200.0 * pi * t) : 0.0;
        const double time =
            (r->step > 0.0 ? r->step : 1e-3) * (r->back > 0 && k == r->back ? 1 : k);
        fprintf(file, "%.6f,0,0,%.9g,0,0,", time, z);
        if (r->bad > 0 && k == r->bad) {
            fprintf(file, "nan\n");
        } else {
            fprintf(file, "%.9g\n", z < 0.0 ? -300.0 * z + hum : 0.0);
        }
    }
    fputs(r->end != NULL ? r->end : "", file);
    fclose(file);
}

static void check_bad_csv(const recording *r, const char *place, const char *words) {
    record(r);
    program_run("feel --trace '%s'", csv);
    program_fails(1, words);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.errors, place), program.errors);
}

static void test_a_recording_passes_or_fails_with_its_exit_code(void) {
    record(&(recording){0});
    program_run("feel --trace '%s'", csv);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    record(&(recording){.hum = 0.1});
    program_run("feel --trace '%s'", csv);
    TEST_ASSERT_EQUAL_INT(1, program.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.errors, "gates fail: buzz"), program.errors);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "A held contact hums or trembles."));
    program_run("feel --trace '%s' --lenient", csv);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "A held contact hums or trembles."));
}

static void test_json_tells_each_score(void) {
    record(&(recording){.hum = 0.1});
    program_run("feel --trace '%s' --json --lenient", csv);
    cJSON *root = program_json();
    const cJSON *scores = cJSON_GetObjectItemCaseSensitive(root, "scores"), *score;
    int failed = 0;
    cJSON_ArrayForEach(score, scores) {
        const char *verdict =
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(score, "verdict"));
        const char *metric =
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(score, "metric"));
        TEST_ASSERT_TRUE(verdict != NULL && metric != NULL);
        failed += strcmp(verdict, "fail") == 0;
        if (strcmp(metric, "buzz") == 0) { // of 0.1 N
            TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.1 / sqrt(2.0), program_number(score, "value"));
        }
    }
    TEST_ASSERT_TRUE(failed > 0);
    TEST_ASSERT_EQUAL_INT(failed, (int)program_number(root, "failed"));
    cJSON_Delete(root);
}

static void test_bad_tables_are_refused_with_their_line(void) {
    check_bad_csv(&(recording){.rows = 1500, .end = "1.5,0,0,-0.0"}, "recorded.csv:1502",
                  "cut off");
    check_bad_csv(&(recording){.back = 700}, "recorded.csv:702", "time");
    check_bad_csv(&(recording){.bad = 700}, "recorded.csv:702", "not a finite number");
    check_bad_csv(&(recording){.step = 2e-3}, "recorded.csv", "500 Hz");
    check_bad_csv(&(recording){.head = "time_s,x_m,y_m,z_m,a,b,c"}, "recorded.csv:1", "missing");
    strip_scene_write(csv, "");
    program_run("feel --trace '%s'", csv);
    program_fails(1, "empty");
    remove(csv);
    program_run("feel --trace '%s'", csv);
    program_fails(1, "recorded.csv");
}

// ---- traces of palpate

static void run_trace(void) {
    program_run("run '%s' --virtual --seconds 0.6 --trace '%s'", scene, trace);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
}

// The trace with one thing changed.
static void check_bad_trace(void (*spoil)(pal_trace_data *), const char *words) {
    pal_trace_data data;
    char other[256];
    snprintf(other, sizeof other, "%s", check_scratch("spoilt.h5"));
    CHECK_OK(pal_trace_read(trace, &data, &err), err);
    spoil(&data);
    CHECK_OK(pal_trace_save(&data, other, &err), err);
    pal_trace_data_free(&data);
    program_run("feel --trace '%s'", other);
    program_fails(1, words);
}

static void no_number(pal_trace_data *data) {
    data->record[300].force[2] = NAN;
}
static void go_back(pal_trace_data *data) {
    data->record[300].time = 0.1;
}
static void go_slower(pal_trace_data *data) {
    for (int64_t k = 0; k < data->count; k++) {
        data->record[k].time *= 2.0;
    }
}
static void empty(pal_trace_data *data) {
    data->count = 0;
}

static void test_bad_traces_are_refused(void) {
    run_trace();
    check_bad_trace(no_number, "row 300");
    check_bad_trace(go_back, "row 300");
    check_bad_trace(go_slower, "500 Hz");
    check_bad_trace(empty, "empty");
    // A byte that is another, a file that was cut in the middle, and no such file at all
    char *bytes;
    size_t size;
    CHECK_OK(pal_file_read(trace, &bytes, &size, &err), err);
    bytes[size / 2] ^= 1;
    CHECK_OK(pal_file_write_atomic(trace, bytes, size, &err), err);
    program_run("feel --trace '%s'", trace);
    program_fails(1, "this trace is damaged: row ");
    program_run("feel --trace '%s' --lenient", trace);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.errors, "warning: "), program.errors);
    CHECK_OK(pal_file_write_atomic(trace, bytes, size / 2, &err), err);
    free(bytes);
    program_run("feel --trace '%s' --lenient", trace);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.errors, "was cut off; its first"), program.errors);
    strip_scene_write(trace, "time,force\n");
    program_run("feel --trace '%s'", trace);
    program_fails(1, "recorded.h5");
}

// ---- usage

static void test_bad_usage_is_told(void) {
    static const struct {
        const char *arguments, *words;
    } bad[] = {
        {"feel", "say which scene"},
        {"feel wall --trace a.csv", "do not go together"},
        {"feel --trace a.csv --grip loose", "--trace and --grip do not go together"},
        {"feel --trace a.csv --sweep young=1:2:2", "do not go together"},
        {"feel wall --record a.json --check a.json", "--record and --check do not go together"},
        {"feel wall --against bridge", "give --report DIR"},
        {"feel wall --table a.csv", "give --sweep"},
        {"feel wall --record a.txt", ".json"},
        {"feel wall --delay -1", "--delay"},
        {"feel wall --grip iron", "--grip"},
        {"feel wall --device iron", "no device profile 'iron'"},
        {"feel wall --sweep young=5:1:x", "--sweep"},
        {"feel wall --nonsense", "--nonsense"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        program_run("%s", bad[i].arguments);
        program_fails(2, bad[i].words);
    }
    program_run("feel '%s.not'", scene);
    TEST_ASSERT_TRUE(program.code != 0);
}

static void test_an_unknown_trial_is_told_with_those_there_are(void) {
    program_run("feel wall --only press,shove");
    program_fails(2, "the scene 'wall' has no trial 'shove'; its trials are free, press, hold");
    TEST_ASSERT_NULL(strstr(program.errors, "edge")); // a wall has none
    program_run("feel wall --only edge");
    program_fails(2, "has no trial 'edge'");
    // Each one named is one that can be asked for
    const char *names = strstr(program.errors, "its trials are ");
    TEST_ASSERT_NOT_NULL(names);
    char list[512];
    snprintf(list, sizeof list, "%s", names + strlen("its trials are "));
    list[strcspn(list, "\n")] = '\0';
    program_run("feel wall --only '%s' --list", list);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
}

static void test_contact_by_springs_has_no_stalls(void) {
    strip_scene_write(scene, STRIP_SCENE "contact: {response: penalty}\n");
    program_run("feel '%s' --list", scene);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "hold"));
    TEST_ASSERT_NULL(strstr(program.out, "stall"));
    strip_scene_write(scene, STRIP_SCENE "contact: {normals: bumpy}\n");
    program_run("feel '%s' --list", scene);
    program_fails(1, "strip.yaml:");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.errors, "normals"), program.errors);
}

static void test_list_names_the_trials_and_runs_none(void) {
    program_run("feel wall --list");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "grip-loose"));
    TEST_ASSERT_NULL(strstr(program.out, "verdict"));
    program_run("feel wall --list --json");
    cJSON *root = program_json();
    const cJSON *first = cJSON_GetArrayItem(program_array(root, "trials", 10), 0);
    TEST_ASSERT_EQUAL_STRING("free",
                             cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(first, "name")));
    TEST_ASSERT_GREATER_THAN_DOUBLE(0.5, program_number(first, "seconds"));
    cJSON_Delete(root);
}

// ---- what is kept

static void test_what_was_recorded_is_checked(void) {
    char golden[256];
    snprintf(golden, sizeof golden, "%s", check_scratch("golden.json"));
    program_run("feel '%s' --only hold --quick --lenient --record '%s'", scene, golden);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    program_run("feel '%s' --only hold --quick --lenient --check '%s'", scene, golden);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.out, ": 0 differ"), program.out);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.out, "times as fast as real time"), program.out);
    // Another device is told, also when failed gates are not
    program_run("feel '%s' --only hold --quick --lenient --device omega --check '%s'", scene,
                golden);
    TEST_ASSERT_EQUAL_INT(1, program.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.errors, "are not those of"), program.errors);
    // What is no golden scorecard is told before any trial
    strip_scene_write(golden, "{}");
    program_run("feel '%s' --only hold --quick --lenient --check '%s'", scene, golden);
    TEST_ASSERT_EQUAL_INT(1, program.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.errors, "golden.json"), program.errors);
    TEST_ASSERT_EQUAL_STRING("", program.out);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_recording_passes_or_fails_with_its_exit_code);
    RUN_TEST(test_json_tells_each_score);
    RUN_TEST(test_bad_tables_are_refused_with_their_line);
    RUN_TEST(test_bad_traces_are_refused);
    RUN_TEST(test_bad_usage_is_told);
    RUN_TEST(test_an_unknown_trial_is_told_with_those_there_are);
    RUN_TEST(test_contact_by_springs_has_no_stalls);
    RUN_TEST(test_list_names_the_trials_and_runs_none);
    RUN_TEST(test_what_was_recorded_is_checked);
    return UNITY_END();
}
