// A context with a window, by GLFW. Xlib ends the program when its server goes away, unless it is
// told otherwise, twice: what it says then, and what it does then. After that nothing of X, GLFW or
// OpenGL may be called again. As offscreen, GLFW and its connection stay until the program ends,
// and with them the driver.
#include <epoxy/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/gl_context.h"
#include "sim/base/visible.h"

// As in glfw3native.h, which wants headers of extensions that nothing here uses.
GLFWAPI Display *glfwGetX11Display(void);

enum { LEAST_WIDTH = 320, LEAST_HEIGHT = 240 };

static char trouble[256]; // what GLFW said last

static void keep_trouble(int code, const char *text) {
    (void)code;
    snprintf(trouble, sizeof trouble, "%s", text);
}

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0';
}

bool pal_gl_has_display(void) {
    return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}

static int say_nothing(Display *display) {
    (void)display;
    return 0;
}

static void note_loss(Display *display, void *context) {
    (void)display;
    if (context != NULL) {
        ((pal_gl_context *)context)->lost = true;
    }
}

static void watch_display(pal_gl_context *context) {
    Display *display = glfwGetX11Display();
    if (display != NULL) {
        XSetIOErrorHandler(say_nothing);
        XSetIOErrorExitHandler(display, note_loss, context);
    }
}

static void close_window(pal_gl_context *context) {
    if (context->lost) {
        return; // what is left of it would wait for a server that is gone
    }
    if (context->window != NULL) {
        glfwDestroyWindow(context->window);
    }
    watch_display(NULL);
}

static void window_size(const pal_gl_context *context, int32_t *width, int32_t *height) {
    int w = 0, h = 0;
    if (!context->lost && !glfwGetWindowAttrib(context->window, GLFW_ICONIFIED)) {
        glfwGetFramebufferSize(context->window, &w, &h);
    }
    *width = w;
    *height = h;
}

static pal_status show(pal_gl_context *context, pal_err *err) {
    if (!context->lost) {
        glfwSwapBuffers(context->window);
    }
    return context->lost ? pal_fail(err, PAL_ERR_IO,
                                    "the display has gone away: the connection to it is broken")
                         : PAL_OK;
}

static bool answers(pal_gl_context *context) {
    Display *display = context->lost ? NULL : glfwGetX11Display();
    if (display != NULL) {
        XSync(display, False);
    }
    return !context->lost;
}

static const pal_gl_maker windowed = {.kind = "window",
                                      .close = close_window,
                                      .size = window_size,
                                      .present = show,
                                      .answers = answers};

// No larger than the screen has room for.
static void fit_screen(int *width, int *height) {
    int x = 0, y = 0, most_width = 0, most_height = 0;
    GLFWmonitor *monitor = glfwGetPrimaryMonitor();
    if (monitor != NULL) {
        glfwGetMonitorWorkarea(monitor, &x, &y, &most_width, &most_height);
    }
    *width = most_width > 0 && *width > most_width ? most_width : *width;
    *height = most_height > 0 && *height > most_height ? most_height : *height;
}

static pal_status make_window(pal_gl_context *context, const pal_gl_window_options *options,
                              pal_err *err) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0); // the picture is made elsewhere and copied to the window
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    glfwWindowHint(GLFW_VISIBLE, options->hidden ? GLFW_FALSE : GLFW_TRUE);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "palpate");
    int width = options->width, height = options->height;
    fit_screen(&width, &height);
    char title[512];
    pal_visible_copy(options->title, title, sizeof title);
    context->window = glfwCreateWindow(width, height, title, NULL, NULL);
    if (context->window == NULL) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "no window with OpenGL 3.3: %s; update the graphics driver, set "
                        "LIBGL_ALWAYS_SOFTWARE=1, or run with --headless",
                        trouble);
    }
    glfwSetWindowSizeLimits(context->window, LEAST_WIDTH, LEAST_HEIGHT, GLFW_DONT_CARE,
                            GLFW_DONT_CARE);
    glfwMakeContextCurrent(context->window);
    glfwSwapInterval(options->unsynced ? 0 : 1);
    return pal_gl_describe(context, err);
}

pal_status pal_gl_open_window(pal_gl_context *context, const pal_gl_window_options *options,
                              pal_err *err) {
    memset(context, 0, sizeof *context);
    if (options->width < 1 || options->height < 1) {
        return pal_fail(err, PAL_ERR_USAGE, "a window of %d x %d; give 1 or more pixels a side",
                        (int)options->width, (int)options->height);
    }
    trouble[0] = '\0';
    glfwSetErrorCallback(keep_trouble);
    if (!pal_gl_has_display() || !glfwInit()) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "no display for a window%s%s; set DISPLAY, or run with --headless",
                        trouble[0] != '\0' ? ": " : "", trouble);
    }
    context->maker = &windowed;
    watch_display(context);
    pal_status status = make_window(context, options, err);
    if (status != PAL_OK) {
        pal_gl_close(context);
    }
    return status;
}
