#include "render/lathe.h"

#include <math.h>

enum { SEGMENTS = 48, ARC = 14, PROFILE = 2 * ARC + 4 };

pal_status pal_lathe(const double (*profile)[2], int count, int segments, pal_surface *surface,
                     pal_err *err) {
    const double turn = 2.0 * acos(-1.0) / segments;
    const int rings = count - 2; // without the two poles
    pal_status status = pal_surface_alloc(surface, rings * segments + 2, 2 * rings * segments, err);
    if (status != PAL_OK) {
        return status;
    }
    double *x = surface->x;
    for (int i = 0; i < rings; i++) {
        for (int k = 0; k < segments; k++, x += 3) {
            x[0] = profile[i + 1][0] * cos(turn * k);
            x[1] = profile[i + 1][0] * sin(turn * k);
            x[2] = profile[i + 1][1];
        }
    }
    const int32_t below = rings * segments, above = below + 1;
    x[2] = profile[0][1];
    x[5] = profile[count - 1][1];
    int32_t *t = surface->triangle;
    for (int k = 0; k < segments; k++) {
        const int32_t next = (k + 1) % segments, last = (rings - 1) * segments;
        const int32_t ends[6] = {below, next, k, above, last + k, last + next};
        for (int c = 0; c < 6; c++) {
            *t++ = ends[c];
        }
        for (int i = 0; i + 1 < rings; i++) {
            const int32_t a = i * segments + k, b = i * segments + next;
            const int32_t side[6] = {a, b, b + segments, a, b + segments, a + segments};
            for (int c = 0; c < 6; c++) {
                *t++ = side[c];
            }
        }
    }
    return PAL_OK;
}

// Points of a quarter circle about (r, z) from angle `from` on (0: outwards, -90 degrees: down).
static int add_arc(double (*profile)[2], int count, double r, double z, double radius,
                   double from) {
    const double quarter = 0.5 * acos(-1.0);
    for (int i = 0; i <= ARC; i++) {
        const double angle = from + quarter * i / ARC;
        profile[count][0] = fmax(r + radius * cos(angle), 0.0);
        profile[count++][1] = z + radius * sin(angle);
    }
    return count;
}

pal_status pal_lathe_cylinder(double radius, double length, double rounding, pal_surface *surface,
                              pal_err *err) {
    const double down = -0.5 * acos(-1.0), inside = fmax(radius - rounding, 0.0);
    double profile[PROFILE][2] = {{0.0, 0.0}};
    int count = inside > 0.0; // a rounding over the whole radius begins on the axis by itself
    count = add_arc(profile, count, inside, rounding, rounding, down);
    count -= !(length > 2.0 * rounding); // of a ball, one equator is enough
    count = add_arc(profile, count, inside, length - rounding, rounding, 0.0);
    if (inside > 0.0) {
        profile[count][0] = 0.0;
        profile[count++][1] = length;
    }
    profile[0][0] = profile[count - 1][0] = 0.0;
    return pal_lathe((const double(*)[2])profile, count, SEGMENTS, surface, err);
}

static void lower(pal_surface *surface, double by) {
    for (int32_t v = 0; v < surface->vertex_count; v++) {
        surface->x[3 * (int64_t)v + 2] -= by;
    }
}

pal_status pal_lathe_ball(double radius, pal_surface *surface, pal_err *err) {
    return pal_lathe_capsule(radius, 0.0, surface, err);
}

pal_status pal_lathe_capsule(double radius, double length, pal_surface *surface, pal_err *err) {
    pal_status status = pal_lathe_cylinder(radius, length + 2.0 * radius, radius, surface, err);
    if (status == PAL_OK) {
        lower(surface, radius);
    }
    return status;
}

pal_status pal_lathe_arrow(pal_surface *surface, pal_err *err) {
    static const double profile[][2] = {
        {0.0, 0.0}, {0.035, 0.0}, {0.035, 0.7}, {0.1, 0.7}, {0.0, 1.0}};
    return pal_lathe(profile, sizeof profile / sizeof *profile, SEGMENTS / 2, surface, err);
}

pal_status pal_lathe_handle(pal_surface *surface, pal_err *err) {
    static const double profile[][2] = {{0.0, 0.0},  {0.35, 0.0}, {0.4, 0.3},  {0.8, 0.42},
                                        {1.0, 0.55}, {1.0, 0.95}, {0.9, 0.99}, {0.0, 1.0}};
    return pal_lathe(profile, sizeof profile / sizeof *profile, SEGMENTS / 2, surface, err);
}
