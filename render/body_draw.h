// Draws one deformed body into a part of a picture: shaded, coloured by a number at each vertex,
// with a soft shadow on the floor and, if wanted, the outline of its rest shape.
#ifndef PAL_RENDER_BODY_DRAW_H
#define PAL_RENDER_BODY_DRAW_H

#include "render/camera.h"
#include "render/image.h"
#include "sim/mesh/surface.h"

typedef struct pal_body_view {
    pal_surface body;   // deformed, borrowed
    const double *rest; // [vertex_count][3] for the outline, or NULL
    const float *tone;  // [vertex_count] 0..1, coloured by pal_colormap
    int32_t plain_from; // triangles from this one on are grey, whatever their tone; 0: none
    pal_camera camera;  // in pixels of the whole picture
    double floor;       // height of the floor
    int32_t left, top;  // the part of the picture that is drawn: all its pixels are replaced
    int32_t width, height;
} pal_body_view;

// Any thread; several at once when their parts of the picture do not overlap.
pal_status pal_body_draw(pal_image *image, const pal_body_view *view, pal_err *err);

#endif
