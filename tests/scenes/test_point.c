// Places that are named by the surface: on a box, in scenes, and what is said of a miss.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/point.h"
#include "scenes/scene.h"
#include "sim/base/pose.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/shapes.h"

static pal_surface box; // from 0 to (0.2, 0.1, 0.05) m

void setUp(void) {
    shape_add_box(&box, (const double[3]){0.0, 0.0, 0.0}, (const double[3]){0.2, 0.1, 0.05});
}
void tearDown(void) {
    pal_surface_free(&box);
    memset(&box, 0, sizeof box);
}

static const pal_point_ground on_box = {.surface = &box};

static void check_found(const char *text, const pal_landmarks *names, double x, double y,
                        double z) {
    pal_point point;
    pal_point_found found;
    pal_err err = {0};
    CHECK_OK(pal_point_parse(text, names, &point, &err), err);
    CHECK_OK(pal_point_find(&point, &on_box, &found, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-12, x, found.x[0], text);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-12, y, found.x[1], text);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-12, z, found.x[2], text);
}

static void test_places_are_where_they_say(void) {
    check_found("0.1, 0.2, 0.3", NULL, 0.1, 0.2, 0.3);
    check_found("10 cm 200 mm 0.3", NULL, 0.1, 0.2, 0.3);
    check_found("near:(0.1, 0.05, 0.07)", NULL, 0.1, 0.05, 0.05);
    check_found("near:(100 mm 5 cm 0.049)", NULL, 0.1, 0.05, 0.05);
    check_found("near:(0.21,0.05,0.02)", NULL, 0.2, 0.05, 0.02);
    check_found("near:(0.1,0.05,0.07) + 10 mm", NULL, 0.1, 0.05, 0.06);
    check_found("surface:0.1, 0.05", NULL, 0.1, 0.05, 0.05);
    check_found("surface:0.1 0.05 - 3 mm", NULL, 0.1, 0.05, 0.047);
    check_found("surface:-z:0.1, 0.05 + 3 mm", NULL, 0.1, 0.05, -0.003);
    check_found("surface:y:0.1, 0.02", NULL, 0.1, 0.1, 0.02);
    check_found("surface:-x:0.03, 0.02", NULL, 0.0, 0.03, 0.02);
}

static void test_a_ray_comes_from_where_up_is(void) {
    for (int up = 0; up < PAL_UP_COUNT; up++) {
        const pal_landmarks names = {.up = (pal_up)up};
        const int axis = pal_up_axis((pal_up)up);
        const double size[3] = {0.2, 0.1, 0.05}, at[3] = {0.06, 0.03, 0.02};
        double x[3] = {at[0], at[1], at[2]};
        char text[64];
        x[axis] = pal_up_sign((pal_up)up) > 0.0 ? size[axis] : 0.0;
        snprintf(text, sizeof text, "surface:%g, %g", at[axis == 0 ? 1 : 0], at[axis == 2 ? 1 : 2]);
        check_found(text, &names, x[0], x[1], x[2]);
    }
}

// Right-handed, its last axis up; the turn takes one to the other.
static void test_the_frame_of_up_is_turned_so(void) {
    for (int up = 0; up < PAL_UP_COUNT; up++) {
        double frame[3][3], cross[3], turn[3], q[4], matrix[3][3];
        pal_up_frame((pal_up)up, frame);
        pal_up_turn((pal_up)up, turn);
        pal_cross3(frame[0], frame[1], cross);
        TEST_ASSERT_TRUE(frame[2][pal_up_axis((pal_up)up)] == pal_up_sign((pal_up)up));
        TEST_ASSERT_TRUE(pal_up_of(pal_up_axis((pal_up)up), pal_up_sign((pal_up)up)) == (pal_up)up);
        pal_turn_of_vector(turn, q);
        pal_turn_matrix(q, matrix);
        for (int k = 0; k < 3; k++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-15, frame[2][k], cross[k]);
            for (int c = 0; c < 3; c++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-12, frame[k][c], matrix[c][k]);
            }
        }
    }
}

static void test_names_stand_for_places(void) {
    pal_landmark item[] = {{"top", {.kind = PAL_POINT_RAY, .x = {0.1, 0.05, 0.0}}},
                           {"top-side", {.kind = PAL_POINT_NEAR, .x = {0.1, 0.11, 0.02}}}};
    const pal_landmarks names = {.count = 2, .item = item};
    check_found("top", &names, 0.1, 0.05, 0.05);
    check_found("top + 2 mm", &names, 0.1, 0.05, 0.052);
    check_found("top-side", &names, 0.1, 0.1, 0.02);
    TEST_ASSERT_TRUE(pal_point_is("top", &names) && pal_point_is("near:(0,0,0)", NULL));
    TEST_ASSERT_TRUE(pal_point_is("surface:0,0", NULL) && pal_point_is("0,0,0.1", NULL));
    TEST_ASSERT_FALSE(pal_point_is("near:(0,0,0):0.01", NULL) || pal_point_is("surface", NULL));
    TEST_ASSERT_FALSE(pal_point_is("top", NULL) || pal_point_is("x<0.1", &names));
}

static void check_refused(const char *text, const char *words) {
    pal_point point;
    pal_point_found found;
    pal_err err = {0};
    pal_status status = pal_point_parse(text, NULL, &point, &err);
    if (status == PAL_OK) {
        status = pal_point_find(&point, &on_box, &found, &err);
    }
    CHECK_FAILS(PAL_ERR_INPUT, words, status, err);
}

static void test_a_miss_says_what_is_there(void) {
    check_refused("surface:0.3, 0.05", "meets no surface; the nearest place is (0.2, 0.05, 0.025)");
    check_refused("surface:0.3, 0.05", "from (0, 0, 0) to (0.2, 0.1, 0.05) m");
    check_refused("near:(100, 50, 20)", "is the unit right?");
    check_refused("near:(0.1, 0.2)", "'");
    check_refused("near:(0.1, 0.2, 0.3", "closing bracket");
    check_refused("near 0.1", "there is no landmark 'near'");
    check_refused("surface:0.1", "no length");
    check_refused("surface:-w:0.1, 0.2", "no length");
    check_refused("surface:-x0.1, 0.2", "colon");
    check_refused("0.1, 0.2", "no length");
    check_refused("0.1, 0.2, 0.3 + 5 mm", "cannot be read from '+ 5 mm' on");
    check_refused("surface:0.1, 0.05 + 5 kPa", "pressure");
    check_refused("surface:0.1, 0.05 + ", "comes a length");
    check_refused("surface:nan, 0.05", "no length");
    check_refused("porta", "the scene has no landmarks");
}

static void test_a_wall_is_met_from_above(void) {
    const pal_point_ground wall = {.height = 0.01};
    pal_point point;
    pal_point_found found;
    pal_err err = {0};
    CHECK_OK(pal_point_parse("surface:0.1, 0.2 - 2 mm", NULL, &point, &err), err);
    CHECK_OK(pal_point_find(&point, &wall, &found, &err), err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.008, found.x[2]);
    CHECK_OK(pal_point_parse("surface:y:0.1, 0.2", NULL, &point, &err), err);
    CHECK_FAILS(PAL_ERR_INPUT, "from +z alone", pal_point_find(&point, &wall, &found, &err), err);
}

static void test_a_place_as_a_selector_is_its_nearest_vertex(void) {
    pal_volmesh mesh;
    pal_err err = {0};
    char selector[32], wanted[32];
    shape_box(&mesh, PAL_TET4, 4, 2, 2, (const double[3]){0.2, 0.1, 0.05});
    CHECK_OK(pal_point_selector("surface:0.099, 0.052", NULL, &mesh, selector, &err), err);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
        const double *x = mesh.x + 3 * (int64_t)v;
        if (fabs(x[0] - 0.1) + fabs(x[1] - 0.05) + fabs(x[2] - 0.05) < 1e-9) {
            snprintf(wanted, sizeof wanted, "vertices:%d", (int)mesh.file_vertex[v]);
        }
    }
    TEST_ASSERT_EQUAL_STRING(wanted, selector);
    pal_volmesh_free(&mesh);
}

// ---- in scenes ----------------------------------------------------------------------------------

static const char body[] = "palpate: 1\nname: test\n"
                           "body: {shape: {name: block, size: 0.2 m}, voxels: 10, fixed: z<0.01, "
                           "material: {preset: liver}}\n";

static char text[4096];

static pal_status parse(const char *more, pal_scene *scene, pal_err *err) {
    snprintf(text, sizeof text, "%s%s", body, more);
    return pal_scene_parse("test.yaml", text, strlen(text), scene, err);
}

static const char named[] =
    "landmarks:\n"
    "  middle: surface:0.1, 0.05\n"
    "  deep: middle - 5 mm\n"
    "  side: [20 cm, 5 cm, 2 cm]\n"
    "probe:\n"
    "  - {move: middle + 20 mm, seconds: 0.3 s}\n"
    "  - {press: deep, seconds: 1 s}\n"
    "  - {slide: 'near:(0.12, 0.05, 0.06) - 5 mm', seconds: 1 s}\n"
    "  - {path: [middle, [0.1 m, 0.06 m, 0.05 m], 'surface:0.1, 0.08'], speed: 10 mm/s}\n"
    "  - {tap: side, seconds: 1 s}\n"
    "feel: {at: middle, edge: 'surface:0.2 0.05'}\n";

static void check_place(double x, double y, double z, const double at[3]) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, x, at[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, y, at[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, z, at[2]);
}

static void check_settled(const pal_scene *scene) {
    const pal_intent *intent = scene->live.intent;
    check_place(0.1, 0.05, 0.07, intent[0].to);
    check_place(0.1, 0.05, 0.07, scene->live.start);
    check_place(0.1, 0.05, 0.045, intent[1].to);
    check_place(0.12, 0.05, 0.045, intent[2].to);
    check_place(0.1, 0.05, 0.05, intent[3].sample[0].x);
    check_place(0.1, 0.08, 0.05, intent[3].sample[2].x);
    check_place(0.2, 0.05, 0.02, intent[4].to);
    check_place(0.1, 0.05, 0.05, scene->feel.at);
    check_place(0.2, 0.05, 0.05, scene->feel.edge);
    TEST_ASSERT_FALSE(scene->unsettled);
}

static void test_a_scene_is_settled_on_its_surface(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(parse(named, &scene, &err), err);
    TEST_ASSERT_TRUE(scene.unsettled && scene.landmarks.count == 3);
    CHECK_OK(pal_scene_settle(&scene, &box, false, &err), err);
    check_settled(&scene);
    TEST_ASSERT_EQUAL_STRING(text, scene.text); // as its author wrote it
    pal_scene_free(&scene);

    pal_scene again;
    CHECK_OK(parse(named, &scene, &err), err);
    CHECK_OK(pal_scene_settle(&scene, &box, true, &err), err);
    check_settled(&scene);
    CHECK_OK(pal_scene_parse("test.yaml", scene.text, strlen(scene.text), &again, &err), err);
    check_settled(&again); // as numbers it needs no surface
    pal_scene_free(&again);
    pal_scene_free(&scene);
}

static void test_a_place_off_the_surface_is_told_at_its_line(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(parse("probe:\n  - {move: 'surface:0.5, 0.05', seconds: 1 s}\n", &scene, &err), err);
    CHECK_FAILS(PAL_ERR_INPUT, "test.yaml:5: move: the ray from z",
                pal_scene_settle(&scene, &box, false, &err), err);
    TEST_ASSERT_TRUE(scene.unsettled && scene.live.intent_count == 1); // as it was
    pal_scene_free(&scene);
}

static void check_scene_refused(const char *more, const char *words) {
    pal_scene scene;
    pal_err err = {0};
    pal_status status = parse(more, &scene, &err);
    CHECK_FAILS(PAL_ERR_INPUT, words, status, err);
}

static void test_mistakes_in_scenes_have_their_line(void) {
    check_scene_refused("feel: {at: porta}\n", "test.yaml:4: at: there is no landmark 'porta'");
    check_scene_refused("landmarks: {top: 'surface:1, 2'}\nfeel: {at: tip}\n",
                        "landmarks are: top");
    check_scene_refused("landmarks: [1, 2]\n", "landmarks: takes names with places");
    check_scene_refused("landmarks: {all: [0 m, 0 m, 0 m]}\n", "a word of selectors");
    check_scene_refused("landmarks: {a b: [0 m, 0 m, 0 m]}\n", "cannot name a landmark");
    check_scene_refused("landmarks: {a: [0 m, 0 m]}\n", "a landmark is a place");
    check_scene_refused("landmarks: {a: [0 m, 0 m, 0]}\n", "test.yaml:4: a: '0' has no unit");
    check_scene_refused("landmarks: {a: 'near:(0,0,0)', a: 'near:(0,0,0)'}\n",
                        "'a' is there twice");
    check_scene_refused("landmarks: {b: a, a: 'near:(0,0,0)'}\n", "there is no landmark 'a'");
    check_scene_refused("probe: [{move: near:(0.1, 0.2, 0.3), seconds: 1 s}]\n",
                        "put quotes round the one before");
    check_scene_refused("probe: [{move: 5, seconds: 1 s}]\n", "no length");
    check_scene_refused("up: w\n", "write one of: z, x, y, -z, -x, -y");
    check_scene_refused("basis: {kind: loads, loads: [{at: porta, force: [0 N, 0 N, 1 N]}]}\n",
                        "at:");
}

static void test_up_says_where_rays_and_the_tool_come_from(void) {
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(parse("up: -y\nprobe:\n  - {move: 'surface:0.1, 0.02 + 1 cm', seconds: 1 s}\n", &scene,
                   &err),
             err);
    TEST_ASSERT_EQUAL_INT(PAL_UP_MINUS_Y, scene.up);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5 * M_PI, scene.live.start_turn[0]); // its shaft to -y
    CHECK_OK(pal_scene_settle(&scene, &box, false, &err), err);
    check_place(0.1, -0.01, 0.02, scene.live.intent[0].to);
    pal_scene_free(&scene);
}

static void test_gravity_in_one_number_points_down(void) {
    static const char tree[] = "palpate: 1\nname: test\nup: y\ngravity: 9.81 m/s2\n"
                               "body: {shape: {name: flower, size: 0.3 m}, fixed: z<0.01, "
                               "material: {preset: liver}, domains: {modes: {each: 2}}}\n";
    pal_scene scene;
    pal_err err = {0};
    CHECK_OK(pal_scene_parse("test.yaml", tree, strlen(tree), &scene, &err), err);
    TEST_ASSERT_TRUE(scene.motion.gravity[1] == -9.81);
    TEST_ASSERT_TRUE(scene.motion.gravity[0] == 0.0 && scene.motion.gravity[2] == 0.0);
    pal_scene_free(&scene);
}

// What a load is at counts for the model; where a probe goes does not.
static void test_the_key_knows_the_landmarks_of_loads(void) {
    static const char form[] = "up: %s\nlandmarks: {a: 'surface:%g, 0.05'}\n"
                               "basis: {kind: loads, loads: [{at: %s, force: [0 N, 0 N, 1 N]}]}\n";
    char key[4][PAL_HASH_TEXT], more[512];
    pal_err err = {0};
    static const struct {
        const char *up, *at;
        double x;
    } cases[] = {{"z", "a", 0.1}, {"z", "a", 0.12}, {"z", "all", 0.1}, {"z", "all", 0.12}};
    for (int i = 0; i < 4; i++) {
        pal_scene scene;
        snprintf(more, sizeof more, form, cases[i].up, cases[i].x, cases[i].at);
        CHECK_OK(parse(more, &scene, &err), err);
        CHECK_OK(pal_scene_key(&scene, key[i], &err), err);
        pal_scene_free(&scene);
    }
    TEST_ASSERT_TRUE(strcmp(key[0], key[1]) != 0);
    TEST_ASSERT_EQUAL_STRING(key[2], key[3]);
}

static void test_a_place_of_the_surface_is_said_so_that_it_is_found_again(void) {
    static const double at[][3] = {{0.12, 0.034561, 0.05}, {0.2, 0.0, 0.0123456}, {0.0, 0.1, 0.05}};
    for (int i = 0; i < 3; i++) {
        char said[96];
        pal_point point;
        pal_point_found found;
        pal_err err = {0};
        pal_point_say(at[i], 0.2, said, sizeof said);
        CHECK_OK(pal_point_parse(said, NULL, &point, &err), err);
        CHECK_OK(pal_point_find(&point, &on_box, &found, &err), err);
        for (int c = 0; c < 3; c++) {
            TEST_ASSERT_DOUBLE_WITHIN(5.1e-5, at[i][c], found.x[c]);
        }
    }
    char said[96];
    pal_point_say((const double[3]){0.12, -1e-9, 0.11843}, 0.2, said, sizeof said);
    TEST_ASSERT_EQUAL_STRING("near:(0.12, 0, 0.1184)", said);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_places_are_where_they_say);
    RUN_TEST(test_a_place_of_the_surface_is_said_so_that_it_is_found_again);
    RUN_TEST(test_a_ray_comes_from_where_up_is);
    RUN_TEST(test_the_frame_of_up_is_turned_so);
    RUN_TEST(test_names_stand_for_places);
    RUN_TEST(test_a_miss_says_what_is_there);
    RUN_TEST(test_a_wall_is_met_from_above);
    RUN_TEST(test_a_place_as_a_selector_is_its_nearest_vertex);
    RUN_TEST(test_a_scene_is_settled_on_its_surface);
    RUN_TEST(test_a_place_off_the_surface_is_told_at_its_line);
    RUN_TEST(test_mistakes_in_scenes_have_their_line);
    RUN_TEST(test_up_says_where_rays_and_the_tool_come_from);
    RUN_TEST(test_gravity_in_one_number_points_down);
    RUN_TEST(test_the_key_knows_the_landmarks_of_loads);
    return UNITY_END();
}
