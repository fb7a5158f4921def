#include "sim/contact/shape.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "sim/base/vec3.h"

// ---- Makers -------------------------------------------------------------------------------------

static pal_status check_size(const char *shape, const char *what, double size, pal_err *err) {
    return isfinite(size) && size > 0.0
               ? PAL_OK
               : pal_fail(err, PAL_ERR_USAGE, "tool: the %s of a %s is %g m; it must be above 0",
                          what, shape, size);
}

pal_status pal_shape_sphere(pal_shape *shape, double radius, pal_err *err) {
    pal_status status = check_size("sphere", "radius", radius, err);
    *shape =
        (pal_shape){.kind = PAL_SHAPE_SPHERE, .radius = radius, .bound = radius, .feature = radius};
    return status;
}

pal_status pal_shape_capsule(pal_shape *shape, double radius, double length, pal_err *err) {
    pal_status status = check_size("capsule", "radius", radius, err);
    status = status == PAL_OK ? check_size("capsule", "length", length, err) : status;
    *shape = (pal_shape){.kind = PAL_SHAPE_CAPSULE,
                         .radius = radius,
                         .length = length,
                         .centre = {0.0, 0.0, 0.5 * length},
                         .bound = 0.5 * length + radius,
                         .feature = radius};
    return status;
}

pal_status pal_shape_cylinder(pal_shape *shape, double radius, double length, double rounding,
                              pal_err *err) {
    pal_status status = check_size("cylinder", "radius", radius, err);
    status = status == PAL_OK ? check_size("cylinder", "length", length, err) : status;
    status = status == PAL_OK ? check_size("cylinder", "rounding", rounding, err) : status;
    if (status == PAL_OK && rounding > fmin(radius, 0.5 * length)) {
        status = pal_fail(err, PAL_ERR_USAGE,
                          "tool: a rounding of %g m does not fit on a cylinder of radius %g m and "
                          "length %g m; make it at most %g m",
                          rounding, radius, length, fmin(radius, 0.5 * length));
    }
    *shape = (pal_shape){.kind = PAL_SHAPE_CYLINDER,
                         .radius = radius,
                         .length = length,
                         .rounding = rounding,
                         .centre = {0.0, 0.0, 0.5 * length},
                         .bound = hypot(radius, 0.5 * length),
                         .feature = rounding};
    return status;
}

// The sphere about the middle of the box of the samples that are inside or beside one that is.
static bool bound_field(const pal_distfield *field, double centre[3], double *bound) {
    int32_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, high[3] = {-1, -1, -1};
    const int32_t *n = field->count;
    int64_t i = 0;
    for (int32_t z = 0; z < n[2]; z++) {
        for (int32_t y = 0; y < n[1]; y++) {
            for (int32_t x = 0; x < n[0]; x++, i++) {
                const int32_t at[3] = {x, y, z};
                // what is outside by less than a cell may have the surface beside it
                for (int c = 0; c < 3 && (double)field->distance[i] < field->cell; c++) {
                    low[c] = at[c] < low[c] ? at[c] : low[c];
                    high[c] = at[c] > high[c] ? at[c] : high[c];
                }
            }
        }
    }
    double half[3];
    for (int c = 0; c < 3; c++) {
        half[c] = (0.5 * (high[c] - low[c]) + 1.0) * field->cell;
        centre[c] = field->origin[c] + 0.5 * ((double)low[c] + high[c]) * field->cell;
    }
    *bound = pal_norm3(half);
    return high[0] >= 0;
}

pal_status pal_shape_field(pal_shape *shape, const pal_distfield *field, pal_err *err) {
    *shape = (pal_shape){
        .kind = PAL_SHAPE_FIELD, .field = field, .of_field = 1.0, .feature = 2.0 * field->cell};
    pal_status status = check_size("distance field", "cell", field->cell, err);
    if (status == PAL_OK && !bound_field(field, shape->centre, &shape->bound)) {
        status = pal_fail(err, PAL_ERR_INPUT,
                          "tool: nothing is inside the distance field; make its cells smaller than "
                          "the thinnest part of the tool");
    }
    return status;
}

// ---- Distances ----------------------------------------------------------------------------------

static const double down[3] = {0.0, 0.0, -1.0}, side[3] = {1.0, 0.0, 0.0};

// The direction of v, or `instead` where it has none; returns its length.
static double direction(const double v[3], const double instead[3], double out[3]) {
    const double length = pal_norm3(v), part = 1.0 / length;
    for (int c = 0; c < 3; c++) {
        out[c] = length > 0.0 ? v[c] * part : instead[c];
    }
    return length;
}

static double segment_distance(const double x[3], double length, double radius,
                               double gradient[3]) {
    double along = x[2] > 0.0 ? x[2] : 0.0; // in this order: no jumps
    along = along < length ? along : length;
    const double from[3] = {x[0], x[1], x[2] - along};
    return direction(from, along > 0.0 ? side : down, gradient) - radius;
}

// All within `rounding` of a smaller cylinder: in the half plane through the axis, of a rectangle.
static double cylinder_distance(const pal_shape *shape, const double x[3], double gradient[3]) {
    const double half = 0.5 * shape->length, rounding = shape->rounding;
    const double flat[3] = {x[0], x[1], 0.0};
    double outward[3];
    const double from_axis = direction(flat, side, outward);
    const double up = x[2] - half < 0.0 ? -1.0 : 1.0;
    const double p = from_axis - (shape->radius - rounding);
    const double q = fabs(x[2] - half) - (half - rounding);
    double a = 0.0, b = 0.0, d; // the gradient: a outward, b away from the middle
    if (p > 0.0 && q > 0.0) {
        d = hypot(p, q);
        a = p / d;
        b = q / d;
    } else {
        d = p > q ? p : q;
        a = p > q ? 1.0 : 0.0;
        b = p > q ? 0.0 : 1.0;
    }
    for (int c = 0; c < 3; c++) {
        gradient[c] = a * outward[c];
    }
    gradient[2] = b * up;
    return d - rounding;
}

double pal_shape_distance(const pal_shape *shape, const double x[3], double gradient[3]) {
    switch (shape->kind) {
    case PAL_SHAPE_SPHERE:
        return direction(x, down, gradient) - shape->radius;
    case PAL_SHAPE_CAPSULE:
        return segment_distance(x, shape->length, shape->radius, gradient);
    case PAL_SHAPE_CYLINDER:
        return isfinite(x[0] + x[1] + x[2]) ? cylinder_distance(shape, x, gradient) : NAN;
    case PAL_SHAPE_FIELD:
        break;
    }
    const double in_field[3] = {shape->of_field * x[0], shape->of_field * x[1],
                                shape->of_field * x[2]};
    return pal_distfield_at(shape->field, in_field, gradient) / shape->of_field;
}

double pal_shape_about(const pal_shape *shape, const double x[3]) {
    double gradient[3];
    if (shape->kind != PAL_SHAPE_FIELD) {
        return pal_shape_distance(shape, x, gradient);
    }
    const double in_field[3] = {shape->of_field * x[0], shape->of_field * x[1],
                                shape->of_field * x[2]};
    return pal_distfield_about(shape->field, in_field) / shape->of_field;
}

void pal_shape_resize(const pal_shape *shape, double factor, pal_shape *out) {
    *out = *shape;
    double *const length[] = {&out->radius,    &out->length,    &out->rounding, &out->centre[0],
                              &out->centre[1], &out->centre[2], &out->bound,    &out->feature};
    for (size_t k = 0; k < sizeof length / sizeof *length; k++) {
        *length[k] *= factor;
    }
    out->of_field /= factor;
}

double pal_shape_slack(const pal_shape *shape) {
    const double cells = PAL_DISTFIELD_ERROR + PAL_DISTFIELD_ABOUT;
    return shape->kind == PAL_SHAPE_FIELD ? cells * shape->field->cell / shape->of_field : 0.0;
}
