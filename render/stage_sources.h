// The texts of the stage's shaders, for stage_shaders.c.
#ifndef PAL_RENDER_STAGE_SOURCES_H
#define PAL_RENDER_STAGE_SOURCES_H

#include "render/gl_program.h"
#include "render/stage_shaders.h"

extern const pal_gl_source pal_stage_sources[PAL_STAGE_PROGRAMS];

#endif
