// Words across the picture: the list of keys, messages, the line at the foot; and the bar of the
// trainer's view.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/hud.h"
#include "render/hud_style.h"
#include "render/ui_keys.h"

static const double help_text = 14.0, name_gap = 14.0, column_gap = 24.0; // points

// ---- the list of keys

typedef struct help_line {
    const char *name, *does;
} help_line;

// The line of this number, from 0; false past the end.
static bool help_line_at(unsigned where, int number, help_line *line) {
    int seen = 0;
    for (int i = 0; pal_ui_key_at(i) != NULL; i++) {
        const pal_ui_key *key = pal_ui_key_at(i);
        if ((key->where & where) != 0 && seen++ == number) {
            *line = (help_line){key->name, key->does};
            return true;
        }
    }
    for (int i = 0; pal_ui_gesture_at(i) != NULL; i++) {
        const pal_ui_gesture *gesture = pal_ui_gesture_at(i);
        if ((gesture->where & where) != 0 && seen++ == number) {
            *line = (help_line){gesture->name, gesture->does};
            return true;
        }
    }
    return false;
}

// Points that the names and what they do are wide.
static void measure_help(const pal_overlay *o, unsigned where, double *name, double *does) {
    const pal_text_style bold = {.weight = PAL_FONT_BOLD, .size = help_text};
    const pal_text_style plain = {.size = help_text};
    help_line line;
    *name = *does = 0.0;
    for (int i = 0; help_line_at(where, i, &line); i++) {
        *name = fmax(*name, pal_overlay_text_width(o, &bold, line.name));
        *does = fmax(*does, pal_overlay_text_width(o, &plain, line.does));
    }
}

void pal_hud_wish_help(const pal_overlay *o, unsigned where, pal_layout_wish *wish) {
    double name, does;
    help_line line;
    measure_help(o, where, &name, &does);
    wish->help_column = name + name_gap + does + column_gap;
    wish->help_lines = 0;
    while (help_line_at(where, wish->help_lines, &line)) {
        wish->help_lines++;
    }
}

void pal_hud_draw_help(pal_overlay *o, const pal_layout *layout, unsigned where, int page) {
    const pal_layout_help *h = &layout->help;
    const pal_frame *p = &layout->panel[PAL_PANEL_HELP];
    const double size = help_text * h->factor, row = PAL_HELP_LINE * h->factor;
    const double column = (p->width - 2.0 * PAL_HELP_EDGE) / h->columns;
    const pal_text_style bold = {.weight = PAL_FONT_BOLD, .size = size, .colour = pal_hud_ink};
    const pal_text_style plain = {.size = size, .colour = pal_hud_ink};
    const double left = p->left + PAL_HELP_EDGE, top = p->top + PAL_HELP_EDGE;
    char head[64] = "Keys and mouse";
    double name, does;
    help_line line;
    measure_help(o, where, &name, &does);
    name *= h->factor;
    if (h->pages > 1) {
        snprintf(head, sizeof head, "Keys and mouse, %d of %d (F1: next)", page + 1, (int)h->pages);
    }
    pal_overlay_box(o, p->left, p->top, p->width, p->height, 12.0, (pal_rgba){255, 255, 255, 244});
    pal_overlay_frame(o, p->left, p->top, p->width, p->height, 1.0, pal_hud_faint);
    const pal_text_style title = {
        .weight = PAL_FONT_BOLD, .size = 19.0 * h->factor, .colour = pal_hud_ink};
    pal_overlay_text_within(o, &title, left, top + 0.6 * row, p->width - 2.0 * PAL_HELP_EDGE, head);
    const int places = h->columns * h->rows;
    for (int i = 0; i < places && help_line_at(where, page * places + i, &line); i++) {
        const double x = left + column * (i / h->rows);
        const double y = top + row * (2.7 + i % h->rows);
        const double names = fmin(name, 0.4 * column);
        pal_overlay_text_within(o, &bold, x, y, names, line.name);
        pal_overlay_text_within(o, &plain, x + names + name_gap * h->factor, y,
                                column - names - 1.2 * name_gap * h->factor, line.does);
    }
}

// ---- messages

enum { MOST_LINES = 8 };

typedef struct paragraph {
    int count;
    char line[MOST_LINES][PAL_OVERLAY_TEXT];
} paragraph;

// Words in lines of so many points; what is over stays in the last one.
static void wrap(const pal_overlay *o, const pal_text_style *style, double room, int most,
                 const char *text, paragraph *out) {
    out->count = 0;
    while (*text != '\0') {
        char *line = out->line[out->count++];
        size_t end = 0;
        if (out->count == most) {
            snprintf(line, PAL_OVERLAY_TEXT, "%s", text);
            return;
        }
        for (size_t k = 0; end == 0 || text[end] != '\0'; k = end + 1) {
            const size_t next = k + strcspn(text + k, " ");
            snprintf(line, PAL_OVERLAY_TEXT, "%.*s", (int)next, text);
            if (end > 0 && pal_overlay_text_width(o, style, line) > room) {
                break;
            }
            end = next;
        }
        snprintf(line, PAL_OVERLAY_TEXT, "%.*s", (int)end, text);
        text += end;
        text += strspn(text, " ");
    }
}

void pal_hud_draw_message(pal_overlay *o, const pal_layout *layout, const char *message,
                          bool alarming) {
    const pal_frame *p = &layout->panel[PAL_PANEL_MESSAGE];
    const double pad = 12.0, room = p->width - 2.0 * pad;
    const pal_text_style style = {.weight = PAL_FONT_BOLD,
                                  .size = 15.0,
                                  .colour = alarming ? pal_hud_alarm : pal_hud_ink,
                                  .align = PAL_CENTRE};
    paragraph said;
    if (message == NULL || room <= 0.0) {
        return;
    }
    const int most = (int)floor((p->height - 8.0) / PAL_MESSAGE_LINE + 1e-9);
    wrap(o, &style, room, most < MOST_LINES ? most : MOST_LINES, message, &said);
    double width = 0.0;
    for (int i = 0; i < said.count; i++) {
        width = fmax(width, fmin(pal_overlay_text_width(o, &style, said.line[i]), room));
    }
    const double height = said.count * PAL_MESSAGE_LINE + 8.0;
    const double middle = p->left + 0.5 * p->width, top = p->top + p->height - height;
    pal_overlay_box(o, middle - 0.5 * width - pad, top, width + 2.0 * pad, height, 8.0,
                    pal_hud_panel);
    for (int i = 0; i < said.count; i++) {
        pal_overlay_text_within(o, &style, middle, top + PAL_MESSAGE_LINE * i + 19.0, room,
                                said.line[i]);
    }
}

void pal_hud_draw_status(pal_overlay *o, const pal_layout *layout, const char *text) {
    const pal_frame *p = &layout->panel[PAL_PANEL_STATUS];
    const pal_text_style style = {.size = 13.0, .colour = pal_hud_quiet, .align = PAL_CENTRE};
    const double pad = 12.0, room = p->width - 2.0 * pad, middle = p->left + 0.5 * p->width;
    if (!pal_layout_has(layout, PAL_PANEL_STATUS)) {
        return;
    }
    const double width = fmin(pal_overlay_text_width(o, &style, text), room);
    pal_overlay_box(o, middle - 0.5 * width - pad, p->top, width + 2.0 * pad, p->height, 8.0,
                    pal_hud_panel);
    pal_overlay_text_within(o, &style, middle, p->top + 18.0, room, text);
}

// ---- the trainer's view

void pal_hud_draw_force_bar(pal_overlay *o, const pal_layout *layout, double share, bool alarming) {
    static const pal_rgba trough = {255, 255, 255, 150}, high = {0xD5, 0x5E, 0x00, 255};
    static const double much = 0.8; // of what the device can do
    const pal_frame *p = &layout->panel[PAL_PANEL_FORCE_BAR];
    const double full = fmin(fmax(share, 0.0), 1.0), line = 2.0;
    const double height = full * (p->height - 2.0 * line);
    if (!pal_layout_has(layout, PAL_PANEL_FORCE_BAR)) {
        return;
    }
    pal_overlay_box(o, p->left, p->top, p->width, p->height, 6.0, trough);
    if (height > 0.0) {
        pal_overlay_box(o, p->left + line, p->top + p->height - line - height,
                        p->width - 2.0 * line, height, 4.0, full > much ? high : pal_hud_data[0]);
    }
    pal_overlay_frame(o, p->left, p->top, p->width, p->height, line,
                      alarming ? pal_hud_alarm : pal_hud_quiet);
}
