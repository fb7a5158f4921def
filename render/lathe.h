// Closed surfaces that are round about the z axis: the shapes of tools and the marks in a picture.
// Any thread.
#ifndef PAL_RENDER_LATHE_H
#define PAL_RENDER_LATHE_H

#include "sim/mesh/surface.h"

// A profile [count][2] = (radius, z), from below to above, the first and the last on the axis
// (radius 0), turned into a surface of `segments`.
pal_status pal_lathe(const double (*profile)[2], int count, int segments, pal_surface *surface,
                     pal_err *err);

// The shapes of sim/contact/shape.h: the origin is the tip, the shaft along +z.
pal_status pal_lathe_ball(double radius, pal_surface *surface, pal_err *err);
pal_status pal_lathe_capsule(double radius, double length, pal_surface *surface, pal_err *err);
pal_status pal_lathe_cylinder(double radius, double length, double rounding, pal_surface *surface,
                              pal_err *err);

// An arrow of length 1 from the origin along +z, its head 0.3 long and 0.1 in radius; and the
// handle of a stylus, of length 1 and largest radius 1, pointed at the origin.
pal_status pal_lathe_arrow(pal_surface *surface, pal_err *err);
pal_status pal_lathe_handle(pal_surface *surface, pal_err *err);

#endif
