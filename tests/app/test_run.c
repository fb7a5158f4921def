// Runs and replays as a user makes them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/trace.h"
#include "sim/base/cpu_level.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/sanitized.h"

static char scene[256];

// A small spoon, quick to bake, tapped; the models go to a folder of this test.
void setUp(void) {
    if (scene[0] != '\0') {
        return;
    }
    check_use_cache();
    snprintf(scene, sizeof scene, "%s", check_scratch("small.yaml"));
    FILE *file = fopen(scene, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs("palpate: 1\nname: small\nabout: A small spoon\nbody:\n"
          "  shape: {name: spoon, size: 0.2 m}\n  voxels: 40\n  fixed: x<0.02\n"
          "  material: {young: 1 MPa, poisson: 0.4, density: 1000 kg/m3}\n"
          "  damping: {mass: 30 1/s, stiffness: 10 ms}\nbasis: {modes: 3, size: 5}\n"
          "tool: {radius: " SANITIZED_RADIUS "}\n"
          "probe:\n  - {move: [0.17 m, 0.018 m, 0.02 m], seconds: 0.1 s}\n"
          "  - {press: [0.17 m, 0.018 m, -0.02 m], seconds: 0.2 s}\n  - hold: 0.2 s\n"
          "  - release: 0.2 s\n",
          file);
    fclose(file);
}
void tearDown(void) {
}

static const char *text_of(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    TEST_ASSERT_TRUE_MESSAGE(cJSON_IsString(item), key);
    return item->valuestring;
}

static void test_a_run_says_what_happened(void) {
    program_run("run wall --virtual --seconds 1.5 --json");
    cJSON *root = program_json();
    TEST_ASSERT_EQUAL_INT(11, cJSON_GetArraySize(root));
    const cJSON *hand = cJSON_GetArrayItem(program_array(root, "hands", 1), 0);
    TEST_ASSERT_EQUAL_STRING("none", text_of(hand, "fault"));
    TEST_ASSERT_TRUE(program_number(hand, "heat") > 0.0 && program_number(hand, "heat") < 0.5);
    TEST_ASSERT_TRUE(program_number(root, "ticks") == 1500);
    TEST_ASSERT_TRUE(program_number(root, "dropped") == 0);
    TEST_ASSERT_TRUE(program_number(root, "missed_deadlines") == 0);
    const cJSON *times = cJSON_GetObjectItem(root, "tick_us");
    TEST_ASSERT_TRUE(program_number(times, "p50") <= program_number(times, "p99"));
    TEST_ASSERT_TRUE(program_number(times, "p99") <= program_number(times, "p9999"));
    TEST_ASSERT_TRUE(program_number(times, "p9999") <= program_number(times, "max"));
    TEST_ASSERT_TRUE(program_number(root, "max_force_n") > 1.0);
    TEST_ASSERT_TRUE(program_number(root, "max_penetration_m") > 1e-3);
    TEST_ASSERT_TRUE(program_number(root, "energy_generated_j") <= 1e-4);
    const cJSON *safety = cJSON_GetObjectItem(root, "safety");
    TEST_ASSERT_EQUAL_INT(PAL_OUTCOME_COUNT, cJSON_GetArraySize(safety));
    TEST_ASSERT_TRUE(program_number(safety, "nan") == 0);
    TEST_ASSERT_EQUAL_INT(32, (int)strlen(text_of(root, "trace_hash")));
    cJSON_Delete(root);
}

static void hash_of(const char *arguments, char hash[64]) {
    program_run("run '%s' --virtual --json %s", scene, arguments);
    cJSON *root = program_json();
    snprintf(hash, 64, "%s", text_of(root, "trace_hash"));
    cJSON_Delete(root);
}

// Of the scene as it is; run once.
static const char *plain_hash(void) {
    static char hash[64];
    if (hash[0] == '\0') {
        hash_of("", hash);
    }
    return hash;
}

static void test_virtual_runs_are_the_same_and_replays_prove_it(void) {
    char trace[256], arguments[600], a[64], b[64];
    snprintf(trace, sizeof trace, "%s", check_scratch("run.h5"));
    snprintf(arguments, sizeof arguments, "--trace '%s'", trace);
    hash_of(arguments, a);
    TEST_ASSERT_EQUAL_STRING(a, plain_hash());
    program_run("replay '%s' --check --json", trace);
    cJSON *root = program_json();
    TEST_ASSERT_TRUE(cJSON_IsTrue(cJSON_GetObjectItem(root, "same")));
    TEST_ASSERT_EQUAL_STRING(a, text_of(root, "trace_hash"));
    TEST_ASSERT_TRUE(program_number(root, "max_force_n") > 0.0);
    cJSON_Delete(root);
    // the readings of the trace as a device
    snprintf(arguments, sizeof arguments, "--device 'replay:%s'", trace);
    hash_of(arguments, b);
    TEST_ASSERT_EQUAL_STRING(a, b);
    hash_of("--device null --seconds 0.1", b);
    program_run("info '%s'", trace);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "a trace of"));
}

// A trace of the same run as other kernels would have made it: no bit is the same, and the reason
// is told.
static void test_a_replay_on_other_kernels_says_so(void) {
    char trace[256];
    pal_trace_data data;
    pal_err err;
    snprintf(trace, sizeof trace, "%s", check_scratch("kernels.h5"));
    program_run("run '%s' --virtual --seconds 0.3 --trace '%s'", scene, trace);
    CHECK_OK(pal_trace_read(trace, &data, &err), err);
    char here[PAL_CPU_TEXT];
    pal_cpu_kernels(here);
    TEST_ASSERT_EQUAL_STRING(here, data.info.kernels);
    data.record[data.count - 1].force[0] += 1e-12;
    CHECK_OK(pal_trace_save(&data, trace, &err), err);
    program_run("replay '%s' --check", trace);
    program_fails(1, "the replay differs");
    TEST_ASSERT_NULL_MESSAGE(strstr(program.errors, "kernels"), program.errors);
    snprintf(data.info.kernels, sizeof data.info.kernels, "x86-64-v9, gcc 99");
    CHECK_OK(pal_trace_save(&data, trace, &err), err);
    pal_trace_data_free(&data);
    program_run("replay '%s' --check", trace);
    program_fails(1, "recorded with other kernels (x86-64-v9, gcc 99; here: ");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.errors, here), program.errors);
    program_run("info '%s'", trace);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.out, "x86-64-v9, gcc 99"), program.out);
}

static void test_real_time_runs_replay_too(void) {
    char trace[256];
    snprintf(trace, sizeof trace, "%s", check_scratch("real.h5"));
    program_run("run '%s' --trace '%s' --seconds 0.8", scene, trace);
    program_ran_in_real_time();
    TEST_ASSERT_NOT_NULL(strstr(program.out, "real time"));
    program_run("replay '%s' --check", trace);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "bit for bit"));
}

static void check_replay(const char *trace, const char *hash) {
    program_run("replay '%s' --check --json", trace);
    cJSON *root = program_json();
    TEST_ASSERT_TRUE(cJSON_IsTrue(cJSON_GetObjectItem(root, "same")));
    TEST_ASSERT_EQUAL_STRING(hash, text_of(root, "trace_hash"));
    cJSON_Delete(root);
}

// A scene like the small one, with more keys.
static const char *write_scene(const char *name, const char *more) {
    static char path[256];
    char start[2048] = "", copy[256];
    snprintf(copy, sizeof copy, "%s", scene);
    FILE *from = fopen(copy, "r");
    TEST_ASSERT_NOT_NULL(from);
    size_t size = fread(start, 1, sizeof start - 1, from);
    fclose(from);
    snprintf(path, sizeof path, "%s", check_scratch(name));
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_EQUAL_INT(size, fwrite(start, 1, size, file));
    fputs(more, file);
    fclose(file);
    return path;
}

static void test_edits_of_materials_run_and_replay(void) {
    static const char edit[] = "--edit 0.35:body:young=2e6 --edit 0.5:body:density=1500";
    char trace[256], arguments[600], a[64], b[64];
    snprintf(trace, sizeof trace, "%s", check_scratch("edited.h5"));
    snprintf(arguments, sizeof arguments, "%s --trace '%s'", edit, trace);
    hash_of(arguments, a);
    hash_of(edit, b);
    TEST_ASSERT_EQUAL_STRING(a, b);
    TEST_ASSERT_TRUE(strcmp(a, plain_hash()) != 0);
    check_replay(trace, a);
    program_run("info '%s'", trace);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "0.5:body:density=1500"));

    // the same from the scene
    const char *edited =
        write_scene("edited.yaml", "edits:\n  - {at: 350 ms, region: body, young: 2 MPa}\n"
                                   "  - {at: 0.5 s, region: body, density: 1500 kg/m3}\n");
    program_run("run '%s' --virtual --json --trace '%s'", edited, trace);
    cJSON *root = program_json();
    TEST_ASSERT_EQUAL_STRING(a, text_of(root, "trace_hash"));
    cJSON_Delete(root);
    check_replay(trace, a);
    program_run("run '%s' --trace '%s' --seconds 0.6", edited, trace);
    program_ran_in_real_time();
    program_run("replay '%s' --check", trace);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
}

// Dents beyond the basis can be left out, which a trace remembers.
static void test_runs_without_dents_are_harder_and_replay(void) {
    char trace[256], arguments[400], without[64];
    snprintf(trace, sizeof trace, "%s", check_scratch("no-local.h5"));
    snprintf(arguments, sizeof arguments, "--no-local --trace '%s'", trace);
    hash_of(arguments, without);
    TEST_ASSERT_TRUE(strcmp(plain_hash(), without) != 0);
    check_replay(trace, without);
    program_run("info '%s'", trace);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "left out"));
    program_run("info '%s' --json", trace);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "\"no_local\":"));
}

// The penalty form by option and by scene is the same run; a trace remembers it.
static void test_runs_in_the_penalty_form_replay(void) {
    char trace[256], arguments[400], penalty[64];
    snprintf(trace, sizeof trace, "%s", check_scratch("penalty.h5"));
    snprintf(arguments, sizeof arguments, "--response penalty --trace '%s'", trace);
    hash_of(arguments, penalty);
    TEST_ASSERT_TRUE(strcmp(plain_hash(), penalty) != 0);
    check_replay(trace, penalty);
    program_run("info '%s' --json", trace);
    cJSON *root = program_json();
    TEST_ASSERT_EQUAL_STRING("penalty", text_of(root, "response"));
    TEST_ASSERT_TRUE(program_number(root, "max_force_n") > 0.1);
    cJSON_Delete(root);

    const char *said = write_scene("penalty.yaml", "contact: {response: penalty}\n");
    program_run("run '%s' --virtual --json --trace '%s'", said, trace);
    root = program_json();
    TEST_ASSERT_EQUAL_STRING(penalty, text_of(root, "trace_hash"));
    cJSON_Delete(root);
    check_replay(trace, penalty);
    program_run("run '%s' --virtual --json --response compliance", said);
    root = program_json();
    TEST_ASSERT_EQUAL_STRING(plain_hash(), text_of(root, "trace_hash"));
    cJSON_Delete(root);
    program_run("run '%s' --virtual", said);
    TEST_ASSERT_NOT_NULL(strstr(program.out, "penalty form: no friction"));

    // wrong words are told
    program_run("run '%s' --response springs", said);
    TEST_ASSERT_EQUAL_INT(2, program.code);
    TEST_ASSERT_NOT_NULL(strstr(program.errors, "compliance"));
    program_run("run '%s'", write_scene("wrong.yaml", "contact: {response: springs}\n"));
    TEST_ASSERT_EQUAL_INT(1, program.code);
    TEST_ASSERT_NOT_NULL(strstr(program.errors, "write one of: compliance, penalty"));
}

// A surface is the run's: the same model, another force; a wrong region is told with its line.
static void test_surfaces_run_and_replay(void) {
    char trace[256];
    snprintf(trace, sizeof trace, "%s", check_scratch("rough.h5"));
    const char *rough = write_scene(
        "rough.yaml", "surfaces:\n  - {friction: 0.4}\n  - {region: body, adhesion: 2 kPa}\n");
    program_run("run '%s' --virtual --json --trace '%s'", rough, trace);
    cJSON *root = program_json();
    char hash[64];
    snprintf(hash, sizeof hash, "%s", text_of(root, "trace_hash"));
    cJSON_Delete(root);
    TEST_ASSERT_TRUE(strcmp(hash, plain_hash()) != 0);
    check_replay(trace, hash);
    const char *wrong = write_scene("wrong.yaml", "surfaces:\n  - {region: bone, friction: 1}\n");
    program_run("run '%s' --virtual", wrong);
    TEST_ASSERT_EQUAL_INT(1, program.code);
    TEST_ASSERT_NOT_NULL(strstr(program.errors, "no region 'bone'; its regions: body"));
    TEST_ASSERT_NOT_NULL(strstr(program.errors, "wrong.yaml:18: surfaces.0.region"));
}

// A change of material that neither the scene nor the trace's edits explain.
static void test_a_replay_refuses_materials_from_elsewhere(void) {
    char trace[256], other[256], arguments[600], hash[64];
    snprintf(trace, sizeof trace, "%s", check_scratch("known.h5"));
    snprintf(other, sizeof other, "%s", check_scratch("unknown.h5"));
    snprintf(arguments, sizeof arguments, "--edit 0.1:body:young=2e6 --trace '%s'", trace);
    hash_of(arguments, hash);
    enum { CAPACITY = 1 << 11 };
    static pal_tick_record item[CAPACITY];
    pal_trace_data data;
    pal_ring ring;
    pal_trace *writer;
    pal_trace_summary summary;
    pal_err err = {0};
    CHECK_OK(pal_trace_read(trace, &data, &err), err);
    TEST_ASSERT_TRUE(data.count < CAPACITY);
    data.info.edits = NULL;
    pal_ring_init(&ring, item, sizeof *item, CAPACITY);
    for (int64_t k = 0; k < data.count; k++) {
        pal_ring_put(&ring, &data.record[k]);
    }
    CHECK_OK(pal_trace_open(&writer, &ring, &data.info, other, NULL, &err), err);
    CHECK_OK(pal_trace_close(writer, (uint64_t)data.count, 10.0, &summary, &err), err);
    TEST_ASSERT_EQUAL_STRING(hash, summary.hash);
    pal_trace_data_free(&data);
    program_run("replay '%s' --check", other);
    program_fails(1, "materials were changed at tick 100");
}

static void test_wrong_edits_are_told(void) {
    program_run("run '%s' --virtual --edit 1:bone:young=1e4", scene);
    program_fails(2, "--edit: the body has no region 'bone'; its regions: body");
    program_run("run '%s' --virtual --edit 1:body", scene);
    program_fails(2, "--edit '1:body': write AT:REGION:young=PA");
    program_run("run '%s' --virtual --edit ''", scene);
    program_fails(2, "--edit '': write AT:REGION");
    program_run("run '%s' --virtual --edit 1:body:yuong=3", scene);
    program_fails(2, "write AT:REGION");
    program_run("run '%s' --virtual --edit 1:body:young=3kPa", scene);
    program_fails(2, "young in --edit '1:body:young=3kPa' takes a plain number");
    program_run("run '%s' --virtual --edit 1:body:poisson=0.5", scene);
    program_fails(2, "--edit '1:body:poisson=0.5'");
    program_run("run '%s' --virtual --edit x:body:poisson=0.4", scene);
    program_fails(2, "the time in --edit");
    program_run("run wall --virtual --edit 1:body:young=1e4");
    program_fails(2, "has a wall and no material");
    program_run("run '%s' --virtual",
                write_scene("bone.yaml", "edits:\n  - {at: 1 s, region: bone, young: 1 MPa}\n"));
    program_fails(1, "bone.yaml:18: edits.0.region: the body has no region 'bone'");
}

static void test_a_probe_from_a_file_runs_and_replays(void) {
    char trace[256], path[256];
    snprintf(trace, sizeof trace, "%s", check_scratch("path.h5"));
    FILE *file = fopen(check_scratch("probe.csv"), "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs("time_s,x_m,y_m,z_m\n0,0,0,0.02\n0.3,0,0,-0.01\n0.6,0,0,-0.01\n", file);
    fclose(file);
    snprintf(path, sizeof path, "%s", check_scratch("path.yaml"));
    file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs("palpate: 1\nname: path\nwall: {height: 0 m, stiffness: 300 N/m}\n"
          "probe_file: probe.csv\n",
          file);
    fclose(file);
    program_run("run '%s' --virtual --json --trace '%s'", path, trace);
    cJSON *root = program_json();
    TEST_ASSERT_TRUE(program_number(root, "ticks") == 600);
    TEST_ASSERT_TRUE(program_number(root, "max_force_n") > 0.5);
    check_replay(trace, text_of(root, "trace_hash"));
    cJSON_Delete(root);
}

// A run in virtual time with its trace, which replays bit for bit.
static pal_trace_data traced(const char *name, const char *arguments) {
    char path[256], all[600], hash[64];
    pal_trace_data data;
    pal_err err = {0};
    snprintf(path, sizeof path, "%s", check_scratch(name));
    snprintf(all, sizeof all, "%s --trace '%s'", arguments, path);
    hash_of(all, hash);
    check_replay(path, hash);
    CHECK_OK(pal_trace_read(path, &data, &err), err);
    return data;
}

static double largest(const pal_trace_data *trace, double (*of)(const pal_tick_record *)) {
    double most = 0.0;
    for (int64_t k = 0; k < trace->count; k++) {
        double value = of(&trace->record[k]);
        most = value > most ? value : most;
    }
    return most;
}

static double wanted_of(const pal_tick_record *record) {
    return pal_norm3(record->wanted);
}

static double depth_of(const pal_tick_record *record) {
    return record->depth;
}

// Open loop: both precisions get the readings of the double run, so that the loop cannot turn a
// last digit into another count of the encoder. What is left is the kernel's own error: in a
// slender bent body the force is what remains when P q and the cubic and quartic terms cancel, and
// 24 bits of each lose 3 to 4 of their 7 digits there. Measured: 3.2e-4 of the largest force in
// the release build, 5.0e-4 under the sanitizers, which sum in another order.
static void test_single_precision_answers_the_same_hand_with_the_same_force(void) {
    char device[600];
    pal_trace_data full = traced("double.h5", "");
    snprintf(device, sizeof device, "--float --device 'replay:%s'", check_scratch("double.h5"));
    pal_trace_data single = traced("open.h5", device);
    TEST_ASSERT_TRUE(single.info.single && full.count == single.count);
    double most = largest(&full, wanted_of), apart = 0.0;
    for (int64_t k = 0; k < full.count; k++) {
        double difference[3];
        TEST_ASSERT_EQUAL_MEMORY(full.record[k].position, single.record[k].position,
                                 sizeof difference);
        pal_sub3(full.record[k].wanted, single.record[k].wanted, difference);
        apart = pal_norm3(difference) > apart ? pal_norm3(difference) : apart;
    }
    TEST_ASSERT_TRUE(most > 0.5);
    TEST_ASSERT_TRUE(apart > 0.0); // it is another precision
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * most, 0.0, apart);
    pal_trace_data_free(&full);
    pal_trace_data_free(&single);
}

// Closed loop: the hand may take another way by a count of the encoder; it feels the same.
static void test_single_precision_runs_feel_the_same(void) {
    pal_trace_data full = traced("double.h5", ""), single = traced("float.h5", "--float");
    double force = largest(&full, wanted_of), depth = largest(&full, depth_of);
    TEST_ASSERT_TRUE(force > 0.5 && depth > 1e-6);
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * force, force, largest(&single, wanted_of));
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * depth, depth, largest(&single, depth_of));
    pal_trace_data_free(&full);
    pal_trace_data_free(&single);
}

static void test_mistakes_are_told(void) {
    program_run("run nothing");
    program_fails(2, "there is no file or scene 'nothing'");
    program_run("run wall --device tuoch --virtual");
    program_fails(
        2, "there is no device 'tuoch'; give --device sim, sim-driven, mouse, gamepad, null or "
           "replay:TRACE");
    program_run("run wall --device replay:/nowhere.h5 --virtual");
    program_fails(1, "/nowhere.h5: cannot open the trace");
    program_run("run wall --seconds 0");
    program_fails(2, "--seconds");
    program_run("run wall --trace x.txt");
    program_fails(2, "the name must end in .h5");
    program_run("run wall --virtual --trace /nowhere/x.h5");
    program_fails(1, "/nowhere");
    program_run("replay '%s'", scene);
    program_fails(1, "cannot open the trace");
    program_run("bake wall");
    program_fails(2, "has a wall and no body");
    program_run("modes wall");
    program_fails(2, "has a wall and no body");
}

static void test_doctor_tells_what_the_machine_grants(void) {
    program_run("doctor --json");
    cJSON *root = program_json();
    TEST_ASSERT_TRUE(program_number(root, "processors") >= 1);
    TEST_ASSERT_TRUE(program_number(root, "clock_resolution_ns") > 0);
    const cJSON *late = cJSON_GetObjectItem(root, "wake_up_late_us");
    TEST_ASSERT_TRUE(program_number(late, "p50") <= program_number(late, "max"));
    TEST_ASSERT_EQUAL_INT(5, cJSON_GetArraySize(cJSON_GetObjectItem(root, "rights")));
    TEST_ASSERT_EQUAL_STRING(pal_cpu_level(), text_of(root, "level"));
    cJSON_Delete(root);
    program_run("doctor");
    TEST_ASSERT_NOT_NULL(strstr(program.out, "scheduling"));
    char kernels[PAL_CPU_TEXT];
    pal_cpu_kernels(kernels);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.out, kernels), program.out);
    program_run("version");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.out, kernels), program.out);
    program_run("version --json");
    root = program_json();
    TEST_ASSERT_EQUAL_STRING(kernels, text_of(root, "kernels"));
    cJSON_Delete(root);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_run_says_what_happened);
    RUN_TEST(test_virtual_runs_are_the_same_and_replays_prove_it);
    RUN_TEST(test_a_replay_on_other_kernels_says_so);
    RUN_TEST(test_real_time_runs_replay_too);
    RUN_TEST(test_edits_of_materials_run_and_replay);
    RUN_TEST(test_runs_without_dents_are_harder_and_replay);
    RUN_TEST(test_runs_in_the_penalty_form_replay);
    RUN_TEST(test_surfaces_run_and_replay);
    RUN_TEST(test_a_replay_refuses_materials_from_elsewhere);
    RUN_TEST(test_wrong_edits_are_told);
    RUN_TEST(test_a_probe_from_a_file_runs_and_replays);
    RUN_TEST(test_single_precision_answers_the_same_hand_with_the_same_force);
    RUN_TEST(test_single_precision_runs_feel_the_same);
    RUN_TEST(test_mistakes_are_told);
    RUN_TEST(test_doctor_tells_what_the_machine_grants);
    return UNITY_END();
}
