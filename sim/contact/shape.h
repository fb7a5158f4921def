// What a tool is made of: a rigid shape in its own frame, seen through its signed distance. The
// origin is the tip that the hand feels with; the shaft points along +z.
//
//     sphere     radius about the origin
//     capsule    all within `radius` of the segment from the origin to (0, 0, length)
//     cylinder   radius about the z axis, from z = 0 to z = length, its rims rounded by `rounding`
//     field      any closed mesh, by a baked distance field
#ifndef PAL_CONTACT_SHAPE_H
#define PAL_CONTACT_SHAPE_H

#include "sim/base/status.h"
#include "sim/contact/distfield.h"

typedef enum pal_shape_kind {
    PAL_SHAPE_SPHERE,
    PAL_SHAPE_CAPSULE,
    PAL_SHAPE_CYLINDER,
    PAL_SHAPE_FIELD,
} pal_shape_kind;

typedef struct pal_shape {
    pal_shape_kind kind;
    double radius, length, rounding; // m
    const pal_distfield *field;      // borrowed
    double of_field;                 // the field's lengths over those of the shape
    double centre[3], bound;         // m, a sphere that holds the shape
    double feature; // m, its smallest radius of curvature (of a field: two cells): how finely the
                    // surface that it touches is sampled, and how far it may move in one go
} pal_shape;

// Makers: sizes that are zero, negative or not finite are errors that name them. The cylinder's
// rounding is above 0 and at most its radius and half its length.
pal_status pal_shape_sphere(pal_shape *shape, double radius, pal_err *err);
pal_status pal_shape_capsule(pal_shape *shape, double radius, double length, pal_err *err);
pal_status pal_shape_cylinder(pal_shape *shape, double radius, double length, double rounding,
                              pal_err *err);
pal_status pal_shape_field(pal_shape *shape, const pal_distfield *field, pal_err *err);

// The same shape `factor` times as large. RT safe.
void pal_shape_resize(const pal_shape *shape, double factor, pal_shape *out);

// The signed distance at x (tool frame, negative inside) and its unit gradient (of two that are as
// good, one; of a field zero where it has none). NaN where x is not finite. RT safe.
double pal_shape_distance(const pal_shape *shape, const double x[3], double gradient[3]);

// About the same, of a field by its nearest sample. RT safe.
double pal_shape_about(const pal_shape *shape, const double x[3]);

// How much farther than |x - y| + d(y) the distance at x may seem, also by the nearest sample of a
// field: 0 for other shapes. RT safe.
double pal_shape_slack(const pal_shape *shape);

#endif
