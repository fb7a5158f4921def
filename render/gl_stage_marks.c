// The tools of a stage, and marks for what they feel. What the body hides of a mark is drawn
// faintly through it.
#include <epoxy/gl.h>
#include <math.h>
#include <string.h>

#include "render/gl_matrix.h"
#include "render/gl_stage_parts.h"
#include "sim/base/vec3.h"

static const double as_it_is[3] = {1.0, 1.0, 1.0};

// Sizes on the screen, points
static const double contact_radius = 3.5, normal_length = 16.0, arrow_radius = 82.0,
                    shortest_arrow = 34.0;
static const double arrow_share = 0.42; // of the picture's height, of the longest

// Linear colours; those of the hands and of the marks are safe for the colour-blind.
static const pal_paint steel = {{0.50F, 0.52F, 0.56F, 1.0F}, 0.55F, false};
static const pal_paint force_paint = {{0.66F, 0.112F, 0.0F, 1.0F}, 0.12F, false};
static const pal_paint contact_paint = {{0.80F, 0.20F, 0.0F, 1.0F}, 0.1F, false};
static const pal_paint held_paint = {{0.60F, 0.19F, 0.385F, 1.0F}, 0.1F, false};
static const pal_paint ghost_paint = {{0.0F, 0.168F, 0.445F, 0.42F}, 0.2F, false};
static const float handle_colour[PAL_SNAPSHOT_HANDS][3] = {{0.035F, 0.045F, 0.065F},
                                                           {0.0F, 0.168F, 0.445F},
                                                           {0.0F, 0.342F, 0.17F},
                                                           {0.60F, 0.19F, 0.385F}};
static const float normal_ink[4] = {0.07F, 0.08F, 0.11F, 1.0F};
static const float tether_ink[4] = {0.0F, 0.40F, 0.70F, 0.9F};

static int32_t hands(const pal_stage *s) {
    return s->shot.hand_count < s->spec.tool_count ? s->shot.hand_count : s->spec.tool_count;
}

bool pal_stage_shows_ghost(const pal_stage *s, int32_t h) {
    double way[3];
    pal_sub3(s->shot.hand[h].device.x, s->shot.hand[h].tool.x, way);
    return s->view.ghost && s->shot.hand[h].present && pal_norm3(way) > 0.1 * s->bound[h];
}

void pal_stage_draw_tools(pal_stage *s) {
    for (int32_t h = 0; s->view.tools && h < hands(s); h++) {
        pal_stage_draw_mesh(s, &s->tool[h], &s->shot.hand[h].tool, as_it_is, &steel);
    }
}

// The handle of a stylus with a ball: it touches nothing, and lets through what is behind it.
static void draw_handle(const pal_stage *s, int32_t h) {
    const double radius = s->spec.tool[h].radius;
    const double size[3] = {0.5 * radius, 0.5 * radius, PAL_HANDLE_RADII * radius};
    pal_paint paint = {{0.0F, 0.0F, 0.0F, 0.45F}, 0.25F, false};
    if (s->view.tools && s->view.handles && s->spec.tool[h].kind == PAL_LOOK_BALL) {
        memcpy(paint.colour, handle_colour[h], sizeof handle_colour[h]);
        pal_stage_draw_mesh(s, &s->handle, &s->shot.hand[h].tool, size, &paint);
    }
}

// ---- marks

static void draw_held(const pal_stage *s) {
    static const float size = 6.0F, lift = 1e-3F, ink[4] = {0.10F, 0.11F, 0.14F, 1.0F};
    pal_stage_set(&s->shaders, PAL_STAGE_DOT, "size", &size, 1);
    pal_stage_set(&s->shaders, PAL_STAGE_DOT, "lift", &lift, 1);
    pal_stage_set(&s->shaders, PAL_STAGE_DOT, "paint", ink, 4);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glBindVertexArray(s->held_array);
    glDrawArrays(GL_POINTS, 0, s->held_count);
    glDisable(GL_PROGRAM_POINT_SIZE);
}

static void draw_ball(const pal_stage *s, const double x[3], double radius, const pal_paint *paint,
                      double alpha) {
    pal_pose pose = PAL_POSE_IDENTITY;
    const double size[3] = {radius, radius, radius};
    pal_paint faded = *paint;
    memcpy(pose.x, x, sizeof pose.x);
    faded.colour[3] *= (float)alpha;
    pal_stage_draw_mesh(s, &s->ball, &pose, size, &faded);
}

static void draw_contacts(const pal_stage *s, const pal_snapshot_hand *hand, double bound,
                          double alpha) {
    float line[2 * PAL_SNAPSHOT_CONTACTS][3];
    const double pixel = s->view.scale * pal_stage_pixel(s, hand->tool.x);
    const double radius = fmin(contact_radius * pixel, 0.12 * bound);
    for (int32_t k = 0; k < hand->contact_count; k++) {
        const pal_snapshot_contact *contact = &hand->contact[k];
        const double x[3] = {contact->point[0], contact->point[1], contact->point[2]};
        draw_ball(s, x, radius, &contact_paint, alpha);
        for (int c = 0; c < 3; c++) {
            line[2 * k][c] = contact->point[c];
            line[2 * k + 1][c] =
                contact->point[c] + (float)(normal_length * pixel) * contact->normal[c];
        }
    }
    if (hand->contact_count > 0) {
        float ink[4];
        memcpy(ink, normal_ink, sizeof ink);
        ink[3] *= (float)alpha;
        pal_stage_draw_lines(s, line[0], hand->contact_count, 1.4, ink);
    }
    if (hand->holds) {
        draw_ball(s, hand->held, 2.0 * radius, &held_paint, alpha);
    }
}

double pal_stage_arrow(const pal_stage *s, double force, double height, double scale) {
    const double share = fmin(force / s->spec.full_force, 1.5);
    return force > 1e-3 ? fmax(share * arrow_share * height, shortest_arrow * scale) : 0.0;
}

// From the tool's origin along the force; its thickness is the same however long it is, as long as
// it has room for its head.
static void draw_arrow(pal_stage *s, int32_t h, double alpha) {
    const pal_snapshot_hand *hand = &s->shot.hand[h];
    const double size = pal_norm3(hand->force), pixel = pal_stage_pixel(s, hand->tool.x);
    memcpy(s->arrow_tip[h], hand->tool.x, sizeof s->arrow_tip[h]);
    const double length = pal_stage_arrow(s, size, s->height, s->view.scale) * pixel;
    if (!(length > 0.0)) {
        return;
    }
    const double thick = fmin(arrow_radius * s->view.scale * pixel, 0.9 * length);
    const pal_pose pose = pal_pose_along(hand->tool.x, hand->force);
    pal_paint paint = force_paint;
    paint.colour[3] *= (float)alpha;
    pal_stage_draw_mesh(s, &s->arrow, &pose, (const double[3]){thick, thick, length}, &paint);
    for (int c = 0; c < 3; c++) {
        s->arrow_tip[h][c] += length * hand->force[c] / size;
    }
}

static void draw_marks_of(pal_stage *s, int32_t h, double alpha) {
    const pal_snapshot_hand *hand = &s->shot.hand[h];
    if (s->view.contacts) {
        draw_contacts(s, hand, s->bound[h], alpha);
    }
    if (s->view.force) {
        draw_arrow(s, h, alpha);
    }
}

static void draw_ghost(const pal_stage *s, int32_t h, double alpha) {
    pal_paint paint = ghost_paint;
    paint.colour[3] *= (float)alpha;
    pal_stage_draw_mesh(s, &s->tool[h], &s->shot.hand[h].device, as_it_is, &paint);
}

static void draw_tether(const pal_stage *s, int32_t h) {
    float line[2][3];
    for (int c = 0; c < 3; c++) {
        line[0][c] = (float)s->shot.hand[h].tool.x[c];
        line[1][c] = (float)s->shot.hand[h].device.x[c];
    }
    glDisable(GL_DEPTH_TEST);
    pal_stage_draw_lines(s, line[0], 1, 1.6, tether_ink);
    glEnable(GL_DEPTH_TEST);
}

void pal_stage_draw_marks(pal_stage *s) {
    static const double through = 0.45, ghost_through = 0.45;
    if (s->view.fixed && !s->has_held) {
        pal_stage_make_held(s);
    }
    if (s->view.fixed && s->held_count > 0) {
        draw_held(s);
    }
    glEnable(GL_BLEND);
    glEnable(GL_CULL_FACE);
    for (int32_t h = 0; h < hands(s); h++) {
        // Hidden parts first, then what is in front, so that it lies over them
        glDepthMask(GL_FALSE);
        glDepthFunc(GL_GREATER);
        if (pal_stage_shows_ghost(s, h)) {
            draw_ghost(s, h, ghost_through);
        }
        draw_marks_of(s, h, through);
        glDepthFunc(GL_LEQUAL);
        if (pal_stage_shows_ghost(s, h)) {
            draw_ghost(s, h, 1.0);
            draw_tether(s, h);
        }
        glDepthMask(GL_TRUE);
        draw_marks_of(s, h, 1.0);
        glDepthMask(GL_FALSE);
        draw_handle(s, h);
        glDepthMask(GL_TRUE);
    }
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
}
