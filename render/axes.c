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
                    letter = 7.5, edge_room = 3.0;

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

// From where to where a line is in a rectangle, as shares of it; false: nowhere.
static bool clip(const double from[2], const double to[2], const pal_frame *f, double part[2]) {
    const double low[2] = {f->left, f->top}, high[2] = {f->left + f->width, f->top + f->height};
    part[0] = 0.0;
    part[1] = 1.0;
    for (int c = 0; c < 2; c++) {
        const double along = to[c] - from[c];
        if (along == 0.0) {
            part[1] = from[c] > low[c] && from[c] < high[c] ? part[1] : 0.0;
            continue;
        }
        const double a = (low[c] - from[c]) / along, b = (high[c] - from[c]) / along;
        part[0] = fmax(part[0], fmin(a, b));
        part[1] = fmin(part[1], fmax(a, b));
    }
    return part[0] < part[1];
}

static void between(const double from[2], const double to[2], double share, double at[2]) {
    for (int c = 0; c < 2; c++) {
        at[c] = from[c] + share * (to[c] - from[c]);
    }
}

// Whether words keep off a panel; messages come and go.
static bool is_panel(const pal_axes_room *room, int panel) {
    return room != NULL && panel != PAL_PANEL_MESSAGE &&
           pal_layout_has(room->layout, (pal_panel)panel);
}

// What of a line is on no panel from this one on.
static void add_line(pal_axes *axes, const pal_axes_room *room, int panel, const double from[2],
                     const double to[2]) {
    double part[2], at[2];
    for (int p = panel; p < PAL_PANELS; p++) {
        if (is_panel(room, p) && clip(from, to, &room->layout->panel[p], part)) {
            if (part[0] > 0.0) {
                between(from, to, part[0], at);
                add_line(axes, room, p + 1, from, at);
            }
            if (part[1] < 1.0) {
                between(from, to, part[1], at);
                add_line(axes, room, p + 1, at, to);
            }
            return;
        }
    }
    if (axes->line_count < PAL_AXES_LINES) {
        double *line = axes->line[axes->line_count++];
        memcpy(line, from, 2 * sizeof *from);
        memcpy(line + 2, to, 2 * sizeof *to);
    }
}

pal_frame pal_axes_frame(const pal_axes_text *text) {
    const double half = (text->is_name ? 4.4 : 4.0) * (double)strlen(text->text);
    return (pal_frame){text->x - half, text->y - 14.0, 2.0 * half, 18.0};
}

static bool overlap(const pal_frame *a, const pal_frame *b) {
    return a->left < b->left + b->width && b->left < a->left + a->width &&
           a->top < b->top + b->height && b->top < a->top + a->height;
}

static bool is_free(const pal_axes_room *room, const pal_axes_text *text) {
    const pal_frame f = pal_axes_frame(text);
    bool free = room == NULL || (f.left >= edge_room && f.top >= edge_room &&
                                 f.left + f.width <= room->width - edge_room &&
                                 f.top + f.height <= room->height - edge_room);
    for (int p = 0; free && p < PAL_PANELS; p++) {
        free = !is_panel(room, p) || !overlap(&f, &room->layout->panel[p]);
    }
    return free;
}

// Words whose nearer side is `off` from a place; false: there is no room for them.
static bool add_text(pal_axes *axes, const pal_axes_room *room, const double at[2],
                     const double out[2], double off, bool is_name, const char *text) {
    const double half = 3.6 * (double)strlen(text); // of its width, about
    pal_axes_text made = {.x = at[0] + out[0] * (off + half * fabs(out[0])),
                          .y = at[1] + out[1] * off + 5.0,
                          .is_name = is_name};
    snprintf(made.text, sizeof made.text, "%s", text);
    if (axes->text_count == PAL_AXES_LINES || !is_free(room, &made)) {
        return false;
    }
    axes->text[axes->text_count++] = made;
    return true;
}

// Beyond the numbers, in the middle of what is to be seen of the axis, or as near to that as there
// is room, else on its other side; of the upright one above its end.
static void add_name(pal_axes *axes, const pal_axes_room *room, const edge *e, size_t longest,
                     const char *text) {
    static const double place[] = {0.5, 0.38, 0.62, 0.26, 0.74, 0.14, 0.86, 0.05, 0.95};
    enum { PLACES = sizeof place / sizeof *place };
    const pal_frame picture = {0.0, 0.0, room != NULL ? room->width : 0.0,
                               room != NULL ? room->height : 0.0};
    const double under = e->out[1] * e->out[1], other[2] = {-e->out[0], -e->out[1]};
    const double off = number_off + (number_under + name_off) * under +
                       letter * (double)longest * fabs(e->out[0]) + name_off;
    double part[2] = {0.0, 1.0};
    if (room != NULL && !clip(e->from, e->to, &picture, part)) {
        return;
    }
    if (e->axis == 2) {
        const double *top = e->to[1] < e->from[1] ? e->to : e->from;
        if (add_text(axes, room, top, (const double[2]){0.0, -1.0}, 22.0, true, text)) {
            return;
        }
    }
    bool added = false;
    for (int i = 0; i < 2 * PLACES && !added; i++) {
        double at[2];
        between(e->from, e->to, part[0] + place[i % PLACES] * (part[1] - part[0]), at);
        added = i < PLACES ? add_text(axes, room, at, e->out, off, true, text)
                           : add_text(axes, room, at, other, name_off * (1.0 + under), true, text);
    }
}

// An axis: its line, ticks at round numbers, its name.
static void add_axis(pal_axes *axes, const pal_camera *camera, const pal_view *view,
                     const double box[2][3], const pal_axes_room *room, const edge *e) {
    double frame[3][3], point[3], at[2], end[2];
    char text[40];
    size_t longest = 0;
    bool told = false;
    pal_up_frame(view->up, frame);
    int own = 0;
    for (int c = 0; c < 3; c++) {
        own = fabs(frame[e->axis][c]) > 0.5 ? c : own;
    }
    const double sign = frame[e->axis][own]; // of the body's coordinate in the drawn one
    const double low = box[0][e->axis], high = box[1][e->axis];
    const double flat = fabs(e->out[0]) > fabs(e->out[1]) ? upwards : across;
    const double step =
        round_step(fmax((high - low) * flat / e->length, (high - low) / (PAL_AXES_TICKS - 2)));
    add_line(axes, room, 0, e->from, e->to);
    for (double k = ceil(low / step - 1e-6); k <= floor(high / step + 1e-6); k += 1.0) {
        memcpy(point, e->x, sizeof point);
        point[e->axis] = k * step;
        project(camera, view->scale, point, at);
        end[0] = at[0] + tick * e->out[0];
        end[1] = at[1] + tick * e->out[1];
        add_line(axes, room, 0, at, end);
        snprintf(text, sizeof text, "%.6g", sign * k * step / axes->unit + 0.0);
        longest = strlen(text) > longest ? strlen(text) : longest;
        told |= add_text(axes, room, at, e->out, number_off + number_under * e->out[1] * e->out[1],
                         false, text);
    }
    snprintf(text, sizeof text, "%c [%s]%s", 'x' + own, axes->unit_name,
             e->axis != 2 ? ""
             : sign < 0.0 ? ", down"
                          : ", up");
    if (told) {
        add_name(axes, room, e, longest, text);
    }
}

void pal_axes_make(const pal_camera *camera, const pal_view *view, const double box[2][3],
                   const pal_axes_room *room, pal_axes *axes) {
    pal_camera level;
    double end[2][3], drawn[2][3], longest = 0.0;
    memset(axes, 0, sizeof *axes);
    pal_camera_level(camera, view->up, &level); // from here on z is up
    pal_up_level(view->up, box[0], end[0]);
    pal_up_level(view->up, box[1], end[1]);
    for (int c = 0; c < 3; c++) {
        drawn[0][c] = fmin(end[0][c], end[1][c]);
        drawn[1][c] = fmax(end[0][c], end[1][c]);
        longest = fmax(longest, drawn[1][c] - drawn[0][c]);
    }
    axes->unit = pal_axes_unit(longest, &axes->unit_name);
    const double(*const about)[3] = (const double(*)[3])drawn;
    for (int axis = 0; axis < 3 && longest > 0.0; axis++) {
        edge e;
        if (drawn[1][axis] > drawn[0][axis] &&
            choose(&level, view->scale, about, apart * longest, axis, &e)) {
            add_axis(axes, &level, view, about, room, &e);
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
