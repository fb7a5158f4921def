#include "sim/mesh/orient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/mesh/keymap.h"

// A patch that spans less than this share of the ball of its area is as good as flat.
static const double flat_share = 1e-3;

// Side 3 t + a of triangle t runs from its corner a to the next.
static int32_t next_corner(int32_t side) {
    return side % 3 == 2 ? side - 2 : side + 1;
}

// other[side] = the one other side at the same edge, or -1 when there is none or more than one.
// same [vertex_count]: welded vertices.
static pal_status pair_sides(const pal_surface *surface, const int32_t *same, int32_t *other,
                             pal_err *err) {
    int32_t side_count = 3 * surface->triangle_count;
    pal_keymap map;
    if (pal_keymap_alloc(&map, 2, side_count, err) != PAL_OK) {
        return PAL_ERR_MEMORY;
    }
    int32_t *first = PAL_NEW(int32_t, 2 * (size_t)side_count, err); // side of each edge
    if (first == NULL) {
        pal_keymap_free(&map);
        return PAL_ERR_MEMORY;
    }
    int32_t *uses = first + side_count;
    for (int32_t s = 0; s < side_count; s++) {
        other[s] = -1;
        int32_t key[2] = {same[surface->triangle[s]], same[surface->triangle[next_corner(s)]]};
        if (key[0] == key[1]) {
            continue;
        }
        pal_keymap_sort(key, 2);
        int32_t edge = pal_keymap_add(&map, key);
        if (uses[edge]++ == 0) {
            first[edge] = s;
        } else if (uses[edge] == 2) {
            other[s] = first[edge];
            other[first[edge]] = s;
        } else if (other[first[edge]] >= 0) { // a third triangle: nobody's neighbour
            other[other[first[edge]]] = -1;
            other[first[edge]] = -1;
        }
    }
    pal_keymap_free(&map);
    free(first);
    return PAL_OK;
}

// Collects the patch of `seed` into patch[] and turns its triangles alike; returns its size.
// done [triangle_count] marks what has been visited.
static int32_t grow_patch(const pal_surface *surface, const int32_t *same, const int32_t *other,
                          int32_t seed, uint8_t *turn, uint8_t *done, int32_t *patch) {
    int32_t size = 0;
    patch[size++] = seed;
    done[seed] = 1;
    for (int32_t i = 0; i < size; i++) {
        for (int32_t s = 3 * patch[i]; s < 3 * patch[i] + 3; s++) {
            int32_t t = other[s] / 3;
            if (other[s] < 0 || done[t]) {
                continue;
            }
            // Neighbours that agree run through the edge in opposite directions.
            bool agree = same[surface->triangle[s]] != same[surface->triangle[other[s]]];
            turn[t] = agree ? turn[patch[i]] : !turn[patch[i]];
            done[t] = 1;
            patch[size++] = t;
        }
    }
    return size;
}

// Turns a whole patch when it is inside out.
static void face_outwards(const pal_surface *surface, const int32_t *patch, int32_t size,
                          uint8_t *turn) {
    double middle[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < 3 * size; i++) {
        int32_t v = surface->triangle[3 * (int64_t)patch[i / 3] + i % 3];
        for (int c = 0; c < 3; c++) {
            middle[c] += surface->x[3 * (int64_t)v + c] / (3.0 * size);
        }
    }
    double area = 0.0, volume = 0.0;
    int32_t turned = 0;
    for (int32_t i = 0; i < size; i++) {
        const int32_t *corner = surface->triangle + 3 * (int64_t)patch[i];
        double e0[3], e1[3], e2[3], normal[3];
        pal_sub3(surface->x + 3 * (int64_t)corner[0], middle, e0);
        pal_sub3(surface->x + 3 * (int64_t)corner[1], middle, e1);
        pal_sub3(surface->x + 3 * (int64_t)corner[2], middle, e2);
        double sign = turn[patch[i]] ? -1.0 : 1.0;
        turned += turn[patch[i]];
        pal_cross3(e1, e2, normal);
        volume += sign * pal_dot3(e0, normal) / 6.0;
        pal_sub3(e1, e0, e1);
        pal_sub3(e2, e0, e2);
        pal_cross3(e1, e2, normal);
        area += 0.5 * pal_norm3(normal);
    }
    double ball = area * sqrt(area / M_PI) / 6.0; // its volume
    bool flat = fabs(volume) <= flat_share * ball;
    if (flat ? 2 * (int64_t)turned > size : volume < 0.0) {
        for (int32_t i = 0; i < size; i++) {
            turn[patch[i]] = !turn[patch[i]];
        }
    }
}

pal_status pal_surface_orient(const pal_surface *surface, uint8_t *turn, pal_err *err) {
    int32_t count = surface->triangle_count;
    if (count > INT32_MAX / 6) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED, "%d triangles are too many", count);
    }
    int32_t *same = PAL_NEW(int32_t, surface->vertex_count, err);
    int32_t *other = PAL_NEW(int32_t, 3 * (size_t)count, err);
    int32_t *patch = PAL_NEW(int32_t, count, err);
    uint8_t *done = PAL_NEW(uint8_t, count, err);
    pal_status status = same && other && patch && done ? PAL_OK : PAL_ERR_MEMORY;
    status = status == PAL_OK ? pal_surface_weld(surface, same, err) : status;
    status = status == PAL_OK ? pair_sides(surface, same, other, err) : status;
    memset(turn, 0, (size_t)count);
    for (int32_t t = 0; t < count && status == PAL_OK; t++) {
        if (!done[t]) {
            int32_t size = grow_patch(surface, same, other, t, turn, done, patch);
            face_outwards(surface, patch, size, turn);
        }
    }
    free(same);
    free(other);
    free(patch);
    free(done);
    return status;
}
