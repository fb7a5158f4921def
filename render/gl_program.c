#include "render/gl_program.h"

#include <epoxy/gl.h>
#include <stdbool.h>
#include <string.h>

enum { LOG = 700 };

// A log on one line.
static void flatten(char *log) {
    for (char *c = log; *c != '\0'; c++) {
        *c = *c == '\n' || *c == '\t' ? ' ' : *c;
    }
    for (size_t n = strlen(log); n > 0 && log[n - 1] == ' '; n--) {
        log[n - 1] = '\0';
    }
}

static pal_status compile(GLuint program, GLenum kind, const char *stage, const pal_gl_source *from,
                          const char *text, pal_err *err) {
    static const char version[] = "#version 330 core\n";
    const bool shares = kind == GL_FRAGMENT_SHADER && from->shared != NULL;
    const char *part[3] = {version, shares ? from->shared : "", text};
    const GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 3, part, NULL);
    glCompileShader(shader);
    GLint good = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (!good) {
        char log[LOG] = "";
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        flatten(log);
        glDeleteShader(shader);
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "the driver does not take the %s shader of '%s': %s", stage, from->name,
                        log);
    }
    glAttachShader(program, shader);
    glDeleteShader(shader); // with the program
    return PAL_OK;
}

static pal_status link_program(GLuint program, const pal_gl_source *from, pal_err *err) {
    int captures = 0;
    while (captures < PAL_GL_CAPTURES && from->capture[captures] != NULL) {
        captures++;
    }
    if (captures > 0) {
        glTransformFeedbackVaryings(program, captures, from->capture, GL_INTERLEAVED_ATTRIBS);
    }
    glLinkProgram(program);
    GLint good = GL_FALSE;
    glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (good) {
        return PAL_OK;
    }
    char log[LOG] = "";
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    flatten(log);
    return pal_fail(err, PAL_ERR_UNSUPPORTED, "the driver does not link the shaders of '%s': %s",
                    from->name, log);
}

pal_status pal_gl_program_make(const pal_gl_source *from, unsigned *program, pal_err *err) {
    const struct {
        GLenum kind;
        const char *stage, *text;
    } part[] = {{GL_VERTEX_SHADER, "vertex", from->vertex},
                {GL_GEOMETRY_SHADER, "geometry", from->geometry},
                {GL_FRAGMENT_SHADER, "fragment", from->fragment}};
    pal_status status = PAL_OK;
    *program = glCreateProgram();
    for (size_t i = 0; status == PAL_OK && i < sizeof part / sizeof *part; i++) {
        if (part[i].text != NULL) {
            status = compile(*program, part[i].kind, part[i].stage, from, part[i].text, err);
        }
    }
    if (status == PAL_OK) {
        status = link_program(*program, from, err);
    }
    if (status != PAL_OK) {
        pal_gl_program_free(program);
    }
    return status;
}

void pal_gl_program_free(unsigned *program) {
    if (*program != 0) {
        glDeleteProgram(*program);
    }
    *program = 0;
}
