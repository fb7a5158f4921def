#include "render/axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/vec3.h"

static const pal_rgba ink = {0x1B, 0x1F, 0x27, 255}, halo = {255, 255, 255, 190};
static const pal_rgba mark_ink = {0x9C, 0x1C, 0x5A, 255}, white = {255, 255, 255, 255};
static const double apart = 0.05;                  // of the longest side, from the box to the axes
static const double least_axis = 40.0;             // points, of one that is drawn
static const double across = 58.0, upwards = 34.0; // points between two ticks at the least
static const double tick = 7.0, number_off = 12.0, number_under = 9.0, name_off = 12.0,
                    letter = 7.5;

double pal_axes_unit(double longest, const char **name) {
    static const struct {
        double size;
        const char *name;
    } unit[] = {{1e3, "km"}, {1.0, "m"}, {1e-3, "mm"}, {1e-6, "\xC2\xB5m"}};
    size_t k = 0;
    while (k + 1 < sizeof unit / sizeof *unit && longest < unit[k].size) {
        k++;
    }
    *name = unit[k].name;
    return unit[k].size;
}

void pal_axes_say(const double x[3], double longest, char *text, size_t size) {
    const char *unit;
    const double metre = pal_axes_unit(longest, &unit);
    const double step = longest > 0.0 ? pow(10.0, floor(log10(longest / metre) + 1e-9) - 3.0) : 1.0;
    char part[3][32];
    for (int c = 0; c < 3; c++) { // + 0.0: no -0
        snprintf(part[c], sizeof part[c], "%.9g", round(x[c] / metre / step) * step + 0.0);
    }
    snprintf(text, size, "(%s, %s, %s) %s", part[0], part[1], part[2], unit);
}

// ---- where

// The least of 1, 2, 5 times powers of ten that is no less.
static double round_step(double value) {
    double step = pal_round_down(value);
    while (step < value * (1.0 - 1e-9)) {
        step = pal_round_down(2.6 * step);
    }
    return step;
}

typedef struct edge { // of the box, along the drawn axis `axis`
    int axis;
    double x[3];                   // m, of its points but for the axis itself
    double from[2], out[2], to[2]; // points: its ends; unit, away from the body
    double length;                 // points
} edge;

static bool project(const pal_camera *camera, double scale, const double x[3], double at[2]) {
    double screen[3];
    pal_camera_project(camera, x, screen);
    at[0] = screen[0] / scale;
    at[1] = screen[1] / scale;
    return screen[2] > 0.0;
}

static void middle_of(const double box[2][3], double x[3]) {
    for (int c = 0; c < 3; c++) {
        x[c] = 0.5 * (box[0][c] + box[1][c]);
    }
}

// How well an edge serves: nearer to the eye of those on the floor, farther left of those upright.
static double merit(const pal_camera *camera, const double box[2][3], const edge *e) {
    double x[3], screen[3];
    memcpy(x, e->x, sizeof x);
    x[e->axis] = 0.5 * (box[0][e->axis] + box[1][e->axis]);
    pal_camera_project(camera, x, screen);
    return e->axis == 2 ? -screen[0] : screen[2];
}

// Chooses one of the edges along an axis; false: it is not to be seen.
static bool choose(const pal_camera *camera, double scale, const double box[2][3], double gap,
                   int axis, edge *best) {
    double centre[3], middle[2];
    const bool above = camera->back[2] > -0.02;
    bool any = false;
    for (int k = 0; k < 4; k++) {
        edge e = {.axis = axis};
        for (int c = 0, bit = 0; c < 3; c++) {
            if (c == axis) {
                continue;
            }
            const int side = c == 2 ? !above : k >> bit++ & 1;
            e.x[c] = side ? box[1][c] + gap : box[0][c] - (c == 2 ? 0.0 : gap);
        }
        if (!any || merit(camera, box, &e) > merit(camera, box, best)) {
            *best = e;
            any = true;
        }
    }
    double ends[2][3];
    for (int i = 0; i < 2; i++) {
        memcpy(ends[i], best->x, sizeof ends[i]);
        ends[i][axis] = box[i][axis];
    }
    middle_of(box, centre);
    if (!project(camera, scale, ends[0], best->from) ||
        !project(camera, scale, ends[1], best->to) || !project(camera, scale, centre, middle)) {
        return false;
    }
    const double along[2] = {best->to[0] - best->from[0], best->to[1] - best->from[1]};
    best->length = hypot(along[0], along[1]);
    best->out[0] = -along[1] / best->length;
    best->out[1] = along[0] / best->length;
    const double away = (0.5 * (best->from[0] + best->to[0]) - middle[0]) * best->out[0] +
                        (0.5 * (best->from[1] + best->to[1]) - middle[1]) * best->out[1];
    for (int c = 0; c < 2 && away < 0.0; c++) {
        best->out[c] = -best->out[c];
    }
    return best->length >= least_axis;
}

// ---- what

static void add_line(pal_axes *axes, const double from[2], const double to[2]) {
    if (axes->line_count < PAL_AXES_LINES) {
        double *line = axes->line[axes->line_count++];
        memcpy(line, from, 2 * sizeof *from);
        memcpy(line + 2, to, 2 * sizeof *to);
    }
}

// Words whose nearer side is `off` from a place.
static void add_text(pal_axes *axes, const double at[2], const double out[2], double off,
                     bool is_name, const char *text) {
    if (axes->text_count < PAL_AXES_LINES) {
        pal_axes_text *made = &axes->text[axes->text_count++];
        const double half = 3.6 * (double)strlen(text); // of its width, about
        *made = (pal_axes_text){.x = at[0] + out[0] * (off + half * fabs(out[0])),
                                .y = at[1] + out[1] * off + 5.0,
                                .is_name = is_name};
        snprintf(made->text, sizeof made->text, "%s", text);
    }
}

// An axis: its line, ticks at round numbers, its name. sign: of the body's coordinate in the drawn
// one.
static void add_axis(pal_axes *axes, const pal_camera *camera, const pal_view *view,
                     const double box[2][3], const edge *e) {
    double frame[3][3], point[3], at[2], end[2];
    char text[40];
    size_t longest = 0;
    pal_up_frame(view->axes_drawn, frame);
    int own = 0;
    for (int c = 0; c < 3; c++) {
        own = fabs(frame[e->axis][c]) > 0.5 ? c : own;
    }
    const double sign = frame[e->axis][own];
    const double low = box[0][e->axis], high = box[1][e->axis];
    const double flat = fabs(e->out[0]) > fabs(e->out[1]) ? upwards : across;
    const double step =
        round_step(fmax((high - low) * flat / e->length, (high - low) / (PAL_AXES_TICKS - 2)));
    add_line(axes, e->from, e->to);
    for (double k = ceil(low / step - 1e-6); k <= floor(high / step + 1e-6); k += 1.0) {
        memcpy(point, e->x, sizeof point);
        point[e->axis] = k * step;
        project(camera, view->scale, point, at);
        end[0] = at[0] + tick * e->out[0];
        end[1] = at[1] + tick * e->out[1];
        add_line(axes, at, end);
        snprintf(text, sizeof text, "%.6g", sign * k * step / axes->unit + 0.0);
        longest = strlen(text) > longest ? strlen(text) : longest;
        add_text(axes, at, e->out, number_off + number_under * e->out[1] * e->out[1], false, text);
    }
    const bool is_up = pal_up_axis(view->axes_up) == own;
    snprintf(text, sizeof text, "%c [%s]%s", 'x' + own, axes->unit_name,
             !is_up                           ? ""
             : pal_up_sign(view->axes_up) < 0 ? ", down"
                                              : ", up");
    const double half[2] = {0.5 * (e->from[0] + e->to[0]), 0.5 * (e->from[1] + e->to[1])};
    if (e->axis == 2) { // above its end
        const double *top = e->to[1] < e->from[1] ? e->to : e->from;
        add_text(axes, top, (const double[2]){0.0, -1.0}, 22.0, true, text);
    } else {
        const double under = e->out[1] * e->out[1];
        const double off = number_off + (number_under + name_off) * under +
                           letter * (double)longest * fabs(e->out[0]) + name_off;
        add_text(axes, half, e->out, off, true, text);
    }
}

void pal_axes_make(const pal_camera *camera, const pal_view *view, const double box[2][3],
                   pal_axes *axes) {
    memset(axes, 0, sizeof *axes);
    double longest = 0.0;
    for (int c = 0; c < 3; c++) {
        longest = fmax(longest, box[1][c] - box[0][c]);
    }
    axes->unit = pal_axes_unit(longest, &axes->unit_name);
    for (int axis = 0; axis < 3 && longest > 0.0; axis++) {
        edge e;
        if (box[1][axis] > box[0][axis] &&
            choose(camera, view->scale, box, apart * longest, axis, &e)) {
            add_axis(axes, camera, view, box, &e);
        }
    }
}

// ---- drawing

void pal_axes_draw(const pal_axes *axes, pal_overlay *o) {
    for (int32_t i = 0; i < axes->line_count; i++) {
        const double *line = axes->line[i];
        pal_overlay_line(o, line[0], line[1], line[2], line[3], 1.6, ink);
    }
    for (int32_t i = 0; i < axes->text_count; i++) {
        const pal_axes_text *t = &axes->text[i];
        const pal_text_style style = {.weight = t->is_name ? PAL_FONT_BOLD : PAL_FONT_PLAIN,
                                      .size = t->is_name ? 16.0 : 15.0,
                                      .colour = ink,
                                      .align = PAL_CENTRE,
                                      .outline = 1.8};
        pal_overlay_text(o, &style, t->x, t->y, t->text);
    }
}

void pal_axes_draw_mark(const pal_camera *camera, const pal_view *view, double longest,
                        pal_overlay *o) {
    double at[2];
    char text[96];
    if (!view->marked || !project(camera, view->scale, view->mark, at)) {
        return;
    }
    const pal_text_style style = {.weight = PAL_FONT_BOLD, .size = 16.0, .colour = mark_ink};
    pal_axes_say(view->mark_told, longest, text, sizeof text);
    if (view->mark_hidden) {
        strncat(text, ", behind", sizeof text - strlen(text) - 1);
    }
    const double width = pal_overlay_text_width(o, &style, text);
    const double right = pal_overlay_width(o) - 20.0 - width;
    const double x = at[0] + 34.0 > right ? at[0] - 34.0 - width : at[0] + 34.0;
    const double y = fmax(at[1] - 30.0, 30.0);
    pal_overlay_line(o, at[0], at[1], x > at[0] ? x : x + width, y - 5.0, 1.6, mark_ink);
    pal_overlay_disc(o, at[0], at[1], 7.0, white);
    pal_overlay_disc(o, at[0], at[1], 5.5, mark_ink);
    if (view->mark_hidden) {
        pal_overlay_disc(o, at[0], at[1], 3.2, white);
    }
    pal_overlay_box(o, x - 5.0, y - 17.0, width + 10.0, 23.0, 5.0, halo);
    pal_overlay_text(o, &style, x, y, text);
}
