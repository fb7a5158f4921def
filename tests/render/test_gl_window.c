// A window on an X server of our own: it shows what was drawn, changes its size, and when the
// server goes away the program stays and is told.
#include <epoxy/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <string.h>

#include "render/gl_target.h"
#include "tests/support/check.h"
#include "tests/support/display.h"

static const pal_gl_window_options options = {.title = "test", .width = 400, .height = 300};
static pid_t server;
static pal_gl_context context;
static pal_gl_target target;

void setUp(void) {
    if (server == 0) {
        server = display_start(1024, 768);
    }
}
void tearDown(void) {
}

static void test_a_window_shows_what_was_drawn(void) {
    pal_err err = {0};
    int32_t width, height;
    uint8_t pixel[3] = {0};
    CHECK_OK(pal_gl_open_window(&context, &options, &err), err);
    TEST_ASSERT_NOT_NULL(context.window);
    pal_gl_size(&context, &width, &height);
    TEST_ASSERT_EQUAL_INT(400, width);
    TEST_ASSERT_EQUAL_INT(300, height);
    CHECK_OK(pal_gl_target_size(&target, &context, width, height, &err), err);
    pal_gl_target_begin(&target);
    glClearColor(1.0F, 0.0F, 0.0F, 1.0F);
    glClear(GL_COLOR_BUFFER_BIT);
    pal_gl_target_resolve(&target);
    pal_gl_target_show(&target, &context);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glReadPixels(200, 150, 1, 1, GL_RGB, GL_UNSIGNED_BYTE, pixel);
    TEST_ASSERT_EQUAL_INT(255, pixel[0]);
    TEST_ASSERT_EQUAL_INT(0, pixel[1]);
    CHECK_OK(pal_gl_present(&context, &err), err);

    // Another size: the target follows
    glfwSetWindowSize(context.window, 640, 480);
    for (int i = 0; i < 100 && width != 640; i++) {
        glfwWaitEventsTimeout(0.05);
        pal_gl_size(&context, &width, &height);
    }
    TEST_ASSERT_EQUAL_INT(640, width);
    CHECK_OK(pal_gl_target_size(&target, &context, width, height, &err), err);
    TEST_ASSERT_EQUAL_INT(480, target.height);
    pal_gl_target_free(&target);
    pal_gl_close(&context);
    TEST_ASSERT_NULL(context.maker);
}

static void test_a_window_of_no_size_is_refused(void) {
    pal_err err = {0};
    const pal_gl_window_options none = {.title = "none", .width = 0, .height = 100};
    TEST_ASSERT_EQUAL_INT(PAL_ERR_USAGE, pal_gl_open_window(&context, &none, &err));
    TEST_ASSERT_NULL(context.maker);
}

// Last: GLFW keeps to its one display, and that is gone then.
static void test_a_display_that_goes_away_is_an_error_not_the_end(void) {
    pal_err err = {0};
    pal_status status = PAL_OK;
    CHECK_OK(pal_gl_open_window(&context, &options, &err), err);
    CHECK_OK(pal_gl_present(&context, &err), err);
    display_kill(server);
    for (int i = 0; i < 20 && status == PAL_OK; i++) {
        glClear(GL_COLOR_BUFFER_BIT);
        status = pal_gl_present(&context, &err);
    }
    TEST_ASSERT_EQUAL_INT(PAL_ERR_IO, status);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "display has gone away"), err.text);
    TEST_ASSERT_TRUE(context.lost);
    int32_t width = -1, height = -1;
    pal_gl_size(&context, &width, &height);
    TEST_ASSERT_EQUAL_INT(0, width);
    pal_gl_close(&context);
}

int main(void) {
    UNITY_BEGIN();
    RUN_TEST(test_a_window_shows_what_was_drawn);
    RUN_TEST(test_a_window_of_no_size_is_refused);
    RUN_TEST(test_a_display_that_goes_away_is_an_error_not_the_end);
    return UNITY_END();
}
