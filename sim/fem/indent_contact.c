#include "sim/fem/indent_contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/fem/pattern.h"

enum { MOST_PARTS = 64 };
static const double DENSE = 24.0; // places along the radius, at least

// ---- Places -------------------------------------------------------------------------------------

void pal_indent_place(int parts, int index, double weight[3]) {
    const int row = (int)sqrt((double)index), at = index - row * row; // 2 row + 1 parts in a row
    const double third = at % 2 == 0 ? 1.0 / 3.0 : 2.0 / 3.0;         // every other on its head
    const double down = (row + 1 - third) / parts, right = (at / 2 + third) / parts;
    weight[0] = 1.0 - down;
    weight[1] = down - right;
    weight[2] = right;
}

// What a place at distance vector d from the centre feels: pressure along d, N/m^2, and the normal.
typedef struct touch {
    double normal[3], distance, deep, stiffness; // stiffness in N/m^3, of penalty and layer
} touch;

static bool touch_at(const pal_ball *ball, const pal_ball_facet *facet, const double weight[3],
                     touch *t) {
    double d[3];
    for (int c = 0; c < 3; c++) {
        d[c] = -ball->centre[c];
        for (int k = 0; k < 3; k++) {
            d[c] += weight[k] * ball->now[3 * (int64_t)facet->corner[k] + c];
        }
    }
    const double square = pal_dot3(d, d);
    if (!(square < ball->radius * ball->radius) || square == 0.0) {
        return false;
    }
    t->distance = sqrt(square);
    t->deep = ball->radius - t->distance;
    t->stiffness = 1.0 / (1.0 / ball->penalty + facet->layer);
    for (int c = 0; c < 3; c++) {
        t->normal[c] = d[c] / t->distance;
    }
    return true;
}

// Whether the ball may touch it as it is now.
static bool is_near(const pal_ball *ball, const pal_ball_facet *facet) {
    double longest = 0.0, d[3];
    const double *first = ball->now + 3 * (int64_t)facet->corner[0];
    for (int k = 1; k < 3; k++) {
        pal_sub3(ball->now + 3 * (int64_t)facet->corner[k], first, d);
        longest = fmax(longest, pal_norm3(d));
    }
    pal_sub3(first, ball->centre, d);
    return pal_norm3(d) < ball->radius + longest;
}

static void displace(pal_ball *ball, const double *u) {
    for (int32_t v = 0; v < ball->surface->vertex_count; v++) {
        double *x = ball->now + 3 * (int64_t)v;
        memcpy(x, ball->surface->x + 3 * (int64_t)v, 3 * sizeof *x);
        for (int32_t k = ball->start[v]; k < ball->start[v + 1]; k++) {
            for (int c = 0; c < 3; c++) {
                x[c] += ball->weight[k] * u[3 * (int64_t)ball->free_index[k] + c];
            }
        }
    }
}

// Forces [3][3] on the corners; false: none.
static bool evaluate_facet(pal_ball *ball, const pal_ball_facet *facet, const double axis[3],
                           double (*force)[3]) {
    bool some = false;
    for (int i = 0; i < facet->parts * facet->parts; i++) {
        double weight[3];
        touch t;
        pal_indent_place(facet->parts, i, weight);
        if (!touch_at(ball, facet, weight, &t)) {
            continue;
        }
        const double push = facet->area * t.stiffness * t.deep;
        const double along = pal_dot3(t.normal, axis);
        some = true;
        ball->energy += 0.5 * push * t.deep;
        ball->overlap = fmax(ball->overlap, t.deep * t.stiffness / ball->penalty);
        ball->contact_radius =
            fmax(ball->contact_radius, t.distance * sqrt(fmax(0.0, 1.0 - along * along)));
        for (int c = 0; c < 3; c++) {
            ball->on_body[c] += push * t.normal[c];
            for (int k = 0; k < 3; k++) {
                force[k][c] += weight[k] * push * t.normal[c];
            }
        }
    }
    return some;
}

void pal_ball_evaluate(pal_ball *ball, const double *u, const double axis[3], double *force) {
    displace(ball, u);
    ball->energy = ball->overlap = ball->contact_radius = 0.0;
    ball->contacts = 0;
    memset(ball->on_body, 0, sizeof ball->on_body);
    for (int32_t f = 0; f < ball->facet_count; f++) {
        const pal_ball_facet *facet = &ball->facet[f];
        double push[3][3] = {{0}};
        if (!is_near(ball, facet) || !evaluate_facet(ball, facet, axis, push)) {
            continue;
        }
        ball->contacts++;
        for (int k = 0; force != NULL && k < 3; k++) {
            const int32_t v = facet->corner[k];
            for (int32_t n = ball->start[v]; n < ball->start[v + 1]; n++) {
                for (int c = 0; c < 3; c++) {
                    force[3 * (int64_t)ball->free_index[n] + c] += ball->weight[n] * push[k][c];
                }
            }
        }
    }
}

// ---- The tangent --------------------------------------------------------------------------------

// k[a][b] of its corners, b <= a; false: none.
static bool facet_stiffness(const pal_ball *ball, const pal_ball_facet *facet, bool geometric,
                            double (*k)[3][3][3]) {
    bool some = false;
    for (int i = 0; i < facet->parts * facet->parts; i++) {
        double weight[3];
        touch t;
        pal_indent_place(facet->parts, i, weight);
        if (!touch_at(ball, facet, weight, &t)) {
            continue;
        }
        const double along = facet->area * t.stiffness;
        const double across = geometric ? along * t.deep / t.distance : 0.0;
        some = true;
        for (int e = 0; e < 9; e++) {
            const int r = e / 3, c = e % 3;
            const double here =
                (along + across) * t.normal[r] * t.normal[c] - (r == c ? across : 0.0);
            for (int a = 0; a < 3; a++) {
                for (int b = 0; b <= a; b++) {
                    k[a][b][r][c] += weight[a] * weight[b] * here;
                }
            }
        }
    }
    return some;
}

// A block goes to all pairs of those that carry its corners.
static void add_block(pal_ball *ball, int32_t of, int32_t by, double (*k)[3]) {
    for (int32_t n = ball->start[of]; n < ball->start[of + 1]; n++) {
        for (int32_t m = ball->start[by]; m < ball->start[by + 1]; m++) {
            const int32_t i = ball->free_index[n], j = ball->free_index[m];
            const double weight = ball->weight[n] * ball->weight[m];
            const int32_t block = pal_fem_find_block(&ball->wide, i, j);
            for (int e = 0; e < 9; e++) {
                ball->wide.stiffness.value[pal_fem_entry(&ball->wide, i, block, e / 3, e % 3)] +=
                    weight * k[e / 3][e % 3];
            }
        }
    }
}

void pal_ball_assemble(pal_ball *ball, bool geometric) {
    const pal_fem *fem = ball->fem;
    pal_csr *to = &ball->wide.stiffness;
    memset(to->value, 0, (size_t)to->start[to->n] * sizeof *to->value);
    for (int32_t i = 0; i < fem->free_count; i++) {
        for (int32_t b = fem->block_start[i]; b < fem->block_start[i + 1]; b++) {
            for (int r = 0; r < 3; r++) {
                memcpy(to->value + pal_fem_entry(&ball->wide, i, ball->seat[b], r, 0),
                       fem->stiffness.value + pal_fem_entry(fem, i, b, r, 0),
                       3 * sizeof *to->value);
            }
        }
    }
    for (int32_t f = 0; f < ball->facet_count; f++) {
        const pal_ball_facet *facet = &ball->facet[f];
        double k[3][3][3][3] = {{{{0}}}};
        if (!is_near(ball, facet) || !facet_stiffness(ball, facet, geometric, k)) {
            continue;
        }
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) { // each block is symmetric
                add_block(ball, facet->corner[a], facet->corner[b], b <= a ? k[a][b] : k[b][a]);
            }
        }
    }
}

// ---- What is touched ----------------------------------------------------------------------------

// Who carries a point of the surface: vertices of the mesh, and who carries those.
static pal_status find_carriers(pal_ball *ball, const pal_embedding *embedding,
                                const int32_t *vertex_of, pal_err *err) {
    static const double one = 1.0;
    const int32_t points = ball->surface->vertex_count;
    const int32_t nodes = embedding != NULL ? embedding->nodes : 1;
    int64_t room = 0, used = 0;
    ball->start = PAL_NEW(int32_t, (size_t)points + 1, err);
    ball->now = PAL_NEW(double, 3 * (size_t)points, err);
    if (ball->start == NULL || ball->now == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int pass = 0; pass < 2; pass++) { // count, then fill
        for (int64_t k = 0; k < (int64_t)points * nodes; k++) {
            const int32_t v = embedding != NULL ? embedding->vertex[k] : vertex_of[k];
            const double weight = embedding != NULL ? embedding->weight[k] : one;
            const pal_carriers by = pal_fem_carriers(ball->fem, v);
            for (int32_t n = 0; fabs(weight) > PAL_EMBED_LEAST && n < by.count; n++, used++) {
                if (pass == 1) {
                    ball->free_index[used] = by.free_index[n];
                    ball->weight[used] = weight * by.weight[n];
                }
            }
            ball->start[k / nodes + 1] = (int32_t)used;
        }
        if (pass == 0) {
            room = used;
            used = 0;
            ball->free_index = PAL_NEW(int32_t, room, err);
            ball->weight = PAL_NEW(double, room, err);
            if (ball->free_index == NULL || ball->weight == NULL) {
                return PAL_ERR_MEMORY;
            }
        }
    }
    return PAL_OK;
}

// The distance of a point from the way of the centre.
static double distance_from_way(const pal_indent_spec *spec, const double *x) {
    double least = INFINITY, from[3], to[3], way[3], d[3];
    pal_indent_centre(spec, -1, from);
    for (int32_t k = 0; k < spec->count; k++) {
        pal_indent_centre(spec, k, to);
        pal_sub3(to, from, way);
        pal_sub3(x, from, d);
        const double square = pal_dot3(way, way);
        const double share = square > 0.0 ? fmin(1.0, fmax(0.0, pal_dot3(d, way) / square)) : 0.0;
        for (int c = 0; c < 3; c++) {
            d[c] -= share * way[c];
        }
        least = fmin(least, pal_norm3(d));
        memcpy(from, to, sizeof from);
    }
    return least;
}

static pal_status find_facets(pal_ball *ball, const pal_indent_spec *spec, const double *layer,
                              double reach, pal_err *err) {
    const pal_surface *surface = ball->surface;
    ball->facet = PAL_NEW(pal_ball_facet, surface->triangle_count, err);
    if (ball->facet == NULL) {
        return PAL_ERR_MEMORY;
    }
    bool touched = false;
    for (int32_t t = 0; t < surface->triangle_count; t++) {
        pal_ball_facet *facet = &ball->facet[ball->facet_count];
        double longest = 0.0, least = INFINITY, e[3], side[2][3], n[3], middle[3] = {0, 0, 0};
        memcpy(facet->corner, surface->triangle + 3 * (int64_t)t, sizeof facet->corner);
        bool moves = false;
        for (int k = 0; k < 3; k++) {
            const double *x = surface->x + 3 * (int64_t)facet->corner[k];
            const double *next = surface->x + 3 * (int64_t)facet->corner[(k + 1) % 3];
            pal_sub3(next, x, e);
            longest = fmax(longest, pal_norm3(e));
            memcpy(side[k % 2], e, sizeof e); // of the last edges 1 and 2
            least = fmin(least, distance_from_way(spec, x));
            moves = moves || ball->start[facet->corner[k] + 1] > ball->start[facet->corner[k]];
            for (int c = 0; c < 3; c++) {
                middle[c] += x[c] / 3.0;
            }
        }
        least = fmin(least, distance_from_way(spec, middle));
        if (!moves || least > reach + longest) {
            continue;
        }
        pal_cross3(side[1], side[0], n);
        facet->parts = (int)fmin(MOST_PARTS, ceil(DENSE * longest / spec->radius));
        facet->area = 0.5 * pal_norm3(n) / (facet->parts * facet->parts);
        facet->layer = layer != NULL ? layer[t] : 0.0;
        touched = touched || least < spec->radius + longest;
        ball->facet_count++;
    }
    return touched ? PAL_OK : pal_indent_refuse_far(err);
}

// ---- The pattern --------------------------------------------------------------------------------

static int ascending(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Block pairs i 2^32 + j of the body and of all facets, with repetitions; counts only if NULL.
static int64_t list_pairs(const pal_ball *ball, int64_t *pair) {
    const pal_fem *fem = ball->fem;
    int64_t count = 0;
    for (int32_t i = 0; i < fem->free_count; i++) {
        for (int32_t b = fem->block_start[i]; b < fem->block_start[i + 1]; b++, count++) {
            if (pair != NULL) {
                pair[count] = ((int64_t)i << 32) + fem->block_col[b];
            }
        }
    }
    for (int64_t k = 0; k < 9 * (int64_t)ball->facet_count; k++) {
        const int32_t *corner = ball->facet[k / 9].corner;
        const int32_t of = corner[k % 9 / 3], by = corner[k % 3];
        for (int32_t n = ball->start[of]; n < ball->start[of + 1]; n++) {
            for (int32_t m = ball->start[by]; m < ball->start[by + 1]; m++, count++) {
                if (pair != NULL) {
                    pair[count] = ((int64_t)ball->free_index[n] << 32) + ball->free_index[m];
                }
            }
        }
    }
    return count;
}

static pal_status make_pattern(pal_ball *ball, pal_err *err) {
    const pal_fem *fem = ball->fem;
    pal_fem *wide = &ball->wide;
    int64_t count = list_pairs(ball, NULL), kept = 0;
    int64_t *pair = PAL_NEW(int64_t, count, err);
    wide->free_count = fem->free_count;
    wide->block_start = PAL_NEW(int32_t, (size_t)fem->free_count + 1, err);
    wide->block_col = PAL_NEW(int32_t, count, err);
    ball->seat = PAL_NEW(int32_t, fem->block_start[fem->free_count], err);
    if (!pair || !wide->block_start || !wide->block_col || !ball->seat) {
        free(pair);
        return PAL_ERR_MEMORY;
    }
    list_pairs(ball, pair);
    qsort(pair, (size_t)count, sizeof *pair, ascending);
    for (int64_t k = 0; k < count; k++) {
        if (k == 0 || pair[k] != pair[k - 1]) {
            wide->block_col[kept++] = (int32_t)(pair[k] & INT32_MAX);
            wide->block_start[(pair[k] >> 32) + 1] = (int32_t)kept;
        }
    }
    free(pair);
    for (int32_t i = 0; i < fem->free_count; i++) {
        for (int32_t b = fem->block_start[i]; b < fem->block_start[i + 1]; b++) {
            ball->seat[b] = pal_fem_find_block(wide, i, fem->block_col[b]);
        }
    }
    return pal_fem_make_rows(wide, err);
}

pal_status pal_ball_open(pal_ball *ball, const pal_fem *fem, const pal_indent_spec *spec,
                         const pal_indent_skin *skin, double reach, pal_err *err) {
    int32_t *vertex_of = NULL;
    memset(ball, 0, sizeof *ball);
    ball->fem = fem;
    ball->radius = spec->radius;
    ball->surface = skin != NULL ? skin->surface : &ball->own;
    pal_status status =
        skin != NULL ? PAL_OK : pal_surface_of_volmesh(fem->mesh, &ball->own, &vertex_of, err);
    if (status == PAL_OK) {
        status = find_carriers(ball, skin != NULL ? skin->embedding : NULL, vertex_of, err);
    }
    free(vertex_of);
    if (status == PAL_OK) {
        status = find_facets(ball, spec, skin != NULL ? skin->layer : NULL, reach, err);
    }
    return status == PAL_OK ? make_pattern(ball, err) : status;
}

void pal_ball_free(pal_ball *ball) {
    pal_fem_free(&ball->wide);
    pal_surface_free(&ball->own);
    free(ball->seat);
    free(ball->facet);
    free(ball->start);
    free(ball->free_index);
    free(ball->weight);
    free(ball->now);
    memset(ball, 0, sizeof *ball);
}
