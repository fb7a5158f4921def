// Shader programs. Main thread, a context current.
#ifndef PAL_RENDER_GL_PROGRAM_H
#define PAL_RENDER_GL_PROGRAM_H

#include "sim/base/status.h"

enum { PAL_GL_CAPTURES = 4 };

typedef struct pal_gl_source { // texts of its stages, each without the #version line
    const char *name;          // for messages
    const char *vertex;
    const char *geometry;                 // NULL: none
    const char *fragment;                 // NULL: none
    const char *shared;                   // before the fragment's text; NULL: nothing
    const char *capture[PAL_GL_CAPTURES]; // outputs kept by transform feedback, interleaved
} pal_gl_source;

// *program = 0 on failure; the error holds what the driver says of the shader.
pal_status pal_gl_program_make(const pal_gl_source *source, unsigned *program, pal_err *err);
void pal_gl_program_free(unsigned *program);

#endif
