// The keys of a scene about several hands, turns, and the coupling of a tool with mass.
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

static const char wall[] = "palpate: 1\n"                                // 1
                           "name: test\n"                                // 2
                           "wall: {height: 1 cm, stiffness: 500 N/m}\n"; // 3

static char text[8192];

static pal_status parse(const char *more, pal_scene *scene, pal_err *err) {
    snprintf(text, sizeof text, "%s%s", wall, more);
    return pal_scene_parse("test.yaml", text, strlen(text), scene, err);
}

static void check_refused(const char *more, const char *part) {
    pal_scene scene;
    pal_err err = {0};
    pal_status status = parse(more, &scene, &err);
    CHECK_FAILS(PAL_ERR_INPUT, part, status, err);
}

static const char three[] =
    "hands:\n" // 4
    "  - device: {profile: touch, seed: 3, turn: [90 deg, 0 rad, 0 rad]}\n"
    "    probe:\n" // 6
    "      - {press: [1 cm, 0 m, 0 m], seconds: 1 s, turn: [0 deg, 180 deg, "
    "0 deg]}\n"
    "      - {hold: 1 s}\n" // 8
    "  - {tool: {radius: 3 mm}, coupling: {turn_stiffness: 0.3 N m/rad}}\n"
    "  - device: {profile: sigma}\n"                                // 10
    "    coupling: {kind: dynamic, mass: 50 g, inertia: 4 g cm2}\n" // 11
    "    faults: [{kind: unplug, at: 2 s}]\n";

static void test_hands_become_numbers_in_si(void) {
    const double half = 3.141592653589793 / 2.0;
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(parse(three, &scene, &err), err);
    TEST_ASSERT_EQUAL_INT(3, scene.hand_count);
    const pal_scene_live *a = pal_scene_live_of(&scene, 0), *b = pal_scene_live_of(&scene, 1),
                         *c = pal_scene_live_of(&scene, 2);
    TEST_ASSERT_TRUE(a == &scene.live && a->has_wall && a->wall_stiffness == 500.0);
    TEST_ASSERT_EQUAL_STRING("touch", a->profile->name);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, half, a->start_turn[0]);
    TEST_ASSERT_EQUAL_INT(2, a->intent_count);
    TEST_ASSERT_TRUE(a->intent[0].turned && !a->intent[1].turned && a->start[0] == 0.01);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2.0 * half, a->intent[0].turn[1]);
    TEST_ASSERT_TRUE(b->tool_radius == 3e-3 && b->coupling_turn_stiffness == 0.3);
    TEST_ASSERT_TRUE(b->coupling_mass == 0.0 && b->intent_count == 0);
    TEST_ASSERT_EQUAL_STRING("sigma", c->profile->name);
    TEST_ASSERT_TRUE(c->coupling_mass == 0.05 && isnan(c->coupling_turn_stiffness));
    TEST_ASSERT_DOUBLE_WITHIN(1e-18, 4e-7, c->coupling_inertia);
    TEST_ASSERT_TRUE(c->fault_count == 1 && c->has_wall);
    TEST_ASSERT_TRUE(a->seed == 3 && b->seed == 2 && c->seed == 3); // given, and by number
    pal_scene_free(&scene);
}

static void test_one_hand_is_what_stands_at_the_top(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(parse("device: {profile: omega}\ncoupling: {kind: dynamic}\n", &scene, &err), err);
    TEST_ASSERT_EQUAL_INT(1, scene.hand_count);
    TEST_ASSERT_TRUE(scene.live.coupling_mass == 0.02 && isnan(scene.live.coupling_inertia));
    pal_scene_free(&scene);
}

static void test_what_is_wrong_with_a_hand_is_found_at_its_line(void) {
    check_refused("device: {}\nhands:\n  - device: {}\n",
                  "test.yaml:6: hands: with hands, each has");
    check_refused("probe: [hold: 1 s]\nhands:\n  - device: {}\n", "with hands, each has its own");
    check_refused("hands: []\n", "test.yaml:4: 'hands' takes a list of at least 1 values");
    check_refused("hands: [{}, {}, {}, {}, {}]\n", "hands: 5 is outside 1 to 4");
    check_refused("hands:\n  - {}\n  - device: {profile: tuch}\n",
                  "test.yaml:6: profile: unknown device 'tuch'");
    check_refused("hands:\n  - {}\n  - {}\n  - probe:\n      - hold: 1 s\n      - hold: 1 m\n",
                  "test.yaml:9: ");
    check_refused("hands:\n  - device: {delay: 1 ms}\n  - device: {grip: firm}\n",
                  "test.yaml:6: delay: all hands have the same delay");
    check_refused("hands:\n  - {body: {}}\n", "test.yaml:5: ");
}

static void test_turns_and_couplings_are_checked(void) {
    check_refused("device: {turn: [0 deg, 0 deg]}\n", "turn");
    check_refused("device: {turn: [0 deg, 1 m, 0 deg]}\n",
                  "write a rotation angle such as '30 deg'");
    check_refused("probe:\n  - {hold: 1 s, turn: [0 deg, 0 deg, 30]}\n",
                  "test.yaml:5: turn: '30' has no unit");
    check_refused("coupling: {mass: 20 g}\n", "only a dynamic coupling has a mass");
    check_refused("coupling: {kind: dynamic, mass: 0 g}\n", "mass: must be above 0");
    check_refused("coupling: {kind: elastic}\n", "cannot be 'elastic'");
    check_refused("coupling: {turn_stiffness: 3 N/m}\n", "turn_stiffness: '3 N/m' is a stiffness");
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_hands_become_numbers_in_si);
    RUN_TEST(test_one_hand_is_what_stands_at_the_top);
    RUN_TEST(test_what_is_wrong_with_a_hand_is_found_at_its_line);
    RUN_TEST(test_turns_and_couplings_are_checked);
    return UNITY_END();
}
