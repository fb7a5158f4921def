// Flat things over a picture, on OpenGL without a display: boxes, lines and text are where they
// were put, in their colours; and contexts and pictures that cannot be say so.
#include "render/gl_overlay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/gl_program.h"
#include "render/gl_target.h"
#include "tests/support/check.h"
#include "tests/support/picture.h"

enum { WIDTH = 400, HEIGHT = 300 };
static const pal_rgba red = {200, 30, 30, 255}, white = {255, 255, 255, 255};

static pal_gl_context context;
static pal_gl_target target;
static pal_overlay *overlay;
static pal_image image;

void setUp(void) {
    pal_err err = {0};
    CHECK_OK(pal_gl_open_offscreen(&context, &err), err);
    CHECK_OK(pal_gl_target_size(&target, &context, WIDTH, HEIGHT, &err), err);
    CHECK_OK(pal_overlay_open(&overlay, &err), err);
    pal_gl_target_begin(&target);
    pal_gl_target_resolve(&target); // nothing was drawn: black
    pal_overlay_begin(overlay, WIDTH, HEIGHT, 1.0);
}

void tearDown(void) {
    pal_image_free(&image);
    pal_overlay_close(overlay);
    pal_gl_target_free(&target);
    pal_gl_close(&context);
}

static void finish(void) {
    pal_err err = {0};
    CHECK_OK(pal_overlay_end(overlay, &err), err);
    CHECK_OK(pal_gl_target_read(&target, &image, &err), err);
}

// The box that holds all pixels brighter than half, and how many there are.
typedef struct ink {
    int32_t left, top, right, bottom, count;
} ink;

static ink look(void) {
    ink found = {WIDTH, HEIGHT, -1, -1, 0};
    for (int32_t y = 0; y < HEIGHT; y++) {
        for (int32_t x = 0; x < WIDTH; x++) {
            if (picture_pixel(&image, x, y)[0] > 100) {
                found.left = x < found.left ? x : found.left;
                found.right = x > found.right ? x : found.right;
                found.top = y < found.top ? y : found.top;
                found.bottom = y > found.bottom ? y : found.bottom;
                found.count++;
            }
        }
    }
    return found;
}

static void test_the_context_is_a_core_one_and_names_itself(void) {
    TEST_ASSERT_TRUE(strlen(context.version) > 0 && strlen(context.renderer) > 0);
    TEST_ASSERT_TRUE(context.largest >= 3840);
    TEST_ASSERT_NULL(context.window);
}

static void test_a_box_covers_its_pixels_and_no_others(void) {
    pal_overlay_box(overlay, 40.0, 50.0, 100.0, 20.0, 0.0, red);
    finish();
    const ink box = look();
    TEST_ASSERT_EQUAL_INT(40, box.left);
    TEST_ASSERT_EQUAL_INT(139, box.right);
    TEST_ASSERT_EQUAL_INT(50, box.top);
    TEST_ASSERT_EQUAL_INT(69, box.bottom);
    TEST_ASSERT_EQUAL_INT(2000, box.count);
    TEST_ASSERT_EQUAL_INT(200, picture_pixel(&image, 90, 60)[0]);
    TEST_ASSERT_EQUAL_INT(30, picture_pixel(&image, 90, 60)[1]);
}

static void test_a_point_is_as_many_pixels_as_the_scale_says(void) {
    pal_overlay_begin(overlay, WIDTH, HEIGHT, 2.0);
    TEST_ASSERT_EQUAL_DOUBLE(200.0, pal_overlay_width(overlay));
    pal_overlay_box(overlay, 10.0, 20.0, 30.0, 40.0, 0.0, red);
    finish();
    const ink box = look();
    TEST_ASSERT_EQUAL_INT(20, box.left);
    TEST_ASSERT_EQUAL_INT(79, box.right);
    TEST_ASSERT_EQUAL_INT(40, box.top);
    TEST_ASSERT_EQUAL_INT(119, box.bottom);
}

static void test_a_disc_has_the_area_of_a_disc(void) {
    pal_overlay_disc(overlay, 200.0, 150.0, 50.0, white);
    finish();
    const ink disc = look();
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * 7854.0, 7854.0, disc.count);
}

static void test_a_line_has_its_width_in_any_direction(void) {
    pal_overlay_line(overlay, 100.0, 100.0, 220.0, 190.0, 6.0, white); // 150 long
    finish();
    const ink line = look();
    TEST_ASSERT_DOUBLE_WITHIN(80.0, 150.0 * 6.0 + 28.3, line.count); // with its round ends
}

static void test_text_is_as_wide_as_it_says_and_bold_has_more_ink(void) {
    pal_text_style style = {.weight = PAL_FONT_PLAIN, .size = 40.0, .colour = white};
    const double said = pal_overlay_text(overlay, &style, 20.0, 100.0, "HIlm");
    finish();
    const ink plain = look();
    TEST_ASSERT_DOUBLE_WITHIN(8.0, said, plain.right - plain.left + 1);
    TEST_ASSERT_DOUBLE_WITHIN(1.5, 99.0, plain.bottom); // on the base line
    pal_overlay_begin(overlay, WIDTH, HEIGHT, 1.0);
    pal_overlay_box(overlay, 0.0, 0.0, WIDTH, HEIGHT, 0.0, (pal_rgba){0, 0, 0, 255});
    style.weight = PAL_FONT_BOLD;
    pal_overlay_text(overlay, &style, 20.0, 100.0, "HIlm");
    pal_image_free(&image);
    finish();
    TEST_ASSERT_TRUE(look().count > plain.count + plain.count / 5);
}

static void test_text_may_stand_to_the_left_of_its_place_or_about_it(void) {
    pal_text_style style = {.size = 30.0, .colour = white, .align = PAL_RIGHT};
    pal_overlay_text(overlay, &style, 300.0, 50.0, "MMMM");
    finish();
    TEST_ASSERT_TRUE(look().right <= 300 && look().right > 290);
    pal_image_free(&image);
    pal_overlay_begin(overlay, WIDTH, HEIGHT, 1.0);
    pal_overlay_box(overlay, 0.0, 0.0, WIDTH, HEIGHT, 0.0, (pal_rgba){0, 0, 0, 255});
    style.align = PAL_CENTRE;
    pal_overlay_text(overlay, &style, 200.0, 50.0, "MMMM");
    finish();
    TEST_ASSERT_INT_WITHIN(4, 400, look().left + look().right);
}

static void test_nothing_is_drawn_outside_a_clip(void) {
    pal_overlay_clip(overlay, 100.0, 100.0, 50.0, 30.0);
    pal_overlay_box(overlay, 0.0, 0.0, WIDTH, HEIGHT, 0.0, white);
    finish();
    const ink box = look();
    TEST_ASSERT_EQUAL_INT(50 * 30, box.count);
    TEST_ASSERT_EQUAL_INT(100, box.left);
    TEST_ASSERT_EQUAL_INT(100, box.top);
}

// More sizes than the atlas holds at once: it is emptied on the way, and all of it is drawn.
static void test_more_glyphs_than_the_atlas_holds_are_all_drawn(void) {
    for (int size = 20; size <= 120; size++) {
        const pal_text_style style = {.size = size, .colour = {0, 0, 60, 255}};
        pal_overlay_text(overlay, &style, 0.0, 290.0, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    }
    const pal_text_style style = {.size = 40.0, .colour = white};
    pal_overlay_text(overlay, &style, 20.0, 100.0, "HIlm");
    finish();
    const ink late = look();
    pal_image_free(&image);
    pal_overlay_begin(overlay, WIDTH, HEIGHT, 1.0);
    pal_overlay_box(overlay, 0.0, 0.0, WIDTH, HEIGHT, 0.0, (pal_rgba){0, 0, 60, 255});
    pal_overlay_text(overlay, &style, 20.0, 100.0, "HIlm");
    finish();
    TEST_ASSERT_TRUE(late.count > 300);
    TEST_ASSERT_EQUAL_INT(look().count, late.count);
    TEST_ASSERT_EQUAL_INT(look().right, late.right);
}

// ---- what cannot be

static void check_refused(int32_t width, int32_t height) {
    pal_err err = {0};
    pal_gl_target wrong = {0};
    TEST_ASSERT_EQUAL_INT(PAL_ERR_USAGE, pal_gl_target_size(&wrong, &context, width, height, &err));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "give 1 to"), err.text);
    TEST_ASSERT_EQUAL_INT(0, wrong.width);
}

static void test_a_picture_of_no_size_or_too_large_is_refused(void) {
    check_refused(0, 100);
    check_refused(100, 0);
    check_refused(-5, 10);
    check_refused(context.largest + 1, 10);
}

static void test_a_target_changes_its_size_up_to_4k(void) {
    pal_err err = {0};
    CHECK_OK(pal_gl_target_size(&target, &context, 3840, 2160, &err), err);
    pal_gl_target_begin(&target);
    pal_gl_target_resolve(&target);
    CHECK_OK(pal_gl_target_read(&target, &image, &err), err);
    TEST_ASSERT_EQUAL_INT(3840, image.width);
}

static void test_a_failed_shader_says_which_and_what_the_driver_says(void) {
    unsigned program = 1;
    pal_err err = {0};
    const pal_gl_source wrong = {.name = "made to fail",
                                 .vertex = "void main() { gl_Position = nonsense; }\n"};
    TEST_ASSERT_EQUAL_INT(PAL_ERR_UNSUPPORTED, pal_gl_program_make(&wrong, &program, &err));
    TEST_ASSERT_EQUAL_INT(0, program);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "vertex shader of 'made to fail'"), err.text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "nonsense"), err.text);
}

static void test_shaders_that_do_not_fit_together_say_so(void) {
    unsigned program = 1;
    pal_err err = {0};
    const pal_gl_source wrong = {.name = "made to fail",
                                 .vertex =
                                     "out vec2 missing;\nvoid main() { gl_Position = vec4(0.0); "
                                     "missing = vec2(1.0); }\n",
                                 .fragment = "in vec3 missing;\nout vec4 colour;\n"
                                             "void main() { colour = missing.xyzz; }\n"};
    TEST_ASSERT_EQUAL_INT(PAL_ERR_UNSUPPORTED, pal_gl_program_make(&wrong, &program, &err));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "missing"), err.text);
}

static void test_without_a_display_a_window_is_refused(void) {
    pal_err err = {0};
    pal_gl_context window;
    const char *display = getenv("DISPLAY");
    char *kept = display != NULL ? strdup(display) : NULL;
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    const pal_gl_window_options options = {.title = "none", .width = 100, .height = 100};
    TEST_ASSERT_EQUAL_INT(PAL_ERR_UNSUPPORTED, pal_gl_open_window(&window, &options, &err));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "no display"), err.text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "--headless"), err.text);
    TEST_ASSERT_NULL(window.maker);
    setenv("DISPLAY", "nowhere:77", 1);
    TEST_ASSERT_EQUAL_INT(PAL_ERR_UNSUPPORTED, pal_gl_open_window(&window, &options, &err));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "no display"), err.text);
    unsetenv("DISPLAY");
    if (kept != NULL) {
        setenv("DISPLAY", kept, 1);
    }
    free(kept);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_the_context_is_a_core_one_and_names_itself);
    RUN_TEST(test_a_box_covers_its_pixels_and_no_others);
    RUN_TEST(test_a_point_is_as_many_pixels_as_the_scale_says);
    RUN_TEST(test_a_disc_has_the_area_of_a_disc);
    RUN_TEST(test_a_line_has_its_width_in_any_direction);
    RUN_TEST(test_text_is_as_wide_as_it_says_and_bold_has_more_ink);
    RUN_TEST(test_text_may_stand_to_the_left_of_its_place_or_about_it);
    RUN_TEST(test_nothing_is_drawn_outside_a_clip);
    RUN_TEST(test_more_glyphs_than_the_atlas_holds_are_all_drawn);
    RUN_TEST(test_a_picture_of_no_size_or_too_large_is_refused);
    RUN_TEST(test_a_target_changes_its_size_up_to_4k);
    RUN_TEST(test_a_failed_shader_says_which_and_what_the_driver_says);
    RUN_TEST(test_shaders_that_do_not_fit_together_say_so);
    RUN_TEST(test_without_a_display_a_window_is_refused);
    return UNITY_END();
}
