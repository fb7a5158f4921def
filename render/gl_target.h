// What is drawn into: colour and depth with several samples a pixel, and the plain picture that
// they are resolved to, which goes to a window or to memory. Main thread, a context current.
#ifndef PAL_RENDER_GL_TARGET_H
#define PAL_RENDER_GL_TARGET_H

#include "render/gl_context.h"
#include "render/image.h"

typedef struct pal_gl_target {
    int32_t quick; // set before: 1 for one sample a pixel, which software draws thrice as fast
    int32_t width, height; // pixels; 0: none yet
    int32_t samples;       // of each pixel
    unsigned many, plain;  // framebuffers: with samples, and resolved
    unsigned colour[2];    // their renderbuffers
    unsigned depth;        // of `many`
} pal_gl_target;

// Makes it, or changes its size. A size of zero, beyond the context's largest, or beyond its memory
// is an error; there is then no target, and another size may be tried.
pal_status pal_gl_target_size(pal_gl_target *target, const pal_gl_context *context, int32_t width,
                              int32_t height, pal_err *err);
void pal_gl_target_free(pal_gl_target *target);

void pal_gl_target_begin(const pal_gl_target *target);   // drawing goes to its samples
void pal_gl_target_resolve(const pal_gl_target *target); // and from now on to the plain picture
void pal_gl_target_show(const pal_gl_target *target,
                        const pal_gl_context *context); // to the window

// The plain picture as an image that the caller frees.
pal_status pal_gl_target_read(const pal_gl_target *target, pal_image *image, pal_err *err);

#endif
