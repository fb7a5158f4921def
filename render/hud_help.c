// Words across the picture: the list of keys, and messages.
#include <math.h>
#include <stdio.h>

#include "render/hud.h"
#include "render/hud_style.h"
#include "render/ui_keys.h"

enum { NAME = 110, COLUMN = 430, LINE = 21, EDGE = 22 }; // points

typedef struct sheet {
    pal_overlay *overlay;
    double x, y;
} sheet;

static void line(sheet *s, const char *name, const char *does) {
    const pal_text_style bold = {.weight = PAL_FONT_BOLD, .size = 14.0, .colour = pal_hud_ink};
    pal_overlay_text(s->overlay, &bold, s->x, s->y, name);
    pal_hud_write(s->overlay, s->x + NAME, s->y, 14.0, pal_hud_ink, PAL_LEFT, does);
    s->y += LINE;
}

void pal_hud_draw_help(pal_overlay *o, unsigned where) {
    int count = 0, gestures = 0;
    for (int i = 0; pal_ui_key_at(i) != NULL; i++) {
        count += (pal_ui_key_at(i)->where & where) != 0;
    }
    for (int i = 0; pal_ui_gesture_at(i) != NULL; i++) {
        gestures += (pal_ui_gesture_at(i)->where & where) != 0;
    }
    const int left = (count + gestures + 2) / 2;
    const double width = 2 * COLUMN + 2 * EDGE, height = LINE * (left + 2) + 2 * EDGE;
    // In a small window all of it smaller would not be legible: it is cut off at the right and foot
    const double x = fmax(0.5 * (pal_overlay_width(o) - width), 4.0);
    const double y = fmax(0.5 * (pal_overlay_height(o) - height), 4.0);
    pal_overlay_box(o, x, y, width, height, 12.0, (pal_rgba){255, 255, 255, 244});
    pal_overlay_frame(o, x, y, width, height, 1.0, pal_hud_faint);
    pal_hud_write_bold(o, x + EDGE, y + EDGE + 12.0, 19.0, pal_hud_ink, "Keys and mouse");
    const double top = y + EDGE + 2.0 * LINE;
    sheet s = {o, x + EDGE, top};
    int written = 0;
    for (int i = 0; pal_ui_key_at(i) != NULL; i++) {
        const pal_ui_key *key = pal_ui_key_at(i);
        if ((key->where & where) == 0) {
            continue;
        }
        if (written++ == left) {
            s = (sheet){o, x + EDGE + COLUMN, top};
        }
        line(&s, key->name, key->does);
    }
    s.y += 0.5 * LINE;
    for (int i = 0; pal_ui_gesture_at(i) != NULL; i++) {
        if ((pal_ui_gesture_at(i)->where & where) != 0) {
            line(&s, pal_ui_gesture_at(i)->name, pal_ui_gesture_at(i)->does);
        }
    }
}

void pal_hud_draw_message(pal_overlay *o, const char *message, bool alarming) {
    const double middle = 0.5 * pal_overlay_width(o), y = pal_overlay_height(o) - 28.0;
    const char *text = message != NULL ? message : "F1 for help";
    const pal_text_style style = {.weight = message != NULL ? PAL_FONT_BOLD : PAL_FONT_PLAIN,
                                  .size = message != NULL ? 15.0 : 13.0,
                                  .colour = alarming          ? pal_hud_alarm
                                            : message != NULL ? pal_hud_ink
                                                              : pal_hud_quiet,
                                  .align = PAL_CENTRE};
    const double width = pal_overlay_text_width(o, &style, text);
    pal_overlay_box(o, middle - 0.5 * width - 12.0, y - 19.0, width + 24.0, 28.0, 8.0,
                    pal_hud_panel);
    pal_overlay_text(o, &style, middle, y, text);
}
