// The mouse as a hand: what the cursor does to the stylus, and through it to a body.
#include "render/mouse_hand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "devices/dev_pointer.h"
#include "sim/base/rng.h"
#include "sim/base/vec3.h"
#include "tests/support/check.h"
#include "tests/support/live_block.h"

void setUp(void) {
}
void tearDown(void) {
}

static pal_camera camera;

// A window of 800 x 600 that shows the block from one side, from above.
static void look_at_block(double azimuth, double elevation) {
    const double corners[8][3] = {{0.0, 0.0, 0.0},   {0.06, 0.0, 0.0},  {0.0, 0.06, 0.0},
                                  {0.06, 0.06, 0.0}, {0.0, 0.0, 0.05},  {0.06, 0.0, 0.05},
                                  {0.0, 0.06, 0.05}, {0.06, 0.06, 0.05}};
    pal_camera_turn(&camera, PAL_UP_Z, azimuth, elevation);
    pal_camera_fit(&camera, &(pal_frame){0.0, 0.0, 800.0, 600.0}, &corners[0][0], 8);
}

// ---- picking ------------------------------------------------------------------------------------

static void test_a_pick_is_the_nearest_place_on_the_deformed_surface(void) {
    const pal_surface *surface = &live_block_model()->surface;
    const size_t count = 3 * (size_t)surface->vertex_count;
    double *x = calloc(count, sizeof *x);
    pal_rng rng = pal_rng_make(7, 1);
    for (size_t i = 0; i < count; i += 3) { // sheared, and twice as high
        x[i] = surface->x[i] + 0.3 * surface->x[i + 2];
        x[i + 1] = surface->x[i + 1];
        x[i + 2] = 2.0 * surface->x[i + 2];
    }
    look_at_block(30.0, 40.0);
    int hits = 0;
    for (int k = 0; k < 300; k++) {
        const double sx = pal_rng_uniform(&rng, 0.0, 800.0), sy = pal_rng_uniform(&rng, 0.0, 600.0);
        double ray[3], screen[3];
        pal_pick pick;
        pal_camera_ray(&camera, sx, sy, ray);
        if (!pal_pick_surface(surface, x, camera.eye, ray, &pick)) {
            continue;
        }
        hits++;
        pal_camera_project(&camera, pick.point, screen);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, sx, screen[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, sy, screen[1]);
        // On the sheared block, on a side that faces the eye
        const double back[3] = {pick.point[0] - 0.15 * pick.point[2], pick.point[1],
                                0.5 * pick.point[2]};
        const double off = fmin(fmin(fabs(back[0]), fabs(back[0] - 0.06)),
                                fmin(fmin(fabs(back[1]), fabs(back[1] - 0.06)),
                                     fmin(fabs(back[2]), fabs(back[2] - LIVE_BLOCK_TOP))));
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0, off);
        TEST_ASSERT_TRUE(pal_dot3(pick.normal, ray) < 0.0);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.0, pick.weight[0] + pick.weight[1] + pick.weight[2]);
        pal_pick rest = pick; // the same place of the body at rest
        pal_pick_follow(surface, NULL, &rest);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, pick.point[0] - 0.15 * pick.point[2], rest.point[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, pick.point[1], rest.point[1]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5 * pick.point[2], rest.point[2]);
        const int32_t *corner = surface->triangle + 3 * (int64_t)pick.triangle;
        TEST_ASSERT_TRUE(pick.vertex == corner[0] || pick.vertex == corner[1] ||
                         pick.vertex == corner[2]);
    }
    TEST_ASSERT_TRUE(hits > 50 && hits < 290);
    free(x);
}

static void test_rays_through_vertices_and_edges_do_not_slip_through(void) {
    const pal_surface *surface = &live_block_model()->surface;
    look_at_block(0.0, 90.0); // straight down: the top's own grid
    for (int k = 1; k < 6; k++) {
        for (int l = 2; l < 12; l++) {
            const double top[3] = {0.01 * k, 0.005 * l, LIVE_BLOCK_TOP};
            double ray[3];
            pal_pick pick = {0};
            pal_sub3(top, camera.eye, ray);
            TEST_ASSERT_TRUE(pal_pick_surface(surface, NULL, camera.eye, ray, &pick));
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, LIVE_BLOCK_TOP, pick.point[2]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1.0, pick.along);
        }
    }
    pal_pick pick;
    const double away[3] = {0.0, 0.0, 1.0};
    TEST_ASSERT_FALSE(pal_pick_surface(surface, NULL, camera.eye, away, &pick)); // behind the eye
}

// ---- the stylus ---------------------------------------------------------------------------------

static pal_mouse_hand hand;
static pal_mouse_view view;

static void begin(void) {
    pal_pose at = {{0.03, 0.02, 0.045}, {1.0, 0.0, 0.0, 0.0}};
    look_at_block(25.0, 30.0);
    pal_mouse_hand_init(&hand, &at);
    view = (pal_mouse_view){.camera = &camera, .reach = 5e-3, .notch = 2e-3, .dt = 1.0 / 60.0};
}

static void on_screen(double screen[3]) {
    pal_camera_project(&camera, hand.wish.pose.x, screen);
}

static void test_a_drag_moves_the_stylus_with_the_cursor_in_the_view_plane(void) {
    double from[3], to[3];
    begin();
    on_screen(from);
    const double depth = pal_view_depth(&camera, hand.wish.pose.x);
    pal_mouse_hand_step(&hand, &(pal_mouse_input){.x = 100, .y = 500}, &view); // moves nothing
    pal_mouse_hand_step(&hand, &(pal_mouse_input){.x = 300, .y = 200}, &view);
    pal_mouse_hand_step(&hand, &(pal_mouse_input){.x = 300, .y = 200, .drag = true}, &view);
    on_screen(to);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, from[0], to[0]); // no jump where it is taken
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, from[1], to[1]);
    pal_mouse_hand_step(&hand, &(pal_mouse_input){.x = 350, .y = 170, .drag = true}, &view);
    on_screen(to);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, from[0] + 50.0, to[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, from[1] - 30.0, to[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, depth, pal_view_depth(&camera, hand.wish.pose.x));
    TEST_ASSERT_EQUAL_UINT32(0, hand.wish.buttons);
    pal_mouse_hand_step(&hand, &(pal_mouse_input){.x = 0, .y = 0}, &view); // let go
    pal_mouse_hand_step(&hand, &(pal_mouse_input){.x = 9, .y = 9, .button = true}, &view);
    on_screen(to);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, from[0] + 50.0, to[0]);
    TEST_ASSERT_EQUAL_UINT32(1, hand.wish.buttons);
}

static void test_the_wheel_moves_along_the_line_of_sight(void) {
    double from[3], to[3], before[3], moved[3];
    begin();
    on_screen(from);
    memcpy(before, hand.wish.pose.x, sizeof before);
    const double depth = pal_view_depth(&camera, hand.wish.pose.x);
    pal_mouse_hand_step(&hand, &(pal_mouse_input){.x = 5, .y = 5, .wheel = 3.0}, &view);
    on_screen(to);
    pal_sub3(hand.wish.pose.x, before, moved);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, from[0], to[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, from[1], to[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 6e-3, pal_norm3(moved));
    TEST_ASSERT_TRUE(pal_view_depth(&camera, hand.wish.pose.x) > depth);
    // However it is rolled, the stylus stays in front of the eye
    pal_mouse_hand_step(&hand, &(pal_mouse_input){.x = 5, .y = 5, .wheel = -1e6}, &view);
    TEST_ASSERT_TRUE(pal_view_depth(&camera, hand.wish.pose.x) > 0.0);
    pal_mouse_hand_step(&hand, &(pal_mouse_input){.x = 5, .y = 5, .wheel = NAN}, &view);
    TEST_ASSERT_TRUE(isfinite(hand.wish.pose.x[0]));
}

static void test_the_cursor_turns_the_stylus_as_it_is_seen(void) {
    double by[3];
    begin();
    pal_mouse_hand_step(&hand, &(pal_mouse_input){.x = 300, .y = 200, .turn = true}, &view);
    TEST_ASSERT_TRUE(hand.wish.pose.turn[0] == 1.0);
    pal_mouse_hand_step(&hand, &(pal_mouse_input){.x = 350, .y = 200, .turn = true}, &view);
    pal_turn_to_vector(hand.wish.pose.turn, by);
    for (int c = 0; c < 3; c++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5 * camera.up[c], by[c]);
    }
}

// ---- pulling at a body --------------------------------------------------------------------------

static live_block block;
static pal_mailbox box;
static double *surface_x;

static void open_block(void) {
    pal_sim_options sim;
    pal_servo_options options;
    pal_err err = {0};
    const pal_model *model = live_block_model();
    live_block_sim(&sim, NULL, 0);
    CHECK_OK(pal_device_open_pointer(&block.device, &sim, &box, &err), err);
    pal_servo_defaults(&options, &block.device.limits);
    options.tool[0].grasp_stiffness = 500.0;
    options.log_capacity = 1 << 12;
    CHECK_OK(pal_live_body_open(&block.body, model,
                                &(pal_live_options){.dt = 1e-3, .feature = 5e-3}, &err),
             err);
    CHECK_OK(pal_servo_open(&block.servo, &options, &block.device, &block.body, &err), err);
    surface_x = calloc(3 * (size_t)model->surface.vertex_count, sizeof *surface_x);
    begin();
    memcpy(hand.wish.pose.x, sim.start, sizeof sim.start);
    view.surface = &model->surface;
    view.x = surface_x;
}

static void close_block(void) {
    live_block_close(&block);
    free(surface_x);
}

// A frame of the window: what is seen, what the mouse does, and 17 ticks of the servo.
static pal_tick_record frame(const pal_mouse_input *input) {
    bool fresh;
    pal_tick_record record = {0};
    const pal_snapshot *shot = pal_exchange_latest(&block.servo->exchange, &fresh);
    for (int32_t p = 0; p < block.body.body.point_count; p++) {
        block.body.body.functions->position(&block.body.body, p, surface_x + 3 * (int64_t)p);
    }
    memcpy(view.tool, shot->hand[0].tool.x, sizeof view.tool);
    pal_mouse_hand_step(&hand, input, &view);
    pal_mailbox_post(&box, &hand.wish);
    for (int k = 0; k < 17; k++) {
        record = live_block_tick(&block);
    }
    return record;
}

// How high the highest vertex is.
static double top_now(void) {
    double most = 0.0;
    for (int32_t p = 0; p < block.body.body.point_count; p++) {
        double x[3];
        block.body.body.functions->position(&block.body.body, p, x);
        most = fmax(most, x[2]);
    }
    return most;
}

static void test_a_pull_takes_hold_of_the_point_under_the_cursor(void) {
    open_block();
    double screen[3];
    const double spot[3] = {0.02, 0.035, LIVE_BLOCK_TOP};
    frame(&(pal_mouse_input){0});
    pal_camera_project(&camera, spot, screen);
    pal_mouse_input input = {.x = screen[0], .y = screen[1], .pull = true};
    int frames = 0;
    for (; hand.mode != PAL_MOUSE_HOLD && frames < 120; frames++) {
        frame(&input);
    }
    TEST_ASSERT_EQUAL_INT(PAL_MOUSE_HOLD, hand.mode);
    for (int c = 0; c < 3; c++) { // picked exactly there
        TEST_ASSERT_DOUBLE_WITHIN(2e-3, spot[c], hand.picked.point[c]);
    }
    frame(&input);
    TEST_ASSERT_TRUE(block.servo->own.tool[0].held.on);
    const double before = top_now();
    pal_tick_record record = {0};
    for (int k = 0; k < 60; k++) { // up on the screen
        input.y -= 2.0;
        record = frame(&input);
    }
    for (int k = 0; k < 30; k++) {
        record = frame(&input);
    }
    TEST_ASSERT_TRUE(record.force[2] < -0.1);    // the hand is drawn down,
    TEST_ASSERT_TRUE(top_now() > before + 2e-4); // the body up
    pal_camera_project(&camera, hand.wish.pose.x, screen);
    TEST_ASSERT_TRUE(fabs(screen[0] - input.x) < 60.0 && fabs(screen[1] - input.y) < 60.0);
    // Let go: the body springs back, the hand feels nothing
    input.pull = false;
    for (int k = 0; k < 60; k++) {
        record = frame(&input);
    }
    TEST_ASSERT_FALSE(block.servo->own.tool[0].held.on);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, LIVE_BLOCK_TOP, top_now());
    TEST_ASSERT_TRUE(pal_norm3(record.force) < 1e-6);
    TEST_ASSERT_TRUE(block.servo->own.hand[0].passivity.made < 1e-4);
    close_block();
}

static void test_a_pull_at_nothing_and_one_that_cannot_be_reached_are_given_up(void) {
    open_block();
    frame(&(pal_mouse_input){0});
    const pal_pose before = hand.wish.pose;
    for (int k = 0; k < 5; k++) {
        frame(&(pal_mouse_input){.x = 1.0, .y = 1.0, .pull = true});
    }
    TEST_ASSERT_EQUAL_INT(PAL_MOUSE_MISS, hand.mode);
    TEST_ASSERT_EQUAL_MEMORY(&before, &hand.wish.pose, sizeof before);
    frame(&(pal_mouse_input){.x = 1.0, .y = 1.0});
    TEST_ASSERT_EQUAL_INT(PAL_MOUSE_IDLE, hand.mode);
    // A tool that does not move
    double screen[3];
    pal_camera_project(&camera, (double[3]){0.02, 0.035, LIVE_BLOCK_TOP}, screen);
    const pal_mouse_input input = {.x = screen[0], .y = screen[1], .pull = true};
    for (int k = 0; k < 150; k++) {
        memcpy(view.tool, (double[3]){0.1, 0.1, 0.1}, sizeof view.tool);
        pal_mouse_hand_step(&hand, &input, &view);
        TEST_ASSERT_EQUAL_UINT32(0, hand.wish.buttons);
    }
    TEST_ASSERT_EQUAL_INT(PAL_MOUSE_MISS, hand.mode);
    TEST_ASSERT_TRUE(hand.wish.pose.x[0] == 0.1);
    close_block();
}

// ---- which way is up

// The same cursor leads the stylus the same way over the screen whichever axis is up, and so the
// same way to the right, ahead and upwards of what is seen.
static void test_the_cursor_leads_along_the_screen_whatever_is_up(void) {
    static const double level[3] = {0.02, 0.03, 0.04};
    double first[2][3], drawn[3], screen[2][3];
    for (int up = 0; up < PAL_UP_COUNT; up++) {
        double corner[8][3];
        for (int k = 0; k < 8; k++) {
            const double x[3] = {0.06 * (k & 1), 0.06 * (k >> 1 & 1), 0.05 * (k >> 2)};
            pal_up_raise((pal_up)up, x, corner[k]);
        }
        pal_camera_turn(&camera, (pal_up)up, 25.0, 22.0);
        pal_camera_fit(&camera, &(pal_frame){0.0, 0.0, 800.0, 600.0}, corner[0], 8);
        pal_pose at = PAL_POSE_IDENTITY;
        pal_up_raise((pal_up)up, level, at.x);
        pal_camera_project(&camera, at.x, screen[0]);
        pal_mouse_hand mouse;
        const pal_mouse_view seen = {.camera = &camera, .reach = 5e-3, .notch = 1e-3, .dt = 0.016};
        pal_mouse_input in = {.x = 400.0, .y = 300.0, .drag = true};
        pal_mouse_hand_init(&mouse, &at);
        pal_mouse_hand_step(&mouse, &in, &seen);
        in.x += 60.0;
        in.y -= 25.0;
        pal_mouse_hand_step(&mouse, &in, &seen);
        pal_camera_project(&camera, mouse.wish.pose.x, screen[1]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 60.0, screen[1][0] - screen[0][0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, -25.0, screen[1][1] - screen[0][1]);
        in.drag = false;
        in.turn = true;
        pal_mouse_hand_step(&mouse, &in, &seen);
        in.x += 40.0;
        pal_mouse_hand_step(&mouse, &in, &seen);
        in.wheel = 3.0;
        pal_mouse_hand_step(&mouse, &in, &seen);
        double turn[3];
        const double *q = mouse.wish.pose.turn;
        pal_up_level((pal_up)up, mouse.wish.pose.x, drawn);
        pal_up_level((pal_up)up, q + 1, turn);
        for (int c = 0; c < 3; c++) {
            first[0][c] = up == 0 ? drawn[c] : first[0][c];
            first[1][c] = up == 0 ? turn[c] : first[1][c];
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, first[0][c], drawn[c]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, first[1][c], turn[c]);
        }
        TEST_ASSERT_TRUE(drawn[2] > level[2] + 1e-3); // the cursor went up, and so did it
        TEST_ASSERT_TRUE(turn[2] > 0.1);              // about what is upright in the picture
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_pick_is_the_nearest_place_on_the_deformed_surface);
    RUN_TEST(test_rays_through_vertices_and_edges_do_not_slip_through);
    RUN_TEST(test_a_drag_moves_the_stylus_with_the_cursor_in_the_view_plane);
    RUN_TEST(test_the_wheel_moves_along_the_line_of_sight);
    RUN_TEST(test_the_cursor_turns_the_stylus_as_it_is_seen);
    RUN_TEST(test_a_pull_takes_hold_of_the_point_under_the_cursor);
    RUN_TEST(test_a_pull_at_nothing_and_one_that_cannot_be_reached_are_given_up);
    RUN_TEST(test_the_cursor_leads_along_the_screen_whatever_is_up);
    return UNITY_END();
}
