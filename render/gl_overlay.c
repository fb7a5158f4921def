#include "render/gl_overlay.h"

#include <epoxy/gl.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "render/gl_context.h"
#include "render/gl_program.h"
#include "render/glyph_atlas.h"
#include "sim/base/memory.h"

// Everything is a box: a glyph with its place in the atlas, or a shape with round corners, whose
// distance to the edge gives each pixel its cover; a line is a box that is turned.
typedef struct corner {
    float x, y;    // pixels
    float at[2];   // in the atlas, or from the middle of the box, pixels
    float half[2]; // half of the box's sides
    float radius;  // of its corners; below 0: a glyph
    float ring;    // width of an outline; 0: filled
    pal_rgba colour;
} corner;

enum { CORNERS = 6, MOST_TEXT = 255 };

struct pal_overlay {
    pal_font *font[2];
    pal_atlas atlas;
    unsigned program, texture, buffer, array;
    int size_at; // of the uniform
    int32_t width, height;
    double scale;
    corner *corner; // [room]
    int64_t count, room;
    int64_t drawn; // of them, already
    bool clipped;
    int32_t clip[4]; // pixels: x, y (from the bottom), width, height
    pal_err trouble; // the first
};

static const char vertex_text[] = "layout(location = 0) in vec2 place;\n"
                                  "layout(location = 1) in vec4 box;\n"
                                  "layout(location = 2) in vec2 edge;\n"
                                  "layout(location = 3) in vec4 colour;\n"
                                  "uniform vec2 size;\n"
                                  "out vec2 at;\n"
                                  "flat out vec2 half_size;\n"
                                  "flat out vec2 rounding;\n"
                                  "out vec4 tint;\n"
                                  "void main() {\n"
                                  "    at = box.xy;\n"
                                  "    half_size = box.zw;\n"
                                  "    rounding = edge;\n"
                                  "    tint = colour;\n"
                                  "    gl_Position = vec4(2.0 * place.x / size.x - 1.0, 1.0 - 2.0 "
                                  "* place.y / size.y, 0.0, 1.0);\n"
                                  "}\n";

static const char fragment_text[] =
    "in vec2 at;\n"
    "flat in vec2 half_size;\n"
    "flat in vec2 rounding;\n"
    "in vec4 tint;\n"
    "uniform sampler2D atlas;\n"
    "out vec4 colour;\n"
    "void main() {\n"
    "    float cover;\n"
    "    if (rounding.x < 0.0) {\n"
    "        cover = texelFetch(atlas, ivec2(at), 0).r;\n"
    "    } else {\n"
    "        vec2 d = abs(at) - half_size + rounding.x;\n"
    "        float far = length(max(d, 0.0)) + min(max(d.x, d.y), 0.0) - rounding.x;\n"
    "        cover = clamp(0.5 - far, 0.0, 1.0);\n"
    "        if (rounding.y > 0.0)\n"
    "            cover *= clamp(0.5 + far + rounding.y, 0.0, 1.0);\n"
    "    }\n"
    "    colour = vec4(tint.rgb, tint.a * cover);\n"
    "}\n";

// ---- set-up

static void make_array(pal_overlay *o) {
    static const struct {
        int size;
        GLenum kind;
        GLboolean unit;
        size_t offset;
    } part[] = {{2, GL_FLOAT, GL_FALSE, offsetof(corner, x)},
                {4, GL_FLOAT, GL_FALSE, offsetof(corner, at)},
                {2, GL_FLOAT, GL_FALSE, offsetof(corner, radius)},
                {4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(corner, colour)}};
    glGenVertexArrays(1, &o->array);
    glBindVertexArray(o->array);
    glGenBuffers(1, &o->buffer);
    glBindBuffer(GL_ARRAY_BUFFER, o->buffer);
    for (GLuint i = 0; i < sizeof part / sizeof *part; i++) {
        glVertexAttribPointer(i, part[i].size, part[i].kind, part[i].unit, sizeof(corner),
                              (const void *)part[i].offset);
        glEnableVertexAttribArray(i);
    }
}

static void make_texture(pal_overlay *o) {
    glGenTextures(1, &o->texture);
    glBindTexture(GL_TEXTURE_2D, o->texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

static pal_status open(pal_overlay *o, pal_err *err) {
    static const pal_gl_source source = {
        .name = "overlay", .vertex = vertex_text, .fragment = fragment_text};
    pal_status status = pal_font_open(PAL_FONT_PLAIN, &o->font[PAL_FONT_PLAIN], err);
    if (status == PAL_OK) {
        status = pal_font_open(PAL_FONT_BOLD, &o->font[PAL_FONT_BOLD], err);
    }
    if (status == PAL_OK) {
        status = pal_atlas_open(&o->atlas, err);
    }
    if (status == PAL_OK) {
        status = pal_gl_program_make(&source, &o->program, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    o->size_at = glGetUniformLocation(o->program, "size");
    make_array(o);
    make_texture(o);
    return pal_gl_check("setting up the overlay", err);
}

pal_status pal_overlay_open(pal_overlay **overlay, pal_err *err) {
    *overlay = PAL_NEW(pal_overlay, 1, err);
    pal_status status = *overlay != NULL ? open(*overlay, err) : PAL_ERR_MEMORY;
    if (status != PAL_OK) {
        pal_overlay_close(*overlay);
        *overlay = NULL;
    }
    return status;
}

void pal_overlay_close(pal_overlay *o) {
    if (o == NULL) {
        return;
    }
    if (o->program != 0) {
        glDeleteVertexArrays(1, &o->array);
        glDeleteBuffers(1, &o->buffer);
        glDeleteTextures(1, &o->texture);
        pal_gl_program_free(&o->program);
    }
    pal_font_close(o->font[PAL_FONT_PLAIN]);
    pal_font_close(o->font[PAL_FONT_BOLD]);
    pal_atlas_close(&o->atlas);
    free(o->corner);
    free(o);
}

// ---- gathering

void pal_overlay_begin(pal_overlay *o, int32_t width, int32_t height, double scale) {
    o->width = width;
    o->height = height;
    o->scale = scale;
    o->count = o->drawn = 0;
    o->clipped = false;
    o->trouble = (pal_err){0};
}

double pal_overlay_width(const pal_overlay *o) {
    return o->width / o->scale;
}

double pal_overlay_height(const pal_overlay *o) {
    return o->height / o->scale;
}

// Room for one more box, or NULL: it is then left out.
static corner *next_box(pal_overlay *o) {
    if (o->count + CORNERS > o->room) {
        const int64_t room = o->room == 0 ? 4096 : 2 * o->room;
        corner *grown = PAL_NEW(corner, room, o->trouble.status == PAL_OK ? &o->trouble : NULL);
        if (grown == NULL) {
            return NULL;
        }
        if (o->count > 0) {
            memcpy(grown, o->corner, (size_t)o->count * sizeof *grown);
        }
        free(o->corner);
        o->corner = grown;
        o->room = room;
    }
    o->count += CORNERS;
    return o->corner + o->count - CORNERS;
}

// The six corners of two triangles as places -1 or 1 in the box.
static const float sign[CORNERS][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, -1}, {1, 1}, {-1, 1}};

// A box about (x, y) with half sides, along the unit direction (ex, ey), all in pixels; it is drawn
// a pixel beyond its edge, where the cover fades.
static corner *shape(pal_overlay *o, const double middle[2], const double half[2],
                     const double along[2], double radius, double ring, pal_rgba colour) {
    corner *c = next_box(o);
    for (int i = 0; c != NULL && i < CORNERS; i++) {
        const double u = sign[i][0] * (half[0] + 1.0), v = sign[i][1] * (half[1] + 1.0);
        c[i] = (corner){.x = (float)(middle[0] + u * along[0] - v * along[1]),
                        .y = (float)(middle[1] + u * along[1] + v * along[0]),
                        .at = {(float)u, (float)v},
                        .half = {(float)half[0], (float)half[1]},
                        .radius = (float)fmin(radius, fmin(half[0], half[1])),
                        .ring = (float)ring,
                        .colour = colour};
    }
    return c;
}

static corner *upright(pal_overlay *o, double x, double y, double width, double height,
                       double radius, double ring, pal_rgba colour) {
    static const double right[2] = {1.0, 0.0};
    const double half[2] = {0.5 * width * o->scale, 0.5 * height * o->scale};
    const double middle[2] = {x * o->scale + half[0], y * o->scale + half[1]};
    return shape(o, middle, half, right, radius * o->scale, ring * o->scale, colour);
}

void pal_overlay_box(pal_overlay *o, double x, double y, double width, double height, double radius,
                     pal_rgba colour) {
    upright(o, x, y, width, height, radius, 0.0, colour);
}

void pal_overlay_frame(pal_overlay *o, double x, double y, double width, double height, double line,
                       pal_rgba colour) {
    upright(o, x, y, width, height, 0.0, line, colour);
}

void pal_overlay_disc(pal_overlay *o, double x, double y, double radius, pal_rgba colour) {
    upright(o, x - radius, y - radius, 2.0 * radius, 2.0 * radius, radius, 0.0, colour);
}

void pal_overlay_gradient(pal_overlay *o, double x, double y, double width, double height,
                          pal_rgba left, pal_rgba right) {
    const double from = round(x * o->scale) / o->scale; // whole pixels: neighbours join
    const double to = round((x + width) * o->scale) / o->scale;
    corner *c = upright(o, from, y, to - from, height, 0.0, 0.0, left);
    for (int i = 0; c != NULL && i < CORNERS; i++) {
        c[i].colour = sign[i][0] > 0 ? right : left;
    }
}

void pal_overlay_line(pal_overlay *o, double x0, double y0, double x1, double y1, double width,
                      pal_rgba colour) {
    const double s = o->scale, length = hypot(x1 - x0, y1 - y0);
    const double along[2] = {length > 0.0 ? (x1 - x0) / length : 1.0,
                             length > 0.0 ? (y1 - y0) / length : 0.0};
    const double thick = 0.5 * fmax(width * s, 1.0); // a thinner one would be hard to see
    const double middle[2] = {0.5 * s * (x0 + x1), 0.5 * s * (y0 + y1)};
    const double half[2] = {0.5 * s * length + thick, thick};
    shape(o, middle, half, along, thick, 0.0, colour);
}

void pal_overlay_polyline(pal_overlay *o, const float *point, int32_t count, double width,
                          pal_rgba colour) {
    for (int32_t k = 0; k + 1 < count; k++) {
        const float *p = point + 2 * (int64_t)k;
        if (isfinite(p[0] + p[1] + p[2] + p[3])) {
            pal_overlay_line(o, p[0], p[1], p[2], p[3], width, colour);
        }
    }
}

// ---- text

static int32_t pixels_of(const pal_overlay *o, const pal_text_style *style) {
    const double size = round(style->size * o->scale);
    return (int32_t)fmin(fmax(size, 1.0), MOST_TEXT);
}

double pal_overlay_text_width(const pal_overlay *o, const pal_text_style *style, const char *text) {
    const pal_label_style label = {.font = o->font[style->weight], .size = pixels_of(o, style)};
    return pal_label_width(&label, text) / o->scale;
}

static void draw_gathered(pal_overlay *o);

static void put_glyph(pal_overlay *o, const pal_atlas_glyph *glyph, double x, double y,
                      pal_rgba colour) {
    corner *c = glyph->width > 0 ? next_box(o) : NULL;
    for (int i = 0; c != NULL && i < CORNERS; i++) {
        const float u = sign[i][0] > 0 ? glyph->width : 0, v = sign[i][1] > 0 ? glyph->height : 0;
        c[i] = (corner){.x = (float)x + (float)glyph->left + u,
                        .y = (float)y + (float)glyph->top + v,
                        .at = {(float)glyph->x + u, (float)glyph->y + v},
                        .radius = -1.0F,
                        .colour = colour};
    }
}

// The glyph, for which older ones may have to go; NULL: it cannot be had.
static const pal_atlas_glyph *find_glyph(pal_overlay *o, const pal_text_style *style, int32_t size,
                                         int code, int shift) {
    const pal_atlas_glyph *glyph = NULL;
    pal_err err;
    pal_status status = pal_atlas_find(&o->atlas, o->font[style->weight], style->weight, size, code,
                                       shift, &glyph, &err);
    if (status == PAL_OK && glyph == NULL) {
        draw_gathered(o);
        pal_atlas_forget(&o->atlas);
        status = pal_atlas_find(&o->atlas, o->font[style->weight], style->weight, size, code, shift,
                                &glyph, &err);
    }
    if (status != PAL_OK && o->trouble.status == PAL_OK) {
        o->trouble = err;
    }
    return status == PAL_OK ? glyph : NULL;
}

// From a pen on a base line, pixels.
static void put_text(pal_overlay *o, const pal_text_style *style, double pen, double base,
                     pal_rgba colour, const char *text) {
    const int32_t size = pixels_of(o, style);
    while (*text != '\0') {
        const int code = pal_font_next(&text);
        const double quarter = floor(pen * PAL_ATLAS_SHIFTS + 0.5);
        const double whole = floor(quarter / PAL_ATLAS_SHIFTS);
        const pal_atlas_glyph *glyph =
            find_glyph(o, style, size, code, (int)(quarter - whole * PAL_ATLAS_SHIFTS));
        if (glyph != NULL) {
            put_glyph(o, glyph, whole, base, colour);
        }
        pen += pal_font_advance(o->font[style->weight], size, code, text);
    }
}

double pal_overlay_text(pal_overlay *o, const pal_text_style *style, double x, double y,
                        const char *text) {
    static const pal_rgba white = {255, 255, 255, 210};
    static const double way[8][2] = {{1, 0},  {0.7, 0.7},   {0, 1},  {-0.7, 0.7},
                                     {-1, 0}, {-0.7, -0.7}, {0, -1}, {0.7, -0.7}};
    const double width = pal_overlay_text_width(o, style, text);
    const double pen = (x - 0.5 * (double)style->align * width) * o->scale;
    const double base = round(y * o->scale), reach = fmax(style->outline * o->scale, 1.0);
    for (int k = 0; style->outline > 0.0 && k < 8; k++) {
        put_text(o, style, pen + reach * way[k][0], base + round(reach * way[k][1]), white, text);
    }
    put_text(o, style, pen, base, style->colour, text);
    return width;
}

double pal_overlay_text_within(pal_overlay *o, const pal_text_style *style, double x, double y,
                               double room, const char *text) {
    static const double smallest = 0.8; // of the size
    pal_text_style fitted = *style;
    char cut[PAL_OVERLAY_TEXT];
    const double width = pal_overlay_text_width(o, style, text);
    if (width <= room) {
        return pal_overlay_text(o, style, x, y, text);
    }
    fitted.size = fmax(style->size * room / width - 0.5 / o->scale, smallest * style->size);
    const pal_label_style label = {.font = o->font[style->weight], .size = pixels_of(o, &fitted)};
    pal_label_fit(&label, room * o->scale, text, cut, sizeof cut);
    return pal_overlay_text(o, &fitted, x, y, cut);
}

// ---- drawing

static void draw_gathered(pal_overlay *o) {
    const int64_t count = o->count - o->drawn;
    if (count <= 0) {
        return;
    }
    glUseProgram(o->program);
    glUniform2f(o->size_at, (float)o->width, (float)o->height);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, o->texture);
    if (o->atlas.changed) {
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, PAL_ATLAS_SIDE, PAL_ATLAS_SIDE, 0, GL_RED,
                     GL_UNSIGNED_BYTE, o->atlas.cover);
        o->atlas.changed = false;
    }
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    if (o->clipped) {
        glEnable(GL_SCISSOR_TEST);
        glScissor(o->clip[0], o->clip[1], o->clip[2], o->clip[3]);
    }
    glBindVertexArray(o->array);
    glBindBuffer(GL_ARRAY_BUFFER, o->buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)count * sizeof(corner)),
                 o->corner + o->drawn, GL_STREAM_DRAW);
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)count);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_BLEND);
    o->drawn = o->count;
}

void pal_overlay_clip(pal_overlay *o, double x, double y, double width, double height) {
    draw_gathered(o);
    o->clipped = width >= 0.0;
    o->clip[0] = (int32_t)floor(x * o->scale);
    o->clip[1] = o->height - (int32_t)ceil((y + height) * o->scale);
    o->clip[2] = (int32_t)ceil(fmax(width, 0.0) * o->scale);
    o->clip[3] = (int32_t)ceil(fmax(height, 0.0) * o->scale);
}

pal_status pal_overlay_end(pal_overlay *o, pal_err *err) {
    draw_gathered(o);
    o->clipped = false;
    if (o->trouble.status != PAL_OK) {
        return pal_fail(err, o->trouble.status, "%.900s", o->trouble.text);
    }
    return pal_gl_check("drawing the overlay", err);
}
