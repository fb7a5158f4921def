#include "app/feel/feel_ground.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/contact/bdtree_build.h"

// A tree's surface as a body without coordinates.
static pal_status open_whole(pal_ground *g, const pal_feel *feel, pal_err *err) {
    static const double none[1];
    const pal_surface *surface = &feel->model.surface;
    pal_body_init_linear(&g->whole, 0, surface->vertex_count, surface->triangle_count,
                         surface->triangle, surface->x, none, none, none);
    g->body = &g->whole;
    g->tree = &g->own;
    g->region = feel->region;
    return pal_bdtree_build(&g->whole, &g->own, err);
}

// ---- which triangles are near

typedef struct keyed {
    double x;
    int32_t triangle;
} keyed;

static int by_x(const void *a, const void *b) {
    const keyed *one = a, *two = b;
    return one->x != two->x ? (one->x > two->x) - (one->x < two->x)
                            : (one->triangle > two->triangle) - (one->triangle < two->triangle);
}

static pal_status sort_triangles(pal_ground *g, pal_err *err) {
    const int32_t count = g->body->triangle_count;
    keyed *key = PAL_NEW(keyed, count, err);
    g->order = PAL_NEW(int32_t, count, err);
    if (key == NULL || g->order == NULL) {
        free(key);
        return PAL_ERR_MEMORY;
    }
    for (int32_t t = 0; t < count; t++) {
        key[t] = (keyed){g->middle[t][0], t};
    }
    qsort(key, (size_t)count, sizeof *key, by_x);
    for (int32_t i = 0; i < count; i++) {
        g->order[i] = key[i].triangle;
    }
    free(key);
    return PAL_OK;
}

// The first place in the order whose middle is not before x.
static int32_t first_from(const pal_ground *g, double x) {
    int32_t low = 0, high = g->body->triangle_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (g->middle[g->order[middle]][0] < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

pal_ground_near pal_ground_about(const pal_ground *g, const double x[3], double radius) {
    return g->order != NULL
               ? (pal_ground_near){first_from(g, x[0] - radius), first_from(g, x[0] + radius)}
               : (pal_ground_near){0, g->body->triangle_count};
}

int32_t pal_ground_next(const pal_ground *g, pal_ground_near *near) {
    if (near->at >= near->end) {
        return -1;
    }
    const int32_t i = near->at++;
    return g->order != NULL ? g->order[i] : i;
}

// ---- opening

pal_status pal_ground_open(pal_ground *g, const pal_feel *feel, pal_err *err) {
    const pal_live_body *live = &feel->look->body;
    *g = (pal_ground){.body = &live->body, .tree = &live->tree, .region = live->region_of_triangle};
    const pal_status status = live->domains != NULL ? open_whole(g, feel, err) : PAL_OK;
    if (status != PAL_OK) {
        return status;
    }
    const int32_t count = g->body->triangle_count;
    g->middle = pal_alloc((size_t)count, sizeof *g->middle, err);
    g->normal = pal_alloc((size_t)count, sizeof *g->normal, err);
    if (g->middle == NULL || g->normal == NULL) {
        pal_ground_close(g);
        return PAL_ERR_MEMORY;
    }
    for (int32_t t = 0; t < count; t++) {
        const double *corner[3];
        double ab[3], ac[3];
        for (int k = 0; k < 3; k++) {
            corner[k] = g->body->rest + 3 * (int64_t)g->body->triangle[3 * (int64_t)t + k];
        }
        pal_sub3(corner[1], corner[0], ab);
        pal_sub3(corner[2], corner[0], ac);
        pal_cross3(ab, ac, g->normal[t]);
        for (int a = 0; a < 3; a++) {
            g->middle[t][a] = (corner[0][a] + corner[1][a] + corner[2][a]) / 3.0;
        }
    }
    enum { MANY = 100000 };
    return count > MANY && live->domains != NULL ? sort_triangles(g, err) : PAL_OK;
}

void pal_ground_close(pal_ground *g) {
    pal_bdtree_free(&g->own);
    free(g->middle);
    free(g->normal);
    free(g->order);
    memset(g, 0, sizeof *g);
}

bool pal_ground_flatten(const double v[3], const double n[3], double out[3]) {
    const double along = pal_dot3(v, n);
    for (int a = 0; a < 3; a++) {
        out[a] = v[a] - along * n[a];
    }
    const double length = pal_norm3(out);
    for (int a = 0; a < 3 && length > 0.0; a++) {
        out[a] /= length;
    }
    return length > 1e-9 * (1.0 + pal_norm3(v));
}

static double square_between(const double a[3], const double b[3]) {
    double d[3];
    pal_sub3(a, b, d);
    return pal_dot3(d, d);
}

// The mean normal within the radius, of what looks to the same side as the triangle itself.
static void mean_normal(const pal_ground *g, pal_spot *spot, double radius) {
    const double *own = g->normal[spot->triangle];
    double sum[3] = {own[0], own[1], own[2]};
    const double scale = 1.0 / pal_norm3(own);
    pal_ground_near near = pal_ground_about(g, spot->x, radius);
    for (int32_t t; (t = pal_ground_next(g, &near)) >= 0;) {
        const double far = square_between(g->middle[t], spot->x) / (radius * radius);
        if (far < 1.0 && pal_dot3(g->normal[t], own) > 0.0) {
            for (int a = 0; a < 3; a++) {
                sum[a] += (1.0 - far) * g->normal[t][a];
            }
        }
    }
    const double length = pal_norm3(sum);
    for (int a = 0; a < 3; a++) {
        spot->normal[a] = length > 0.0 ? sum[a] / length : own[a] * scale;
    }
}

double pal_ground_nearest(const pal_ground *g, const double x[3], double radius, pal_spot *spot) {
    pal_nearest near;
    double away[3];
    pal_bdtree_nearest(g->tree, g->body, x, INFINITY, -1, INT32_MAX, &near);
    if (near.triangle < 0) { // not finite
        *spot = (pal_spot){.triangle = -1};
        return INFINITY;
    }
    spot->triangle = near.triangle;
    memcpy(spot->x, near.point, sizeof spot->x);
    mean_normal(g, spot, radius);
    pal_sub3(x, spot->x, away);
    return pal_dot3(away, spot->normal) < 0.0 ? -near.distance : near.distance;
}

// Where on the way from a to b (0..1) it passes the triangle from outside; 2: it does not.
static double entry(const pal_ground *g, int32_t t, const double a[3], const double way[3]) {
    const double *p[3];
    double ab[3], ac[3], from[3], side[3], other[3];
    for (int k = 0; k < 3; k++) {
        p[k] = g->body->rest + 3 * (int64_t)g->body->triangle[3 * (int64_t)t + k];
    }
    pal_sub3(p[1], p[0], ab);
    pal_sub3(p[2], p[0], ac);
    pal_sub3(a, p[0], from);
    pal_cross3(way, ac, side);
    const double det = pal_dot3(ab, side);
    if (!(det > 0.0)) { // along it, or from inside
        return 2.0;
    }
    const double u = pal_dot3(from, side) / det;
    pal_cross3(from, ab, other);
    const double v = pal_dot3(way, other) / det, at = pal_dot3(ac, other) / det;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0 && at >= 0.0 && at <= 1.0 ? at : 2.0;
}

bool pal_ground_meet(const pal_ground *g, const double a[3], const double b[3], double radius,
                     pal_spot *spot) {
    double way[3], first = 2.0, x[3];
    pal_sub3(b, a, way);
    for (int32_t t = 0; t < g->body->triangle_count; t++) {
        first = fmin(first, entry(g, t, a, way));
    }
    for (int c = 0; c < 3; c++) {
        x[c] = a[c] + fmin(first, 1.0) * way[c];
    }
    pal_ground_nearest(g, x, radius, spot);
    return first <= 1.0;
}

int pal_ground_walk(const pal_ground *g, const double along[3], double step, double radius,
                    double turn, int most, pal_spot *spot) {
    double way[3];
    int count = 1;
    if (!pal_ground_flatten(along, spot[0].normal, way)) {
        return count;
    }
    for (; count < most; count++) {
        const pal_spot *last = &spot[count - 1];
        double x[3], moved[3];
        for (int a = 0; a < 3; a++) {
            x[a] = last->x[a] + step * way[a];
        }
        pal_spot *next = &spot[count];
        const double off = pal_ground_nearest(g, x, radius, next);
        pal_sub3(next->x, last->x, moved);
        if (fabs(off) > 0.9 * step || pal_norm3(moved) < 0.3 * step ||
            pal_dot3(next->normal, last->normal) < cos(turn) ||
            !pal_ground_flatten(way, next->normal, way)) {
            break;
        }
    }
    return count;
}

double pal_ground_sharpness(const pal_ground *g, const pal_spot *spot, double radius,
                            double down[3]) {
    double height = 0.0, area = 0.0, most = 0.0;
    memset(down, 0, 3 * sizeof *down);
    pal_ground_near near = pal_ground_about(g, spot->x, radius);
    for (int32_t t; (t = pal_ground_next(g, &near)) >= 0;) {
        double away[3];
        pal_sub3(g->middle[t], spot->x, away);
        const double far = pal_norm3(away), size = pal_norm3(g->normal[t]);
        // (the other side of a thin part is not what is felt)
        if (far < radius && pal_dot3(g->normal[t], spot->normal) > -0.5 * size) {
            const double below = -pal_dot3(away, spot->normal);
            height += size * below / radius;
            area += size;
            if (below / (far + 0.3 * radius) > most &&
                pal_ground_flatten(away, spot->normal, down)) {
                most = below / (far + 0.3 * radius);
            }
        }
    }
    return area > 0.0 ? height / area : 0.0;
}

// Least squares of below = (c0 a^2 + 2 c1 a b + c2 b^2) / 2 over the triangles about, by area, with
// a and b along the tangents; then the smaller eigenvalue of [c0 c1; c1 c2].
double pal_ground_bulge(const pal_ground *g, const pal_spot *spot, double radius) {
    enum { TERMS = 3 };
    const double *n = spot->normal;
    const double axis[3] = {fabs(n[0]) > 0.9 ? 0.0 : 1.0, fabs(n[0]) > 0.9 ? 1.0 : 0.0, 0.0};
    double one[3], two[3], m[TERMS][TERMS + 1] = {{0.0}};
    pal_ground_flatten(axis, n, one);
    pal_cross3(n, one, two);
    pal_ground_near near = pal_ground_about(g, spot->x, radius);
    for (int32_t t; (t = pal_ground_next(g, &near)) >= 0;) {
        double away[3];
        pal_sub3(g->middle[t], spot->x, away);
        const double size = pal_norm3(g->normal[t]);
        if (pal_norm3(away) < radius && pal_dot3(g->normal[t], n) > -0.5 * size) {
            const double a = pal_dot3(away, one) / radius, b = pal_dot3(away, two) / radius;
            const double term[TERMS] = {0.5 * a * a, a * b, 0.5 * b * b};
            for (int i = 0; i < TERMS; i++) {
                for (int j = 0; j < TERMS; j++) {
                    m[i][j] += size * term[i] * term[j];
                }
                m[i][TERMS] -= size * term[i] * pal_dot3(away, n);
            }
        }
    }
    for (int i = 0; i < TERMS; i++) { // positive: no pivots are wanted
        if (!(m[i][i] > 0.0)) {
            return 0.0; // too few triangles
        }
        for (int k = 0; k < TERMS; k++) {
            const double share = k != i ? m[k][i] / m[i][i] : 0.0;
            for (int j = i; j <= TERMS; j++) {
                m[k][j] -= share * m[i][j];
            }
        }
    }
    const double c[TERMS] = {m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2]};
    return (0.5 * (c[0] + c[2]) - hypot(0.5 * (c[0] - c[2]), c[1])) / (radius * radius);
}
