// Colours and panels of what is drawn over the picture; the data colours are those of Okabe and
// Ito, which the colour-blind can tell apart.
#ifndef PAL_RENDER_HUD_STYLE_H
#define PAL_RENDER_HUD_STYLE_H

#include "render/gl_overlay.h"

static const pal_rgba pal_hud_ink = {0x1B, 0x1F, 0x27, 255},
                      pal_hud_quiet = {0x4A, 0x51, 0x5D, 255},
                      pal_hud_faint = {0x4A, 0x51, 0x5D, 60}, pal_hud_panel = {255, 255, 255, 214},
                      pal_hud_alarm = {0xB3, 0x3A, 0x00, 255};
static const pal_rgba pal_hud_data[4] = {{0x00, 0x5F, 0xA3, 255},
                                         {0xD5, 0x5E, 0x00, 255},
                                         {0x00, 0x84, 0x61, 255},
                                         {0xA8, 0x4D, 0x80, 255}};

static inline void pal_hud_write(pal_overlay *o, double x, double y, double size, pal_rgba colour,
                                 pal_align align, const char *text) {
    const pal_text_style style = {.size = size, .colour = colour, .align = align};
    pal_overlay_text(o, &style, x, y, text);
}

static inline void pal_hud_write_bold(pal_overlay *o, double x, double y, double size,
                                      pal_rgba colour, const char *text) {
    const pal_text_style style = {.weight = PAL_FONT_BOLD, .size = size, .colour = colour};
    pal_overlay_text(o, &style, x, y, text);
}

#endif
