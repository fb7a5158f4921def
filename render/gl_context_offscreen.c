// A context without a surface, by EGL. epoxy ends the program when there is no libEGL at all, so
// that is looked at before it is asked for anything. The display stays open until the program ends:
// ending it unloads the driver, which takes its time, and loading it again takes more.
#include <dlfcn.h>
#include <epoxy/egl.h>
#include <string.h>

#include "render/gl_context.h"

static const char advice[] =
    "drawing without a display needs EGL: install libegl1 and libgl1-mesa-dri";

static EGLDisplay display = EGL_NO_DISPLAY; // of the program

static bool has_library(void) {
    void *library = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        return false;
    }
    dlclose(library); // epoxy opens it again
    return true;
}

static void close_surfaceless(pal_gl_context *context) {
    if (display != EGL_NO_DISPLAY) {
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    }
    if (context->own != EGL_NO_CONTEXT) {
        eglDestroyContext(display, context->own);
    }
}

static void no_size(const pal_gl_context *context, int32_t *width, int32_t *height) {
    (void)context;
    *width = *height = 0;
}

static pal_status nothing_to_show(pal_gl_context *context, pal_err *err) {
    (void)context;
    (void)err;
    return PAL_OK;
}

static const pal_gl_maker offscreen = {
    .kind = "offscreen", .close = close_surfaceless, .size = no_size, .present = nothing_to_show};

static pal_status open_display(pal_err *err) {
    if (display != EGL_NO_DISPLAY) {
        return PAL_OK;
    }
    display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL)) {
        display = EGL_NO_DISPLAY;
        return pal_fail(err, PAL_ERR_UNSUPPORTED, "EGL finds no driver to draw with; %s", advice);
    }
    return PAL_OK;
}

static pal_status make_current(pal_gl_context *context, pal_err *err) {
    static const EGLint wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                    EGL_NONE};
    static const EGLint core[] = {EGL_CONTEXT_MAJOR_VERSION,
                                  3,
                                  EGL_CONTEXT_MINOR_VERSION,
                                  3,
                                  EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                  EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                  EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (!eglBindAPI(EGL_OPENGL_API) || !eglChooseConfig(display, wanted, &config, 1, &count) ||
        count < 1) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED, "EGL's driver has no OpenGL; %s", advice);
    }
    context->own = eglCreateContext(display, config, EGL_NO_CONTEXT, core);
    if (context->own == EGL_NO_CONTEXT ||
        !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->own)) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "EGL makes no OpenGL 3.3 context (error 0x%04x); %s",
                        (unsigned)eglGetError(), advice);
    }
    return PAL_OK;
}

pal_status pal_gl_open_offscreen(pal_gl_context *context, pal_err *err) {
    memset(context, 0, sizeof *context);
    if (!has_library()) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED, "there is no libEGL.so.1; %s", advice);
    }
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base") ||
        !epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "this EGL has no surfaceless platform; %s, or draw in a window", advice);
    }
    context->maker = &offscreen;
    pal_status status = open_display(err);
    if (status == PAL_OK) {
        status = make_current(context, err);
    }
    if (status == PAL_OK) {
        status = pal_gl_describe(context, err);
    }
    if (status != PAL_OK) {
        pal_gl_close(context);
    }
    return status;
}
