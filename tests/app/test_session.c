// A session that has run can be taken back to any of its ticks, to be looked at; one that was led
// by hand can be repeated.
#include "app/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/demo_picture.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/picture.h"
#include "tests/support/program.h"

static char scene[256], trace_path[256];

void setUp(void) {
    check_use_cache();
    snprintf(trace_path, sizeof trace_path, "%s", check_scratch("run.h5"));
    snprintf(scene, sizeof scene, "%s", check_scratch("strip.yaml"));
    FILE *file = fopen(scene, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs("palpate: 1\nname: strip\nbody:\n  shape: {name: strip, size: 0.12 m}\n  voxels: 18\n"
          "  fixed: z<0.001\n  touch: z>0.018 & x<0.04\n  material: {preset: gelatine}\n"
          "  damping: {stiffness: 2 ms}\nbasis: {modes: 4, size: 8}\nlocal: {way: exact}\n"
          "surfaces:\n  - {friction: 0.4, adhesion: 1 kPa}\n"
          "probe:\n  - {move: [20 mm, 15 mm, 30 mm], seconds: 0.1 s}\n"
          "  - {press: [20 mm, 15 mm, 20 mm], seconds: 0.3 s}\n"
          "  - {slide: [25 mm, 15 mm, 20 mm], seconds: 0.3 s}\n  - release: 0.3 s\n",
          file);
    fclose(file);
}
void tearDown(void) {
}

static void test_a_session_goes_back_to_a_tick_of_its_run(void) {
    pal_session session;
    pal_err err = {0};
    pal_run_result result;
    pal_trace_data trace;
    const pal_session_options options = {.device = "sim", .seed = -1};
    const pal_run_options how = {.virtual_time = true, .seconds = 1.0, .trace = trace_path};
    CHECK_OK(pal_session_open(&session, scene, &options, NULL, &err), err);
    CHECK_OK(pal_session_run(&session, &how, &result, &err), err);
    CHECK_OK(pal_trace_read(trace_path, &trace, &err), err);
    TEST_ASSERT_EQUAL_INT(1000, (int)trace.count);
    static const uint64_t ticks[] = {550, 300, 0, 950};
    for (int i = 0; i < 4; i++) {
        const pal_tick_record *record = &trace.record[ticks[i]];
        CHECK_OK(pal_session_return(&session, &trace, ticks[i], &err), err);
        TEST_ASSERT_TRUE(
            memcmp(session.servo->own.tool[0].pose.x, record->tool, sizeof record->tool) == 0);
        TEST_ASSERT_TRUE(pal_newmark_kinetic_energy(session.body.newmark) == record->kinetic);
        TEST_ASSERT_TRUE(session.servo->own.counters.ticks == 1000); // of the run
    }
    TEST_ASSERT_TRUE(pal_norm3(trace.record[550].force) > 0.1);

    // And drawn
    pal_image image;
    const char *path = check_scratch("press.png");
    CHECK_OK(pal_demo_picture(&session, &trace, path, &err), err);
    TEST_ASSERT_TRUE(session.servo->own.world.dent.most > 1e-4);
    TEST_ASSERT_TRUE(picture_read(path, &image));
    pal_image_free(&image);
    pal_trace_data_free(&trace);
    pal_session_close(&session);
}

// What a window would do: the mouse, sliders, the keys for time.
static bool play(pal_session *session, void *context) {
    int *calls = context, k = ++*calls;
    pal_err err = {0};
    bool fresh;
    const pal_snapshot *shot = pal_exchange_latest(&session->servo->exchange, &fresh);
    pal_wish wish = {.pose = PAL_POSE_IDENTITY};
    memcpy(wish.pose.x, (double[3]){0.02, 0.015, shot->tick % 600 < 400 ? 0.02 : 0.03},
           sizeof wish.pose.x);
    pal_mailbox_post(session->pointer, &wish);
    CHECK_OK(pal_desk_set(session->desk, 0, PAL_PROPERTY_YOUNG, 2e4 + 1e3 * (k % 30), &err), err);
    CHECK_OK(pal_desk_set(session->desk, 0, PAL_PROPERTY_MASS_DAMPING, 0.1 * (k % 9), &err), err);
    CHECK_OK(pal_desk_pump(session->desk, shot->tick, NULL, &err), err);
    static const pal_command_kind keys[] = {
        PAL_COMMAND_SLOW + 1, PAL_COMMAND_PAUSE, PAL_COMMAND_TICK, PAL_COMMAND_TICK,
        PAL_COMMAND_RESUME,   PAL_COMMAND_RESET, PAL_COMMAND_SLOW};
    const size_t key = (size_t)k % 14;
    if (shot->tick > 2000 && key < sizeof keys / sizeof *keys) {
        pal_command_send(&session->servo->link, &(pal_servo_command){.kind = keys[key]});
    }
    const struct timespec nap = {.tv_nsec = 1000000};
    nanosleep(&nap, NULL);
    return shot->tick < 5000 || k < 60;
}

static void test_a_run_by_mouse_with_sliders_and_pauses_repeats_bit_for_bit(void) {
    pal_session session;
    pal_err err = {0};
    pal_run_result result;
    int calls = 0, edits;
    const pal_session_options options = {.device = PAL_MOUSE, .seed = -1};
    const pal_run_options how = {.virtual_time = true,
                                 .seconds = 600.0,
                                 .trace = trace_path,
                                 .meanwhile = play,
                                 .context = &calls,
                                 .takes_its_time = true};
    CHECK_OK(pal_session_open(&session, scene, &options, NULL, &err), err);
    TEST_ASSERT_NOT_NULL(session.pointer);
    CHECK_OK(pal_session_run(&session, &how, &result, &err), err);
    TEST_ASSERT_TRUE(calls >= 60); // then it was asked to end, long before its 600 s
    TEST_ASSERT_TRUE(result.ticks < 590000);
    pal_desk_log(session.desk, &edits);
    TEST_ASSERT_TRUE(edits > 10);
    TEST_ASSERT_TRUE(session.servo->own.counters.max_force > 0.05);
    pal_session_close(&session);
    program_run("replay '%s' --check --json", trace_path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    program_run("info '%s'", trace_path);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.out, "edits in the run"), program.out);
}

static void test_a_run_saves_the_materials_that_it_ends_with(void) {
    char out[256];
    pal_scene saved;
    pal_err err = {0};
    snprintf(out, sizeof out, "%s", check_scratch("saved.yaml"));
    program_run(
        "run '%s' --virtual --seconds 0.1 --edit '0.02:body:young=5e4' --edit "
        "'0.05:body:poisson=0.3,density=1200' --edit '0.03:body:density=1100' --save-scene '%s'",
        scene, out);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, program.code, program.errors);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(program.out, "saved.yaml"), program.out);
    CHECK_OK(pal_scene_read(out, &saved, &err), err);
    TEST_ASSERT_NOT_NULL_MESSAGE(
        strstr(saved.text, "material: {young: 50 kPa, poisson: 0.3, density: 1200 kg/m3, preset: "
                           "gelatine}\n  damping: {stiffness: 2 ms}\n"),
        saved.text);
    pal_scene_free(&saved);
    program_run("run wall --virtual --seconds 0.1 --save-scene '%s'", out);
    program_fails(2, "a wall and no material to save");
    program_run("run '%s' --virtual --save-scene x.txt", scene);
    program_fails(2, ".yaml");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_run_saves_the_materials_that_it_ends_with);
    RUN_TEST(test_a_run_by_mouse_with_sliders_and_pauses_repeats_bit_for_bit);
    RUN_TEST(test_a_session_goes_back_to_a_tick_of_its_run);
    return UNITY_END();
}
