// The picture of a body under a tool: ball, dent and arrow are in it, and nothing that is not so.
#include "render/press_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/memory.h"
#include "tests/support/block_model.h"
#include "tests/support/check.h"
#include "tests/support/picture.h"

static const block_spec block = {.cells = {16, 12, 4}, .side = {0.08, 0.06, 0.02}};
static pal_model model;
static double *x, *dent; // [vertex_count][3]
static pal_press_view view;

// A ball of 5 mm pressed 3 mm into the top.
void setUp(void) {
    pal_err err = {0};
    CHECK_OK(block_model_make(&block, &model, &err), err);
    const int64_t count = model.surface.vertex_count;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    x = malloc(3 * (size_t)count * sizeof *x);
    dent = calloc(3 * (size_t)count, sizeof *dent);
    for (int64_t k = 0; k < 3 * count; k++) {
        low[k % 3] = fmin(low[k % 3], model.surface.x[k]);
        high[k % 3] = fmax(high[k % 3], model.surface.x[k]);
    }
    view = (pal_press_view){
        .rest = &model.surface,
        .x = x,
        .dent = dent,
        .centre = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), high[2] + 0.002},
        .radius = 5e-3,
        .force = {0.0, 0.0, 0.8},
        .title = "A block",
        .caption = "pressed"};
    for (int64_t v = 0; v < count; v++) {
        double *p = x + 3 * v;
        memcpy(p, model.surface.x + 3 * v, 3 * sizeof *p);
        const double far = hypot(p[0] - view.centre[0], p[1] - view.centre[1]);
        dent[3 * v + 2] = p[2] == high[2] ? -0.003 * exp(-far * far / (0.016 * 0.016)) : 0.0;
        p[2] += dent[3 * v + 2];
    }
}

void tearDown(void) {
    free(x);
    free(dent);
    block_model_free(&model);
}

typedef struct seen { // pixels of the two cards
    int red, yellow, grey, dark;
} seen;

static seen look(const char *name) {
    seen s = {0};
    pal_err err = {0};
    pal_image image;
    const char *path = check_scratch(name);
    CHECK_OK(pal_press_picture_write(path, &view, &err), err);
    TEST_ASSERT_TRUE(picture_read(path, &image));
    TEST_ASSERT_EQUAL_INT(1800, image.width);
    TEST_ASSERT_EQUAL_INT(860, image.height);
    for (int32_t j = 200; j < image.height - 60; j++) {
        for (int32_t i = 50; i < image.width - 50; i++) {
            const uint8_t *p = picture_pixel(&image, i, j);
            s.red += p[0] > 150 && p[1] < 90 && p[2] < 90;
            s.yellow += p[0] > 110 && p[1] > 110 && p[2] < 70;
            s.grey += picture_colourful(&image, i, j) < 6 && p[0] > 60 && p[0] < 205;
            s.dark += p[2] > p[0] + 20 && p[2] > 60;
        }
    }
    pal_image_free(&image);
    return s;
}

static void test_ball_dent_and_arrow_are_seen(void) {
    const seen s = look("press.png");
    TEST_ASSERT_TRUE(s.red > 1000);    // the arrow and what it says, twice
    TEST_ASSERT_TRUE(s.yellow > 500);  // the deepest of the dent
    TEST_ASSERT_TRUE(s.grey > 5000);   // the ball
    TEST_ASSERT_TRUE(s.dark > 100000); // the body at rest
}

static void test_without_force_and_dent_there_are_none(void) {
    memcpy(x, model.surface.x, 3 * (size_t)model.surface.vertex_count * sizeof *x);
    memset(dent, 0, 3 * (size_t)model.surface.vertex_count * sizeof *dent);
    memset(view.force, 0, sizeof view.force);
    view.centre[2] += 0.02;
    const seen s = look("free.png");
    TEST_ASSERT_EQUAL_INT(0, s.red);
    TEST_ASSERT_EQUAL_INT(0, s.yellow);
    TEST_ASSERT_TRUE(s.grey > 5000);
}

static void test_the_same_press_makes_the_same_file(void) {
    pal_err err = {0};
    char *data[2], first[1024];
    size_t size[2];
    snprintf(first, sizeof first, "%s", check_scratch("one.png"));
    CHECK_OK(pal_press_picture_write(first, &view, &err), err);
    CHECK_OK(pal_press_picture_write(check_scratch("two.png"), &view, &err), err);
    CHECK_OK(pal_file_read(first, &data[0], &size[0], &err), err);
    CHECK_OK(pal_file_read(check_scratch("two.png"), &data[1], &size[1], &err), err);
    TEST_ASSERT_TRUE(size[0] == size[1] && memcmp(data[0], data[1], size[0]) == 0);
    free(data[0]);
    free(data[1]);
}

static void test_no_failing_allocation_leaks_or_crashes(void) {
    for (long n = 0;; n += n < 12 ? 1 : 3) {
        pal_err err = {0};
        pal_memory_fail_after(n);
        pal_status status = pal_press_picture_write(check_scratch("oom.png"), &view, &err);
        pal_memory_fail_after(-1);
        if (status == PAL_OK) {
            TEST_ASSERT_TRUE(n > 5);
            return;
        }
        TEST_ASSERT_EQUAL_INT_MESSAGE(PAL_ERR_MEMORY, status, err.text);
    }
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_ball_dent_and_arrow_are_seen);
    RUN_TEST(test_without_force_and_dent_there_are_none);
    RUN_TEST(test_the_same_press_makes_the_same_file);
    RUN_TEST(test_no_failing_allocation_leaks_or_crashes);
    return UNITY_END();
}
