// The truth of a dent: a rigid ball, without friction and at rest, on the surface as full linear
// elements carry it.
//
//     u = H K^-1 H^T f      H the weights of surface points in vertices, K the stiffness at rest
//
// The points lie densely all over the surface that is touched, which a coarser mesh may carry: so
// the answer is that of the body in the scene if neither reduction nor sampling left anything out.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/feel/feel_truth_parts.h"
#include "app/style.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/fem/indent.h"

enum { SAMPLES = 10, MOST_POINTS = 400, MOST_SHARES = 192, FEW = 10, MOST_DOFS = 45000 };
static const double deep = 5e-3;   // m: beyond, a linear dent is not the truth
static const double least = 2e-4;  // m, of a press that is worth it
static const double reach = 1.25;  // of the radius: what the ball may touch, as in indent.h
static const double finest = 0.15; // of the radius: how far points are apart
static const double skin = 1e-4;   // of a point's compliance, at least: points outnumber vertices
static const double shared = 1e-6; // of a point's weights: less is rounding

typedef struct places {
    int32_t count;
    int32_t *triangle;    // [count] of the surface
    double *part;         // [count][3] barycentric
    double *area;         // [count] m^2
    double *x;            // [count][3] m, at rest
    int32_t *share_count; // [count]
    int32_t *share;       // [count][MOST_SHARES] places in `vertex`
    double *weight;       // [count][MOST_SHARES]
    int32_t vertex_count;
    int32_t *vertex; // [vertex_count] of the mesh
    double *w;       // [3 count][3 count] m/N
} places;

static void places_free(places *p) {
    free(p->triangle);
    free(p->part);
    free(p->area);
    free(p->x);
    free(p->share_count);
    free(p->share);
    free(p->weight);
    free(p->vertex);
    free(p->w);
}

static pal_status places_alloc(places *p, int32_t most, int32_t vertices, pal_err *err) {
    memset(p, 0, sizeof *p);
    p->triangle = PAL_NEW(int32_t, most, err);
    p->part = PAL_NEW(double, 3 * most, err);
    p->area = PAL_NEW(double, most, err);
    p->x = PAL_NEW(double, 3 * most, err);
    p->share_count = PAL_NEW(int32_t, most, err);
    p->share = PAL_NEW(int32_t, most * MOST_SHARES, err);
    p->weight = PAL_NEW(double, most *MOST_SHARES, err);
    p->vertex = PAL_NEW(int32_t, vertices, err);
    return p->triangle && p->part && p->area && p->x && p->share_count && p->share && p->weight &&
                   p->vertex
               ? PAL_OK
               : PAL_ERR_MEMORY;
}

// The ball's centre at a tick.
static const double *centre_at(const pal_truth_walk *walk, int64_t tick) {
    return walk->row[tick * walk->hands].position;
}

// Whether a triangle looks towards a ball that comes along the axis.
static bool looks_up(double corner[3][3], const double axis[3], double *longest, double *area) {
    double a[3], b[3], c[3], n[3];
    pal_sub3(corner[1], corner[0], a);
    pal_sub3(corner[2], corner[0], b);
    pal_sub3(corner[2], corner[1], c);
    pal_cross3(a, b, n);
    *area = 0.5 * pal_norm3(n);
    *longest = fmax(pal_norm3(a), fmax(pal_norm3(b), pal_norm3(c)));
    return pal_dot3(n, axis) < 0.0;
}

// The middle of one of the n^2 equal parts of a triangle: `up` tells the upright parts of a row
// from those that stand on their heads.
static void middle_of_part(int n, int row, int at, bool up, double weight[3]) {
    const double third = up ? 1.0 / 3.0 : 2.0 / 3.0;
    weight[1] = (row + third) / n;
    weight[2] = (at + third) / n;
    weight[0] = 1.0 - weight[1] - weight[2];
}

// Keeps the middle of a part if the ball may touch it; what there is no room for is counted only.
static void add_place(double corner[3][3], int32_t triangle, const double weight[3], double area,
                      const double centre[3], double radius, places *p) {
    double x[3], away[3];
    for (int c = 0; c < 3; c++) {
        x[c] = weight[0] * corner[0][c] + weight[1] * corner[1][c] + weight[2] * corner[2][c];
    }
    pal_sub3(x, centre, away);
    if (pal_norm3(away) > reach * radius) {
        return;
    }
    if (p->count < MOST_POINTS) {
        p->triangle[p->count] = triangle;
        p->area[p->count] = area;
        memcpy(p->part + 3 * p->count, weight, 3 * sizeof *weight);
        memcpy(p->x + 3 * p->count, x, sizeof x);
    }
    p->count++;
}

// Places all over the surface that the ball may touch, about `apart` from each other.
static void spread_places(const pal_surface *surface, const double centre[3], const double axis[3],
                          double radius, double apart, places *p) {
    p->count = 0;
    for (int32_t t = 0; t < surface->triangle_count; t++) {
        double corner[3][3], longest, area, away[3], weight[3];
        for (int k = 0; k < 3; k++) {
            memcpy(corner[k], surface->x + 3 * (int64_t)surface->triangle[3 * (int64_t)t + k],
                   sizeof corner[k]);
        }
        pal_sub3(corner[0], centre, away);
        if (!looks_up(corner, axis, &longest, &area) ||
            pal_norm3(away) > reach * radius + longest) {
            continue;
        }
        const int n = (int)ceil(longest / apart);
        for (int row = 0; row < n; row++) {
            for (int at = 0; at < n - row; at++) {
                middle_of_part(n, row, at, true, weight);
                add_place(corner, t, weight, area / (n * n), centre, radius, p);
                if (at < n - row - 1) {
                    middle_of_part(n, row, at, false, weight);
                    add_place(corner, t, weight, area / (n * n), centre, radius, p);
                }
            }
        }
    }
}

// As densely as there is room for.
static void choose_places(const pal_surface *surface, const double centre[3], const double axis[3],
                          double radius, places *p) {
    double apart = finest * radius;
    do {
        spread_places(surface, centre, axis, radius, apart, p);
        apart *= 1.2;
    } while (p->count > MOST_POINTS && apart < radius);
    p->count = p->count < MOST_POINTS ? p->count : MOST_POINTS;
}

// Adds a share of place i in a vertex, which is listed when it is new.
static void add_share(places *p, int32_t i, int32_t vertex, double weight) {
    int32_t at = 0, k = 0;
    while (at < p->vertex_count && p->vertex[at] != vertex) {
        at++;
    }
    p->vertex[at] = vertex;
    p->vertex_count += at == p->vertex_count;
    int32_t *share = p->share + i * MOST_SHARES;
    while (k < p->share_count[i] && share[k] != at) {
        k++;
    }
    if (k < MOST_SHARES) { // three points of eight vertices, each carried by eight, are never more
        share[k] = at;
        p->weight[i * MOST_SHARES + k] += weight;
        p->share_count[i] += k == p->share_count[i];
    }
}

// H: a point lies in a triangle, whose corners are embedded in elements. Held vertices do not move,
// and carried ones as their carriers do.
static void find_shares(const pal_model *model, const pal_fem *fem, places *p) {
    const pal_embedding *e = &model->embedding;
    int32_t kept = 0;
    for (int32_t i = 0; i < p->count; i++) {
        p->share_count[kept] = 0;
        memset(p->weight + kept * MOST_SHARES, 0, MOST_SHARES * sizeof *p->weight);
        for (int k = 0; k < 3 * e->nodes; k++) {
            const int64_t corner = model->surface.triangle[3 * (int64_t)p->triangle[i] + k % 3];
            const int64_t at = corner * e->nodes + k / 3;
            const double weight = p->part[3 * i + k % 3] * e->weight[at];
            const pal_carriers by = pal_fem_carriers(fem, e->vertex[at]);
            for (int32_t n = 0; fabs(weight) > shared && n < by.count; n++) {
                add_share(p, kept, fem->free_vertex[by.free_index[n]], weight * by.weight[n]);
            }
        }
        if (p->share_count[kept] > 0) {
            memmove(p->x + 3 * kept, p->x + 3 * i, 3 * sizeof *p->x);
            p->area[kept] = p->area[i];
            p->triangle[kept] = p->triangle[i];
            kept++;
        }
    }
    p->count = kept;
}

double pal_truth_layer(const pal_session *s, int law) {
    const double given = s->body.law[law].stiffness;
    const double side = s->tool[0].shape.feature / 3.0;
    return given < 0.99 * s->scene.live.tool_stiffness / (side * side) ? 1.0 / given : 0.0;
}

// w = H K^-1 H^T, the surface's layer, and a skin.
static pal_status find_compliance(const pal_session *session, pal_truth_body *body, places *p,
                                  pal_err *err) {
    const int64_t m = 3 * (int64_t)p->vertex_count, n = 3 * (int64_t)p->count;
    double *full = PAL_NEW(double, m *m, err), *half = PAL_NEW(double, n *m, err), mean = 0.0;
    p->w = PAL_NEW(double, n *n, err);
    pal_status status = full && half && p->w ? pal_indent_compliance(&body->fem, p->vertex_count,
                                                                     p->vertex, full, err)
                                             : PAL_ERR_MEMORY;
    for (int64_t k = 0; status == PAL_OK && k < n * m; k++) { // H K^-1
        const int64_t i = k / m / 3, c = k / m % 3;
        for (int32_t a = 0; a < p->share_count[i]; a++) {
            const int64_t s = i * MOST_SHARES + a;
            half[k] += p->weight[s] * full[(3 * (int64_t)p->share[s] + c) * m + k % m];
        }
    }
    for (int64_t k = 0; status == PAL_OK && k < n * n; k++) {
        const int64_t j = k % n / 3, c = k % n % 3;
        for (int32_t a = 0; a < p->share_count[j]; a++) {
            const int64_t s = j * MOST_SHARES + a;
            p->w[k] += p->weight[s] * half[k / n * m + 3 * (int64_t)p->share[s] + c];
        }
    }
    for (int64_t k = 0; status == PAL_OK && k < n; k++) {
        mean += p->w[k * n + k] / (double)n;
    }
    for (int64_t k = 0; status == PAL_OK && k < n; k++) {
        const int law = pal_truth_law(session, pal_truth_body_triangle(body, p->triangle[k / 3]));
        const double layer = pal_truth_layer(session, law) / p->area[k / 3];
        p->w[k * n + k] += fmax(layer, skin * mean);
    }
    free(full);
    free(half);
    return status;
}

// Each sample on its own: the ball where the device was, let down to there along the axis.
// force [count]; what did not settle stays NAN.
static pal_status press_samples(const pal_truth_walk *walk, const int64_t *tick, int count,
                                const double axis[3], double radius, const places *p,
                                double (*force)[3], double *contact_radius, pal_err *err) {
    const double *begin = centre_at(walk, tick[0]);
    pal_status status = PAL_OK;
    for (int i = 1; status == PAL_OK && i < count; i++) {
        const double *centre = centre_at(walk, tick[i]);
        double way[3];
        pal_sub3(centre, begin, way);
        const double depth = pal_dot3(way, axis);
        pal_indent_spec spec = {.radius = radius, .count = 1, .depth = &depth};
        pal_indent_result result;
        for (int c = 0; c < 3; c++) {
            spec.axis[c] = axis[c];
            spec.at[c] = centre[c] + axis[c] * (radius - depth);
        }
        status = pal_indent_points(p->count, p->x, p->w, &spec, &result, err);
        if (status == PAL_OK) {
            memcpy(force[i], result.vector, sizeof result.vector);
            *contact_radius = result.contact_radius;
        }
    }
    return status;
}

// Full elements are at rest, the hand is not: the model's own force is made as much larger or
// smaller as theirs is than that of the model at rest in the same place.
static void scale_own(pal_truth_walk *walk, const int64_t *tick, int count,
                      const double (*force)[3], double *full) {
    double place[SAMPLES + 1][3], rest[SAMPLES + 1][3];
    for (int i = 0; i < count; i++) {
        memcpy(place[i], centre_at(walk, tick[i]), sizeof place[i]);
    }
    pal_truth_settle(walk, &(pal_truth_rest){count, (const double(*)[3])place, rest});
    for (int i = 1; i < count; i++) {
        const double scale = pal_norm3(force[i]) / pal_norm3(rest[i]);
        // Half of the way to the samples before and after: one tick of a body that swings says
        // little
        const int64_t first = (tick[i - 1] + tick[i]) / 2 + 1;
        const int64_t last = i + 1 < count ? (tick[i] + tick[i + 1]) / 2 : tick[i];
        for (int64_t k = first; pal_norm3(rest[i]) > 0.0 && k <= last; k++) {
            for (int c = 0; walk->triangle[k] >= 0 && c < 3; c++) {
                full[3 * k + c] = scale * walk->force[3 * k + c];
            }
        }
    }
}

// tick[0] is where the contact begins; then the first one at each depth.
static int choose_ticks(const pal_truth_walk *walk, double axis[3], int64_t tick[SAMPLES + 1]) {
    int64_t first, deepest;
    int count = 0;
    if (!pal_truth_press(walk, &first, &deepest)) {
        return 0;
    }
    for (int c = 0; c < 3; c++) {
        axis[c] = -walk->normal[3 * first + c];
    }
    double way[3];
    pal_sub3(centre_at(walk, deepest), centre_at(walk, first), way);
    const double most = fmin(pal_dot3(way, axis), deep);
    tick[count++] = first;
    for (int64_t k = first; most > least && k <= deepest && count <= SAMPLES; k++) {
        pal_sub3(centre_at(walk, k), centre_at(walk, first), way);
        if (pal_dot3(way, axis) >= most * (count / (SAMPLES + 1e-6))) {
            tick[count++] = k;
        }
    }
    return count;
}

// The place that lies nearest to the ball.
static int32_t nearest_place(const places *p, const double centre[3]) {
    int32_t nearest = 0;
    double closest = INFINITY, d[3];
    for (int32_t i = 0; i < p->count; i++) {
        pal_sub3(p->x + 3 * i, centre, d);
        if (pal_norm3(d) < closest) {
            closest = pal_norm3(d);
            nearest = i;
        }
    }
    return nearest;
}

// The mean edge of an element that carries a place.
static double edge_at(const pal_model *model, const places *p, int32_t place) {
    static const int beside[2][3] = {{1, 2, 3}, {1, 3, 4}}; // corners next to the first one
    const int32_t wanted = p->vertex[p->share[place * MOST_SHARES]];
    const int32_t *of = NULL;
    double edge[3], sum = 0.0;
    for (int32_t e = 0; of == NULL && e < model->mesh.element_count; e++) {
        const int32_t *vertex = pal_volmesh_element(&model->mesh, e);
        for (int a = 0; a < (int)model->mesh.kind; a++) {
            of = vertex[a] == wanted ? vertex : of;
        }
    }
    for (int k = 0; of != NULL && k < 3; k++) {
        const int32_t next = of[beside[model->mesh.kind == PAL_HEX8][k]];
        pal_sub3(model->mesh.x + 3 * (int64_t)next, model->mesh.x + 3 * (int64_t)of[0], edge);
        sum += pal_norm3(edge) / 3.0;
    }
    return sum;
}

static void say_mesh(const pal_truth_body *body, double edge, double contact_radius, char *note,
                     size_t size) {
    const bool coarse = M_PI * contact_radius * contact_radius < FEW * edge * edge;
    char mesh[64];
    pal_truth_body_say(body, mesh, sizeof mesh);
    snprintf(note, size, "linear elements, %s%s", mesh,
             coarse ? ", coarse for this ball: judges the reduction, not the tissue" : "");
}

static pal_status press_full(pal_truth_walk *walk, const int64_t *tick, int count,
                             const double axis[3], pal_truth_body *body, double *full, char *note,
                             size_t size, pal_err *err) {
    const pal_model *model = body->model;
    const double radius = walk->session.tool[0].shape.radius;
    double force[SAMPLES + 1][3], contact_radius = 0.0;
    places p;
    pal_status status = places_alloc(&p, MOST_POINTS, MOST_POINTS * MOST_SHARES, err);
    for (int k = 0; k < 3 * (SAMPLES + 1); k++) {
        force[k / 3][k % 3] = NAN;
    }
    if (status == PAL_OK) {
        choose_places(&model->surface, centre_at(walk, tick[count - 1]), axis, radius, &p);
        find_shares(model, &body->fem, &p);
        status = p.count > 0 ? find_compliance(&walk->session, body, &p, err) : PAL_OK;
    }
    if (status == PAL_OK && p.count == 0) {
        snprintf(note, size, "full elements left out: nothing under the ball can move");
    } else if (status == PAL_OK) {
        pal_err inner;
        status = press_samples(walk, tick, count, axis, radius, &p, force, &contact_radius, &inner);
        if (status == PAL_OK) {
            const int32_t under = nearest_place(&p, centre_at(walk, tick[count - 1]));
            say_mesh(body, edge_at(model, &p, under), contact_radius, note, size);
        } else if (status == PAL_ERR_NUMERIC) {
            snprintf(note, size, "linear elements, up to where their contact did not settle");
            status = PAL_OK;
        } else {
            status = pal_fail(err, status, "%s", inner.text);
        }
        scale_own(walk, tick, count, (const double(*)[3])force, full);
    }
    places_free(&p);
    return status;
}

pal_status pal_truth_linear(pal_truth_walk *walk, double *full, char *note, size_t size,
                            const pal_progress *progress, pal_err *err) {
    int64_t tick[SAMPLES + 1];
    double axis[3];
    const int count = choose_ticks(walk, axis, tick);
    pal_truth_body body;
    bool fits = false;
    if (walk->session.tool[0].shape.kind != PAL_SHAPE_SPHERE) {
        snprintf(note, size, "full elements left out: they press with a ball only");
        return PAL_OK;
    }
    if (count < 2) {
        snprintf(note, size, "full elements left out: nothing is pressed by %.1f mm", 1e3 * least);
        return PAL_OK;
    }
    pal_progress_report(progress, "full elements", 0.0);
    pal_status status =
        pal_truth_body_open(&body, walk, tick[count - 1], MOST_DOFS, &fits, note, size, err);
    if (status == PAL_OK && fits) {
        status = press_full(walk, tick, count, axis, &body, full, note, size, err);
        pal_truth_body_close(&body);
    }
    pal_progress_report(progress, "full elements", 1.0);
    return status;
}
