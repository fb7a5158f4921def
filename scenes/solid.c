#include "scenes/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"

void pal_solid_free(pal_solid *solid) {
    free(solid->part);
    memset(solid, 0, sizeof *solid);
}

// ---- drawing

static pal_solid_part *new_part(pal_solid *solid, pal_part_kind kind) {
    if (solid->failed) {
        return NULL;
    }
    if (solid->count == solid->capacity) {
        int capacity = solid->capacity == 0 ? 64 : 2 * solid->capacity;
        pal_solid_part *part = PAL_NEW(pal_solid_part, capacity, solid->err);
        if (part == NULL) {
            solid->failed = true;
            return NULL;
        }
        if (solid->count > 0) {
            memcpy(part, solid->part, (size_t)solid->count * sizeof *part);
        }
        free(solid->part);
        solid->part = part;
        solid->capacity = capacity;
    }
    pal_solid_part *part = &solid->part[solid->count++];
    memset(part, 0, sizeof *part);
    part->kind = kind;
    part->cut = solid->cut;
    part->blend = solid->blend;
    part->group = solid->group > 0 ? solid->group : -solid->count;
    return part;
}

static void normalize(double *v) {
    double length = pal_norm3(v);
    for (int c = 0; c < 3; c++) {
        v[c] /= length;
    }
}

// Rows: along, across, up.
static void set_axes(double axis[3][3], const double *along, const double *up) {
    memcpy(axis[0], along, sizeof axis[0]);
    normalize(axis[0]);
    pal_cross3(up, axis[0], axis[1]);
    normalize(axis[1]);
    pal_cross3(axis[0], axis[1], axis[2]);
}

// The box around a part that lies within `extent` of its ends, per coordinate.
static void set_box(pal_solid_part *part, const double *extent) {
    for (int c = 0; c < 3; c++) {
        part->low[c] = fmin(part->a[c], part->b[c]) - extent[c];
        part->high[c] = fmax(part->a[c], part->b[c]) + extent[c];
    }
}

void pal_solid_cone(pal_solid *solid, const double a[3], double radius_a, const double b[3],
                    double radius_b) {
    pal_solid_part *part = new_part(solid, PAL_PART_CONE);
    if (part != NULL) {
        memcpy(part->a, a, sizeof part->a);
        memcpy(part->b, b, sizeof part->b);
        part->size[0][0] = radius_a;
        part->size[1][0] = radius_b;
        double r = fmax(radius_a, radius_b);
        set_box(part, (const double[]){r, r, r});
    }
}

void pal_solid_strap(pal_solid *solid, const double a[3], const double size_a[2], const double b[3],
                     const double size_b[2], const double up[3]) {
    pal_solid_part *part = new_part(solid, PAL_PART_STRAP);
    if (part != NULL) {
        memcpy(part->a, a, sizeof part->a);
        memcpy(part->b, b, sizeof part->b);
        memcpy(part->size[0], size_a, 2 * sizeof(double));
        memcpy(part->size[1], size_b, 2 * sizeof(double));
        double along[3];
        pal_sub3(b, a, along);
        set_axes(part->axis, along, up);
        double r = fmax(fmax(size_a[0], size_b[0]), fmax(size_a[1], size_b[1]));
        set_box(part, (const double[]){r, r, r});
    }
}

void pal_solid_beam(pal_solid *solid, const double a[3], const double b[3], const double half[2],
                    const double up[3], double rounding) {
    pal_solid_part *part = new_part(solid, PAL_PART_BOX);
    if (part != NULL) {
        double along[3];
        pal_sub3(b, a, along);
        set_axes(part->axis, along, up);
        part->size[0][0] = 0.5 * pal_norm3(along);
        memcpy(part->size[0] + 1, half, 2 * sizeof(double));
        part->size[1][0] = rounding;
        double extent[3] = {0};
        for (int c = 0; c < 3; c++) {
            part->a[c] = part->b[c] = 0.5 * (a[c] + b[c]);
            for (int k = 0; k < 3; k++) {
                extent[c] += fabs(part->axis[k][c]) * part->size[0][k];
            }
        }
        set_box(part, extent);
    }
}

void pal_solid_box(pal_solid *solid, const double centre[3], const double half[3],
                   double rounding) {
    double a[3] = {centre[0] - half[0], centre[1], centre[2]};
    double b[3] = {centre[0] + half[0], centre[1], centre[2]};
    pal_solid_beam(solid, a, b, half + 1, (const double[]){0, 0, 1}, rounding);
}

void pal_solid_ellipsoid(pal_solid *solid, const double centre[3], const double radius[3],
                         const double along[3], const double up[3], double taper) {
    pal_solid_part *part = new_part(solid, PAL_PART_ELLIPSOID);
    if (part != NULL) {
        memcpy(part->a, centre, sizeof part->a);
        memcpy(part->b, centre, sizeof part->b);
        memcpy(part->size[0], radius, 3 * sizeof(double));
        set_axes(part->axis, along, up);
        part->size[1][0] = taper;
        double r = fmax(radius[0], (1.0 + fabs(taper)) * fmax(radius[1], radius[2]));
        set_box(part, (const double[]){r, r, r});
    }
}

static double catmull_rom(double p0, double p1, double p2, double p3, double t) {
    return 0.5 * (2.0 * p1 + t * (p2 - p0 +
                                  t * (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3 +
                                       t * (3.0 * (p1 - p2) + p3 - p0))));
}

void pal_solid_tube(pal_solid *solid, int count, const double (*point)[4], int pieces,
                    double thinner) {
    double last[4];
    memcpy(last, point[0], sizeof last);
    solid->group = solid->count + 1;
    for (int i = 0; i + 1 < count; i++) {
        const double *p0 = point[i > 0 ? i - 1 : 0], *p1 = point[i], *p2 = point[i + 1];
        const double *p3 = point[i + 2 < count ? i + 2 : count - 1];
        for (int s = 1; s <= pieces; s++) {
            double next[4];
            for (int c = 0; c < 4; c++) {
                next[c] = catmull_rom(p0[c], p1[c], p2[c], p3[c], (double)s / pieces);
            }
            pal_solid_cone(solid, last, last[3] - thinner, next, next[3] - thinner);
            memcpy(last, next, sizeof last);
        }
    }
    solid->group = 0;
}

// ---- the field

// About the distance to an ellipsoid: exact to first order at its surface.
static double ellipsoid_distance(const double *offset, const double *radius) {
    double k0 = 0.0, k1 = 0.0;
    for (int c = 0; c < 3; c++) {
        double s = offset[c] / radius[c];
        k0 += s * s;
        k1 += s * s / (radius[c] * radius[c]);
    }
    if (k1 < 1e-30) {
        return -fmin(radius[0], fmin(radius[1], radius[2]));
    }
    return sqrt(k0) * (sqrt(k0) - 1.0) / sqrt(k1);
}

static double along_segment(const pal_solid_part *part, const double *p) {
    double ab[3], ap[3];
    pal_sub3(part->b, part->a, ab);
    pal_sub3(p, part->a, ap);
    double length2 = pal_dot3(ab, ab);
    return length2 > 0.0 ? fmin(1.0, fmax(0.0, pal_dot3(ap, ab) / length2)) : 0.0;
}

static double swept_distance(const pal_solid_part *part, const double *p) {
    double t = along_segment(part, p), offset[3];
    for (int c = 0; c < 3; c++) {
        offset[c] = p[c] - (part->a[c] + t * (part->b[c] - part->a[c]));
    }
    double first = part->size[0][0] + t * (part->size[1][0] - part->size[0][0]);
    if (part->kind == PAL_PART_CONE) {
        return pal_norm3(offset) - first;
    }
    double second = part->size[0][1] + t * (part->size[1][1] - part->size[0][1]);
    double local[3] = {pal_dot3(offset, part->axis[0]), pal_dot3(offset, part->axis[1]),
                       pal_dot3(offset, part->axis[2])};
    return ellipsoid_distance(local, (const double[]){first, first, second});
}

static double box_distance(const double *local, const double *half, double rounding) {
    double outside[3], inside = -INFINITY;
    for (int c = 0; c < 3; c++) {
        double d = fabs(local[c]) - half[c] + rounding;
        outside[c] = fmax(d, 0.0);
        inside = fmax(inside, d);
    }
    return pal_norm3(outside) + fmin(inside, 0.0) - rounding;
}

static double part_distance(const pal_solid_part *part, const double *p) {
    if (part->kind == PAL_PART_CONE || part->kind == PAL_PART_STRAP) {
        return swept_distance(part, p);
    }
    double offset[3];
    pal_sub3(p, part->a, offset);
    double local[3] = {pal_dot3(offset, part->axis[0]), pal_dot3(offset, part->axis[1]),
                       pal_dot3(offset, part->axis[2])};
    if (part->kind == PAL_PART_BOX) {
        return box_distance(local, part->size[0], part->size[1][0]);
    }
    double s = fmax(-1.0, fmin(1.0, local[0] / part->size[0][0]));
    double width = 1.0 - part->size[1][0] * s;
    return ellipsoid_distance(local, (const double[]){part->size[0][0], width * part->size[0][1],
                                                      width * part->size[0][2]});
}

// min(a, b) with a rounded seam of radius k where they cross.
static double smooth_min(double a, double b, double k) {
    double h = k - fabs(a - b);
    return fmin(a, b) - (h > 0.0 ? h * h / (4.0 * k) : 0.0);
}

double pal_solid_field(const pal_solid *solid, const int *list, int list_count, const double p[3]) {
    double field = 1e30;
    for (int i = 0; i < list_count; i++) {
        const pal_solid_part *part = &solid->part[list[i]];
        double d = part_distance(part, p);
        while (i + 1 < list_count && solid->part[list[i + 1]].group == part->group) {
            d = fmin(d, part_distance(&solid->part[list[++i]], p));
        }
        field = part->cut ? -smooth_min(-field, d, part->blend) : smooth_min(field, d, part->blend);
    }
    return field;
}

// A part whose field exceeds blend + margin all over a ball changes no value below margin there:
// the seam is wider than the difference only where the other field is above margin as well. The
// ellipsoids' field is no exact distance, so they get some room.
bool pal_solid_part_near(const pal_solid_part *part, const double p[3], double radius,
                         double margin) {
    bool exact = part->kind == PAL_PART_CONE || part->kind == PAL_PART_BOX;
    double far = radius + (exact ? 1.0 : 1.5) * (part->blend + margin);
    for (int c = 0; c < 3; c++) {
        if (p[c] < part->low[c] - far || p[c] > part->high[c] + far) {
            return false;
        }
    }
    return part_distance(part, p) < (exact ? far : 1.5 * far);
}
