#include "render/gl_context.h"

#include <epoxy/gl.h>
#include <stdio.h>
#include <string.h>

#include "render/image.h"

enum { LEAST_VERSION = 33 };

pal_status pal_gl_describe(pal_gl_context *context, pal_err *err) {
    const char *version = (const char *)glGetString(GL_VERSION);
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    if (version == NULL || renderer == NULL) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "OpenGL does not answer; is the graphics driver whole? (software: install "
                        "libgl1-mesa-dri)");
    }
    snprintf(context->version, sizeof context->version, "%s", version);
    snprintf(context->renderer, sizeof context->renderer, "%s", renderer);
    context->software = strstr(renderer, "llvmpipe") != NULL ||
                        strstr(renderer, "softpipe") != NULL || strstr(renderer, "SWR") != NULL;
    if (epoxy_gl_version() < LEAST_VERSION) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "OpenGL 3.3 is needed, and %s gives %s; update the graphics driver, or set "
                        "LIBGL_ALWAYS_SOFTWARE=1 to draw without it",
                        renderer, version);
    }
    GLint side = 0, texture = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &side);
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &texture);
    side = texture < side ? texture : side;
    context->largest = side < PAL_IMAGE_MOST ? side : PAL_IMAGE_MOST;
    return PAL_OK;
}

void pal_gl_close(pal_gl_context *context) {
    if (context->maker != NULL) {
        context->maker->close(context);
    }
    memset(context, 0, sizeof *context);
}

void pal_gl_size(const pal_gl_context *context, int32_t *width, int32_t *height) {
    context->maker->size(context, width, height);
}

pal_status pal_gl_ask(pal_gl_context *context, pal_err *err) {
    return context->maker->answers == NULL || context->maker->answers(context)
               ? PAL_OK
               : pal_fail(err, PAL_ERR_IO,
                          "the display has gone away: the connection to it is broken");
}

pal_status pal_gl_present(pal_gl_context *context, pal_err *err) {
    return context->maker->present(context, err);
}

pal_status pal_gl_check(const char *doing, pal_err *err) {
    const GLenum first = glGetError();
    for (int i = 0; i < 16 && glGetError() != GL_NO_ERROR; i++) { // there may be several
    }
    if (first == GL_NO_ERROR) {
        return PAL_OK;
    }
    if (first == GL_OUT_OF_MEMORY) {
        return pal_fail(err, PAL_ERR_MEMORY,
                        "%s: the graphics memory is used up; make the picture smaller", doing);
    }
    return pal_fail(err, PAL_ERR_UNSUPPORTED,
                    "%s: OpenGL refuses (error 0x%04x); update the graphics driver, or set "
                    "LIBGL_ALWAYS_SOFTWARE=1 to draw without it",
                    doing, (unsigned)first);
}

void pal_gl_finish(void) {
    glFinish();
}
