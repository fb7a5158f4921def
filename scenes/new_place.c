// Where a new scene's probe presses: rays from above on a grid over the body, the place that is
// level, thick, free around, and near the middle.
#include <math.h>
#include <string.h>

#include "scenes/new_parts.h"
#include "sim/base/vec3.h"
#include "sim/mesh/pick.h"

enum { GRID = 17 };

typedef struct ray {
    const pal_new_scene *made;
    int up, side[2]; // axes
    double sign;
} ray;

// The highest place at a point of the two other axes; *thick: how far down to the other side.
static bool look(const ray *r, const double at[2], pal_pick *hit, double *thick) {
    const pal_new_scene *made = r->made;
    double origin[3], down[3] = {0.0, 0.0, 0.0};
    pal_pick below;
    origin[r->side[0]] = at[0];
    origin[r->side[1]] = at[1];
    origin[r->up] = (r->sign > 0.0 ? made->high[r->up] : made->low[r->up]) + r->sign * made->size;
    down[r->up] = -r->sign;
    if (!pal_pick_surface(&made->surface, NULL, origin, down, hit)) {
        return false;
    }
    if (thick != NULL) {
        origin[r->up] = hit->point[r->up] - r->sign * 1e-6 * made->size;
        *thick = pal_pick_surface(&made->surface, NULL, origin, down, &below) ? below.along : 0.0;
    }
    return true;
}

// How much of a ring about a place a ball finds at much the same height, 0 to 1.
static double room_about(const ray *r, const double at[2], const pal_pick *hit) {
    const double reach = 1.5 * r->made->radius;
    int level = 0;
    for (int k = 0; k < 8; k++) {
        const double angle = 0.25 * M_PI * k;
        const double there[2] = {at[0] + reach * cos(angle), at[1] + reach * sin(angle)};
        pal_pick other;
        level +=
            look(r, there, &other, NULL) && fabs(other.point[r->up] - hit->point[r->up]) < reach;
    }
    return level / 8.0;
}

double pal_new_clear(const pal_new_scene *made, const double x[3]) {
    double least = INFINITY;
    for (int32_t v = 0; v < made->mesh.vertex_count; v++) {
        double way[3];
        if (made->held[v]) {
            pal_sub3(made->mesh.x + 3 * (int64_t)v, x, way);
            least = fmin(least, pal_norm3(way));
        }
    }
    return least;
}

// Up to the room about it, which takes eight more rays: at most 1.1 of this.
static double merit(const ray *r, const double at[2], double thick, const pal_pick *hit) {
    const pal_new_scene *made = r->made;
    const double level = fabs(hit->normal[r->up]);
    const double deep = fmin(thick / made->size, 0.3) / 0.3;
    const double clear = fmin(pal_new_clear(made, hit->point) / made->size, 0.2) / 0.2;
    double off = 0.0;
    for (int k = 0; k < 2; k++) {
        const int c = r->side[k];
        const double share = // -1 to 1
            2.0 * (at[k] - made->low[c]) / (made->high[c] - made->low[c]) - 1.0;
        off += 0.5 * share * share;
    }
    const double height = // 0 to 1
        fabs(hit->point[r->up] - (r->sign > 0.0 ? made->low[r->up] : made->high[r->up])) /
        (made->high[r->up] - made->low[r->up]);
    return level * level * (0.3 + height) * (0.1 + deep) * (0.05 + clear) * (1.3 - off);
}

static double longest_edge(const pal_surface *surface, int32_t triangle) {
    const int32_t *corner = surface->triangle + 3 * (int64_t)triangle;
    double longest = 0.0;
    for (int k = 0; k < 3; k++) {
        double edge[3];
        pal_sub3(surface->x + 3 * (int64_t)corner[k], surface->x + 3 * (int64_t)corner[(k + 1) % 3],
                 edge);
        longest = fmax(longest, pal_norm3(edge));
    }
    return longest;
}

// To a length that is pleasant to read.
static double rounded(const pal_new_scene *made, double x) {
    const double step = pow(10.0, floor(log10(made->size / 500.0)));
    return step * round(x / step);
}

pal_status pal_new_place(pal_new_scene *made, pal_err *err) {
    const int up = pal_up_axis(made->up);
    const ray r = {.made = made,
                   .up = up,
                   .side = {up == 0 ? 1 : 0, up == 2 ? 1 : 2},
                   .sign = pal_up_sign(made->up)};
    double best = 0.0;
    made->radius = fmin(pal_new_round(0.04 * made->size), 10e-3);
    for (int i = 0; i < GRID * GRID; i++) {
        const int place[2] = {i % GRID, i / GRID};
        double at[2], thick;
        pal_pick hit;
        for (int k = 0; k < 2; k++) {
            const int c = r.side[k];
            const double share = (place[k] + 0.5) / GRID;
            at[k] = rounded(made, made->low[c] + share * (made->high[c] - made->low[c]));
        }
        if (!look(&r, at, &hit, &thick) || 1.1 * merit(&r, at, thick, &hit) <= best) {
            continue;
        }
        const double good = merit(&r, at, thick, &hit) * (0.1 + room_about(&r, at, &hit));
        if (good > best) {
            best = good;
            memcpy(made->spot, hit.point, sizeof made->spot);
            made->spot[r.side[0]] = at[0];
            made->spot[r.side[1]] = at[1];
            made->thickness = thick;
            made->facet = longest_edge(&made->surface, hit.triangle);
        }
    }
    if (best == 0.0) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "%s: no ray from %s meets the body at a place that could be pressed; try "
                        "another --up",
                        made->file, pal_up_name(made->up));
    }
    return PAL_OK;
}
