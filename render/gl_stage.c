// A stage: what is opened once, and the order of a picture.
#include "render/gl_stage.h"

#include <epoxy/gl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/colormap.h"
#include "render/gl_stage_parts.h"
#include "render/lathe.h"
#include "render/palette.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

enum { COLOURS = 256 };
static const double usual_force = 3.0; // N

// ---- set-up

static void make_colours(pal_stage *s) {
    float linear[COLOURS][3];
    for (int i = 0; i < COLOURS; i++) {
        double rgb[3];
        pal_colormap(i / (COLOURS - 1.0), rgb);
        for (int c = 0; c < 3; c++) {
            linear[i][c] = (float)pal_srgb_to_linear(rgb[c]);
        }
    }
    glGenTextures(1, &s->colours);
    glActiveTexture(GL_TEXTURE0 + PAL_UNIT_COLOURS);
    glBindTexture(GL_TEXTURE_2D, s->colours);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB32F, COLOURS, 1, 0, GL_RGB, GL_FLOAT, linear);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
}

// Of a tree each domain is a region of its own.
static pal_status make_regions(pal_stage *s, pal_err *err) {
    const pal_stage_spec *spec = &s->spec;
    s->region_count = spec->tree != NULL    ? spec->tree->domain_count
                      : spec->model != NULL ? spec->model->region_count
                                            : 0;
    const int32_t rows = s->region_count / PAL_STAGE_ROW + 1;
    float(*linear)[3] = calloc((size_t)(rows * PAL_STAGE_ROW), sizeof *linear);
    s->region_colour = PAL_NEW(pal_rgb, rows * PAL_STAGE_ROW, err);
    if (linear == NULL || s->region_colour == NULL) {
        free(linear);
        return pal_fail(err, PAL_ERR_MEMORY, "no memory for the colours of %d regions",
                        (int)s->region_count);
    }
    const pal_status status = pal_palette_make(s->region_count, s->region_colour, err);
    for (int32_t i = 0; i < s->region_count; i++) {
        const pal_rgb *colour = &s->region_colour[i];
        linear[i][0] = (float)pal_srgb_to_linear(colour->r);
        linear[i][1] = (float)pal_srgb_to_linear(colour->g);
        linear[i][2] = (float)pal_srgb_to_linear(colour->b);
    }
    glGenTextures(1, &s->regions);
    glActiveTexture(GL_TEXTURE0 + PAL_UNIT_REGIONS);
    glBindTexture(GL_TEXTURE_2D, s->regions);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB32F, PAL_STAGE_ROW, rows, 0, GL_RGB, GL_FLOAT, linear);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    free(linear);
    return status;
}

static pal_status make_shadow(pal_stage *s, pal_err *err) {
    static const float open[4] = {1.0F, 1.0F, 1.0F, 1.0F};
    glGenTextures(1, &s->shadow_map);
    glActiveTexture(GL_TEXTURE0 + PAL_UNIT_SHADOW);
    glBindTexture(GL_TEXTURE_2D, s->shadow_map);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, s->shadow_side, s->shadow_side, 0,
                 GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
    glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, open);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glGenFramebuffers(1, &s->shadow_buffer);
    glBindFramebuffer(GL_FRAMEBUFFER, s->shadow_buffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, s->shadow_map, 0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE
               ? PAL_OK
               : pal_fail(err, PAL_ERR_UNSUPPORTED, "the driver draws no shadow map");
}

static pal_status make_soft(pal_stage *s, pal_err *err) {
    glGenTextures(2, s->soft_map);
    glGenFramebuffers(2, s->soft_buffer);
    glActiveTexture(GL_TEXTURE0 + PAL_UNIT_SOFT);
    for (int i = 0; i < 2; i++) {
        glBindTexture(GL_TEXTURE_2D, s->soft_map[i]);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, PAL_SOFT_SIDE, PAL_SOFT_SIDE, 0, GL_RED,
                     GL_UNSIGNED_BYTE, NULL);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER); // black
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
        glBindFramebuffer(GL_FRAMEBUFFER, s->soft_buffer[i]);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, s->soft_map[i],
                               0);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
            return pal_fail(err, PAL_ERR_UNSUPPORTED, "the driver draws no soft shadow");
        }
    }
    return PAL_OK;
}

// Lathe work straight into graphics memory.
static pal_status turn_mesh(pal_status made, pal_surface *surface, pal_gl_mesh *mesh,
                            pal_err *err) {
    const pal_status status = made == PAL_OK ? pal_gl_mesh_make(surface, mesh, err) : made;
    pal_surface_free(surface);
    return status;
}

static void measure_tool(pal_stage *s, int32_t h, const pal_surface *surface) {
    pal_surface_box(surface, s->tool_box[h][0], s->tool_box[h][1]);
    for (int32_t v = 0; v < surface->vertex_count; v++) {
        s->bound[h] = fmax(s->bound[h], pal_norm3(surface->x + 3 * (int64_t)v));
    }
    if (s->spec.tool[h].kind == PAL_LOOK_BALL) {
        s->tool_box[h][1][2] = PAL_HANDLE_RADII * s->spec.tool[h].radius;
    }
}

static pal_status make_tool(pal_stage *s, int32_t h, pal_err *err) {
    const pal_tool_look *look = &s->spec.tool[h];
    pal_surface turned = {0};
    pal_status status = PAL_OK;
    switch (look->kind) {
    case PAL_LOOK_BALL:
        status = pal_lathe_ball(look->radius, &turned, err);
        break;
    case PAL_LOOK_CAPSULE:
        status = pal_lathe_capsule(look->radius, look->length, &turned, err);
        break;
    case PAL_LOOK_CYLINDER:
        status = pal_lathe_cylinder(look->radius, look->length, look->rounding, &turned, err);
        break;
    case PAL_LOOK_SURFACE:
        measure_tool(s, h, look->surface);
        return pal_gl_mesh_make(look->surface, &s->tool[h], err);
    }
    if (status == PAL_OK) {
        measure_tool(s, h, &turned);
    }
    return turn_mesh(status, &turned, &s->tool[h], err);
}

// A slab that stands for the wall.
static pal_status make_wall(pal_stage *s, pal_err *err) {
    static const int32_t side[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                        {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                        {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
    static const double half = 0.05, thick = 0.02; // m
    pal_surface slab;
    pal_status status = pal_surface_alloc(&slab, 8, 12, err);
    for (int v = 0; status == PAL_OK && v < 8; v++) {
        const double x[3] = {v % 4 == 1 || v % 4 == 2 ? half : -half, v % 4 > 1 ? half : -half,
                             s->spec.wall_height - (v < 4 ? thick : 0.0)};
        memcpy(slab.x + 3 * v, x, sizeof x);
    }
    if (status == PAL_OK) {
        memcpy(slab.triangle, side, sizeof side);
        memcpy(s->box[0], (double[3]){-half, -half, s->spec.wall_height - thick}, sizeof s->box[0]);
        memcpy(s->box[1], (double[3]){half, half, s->spec.wall_height}, sizeof s->box[1]);
    }
    return turn_mesh(status, &slab, &s->wall, err);
}

// The vertices that are held, on the boundary of the volume mesh: only when they are looked at
// first. Without memory for them, they are left out.
void pal_stage_make_held(pal_stage *s) {
    const pal_model *model = s->spec.model;
    s->has_held = true;
    if (model == NULL || s->spec.tree != NULL) {
        return;
    }
    const pal_volmesh *mesh = &model->mesh;
    uint8_t *outside = PAL_NEW(uint8_t, mesh->vertex_count, NULL);
    float *x = PAL_NEW(float, 3 * (size_t)mesh->vertex_count, NULL);
    const bool known =
        outside != NULL && x != NULL && pal_surface_mark(mesh, outside, NULL) == PAL_OK;
    for (int64_t v = 0; known && v < mesh->vertex_count; v++) {
        if (model->held[v] && outside[v]) {
            for (int c = 0; c < 3; c++) {
                x[3 * (int64_t)s->held_count + c] = (float)mesh->x[3 * v + c];
            }
            s->held_count++;
        }
    }
    if (known) {
        glGenVertexArrays(1, &s->held_array);
        glBindVertexArray(s->held_array);
        glGenBuffers(1, &s->held_buffer);
        glBindBuffer(GL_ARRAY_BUFFER, s->held_buffer);
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(3 * (size_t)s->held_count * sizeof *x), x,
                     GL_STATIC_DRAW);
        glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
        glEnableVertexAttribArray(0);
    }
    free(outside);
    free(x);
}

static void make_lines(pal_stage *s) {
    glGenVertexArrays(1, &s->line_array);
    glBindVertexArray(s->line_array);
    glGenBuffers(1, &s->line_buffer);
    glBindBuffer(GL_ARRAY_BUFFER, s->line_buffer);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
}

static pal_status make_marks(pal_stage *s, pal_err *err) {
    pal_surface turned = {0};
    pal_status status = turn_mesh(pal_lathe_ball(1.0, &turned, err), &turned, &s->ball, err);
    if (status == PAL_OK) {
        status = turn_mesh(pal_lathe_arrow(&turned, err), &turned, &s->arrow, err);
    }
    if (status == PAL_OK) {
        status = turn_mesh(pal_lathe_handle(&turned, err), &turned, &s->handle, err);
    }
    for (int32_t h = 0; status == PAL_OK && h < s->spec.tool_count; h++) {
        status = make_tool(s, h, err);
    }
    return status;
}

static pal_status make_scene(pal_stage *s, const pal_gl_context *context, pal_err *err) {
    const pal_model *model = s->spec.model;
    s->has_body = model != NULL;
    if (model == NULL) {
        return make_wall(s, err);
    }
    pal_surface_box(&model->surface, s->box[0], s->box[1]);
    return pal_gl_body_open(&s->body, model, s->spec.tree, s->spec.way, context->software, err);
}

// How high the lowest side of a box is.
static double lowest(const pal_stage *s, const double low[3], const double high[3]) {
    const int axis = pal_up_axis(s->spec.up);
    return pal_up_sign(s->spec.up) > 0.0 ? low[axis] : -high[axis];
}

static pal_status open(pal_stage *s, const pal_gl_context *context, pal_err *err) {
    pal_status status = pal_stage_shaders_make(&s->shaders, err);
    s->shadow_side = context->software ? 1024 : 2048;
    if (status == PAL_OK) {
        make_colours(s);
        make_lines(s);
        status = make_regions(s, err);
    }
    if (status == PAL_OK) {
        status = make_shadow(s, err);
    }
    if (status == PAL_OK) {
        status = make_soft(s, err);
    }
    if (status == PAL_OK) {
        status = make_marks(s, err);
    }
    if (status == PAL_OK) {
        status = make_scene(s, context, err);
    }
    if (status == PAL_OK) {
        double diagonal[3];
        pal_sub3(s->box[1], s->box[0], diagonal);
        s->reach = 0.5 * pal_norm3(diagonal);
        s->floor = lowest(s, s->box[0], s->box[1]);
        status = pal_gl_check("setting up the scene", err);
    }
    return status;
}

pal_status pal_stage_open(pal_stage **stage, const pal_gl_context *context,
                          const pal_stage_spec *spec, pal_err *err) {
    pal_stage *s = *stage = PAL_NEW(pal_stage, 1, err);
    if (s == NULL) {
        return PAL_ERR_MEMORY;
    }
    s->spec = *spec;
    pal_up_frame(spec->up, s->upright);
    s->spec.full_force = spec->full_force > 0.0 ? spec->full_force : usual_force;
    const pal_status status = open(s, context, err);
    if (status != PAL_OK) {
        pal_stage_close(s);
        *stage = NULL;
    }
    return status;
}

void pal_stage_close(pal_stage *s) {
    if (s == NULL) {
        return;
    }
    pal_gl_body_close(&s->body);
    pal_gl_mesh *mesh[] = {&s->ball, &s->arrow, &s->handle, &s->wall};
    for (size_t i = 0; i < sizeof mesh / sizeof *mesh; i++) {
        pal_gl_mesh_free(mesh[i]);
    }
    for (int32_t h = 0; h < PAL_SNAPSHOT_HANDS; h++) {
        pal_gl_mesh_free(&s->tool[h]);
    }
    if (s->shaders.program[0] != 0) { // 0s are left alone
        glDeleteTextures(1, &s->colours);
        glDeleteTextures(1, &s->regions);
        glDeleteTextures(1, &s->shadow_map);
        glDeleteFramebuffers(1, &s->shadow_buffer);
        glDeleteTextures(2, s->soft_map);
        glDeleteFramebuffers(2, s->soft_buffer);
        glDeleteVertexArrays(1, &s->line_array);
        glDeleteBuffers(1, &s->line_buffer);
        glDeleteVertexArrays(1, &s->held_array);
        glDeleteBuffers(1, &s->held_buffer);
    }
    pal_stage_shaders_free(&s->shaders);
    free(s->region_colour);
    free(s);
}

// ---- a picture

pal_status pal_stage_draw(pal_stage *s, const pal_gl_target *target, const pal_view *view,
                          const pal_snapshot *shot, pal_err *err) {
    s->view = *view;
    s->view.up = s->spec.up;
    pal_view_settle(&s->view);
    if (s->spec.tree != NULL && s->view.colouring == PAL_BY_ENERGY) {
        s->view.colouring = PAL_BY_DISPLACEMENT; // where in a domain the energy is, is not known
    }
    s->shot = *shot;
    s->width = target->width;
    s->height = target->height;

    // The body as it is now
    if (s->has_body) {
        pal_gl_body_update(&s->body, &s->shaders, shot,
                           s->view.colouring == PAL_BY_ENERGY ? PAL_DEFORM_NUMBER
                                                              : PAL_DEFORM_MOVED);
        s->floor = fmin(s->floor, lowest(s, s->body.extent.low, s->body.extent.high));
        s->most = view->most > 0.0 ? view->most : pal_round_up(fmax(s->body.most, 1e-5));
    }

    // Camera and light, and what the light does not reach
    pal_stage_set_frame(s);
    pal_stage_draw_shadow(s);

    // What hides comes first, so that nothing is shaded in vain; what is seen through comes last
    pal_gl_target_begin(target);
    pal_stage_begin_picture(s);
    pal_stage_draw_tools(s);
    if (s->view.volume) { // the body is seen through
        pal_stage_draw_backdrop(s);
        pal_stage_draw_body(s);
    } else {
        pal_stage_draw_body(s);
        pal_stage_draw_backdrop(s);
    }
    pal_stage_draw_marks(s);
    pal_gl_target_resolve(target);
    return pal_gl_check("drawing the scene", err);
}

pal_stage_facts pal_stage_tell(const pal_stage *s) {
    return (pal_stage_facts){.way = s->body.way,
                             .camera = s->camera,
                             .most = s->most,
                             .largest = s->has_body ? s->body.most : 0.0,
                             .updates = s->body.updates,
                             .metre = s->metre,
                             .points = pal_gl_body_points(&s->body),
                             .corners = s->body.facets.count};
}
