// The hull of what lies over a cell of a shell: in each of many directions the farthest place of
// the surface, and of these places those few that leave out least.
#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/contact/shell_cell.h"

enum { PATCH = 192, POLYGON = 3 + PAL_SHELL_CORNERS };

typedef struct laid { // a triangle over the tangent plane of a point
    double corner[3][3];
    double flat, whole; // twice the area, in the plane and of the triangle itself
} laid;

typedef struct extremes { // the farthest place in each direction
    float far[PAL_SHELL_WAYS];
    float place[3][PAL_SHELL_WAYS];
} extremes;

// A spiral over the sphere, without the part below which a point looks away from the tool.
void pal_shell_ways_make(pal_shell_ways *ways) {
    static const double lowest = -0.7, golden = 2.399963229728653;
    for (int k = 0; k < PAL_SHELL_WAYS; k++) {
        const double z = 1.0 - (1.0 - lowest) * (k + 0.5) / PAL_SHELL_WAYS;
        const double across = sqrt(1.0 - z * z);
        ways->way[0][k] = (float)(across * cos(golden * k));
        ways->way[1][k] = (float)(across * sin(golden * k));
        ways->way[2][k] = (float)z;
    }
}

static void lay_over(const pal_body *body, const pal_shell_point *point, int32_t triangle,
                     laid *out) {
    double apart[3][3], e1[3], e2[3], normal[3];
    for (int k = 0; k < 3; k++) {
        const int32_t p = body->triangle[3 * (int64_t)triangle + k];
        pal_sub3(body->rest + 3 * (int64_t)p, point->x, apart[k]);
        for (int c = 0; c < 3; c++) {
            out->corner[k][c] = pal_dot3(apart[k], point->axis[c]);
        }
    }
    pal_sub3(apart[1], apart[0], e1);
    pal_sub3(apart[2], apart[0], e2);
    pal_cross3(e1, e2, normal);
    out->flat = pal_dot3(normal, point->axis[2]);
    out->whole = pal_norm3(normal);
}

// What of the triangle is over the cell; returns its corners.
static int clip(const laid *t, const pal_shell_cell *cell, double polygon[POLYGON][3]) {
    int count = 3;
    memcpy(polygon, t->corner, sizeof t->corner);
    for (int32_t i = 0; i < cell->corner_count && count > 0; i++) {
        const float *p = cell->corner[i];
        const float *q = cell->corner[i + 1 < cell->corner_count ? i + 1 : 0];
        const double side[2] = {(double)q[0] - (double)p[0], (double)q[1] - (double)p[1]};
        double kept[POLYGON][3], in[POLYGON];
        int left = 0;
        for (int k = 0; k < count; k++) {
            in[k] =
                side[0] * (polygon[k][1] - (double)p[1]) - side[1] * (polygon[k][0] - (double)p[0]);
        }
        for (int k = 0; k < count; k++) {
            const int next = k + 1 < count ? k + 1 : 0;
            if (in[k] >= 0.0 && left < POLYGON) {
                memcpy(kept[left++], polygon[k], sizeof kept[0]);
            }
            if (in[k] * in[next] < 0.0 && left < POLYGON) {
                const double share = in[k] / (in[k] - in[next]);
                for (int c = 0; c < 3; c++) {
                    kept[left][c] = polygon[k][c] + share * (polygon[next][c] - polygon[k][c]);
                }
                left++;
            }
        }
        count = left;
        memcpy(polygon, kept, (size_t)count * sizeof kept[0]);
    }
    return count;
}

static void reach_to(const pal_shell_ways *ways, const double at[3], extremes *e) {
    const float x = (float)at[0], y = (float)at[1], z = (float)at[2];
    for (int k = 0; k < PAL_SHELL_WAYS; k++) {
        const float far = x * ways->way[0][k] + y * ways->way[1][k] + z * ways->way[2][k];
        const bool farther = far > e->far[k];
        e->far[k] = farther ? far : e->far[k];
        e->place[0][k] = farther ? x : e->place[0][k];
        e->place[1][k] = farther ? y : e->place[1][k];
        e->place[2][k] = farther ? z : e->place[2][k];
    }
}

// How far the edge opposite to corner k is from the point, in the plane.
static double edge_distance(const laid *t, int k) {
    const double *a = t->corner[(k + 1) % 3], *b = t->corner[(k + 2) % 3];
    const double along[2] = {b[0] - a[0], b[1] - a[1]};
    const double length2 = along[0] * along[0] + along[1] * along[1];
    const double to = -(a[0] * along[0] + a[1] * along[1]);
    const double share = length2 > 0.0 ? fmin(fmax(to / length2, 0.0), 1.0) : 0.0;
    const double x = a[0] + share * along[0], y = a[1] + share * along[1];
    return sqrt(x * x + y * y);
}

// most_l = max(most_l, |U_y - sum w_k U_k|_l): how far a vertex moves beside these weights of a
// triangle.
static void move_beside(const pal_body *body, int32_t triangle, const double weight[3],
                        int32_t vertex, float *most) {
    const int32_t r = body->size, *corner = body->triangle + 3 * (int64_t)triangle;
    const double *rows = body->basis + 3 * (int64_t)vertex * r, *from[3];
    for (int k = 0; k < 3; k++) {
        from[k] = body->basis + 3 * (int64_t)corner[k] * r;
    }
    for (int32_t l = 0; l < r; l++) {
        double squares = 0.0;
        for (int32_t k = l; k < 3 * r; k += r) {
            const double off =
                rows[k] - weight[0] * from[0][k] - weight[1] * from[1][k] - weight[2] * from[2][k];
            squares += off * off;
        }
        const float size = (float)(sqrt(squares) * (1.0 + 1e-6));
        most[l] = size > most[l] ? size : most[l];
    }
}

// How far, for q_l = 1, a corner of a triangle may move beside where the triangle of the point
// would carry it: |U_y - sum w_k U_k|, w its weights there.
static void bend_at(const pal_body *body, const pal_shell_point *point, const laid *base,
                    const double at[3], int32_t vertex, float *bend) {
    double weight[3];
    for (int k = 0; k < 3; k++) {
        const double *a = base->corner[(k + 1) % 3], *b = base->corner[(k + 2) % 3];
        weight[k] =
            ((a[0] - at[0]) * (b[1] - at[1]) - (a[1] - at[1]) * (b[0] - at[0])) / base->flat;
    }
    move_beside(body, point->triangle, weight, vertex, bend);
}

// Notes a corner of what is over the cell.
static void note_corner(int32_t vertex, bool *fits, pal_shell_over *over) {
    int32_t k = 0;
    while (k < over->count && over->point[k] != vertex) {
        k++;
    }
    *fits = *fits && k < PAL_SHELL_OVER;
    if (*fits) {
        over->point[k] = vertex;
        over->count = k < over->count ? over->count : k + 1;
    }
}

// Over the triangles about the point, as far as it can go; false when they are too many.
static bool look_over(const pal_body *body, const int32_t *beside, const pal_shell_point *point,
                      const pal_shell_cell *cell, double reach, const pal_shell_ways *ways,
                      extremes *e, float *bend, float *sway, pal_shell_over *over) {
    bool fits = true;
    int32_t patch[PATCH] = {point->triangle}, count = 1;
    laid base;
    lay_over(body, point, point->triangle, &base);
    for (int32_t i = 0; i < count; i++) {
        laid t;
        double polygon[POLYGON][3];
        lay_over(body, point, patch[i], &t);
        if (i > 0 && !(t.flat > PAL_SHELL_FOLD * t.whole)) {
            continue; // no point goes on over this edge
        }
        const int corners = clip(&t, cell, polygon);
        for (int k = 0; k < corners; k++) {
            reach_to(ways, polygon[k], e);
        }
        for (int k = 0; k < 3 && corners > 0; k++) {
            const int32_t vertex = body->triangle[3 * (int64_t)patch[i] + k];
            move_beside(body, point->triangle, point->weight, vertex, sway);
            note_corner(vertex, &fits, over);
            if (i > 0) {
                bend_at(body, point, &base, t.corner[k], vertex, bend);
            }
        }
        for (int k = 0; k < 3; k++) {
            const int32_t next = beside[3 * (int64_t)patch[i] + k];
            bool known = next < 0 || edge_distance(&t, k) > reach;
            for (int32_t j = count - 1; j >= 0 && !known; j--) {
                known = patch[j] == next;
            }
            if (!known && count == PATCH) {
                return false;
            }
            if (!known) {
                patch[count++] = next;
            }
        }
    }
    over->count = fits ? over->count : 0;
    return true;
}

void pal_shell_cell_hull(const pal_body *body, const int32_t *beside, const pal_shell_point *point,
                         const pal_shell_cell *cell, double reach, const pal_shell_ways *ways,
                         pal_shell_hull *hull, float *bend, float *sway, pal_shell_over *over) {
    static const double between = 0.03; // of the reach: what lies between the directions
    extremes e;
    float known[PAL_SHELL_WAYS] = {0.0f}; // how far the chosen reach: the point itself is one
    memset(hull, 0, sizeof *hull);
    memset(&e, 0, sizeof e);
    hull->beyond = INFINITY;
    pal_shell_over corners = {.count = 0};
    if (!look_over(body, beside, point, cell, reach, ways, &e, bend, sway, &corners)) {
        return;
    }
    if (over != NULL) {
        *over = corners;
    }
    float most = 0.0f;
    for (int n = 0; n <= PAL_SHELL_HULL; n++) {
        int lacks = 0;
        for (int k = 1; k < PAL_SHELL_WAYS; k++) {
            lacks = e.far[k] - known[k] > e.far[lacks] - known[lacks] ? k : lacks;
        }
        most = e.far[lacks] - known[lacks];
        for (int c = 0; c < 3 && n < PAL_SHELL_HULL; c++) {
            hull->place[c][n] = e.place[c][lacks];
        }
        for (int k = 0; k < PAL_SHELL_WAYS && n < PAL_SHELL_HULL; k++) {
            float far = 0.0f;
            for (int c = 0; c < 3; c++) {
                far += hull->place[c][n] * ways->way[c][k];
            }
            known[k] = far > known[k] ? far : known[k];
        }
    }
    hull->beyond = most + (float)(between * reach);
}
