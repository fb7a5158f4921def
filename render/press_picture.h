// A picture of a body under a tool: the whole of it, coloured by how far each place has moved, and
// near the tool, coloured by how far it is dented there; with the ball and the force on it.
#ifndef PAL_RENDER_PRESS_PICTURE_H
#define PAL_RENDER_PRESS_PICTURE_H

#include "sim/mesh/surface.h"

typedef struct pal_press_view {
    const pal_surface *rest;
    const double *x;     // [vertex_count][3] deformed, dents included
    const double *dent;  // [vertex_count][3] what of that is dent
    double centre[3];    // m, of the ball
    double radius;       // m
    double force[3];     // N, on the ball
    const char *title;   // one line
    const char *caption; // one line
} pal_press_view;

// Writes a PNG of 1800 x 860 pixels, atomically. Uses one thread. Set-up only.
pal_status pal_press_picture_write(const char *path, const pal_press_view *view, pal_err *err);

#endif
