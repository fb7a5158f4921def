// Flat things over the picture: text, lines, boxes. They are gathered between begin and end and
// drawn in one go, in the order in which they came. Places and sizes are in points from the top
// left corner, y down; a point is `scale` pixels, so that what is legible on one screen is so on a
// denser one. Drawing does not fail; what goes wrong meanwhile is told by end. Main thread, a
// context current.
#ifndef PAL_RENDER_GL_OVERLAY_H
#define PAL_RENDER_GL_OVERLAY_H

#include "render/image.h"
#include "render/label.h"

enum { PAL_OVERLAY_TEXT = 512 }; // bytes of a line that may be cut

typedef struct pal_overlay pal_overlay;

typedef struct pal_rgba {
    uint8_t r, g, b, a;
} pal_rgba;

static inline pal_rgba pal_rgba_of(pal_rgb colour, uint8_t alpha) {
    return (pal_rgba){colour.r, colour.g, colour.b, alpha};
}

typedef struct pal_text_style {
    pal_font_weight weight;
    double size; // points from ascent to descent
    pal_rgba colour;
    pal_align align; // of x within the text
    double outline;  // points of white around the letters: legible on anything; 0: none
} pal_text_style;

// Opens the fonts (see label.h) and the shader. On failure *overlay is NULL.
pal_status pal_overlay_open(pal_overlay **overlay, pal_err *err);
void pal_overlay_close(pal_overlay *overlay); // NULL is allowed

// width, height: of what is drawn into, pixels.
void pal_overlay_begin(pal_overlay *overlay, int32_t width, int32_t height, double scale);

// Size of the whole, points.
double pal_overlay_width(const pal_overlay *overlay);
double pal_overlay_height(const pal_overlay *overlay);

// A filled box with round corners (radius 0: square ones).
void pal_overlay_box(pal_overlay *overlay, double x, double y, double width, double height,
                     double radius, pal_rgba colour);
// Its outline, `line` wide, inside it.
void pal_overlay_frame(pal_overlay *overlay, double x, double y, double width, double height,
                       double line, pal_rgba colour);
void pal_overlay_disc(pal_overlay *overlay, double x, double y, double radius, pal_rgba colour);
void pal_overlay_line(pal_overlay *overlay, double x0, double y0, double x1, double y1,
                      double width, pal_rgba colour);
// Through points [count][2]; one that is not finite interrupts it.
void pal_overlay_polyline(pal_overlay *overlay, const float *point, int32_t count, double width,
                          pal_rgba colour);
// A box whose colour runs from left to right; its left and right edges go to whole pixels.
void pal_overlay_gradient(pal_overlay *overlay, double x, double y, double width, double height,
                          pal_rgba left, pal_rgba right);

// One line of text; (x, y) is on its base line. Returns its width in points, as the second does.
double pal_overlay_text(pal_overlay *overlay, const pal_text_style *style, double x, double y,
                        const char *text);
double pal_overlay_text_width(const pal_overlay *overlay, const pal_text_style *style,
                              const char *text);

// The same in `room` points: somewhat smaller where that is enough, else cut with an ellipsis.
double pal_overlay_text_within(pal_overlay *overlay, const pal_text_style *style, double x,
                               double y, double room, const char *text);

// What follows is cut off outside this box, until another or none (width < 0).
void pal_overlay_clip(pal_overlay *overlay, double x, double y, double width, double height);

// Draws all of it into the framebuffer that is bound.
pal_status pal_overlay_end(pal_overlay *overlay, pal_err *err);

#endif
