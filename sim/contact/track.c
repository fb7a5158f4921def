#include "sim/contact/track.h"

#include <math.h>
#include <stdbool.h>

#include "sim/base/vec3.h"
#include "sim/contact/places.h"
#include "sim/contact/triangle.h"

enum { STEPS = 32 }; // triangles a call, at most

static int32_t corner_point(const pal_bdtree *tree, const pal_body *body, int32_t triangle, int i) {
    return tree->joined[body->triangle[3 * (int64_t)triangle + i]];
}

static void try_triangle(pal_places *places, const double x[3], int32_t triangle,
                         pal_nearest *nearest) {
    double corner[3][3];
    pal_nearest found = {.triangle = triangle};
    pal_places_triangle(places, triangle, corner);
    found.distance =
        sqrt(pal_triangle_nearest((const double(*)[3])corner, x, found.weight, found.point));
    if (found.distance < nearest->distance) {
        *nearest = found;
    }
}

void pal_track_nearest(const pal_bdtree *tree, const pal_body *body, const double x[3],
                       int32_t start, pal_nearest *nearest) {
    pal_places places;
    pal_places_init(&places, body);
    *nearest = (pal_nearest){.triangle = start, .distance = INFINITY};
    try_triangle(&places, x, start, nearest);
    int32_t from = -1;
    for (int step = 0; step < STEPS && from != nearest->triangle; step++) {
        from = nearest->triangle;
        for (int i = 0; i < 3; i++) {
            int32_t p = corner_point(tree, body, from, i);
            for (int32_t f = tree->fan_first[p]; f < tree->fan_first[p + 1]; f++) {
                try_triangle(&places, x, tree->fan[f], nearest);
            }
        }
    }
}

// Adds the unit normal of a triangle, times its angle at corner a when at_corner is set.
static void add_normal(pal_places *places, int32_t triangle, int a, bool at_corner,
                       double normal[3]) {
    double corner[3][3], e1[3], e2[3], n[3];
    pal_places_triangle(places, triangle, corner);
    pal_sub3(corner[(a + 1) % 3], corner[a], e1);
    pal_sub3(corner[(a + 2) % 3], corner[a], e2);
    pal_cross3(e1, e2, n);
    double twice_area = pal_norm3(n);
    double weight = at_corner ? atan2(twice_area, pal_dot3(e1, e2)) : 1.0;
    for (int c = 0; c < 3 && twice_area > 0.0; c++) {
        normal[c] += weight / twice_area * n[c];
    }
}

// The corner of a triangle at a point, -1 when it is not one of its corners.
static int corner_at(const pal_bdtree *tree, const pal_body *body, int32_t triangle, int32_t p) {
    for (int i = 0; i < 3; i++) {
        if (corner_point(tree, body, triangle, i) == p) {
            return i;
        }
    }
    return -1;
}

void pal_track_normal(const pal_bdtree *tree, const pal_body *body, const pal_nearest *nearest,
                      double normal[3]) {
    pal_places places;
    pal_places_init(&places, body);
    for (int c = 0; c < 3; c++) {
        normal[c] = 0.0;
    }
    // The corners that carry the point: three on a face, two on an edge, or one.
    int32_t carrier[3];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        if (nearest->weight[i] > 0.0) {
            carrier[count++] = corner_point(tree, body, nearest->triangle, i);
        }
    }
    if (count == 3) {
        add_normal(&places, nearest->triangle, 0, false, normal);
    } else if (count > 0) {
        int32_t p = carrier[0], other = carrier[count - 1];
        for (int32_t f = tree->fan_first[p]; f < tree->fan_first[p + 1]; f++) {
            int corner = corner_at(tree, body, tree->fan[f], other);
            if (corner >= 0) {
                add_normal(&places, tree->fan[f], corner, count == 1, normal);
            }
        }
    }
    double length = pal_norm3(normal);
    for (int c = 0; c < 3 && length > 0.0; c++) {
        normal[c] /= length;
    }
}
