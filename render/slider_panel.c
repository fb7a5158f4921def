#include "render/slider_panel.h"

#include <math.h>
#include <stdio.h>

#include "render/hud_style.h"

enum { WIDTH = 290, TOP = 46, PAD = 14, HEAD = 62, ROW = 44, BODY_HEAD = 26, BUTTON = 28 };

static double body_top(void) { // of the sliders of the whole body
    return TOP + HEAD + PAL_SLIDERS_OF_REGION * ROW + BODY_HEAD;
}

static double buttons_top(void) {
    return body_top() + (PAL_SLIDERS - PAL_SLIDERS_OF_REGION) * ROW + 2.0;
}

pal_frame pal_slider_panel_frame(double width) {
    return (pal_frame){width - WIDTH - 12.0, TOP, WIDTH, buttons_top() + BUTTON + 12.0 - TOP};
}

pal_frame pal_slider_track(double width, int32_t slider) {
    const double left = width - WIDTH - 12.0 + PAD;
    const double top = slider < PAL_SLIDERS_OF_REGION
                           ? TOP + HEAD + slider * ROW
                           : body_top() + (slider - PAL_SLIDERS_OF_REGION) * ROW;
    return (pal_frame){left, top + 22.0, WIDTH - 2.0 * PAD, 6.0};
}

static pal_frame button(double width, int number) {
    const double left = width - WIDTH - 12.0 + PAD, wide = 0.5 * (WIDTH - 2.0 * PAD - 10.0);
    return (pal_frame){left + number * (wide + 10.0), buttons_top(), wide, BUTTON};
}

static pal_frame next_button(double width) {
    return (pal_frame){width - 12.0 - PAD - 62.0, TOP + 28.0, 62.0, 24.0};
}

static bool inside(pal_frame f, double x, double y, double room) {
    return x >= f.left - room && x <= f.left + f.width + room && y >= f.top - room &&
           y <= f.top + f.height + room;
}

void pal_slider_panel_init(pal_slider_panel *panel) {
    *panel = (pal_slider_panel){.dragging = -1};
}

double pal_slider_share(const pal_slider_item *item) {
    const double share = item->logarithmic
                             ? log(item->value / item->least) / log(item->most / item->least)
                             : (item->value - item->least) / (item->most - item->least);
    return isfinite(share) ? fmin(fmax(share, 0.0), 1.0) : 0.0;
}

double pal_slider_value(const pal_slider_item *item, double share) {
    const double s = fmin(fmax(share, 0.0), 1.0);
    return item->logarithmic ? item->least * pow(item->most / item->least, s)
                             : item->least + s * (item->most - item->least);
}

// What the button went down on.
static pal_slider_event press(pal_slider_panel *panel, const pal_slider_look *look, double width,
                              double x, double y) {
    panel->mine = inside(pal_slider_panel_frame(width), x, y, 0.0);
    for (int32_t k = 0; panel->mine && k < PAL_SLIDERS; k++) {
        if (inside(pal_slider_track(width, k), x, y, 10.0)) {
            panel->dragging = k;
        }
    }
    if (!panel->mine || panel->dragging >= 0) {
        return PAL_SLIDER_NOTHING;
    }
    return look->regions > 1 && inside(next_button(width), x, y, 2.0) ? PAL_SLIDER_NEXT
           : inside(button(width, 0), x, y, 2.0)                      ? PAL_SLIDER_RESTORE
           : inside(button(width, 1), x, y, 2.0)                      ? PAL_SLIDER_SAVE
                                                                      : PAL_SLIDER_NOTHING;
}

pal_slider_event pal_slider_panel_step(pal_slider_panel *panel, const pal_slider_look *look,
                                       double width, double x, double y, bool down, int32_t *which,
                                       double *value) {
    pal_slider_event event = PAL_SLIDER_NOTHING;
    if (down && !panel->down) {
        event = press(panel, look, width, x, y);
    }
    if (down && panel->dragging >= 0) {
        const pal_frame track = pal_slider_track(width, panel->dragging);
        *which = panel->dragging;
        *value = pal_slider_value(&look->item[panel->dragging], (x - track.left) / track.width);
        event = *value != look->item[panel->dragging].value ? PAL_SLIDER_MOVED : event;
    }
    if (!down) {
        panel->dragging = -1;
        panel->mine = false;
    }
    panel->down = down;
    return event;
}

static void draw_button(pal_overlay *o, pal_frame f, const char *text) {
    static const pal_rgba face = {0xE4, 0xE8, 0xEE, 255};
    pal_overlay_box(o, f.left, f.top, f.width, f.height, 6.0, face);
    pal_overlay_frame(o, f.left, f.top, f.width, f.height, 1.0, pal_hud_faint);
    pal_hud_write(o, f.left + 0.5 * f.width, f.top + 0.5 * f.height + 5.0, 13.0, pal_hud_ink,
                  PAL_CENTRE, text);
}

static void draw_slider(pal_overlay *o, double width, int32_t k, const pal_slider_item *item,
                        bool active) {
    static const pal_rgba groove = {0xC6, 0xCC, 0xD6, 255};
    const pal_frame f = pal_slider_track(width, k);
    const double at = f.left + f.width * pal_slider_share(item), y = f.top + 0.5 * f.height;
    pal_hud_write(o, f.left, f.top - 8.0, 13.0, pal_hud_quiet, PAL_LEFT, item->name);
    pal_hud_write(o, f.left + f.width, f.top - 8.0, 13.0, pal_hud_ink, PAL_RIGHT, item->text);
    pal_overlay_box(o, f.left, f.top, f.width, f.height, 3.0, groove);
    pal_overlay_box(o, f.left, f.top, at - f.left, f.height, 3.0, pal_hud_data[0]);
    pal_overlay_disc(o, at, y, active ? 9.0 : 7.5, pal_hud_data[0]);
    pal_overlay_disc(o, at, y, active ? 5.0 : 4.5, (pal_rgba){255, 255, 255, 255});
}

void pal_slider_panel_draw(const pal_slider_panel *panel, const pal_slider_look *look,
                           pal_overlay *o) {
    const double width = pal_overlay_width(o);
    const pal_frame f = pal_slider_panel_frame(width);
    char text[64];
    pal_overlay_box(o, f.left, f.top, f.width, f.height, 8.0, (pal_rgba){255, 255, 255, 236});
    pal_hud_write_bold(o, f.left + PAD, f.top + 20.0, 14.0, pal_hud_ink, "Material of the region");
    const pal_text_style name = {.size = 14.0, .colour = pal_hud_ink};
    pal_overlay_text(o, &name, f.left + PAD, f.top + 45.0, look->region);
    if (look->regions > 1) {
        snprintf(text, sizeof text, "next %d/%d", (int)look->number + 1, (int)look->regions);
        draw_button(o, next_button(width), text);
    }
    pal_hud_write_bold(o, f.left + PAD, body_top() - 8.0, 14.0, pal_hud_ink,
                       "Damping of the whole body");
    for (int32_t k = 0; k < PAL_SLIDERS; k++) {
        draw_slider(o, width, k, &look->item[k], k == panel->dragging);
    }
    draw_button(o, button(width, 0), "Restore (B)");
    draw_button(o, button(width, 1), "Save scene (S)");
}
