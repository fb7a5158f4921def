// The keys of a scene about a run.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenes/scene.h"
#include "sim/base/memory.h"
#include "tests/support/check.h"

void setUp(void) {
}
void tearDown(void) {
}

static const char wall[] = "palpate: 1\n"                                 // 1
                           "name: test\n"                                 // 2
                           "wall: {height: 1 cm, stiffness: 0.5 N/mm}\n"; // 3
static const char body[] = "palpate: 1\nname: test\n"                     // 1, 2
                           "body: {shape: {name: liver, size: 0.2 m}, voxels: 10, fixed: y>0.08, "
                           "material: {preset: liver}}\n"; // 3

static char text[8192];

static pal_status parse(const char *base, const char *more, pal_scene *scene, pal_err *err) {
    snprintf(text, sizeof text, "%s%s", base, more);
    return pal_scene_parse("test.yaml", text, strlen(text), scene, err);
}

static void check_refused(const char *base, const char *more, const char *part) {
    pal_scene scene;
    pal_err err = {0};
    pal_status status = parse(base, more, &scene, &err);
    CHECK_FAILS(PAL_ERR_INPUT, part, status, err);
}

static void test_a_run_becomes_numbers_in_si(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(
        parse(body,
              "device: {profile: omega, grip: loose, delay: 0.5 ms, friction: 0.1 N, seed: 7}\n"
              "tool: {radius: 4 mm, stiffness: 1 N/mm, damping: 2 N s/m}\n"
              "coupling: {stiffness: 900 N/m}\n"
              "probe:\n"
              "  - hold: 0.1 s\n"
              "  - {press: [1 cm, 2 cm, 30 mm], seconds: 500 ms}\n"
              "  - release: 0.2 s\n"
              "  - {circle: [0 m, 0 m, 0 m], axis: [0, 1, 0], turns: 2.5, radius: 1 mm, "
              "speed: 10 mm/s}\n"
              "  - {wander: [0 m, 0 m, 1 m], radius: 2 mm, seconds: 1 s}\n"
              "faults:\n"
              "  - {kind: unplug, at: 1 s}\n"
              "  - {kind: stuck, at: 2 s, seconds: 20 ms, axis: z}\n",
              &scene, &err),
        err);
    const pal_scene_live *live = &scene.live;
    TEST_ASSERT_EQUAL_STRING("omega", live->profile->name);
    TEST_ASSERT_TRUE(live->delay == 0.5e-3 && live->friction == 0.1 && live->seed == 7);
    TEST_ASSERT_TRUE(live->tool_radius == 4e-3 && live->tool_stiffness == 1000.0);
    TEST_ASSERT_TRUE(live->coupling_stiffness == 900.0 && isnan(live->coupling_damping));
    TEST_ASSERT_FALSE(live->has_wall);
    TEST_ASSERT_EQUAL_INT(5, live->intent_count);
    TEST_ASSERT_EQUAL_INT(PAL_INTENT_PRESS, live->intent[1].kind);
    TEST_ASSERT_TRUE(live->intent[1].to[1] == 0.02 && live->intent[1].seconds == 0.5);
    TEST_ASSERT_TRUE(live->start[2] == 0.03); // the first place of the probe
    TEST_ASSERT_EQUAL_INT(PAL_INTENT_RELEASE, live->intent[2].kind);
    TEST_ASSERT_TRUE(live->intent[2].seconds == 0.2);
    TEST_ASSERT_TRUE(live->intent[3].axis[1] == 1.0 && live->intent[3].turns == 2.5);
    TEST_ASSERT_EQUAL_INT(2, live->fault_count);
    TEST_ASSERT_EQUAL_INT(PAL_FAULT_STUCK, live->fault[1].kind);
    TEST_ASSERT_EQUAL_INT(2, live->fault[1].axis);
    pal_scene_free(&scene);
}

static void test_a_scene_without_these_keys_has_defaults(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(parse(body, "", &scene, &err), err);
    TEST_ASSERT_EQUAL_STRING("touch", scene.live.profile->name);
    TEST_ASSERT_EQUAL_UINT64(1, scene.live.seed);
    TEST_ASSERT_TRUE(scene.live.tool_radius == 0.005 && scene.live.tool_stiffness > 0.0);
    TEST_ASSERT_TRUE(isnan(scene.live.friction) && isnan(scene.live.coupling_stiffness));
    TEST_ASSERT_EQUAL_INT(0, scene.live.intent_count);
    TEST_ASSERT_EQUAL_INT(PAL_CONTACT_COMPLIANCE, scene.live.form);
    pal_scene_free(&scene);
}

static void test_the_form_of_contact_is_the_scenes_with_one_hand_or_more(void) {
    static const char *const more[] = {
        "contact: {response: penalty}\n",
        "contact: {response: penalty}\nhands:\n  - tool: {radius: 4 mm}\n",
        "contact: {normals: flat}\n", "contact: {}\n"};
    for (int i = 0; i < 4; i++) {
        pal_scene scene;
        pal_err err = {0};
        CHECK_OK(parse(body, more[i], &scene, &err), err);
        TEST_ASSERT_EQUAL_INT(i < 2 ? PAL_CONTACT_PENALTY : PAL_CONTACT_COMPLIANCE,
                              scene.live.form);
        TEST_ASSERT_EQUAL_INT(i == 2, scene.live.flat_normals);
        pal_scene_free(&scene);
    }
    check_refused(body, "contact: {response: springs}\n", "write one of: compliance, penalty");
    check_refused(body, "contact: {normals: bumpy}\n", "write one of: smooth, flat");
    check_refused(wall, more[0], "contact: a wall is a spring of its own; remove this key");
}

static void test_a_wall_takes_the_place_of_a_body(void) {
    pal_scene scene;
    pal_scene_body made;
    pal_model model;
    pal_err err = {0};
    CHECK_OK(parse(wall, "device: {start: [0 m, 0 m, 5 cm]}\n", &scene, &err), err);
    TEST_ASSERT_TRUE(scene.live.has_wall && scene.live.wall_height == 0.01);
    TEST_ASSERT_TRUE(scene.live.wall_stiffness == 500.0 && scene.live.wall_damping == 0.0);
    TEST_ASSERT_TRUE(scene.live.start[2] == 0.05);
    CHECK_FAILS(PAL_ERR_USAGE, "has a wall and no body", pal_scene_build(&scene, NULL, &made, &err),
                err);
    CHECK_FAILS(PAL_ERR_USAGE, "has a wall and no body",
                pal_scene_model(&scene, false, NULL, &model, NULL, NULL, &err), err);
    pal_scene_free(&scene);
    check_refused("palpate: 1\nname: test\n", "", "a scene has a body to bake, or a wall");
    check_refused(body, "wall: {height: 0 m, stiffness: 1 N/m}\n",
                  "test.yaml:4: wall: a scene has");
    check_refused(wall, "basis: {modes: 3}\n", "test.yaml:4: basis: a wall has no basis");
    check_refused("palpate: 1\nname: test\n", "wall: {height: 0 m}\n", "'stiffness' is missing");
}

static void test_mistakes_are_told_with_their_line(void) {
    check_refused(wall, "device: {profile: tuoch}\n",
                  "test.yaml:4: profile: unknown device 'tuoch'; known devices: touch, touchx");
    check_refused(wall, "device: {grip: iron}\n", "unknown grip 'iron'");
    check_refused(wall, "device: {seed: -1}\n", "seed: -1 is outside");
    check_refused(wall, "tool: {radius: 0 m}\n", "radius: must be above 0");
    check_refused(wall, "tool: {stiffness: 3 N}\n", "is a force; write a stiffness such as");
    check_refused(wall, "coupling: {damping: -1 N s/m}\n", "damping: -1 is below 0");
    check_refused(wall, "probe:\n  - {}\n", "test.yaml:5: 0: an intent is one of move");
    check_refused(wall, "probe:\n  - {hold: 1 s, release: 1 s}\n", "an intent is one of move");
    check_refused(wall, "probe:\n  - {move: [0 m, 0 m, 0 m]}\n", "'seconds' is missing");
    check_refused(wall, "probe:\n  - {move: [0 m, 0 m], seconds: 1 s}\n", "list of 3 values");
    check_refused(wall, "probe:\n  - {hold: 1 s, seconds: 1 s}\n", "take their time themselves");
    check_refused(wall, "probe:\n  - {hold: 1 s, speed: 1 m/s}\n", "it has no speed");
    check_refused(wall, "probe:\n  - {move: [0 m, 0 m, 0 m], seconds: 1 s, turns: 2}\n",
                  "only a circle has turns");
    check_refused(wall, "probe:\n  - {move: [0 m, 0 m, 0 m], seconds: 1 s, radius: 2 m}\n",
                  "only wandering and a circle");
    check_refused(wall, "probe:\n  - {wander: [0 m, 0 m, 0 m], seconds: 1 s}\n",
                  "wandering needs its radius");
    check_refused(wall, "faults:\n  - {kind: dropout, at: 1 s}\n", "'seconds' is missing");
    check_refused(wall, "faults:\n  - {kind: melt, at: 1 s}\n", "cannot be 'melt'");
}

static void test_edits_become_numbers_in_si(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(parse(body,
                   "edits:\n  - {at: 2 s, region: body, young: 24 kPa}\n"
                   "  - {at: 500 ms, region: bone, poisson: 0.3, density: 1.1 g/cm3}\n",
                   &scene, &err),
             err);
    TEST_ASSERT_EQUAL_INT(2, scene.live.edit_count);
    const pal_material_edit *edit = scene.live.edit;
    TEST_ASSERT_TRUE(edit[0].at == 2.0 && edit[0].to.young == 24e3);
    TEST_ASSERT_TRUE(isnan(edit[0].to.poisson) && isnan(edit[0].to.density));
    TEST_ASSERT_TRUE(edit[1].at == 0.5 && isnan(edit[1].to.young) && edit[1].to.poisson == 0.3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1100.0, edit[1].to.density);
    TEST_ASSERT_EQUAL_STRING("bone", edit[1].region);
    pal_scene_free(&scene);
    check_refused(body, "edits:\n  - {at: 2 s, region: body}\n",
                  "test.yaml:5: 0: it changes nothing");
    check_refused(body, "edits:\n  - {at: 2 s, region: body, young: -1 kPa}\n",
                  "test.yaml:5: young: ");
    check_refused(body, "edits:\n  - {at: 2 s, region: body, poisson: 0.5}\n",
                  "test.yaml:5: poisson: ");
    check_refused(body, "edits:\n  - {at: 2 m, region: body, young: 1 Pa}\n", "write a time");
    check_refused(body, "edits:\n  - {at: -2 s, region: body, young: 1 Pa}\n", "below 0");
    check_refused(body, "edits:\n  - {region: body, young: 1 Pa}\n", "'at' is missing");
    check_refused(wall, "edits:\n  - {at: 2 s, region: body, young: 1 Pa}\n",
                  "a wall has no material");
}

static void test_surfaces_become_laws_in_si(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(parse(body,
                   "tool: {grasp: 0.2 N/mm}\n"
                   "surfaces:\n  - {friction: 0.2}\n"
                   "  - {region: bone, friction: 0.3, static_friction: 0.5, stick_speed: 2 cm/s, "
                   "stiffness: 1 kPa/mm, damping: 2 kPa s/m, adhesion: 3 kPa,\n"
                   "     texture: {height: 0.1 mm, length: 2 mm}}\n",
                   &scene, &err),
             err);
    TEST_ASSERT_EQUAL_INT(2, scene.live.surface_count);
    TEST_ASSERT_TRUE(scene.live.tool_grasp == 200.0);
    const pal_surface_rule *rule = scene.live.surface;
    TEST_ASSERT_EQUAL_STRING("", rule[0].region);
    TEST_ASSERT_TRUE(rule[0].law.static_friction == 0.2 && rule[0].law.dynamic_friction == 0.2);
    TEST_ASSERT_TRUE(isnan(rule[0].law.adhesion) && isnan(rule[0].law.stiffness));
    TEST_ASSERT_EQUAL_STRING("bone", rule[1].region);
    const pal_surface_law *law = &rule[1].law;
    TEST_ASSERT_TRUE(law->static_friction == 0.5 && law->dynamic_friction == 0.3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.02, law->stick_speed);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1e6, law->stiffness);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2e3, law->damping);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 3e3, law->adhesion);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1e-4, law->texture_height);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2e-3, law->texture_length);
    pal_scene_free(&scene);
}

static void test_wrong_surfaces_are_told_with_their_line(void) {
    static const struct {
        const char *entry, *part;
    } cases[] = {
        {"{friction: -0.1}", "test.yaml:5: friction: -0.1 is below 0"},
        {"{friction: .nan}", "test.yaml:5: "},
        {"{friction: 0.5, static_friction: 0.4}", "0.4 is below the friction while it slides"},
        {"{static_friction: 0.4}", "give friction, too"},
        {"{adhesion: -1 Pa}", "test.yaml:5: adhesion: -1 is below 0"},
        {"{adhesion: 1 N}", "is a force; write a pressure"},
        {"{stiffness: 0 Pa/m}", "stiffness: must be above 0"},
        {"{stiffness: 2 kN/m}", "write a stiffness of a layer such as"},
        {"{damping: -1 Pa s/m}", "below 0"},
        {"{texture: {height: 1 mm}}", "the key 'length' is missing in 'texture'"},
        {"{texture: {height: 1 mm, length: 0 mm}}", "length: must be above 0"},
        {"{stick_speed: -1 m/s}", "below 0"},
        {"{colour: red}", "unknown key 'colour'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char more[200];
        snprintf(more, sizeof more, "surfaces:\n  - %s\n", cases[i].entry);
        check_refused(body, more, cases[i].part);
    }
    check_refused(wall, "surfaces:\n  - {friction: 0.1}\n", "a wall has a stiffness");
    check_refused(body, "tool: {grasp: -1 N/m}\n", "grasp: -1 is below 0");
    check_refused(wall, "probe:\n  - {hold: 1 s, grasp: hard}\n", "'grasp' takes true or false");
}

static void test_a_hand_may_keep_the_button_down(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(parse(body, "probe:\n  - hold: 1 s\n  - {hold: 1 s, grasp: true}\n", &scene, &err),
             err);
    TEST_ASSERT_TRUE(scene.live.intent[0].buttons == 0 && scene.live.intent[1].buttons == 1);
    pal_scene_free(&scene);
}

// A file for the key probe_file; returns the key's line.
static const char *probe_file(const char *content) {
    static char line[600];
    const char *path = check_scratch("probe.csv");
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs(content, file);
    fclose(file);
    snprintf(line, sizeof line, "probe_file: %s\n", path);
    return line;
}

static void test_the_probe_may_come_from_a_file(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(parse(wall,
                   probe_file("# by hand\n\ntime_s,x_m,y_m,z_m\n0,0.01,0.02,0.03\r\n"
                              " 0.5, 0.01, 0.02, -1e-3 # down\n"),
                   &scene, &err),
             err);
    TEST_ASSERT_EQUAL_INT(1, scene.live.intent_count);
    const pal_intent *intent = scene.live.intent;
    TEST_ASSERT_EQUAL_INT(PAL_INTENT_PATH, intent->kind);
    TEST_ASSERT_EQUAL_INT(2, intent->sample_count);
    TEST_ASSERT_TRUE(intent->sample[1].time == 0.5 && intent->sample[1].x[2] == -1e-3);
    TEST_ASSERT_TRUE(scene.live.start[2] == 0.03);
    pal_scene_free(&scene);
    check_refused(wall, probe_file("0,0,0,0\n"), "probe.csv:1: the first line must be 'time_s,");
    check_refused(wall, probe_file("time_s,x_m,y_m,z_m\n"), "holds no samples");
    check_refused(wall, probe_file("time_s,x_m,y_m,z_m\n0,0,0\n"), "probe.csv:2: not a sample");
    check_refused(wall, probe_file("time_s,x_m,y_m,z_m\n0,0,0,nan\n"), "csv:2: not a sample");
    check_refused(wall, probe_file("time_s,x_m,y_m,z_m\n0,0,0,0\n\n0,0,0,1\n"),
                  "probe.csv:4: the time 0 s is not after the one before, 0 s");
    check_refused(wall, probe_file("time_s,x_m,y_m,z_m\n-1,0,0,0\n"), "csv:2: the time -1 s");
    char both[800];
    snprintf(both, sizeof both, "%sprobe:\n  - hold: 1 s\n",
             probe_file("time_s,x_m,y_m,z_m\n0,0,0,0\n"));
    check_refused(wall, both, "test.yaml:4: probe_file: a scene has a probe or a probe_file");
    CHECK_FAILS(PAL_ERR_IO, "nowhere.csv", parse(wall, "probe_file: nowhere.csv\n", &scene, &err),
                err);
}

static void test_a_bake_does_not_depend_on_the_run(void) {
    pal_scene a, b, c;
    char key_a[PAL_HASH_TEXT], key_b[PAL_HASH_TEXT], key_c[PAL_HASH_TEXT];
    pal_err err = {0};
    CHECK_OK(parse(body, "", &a, &err), err);
    CHECK_OK(parse(body,
                   "device: {seed: 3}\ntool: {radius: 1 mm}\ncoupling: {stiffness: 3 N/m}\n"
                   "probe:\n  - hold: 1 s\nfaults:\n  - {kind: unplug, at: 1 s}\n"
                   "edits:\n  - {at: 1 s, region: body, young: 1 kPa}\n"
                   "surfaces:\n  - {friction: 0.5}\n",
                   &b, &err),
             err);
    CHECK_OK(parse(body, "basis: {modes: 3, size: 5}\n", &c, &err), err);
    CHECK_OK(pal_scene_key(&a, key_a, &err), err);
    CHECK_OK(pal_scene_key(&b, key_b, &err), err);
    CHECK_OK(pal_scene_key(&c, key_c, &err), err);
    TEST_ASSERT_EQUAL_STRING(key_a, key_b);
    TEST_ASSERT_TRUE(strcmp(key_a, key_c) != 0);
    pal_scene_free(&a);
    pal_scene_free(&b);
    pal_scene_free(&c);
}

// Every place at its time: the first after 0.3 s, then at constant speed but for 0.1 s of ramps.
static void test_a_path_goes_through_its_places_at_constant_speed(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(
        parse(body,
              "coupling: {passivity: false}\nfaults:\n  - {kind: stall, at: 1 s, seconds: 0.1 s}\n"
              "probe:\n  - hold: 1 s\n"
              "  - {path: [[0 m, 0 m, 0 m], [2 cm, 0 m, 0 m], [2 cm, 4 cm, 0 m]], "
              "speed: 20 mm/s}\n"
              "  - {path: [[0 m, 0 m, 1 m], [0 m, 0 m, 2 m]], seconds: 2.4 s}\n",
              &scene, &err),
        err);
    const pal_scene_live *live = &scene.live;
    const pal_intent *first = &live->intent[1], *second = &live->intent[2];
    TEST_ASSERT_TRUE(live->unwatched && live->fault[0].kind == PAL_FAULT_STALL);
    TEST_ASSERT_TRUE(first->kind == PAL_INTENT_PATH && first->sample_count == 3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.3, first->sample[0].time);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.3 + 1.0 + 0.05, first->sample[1].time);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.3 + 3.0 + 0.1, first->sample[2].time);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.04, first->sample[2].x[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2.4, second->sample[1].time);
    pal_scene_free(&scene);
    check_refused(body, "probe:\n  - {path: [[0 m, 0 m, 0 m]], seconds: 1 s}\n", "at least 2");
    check_refused(body, "probe:\n  - {path: [[0 m, 0 m, 0 m], [0 m, 0 m, 0 m]], seconds: 1 s}\n",
                  "test.yaml:5: 0: its places 1 and 2 are the same");
    check_refused(body, "probe:\n  - {path: [[0 m, 0 m, 0 m], [0 m, 0 m, 1 m]]}\n", "or a speed");
    check_refused(wall, "faults:\n  - {kind: stall, at: 1 s, seconds: 1 s}\n",
                  "a wall has no body that could stall");
}

static void test_every_shipped_scene_has_a_probe(void) {
    for (int i = 0; pal_scene_shipped(i) != NULL; i++) {
        pal_scene scene;
        pal_err err = {0};
        CHECK_OK(pal_scene_read(pal_scene_shipped(i), &scene, &err), err);
        TEST_ASSERT_TRUE_MESSAGE(scene.live.intent_count >= 3, scene.name);
        pal_scene_free(&scene);
    }
}

static void test_no_failing_allocation_leaks_or_crashes(void) {
    char more[1024];
    snprintf(more, sizeof more, "%sfaults:\n  - {kind: unplug, at: 1 s}\n%s",
             probe_file("time_s,x_m,y_m,z_m\n0,0,0,0\n"),
             "edits:\n  - {at: 1 s, region: body, young: 1 kPa}\n"
             "surfaces:\n  - {friction: 0.5, texture: {height: 1 mm, length: 1 mm}}\n");
    for (long n = 0;; n++) {
        pal_scene scene;
        pal_err err = {0};
        pal_memory_fail_after(n);
        pal_status status = parse(body, more, &scene, &err);
        pal_memory_fail_after(-1);
        if (status == PAL_OK) {
            pal_scene_free(&scene);
            TEST_ASSERT_TRUE(n > 5);
            return;
        }
        TEST_ASSERT_EQUAL_INT_MESSAGE(PAL_ERR_MEMORY, status, err.text);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_run_becomes_numbers_in_si);
    RUN_TEST(test_a_scene_without_these_keys_has_defaults);
    RUN_TEST(test_the_form_of_contact_is_the_scenes_with_one_hand_or_more);
    RUN_TEST(test_a_wall_takes_the_place_of_a_body);
    RUN_TEST(test_mistakes_are_told_with_their_line);
    RUN_TEST(test_edits_become_numbers_in_si);
    RUN_TEST(test_surfaces_become_laws_in_si);
    RUN_TEST(test_wrong_surfaces_are_told_with_their_line);
    RUN_TEST(test_a_hand_may_keep_the_button_down);
    RUN_TEST(test_the_probe_may_come_from_a_file);
    RUN_TEST(test_a_bake_does_not_depend_on_the_run);
    RUN_TEST(test_a_path_goes_through_its_places_at_constant_speed);
    RUN_TEST(test_every_shipped_scene_has_a_probe);
    RUN_TEST(test_no_failing_allocation_leaks_or_crashes);
    return UNITY_END();
}
