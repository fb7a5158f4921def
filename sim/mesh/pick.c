#include "sim/mesh/pick.h"

#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"

static const double rim = 1e-9; // weights this far below zero still count: rays along edges

// Where the ray meets the plane of one triangle, by Cramer's rule [Moeller & Trumbore 1997]; false:
// nowhere, or outside of it, or behind.
static bool meet(const double *a, const double *b, const double *c, const double origin[3],
                 const double direction[3], double weight[3], double *along) {
    double e1[3], e2[3], p[3], t[3], q[3];
    pal_sub3(b, a, e1);
    pal_sub3(c, a, e2);
    pal_cross3(direction, e2, p);
    const double det = pal_dot3(e1, p);
    if (det == 0.0) {
        return false;
    }
    pal_sub3(origin, a, t);
    pal_cross3(t, e1, q);
    weight[1] = pal_dot3(t, p) / det;
    weight[2] = pal_dot3(direction, q) / det;
    weight[0] = 1.0 - weight[1] - weight[2];
    *along = pal_dot3(e2, q) / det;
    return weight[0] >= -rim && weight[1] >= -rim && weight[2] >= -rim && *along > 0.0 &&
           isfinite(*along);
}

void pal_pick_follow(const pal_surface *surface, const double *x, pal_pick *pick) {
    const double *all = x != NULL ? x : surface->x;
    const int32_t *corner = surface->triangle + 3 * (int64_t)pick->triangle;
    const double *at[3];
    double e1[3], e2[3];
    memset(pick->point, 0, sizeof pick->point);
    for (int i = 0; i < 3; i++) {
        at[i] = all + 3 * (int64_t)corner[i];
        for (int c = 0; c < 3; c++) {
            pick->point[c] += pick->weight[i] * at[i][c];
        }
    }
    pal_sub3(at[1], at[0], e1);
    pal_sub3(at[2], at[0], e2);
    pal_cross3(e1, e2, pick->normal);
    const double length = pal_norm3(pick->normal);
    for (int c = 0; length > 0.0 && c < 3; c++) {
        pick->normal[c] /= length;
    }
}

bool pal_pick_surface(const pal_surface *surface, const double *x, const double origin[3],
                      const double direction[3], pal_pick *pick) {
    const double *all = x != NULL ? x : surface->x;
    int32_t found = -1;
    double nearest = INFINITY, best[3] = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < surface->triangle_count; k++) {
        const int32_t *corner = surface->triangle + 3 * (int64_t)k;
        double weight[3], along;
        if (meet(all + 3 * (int64_t)corner[0], all + 3 * (int64_t)corner[1],
                 all + 3 * (int64_t)corner[2], origin, direction, weight, &along) &&
            along < nearest) {
            nearest = along;
            found = k;
            memcpy(best, weight, sizeof best);
        }
    }
    if (found < 0) {
        return false;
    }
    int most = 0;
    for (int i = 1; i < 3; i++) {
        most = best[i] > best[most] ? i : most;
    }
    pick->triangle = found;
    pick->vertex = surface->triangle[3 * (int64_t)found + most];
    pick->along = nearest;
    memcpy(pick->weight, best, sizeof best);
    pal_pick_follow(surface, x, pick);
    return true;
}
