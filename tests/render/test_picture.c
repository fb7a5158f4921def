// Pictures of bodies and sheets of shapes: whole, not blank, nothing cut off, the same every time.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "render/body_draw.h"
#include "render/mode_sheet.h"
#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "tests/support/block_model.h"
#include "tests/support/check.h"
#include "tests/support/picture.h"
#include "tests/support/sanitized.h"

static pal_err err;
static pal_model model;

static const block_spec small = {.cells = {6, 3, 2}, .side = {0.3, 0.15, 0.1}};

void setUp(void) {
    CHECK_OK(block_model_make(&small, &model, &err), err);
}
void tearDown(void) {
    pal_memory_fail_after(-1);
    unsetenv("PALPATE_FONT");
    block_model_free(&model);
}

static void test_png_reads_back_as_it_was(void) {
    pal_image image, back;
    CHECK_OK(pal_image_alloc(&image, 31, 17, (pal_rgb){10, 20, 30}, &err), err);
    for (int i = 0; i < 31 * 17 * 3; i++) {
        image.rgb[i] = (uint8_t)(i * 37 % 251);
    }
    const char *path = check_scratch("small.png");
    CHECK_OK(pal_image_write_png(path, &image, &err), err);
    TEST_ASSERT_TRUE(picture_read(path, &back));
    TEST_ASSERT_EQUAL_INT(31, back.width);
    TEST_ASSERT_EQUAL_INT(17, back.height);
    TEST_ASSERT_EQUAL_INT(0, memcmp(image.rgb, back.rgb, 31 * 17 * 3));
    pal_image_free(&back);
    pal_image_free(&image);
}

static void test_impossible_sizes_are_refused(void) {
    pal_image image;
    pal_rgb white = {255, 255, 255};
    CHECK_FAILS(PAL_ERR_USAGE, "0 x 10", pal_image_alloc(&image, 0, 10, white, &err), err);
    CHECK_FAILS(PAL_ERR_USAGE, "1 to", pal_image_alloc(&image, 10, 1 << 30, white, &err), err);
    TEST_ASSERT_NULL(image.rgb);
}

// Draws one body, fitted into a frame, and returns the picture.
static void draw_fitted(const block_spec *spec, const pal_frame *frame, pal_image *image) {
    pal_model m;
    CHECK_OK(block_model_make(spec, &m, &err), err);
    float *tone = PAL_NEW(float, m.surface.vertex_count, &err);
    TEST_ASSERT_NOT_NULL(tone);
    for (int32_t v = 0; v < m.surface.vertex_count; v++) {
        tone[v] = (float)(0.3 + 0.4 * m.surface.x[3 * (size_t)v] / spec->side[0]);
    }
    CHECK_OK(pal_image_alloc(image, 320, 240, (pal_rgb){255, 255, 255}, &err), err);
    pal_body_view view = {.body = m.surface, .tone = tone, .width = 320, .height = 240};
    pal_camera_turn(&view.camera, PAL_UP_Z, 28.0, 22.0);
    pal_camera_fit(&view.camera, frame, m.surface.x, m.surface.vertex_count);
    CHECK_OK(pal_body_draw(image, &view, &err), err);
    free(tone);
    block_model_free(&m);
}

static void test_body_fills_its_frame_and_nothing_is_cut_off(void) {
    double sides[][3] = {{3.0, 0.6, 0.5}, {0.5, 0.6, 3.0}, {0.5, 4.0, 0.5}, {1.0, 1.0, 1.0}};
    pal_frame frame = {30.0, 25.0, 260.0, 190.0};
    for (int k = 0; k < 8; k += SANITIZED_OR(3, 1)) {
        block_spec spec = {.cells = {6, 6, 6}, .rounded = k >= 4};
        memcpy(spec.side, sides[k % 4], sizeof spec.side);
        pal_image image;
        draw_fitted(&spec, &frame, &image);
        int32_t low[2] = {320, 240}, high[2] = {-1, -1}, count = 0;
        for (int32_t y = 0; y < 240; y++) {
            for (int32_t x = 0; x < 320; x++) {
                if (picture_colourful(&image, x, y) > 40) {
                    low[0] = x < low[0] ? x : low[0];
                    low[1] = y < low[1] ? y : low[1];
                    high[0] = x > high[0] ? x : high[0];
                    high[1] = y > high[1] ? y : high[1];
                    count++;
                }
            }
        }
        TEST_ASSERT_TRUE(count > 1500);
        TEST_ASSERT_TRUE(low[0] >= 29 && high[0] <= 290 && low[1] >= 24 && high[1] <= 215);
        // It touches the frame on both sides in one direction, and stands in its middle.
        bool wide = low[0] <= 32 && high[0] >= 287, tall = low[1] <= 27 && high[1] >= 212;
        TEST_ASSERT_TRUE(wide || tall);
        TEST_ASSERT_TRUE(abs(low[0] + high[0] - 319) < 24 && abs(low[1] + high[1] - 239) < 24);
        pal_image_free(&image);
    }
}

static void test_view_outside_its_picture_is_refused(void) {
    pal_image image;
    CHECK_OK(pal_image_alloc(&image, 40, 40, (pal_rgb){0, 0, 0}, &err), err);
    pal_body_view view = {.body = model.surface, .left = 10, .width = 40, .height = 10};
    CHECK_FAILS(PAL_ERR_USAGE, "beyond", pal_body_draw(&image, &view, &err), err);
    pal_image_free(&image);
}

static void test_sheet_is_whole_and_its_margins_are_clean(void) {
    block_spec spec = {{2, 2, 12}, {0.2, 0.2, 1.2}, false, 2};
    pal_model tower;
    pal_image image;
    CHECK_OK(block_model_make(&spec, &tower, &err), err);
    const char *path = check_scratch("sheet.png");
    CHECK_OK(pal_mode_sheet_write(path, &tower, PAL_UP_Z, 5, &err), err);
    block_model_free(&tower);
    TEST_ASSERT_TRUE(picture_read(path, &image));
    TEST_ASSERT_EQUAL_INT(1800, image.width);
    TEST_ASSERT_TRUE(image.height >= 400 && image.height <= 1200);
    int32_t colourful = 0, stained = 0;
    const uint8_t *paper = picture_pixel(&image, 0, 0);
    for (int32_t y = 0; y < image.height; y++) {
        for (int32_t x = 0; x < image.width; x++) {
            bool margin = x < 36 || x >= 1764 || y < 20 || y >= image.height - 36;
            stained += margin && memcmp(paper, picture_pixel(&image, x, y), 3) != 0;
            colourful += y > 156 && picture_colourful(&image, x, y) > 40;
        }
    }
    TEST_ASSERT_EQUAL_INT(0, stained);
    TEST_ASSERT_TRUE(colourful > 1800 * image.height / 20);
    pal_image_free(&image);
}

// A body turned so that another axis is up is drawn on its feet: the same sheet.
static void test_a_sheet_is_the_same_whatever_axis_is_up(void) {
    block_spec spec = {{2, 3, 12}, {0.2, 0.3, 1.2}, false, 2};
    pal_model tower;
    pal_image upright, turned;
    CHECK_OK(block_model_make(&spec, &tower, &err), err);
    CHECK_OK(pal_mode_sheet_write(check_scratch("up.png"), &tower, PAL_UP_Z, 3, &err), err);
    for (int32_t v = 0; v < tower.mesh.vertex_count; v++) {
        const double *own = tower.mesh.x + 3 * (int64_t)v;
        pal_up_raise(PAL_UP_MINUS_X, (const double[]){own[0], own[1], own[2]},
                     tower.mesh.x + 3 * (int64_t)v);
        for (int32_t k = 0; k < tower.r; k++) {
            double u[3], to[3];
            for (int c = 0; c < 3; c++) {
                u[c] = tower.basis[(3 * (int64_t)v + c) * tower.r + k];
            }
            pal_up_raise(PAL_UP_MINUS_X, u, to);
            for (int c = 0; c < 3; c++) {
                tower.basis[(3 * (int64_t)v + c) * tower.r + k] = to[c];
            }
        }
    }
    for (int32_t v = 0; v < tower.surface.vertex_count; v++) {
        const double *own = tower.surface.x + 3 * (int64_t)v;
        pal_up_raise(PAL_UP_MINUS_X, (const double[]){own[0], own[1], own[2]},
                     tower.surface.x + 3 * (int64_t)v);
    }
    CHECK_OK(pal_mode_sheet_write(check_scratch("over.png"), &tower, PAL_UP_MINUS_X, 3, &err), err);
    block_model_free(&tower);
    TEST_ASSERT_TRUE(picture_read(check_scratch("up.png"), &upright));
    TEST_ASSERT_TRUE(picture_read(check_scratch("over.png"), &turned));
    TEST_ASSERT_TRUE(picture_difference(&upright, &turned, 2) < 1e-4);
    pal_image_free(&upright);
    pal_image_free(&turned);
}

static void write_and_load(const char *name, char **data, size_t *size) {
    const char *path = check_scratch(name);
    CHECK_OK(pal_mode_sheet_write(path, &model, PAL_UP_Z, 2, &err), err);
    CHECK_OK(pal_file_read(path, data, size, &err), err);
}

static void test_same_model_gives_same_bytes_whatever_threads_and_sign(void) {
    char *first, *second;
    size_t first_size, second_size;
    write_and_load("a.png", &first, &first_size);
    for (size_t i = 0; i < 3 * (size_t)model.mesh.vertex_count * BLOCK_SHAPES; i++) {
        model.basis[i] = -model.basis[i];
    }
    pal_set_thread_count(1);
    write_and_load("b.png", &second, &second_size);
    pal_set_thread_count(0);
    TEST_ASSERT_EQUAL_INT(first_size, second_size);
    TEST_ASSERT_EQUAL_INT(0, memcmp(first, second, first_size));
    free(first);
    free(second);
}

static void make_noise(pal_image *image) {
    CHECK_OK(pal_image_alloc(image, 100, 90, (pal_rgb){0, 0, 0}, &err), err);
    uint32_t state = 1;
    for (int i = 0; i < 100 * 90 * 3; i++) {
        state = state * 1664525U + 1013904223U;
        image->rgb[i] = (uint8_t)(state >> 24);
    }
}

static void test_unwritable_path_is_a_clear_error(void) {
    char path[1100];
    pal_image image;
    snprintf(path, sizeof path, "%s/no/such/folder.png", check_scratch("here"));
    make_noise(&image);
    CHECK_FAILS(PAL_ERR_IO, "folder.png: cannot write", pal_image_write_png(path, &image, &err),
                err);
    pal_image_free(&image);
}

static void test_full_disk_is_a_clear_error_and_leaves_nothing(void) {
    pal_image image;
    make_noise(&image);
    const char *path = check_scratch("full.png");
    struct rlimit kept, tight;
    getrlimit(RLIMIT_FSIZE, &kept);
    tight = kept;
    tight.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    pal_status status = pal_image_write_png(path, &image, &err);
    setrlimit(RLIMIT_FSIZE, &kept);
    CHECK_FAILS(PAL_ERR_IO, "full.png: cannot write", status, err);
    TEST_ASSERT_TRUE(access(path, F_OK) != 0);
    pal_image_free(&image);
}

static void test_missing_or_broken_font_is_a_clear_error(void) {
    setenv("PALPATE_FONT", "/no/such/font.ttf", 1);
    CHECK_FAILS(PAL_ERR_IO, "fonts-dejavu-core",
                pal_mode_sheet_write(check_scratch("x.png"), &model, PAL_UP_Z, 1, &err), err);
    TEST_ASSERT_NOT_NULL(strstr(err.text, "/no/such/font.ttf"));
    const char *path = check_scratch("not-a-font.ttf");
    CHECK_OK(pal_file_write_atomic(path, "no font, only words", 19, &err), err);
    setenv("PALPATE_FONT", path, 1);
    CHECK_FAILS(PAL_ERR_IO, "not a TrueType file",
                pal_mode_sheet_write(check_scratch("x.png"), &model, PAL_UP_Z, 1, &err), err);
    TEST_ASSERT_TRUE(access(check_scratch("x.png"), F_OK) != 0);
}

static void test_models_that_cannot_be_drawn_are_refused(void) {
    const char *path = check_scratch("x.png");
    CHECK_FAILS(PAL_ERR_USAGE, "1 or more", pal_mode_sheet_write(path, &model, PAL_UP_Z, 0, &err),
                err);
    model.basis[BLOCK_SHAPES * 3 + 1] = NAN;
    CHECK_FAILS(PAL_ERR_INPUT, "vector 2", pal_mode_sheet_write(path, &model, PAL_UP_Z, 6, &err),
                err);
    model.basis[BLOCK_SHAPES * 3 + 1] = 0.0;
    int32_t points = model.embedding.point_count;
    model.embedding.point_count = 1;
    CHECK_FAILS(PAL_ERR_INPUT, "block", pal_mode_sheet_write(path, &model, PAL_UP_Z, 6, &err), err);
    model.embedding.point_count = points;
    memset(model.surface.x, 0, 3 * (size_t)model.surface.vertex_count * sizeof(double));
    CHECK_FAILS(PAL_ERR_INPUT, "no size", pal_mode_sheet_write(path, &model, PAL_UP_Z, 6, &err),
                err);
}

static void test_a_shape_of_nothing_and_a_long_name_are_drawn(void) {
    static char name[] = "a name that is much longer than any title line could ever be: "
                         "ÄÖÜ and \xff\xc3 stray bytes, and then some more words to the end";
    pal_image image;
    memset(model.basis, 0, 3 * (size_t)model.mesh.vertex_count * BLOCK_SHAPES * sizeof(double));
    model.name = name;
    model.mode_count = 0;
    CHECK_OK(pal_mode_sheet_write(check_scratch("zero.png"), &model, PAL_UP_Z, 100, &err), err);
    TEST_ASSERT_TRUE(picture_read(check_scratch("zero.png"), &image));
    pal_image_free(&image);
}

static void test_out_of_memory_is_an_error_at_every_stage(void) {
    static const long stages[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                  13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 60};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        pal_memory_fail_after(stages[i]);
        pal_status status = pal_mode_sheet_write(check_scratch("x.png"), &model, PAL_UP_Z, 1, &err);
        pal_memory_fail_after(-1);
        CHECK_FAILS(PAL_ERR_MEMORY, "memory", status, err);
    }
    TEST_ASSERT_TRUE(access(check_scratch("x.png"), F_OK) != 0);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST_OF_ONE_THREAD(test_png_reads_back_as_it_was);
    RUN_TEST_OF_ONE_THREAD(test_impossible_sizes_are_refused);
    RUN_TEST_OF_ONE_THREAD(test_body_fills_its_frame_and_nothing_is_cut_off);
    RUN_TEST_OF_ONE_THREAD(test_view_outside_its_picture_is_refused);
    RUN_TEST(test_sheet_is_whole_and_its_margins_are_clean);
    RUN_TEST(test_a_sheet_is_the_same_whatever_axis_is_up);
    RUN_TEST(test_same_model_gives_same_bytes_whatever_threads_and_sign);
    RUN_TEST_OF_ONE_THREAD(test_unwritable_path_is_a_clear_error);
    RUN_TEST_OF_ONE_THREAD(test_full_disk_is_a_clear_error_and_leaves_nothing);
    RUN_TEST_OF_ONE_THREAD(test_missing_or_broken_font_is_a_clear_error);
    RUN_TEST_OF_ONE_THREAD(test_models_that_cannot_be_drawn_are_refused);
    RUN_TEST_OF_ONE_THREAD(test_a_shape_of_nothing_and_a_long_name_are_drawn);
    RUN_TEST(test_out_of_memory_is_an_error_at_every_stage);
    return UNITY_END();
}
