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

static void look(double azimuth, double elevation, pal_view *view, pal_camera *camera) {
    double corner[8][3];
    pal_view_defaults(view);
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

// A number's own tick is the one that comes before it: ticks and numbers come in pairs.
static void check_numbers(const pal_axes *axes, const pal_camera *camera, const pal_view *view) {
    double frame[3][3];
    pal_up_frame(view->axes_drawn, frame);
    int axis = 0, line = 1;
    int32_t of_axis = 0;
    for (int32_t t = 0; t < axes->text_count; t++) {
        const pal_axes_text *text = &axes->text[t];
        if (text->is_name) { // ends an axis, whose own line comes before its ticks
            TEST_ASSERT_TRUE_MESSAGE(of_axis >= 2, text->text);
            axis++;
            line++;
            of_axis = 0;
            continue;
        }
        double sign = 0.0;
        for (int c = 0; c < 3; c++) {
            sign += frame[axis][c];
        }
        const double value = sign * strtod(text->text, NULL) * axes->unit;
        TEST_ASSERT_TRUE_MESSAGE(miss(camera, axis, value, axes->line[line]) < 0.01, text->text);
        TEST_ASSERT_TRUE(value > box[0][axis] - 1e-9 && value < box[1][axis] + 1e-9);
        line++;
        of_axis++;
    }
    TEST_ASSERT_EQUAL_INT(3, axis);
    TEST_ASSERT_EQUAL_INT(axes->line_count, line - 1);
}

static void test_what_stands_at_a_tick_is_the_coordinate_there(void) {
    static const double view_from[][2] = {{25, 22}, {200, 40}, {-70, 15}, {110, -25}, {300, 60}};
    for (size_t i = 0; i < sizeof view_from / sizeof *view_from; i++) {
        for (int up = 0; up < PAL_UP_COUNT; up++) {
            pal_view view;
            pal_camera camera;
            pal_axes axes;
            look(view_from[i][0], view_from[i][1], &view, &camera);
            view.axes_drawn = view.axes_up = (pal_up)up;
            pal_axes_make(&camera, &view, box, &axes);
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
    look(25, 22, &view, &camera);
    pal_axes_make(&camera, &view, box, &axes);
    TEST_ASSERT_TRUE(has_name(&axes, "z [mm], up"));
    TEST_ASSERT_TRUE(has_name(&axes, "x [mm]"));
    TEST_ASSERT_TRUE(has_name(&axes, "y [mm]"));
    view.axes_drawn = view.axes_up = PAL_UP_MINUS_Y;
    pal_axes_make(&camera, &view, box, &axes);
    TEST_ASSERT_TRUE(has_name(&axes, "y [mm], down")); // it falls where the picture rises
    TEST_ASSERT_TRUE(has_name(&axes, "z [mm]"));
}

static void test_an_axis_seen_along_itself_is_left_out(void) {
    pal_view view;
    pal_camera camera;
    pal_axes axes;
    look(0, 89, &view, &camera);
    view.distance *= 5.0;
    pal_view_camera(&view, 1280, 800, &camera);
    pal_axes_make(&camera, &view, box, &axes);
    TEST_ASSERT_TRUE(has_name(&axes, "x [mm]"));
    TEST_ASSERT_FALSE(has_name(&axes, "z [mm], up"));
    const double flat[2][3] = {{0, 0, 0}, {0, 0, 0}};
    pal_axes_make(&camera, &view, flat, &axes);
    TEST_ASSERT_EQUAL_INT(0, axes.line_count);
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
    RUN_TEST(test_coordinates_are_told_in_the_unit_of_the_body);
    return UNITY_END();
}
