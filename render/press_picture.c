#include "render/press_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/body_draw.h"
#include "render/colormap.h"
#include "render/label.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"

enum { // pixels
    WIDTH = 1800,
    HEIGHT = 860,
    MARGIN = 40,
    HEADER = 130,
    GAP = 20,
    BORDER = 40, // kept free of the body inside a card
    BAR_WIDTH = 320,
    BAR_HEIGHT = 18,
};
enum { RINGS = 40, SEGMENTS = 80, BALL_POINTS = RINGS * SEGMENTS };
static const double near_by = 4.0;      // radii of the ball that the second card shows
static const double arrow_share = 0.17; // of a card's height, for the arrow
static const double near_elevation = 16.0, elevation = 26.0, azimuth = 20.0; // degrees
static const pal_rgb paper = {0xF3, 0xF4, 0xF6}, rule = {0xD9, 0xDC, 0xE1};
static const pal_rgb ink = {0x1B, 0x1F, 0x27}, quiet_ink = {0x56, 0x5D, 0x69};
static const pal_rgb arrow_ink = {0xC2, 0x2F, 0x2F};

typedef struct press {
    const pal_press_view *view;
    pal_surface scene; // the body, then the ball
    float *tone;       // [scene.vertex_count] of the card that is drawn
    double *near;      // [scene.vertex_count][3] points that the second card must show
    double floor;
    pal_image image;
    pal_font *plain, *bold;
} press;

// ---- what is drawn

// A ball as a grid of angles; its poles are many points at one place.
static void make_ball(const pal_press_view *view, int32_t first, double *x, int32_t *triangle) {
    const double pi = acos(-1.0);
    for (int i = 0; i < BALL_POINTS; i++) {
        const double up = pi * (i / SEGMENTS) / (RINGS - 1), round = 2.0 * pi * (i % SEGMENTS);
        const double turn = round / SEGMENTS;
        x[3 * i] = view->centre[0] + view->radius * sin(up) * cos(turn);
        x[3 * i + 1] = view->centre[1] + view->radius * sin(up) * sin(turn);
        x[3 * i + 2] = view->centre[2] - view->radius * cos(up);
    }
    for (int i = 0; i < BALL_POINTS - SEGMENTS; i++) {
        const int right = i % SEGMENTS == SEGMENTS - 1 ? i + 1 - SEGMENTS : i + 1;
        const int32_t corner[6] = {i, right, i + SEGMENTS, right, right + SEGMENTS, i + SEGMENTS};
        for (int k = 0; k < 6; k++) {
            triangle[6 * i + k] = first + corner[k];
        }
    }
}

// The lengths of u [count][3] less `from` (NULL: nothing) as tones; returns the largest.
static double colour(const double *u, const double *from, int64_t count, float *tone) {
    double most = 0.0;
    for (int64_t v = 0; v < count; v++) {
        double way[3];
        pal_sub3(u + 3 * v, from != NULL ? from + 3 * v : (const double[3]){0.0}, way);
        tone[v] = (float)pal_norm3(way);
        most = fmax(most, pal_norm3(way));
    }
    for (int64_t v = 0; v < count && most > 0.0; v++) {
        tone[v] /= (float)most;
    }
    return most;
}

static pal_status make_scene(press *p, pal_err *err) {
    const pal_surface *body = p->view->rest;
    const int32_t ball_triangles = 2 * (BALL_POINTS - SEGMENTS);
    pal_status status = pal_surface_alloc(&p->scene, body->vertex_count + BALL_POINTS,
                                          body->triangle_count + ball_triangles, err);
    p->tone = PAL_NEW(float, p->scene.vertex_count, err);
    p->near = PAL_NEW(double, 3 * (int64_t)p->scene.vertex_count, err);
    if (status != PAL_OK || p->tone == NULL || p->near == NULL) {
        return PAL_ERR_MEMORY;
    }
    memcpy(p->scene.x, p->view->x, 3 * (size_t)body->vertex_count * sizeof *p->scene.x);
    memcpy(p->scene.triangle, body->triangle,
           3 * (size_t)body->triangle_count * sizeof *p->scene.triangle);
    make_ball(p->view, body->vertex_count, p->scene.x + 3 * (int64_t)body->vertex_count,
              p->scene.triangle + 3 * (int64_t)body->triangle_count);
    p->floor = INFINITY;
    for (int64_t v = 0; v < body->vertex_count; v++) {
        p->floor = fmin(p->floor, p->view->x[3 * v + 2]);
    }
    return PAL_OK;
}

// ---- cards

// From the ball's centre along the force, over the picture.
static pal_status draw_arrow(press *p, const pal_camera *camera, double height, pal_err *err) {
    const pal_press_view *view = p->view;
    const double size = pal_norm3(view->force), length = arrow_share * height;
    if (!(size > 0.0)) {
        return PAL_OK;
    }
    double tip[3], from[3], to[3];
    for (int c = 0; c < 3; c++) {
        tip[c] = view->centre[c] + view->radius * view->force[c] / size;
    }
    pal_camera_project(camera, view->centre, from);
    pal_camera_project(camera, tip, to);
    const double dx = to[0] - from[0], dy = to[1] - from[1], seen = sqrt(dx * dx + dy * dy) + 1e-9;
    const double ex = dx / seen, ey = dy / seen, head = 0.16 * length;
    const double x = from[0] + ex * length, y = from[1] + ey * length;
    const double shaft[4] = {from[0], from[1], x, y};
    const double barbs[6] = {x - head * (ex + 0.6 * ey), y - head * (ey - 0.6 * ex), x, y,
                             x - head * (ex - 0.6 * ey), y - head * (ey + 0.6 * ex)};
    pal_status status = pal_image_polyline(&p->image, shaft, 2, 5.0, arrow_ink, err);
    if (status == PAL_OK) {
        status = pal_image_polyline(&p->image, barbs, 3, 5.0, arrow_ink, err);
    }
    char text[32];
    const pal_label_style style = {.font = p->bold, .size = 28.0, .colour = arrow_ink};
    snprintf(text, sizeof text, "%.2f N", size);
    return status == PAL_OK ? pal_label_draw(&p->image, &style, x + 16.0, y + 10.0, text, err)
                            : status;
}

// points [count][3] are what it must show.
static pal_status draw_card(press *p, int32_t left, int32_t width, double up, const double *point,
                            int64_t count, const char *name, pal_err *err) {
    const int32_t top = HEADER, height = HEIGHT - HEADER - MARGIN;
    const pal_frame frame = {left + BORDER, top + BORDER + 20.0, width - 2.0 * BORDER,
                             height - 2.0 * BORDER - 20.0};
    pal_body_view view = {.body = p->scene,
                          .tone = p->tone,
                          .plain_from = p->view->rest->triangle_count,
                          .floor = p->floor,
                          .left = left,
                          .top = top,
                          .width = width,
                          .height = height};
    pal_camera_turn(&view.camera, azimuth, up);
    pal_camera_fit(&view.camera, &frame, point, count);
    pal_status status = pal_body_draw(&p->image, &view, err);
    if (status == PAL_OK) {
        status = draw_arrow(p, &view.camera, height, err);
    }
    pal_image_frame(&p->image, left, top, width, height, rule);
    const pal_label_style style = {.font = p->bold, .size = 25.0, .colour = ink};
    return status == PAL_OK ? pal_label_draw(&p->image, &style, left + 20.0, top + 38.0, name, err)
                            : status;
}

// The ball, and what of the body is near it.
static int64_t gather_near(press *p) {
    const double *x = p->scene.x;
    int64_t count = 0;
    for (int64_t v = 0; v < p->scene.vertex_count; v++) {
        double way[3];
        pal_sub3(x + 3 * v, p->view->centre, way);
        if (pal_norm3(way) < near_by * p->view->radius) {
            memcpy(p->near + 3 * count++, x + 3 * v, 3 * sizeof *x);
        }
    }
    return count;
}

static pal_status draw_header(press *p, pal_err *err) {
    const int32_t left = WIDTH - MARGIN - BAR_WIDTH, top = 62;
    const pal_label_style title = {.font = p->bold, .size = 40.0, .colour = ink};
    pal_label_style line = {.font = p->plain, .size = 22.0, .colour = quiet_ink};
    for (int32_t i = 0; i < BAR_WIDTH; i++) {
        pal_image_fill(&p->image, left + i, top, 1, BAR_HEIGHT,
                       pal_colormap_rgb((i + 0.5) / BAR_WIDTH));
    }
    pal_status status = pal_label_draw(&p->image, &title, MARGIN - 2.0, 62.0, p->view->title, err);
    if (status == PAL_OK) {
        status = pal_label_draw(&p->image, &line, MARGIN, 98.0, p->view->caption, err);
    }
    if (status == PAL_OK) {
        status = pal_label_draw(&p->image, &line, left, top - 12.0, "0", err);
    }
    line.align = PAL_RIGHT;
    return status == PAL_OK ? pal_label_draw(&p->image, &line, WIDTH - MARGIN, top - 12.0,
                                             "the most of each picture", err)
                            : status;
}

static pal_status draw(press *p, pal_err *err) {
    const int32_t width = (WIDTH - 2 * MARGIN - GAP) / 2;
    pal_status status = pal_font_open(PAL_FONT_PLAIN, &p->plain, err);
    if (status == PAL_OK) {
        status = pal_font_open(PAL_FONT_BOLD, &p->bold, err);
    }
    if (status == PAL_OK) {
        status = make_scene(p, err);
    }
    if (status == PAL_OK) {
        status = pal_image_alloc(&p->image, WIDTH, HEIGHT, paper, err);
    }
    if (status == PAL_OK) {
        status = draw_header(p, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    char name[64];
    const int64_t count = p->view->rest->vertex_count;
    snprintf(name, sizeof name, "the whole: moved by up to %.3g mm",
             1e3 * colour(p->view->x, p->view->rest->x, count, p->tone));
    status = draw_card(p, MARGIN, width, elevation, p->scene.x, p->scene.vertex_count, name, err);
    if (status != PAL_OK) {
        return status;
    }
    snprintf(name, sizeof name, "under the tool: dented by up to %.3g mm",
             1e3 * colour(p->view->dent, NULL, count, p->tone));
    return draw_card(p, MARGIN + width + GAP, width, near_elevation, p->near, gather_near(p), name,
                     err);
}

pal_status pal_press_picture_write(const char *path, const pal_press_view *view, pal_err *err) {
    press p = {.view = view};
    pal_status status = draw(&p, err);
    if (status == PAL_OK) {
        status = pal_image_write_png(path, &p.image, err);
    }
    pal_font_close(p.plain);
    pal_font_close(p.bold);
    pal_image_free(&p.image);
    pal_surface_free(&p.scene);
    free(p.tone);
    free(p.near);
    return status;
}
