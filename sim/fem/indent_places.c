#include "sim/fem/indent_places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"

enum { MOST_PLACES = 400 };
static const double FINEST = 0.15; // of the radius: how far places are apart
static const double REACH = 1.25;  // of the radius: beyond, nothing can be touched
static const double SKIN = 1e-4;   // of a place's mean compliance

void pal_indent_places_free(pal_indent_places *places) {
    free(places->x);
    free(places->corner);
    free(places->weight);
    free(places->vertex);
    memset(places, 0, sizeof *places);
}

// The longest edge of a facet that looks towards the ball and can move; 0 of any other.
static double looking_edge(const pal_fem *fem, const pal_surface *surface, const int32_t *of,
                           const int32_t *corner, const double axis[3]) {
    double edge[3][3], normal[3], longest = 0.0;
    bool moves = false;
    for (int k = 0; k < 3; k++) {
        pal_sub3(surface->x + 3 * (int64_t)corner[(k + 1) % 3], surface->x + 3 * (int64_t)corner[k],
                 edge[k]);
        longest = fmax(longest, pal_norm3(edge[k]));
        moves = moves || fem->free_index[of[corner[k]]] >= 0;
    }
    pal_cross3(edge[0], edge[1], normal);
    return moves && pal_dot3(normal, axis) < 0.0 ? longest : 0.0;
}

// Places about `apart` from each other; returns how many there are, of which MOST_PLACES are kept.
static int32_t spread(pal_indent_places *p, const pal_fem *fem, const pal_surface *surface,
                      const int32_t *of, const pal_indent_spec *spec, double apart) {
    double centre[3], d[3], weight[3];
    const double deepest = fmin(spec->depth[spec->count - 1], spec->radius);
    for (int c = 0; c < 3; c++) { // what it goes through on its way deeper is left out
        centre[c] = spec->at[c] - spec->axis[c] * (spec->radius - deepest);
    }
    p->count = 0;
    for (int32_t t = 0; t < surface->triangle_count; t++) {
        const int32_t *corner = surface->triangle + 3 * (int64_t)t;
        const double longest = looking_edge(fem, surface, of, corner, spec->axis);
        pal_sub3(surface->x + 3 * (int64_t)corner[0], centre, d);
        if (longest == 0.0 || pal_norm3(d) > REACH * spec->radius + longest) {
            continue;
        }
        const int parts = (int)ceil(longest / apart);
        for (int i = 0; i < parts * parts; i++) {
            double x[3] = {0.0, 0.0, 0.0};
            pal_indent_place(parts, i, weight);
            for (int k = 0; k < 9; k++) {
                x[k % 3] += weight[k / 3] * surface->x[3 * (int64_t)corner[k / 3] + k % 3];
            }
            pal_sub3(x, centre, d);
            if (pal_norm3(d) > REACH * spec->radius) {
                continue;
            }
            if (p->count < MOST_PLACES) {
                memcpy(p->x + 3 * p->count, x, sizeof x);
                memcpy(p->weight + 3 * p->count, weight, sizeof weight);
                memcpy(p->corner + 3 * p->count, corner, 3 * sizeof *corner);
            }
            p->count++;
        }
    }
    return p->count;
}

// Corners of the surface become places in the list of vertices.
static void list_vertices(pal_indent_places *p, const int32_t *of) {
    for (int32_t k = 0; k < 3 * p->count; k++) {
        int32_t at = 0;
        while (at < p->vertex_count && p->vertex[at] != of[p->corner[k]]) {
            at++;
        }
        p->vertex[at] = of[p->corner[k]];
        p->vertex_count += at == p->vertex_count;
        p->corner[k] = at;
    }
}

pal_status pal_indent_places_make(pal_indent_places *places, const pal_fem *fem,
                                  const pal_indent_spec *spec, pal_err *err) {
    pal_surface surface;
    int32_t *of = NULL;
    memset(places, 0, sizeof *places);
    pal_status status = pal_surface_of_volmesh(fem->mesh, &surface, &of, err);
    if (status != PAL_OK) {
        return status;
    }
    places->x = PAL_NEW(double, 3 * MOST_PLACES, err);
    places->weight = PAL_NEW(double, 3 * MOST_PLACES, err);
    places->corner = PAL_NEW(int32_t, 3 * MOST_PLACES, err);
    places->vertex = PAL_NEW(int32_t, 3 * MOST_PLACES, err);
    if (!places->x || !places->weight || !places->corner || !places->vertex) {
        status = PAL_ERR_MEMORY;
    }
    double apart = FINEST * spec->radius;
    while (status == PAL_OK && spread(places, fem, &surface, of, spec, apart) > MOST_PLACES &&
           apart < spec->radius) {
        apart *= 1.2;
    }
    places->count = places->count < MOST_PLACES ? places->count : MOST_PLACES;
    if (status == PAL_OK && places->count == 0) {
        status = pal_indent_refuse_far(err);
    } else if (status == PAL_OK) {
        list_vertices(places, of);
    }
    free(of);
    pal_surface_free(&surface);
    return status;
}

pal_status pal_indent_places_carry(const pal_indent_places *places, const double *of_vertices,
                                   double *w, pal_err *err) {
    const int64_t n = 3 * (int64_t)places->count, m = 3 * (int64_t)places->vertex_count;
    double *half = PAL_NEW(double, n *m, err), mean = 0.0; // H of_vertices
    if (half == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int64_t k = 0; k < n * m; k++) {
        const int64_t place = k / m / 3, c = k / m % 3;
        for (int a = 0; a < 3; a++) {
            half[k] += places->weight[3 * place + a] *
                       of_vertices[(3 * (int64_t)places->corner[3 * place + a] + c) * m + k % m];
        }
    }
    for (int64_t k = 0; k < n * n; k++) {
        const int64_t place = k % n / 3, c = k % n % 3;
        w[k] = 0.0;
        for (int a = 0; a < 3; a++) {
            w[k] += places->weight[3 * place + a] *
                    half[k / n * m + 3 * (int64_t)places->corner[3 * place + a] + c];
        }
        mean += k / n == k % n ? w[k] / (double)n : 0.0;
    }
    for (int64_t k = 0; k < n; k++) {
        w[k * n + k] += SKIN * mean;
    }
    free(half);
    return PAL_OK;
}
