// Words over the picture of a stage: how long things are, what colours mean, how large forces are.
#include <math.h>
#include <stdio.h>

#include "render/colormap.h"
#include "render/gl_stage_parts.h"
#include "sim/base/vec3.h"

static const pal_rgba ink = {0x1B, 0x1F, 0x27, 255}, quiet = {0x4A, 0x51, 0x5D, 255};
static const pal_rgba force_ink = {0xA8, 0x42, 0x00, 255};
static const pal_rgba halo = {255, 255, 255, 205}, veil = {255, 255, 255, 150};
enum { EDGE = 20, BAR_WIDTH = 190, BAR_HEIGHT = 12, STRIPS = 24 }; // points

// ---- the scale bar

static void say_length(double metres, char *text, size_t size) {
    if (metres < 0.9999e-3) {
        snprintf(text, size, "%.4g \xC2\xB5m", 1e6 * metres);
    } else if (metres < 0.9999) {
        snprintf(text, size, "%.4g mm", 1e3 * metres);
    } else {
        snprintf(text, size, "%.4g m", metres);
    }
}

static void draw_scale(const pal_stage *s, pal_overlay *o) {
    const double point = s->metre / s->view.scale; // points a metre
    const double length = pal_round_down(150.0 / point), width = length * point;
    const double y = pal_overlay_height(o) - EDGE - 4.0;
    const pal_text_style style = {.size = 15.0, .colour = ink, .align = PAL_CENTRE};
    char text[32];
    say_length(length, text, sizeof text);
    pal_overlay_box(o, EDGE - 8.0, y - 26.0, width + 16.0, 36.0, 6.0, veil);
    pal_overlay_line(o, EDGE, y, EDGE + width, y, 2.0, ink);
    pal_overlay_line(o, EDGE, y - 5.0, EDGE, y + 5.0, 2.0, ink);
    pal_overlay_line(o, EDGE + width, y - 5.0, EDGE + width, y + 5.0, 2.0, ink);
    pal_overlay_text(o, &style, EDGE + 0.5 * width, y - 9.0, text);
}

// ---- colours

static void draw_bar(pal_overlay *o, const char *name, const char *most) {
    const double right = pal_overlay_width(o) - EDGE, left = right - BAR_WIDTH;
    const double top = pal_overlay_height(o) - EDGE - BAR_HEIGHT - 4.0;
    pal_text_style style = {.size = 15.0, .colour = ink};
    pal_overlay_box(o, left - 22.0, top - 24.0, BAR_WIDTH + 30.0, BAR_HEIGHT + 30.0, 6.0, veil);
    for (int i = 0; i < STRIPS; i++) {
        const double width = (double)BAR_WIDTH / STRIPS;
        const pal_rgba from = pal_rgba_of(pal_colormap_rgb((double)i / STRIPS), 255);
        const pal_rgba to = pal_rgba_of(pal_colormap_rgb((i + 1.0) / STRIPS), 255);
        pal_overlay_gradient(o, left + width * i, top, width, BAR_HEIGHT, from, to);
    }
    pal_overlay_text(o, &style, left, top - 7.0, name);
    style.colour = quiet;
    style.align = PAL_RIGHT;
    pal_overlay_text(o, &style, left - 7.0, top + BAR_HEIGHT - 1.0, "0");
    style.align = PAL_RIGHT;
    pal_overlay_text(o, &style, right, top - 7.0, most);
}

static void draw_regions(const pal_stage *s, pal_overlay *o) {
    const pal_model *model = s->spec.model;
    const pal_text_style style = {.size = 15.0, .colour = ink, .align = PAL_RIGHT};
    const double right = pal_overlay_width(o) - EDGE;
    const int32_t count = model->region_count < 12 ? model->region_count : 12;
    for (int32_t g = 0; g < count; g++) {
        const double y = pal_overlay_height(o) - EDGE - 20.0 * (count - 1 - g);
        const float *colour = s->frame.palette[g % PAL_STAGE_COLOURS];
        const pal_rgba paint = {(uint8_t)lround(pal_linear_to_srgb(colour[0])),
                                (uint8_t)lround(pal_linear_to_srgb(colour[1])),
                                (uint8_t)lround(pal_linear_to_srgb(colour[2])), 255};
        pal_overlay_box(o, right - 14.0, y - 11.0, 14.0, 14.0, 3.0, paint);
        pal_overlay_text(o, &style, right - 21.0, y, model->region[g].name);
    }
}

static void draw_colours(const pal_stage *s, pal_overlay *o) {
    char text[32];
    switch (s->view.colouring) {
    case PAL_BY_DISPLACEMENT:
        say_length(s->most, text, sizeof text);
        draw_bar(o, "moved by", text);
        break;
    case PAL_BY_ENERGY:
        if (s->most < 1e3) {
            snprintf(text, sizeof text, "%.4g J/m\xC2\xB3", s->most);
        } else {
            snprintf(text, sizeof text, "%.4g kJ/m\xC2\xB3", 1e-3 * s->most);
        }
        draw_bar(o, "\xE2\x88\x9A energy density", text);
        break;
    case PAL_BY_REGION:
        draw_regions(s, o);
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

void pal_stage_label(const pal_stage *s, pal_overlay *o) {
    if (!s->view.labels) {
        return;
    }
    draw_scale(s, o);
    if (s->has_body) {
        draw_colours(s, o);
    }
    for (int32_t h = 0; s->view.force && h < s->shot.hand_count && h < s->spec.tool_count; h++) {
        draw_force(s, o, h);
    }
}
