// Where the places of point.h are on a surface.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/point.h"
#include "sim/base/vec3.h"
#include "sim/contact/triangle.h"
#include "sim/mesh/pick.h"

static const double normal_share = 0.02; // of the diagonal: the radius of a mean normal
static const double most_share = 0.5;    // of it: no place that is farther off is meant

typedef struct box {
    double low[3], high[3], diagonal;
} box;

static box box_of(const pal_surface *surface) {
    box b;
    double way[3];
    pal_surface_box(surface, b.low, b.high);
    pal_sub3(b.high, b.low, way);
    b.diagonal = pal_norm3(way);
    return b;
}

static void corners_of(const pal_surface *surface, int32_t triangle, double corner[3][3]) {
    for (int k = 0; k < 3; k++) {
        const int32_t v = surface->triangle[3 * (int64_t)triangle + k];
        memcpy(corner[k], surface->x + 3 * (int64_t)v, sizeof corner[k]);
    }
}

// As long as twice the triangle's area.
static void facet_normal(double corner[3][3], double normal[3]) {
    double e[3], f[3];
    pal_sub3(corner[1], corner[0], e);
    pal_sub3(corner[2], corner[0], f);
    pal_cross3(e, f, normal);
}

// The nearest place. Returns how far off it is.
static double find_nearest(const pal_surface *surface, const double x[3], pal_point_found *found) {
    double best = INFINITY;
    found->triangle = -1;
    for (int32_t t = 0; t < surface->triangle_count; t++) {
        double corner[3][3], weight[3], point[3];
        corners_of(surface, t, corner);
        const double square = pal_triangle_nearest((const double(*)[3])corner, x, weight, point);
        if (square < best) {
            best = square;
            found->triangle = t;
            memcpy(found->x, point, sizeof point);
        }
    }
    return sqrt(best);
}

// The mean about the place of what looks to the same side as its own triangle, so that the steps of
// voxels do not count.
static void find_normal(const pal_surface *surface, double radius, pal_point_found *found) {
    double corner[3][3], own[3], weight[3], point[3], normal[3], sum[3] = {0.0, 0.0, 0.0};
    corners_of(surface, found->triangle, corner);
    facet_normal(corner, own);
    for (int32_t t = 0; t < surface->triangle_count; t++) {
        corners_of(surface, t, corner);
        facet_normal(corner, normal);
        if ((t == found->triangle || pal_dot3(normal, own) > -1e-12 * pal_dot3(own, own)) &&
            pal_triangle_nearest((const double(*)[3])corner, found->x, weight, point) <=
                radius * radius) {
            for (int c = 0; c < 3; c++) {
                sum[c] += normal[c];
            }
        }
    }
    const double size = pal_norm3(sum);
    for (int c = 0; c < 3; c++) {
        found->normal[c] = size > 0.0 ? sum[c] / size : 0.0;
    }
}

static void say_box(const box *b, char *text, size_t size) {
    snprintf(text, size, "the body reaches from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g) m",
             b->low[0], b->low[1], b->low[2], b->high[0], b->high[1], b->high[2]);
}

// ---- the kinds

static pal_status find_near(const pal_point *p, const pal_surface *surface, const box *b,
                            pal_point_found *found, pal_err *err) {
    const double off = find_nearest(surface, p->x, found);
    if (!(off <= most_share * b->diagonal)) {
        char reach[200];
        say_box(b, reach, sizeof reach);
        return pal_fail(err, PAL_ERR_INPUT,
                        "(%.4g, %.4g, %.4g) m is %.3g m from the surface, whose nearest place is "
                        "(%.4g, %.4g, %.4g); %s (is the unit right?)",
                        p->x[0], p->x[1], p->x[2], off, found->x[0], found->x[1], found->x[2],
                        reach);
    }
    find_normal(surface, normal_share * b->diagonal, found);
    return PAL_OK;
}

static pal_status miss(const pal_point *p, const pal_surface *surface, const box *b,
                       pal_point_found *found, pal_err *err) {
    const int axis = pal_up_axis(p->from);
    double x[3];
    char reach[200];
    memcpy(x, p->x, sizeof x);
    x[axis] = 0.5 * (b->low[axis] + b->high[axis]);
    find_nearest(surface, x, found);
    say_box(b, reach, sizeof reach);
    return pal_fail(err, PAL_ERR_INPUT,
                    "the ray from %s at %c = %.4g, %c = %.4g m meets no surface; the nearest place "
                    "is (%.4g, %.4g, %.4g); %s",
                    pal_up_name(p->from), axis == 0 ? 'y' : 'x', p->x[axis == 0 ? 1 : 0],
                    axis == 2 ? 'y' : 'z', p->x[axis == 2 ? 1 : 2], found->x[0], found->x[1],
                    found->x[2], reach);
}

static pal_status find_ray(const pal_point *p, const pal_surface *surface, const box *b,
                           pal_point_found *found, pal_err *err) {
    const int axis = pal_up_axis(p->from);
    const double sign = pal_up_sign(p->from);
    double origin[3], direction[3] = {0.0, 0.0, 0.0};
    pal_pick pick;
    memcpy(origin, p->x, sizeof origin);
    origin[axis] = sign > 0.0 ? b->high[axis] + b->diagonal : b->low[axis] - b->diagonal;
    direction[axis] = -sign;
    if (!pal_pick_surface(surface, NULL, origin, direction, &pick)) {
        return miss(p, surface, b, found, err);
    }
    found->triangle = pick.triangle;
    memcpy(found->x, pick.point, sizeof found->x);
    for (int c = 0; c < 3; c++) {
        found->x[c] = c == axis ? found->x[c] : p->x[c]; // not rounded
        found->normal[c] = c == axis ? sign : 0.0;
    }
    return PAL_OK;
}

static pal_status find_on_wall(const pal_point *p, double height, pal_point_found *found,
                               pal_err *err) {
    if (p->kind == PAL_POINT_RAY && p->from != PAL_UP_Z) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "a wall is met from +z alone; write surface:+z:x, y, or near:(x, y, z)");
    }
    memcpy(found->x, p->x, sizeof found->x);
    found->x[2] = height;
    found->normal[2] = 1.0;
    return PAL_OK;
}

pal_status pal_point_find(const pal_point *p, const pal_point_ground *ground,
                          pal_point_found *found, pal_err *err) {
    *found = (pal_point_found){.triangle = -1};
    if (p->kind == PAL_POINT_PLAIN) {
        memcpy(found->x, p->x, sizeof found->x);
        return PAL_OK;
    }
    pal_status status;
    if (ground->surface == NULL) {
        status = find_on_wall(p, ground->height, found, err);
    } else {
        const box b = box_of(ground->surface);
        status = p->kind == PAL_POINT_NEAR ? find_near(p, ground->surface, &b, found, err)
                                           : find_ray(p, ground->surface, &b, found, err);
    }
    for (int c = 0; status == PAL_OK && c < 3; c++) {
        found->x[c] += p->out * found->normal[c];
    }
    return status;
}

void pal_point_guess(const pal_point *p, double x[3]) {
    memcpy(x, p->x, sizeof p->x);
    x[p->kind == PAL_POINT_RAY ? pal_up_axis(p->from) : 2] += p->out;
}

pal_status pal_point_selector(const char *text, const pal_landmarks *names, const pal_volmesh *mesh,
                              char selector[32], pal_err *err) {
    pal_point point;
    pal_point_found found;
    pal_surface surface;
    int32_t *of = NULL, best = 0;
    double nearest = INFINITY;
    pal_status status = pal_point_parse(text, names, &point, err);
    if (status == PAL_OK) {
        status = pal_surface_of_volmesh(mesh, &surface, &of, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    status = pal_point_find(&point, &(pal_point_ground){.surface = &surface}, &found, err);
    for (int32_t v = 0; status == PAL_OK && v < surface.vertex_count; v++) {
        double way[3];
        pal_sub3(surface.x + 3 * (int64_t)v, found.x, way);
        if (pal_norm3(way) < nearest) {
            nearest = pal_norm3(way);
            best = v;
        }
    }
    if (status == PAL_OK) {
        snprintf(selector, 32, "vertices:%d", (int)mesh->file_vertex[of[best]]);
    }
    free(of);
    pal_surface_free(&surface);
    return status;
}
