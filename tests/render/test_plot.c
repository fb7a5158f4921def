// Text and line plots.
#include <math.h>
#include <string.h>

#include "render/label.h"
#include "render/plot.h"
#include "sim/base/memory.h"
#include "tests/support/check.h"
#include "tests/support/picture.h"

static pal_err err;
static pal_font *font;
static pal_image image;

void setUp(void) {
    CHECK_OK(pal_font_open(PAL_FONT_PLAIN, &font, &err), err);
    CHECK_OK(pal_image_alloc(&image, 240, 240, (pal_rgb){255, 255, 255}, &err), err);
}
void tearDown(void) {
    pal_memory_fail_after(-1);
    pal_font_close(font);
    pal_image_free(&image);
}

typedef struct ink_box {
    int32_t left, top, right, bottom; // of the pixels that are not white
    long ink;                         // how dark they are in all
} ink_box;

static ink_box find_ink(const pal_image *picture) {
    ink_box box = {picture->width, picture->height, -1, -1, 0};
    for (int32_t y = 0; y < picture->height; y++) {
        for (int32_t x = 0; x < picture->width; x++) {
            int dark = 255 - picture_pixel(picture, x, y)[1];
            if (dark > 0) {
                box.left = x < box.left ? x : box.left;
                box.right = x > box.right ? x : box.right;
                box.top = y < box.top ? y : box.top;
                box.bottom = y > box.bottom ? y : box.bottom;
                box.ink += dark;
            }
        }
    }
    return box;
}

static void test_text_is_as_wide_as_it_says_and_stands_on_its_line(void) {
    pal_label_style style = {.font = font, .size = 30.0};
    const char *text = "HeH";
    double width = pal_label_width(&style, text);
    for (int align = 0; align < 3; align++) {
        style.align = (pal_align)align;
        pal_image_fill(&image, 0, 0, 240, 240, (pal_rgb){255, 255, 255});
        CHECK_OK(pal_label_draw(&image, &style, 120.0, 100.0, text, &err), err);
        ink_box box = find_ink(&image);
        double left = 120.0 - 0.5 * align * width;
        TEST_ASSERT_TRUE(fabs(box.left - left) < 5.0);
        TEST_ASSERT_TRUE(fabs(box.right - (left + width)) < 5.0);
        TEST_ASSERT_TRUE(box.bottom >= 98 && box.bottom <= 101);
        TEST_ASSERT_TRUE(box.top > 70 && box.top < 85);
    }
}

static void test_upward_text_is_the_same_text_turned(void) {
    pal_label_style style = {.font = font, .size = 26.0};
    CHECK_OK(pal_label_draw(&image, &style, 20.0, 100.0, "Fg7", &err), err);
    pal_image turned;
    CHECK_OK(pal_image_alloc(&turned, 240, 240, (pal_rgb){255, 255, 255}, &err), err);
    style.upwards = true;
    CHECK_OK(pal_label_draw(&turned, &style, 100.0, 220.0, "Fg7", &err), err);
    for (int32_t y = 0; y < 240; y++) {
        for (int32_t x = 0; x < 240; x++) {
            TEST_ASSERT_EQUAL_INT(picture_pixel(&image, x, y)[0],
                                  picture_pixel(&turned, y, 239 - x)[0]);
        }
    }
    pal_image_free(&turned);
}

static void test_text_outside_or_not_utf8_does_no_harm(void) {
    pal_label_style style = {.font = font, .size = 40.0};
    CHECK_OK(pal_label_draw(&image, &style, -30.0, 10.0, "outside", &err), err);
    CHECK_OK(pal_label_draw(&image, &style, 230.0, 250.0, "outside", &err), err);
    CHECK_OK(pal_label_draw(&image, &style, 9.0, 90.0, "\xff\xc3\xe2\x82 \xf0\x9f\x98\x80µ", &err),
             err);
    CHECK_OK(pal_label_draw(&image, &style, 9.0, 90.0, "", &err), err);
    TEST_ASSERT_TRUE(find_ink(&image).ink > 0);
}

static void test_line_has_the_ink_of_its_area(void) {
    double straight[4] = {20.0, 31.0, 200.0, 163.0}, bent[30];
    double length = hypot(180.0, 132.0), width = 6.0;
    CHECK_OK(pal_image_polyline(&image, straight, 2, width, (pal_rgb){0, 0, 0}, &err), err);
    double ink = (double)find_ink(&image).ink / 255.0;
    double area = length * width + 3.14159 * 0.25 * width * width; // round ends
    TEST_ASSERT_TRUE(fabs(ink - area) < 0.02 * area);
    // The same line in pieces is the same picture.
    pal_image other;
    CHECK_OK(pal_image_alloc(&other, 240, 240, (pal_rgb){255, 255, 255}, &err), err);
    for (int i = 0; i < 15; i++) {
        bent[2 * i] = 20.0 + 180.0 * i / 14.0;
        bent[2 * i + 1] = 31.0 + 132.0 * i / 14.0;
    }
    CHECK_OK(pal_image_polyline(&other, bent, 15, width, (pal_rgb){0, 0, 0}, &err), err);
    for (int i = 0; i < 240 * 240 * 3; i++) {
        TEST_ASSERT_TRUE(image.rgb[i] - other.rgb[i] <= 1 && other.rgb[i] - image.rgb[i] <= 1);
    }
    pal_image_free(&other);
}

static void test_points_that_are_not_finite_interrupt_a_line(void) {
    double point[10] = {10, 50, 60, 50, NAN, 50, 150, 50, 220, 50};
    CHECK_OK(pal_image_polyline(&image, point, 5, 3.0, (pal_rgb){0, 0, 0}, &err), err);
    for (int32_t x = 66; x < 144; x++) {
        TEST_ASSERT_EQUAL_INT(255, picture_pixel(&image, x, 50)[0]);
    }
    TEST_ASSERT_EQUAL_INT(0, picture_pixel(&image, 30, 50)[0]);
    TEST_ASSERT_EQUAL_INT(0, picture_pixel(&image, 190, 50)[0]);
}

static pal_plot wave_plot(pal_plot_line *line, double *x, double *y, int32_t count, double scale) {
    for (int32_t i = 0; i < count; i++) {
        x[i] = scale * i / count;
        y[i] = scale * sin(12.0 * i / count);
    }
    *line = (pal_plot_line){"wave", x, y, count};
    return (pal_plot){.title = "A wave",
                      .x_label = "time (s)",
                      .y_label = "height (m)",
                      .line = line,
                      .line_count = 1};
}

static void test_plot_stays_inside_its_margins_at_every_scale(void) {
    static double x[500], y[500];
    double scales[] = {1.0, 3.7e-9, 8.1e7, -2.5e-3, 1e200};
    for (int k = 0; k < 5; k++) {
        pal_plot_line line;
        pal_plot plot = wave_plot(&line, x, y, 500, scales[k]);
        pal_image back;
        const char *path = check_scratch("plot.png");
        CHECK_OK(pal_plot_write(path, &plot, &err), err);
        TEST_ASSERT_TRUE(picture_read(path, &back));
        TEST_ASSERT_EQUAL_INT(1200, back.width);
        TEST_ASSERT_EQUAL_INT(720, back.height);
        ink_box box = find_ink(&back);
        TEST_ASSERT_TRUE(box.left >= 20 && box.right < 1180 && box.top >= 20 && box.bottom < 706);
        long blue = 0;
        for (int32_t i = 0; i < 1200 * 720; i++) {
            blue += picture_colourful(&back, i % 1200, i / 1200) > 100;
        }
        TEST_ASSERT_TRUE(blue > 2000);
        pal_image_free(&back);
    }
}

static void test_flat_single_and_broken_lines_are_drawn(void) {
    double x[4] = {0.0, 1.0, 2.0, 3.0}, flat[4] = {5.0, 5.0, 5.0, 5.0}, broken[4] = {1, NAN, 2, 3};
    pal_plot_line lines[3] = {{"flat", x, flat, 4}, {NULL, x, broken, 4}, {"single", x, flat, 1}};
    pal_plot plot = {
        .title = "Lines", .x_label = "x", .y_label = "y", .line = lines, .line_count = 3};
    CHECK_OK(pal_plot_write(check_scratch("lines.png"), &plot, &err), err);
    plot.line = lines + 2;
    plot.line_count = 1;
    CHECK_OK(pal_plot_write(check_scratch("lines.png"), &plot, &err), err);
}

// Pixels of one colour of the map.
static long count_colour(const pal_image *of, int r, int g, int b) {
    long count = 0;
    for (int32_t i = 0; i < of->width * of->height; i++) {
        const uint8_t *rgb = &of->rgb[3 * (size_t)i];
        count += rgb[0] == r && rgb[1] == g && rgb[2] == b;
    }
    return count;
}

static void test_a_map_fills_its_axes_in_shares_of_its_values(void) {
    // Of 4 x 5 cells half are 1, a quarter 0.5 and a quarter 0.
    double at[5] = {0.5, 1.5, 2.5, 3.5, 4.5}, value[20];
    double x[2] = {0.0, 0.1}, y[2] = {0.0, 0.1};
    for (int i = 0; i < 20; i++) {
        value[i] = i < 10 ? 1.0 : i < 15 ? 0.5 : 0.0;
    }
    pal_plot_line line = {NULL, x, y, 2};
    pal_plot plot = {
        .title = "Map", .x_label = "x", .y_label = "y", .line = &line, .line_count = 1};
    plot.map = (pal_plot_map){.value = value, .x = at, .y = at, .columns = 5, .rows = 4};
    pal_image back;
    CHECK_OK(pal_plot_write(check_scratch("map.png"), &plot, &err), err);
    TEST_ASSERT_TRUE(picture_read(check_scratch("map.png"), &back));
    const double full = (double)count_colour(&back, 0xB9, 0xDF, 0xD0);
    TEST_ASSERT_TRUE(full > 250000.0);
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * full, 0.5 * full,
                              (double)count_colour(&back, 0xFB, 0xE3, 0xB5));
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * full, 0.5 * full,
                              (double)count_colour(&back, 0xF3, 0xF4, 0xF6));
    pal_image_free(&back);
}

// How far pixels of a colour reach across and down.
static void extent(const pal_image *seen, uint8_t r, uint8_t g, uint8_t b, int32_t *wide,
                   int32_t *high) {
    int32_t low[2] = {seen->width, seen->height}, far[2] = {0, 0};
    for (int32_t y = 120; y < seen->height; y++) { // below the legend
        for (int32_t x = 0; x < seen->width; x++) {
            const uint8_t *p = seen->rgb + 3 * ((int64_t)y * seen->width + x);
            if (p[0] == r && p[1] == g && p[2] == b) {
                const int32_t at[2] = {x, y};
                for (int c = 0; c < 2; c++) {
                    low[c] = at[c] < low[c] ? at[c] : low[c];
                    far[c] = at[c] > far[c] ? at[c] : far[c];
                }
            }
        }
    }
    *wide = far[0] - low[0];
    *high = far[1] - low[1];
}

static void test_a_circle_is_round_where_both_axes_have_one_scale(void) {
    static double x[200], y[200];
    for (int i = 0; i < 200; i++) {
        x[i] = 3.0 + 0.7 * cos(0.0316 * i);
        y[i] = -5.0 + 0.7 * sin(0.0316 * i);
    }
    pal_plot_line line = {NULL, x, y, 200};
    pal_plot plot = {.title = "Round",
                     .x_label = "x",
                     .y_label = "y",
                     .line = &line,
                     .line_count = 1,
                     .even = true};
    pal_image back;
    int32_t wide, high;
    CHECK_OK(pal_plot_write(check_scratch("round.png"), &plot, &err), err);
    TEST_ASSERT_TRUE(picture_read(check_scratch("round.png"), &back));
    extent(&back, 0x00, 0x72, 0xB2, &wide, &high);
    TEST_ASSERT_TRUE(high > 250);
    TEST_ASSERT_INT_WITHIN(3, high, wide);
    pal_image_free(&back);
}

static void test_a_sheet_is_its_plots_side_by_side(void) {
    static double x[50], y[50];
    pal_plot_line line;
    const pal_plot plot = wave_plot(&line, x, y, 50, 1.0), three[3] = {plot, plot, plot};
    pal_image one, all;
    CHECK_OK(pal_plot_write(check_scratch("one.png"), &plot, &err), err);
    TEST_ASSERT_TRUE(picture_read(check_scratch("one.png"), &one));
    CHECK_OK(pal_plot_write_sheet(check_scratch("all.png"), three, 3, 2, &err), err);
    TEST_ASSERT_TRUE(picture_read(check_scratch("all.png"), &all));
    TEST_ASSERT_EQUAL_INT(2 * one.width, all.width);
    TEST_ASSERT_EQUAL_INT(2 * one.height, all.height);
    for (int k = 0; k < 3; k++) {
        for (int32_t row = 0; row < one.height; row += 37) {
            const int64_t at = (int64_t)(row + k / 2 * one.height) * all.width + k % 2 * one.width;
            TEST_ASSERT_EQUAL_MEMORY(one.rgb + 3 * (int64_t)row * one.width, all.rgb + 3 * at,
                                     3 * (size_t)one.width);
        }
    }
    pal_image_free(&one);
    pal_image_free(&all);
}

static void test_plots_of_nothing_are_refused(void) {
    double x[2] = {0.0, NAN}, y[2] = {INFINITY, 1.0}, huge[2] = {-1e308, 1e308}, ok[2] = {0.0, 1.0};
    pal_plot_line line = {"nothing", x, y, 2};
    pal_plot plot = {
        .title = "Nothing", .x_label = "x", .y_label = "y", .line = &line, .line_count = 1};
    const char *path = check_scratch("none.png");
    CHECK_FAILS(PAL_ERR_INPUT, "no finite point", pal_plot_write(path, &plot, &err), err);
    line.x = ok;
    line.y = huge;
    CHECK_FAILS(PAL_ERR_INPUT, "beyond", pal_plot_write(path, &plot, &err), err);
    plot.line_count = 0;
    CHECK_FAILS(PAL_ERR_USAGE, "0 lines", pal_plot_write(path, &plot, &err), err);
    plot.line_count = PAL_PLOT_MOST + 1;
    CHECK_FAILS(PAL_ERR_USAGE, "8 lines", pal_plot_write(path, &plot, &err), err);
}

static void test_plot_without_memory_is_an_error_at_every_stage(void) {
    static double x[50], y[50];
    pal_plot_line line;
    pal_plot plot = wave_plot(&line, x, y, 50, 1.0);
    for (long stage = 0; stage < 70; stage += stage < 12 ? 1 : 9) {
        pal_memory_fail_after(stage);
        pal_status status = pal_plot_write(check_scratch("x.png"), &plot, &err);
        pal_memory_fail_after(-1);
        CHECK_FAILS(PAL_ERR_MEMORY, "memory", status, err);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_text_is_as_wide_as_it_says_and_stands_on_its_line);
    RUN_TEST(test_upward_text_is_the_same_text_turned);
    RUN_TEST(test_text_outside_or_not_utf8_does_no_harm);
    RUN_TEST(test_line_has_the_ink_of_its_area);
    RUN_TEST(test_points_that_are_not_finite_interrupt_a_line);
    RUN_TEST(test_plot_stays_inside_its_margins_at_every_scale);
    RUN_TEST(test_flat_single_and_broken_lines_are_drawn);
    RUN_TEST(test_a_map_fills_its_axes_in_shares_of_its_values);
    RUN_TEST(test_a_circle_is_round_where_both_axes_have_one_scale);
    RUN_TEST(test_a_sheet_is_its_plots_side_by_side);
    RUN_TEST(test_plots_of_nothing_are_refused);
    RUN_TEST(test_plot_without_memory_is_an_error_at_every_stage);
    return UNITY_END();
}
