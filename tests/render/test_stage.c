// Pictures of a scene by OpenGL, without a display: the same whether the GPU or the CPU deforms the
// body, made anew only when something changed, and as they have been before.
//
// The pictures to compare with are in tests/data/pictures. When a change of the drawing is meant,
// look at the new ones, and renew them: PALPATE_RENEW_PICTURES=1 build/release/tests/test_stage
#include "render/studio.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "tests/support/block_model.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"
#include "tests/support/picture.h"

enum { WIDTH = 320, HEIGHT = 240 };

static pal_model parted;     // a block of two regions
static pal_snapshot pressed; // the block under a ball
static pal_stage_spec spec;
static pal_view view;
static pal_studio studio;
static pal_image image;

static const pal_tool_look ball = {.kind = PAL_LOOK_BALL, .radius = 5e-3};

// A press, 0.6 s after its beginning.
static void press_block(void) {
    live_block block;
    pal_sim_options sim;
    bool fresh;
    live_block_sim(&sim, live_block_press, 3);
    live_block_open_model(&block, &sim, live_block_local(), PAL_DOUBLE);
    for (int k = 0; k < 600; k++) {
        live_block_tick(&block);
    }
    pressed = *pal_exchange_latest(&block.servo->exchange, &fresh);
    live_block_close(&block);
}

void setUp(void) {
    if (pressed.r == 0) {
        press_block();
    }
    spec = (pal_stage_spec){.model = live_block_local(), .tool_count = 1, .tool = {ball}};
    pal_view_defaults(&view);
    view.scale = 0.75;
}

void tearDown(void) {
    pal_image_free(&image);
    pal_studio_close(&studio);
    pal_model_free(&parted);
}

static void open_studio(void) {
    pal_err err = {0};
    CHECK_OK(pal_studio_open(&studio, &spec, WIDTH, HEIGHT, &err), err);
    CHECK_OK(pal_studio_fit(&studio, &view, &pressed, 1.0, &err), err);
}

static void take(const pal_snapshot *shot) {
    pal_err err = {0};
    pal_image_free(&image);
    CHECK_OK(pal_studio_take(&studio, &view, shot, NULL, &image, &err), err);
}

// ---- one picture, two ways

static void take_by(pal_deform_way way, pal_image *taken) {
    spec.way = way;
    open_studio();
    TEST_ASSERT_EQUAL_INT(way, pal_stage_tell(studio.stage).way);
    take(&pressed);
    *taken = image;
    image = (pal_image){0};
    pal_studio_close(&studio);
}

static void check_ways(const char *what) {
    pal_image gpu, cpu;
    char text[128];
    take_by(PAL_DEFORM_GPU, &gpu);
    take_by(PAL_DEFORM_CPU, &cpu);
    const double different = picture_difference(&gpu, &cpu, 2);
    snprintf(text, sizeof text, "%s: %.3f %% of the pixels differ", what, 100.0 * different);
    pal_image_free(&gpu);
    pal_image_free(&cpu);
    TEST_ASSERT_TRUE_MESSAGE(different <= 1e-3, text);
}

static void test_gpu_and_cpu_make_the_same_picture(void) {
    check_ways("displacement");
    view.colouring = PAL_BY_ENERGY;
    view.wireframe = true;
    check_ways("energy");
}

// Bent as far as half its length, with a basis of six shapes.
static void test_gpu_and_cpu_agree_on_a_body_bent_far(void) {
    static const block_spec bar = {.cells = {30, 4, 4}, .side = {0.3, 0.04, 0.04}};
    pal_err err = {0};
    pal_model model;
    const pal_snapshot kept = pressed;
    CHECK_OK(block_model_make(&bar, &model, &err), err);
    spec.model = &model;
    memset(&pressed, 0, sizeof pressed);
    pressed.r = model.r;
    pal_deform deform;
    float q[PAL_SNAPSHOT_R] = {0};
    CHECK_OK(pal_deform_open(&deform, &model, &err), err);
    q[0] = 1.0F;
    const double moved = pal_deform_measure(&deform, q).most;
    pal_deform_close(&deform);
    pressed.q[0] = 0.15 / moved;
    pressed.q[2] = 0.02 / moved;
    check_ways("bent");
    pressed = kept;
    block_model_free(&model);
}

// ---- when it is made anew

static void test_the_body_is_deformed_only_when_the_snapshot_changed(void) {
    open_studio();
    take(&pressed);
    const uint64_t first = pal_stage_tell(studio.stage).updates;
    pal_snapshot shot = pressed;
    shot.tick++;
    shot.hand[0].tool.x[0] += 1e-3;
    view.azimuth += 30.0;
    take(&shot);
    TEST_ASSERT_EQUAL_UINT64(first, pal_stage_tell(studio.stage).updates);
    shot.q[0] *= 1.01;
    take(&shot);
    TEST_ASSERT_EQUAL_UINT64(first + 1, pal_stage_tell(studio.stage).updates);
    TEST_ASSERT_TRUE(shot.dent_count > 0);
    shot.dent_count--;
    take(&shot);
    TEST_ASSERT_EQUAL_UINT64(first + 2, pal_stage_tell(studio.stage).updates);
}

static void test_the_same_snapshot_makes_the_same_picture(void) {
    open_studio();
    take(&pressed);
    pal_image before = image;
    image = (pal_image){0};
    pal_snapshot other = pressed;
    memset(other.q, 0, sizeof other.q);
    other.dent_count = 0;
    take(&other);
    TEST_ASSERT_TRUE(picture_difference(&before, &image, 2) > 0.05);
    take(&pressed);
    TEST_ASSERT_TRUE(picture_difference(&before, &image, 0) == 0.0);
    pal_image_free(&before);
}

// ---- what is in it

// Pixels of the colour of forces.
static int count_orange(void) {
    int count = 0;
    for (int32_t y = 0; y < image.height; y++) {
        for (int32_t x = 0; x < image.width; x++) {
            const uint8_t *p = picture_pixel(&image, x, y);
            count += p[0] > 110 && p[1] < 110 && p[0] > p[1] + 45 && p[2] < 80;
        }
    }
    return count;
}

static void test_marks_are_there_when_wanted(void) {
    open_studio();
    view.labels = false;
    take(&pressed);
    const int with = count_orange();
    view.force = view.contacts = false;
    take(&pressed);
    TEST_ASSERT_TRUE(with > 40);
    TEST_ASSERT_EQUAL_INT(0, count_orange());
}

// Edges of the picture show nothing but background: the fit leaves room.
static void test_a_fitted_body_is_inside_the_picture(void) {
    open_studio();
    view.labels = view.ground = view.shadow = false;
    for (int k = 0; k < 4; k++) {
        pal_err err = {0};
        view.azimuth = 55.0 * k;
        view.elevation = k % 2 ? 60.0 : 5.0;
        CHECK_OK(pal_studio_fit(&studio, &view, &pressed, 1.0, &err), err);
        take(&pressed);
        for (int32_t x = 0; x < WIDTH; x++) {
            TEST_ASSERT_TRUE(picture_colourful(&image, x, 0) < 12);
            TEST_ASSERT_TRUE(picture_colourful(&image, x, HEIGHT - 1) < 12);
        }
        TEST_ASSERT_TRUE(picture_colourful(&image, WIDTH / 2, HEIGHT / 2) > 30);
    }
}

static void test_places_are_those_that_are_drawn(void) {
    const int64_t count = live_block_local()->surface.vertex_count;
    double *x[2];
    for (int way = 0; way < 2; way++) {
        spec.way = way == 0 ? PAL_DEFORM_CPU : PAL_DEFORM_GPU;
        open_studio();
        take(&pressed);
        x[way] = calloc(3 * (size_t)count, sizeof **x);
        pal_stage_places(studio.stage, x[way]);
        pal_studio_close(&studio);
    }
    TEST_ASSERT_TRUE(memcmp(x[0], x[1], 3 * (size_t)count * sizeof **x) == 0);
    double lowest = INFINITY; // of the top, under the ball
    for (int64_t i = 0; i < count; i++) {
        if (fabs(x[0][3 * i] - 0.03) < 6e-3 && fabs(x[0][3 * i + 1] - 0.03) < 6e-3 &&
            live_block_local()->surface.x[3 * i + 2] > 0.029) {
            lowest = fmin(lowest, x[0][3 * i + 2]);
        }
    }
    TEST_ASSERT_TRUE(lowest < 0.026 && lowest > 0.015);
    free(x[0]);
    free(x[1]);
}

static void test_a_picture_of_4k_can_be_taken(void) {
    pal_err err = {0};
    CHECK_OK(pal_studio_open(&studio, &spec, 3840, 2160, &err), err);
    CHECK_OK(pal_studio_fit(&studio, &view, &pressed, 1.0, &err), err);
    view.quick = true;
    take(&pressed);
    TEST_ASSERT_EQUAL_INT(3840, image.width);
    TEST_ASSERT_TRUE(picture_colourful(&image, 1920, 1080) > 30);
}

// ---- the trainer's view

// Shares of the picture that look like tissue, like the map of colours, and like the bar's blue.
static void look_at_tissue(double *tissue, double *green, int *bar) {
    const double one = 1.0 / (WIDTH * HEIGHT);
    *tissue = *green = 0.0;
    *bar = 0;
    for (int32_t y = 0; y < HEIGHT; y++) {
        for (int32_t x = 0; x < WIDTH; x++) {
            const uint8_t *p = picture_pixel(&image, x, y);
            *tissue += p[0] > 1.4 * p[1] && p[0] > 1.4 * p[2] ? one : 0.0;
            *green += x < WIDTH - 40 && p[1] > p[0] + 25 ? one : 0.0;
            *bar += x > WIDTH - 40 && p[2] > 140 && p[0] < 20;
        }
    }
}

static void check_trainer(const pal_snapshot *shot) {
    double tissue, green;
    int bar, none;
    view.trainer = true;
    open_studio();
    take(shot);
    look_at_tissue(&tissue, &green, &bar);
    TEST_ASSERT_TRUE(tissue > 0.15);
    TEST_ASSERT_TRUE(green < 1e-3);
    TEST_ASSERT_TRUE(bar > 100);

    // Nothing else of a view makes a difference
    pal_image before = image;
    image = (pal_image){0};
    view.wireframe = view.volume = view.fixed = true;
    view.colouring = PAL_BY_ENERGY;
    take(shot);
    TEST_ASSERT_TRUE(picture_difference(&before, &image, 0) == 0.0);
    pal_image_free(&before);

    // The bar is as long as the force is large, and there is none without a force
    pal_snapshot less = *shot;
    for (int c = 0; c < 3; c++) {
        less.hand[0].force[c] *= 0.5;
    }
    take(&less);
    look_at_tissue(&tissue, &green, &none);
    TEST_ASSERT_INT_WITHIN(bar / 5, bar / 2, none);
    memset(less.hand[0].force, 0, sizeof less.hand[0].force);
    take(&less);
    look_at_tissue(&tissue, &green, &none);
    TEST_ASSERT_EQUAL_INT(0, none);
}

static void test_the_trainer_s_view_is_tissue_and_force_alone(void) {
    check_trainer(&pressed);
}

static void test_a_wall_has_a_trainer_s_view_too(void) {
    pal_snapshot shot = pressed;
    spec.model = NULL;
    shot.r = shot.dent_count = 0;
    check_trainer(&shot);
}

static void test_tissue_is_the_same_by_gpu_and_cpu(void) {
    view.trainer = true;
    check_ways("tissue");
}

// ---- as they have been before

static void test_a_press_looks_as_before(void) {
    open_studio();
    take(&pressed);
    picture_check_golden(&image, "press");
}

static void test_energy_and_edges_look_as_before(void) {
    view.colouring = PAL_BY_ENERGY;
    view.wireframe = true;
    open_studio();
    take(&pressed);
    picture_check_golden(&image, "energy");
}

static void test_regions_volume_and_held_vertices_look_as_before(void) {
    live_block_bake(&(live_block_spec){.young = 2e4, .two_regions = true}, &parted);
    spec.model = &parted;
    view.colouring = PAL_BY_REGION;
    view.volume = view.fixed = true;
    pal_snapshot shot = pressed; // of another model
    memset(shot.q, 0, sizeof shot.q);
    shot.dent_count = 0;
    pal_err err = {0};
    CHECK_OK(pal_studio_open(&studio, &spec, WIDTH, HEIGHT, &err), err);
    CHECK_OK(pal_studio_fit(&studio, &view, &shot, 1.0, &err), err);
    take(&shot);
    picture_check_golden(&image, "regions");
}

static void test_several_tools_look_as_before(void) {
    pal_snapshot shot = pressed;
    pal_err err = {0};
    spec.tool_count = shot.hand_count = 3;
    spec.tool[1] = (pal_tool_look){.kind = PAL_LOOK_CAPSULE, .radius = 4e-3, .length = 0.04};
    spec.tool[2] = (pal_tool_look){
        .kind = PAL_LOOK_CYLINDER, .radius = 6e-3, .length = 0.03, .rounding = 1e-3};
    for (int h = 1; h < 3; h++) {
        shot.hand[h] = shot.hand[0];
        shot.hand[h].contact_count = 0;
        shot.hand[h].tool.x[0] += h == 1 ? 0.02 : -0.022;
        shot.hand[h].tool.x[2] += h == 1 ? 0.012 : 0.004;
        pal_turn_of_vector((const double[3]){0.0, h == 1 ? 0.9 : -0.5, 0.0},
                           shot.hand[h].tool.turn);
        shot.hand[h].device = shot.hand[h].tool;
        shot.hand[h].force[0] = h == 1 ? 0.5 : -0.5;
    }
    CHECK_OK(pal_studio_open(&studio, &spec, WIDTH, HEIGHT, &err), err);
    CHECK_OK(pal_studio_fit(&studio, &view, &shot, 1.0, &err), err);
    take(&shot);
    picture_check_golden(&image, "tools");
}

static void test_a_wall_looks_as_before(void) {
    pal_snapshot shot = {.hand_count = 1};
    spec.model = NULL;
    shot.hand[0].tool = shot.hand[0].device = PAL_POSE_IDENTITY;
    shot.hand[0].tool.x[2] = 0.004;
    shot.hand[0].present = true;
    shot.hand[0].force[2] = 1.0;
    pal_err err = {0};
    CHECK_OK(pal_studio_open(&studio, &spec, WIDTH, HEIGHT, &err), err);
    CHECK_OK(pal_studio_fit(&studio, &view, &shot, 1.0, &err), err);
    take(&shot);
    picture_check_golden(&image, "wall");
}

// ---- which way is up

static void raise_all(pal_up up, const double *from, double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        pal_up_raise(up, from + 3 * i, x + 3 * i);
    }
}

// A body, its tool and all marks, turned so that another axis is up, look as they did.
static void test_whatever_axis_is_up_the_picture_is_the_same(void) {
    live_block_bake(&(live_block_spec){.young = 2e4}, &parted);
    const int64_t vertices = parted.mesh.vertex_count, points = parted.surface.vertex_count;
    double *mesh = calloc(3 * (size_t)vertices, sizeof *mesh);
    double *surface = calloc(3 * (size_t)points, sizeof *surface);
    memcpy(mesh, parted.mesh.x, 3 * (size_t)vertices * sizeof *mesh);
    memcpy(surface, parted.surface.x, 3 * (size_t)points * sizeof *surface);
    pal_image upright = {0};
    spec.model = &parted;
    view.labels = false; // axes have other names, and arrows' ends other digits
    view.fixed = true;
    for (int up = 0; up < PAL_UP_COUNT; up++) {
        pal_err err = {0};
        pal_snapshot shot = pressed;
        double turn[3];
        memset(shot.q, 0, sizeof shot.q);
        shot.dent_count = shot.hand[0].contact_count = 0;
        pal_up_turn((pal_up)up, turn);
        pal_turn_of_vector(turn, shot.hand[0].tool.turn);
        pal_up_raise((pal_up)up, (const double[]){0.02, 0.035, 0.034}, shot.hand[0].tool.x);
        pal_up_raise((pal_up)up, (const double[]){0.3, 0.4, 1.0}, shot.hand[0].force);
        shot.hand[0].device = shot.hand[0].tool;
        raise_all((pal_up)up, mesh, parted.mesh.x, vertices);
        raise_all((pal_up)up, surface, parted.surface.x, points);
        spec.up = (pal_up)up;
        CHECK_OK(pal_studio_open(&studio, &spec, WIDTH, HEIGHT, &err), err);
        CHECK_OK(pal_studio_fit(&studio, &view, &shot, 1.0, &err), err);
        take(&shot);
        pal_studio_close(&studio);
        if (up == PAL_UP_Z) {
            upright = image;
            image = (pal_image){0};
            continue;
        }
        char text[64];
        const double different = picture_difference(&upright, &image, 4);
        snprintf(text, sizeof text, "%s up: %.3f %% differ", pal_up_name((pal_up)up),
                 100.0 * different);
        TEST_ASSERT_TRUE_MESSAGE(different < 1e-3, text);
    }
    pal_image_free(&upright);
    free(mesh);
    free(surface);
}

// ---- what cannot be

static void test_a_studio_of_no_size_is_refused(void) {
    pal_err err = {0};
    TEST_ASSERT_EQUAL_INT(PAL_ERR_USAGE, pal_studio_open(&studio, &spec, 0, 100, &err));
    TEST_ASSERT_NULL(studio.stage);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_gpu_and_cpu_make_the_same_picture);
    RUN_TEST(test_gpu_and_cpu_agree_on_a_body_bent_far);
    RUN_TEST(test_the_body_is_deformed_only_when_the_snapshot_changed);
    RUN_TEST(test_the_same_snapshot_makes_the_same_picture);
    RUN_TEST(test_marks_are_there_when_wanted);
    RUN_TEST(test_a_fitted_body_is_inside_the_picture);
    RUN_TEST(test_places_are_those_that_are_drawn);
    RUN_TEST(test_a_picture_of_4k_can_be_taken);
    RUN_TEST(test_the_trainer_s_view_is_tissue_and_force_alone);
    RUN_TEST(test_a_wall_has_a_trainer_s_view_too);
    RUN_TEST(test_tissue_is_the_same_by_gpu_and_cpu);
    RUN_TEST(test_a_press_looks_as_before);
    RUN_TEST(test_energy_and_edges_look_as_before);
    RUN_TEST(test_regions_volume_and_held_vertices_look_as_before);
    RUN_TEST(test_several_tools_look_as_before);
    RUN_TEST(test_a_wall_looks_as_before);
    RUN_TEST(test_whatever_axis_is_up_the_picture_is_the_same);
    RUN_TEST(test_a_studio_of_no_size_is_refused);
    return UNITY_END();
}
