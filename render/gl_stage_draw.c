// The picture of a stage: camera and light, the shadow, what is behind, and the body.
#include <epoxy/gl.h>
#include <math.h>
#include <string.h>

#include "render/colormap.h"
#include "render/gl_matrix.h"
#include "render/gl_stage_parts.h"
#include "sim/base/vec3.h"

static const double blur_body = 0.005;  // of the shadow map's side
static const double blur_ground = 0.20; // of its width, from one end of the blur to the other
static const double ground_reach = 6.0; // times the body's

static const double lump_share = 0.08; // of the body's reach: a blotch of tissue

static const pal_pose nowhere = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
static const double as_it_is[3] = {1.0, 1.0, 1.0};

// ---- camera and light

static void make_unit(double v[3]) {
    const double size = pal_norm3(v);
    for (int c = 0; c < 3; c++) {
        v[c] /= size;
    }
}

// A direction given to the right of the camera, towards the eye on the level, and up.
static void direct(const pal_stage *s, double right, double near, double up, double out[3]) {
    double away[3]; // from the eye, on the level
    pal_cross3(s->upright[2], s->camera.right, away);
    for (int c = 0; c < 3; c++) {
        out[c] = right * s->camera.right[c] - near * away[c] + up * s->upright[2][c];
    }
    make_unit(out);
}

static void store(const double from[3], float to[4]) {
    for (int c = 0; c < 3; c++) {
        to[c] = (float)from[c];
    }
}

// A sphere that holds what throws shadows: the body as it may be, and tools that are not far off.
static double shadow_sphere(const pal_stage *s, double centre[3]) {
    double radius = 1.25 * s->reach + (s->has_body ? s->body.extent.most : 0.0);
    for (int c = 0; c < 3; c++) {
        centre[c] = 0.5 * (s->box[0][c] + s->box[1][c]);
    }
    for (int32_t h = 0; h < s->shot.hand_count && h < s->spec.tool_count; h++) {
        double way[3];
        pal_sub3(s->shot.hand[h].tool.x, centre, way);
        const double needs = pal_norm3(way) + s->bound[h];
        radius = needs > radius && needs < 2.0 * s->reach ? needs : radius;
    }
    return radius;
}

static void set_light(pal_stage *s) {
    pal_stage_frame *f = &s->frame;
    pal_camera lamp = {0};
    double direction[3], fill[3], centre[3];
    direct(s, -0.34, 0.30, 1.0, direction);
    direct(s, 0.80, 0.55, 0.05, fill);
    store(direction, f->lamp);
    store(fill, f->fill);
    memcpy(lamp.back, direction, sizeof direction);
    pal_cross3(s->upright[2], direction, lamp.right);
    make_unit(lamp.right);
    pal_cross3(lamp.back, lamp.right, lamp.up);
    const double radius = shadow_sphere(s, centre);
    pal_matrix_of_lamp(&lamp, centre, radius, f->to_lamp);
    f->shadow[0] = s->view.shadow ? 1.0F : 0.0F;
    f->shadow[1] = s->view.quick ? 6.0F : 16.0F;
    f->shadow[2] = (float)blur_body;
    f->grid[2] = (float)(2.0 * radius * blur_body * 1.3);
}

void pal_stage_set_frame(pal_stage *s) {
    pal_stage_frame *f = &s->frame;
    memset(f, 0, sizeof *f);
    pal_view_camera(&s->view, s->width, s->height, &s->camera);
    const double far_off = ground_reach * s->reach, distance = s->view.distance;
    const double near = fmax(distance - far_off, 0.03 * distance);
    pal_matrix_of_camera(&s->camera, s->width, s->height, near, distance + 1.6 * far_off,
                         f->to_clip);
    s->metre = s->camera.focal / distance;
    store(s->camera.eye, f->eye);
    f->screen[0] = (float)s->width;
    f->screen[1] = (float)s->height;
    f->screen[2] = (float)s->view.scale;
    for (int c = 0; c < 2; c++) {
        f->ground[c] = (float)(0.5 * (pal_dot3(s->upright[c], s->box[0]) +
                                      pal_dot3(s->upright[c], s->box[1])));
    }
    f->ground[2] = (float)(s->floor - 1e-3 * s->reach);
    f->ground[3] = (float)far_off;
    f->grid[0] = (float)pal_round_down(s->reach / 4.0);
    f->grid[1] = s->view.trainer ? 0.0F : 0.13F;
    f->grid[3] = s->view.quick ? 0.0F : 1.0F;
    for (int k = 0; k < 3; k++) {
        store(s->upright[k], f->upright + 4 * k);
    }
    f->upright[15] = 1.0F;
    set_light(s);
    pal_stage_shaders_frame(&s->shaders, f);
}

double pal_stage_pixel(const pal_stage *s, const double x[3]) {
    double screen[3];
    pal_camera_project(&s->camera, x, screen);
    return screen[2] > 0.0 ? 1.0 / (screen[2] * s->camera.focal) : 0.0;
}

// ---- meshes and lines

static void set_lumps(const pal_stage *s, pal_stage_program which) {
    const float lumps = (float)(1.0 / (lump_share * s->reach));
    pal_stage_set(&s->shaders, which, "lumps", &lumps, 1);
}

void pal_stage_draw_mesh(const pal_stage *s, const pal_gl_mesh *mesh, const pal_pose *pose,
                         const double size[3], const pal_paint *paint) {
    float matrix[16];
    pal_matrix_of_pose(pose, size, matrix);
    pal_stage_set(&s->shaders, PAL_STAGE_SOLID, "pose", matrix, 16);
    pal_stage_set(&s->shaders, PAL_STAGE_SOLID, "paint", paint->colour, 4);
    pal_stage_set(&s->shaders, PAL_STAGE_SOLID, "gloss", &paint->gloss, 1);
    pal_stage_set_int(&s->shaders, PAL_STAGE_SOLID, "living", paint->tissue);
    if (paint->tissue) {
        set_lumps(s, PAL_STAGE_SOLID);
    }
    pal_gl_mesh_draw(mesh);
}

static void set_line(const pal_stage *s, double width, double lift, const float colour[4]) {
    const float half = (float)width, up = (float)lift;
    pal_stage_set(&s->shaders, PAL_STAGE_LINE, "width", &half, 1);
    pal_stage_set(&s->shaders, PAL_STAGE_LINE, "lift", &up, 1);
    pal_stage_set(&s->shaders, PAL_STAGE_LINE, "paint", colour, 4);
}

void pal_stage_draw_lines(const pal_stage *s, const float *x, int32_t count, double width,
                          const float colour[4]) {
    set_line(s, width, 0.0, colour);
    glBindVertexArray(s->line_array);
    glBindBuffer(GL_ARRAY_BUFFER, s->line_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(6 * (size_t)count * sizeof *x), x, GL_STREAM_DRAW);
    glDrawArrays(GL_LINES, 0, 2 * count);
}

// ---- the shadow

static void cast(const pal_stage *s, const pal_gl_mesh *mesh, const pal_pose *pose) {
    float matrix[16];
    pal_matrix_of_pose(pose, as_it_is, matrix);
    pal_stage_set(&s->shaders, PAL_STAGE_SHADOW, "pose", matrix, 16);
    pal_gl_mesh_draw(mesh);
}

// Everything that throws a shadow.
static void cast_all(pal_stage *s) {
    if (s->has_body) {
        float matrix[16];
        pal_matrix_of_pose(&nowhere, as_it_is, matrix);
        pal_stage_set(&s->shaders, PAL_STAGE_SHADOW, "pose", matrix, 16);
        pal_gl_body_draw(&s->body);
    } else {
        cast(s, &s->wall, &nowhere);
    }
    for (int32_t h = 0; s->view.tools && h < s->shot.hand_count && h < s->spec.tool_count; h++) {
        cast(s, &s->tool[h], &s->shot.hand[h].tool);
    }
}

static void blur(const pal_stage *s, int from, float dx, float dy) {
    const float step[4] = {dx, dy, 0.0F, 0.0F};
    glBindFramebuffer(GL_FRAMEBUFFER, s->soft_buffer[1 - from]);
    glActiveTexture(GL_TEXTURE0 + PAL_UNIT_SOFT);
    glBindTexture(GL_TEXTURE_2D, s->soft_map[from]);
    pal_stage_set(&s->shaders, PAL_STAGE_BLUR, "step_to", step, 4);
    glBindVertexArray(s->line_array); // its places are not asked for
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

// What the ground does not get: the cover that the lamp sees, blurred widely.
static void draw_soft(pal_stage *s) {
    const float step = (float)(blur_ground / 25.0);
    glBindFramebuffer(GL_FRAMEBUFFER, s->soft_buffer[0]);
    glViewport(0, 0, PAL_SOFT_SIDE, PAL_SOFT_SIDE);
    glDisable(GL_DEPTH_TEST);
    glClearColor(0.0F, 0.0F, 0.0F, 0.0F);
    glClear(GL_COLOR_BUFFER_BIT);
    cast_all(s);
    blur(s, 0, step, 0.0F);
    blur(s, 1, 0.0F, step);
}

void pal_stage_draw_shadow(pal_stage *s) {
    if (!s->view.shadow) {
        return;
    }
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glBindFramebuffer(GL_FRAMEBUFFER, s->shadow_buffer);
    glViewport(0, 0, s->shadow_side, s->shadow_side);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glDepthMask(GL_TRUE);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(2.0F, 4.0F);
    cast_all(s);
    glDisable(GL_POLYGON_OFFSET_FILL);
    if (s->view.ground) {
        draw_soft(s);
    }
}

// ---- behind, and the body

void pal_stage_begin_picture(pal_stage *s) {
    glActiveTexture(GL_TEXTURE0 + PAL_UNIT_SHADOW);
    glBindTexture(GL_TEXTURE_2D, s->shadow_map);
    glActiveTexture(GL_TEXTURE0 + PAL_UNIT_SOFT);
    glBindTexture(GL_TEXTURE_2D, s->soft_map[0]);
    glActiveTexture(GL_TEXTURE0 + PAL_UNIT_COLOURS);
    glBindTexture(GL_TEXTURE_2D, s->colours);
    glActiveTexture(GL_TEXTURE0 + PAL_UNIT_REGIONS);
    glBindTexture(GL_TEXTURE_2D, s->regions);
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_TRUE);
    glClear(GL_DEPTH_BUFFER_BIT);
}

void pal_stage_draw_backdrop(pal_stage *s) {
    glDepthMask(GL_FALSE);
    glBindVertexArray(s->line_array); // its places are not asked for
    pal_stage_use(&s->shaders, PAL_STAGE_BACKDROP);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    if (s->view.ground && pal_dot3(s->upright[2], s->camera.eye) > s->floor) {
        glEnable(GL_BLEND);
        pal_stage_use(&s->shaders, PAL_STAGE_GROUND);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        glDisable(GL_BLEND);
    }
    glDepthMask(GL_TRUE);
}

static void draw_surface(pal_stage *s) {
    const float most = (float)s->most, alpha = s->view.volume ? 0.38F : 1.0F;
    pal_stage_set_int(&s->shaders, PAL_STAGE_BODY, "kind",
                      s->view.trainer                      ? 3
                      : s->view.colouring == PAL_BY_REGION ? 2
                      : s->view.colouring == PAL_BY_ENERGY ? 1
                                                           : 0);
    pal_stage_set(&s->shaders, PAL_STAGE_BODY, "most", &most, 1);
    pal_stage_set(&s->shaders, PAL_STAGE_BODY, "alpha", &alpha, 1);
    set_lumps(s, PAL_STAGE_BODY);
    glEnable(GL_CULL_FACE); // it is closed: its far sides are not seen, nor seen through
    if (s->view.volume) {
        glEnable(GL_BLEND);
    }
    pal_gl_body_draw(&s->body);
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
}

void pal_stage_draw_body(pal_stage *s) {
    const pal_paint slab = {{0.32F, 0.36F, 0.42F, 1.0F}, 0.1F, s->view.trainer};
    static const float thin_ink[4] = {0.05F, 0.06F, 0.10F, 0.42F};
    static const float ink[4] = {0.05F, 0.06F, 0.10F, 0.55F};
    if (!s->has_body) {
        pal_stage_draw_mesh(s, &s->wall, &nowhere, as_it_is, &slab);
        return;
    }
    if (s->view.volume) {
        set_line(s, 1.0, 0.0, ink);
        glEnable(GL_BLEND);
        pal_gl_body_draw_cage(&s->body);
        glDisable(GL_BLEND);
    }
    draw_surface(s);
    if (s->view.wireframe) {
        set_line(s, 0.7, 4e-4, thin_ink);
        glEnable(GL_BLEND);
        pal_gl_body_draw_wire(&s->body);
        glDisable(GL_BLEND);
    }
}
