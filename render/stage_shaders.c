#include "render/stage_shaders.h"

#include <epoxy/gl.h>
#include <stddef.h>
#include <string.h>

#include "render/facets.h"
#include "render/gl_context.h"
#include "render/gl_program.h"
#include "render/stage_sources.h"

// Samplers have their units for good, and the block its place.
static void connect(unsigned program) {
    static const struct {
        const char *name;
        int unit;
    } sampler[] = {{"colours", PAL_UNIT_COLOURS}, {"shadow_map", PAL_UNIT_SHADOW},
                   {"basis", PAL_UNIT_BASIS},     {"places", PAL_UNIT_PLACES},
                   {"pairs", PAL_UNIT_PAIRS},     {"soft_map", PAL_UNIT_SOFT},
                   {"sharp", PAL_UNIT_SOFT},      {"regions", PAL_UNIT_REGIONS}};
    glUseProgram(program);
    for (size_t i = 0; i < sizeof sampler / sizeof *sampler; i++) {
        const int at = glGetUniformLocation(program, sampler[i].name);
        if (at >= 0) {
            glUniform1i(at, sampler[i].unit);
        }
    }
    const GLuint block = glGetUniformBlockIndex(program, "Frame");
    if (block != GL_INVALID_INDEX) {
        glUniformBlockBinding(program, block, 0);
    }
}

pal_status pal_stage_shaders_make(pal_stage_shaders *shaders, pal_err *err) {
    memset(shaders, 0, sizeof *shaders);
    pal_status status = PAL_OK;
    for (int i = 0; status == PAL_OK && i < PAL_STAGE_PROGRAMS; i++) {
        status = pal_gl_program_make(&pal_stage_sources[i], &shaders->program[i], err);
        if (status == PAL_OK) {
            connect(shaders->program[i]);
        }
    }
    if (status == PAL_OK) {
        glGenBuffers(1, &shaders->frame);
        glBindBuffer(GL_UNIFORM_BUFFER, shaders->frame);
        glBufferData(GL_UNIFORM_BUFFER, sizeof(pal_stage_frame), NULL, GL_DYNAMIC_DRAW);
        status = pal_gl_check("setting up the shaders", err);
    }
    if (status != PAL_OK) {
        pal_stage_shaders_free(shaders);
    }
    return status;
}

void pal_stage_shaders_free(pal_stage_shaders *shaders) {
    for (int i = 0; i < PAL_STAGE_PROGRAMS; i++) {
        pal_gl_program_free(&shaders->program[i]);
    }
    if (shaders->frame != 0) {
        glDeleteBuffers(1, &shaders->frame);
    }
    memset(shaders, 0, sizeof *shaders);
}

void pal_stage_shaders_frame(const pal_stage_shaders *shaders, const pal_stage_frame *frame) {
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, shaders->frame);
    glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof *frame, frame);
}

void pal_stage_use(const pal_stage_shaders *shaders, pal_stage_program which) {
    glUseProgram(shaders->program[which]);
}

void pal_stage_set(const pal_stage_shaders *shaders, pal_stage_program which, const char *name,
                   const float *value, int count) {
    const int at = glGetUniformLocation(shaders->program[which], name);
    glUseProgram(shaders->program[which]);
    if (count == 16) {
        glUniformMatrix4fv(at, 1, GL_FALSE, value);
    } else if (count == 4) {
        glUniform4fv(at, 1, value);
    } else {
        glUniform1fv(at, count, value);
    }
}

void pal_stage_set_int(const pal_stage_shaders *shaders, pal_stage_program which, const char *name,
                       int value) {
    glUseProgram(shaders->program[which]);
    glUniform1i(glGetUniformLocation(shaders->program[which], name), value);
}

void pal_stage_attributes(void) {
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(pal_facet_corner),
                          (const void *)offsetof(pal_facet_corner, x));
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, sizeof(pal_facet_corner),
                          (const void *)offsetof(pal_facet_corner, normal));
    glEnableVertexAttribArray(1);
}
