// The trials of a scene: planned where its probe presses, run side by side, saved and read again.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel.h"
#include "sim/base/parallel.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/program.h"
#include "tests/support/sanitized.h"

// A strip of gelatine on a table, which bakes in a moment: 120 x 30 x 20 mm.
#define BODY BODY_WITH("none")
#define BODY_WITH(local)                                                                           \
    "palpate: 1\nname: strip\nbody:\n  shape: {name: strip, size: 0.12 m}\n  voxels: 18\n"         \
    "  fixed: z<0.001\n  touch: z>0.018 & x>0.03 & x<0.09\n  material: {preset: gelatine}\n"       \
    "  damping: {stiffness: 2 ms}\nbasis: {modes: 4, size: 8}\nlocal: {way: " local "}\n"
#define PROBE                                                                                      \
    "probe: # from above\n  - {move: [60 mm, 15 mm, 30 mm], seconds: 0.1 s}\n"                     \
    "  - {press: [60 mm, 15 mm, 22 mm], seconds: 0.3 s}\n"
#define REST "# the end\n"

static char path[256];

void setUp(void) {
    check_use_cache();
    snprintf(path, sizeof path, "%s", check_scratch("strip.yaml"));
}
void tearDown(void) {
    pal_set_thread_count(0);
}

static void write_scene(const char *text) {
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs(text, file);
    fclose(file);
}

static void open_suite(pal_feel *feel, const char *text, const pal_feel_wish *wish) {
    pal_err err = {0};
    write_scene(text);
    CHECK_OK(pal_feel_open(feel, path, wish, NULL, &err), err);
}

static const pal_feel_trial *find(const pal_feel *feel, const char *name) {
    for (int i = 0; i < feel->trial_count; i++) {
        if (strcmp(feel->trial[i].name, name) == 0) {
            return &feel->trial[i];
        }
    }
    return NULL;
}

static double largest_force(const pal_feel_trial *trial) {
    double most = 0.0;
    for (int64_t k = 0; k < trial->seen.count; k++) {
        most = fmax(most, pal_norm3(trial->seen.row[k].force));
    }
    return most;
}

static int64_t touches(const pal_feel_trial *trial) {
    int64_t count = 0;
    for (int64_t k = 0; k < trial->seen.count; k++) {
        count += trial->seen.row[k].touching > 0;
    }
    return count;
}

// ---- plans and runs

static void test_the_standard_trials_touch_and_stay_within_the_device(void) {
    static const char *const names[] = {
        "free",        "press", "hold",       "tap-slow",    "tap-medium", "tap-fast",
        "slide",       "edge",  "corner",     "friction",    "two-tools",  "stall-10ms",
        "stall-100ms", "bend",  "grip-loose", "grip-medium", "grip-firm"};
    enum { NAMES = sizeof names / sizeof *names };
    pal_feel feel;
    pal_err err = {0};
    open_suite(&feel, BODY PROBE REST, &(pal_feel_wish){.seed = -1});
    TEST_ASSERT_EQUAL_INT(NAMES, feel.trial_count);
    // Where the probe presses, into the strip, and along its longer side
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.06, feel.at[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.02, feel.at[2]);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, -1.0, feel.into[2]);
    TEST_ASSERT_GREATER_THAN_DOUBLE(0.7, fabs(feel.along[0]));
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 3e-3, feel.depth);
    CHECK_OK(pal_feel_run(&feel, NULL, &err), err);
    for (int i = 0; i < NAMES; i++) {
        const pal_feel_trial *trial = find(&feel, names[i]);
        TEST_ASSERT_NOT_NULL_MESSAGE(trial, names[i]);
        const bool is_free = trial->kind == PAL_TRIAL_FREE;
        const pal_tick_record *last = &trial->seen.row[trial->seen.count - 1];
        TEST_ASSERT_TRUE_MESSAGE((touches(trial) > 0) != is_free, names[i]);
        TEST_ASSERT_TRUE_MESSAGE(is_free || largest_force(trial) > 0.05, names[i]);
        TEST_ASSERT_LESS_THAN_DOUBLE(trial->seen.limits.max_force, largest_force(trial));
        TEST_ASSERT_TRUE_MESSAGE(pal_norm3(last->force) == 0.0 && last->touching == 0, names[i]);
        TEST_ASSERT_EQUAL_INT((int)llrint(1e3 * trial->seconds), (int)trial->seen.count);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 5e-3, trial->seen.tool_radius);
    }
    TEST_ASSERT_EQUAL_INT(2, (int)find(&feel, "two-tools")->trace.info.hand_count);
    // A slide goes over the surface; friction holds it back; a bend is the deepest of all
    const pal_feel_trial *slide = find(&feel, "slide"), *rub = find(&feel, "friction");
    const double first = slide->seen.row[0].position[0];
    TEST_ASSERT_GREATER_THAN_DOUBLE(
        0.02, fabs(first - slide->seen.row[slide->seen.count - 1].position[0]));
    TEST_ASSERT_GREATER_THAN_DOUBLE(1.2 * largest_force(slide), largest_force(rub));
    TEST_ASSERT_GREATER_THAN_DOUBLE(largest_force(find(&feel, "press")),
                                    largest_force(find(&feel, "bend")));
    pal_feel_close(&feel);
}

// A rough half behind a smooth one: each is rubbed alone and judged by its own friction; sticky and
// jerky surfaces have no one number to be judged by.
static void test_every_surface_is_rubbed_by_itself(void) {
    static const char two[] =
        "palpate: 1\nname: strip\nbody:\n  shape: {name: strip, size: 0.12 m}\n  voxels: 18\n"
        "  fixed: z<0.001\n  material: {preset: gelatine}\n  damping: {stiffness: 2 ms}\n"
        "  regions:\n    - {name: rough, where: x>0.06, material: {preset: gelatine}}\n"
        "basis: {modes: 3, size: 5}\nlocal: {way: none}\n"
        "device: {profile: touch, grip: firm, friction: 0 N}\n"
        "surfaces:\n  - {friction: 0.1}\n  - {region: rough, friction: 0.6%s}\n"
        "probe:\n  - {move: [40 mm, 15 mm, 30 mm], seconds: 0.1 s}\n"
        "  - {press: [40 mm, 15 mm, 22 mm], seconds: 0.3 s}\n"
        "  - {slide: [90 mm, 15 mm, 22 mm], seconds: 1 s}\n";
    static const char *const special[] = {"", ", adhesion: 1 kPa"};
    for (int i = 0; i < 2; i++) {
        char text[1200];
        pal_feel feel;
        pal_err err = {0};
        snprintf(text, sizeof text, two, special[i]);
        open_suite(&feel, text,
                   &(pal_feel_wish){.seed = -1, .only = "friction,friction-rough", .quick = true});
        TEST_ASSERT_EQUAL_INT(2, feel.trial_count);
        CHECK_OK(pal_feel_run(&feel, NULL, &err), err);
        CHECK_OK(pal_feel_judge(&feel, NULL, &err), err);
        const pal_feel_truth *rough = &find(&feel, "friction-rough")->truth;
        TEST_ASSERT_EQUAL_DOUBLE(0.1, find(&feel, "friction")->truth.sliding_friction);
        TEST_ASSERT_TRUE(i == 0 ? rough->sliding_friction == 0.6 : isnan(rough->sliding_friction));
        for (int k = 0; k < feel.card.count; k++) {
            const pal_score *score = &feel.card.score[k];
            if (score->metric == PAL_METRIC_SLIDING || score->metric == PAL_METRIC_BREAKAWAY) {
                const bool open = i == 1 && strcmp(score->trial, "friction-rough") == 0;
                TEST_ASSERT_EQUAL_INT_MESSAGE(open ? PAL_VERDICT_UNKNOWN : PAL_VERDICT_PASS,
                                              score->verdict, score->note);
            }
        }
        pal_feel_close(&feel);
    }
}

static void test_threads_change_nothing(void) {
    const pal_feel_wish wish = {.seed = -1, .only = "press,friction, stall-10ms", .quick = true};
    char hash[2][3][PAL_HASH_TEXT], scores[2][PAL_HASH_TEXT], other[PAL_HASH_TEXT];
    for (int n = 0; n < 2; n++) {
        pal_feel feel;
        pal_err err = {0};
        pal_set_thread_count(n + 1);
        open_suite(&feel, BODY PROBE REST, &wish);
        TEST_ASSERT_EQUAL_INT(3, feel.trial_count);
        CHECK_OK(pal_feel_run(&feel, NULL, &err), err);
        for (int i = 0; i < 3; i++) {
            memcpy(hash[n][i], feel.trial[i].trace.hash, PAL_HASH_TEXT);
        }
        CHECK_OK(pal_feel_judge(&feel, NULL, &err), err);
        pal_scorecard_hash(&feel.card, scores[n]);
        // It is a hash of the values: the last bit of one of them makes another
        feel.card.score[0].value = nextafter(feel.card.score[0].value, 1.0);
        pal_scorecard_hash(&feel.card, other);
        TEST_ASSERT_TRUE(strcmp(scores[n], other) != 0);
        pal_feel_close(&feel);
    }
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL_STRING(hash[0][i], hash[1][i]);
    }
    TEST_ASSERT_TRUE(strcmp(hash[0][0], hash[0][1]) != 0);
    TEST_ASSERT_EQUAL_STRING(scores[0], scores[1]);
}

static double press_with(const pal_feel_wish *wish) {
    pal_feel feel;
    pal_err err = {0};
    open_suite(&feel, BODY_WITH("exact") PROBE "feel: {depth: 2 mm}\n", wish);
    CHECK_OK(pal_feel_run(&feel, NULL, &err), err);
    const double force = largest_force(find(&feel, "press"));
    pal_feel_close(&feel);
    return force;
}

static void test_a_wish_varies_the_trials(void) {
    const double as_is = press_with(&(pal_feel_wish){.seed = -1, .only = "press"});
    const double softer = press_with(&(pal_feel_wish){.seed = -1, .only = "press", .young = 5e3});
    const double loose = press_with(&(pal_feel_wish){.seed = -1, .only = "press", .grip = "loose"});
    const double other =
        press_with(&(pal_feel_wish){.seed = -1, .only = "press", .profile = "omega"});
    TEST_ASSERT_LESS_THAN_DOUBLE(0.8 * as_is, softer);
    TEST_ASSERT_LESS_THAN_DOUBLE(0.8 * as_is, loose);
    TEST_ASSERT_TRUE(other != as_is && other > 0.0);
}

static void test_regions_give_a_slide_across_their_border(void) {
    pal_feel feel;
    pal_err err = {0};
    static const char two[] =
        "palpate: 1\nname: strip\nbody:\n  shape: {name: strip, size: 0.12 m}\n  voxels: 18\n"
        "  fixed: z<0.001\n  material: {preset: gelatine}\n"
        "  regions:\n    - {name: right, where: x>0.07, material: {young: 90 kPa, poisson: 0.45, "
        "density: 1000 kg/m3}}\n"
        "basis: {modes: 4, size: 8}\nlocal: {way: none}\n" PROBE;
    open_suite(&feel, two, &(pal_feel_wish){.seed = -1, .only = "border"});
    CHECK_OK(pal_feel_run(&feel, NULL, &err), err);
    const pal_feel_trace *seen = &feel.trial[0].seen;
    const double a = seen->row[0].position[0], b = seen->row[seen->count - 1].position[0];
    TEST_ASSERT_LESS_THAN_DOUBLE(0.065, fmin(a, b));
    TEST_ASSERT_GREATER_THAN_DOUBLE(0.075, fmax(a, b));
    pal_feel_close(&feel);
}

static void test_a_wall_has_the_trials_that_make_sense(void) {
    pal_feel feel;
    pal_err err = {0};
    CHECK_OK(pal_feel_open(&feel, "wall", &(pal_feel_wish){.seed = -1}, NULL, &err), err);
    TEST_ASSERT_EQUAL_INT(10, feel.trial_count);
    TEST_ASSERT_NULL(find(&feel, "edge"));
    TEST_ASSERT_NULL(find(&feel, "stall-10ms"));
    CHECK_OK(pal_feel_run(&feel, NULL, &err), err);
    TEST_ASSERT_LESS_THAN_DOUBLE(2.2, largest_force(find(&feel, "press")));
    pal_feel_close(&feel);
}

// ---- traces

static void test_a_saved_trial_is_the_run_of_its_text_and_replays(void) {
    pal_feel feel;
    pal_err err = {0};
    pal_feel_trial back;
    pal_session session;
    open_suite(&feel, BODY PROBE REST,
               &(pal_feel_wish){.seed = -1, .only = "two-tools,stall-100ms"});
    CHECK_OK(pal_feel_run(&feel, NULL, &err), err);
    for (int i = 0; i < 2; i++) {
        const pal_feel_trial *trial = &feel.trial[i];
        char file[256];
        snprintf(file, sizeof file, "%s", check_scratch("trial.h5"));
        CHECK_OK(pal_feel_save_trace(trial, file, &err), err);
        CHECK_OK(pal_feel_load_trace(&back, file, &err), err);
        TEST_ASSERT_EQUAL_STRING(trial->name, back.name);
        TEST_ASSERT_EQUAL_INT(trial->kind, back.kind);
        TEST_ASSERT_EQUAL_STRING(trial->text, back.text);
        TEST_ASSERT_EQUAL_STRING(trial->trace.hash, back.trace.hash);
        TEST_ASSERT_TRUE(back.seen.count == trial->seen.count);
        TEST_ASSERT_TRUE(memcmp(back.seen.row, trial->seen.row,
                                (size_t)back.seen.count * sizeof *back.seen.row) == 0);

        // As `run --virtual` of the text would have it
        pal_run_result result;
        const pal_session_options options = {.device = "sim", .seed = -1};
        const pal_run_options how = {.virtual_time = true, .seconds = trial->seconds};
        CHECK_OK(pal_session_open_text(&session, path, trial->text, &options, NULL, &err), err);
        CHECK_OK(pal_session_run(&session, &how, &result, &err), err);
        TEST_ASSERT_EQUAL_STRING(trial->trace.hash, result.trace.hash);
        pal_session_close(&session);

        // Tick by tick through the same code again, stalls included
        program_run("replay --check %s", file);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
        pal_feel_trial_free(&back);
    }
    pal_feel_close(&feel);
}

// ---- scripts of one's own

#define OWN(name, kind, probe)                                                                     \
    BODY PROBE "feel:\n  trials:\n    - name: " name "\n      kind: " kind "\n      "              \
               "probe:\n" probe

static void test_a_scene_may_have_trials_of_its_own(void) {
    pal_feel feel;
    pal_err err = {0};
    open_suite(&feel,
               OWN("poke", "press",
                   "        - {move: [30 mm, 15 mm, 30 mm], seconds: 0.2 s}\n"
                   "        - {press: [30 mm, 15 mm, 23 mm], seconds: 0.4 s}\n"
                   "        - release: 0.4 s\n"),
               &(pal_feel_wish){.seed = -1, .only = "poke"});
    TEST_ASSERT_EQUAL_INT(1, feel.trial_count);
    TEST_ASSERT_EQUAL_INT(PAL_TRIAL_PRESS, feel.trial[0].kind);
    CHECK_OK(pal_feel_run(&feel, NULL, &err), err);
    TEST_ASSERT_EQUAL_INT(1000, (int)feel.trial[0].seen.count);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.03, feel.trial[0].seen.row[500].position[0]);
    TEST_ASSERT_TRUE(touches(&feel.trial[0]) > 0);
    pal_feel_close(&feel);
}

static void test_a_press_in_open_space_is_told_after_the_run(void) {
    pal_feel feel;
    pal_err err = {0};
    open_suite(&feel,
               OWN("air", "press",
                   "        - {move: [30 mm, 15 mm, 60 mm], seconds: 0.2 s}\n"
                   "        - {press: [30 mm, 15 mm, 50 mm], seconds: 0.4 s}\n"),
               &(pal_feel_wish){.seed = -1, .only = "air"});
    CHECK_OK(pal_feel_run(&feel, NULL, &err), err);
    const pal_incident *incident = &feel.trial[0].incident;
    TEST_ASSERT_EQUAL_INT(PAL_INCIDENT_UNTOUCHED, incident->kind);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(incident->why, "never touched"), incident->why);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(incident->why, "strip.yaml:20:"), incident->why); // probe
    CHECK_FAILS(PAL_ERR_NUMERIC, "none of 1 trial could be made", pal_feel_check_made(&feel, &err),
                err);
    pal_feel_close(&feel);
}

static void check_refused(const char *text, const pal_feel_wish *wish, const char *place,
                          const char *words) {
    pal_feel feel;
    pal_err err = {0};
    write_scene(text);
    TEST_ASSERT_TRUE(pal_feel_open(&feel, path, wish, NULL, &err) != PAL_OK);
    TEST_ASSERT_TRUE_MESSAGE(strstr(err.text, words) != NULL, err.text);
    TEST_ASSERT_TRUE_MESSAGE(place == NULL || strstr(err.text, place) != NULL, err.text);
}

static void test_what_cannot_be_is_told_with_its_line(void) {
    static const pal_feel_wish all = {.seed = -1, .only = "press"};
    check_refused(BODY PROBE "feel: {at: [60 mm, 15 mm, 45 mm]}\n", &all,
                  "strip.yaml:15:", "25.0 mm away from the body");
    check_refused(BODY PROBE "feel: {at: [60 mm, 15 mm, 9 mm]}\n", &all,
                  "strip.yaml:15:", "inside the body");
    check_refused(BODY PROBE "feel: {depth: 60 mm}\n", &all, "strip.yaml:15:", "too deep");
    check_refused(BODY PROBE "feel: {depth: 0 mm}\n", &all, "strip.yaml:15:", "above 0");
    check_refused(OWN("a", "shove", "        - hold: 1 s\n"), &all,
                  "strip.yaml:18:", "no kind of trial 'shove'; write one of: any, free, press");
    check_refused(OWN("press", "press", "        - hold: 1 s\n"), &all,
                  "strip.yaml:17:", "another name");
    check_refused(OWN("A b", "press", "        - hold: 1 s\n"), &all,
                  "strip.yaml:17:", "cannot name a file");
    check_refused(OWN("a", "press", "        []\n"), &all, "strip.yaml:20:", "at least 1");
    check_refused(OWN("a", "press", "        - hold: 1 m\n"), &all, "strip.yaml:20:", "time");
    check_refused(OWN("a", "press", "        - hold: 1e9 s\n"), &all,
                  "strip.yaml:20:", "takes 1e+09 s; a trial takes at most 600 s");
    check_refused(OWN("a", "press",
                      "        - {move: [0 m, 0 m, 30 mm], seconds: 1 s}\n"
                      "        - {press: [0 m, 0 m, -4 m], seconds: 1 s}\n"),
                  &all, "strip.yaml:20:", "places are 4030 mm apart, but the device");
    check_refused(OWN("a", "press",
                      "        - hold: 1 s\n") "    - {name: a, kind: hold, probe: [hold: 1 s]}\n",
                  &all, "strip.yaml:21:", "two trials are called 'a'");
    check_refused(BODY, &all, NULL, "presses on nothing");
    check_refused(BODY PROBE, &(pal_feel_wish){.only = "press,shove"}, NULL,
                  "has no trial 'shove'");
    check_refused(BODY PROBE, &(pal_feel_wish){.grip = "iron"}, NULL, "no grip 'iron'");
    check_refused(BODY PROBE, &(pal_feel_wish){.profile = "iron"}, NULL,
                  "no device profile 'iron'");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST_OF_ONE_THREAD(test_the_standard_trials_touch_and_stay_within_the_device);
    RUN_TEST_OF_ONE_THREAD(test_every_surface_is_rubbed_by_itself);
    RUN_TEST(test_threads_change_nothing);
    RUN_TEST_OF_ONE_THREAD(test_a_wish_varies_the_trials);
    RUN_TEST_OF_ONE_THREAD(test_regions_give_a_slide_across_their_border);
    RUN_TEST_OF_ONE_THREAD(test_a_wall_has_the_trials_that_make_sense);
    RUN_TEST_OF_ONE_THREAD(test_a_saved_trial_is_the_run_of_its_text_and_replays);
    RUN_TEST_OF_ONE_THREAD(test_a_scene_may_have_trials_of_its_own);
    RUN_TEST_OF_ONE_THREAD(test_a_press_in_open_space_is_told_after_the_run);
    RUN_TEST_OF_ONE_THREAD(test_what_cannot_be_is_told_with_its_line);
    return UNITY_END();
}
