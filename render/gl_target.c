#include "render/gl_target.h"

#include <epoxy/gl.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

enum { SAMPLES = 4 };

void pal_gl_target_free(pal_gl_target *target) {
    glDeleteFramebuffers(1, &target->many); // 0 is left alone
    glDeleteFramebuffers(1, &target->plain);
    glDeleteRenderbuffers(2, target->colour);
    glDeleteRenderbuffers(1, &target->depth);
    *target = (pal_gl_target){.quick = target->quick};
}

static void make_storage(GLuint buffer, int32_t samples, GLenum format, int32_t width,
                         int32_t height) {
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
}

static pal_status make(pal_gl_target *target, int32_t width, int32_t height, pal_err *err) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    target->samples = target->quick ? 0 : most < SAMPLES ? most : SAMPLES;
    glGenFramebuffers(1, &target->many);
    glGenFramebuffers(1, &target->plain);
    glGenRenderbuffers(2, target->colour);
    glGenRenderbuffers(1, &target->depth);
    make_storage(target->colour[0], target->samples, GL_RGBA8, width, height);
    make_storage(target->colour[1], 0, GL_RGBA8, width, height);
    make_storage(target->depth, target->samples, GL_DEPTH_COMPONENT24, width, height);
    const pal_status status = pal_gl_check("making room for the picture", err);
    if (status != PAL_OK) {
        return status;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, target->plain);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                              target->colour[1]);
    bool whole = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    glBindFramebuffer(GL_FRAMEBUFFER, target->many);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                              target->colour[0]);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target->depth);
    whole = whole && glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    target->width = width;
    target->height = height;
    return whole ? PAL_OK
                 : pal_fail(err, PAL_ERR_UNSUPPORTED,
                            "the driver draws no picture of %d x %d pixels; make it smaller",
                            (int)width, (int)height);
}

pal_status pal_gl_target_size(pal_gl_target *target, const pal_gl_context *context, int32_t width,
                              int32_t height, pal_err *err) {
    if (target->width == width && target->height == height && width > 0 && height > 0) {
        return PAL_OK;
    }
    pal_gl_target_free(target);
    if (width < 1 || height < 1 || width > context->largest || height > context->largest) {
        return pal_fail(err, PAL_ERR_USAGE,
                        "a picture of %d x %d pixels; give 1 to %d for each side", (int)width,
                        (int)height, (int)context->largest);
    }
    const pal_status status = make(target, width, height, err);
    if (status != PAL_OK) {
        pal_gl_target_free(target);
    }
    return status;
}

void pal_gl_target_begin(const pal_gl_target *target) {
    glBindFramebuffer(GL_FRAMEBUFFER, target->many);
    glViewport(0, 0, target->width, target->height);
}

static void copy(const pal_gl_target *target, GLuint from, GLuint to) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
    glBlitFramebuffer(0, 0, target->width, target->height, 0, 0, target->width, target->height,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

void pal_gl_target_resolve(const pal_gl_target *target) {
    copy(target, target->many, target->plain);
    glBindFramebuffer(GL_FRAMEBUFFER, target->plain);
    glViewport(0, 0, target->width, target->height);
}

void pal_gl_target_show(const pal_gl_target *target, const pal_gl_context *context) {
    if (context->window != NULL && !context->lost) {
        copy(target, target->plain, 0);
    }
}

pal_status pal_gl_target_read(const pal_gl_target *target, pal_image *image, pal_err *err) {
    pal_status status = pal_image_alloc(image, target->width, target->height, (pal_rgb){0}, err);
    if (status != PAL_OK) {
        return status;
    }
    const size_t row = 3 * (size_t)target->width;
    uint8_t *pixels = PAL_NEW(uint8_t, row * (size_t)target->height, err);
    if (pixels == NULL) {
        pal_image_free(image);
        return PAL_ERR_MEMORY;
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, target->plain);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, target->width, target->height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
    for (int32_t y = 0; y < target->height; y++) { // OpenGL counts rows from the bottom
        memcpy(image->rgb + (size_t)y * row, pixels + (size_t)(target->height - 1 - y) * row, row);
    }
    free(pixels);
    status = pal_gl_check("reading the picture", err);
    if (status != PAL_OK) {
        pal_image_free(image);
    }
    return status;
}
