// Words over the picture of a stage: how long things are, what colours mean, how large forces are.
#include <math.h>
#include <stdio.h>

#include "render/axes.h"
#include "render/colormap.h"
#include "render/gl_stage_parts.h"
#include "render/quantity.h"
#include "sim/base/vec3.h"

static const pal_rgba ink = {0x1B, 0x1F, 0x27, 255}, quiet = {0x4A, 0x51, 0x5D, 255};
static const pal_rgba force_ink = {0xA8, 0x42, 0x00, 255};
static const pal_rgba halo = {255, 255, 255, 205}, veil = {255, 255, 255, 150};
enum { EDGE = 20, BAR_HEIGHT = 12, STRIPS = 24, MEASURED = 256, FEW = 12 }; // points; names

// ---- what there is to say

static const char *name_of(const pal_stage *s, int32_t region) {
    return s->spec.tree != NULL ? s->spec.tree->domain_name[region]
                                : s->spec.model->region[region].name;
}

void pal_stage_wish(const pal_stage *s, const pal_view *view, const pal_overlay *o,
                    pal_layout_wish *wish) {
    const pal_text_style style = {.size = 15.0};
    const bool named = s->has_body && view->colouring == PAL_BY_REGION;
    wish->words = view->labels;
    wish->trainer = view->trainer;
    wish->colour_bar = s->has_body && !named;
    wish->names = named ? s->region_count : 0;
    wish->name_width = 0.0;
    if (wish->names > FEW) { // perhaps not all
        wish->name_width = pal_overlay_text_width(o, &style, "and 99999 more") - PAL_LEGEND_PATCH;
    }
    for (int32_t g = 0; g < wish->names && g < MEASURED; g++) { // no more can be seen
        wish->name_width = fmax(wish->name_width, pal_overlay_text_width(o, &style, name_of(s, g)));
    }
}

// ---- the scale bar

static void draw_scale(const pal_stage *s, pal_overlay *o, const pal_layout *layout) {
    const double point = s->metre / s->view.scale; // points a metre
    const double length = pal_round_down(150.0 / point), width = length * point;
    const double y = pal_overlay_height(o) - EDGE - 4.0;
    const pal_text_style style = {.size = 15.0, .colour = ink, .align = PAL_CENTRE};
    char text[32];
    if (!pal_layout_has(layout, PAL_PANEL_SCALE)) {
        return;
    }
    pal_say_quantity(length, 0.0, 4, "m", text, sizeof text);
    pal_overlay_box(o, EDGE - 8.0, y - 26.0, width + 16.0, 36.0, 6.0, veil);
    pal_overlay_line(o, EDGE, y, EDGE + width, y, 2.0, ink);
    pal_overlay_line(o, EDGE, y - 5.0, EDGE, y + 5.0, 2.0, ink);
    pal_overlay_line(o, EDGE + width, y - 5.0, EDGE + width, y + 5.0, 2.0, ink);
    pal_overlay_text_within(o, &style, EDGE + 0.5 * width, y - 9.0, width + 16.0, text);
}

// ---- colours

static void draw_bar(pal_overlay *o, const pal_frame *p, const char *name, const char *most) {
    const double left = p->left + 22.0, right = p->left + p->width - 8.0, all = right - left;
    const double top = p->top + 24.0;
    pal_text_style style = {.size = 15.0, .colour = ink};
    pal_overlay_box(o, p->left, p->top, p->width, p->height, 6.0, veil);
    for (int i = 0; i < STRIPS; i++) {
        const double width = all / STRIPS;
        const pal_rgba from = pal_rgba_of(pal_colormap_rgb((double)i / STRIPS), 255);
        const pal_rgba to = pal_rgba_of(pal_colormap_rgb((i + 1.0) / STRIPS), 255);
        pal_overlay_gradient(o, left + width * i, top, width, BAR_HEIGHT, from, to);
    }
    const double used = pal_overlay_text_within(o, &style, left, top - 7.0, 0.6 * all, name);
    style.align = PAL_RIGHT;
    style.colour = quiet;
    pal_overlay_text(o, &style, left - 7.0, top + BAR_HEIGHT - 1.0, "0");
    pal_overlay_text_within(o, &style, right, top - 7.0, all - used - 8.0, most);
}

static void draw_regions(const pal_stage *s, pal_overlay *o, const pal_layout *l) {
    const pal_frame *p = &l->panel[PAL_PANEL_COLOURS];
    const pal_text_style style = {.size = 15.0, .colour = ink};
    const double column = (p->width - 2.0 * PAL_LEGEND_PAD + 14.0) / l->columns;
    char more[48];
    pal_overlay_box(o, p->left, p->top, p->width, p->height, 6.0, halo);
    for (int32_t g = 0; g <= l->shown && g < s->region_count; g++) {
        const double x = p->left + PAL_LEGEND_PAD + column * (g / l->rows);
        const double y = p->top + PAL_LEGEND_PAD + PAL_LEGEND_ROW * (g % l->rows) + 14.0;
        if (g == l->shown) {
            snprintf(more, sizeof more, "and %d more", (int)(s->region_count - g));
            pal_overlay_text_within(o, &style, x, y, l->name_room + PAL_LEGEND_PATCH, more);
        } else {
            pal_overlay_box(o, x, y - 11.0, 14.0, 14.0, 3.0, pal_rgba_of(s->region_colour[g], 255));
            pal_overlay_text_within(o, &style, x + PAL_LEGEND_PATCH, y, l->name_room,
                                    name_of(s, g));
        }
    }
}

static void draw_colours(const pal_stage *s, pal_overlay *o, const pal_layout *layout) {
    const pal_frame *p = &layout->panel[PAL_PANEL_COLOURS];
    char text[48];
    if (!pal_layout_has(layout, PAL_PANEL_COLOURS)) {
        return;
    }
    switch (s->view.colouring) {
    case PAL_BY_DISPLACEMENT:
        pal_say_quantity(s->most, 0.0, 4, "m", text, sizeof text);
        draw_bar(o, p, "moved by", text);
        break;
    case PAL_BY_ENERGY:
        pal_say_quantity(s->most, 0.0, 4, "J/m\xC2\xB3", text, sizeof text);
        draw_bar(o, p, "\xE2\x88\x9A energy density", text);
        break;
    case PAL_BY_REGION:
        draw_regions(s, o, layout);
        break;
    }
}

// ---- forces

static void draw_force(const pal_stage *s, pal_overlay *o, int32_t h) {
    const double size = pal_norm3(s->shot.hand[h].force);
    double at[3], from[3];
    char text[32];
    pal_camera_project(&s->camera, s->arrow_tip[h], at);
    pal_camera_project(&s->camera, s->shot.hand[h].tool.x, from);
    if (!(size > 5e-3) || !(at[2] > 0.0)) {
        return;
    }
    pal_text_style style = {.weight = PAL_FONT_BOLD, .size = 19.0, .colour = force_ink};
    snprintf(text, sizeof text, "%.2f N", size);
    const double width = pal_overlay_text_width(o, &style, text);
    const bool leftwards = at[0] < from[0] - 12.0 * s->view.scale; // beyond the tip, not over it
    double x = at[0] / s->view.scale + (leftwards ? -14.0 - width : 14.0);
    double y = at[1] / s->view.scale + 6.0;
    x = fmin(fmax(x, EDGE), pal_overlay_width(o) - EDGE - width);
    y = fmin(fmax(y, EDGE + 14.0), pal_overlay_height(o) - EDGE);
    pal_overlay_box(o, x - 5.0, y - 15.0, width + 10.0, 20.0, 5.0, halo);
    pal_overlay_text(o, &style, x, y, text);
}

double pal_stage_force_share(const pal_stage *s) {
    double most = 0.0;
    for (int32_t h = 0; h < s->shot.hand_count; h++) {
        most = fmax(most, pal_norm3(s->shot.hand[h].force));
    }
    return most / s->spec.full_force;
}

static double longest_side(const pal_stage *s) {
    double longest = 0.0;
    for (int c = 0; c < 3; c++) {
        longest = fmax(longest, s->box[1][c] - s->box[0][c]);
    }
    return longest;
}

void pal_stage_label(const pal_stage *s, pal_overlay *o, const pal_layout *layout) {
    if (!s->view.labels) {
        return;
    }
    draw_scale(s, o, layout);
    if (s->view.axes) {
        pal_axes axes;
        const pal_axes_room room = {pal_overlay_width(o), pal_overlay_height(o), layout};
        pal_axes_make(&s->camera, &s->view, s->box, &room, &axes);
        pal_axes_draw(&axes, o);
    }
    pal_axes_draw_mark(&s->camera, &s->view, longest_side(s), o);
    if (s->has_body) {
        draw_colours(s, o, layout);
    }
    for (int32_t h = 0; s->view.force && h < s->shot.hand_count && h < s->spec.tool_count; h++) {
        draw_force(s, o, h);
    }
}
