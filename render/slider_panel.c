#include "render/slider_panel.h"

#include <math.h>
#include <stdio.h>

#include "render/hud_style.h"

// Points in a panel of full size, from its corner.
enum { PAD = 14, HEAD = 62, ROW = 44, BODY_HEAD = 26, BUTTON = 28 };
static const double width = PAL_SLIDERS_WIDTH;
static const double body_top = HEAD + PAL_SLIDERS_OF_REGION * ROW + BODY_HEAD; // of the sliders of
                                                                               // the whole body
static const double buttons_top = HEAD + PAL_SLIDERS * ROW + BODY_HEAD + 2.0;

static double scale_of(const pal_frame *frame) {
    return frame->width / width;
}

// A part of the panel where the panel is.
static pal_frame placed(const pal_frame *frame, double left, double top, double wide,
                        double height) {
    const double s = scale_of(frame);
    return (pal_frame){frame->left + s * left, frame->top + s * top, s * wide, s * height};
}

pal_frame pal_slider_track(const pal_frame *frame, int32_t slider) {
    const double top = slider < PAL_SLIDERS_OF_REGION
                           ? HEAD + slider * ROW
                           : body_top + (slider - PAL_SLIDERS_OF_REGION) * ROW;
    return placed(frame, PAD, top + 22.0, width - 2.0 * PAD, 6.0);
}

static pal_frame button(const pal_frame *frame, int number) {
    const double wide = 0.5 * (width - 2.0 * PAD - 10.0);
    return placed(frame, PAD + number * (wide + 10.0), buttons_top, wide, BUTTON);
}

static pal_frame next_button(const pal_frame *frame) {
    return placed(frame, width - PAD - 62.0, 28.0, 62.0, 24.0);
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
static pal_slider_event press(pal_slider_panel *panel, const pal_slider_look *look,
                              const pal_frame *frame, double x, double y) {
    panel->mine = inside(*frame, x, y, 0.0);
    for (int32_t k = 0; panel->mine && k < PAL_SLIDERS; k++) {
        if (inside(pal_slider_track(frame, k), x, y, 10.0 * scale_of(frame))) {
            panel->dragging = k;
        }
    }
    if (!panel->mine || panel->dragging >= 0) {
        return PAL_SLIDER_NOTHING;
    }
    return look->regions > 1 && inside(next_button(frame), x, y, 2.0) ? PAL_SLIDER_NEXT
           : inside(button(frame, 0), x, y, 2.0)                      ? PAL_SLIDER_RESTORE
           : inside(button(frame, 1), x, y, 2.0)                      ? PAL_SLIDER_SAVE
                                                                      : PAL_SLIDER_NOTHING;
}

pal_slider_event pal_slider_panel_step(pal_slider_panel *panel, const pal_slider_look *look,
                                       const pal_frame *frame, double x, double y, bool down,
                                       int32_t *which, double *value) {
    pal_slider_event event = PAL_SLIDER_NOTHING;
    if (down && !panel->down) {
        event = press(panel, look, frame, x, y);
    }
    if (down && panel->dragging >= 0) {
        const pal_frame track = pal_slider_track(frame, panel->dragging);
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

static void draw_button(pal_overlay *o, pal_frame f, double scale, const char *text) {
    static const pal_rgba face = {0xE4, 0xE8, 0xEE, 255};
    const pal_text_style style = {.size = 13.0 * scale, .colour = pal_hud_ink, .align = PAL_CENTRE};
    pal_overlay_box(o, f.left, f.top, f.width, f.height, 6.0 * scale, face);
    pal_overlay_frame(o, f.left, f.top, f.width, f.height, 1.0, pal_hud_faint);
    pal_overlay_text_within(o, &style, f.left + 0.5 * f.width, f.top + 0.5 * f.height + 5.0 * scale,
                            f.width - 4.0 * scale, text);
}

static void draw_slider(pal_overlay *o, const pal_frame *frame, int32_t k,
                        const pal_slider_item *item, bool active) {
    static const pal_rgba groove = {0xC6, 0xCC, 0xD6, 255};
    const pal_frame f = pal_slider_track(frame, k);
    const double s = scale_of(frame), y = f.top + 0.5 * f.height;
    const double at = f.left + f.width * pal_slider_share(item);
    const pal_text_style name = {.size = 13.0 * s, .colour = pal_hud_quiet};
    const pal_text_style value = {.size = 13.0 * s, .colour = pal_hud_ink, .align = PAL_RIGHT};
    const double used = pal_overlay_text_within(o, &value, f.left + f.width, f.top - 8.0 * s,
                                                0.6 * f.width, item->text);
    pal_overlay_text_within(o, &name, f.left, f.top - 8.0 * s, f.width - used - 6.0 * s,
                            item->name);
    pal_overlay_box(o, f.left, f.top, f.width, f.height, 3.0 * s, groove);
    pal_overlay_box(o, f.left, f.top, at - f.left, f.height, 3.0 * s, pal_hud_data[0]);
    pal_overlay_disc(o, at, y, s * (active ? 9.0 : 7.5), pal_hud_data[0]);
    pal_overlay_disc(o, at, y, s * (active ? 5.0 : 4.5), (pal_rgba){255, 255, 255, 255});
}

void pal_slider_panel_draw(const pal_slider_panel *panel, const pal_slider_look *look,
                           const pal_frame *f, pal_overlay *o) {
    const double s = scale_of(f), left = f->left + s * PAD, room = f->width - 2.0 * s * PAD;
    const pal_text_style head = {.weight = PAL_FONT_BOLD, .size = 14.0 * s, .colour = pal_hud_ink};
    const pal_text_style name = {.size = 14.0 * s, .colour = pal_hud_ink};
    char text[64];
    pal_overlay_box(o, f->left, f->top, f->width, f->height, 8.0 * s,
                    (pal_rgba){255, 255, 255, 236});
    pal_overlay_text_within(o, &head, left, f->top + s * 20.0, room, "Material of the region");
    pal_overlay_text_within(o, &name, left, f->top + s * 45.0,
                            look->regions > 1 ? room - s * 70.0 : room, look->region);
    if (look->regions > 1) {
        snprintf(text, sizeof text, "next %d/%d", (int)look->number + 1, (int)look->regions);
        draw_button(o, next_button(f), s, text);
    }
    pal_overlay_text_within(o, &head, left, f->top + s * (body_top - 8.0), room,
                            "Damping of the whole body");
    for (int32_t k = 0; k < PAL_SLIDERS; k++) {
        draw_slider(o, f, k, &look->item[k], k == panel->dragging);
    }
    draw_button(o, button(f, 0), s, "Restore (B)");
    draw_button(o, button(f, 1), s, "Save scene (S)");
}
