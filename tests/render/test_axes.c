// Axes about a body: what stands at a tick is the body's coordinate there, from wherever it is
// seen.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/axes.h"
#include "tests/support/check.h"

static const double box[2][3] = {{-0.03, 0.0, 0.01}, {0.2, 0.1, 0.13}};

void setUp(void) {
}
void tearDown(void) {
}

static void look(pal_up up, double azimuth, double elevation, pal_view *view, pal_camera *camera) {
    double corner[8][3];
    pal_view_defaults(view);
    view->up = up;
    view->azimuth = azimuth;
    view->elevation = elevation;
    for (int k = 0; k < 8; k++) {
        for (int c = 0; c < 3; c++) {
            corner[k][c] = box[k >> c & 1][c];
        }
    }
    pal_view_fit(view, 1280, 800, corner[0], 8, 1.0);
    pal_view_camera(view, 1280, 800, camera);
}

// How far a place of the screen is from where a point of the space is seen, points.
static double off(const pal_camera *camera, const double x[3], const double at[2]) {
    double screen[3];
    pal_camera_project(camera, x, screen);
    return hypot(screen[0] - at[0], screen[1] - at[1]);
}

// The least distance from a tick to the points of the edges along `axis`, moved out by no more than
// a share of the box, that have this coordinate.
static double miss(const pal_camera *camera, int axis, double value, const double at[2]) {
    const double out = 0.05 * (box[1][0] - box[0][0]);
    double least = INFINITY;
    for (int k = 0; k < 16; k++) {
        double x[3];
        for (int c = 0, bit = 0; c < 3; c++) {
            if (c != axis) {
                const int high = k >> bit & 1;
                x[c] = box[high][c] + (k >> (bit + 2) & 1 ? (high ? out : -out) : 0.0);
                bit++;
            }
        }
        x[axis] = value;
        least = fmin(least, off(camera, x, at));
    }
    return least;
}

// A number's own tick is the one that comes before it: ticks and numbers come in pairs. The axes
// that the picture shows to the right, ahead and upwards come in this order.
static void check_numbers(const pal_axes *axes, const pal_camera *camera, const pal_view *view) {
    double frame[3][3];
    pal_up_frame(view->up, frame);
    int drawn = 0, line = 1;
    int32_t of_axis = 0;
    for (int32_t t = 0; t < axes->text_count; t++) {
        const pal_axes_text *text = &axes->text[t];
        if (text->is_name) { // ends an axis, whose own line comes before its ticks
            TEST_ASSERT_TRUE_MESSAGE(of_axis >= 2, text->text);
            drawn++;
            line++;
            of_axis = 0;
            continue;
        }
        int axis = 0;
        for (int c = 0; c < 3; c++) {
            axis = frame[drawn][c] != 0.0 ? c : axis;
        }
        const double value = strtod(text->text, NULL) * axes->unit;
        TEST_ASSERT_TRUE_MESSAGE(miss(camera, axis, value, axes->line[line]) < 0.01, text->text);
        TEST_ASSERT_TRUE(value > box[0][axis] - 1e-9 && value < box[1][axis] + 1e-9);
        line++;
        of_axis++;
    }
    TEST_ASSERT_EQUAL_INT(3, drawn);
    TEST_ASSERT_EQUAL_INT(axes->line_count, line - 1);
}

static void test_what_stands_at_a_tick_is_the_coordinate_there(void) {
    static const double view_from[][2] = {{25, 22}, {200, 40}, {-70, 15}, {110, -25}, {300, 60}};
    for (size_t i = 0; i < sizeof view_from / sizeof *view_from; i++) {
        for (int up = 0; up < PAL_UP_COUNT; up++) {
            pal_view view;
            pal_camera camera;
            pal_axes axes;
            look((pal_up)up, view_from[i][0], view_from[i][1], &view, &camera);
            pal_axes_make(&camera, &view, box, NULL, &axes);
            TEST_ASSERT_EQUAL_STRING("mm", axes.unit_name);
            check_numbers(&axes, &camera, &view);
        }
    }
}

static bool has_name(const pal_axes *axes, const char *name) {
    for (int32_t t = 0; t < axes->text_count; t++) {
        if (axes->text[t].is_name && strcmp(axes->text[t].text, name) == 0) {
            return true;
        }
    }
    return false;
}

static void test_the_floor_s_axis_is_named_and_the_others_are_the_body_s_own(void) {
    pal_view view;
    pal_camera camera;
    pal_axes axes;
    look(PAL_UP_Z, 25, 22, &view, &camera);
    pal_axes_make(&camera, &view, box, NULL, &axes);
    TEST_ASSERT_TRUE(has_name(&axes, "z [mm], up"));
    TEST_ASSERT_TRUE(has_name(&axes, "x [mm]"));
    TEST_ASSERT_TRUE(has_name(&axes, "y [mm]"));
    look(PAL_UP_Y, 25, 22, &view, &camera);
    pal_axes_make(&camera, &view, box, NULL, &axes);
    TEST_ASSERT_TRUE(has_name(&axes, "y [mm], up"));
    TEST_ASSERT_TRUE(has_name(&axes, "z [mm]"));
    look(PAL_UP_MINUS_Y, 25, 22, &view, &camera);
    pal_axes_make(&camera, &view, box, NULL, &axes);
    TEST_ASSERT_TRUE(has_name(&axes, "y [mm], down")); // it falls where the picture rises
    TEST_ASSERT_TRUE(has_name(&axes, "z [mm]"));
}

static void test_an_axis_seen_along_itself_is_left_out(void) {
    pal_view view;
    pal_camera camera;
    pal_axes axes;
    look(PAL_UP_Z, 0, 89, &view, &camera);
    view.distance *= 5.0;
    pal_view_camera(&view, 1280, 800, &camera);
    pal_axes_make(&camera, &view, box, NULL, &axes);
    TEST_ASSERT_TRUE(has_name(&axes, "x [mm]"));
    TEST_ASSERT_FALSE(has_name(&axes, "z [mm], up"));
    const double flat[2][3] = {{0, 0, 0}, {0, 0, 0}};
    pal_axes_make(&camera, &view, flat, NULL, &axes);
    TEST_ASSERT_EQUAL_INT(0, axes.line_count);
}

// ---- room

static bool apart(const pal_frame *a, const pal_frame *b) {
    return a->left >= b->left + b->width || b->left >= a->left + a->width ||
           a->top >= b->top + b->height || b->top >= a->top + a->height;
}

static void check_room(const pal_axes *axes, const pal_axes_room *room) {
    for (int32_t i = 0; i < axes->line_count; i++) { // its middle stands for a line
        const double *line = axes->line[i];
        const pal_frame f = {0.5 * (line[0] + line[2]), 0.5 * (line[1] + line[3]), 0.0, 0.0};
        TEST_ASSERT_TRUE(apart(&f, &room->layout->panel[PAL_PANEL_COLOURS]));
        TEST_ASSERT_TRUE(apart(&f, &room->layout->panel[PAL_PANEL_SCALE]));
    }
    for (int32_t t = 0; t < axes->text_count; t++) {
        const pal_frame f = pal_axes_frame(&axes->text[t]);
        TEST_ASSERT_TRUE_MESSAGE(f.left >= 0.0 && f.top >= 0.0 && f.left + f.width <= room->width &&
                                     f.top + f.height <= room->height,
                                 axes->text[t].text);
        TEST_ASSERT_TRUE_MESSAGE(apart(&f, &room->layout->panel[PAL_PANEL_COLOURS]),
                                 axes->text[t].text);
        TEST_ASSERT_TRUE_MESSAGE(apart(&f, &room->layout->panel[PAL_PANEL_SCALE]),
                                 axes->text[t].text);
    }
}

// From far off and from near, towards each corner of the body: what is told is in the picture and
// on no panel. Words are left out only where they have no room.
static void test_words_are_inside_the_picture_and_beside_its_panels(void) {
    const pal_layout_wish wish = {
        .width = 1280.0, .height = 800.0, .words = true, .colour_bar = true};
    pal_layout layout;
    pal_layout_make(&wish, &layout);
    const pal_axes_room room = {1280.0, 800.0, &layout};
    int names = 0, left_out = 0;
    for (int k = 0; k < 8 * 4; k++) {
        pal_view view;
        pal_camera camera;
        pal_axes all, axes;
        look(k % 2 ? PAL_UP_Y : PAL_UP_Z, 40.0 * k, 22, &view, &camera);
        const double near = 1.0 + 2.0 * (k / 8); // 1: all of it
        view.distance /= near;
        for (int c = 0; c < 3; c++) {
            view.centre[c] += (1.0 - 1.0 / near) * (box[k >> c & 1][c] - view.centre[c]);
        }
        pal_view_camera(&view, 1280, 800, &camera);
        pal_axes_make(&camera, &view, box, NULL, &all);
        pal_axes_make(&camera, &view, box, &room, &axes);
        check_room(&axes, &room);
        left_out += all.text_count - axes.text_count;
        for (int32_t t = 0; t < axes.text_count; t++) {
            names += k < 8 && axes.text[t].is_name;
        }
    }
    TEST_ASSERT_EQUAL_INT(3 * 8, names); // all of it: every axis has its name
    TEST_ASSERT_TRUE(left_out > 50);     // and nearer many numbers were outside
}

// A name does not stay where the middle of its axis is when that is outside.
static void test_a_name_goes_to_where_its_axis_is_seen(void) {
    const pal_layout layout = {.columns = 1}; // no panels
    const pal_axes_room room = {1280.0, 800.0, &layout};
    pal_view view;
    pal_camera camera;
    pal_axes axes;
    look(PAL_UP_Z, 0.0, 22.0, &view, &camera);
    view.distance /= 4.0;
    view.centre[0] = box[0][0]; // the left end of x
    view.centre[1] = box[0][1];
    view.centre[2] = box[0][2];
    pal_view_camera(&view, 1280, 800, &camera);
    pal_axes_make(&camera, &view, box, NULL, &axes);
    TEST_ASSERT_TRUE(has_name(&axes, "x [mm]"));
    for (int32_t t = 0; t < axes.text_count; t++) {
        const bool is_x = strcmp(axes.text[t].text, "x [mm]") == 0;
        TEST_ASSERT_TRUE(!is_x || axes.text[t].x > 1280.0);
    }
    pal_axes_make(&camera, &view, box, &room, &axes);
    check_room(&axes, &room);
    TEST_ASSERT_TRUE(has_name(&axes, "x [mm]"));
}

static void test_coordinates_are_told_in_the_unit_of_the_body(void) {
    char text[96];
    pal_axes_say((const double[3]){0.12, -0.0000001, 0.118433}, 0.2, text, sizeof text);
    TEST_ASSERT_EQUAL_STRING("(120, 0, 118.4) mm", text);
    pal_axes_say((const double[3]){12.0, 1.5, -3.0}, 20.0, text, sizeof text);
    TEST_ASSERT_EQUAL_STRING("(12, 1.5, -3) m", text);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_what_stands_at_a_tick_is_the_coordinate_there);
    RUN_TEST(test_the_floor_s_axis_is_named_and_the_others_are_the_body_s_own);
    RUN_TEST(test_an_axis_seen_along_itself_is_left_out);
    RUN_TEST(test_words_are_inside_the_picture_and_beside_its_panels);
    RUN_TEST(test_a_name_goes_to_where_its_axis_is_seen);
    RUN_TEST(test_coordinates_are_told_in_the_unit_of_the_body);
    return UNITY_END();
}
