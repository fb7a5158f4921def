// Text in pictures, by stb_truetype and a DejaVu font (package fonts-dejavu-core). UTF-8. Sizes in
// pixels from one line's ascent to its descent.
#ifndef PAL_RENDER_LABEL_H
#define PAL_RENDER_LABEL_H

#include <stdbool.h>
#include <stddef.h>

#include "render/image.h"

typedef struct pal_font pal_font;

typedef enum pal_font_weight { PAL_FONT_PLAIN, PAL_FONT_BOLD } pal_font_weight;
typedef enum pal_align { PAL_LEFT, PAL_CENTRE, PAL_RIGHT } pal_align; // of x within the text

// Finds the font: the file named by the environment variable PALPATE_FONT, else the first that is
// there of the usual places. A missing or broken font is an error that says how to get one; *font
// is then NULL. Set-up only.
pal_status pal_font_open(pal_font_weight weight, pal_font **font, pal_err *err);
void pal_font_close(pal_font *font); // NULL is allowed

typedef struct pal_label_style {
    const pal_font *font;
    double size; // pixels
    pal_rgb colour;
    pal_align align;
    bool upwards; // turned a quarter to the left
} pal_label_style;

// Width of a text in pixels. Any thread, as is drawing.
double pal_label_width(const pal_label_style *style, const char *text);

// The text as far as it has room, pixels, with an ellipsis where it is cut. out [size].
void pal_label_fit(const pal_label_style *style, double room, const char *text, char *out,
                   size_t size);

// Draws one line of text; (x, y) is on its base line. Fails only for want of memory.
pal_status pal_label_draw(pal_image *image, const pal_label_style *style, double x, double y,
                          const char *text, pal_err *err);

// ---- for those who keep glyphs themselves (gl_overlay.h)

// Takes one code point from UTF-8 text; bytes that are not UTF-8 become the replacement mark.
int pal_font_next(const char **text);

// How far the pen moves over a code point before the next text, pixels.
double pal_font_advance(const pal_font *font, double size, int code, const char *next);

typedef struct pal_glyph {
    int32_t left, top; // of its corner from the pen, y down
    int32_t width, height;
    uint8_t *cover; // [height][width] 0..255, owned; NULL when it has no ink
} pal_glyph;

// A code point drawn `shift` (0..1) of a pixel to the right of the pen. Free its cover.
pal_status pal_font_glyph(const pal_font *font, double size, int code, double shift,
                          pal_glyph *glyph, pal_err *err);

#endif
