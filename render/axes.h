// Axes with ticks and numbers about a body, and a marked place with its coordinates: what is over
// the picture, worked out as a pure function of the camera, then drawn. Any thread; drawing as in
// gl_overlay.h.
#ifndef PAL_RENDER_AXES_H
#define PAL_RENDER_AXES_H

#include "render/gl_overlay.h"
#include "render/layout.h"
#include "render/view.h"

enum { PAL_AXES_TICKS = 24, PAL_AXES_LINES = 3 * (8 + PAL_AXES_TICKS) };

typedef struct pal_axes_text {
    double x, y; // points, the middle of its base line
    bool is_name;
    char text[40];
} pal_axes_text;

typedef struct pal_axes {
    int32_t line_count, text_count;
    double line[PAL_AXES_LINES][4]; // points: from x, y to x, y
    pal_axes_text text[PAL_AXES_LINES];
    double unit; // m, that the numbers count
    const char *unit_name;
} pal_axes;

typedef struct pal_axes_room { // where words and lines may be
    double width, height;      // points, of the picture
    const pal_layout *layout;  // beside its panels
} pal_axes_room;

// The axes x, y and z along edges of a box about the body, those that nothing of it hides. An axis
// that is seen too nearly along itself is left out, and so are numbers for which there is no room;
// the name of an axis goes along it to where there is some. Without room, or without any number, it
// is left out. Lines end at panels. room NULL: everywhere.
void pal_axes_make(const pal_camera *camera, const pal_view *view, const double box[2][3],
                   const pal_axes_room *room, pal_axes *axes);

// The rectangle that words cover, about, points.
pal_frame pal_axes_frame(const pal_axes_text *text);
void pal_axes_draw(const pal_axes *axes, pal_overlay *overlay);

// The unit for lengths up to `longest`, m: its size in m and its name.
double pal_axes_unit(double longest, const char **name);

// "(120, 30.5, 103) mm", to a thousandth of `longest`.
void pal_axes_say(const double x[3], double longest, char *text, size_t size);

// The marked place of a view and its words: a disc, of a hidden place a ring.
void pal_axes_draw_mark(const pal_camera *camera, const pal_view *view, double longest,
                        pal_overlay *overlay);

#endif
