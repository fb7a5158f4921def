#include "sim/fem/tie.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static const double near = 1e-9; // of the mesh's size: a vertex may be so far from its place

pal_status pal_ties_alloc(pal_ties *ties, int32_t count, int64_t most, pal_err *err) {
    memset(ties, 0, sizeof *ties);
    ties->vertex = PAL_NEW(int32_t, count, err);
    ties->start = PAL_NEW(int32_t, (size_t)count + 1, err);
    ties->carrier = PAL_NEW(int32_t, most, err);
    ties->weight = PAL_NEW(double, most, err);
    if (!ties->vertex || !ties->start || !ties->carrier || !ties->weight) {
        pal_ties_free(ties);
        return PAL_ERR_MEMORY;
    }
    return PAL_OK;
}

void pal_ties_add(pal_ties *ties, int32_t vertex, int32_t carriers, const int32_t *carrier,
                  const double *weight) {
    int32_t end = ties->start[ties->count];
    for (int32_t k = 0; k < carriers; k++) {
        if (weight[k] != 0.0) {
            ties->carrier[end] = carrier[k];
            ties->weight[end++] = weight[k];
        }
    }
    ties->vertex[ties->count++] = vertex;
    ties->start[ties->count] = end;
}

void pal_ties_free(pal_ties *ties) {
    free(ties->vertex);
    free(ties->start);
    free(ties->carrier);
    free(ties->weight);
    memset(ties, 0, sizeof *ties);
}

// ---- whether they make sense

static double size_of(const pal_volmesh *mesh) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < 3 * (int64_t)mesh->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], mesh->x[i]);
        high[i % 3] = fmax(high[i % 3], mesh->x[i]);
    }
    pal_sub3(high, low, high);
    return pal_norm3(high);
}

static pal_status check_tie(const pal_ties *ties, int32_t t, const pal_volmesh *mesh, double size,
                            const uint8_t *before, pal_err *err) {
    const int32_t v = ties->vertex[t];
    double away[3] = {mesh->x[3 * (int64_t)v], mesh->x[3 * (int64_t)v + 1],
                      mesh->x[3 * (int64_t)v + 2]};
    double sum = 0.0;
    for (int32_t k = ties->start[t]; k < ties->start[t + 1]; k++) {
        const int32_t carrier = ties->carrier[k];
        if (before[carrier] == 2 || carrier == v) {
            return pal_fail(err, PAL_ERR_INPUT,
                            "vertex %d is carried by vertex %d, which is carried by a later tie", v,
                            carrier);
        }
        sum += ties->weight[k];
        for (int c = 0; c < 3; c++) {
            away[c] -= ties->weight[k] * mesh->x[3 * (int64_t)carrier + c];
        }
    }
    if (!(fabs(sum - 1.0) <= near) || !(pal_norm3(away) <= near * size)) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "vertex %d is %g m from where its carriers have it at rest (weights sum "
                        "up to %.9g)",
                        v, pal_norm3(away), sum);
    }
    return PAL_OK;
}

pal_status pal_ties_check(const pal_ties *ties, const pal_volmesh *mesh, const uint8_t *held,
                          uint8_t *is_carried, pal_err *err) {
    const double size = size_of(mesh);
    pal_status status = PAL_OK;
    for (int32_t t = 0; status == PAL_OK && t < ties->count; t++) {
        const int32_t v = ties->vertex[t];
        if (is_carried[v] != 0 || (held != NULL && held[v])) {
            return pal_fail(err, PAL_ERR_INPUT, "vertex %d is carried, and %s", v,
                            is_carried[v] != 0 ? "by another tie too" : "held");
        }
        is_carried[v] = 2; // by a tie still to come
    }
    for (int32_t t = 0; status == PAL_OK && t < ties->count; t++) {
        status = check_tie(ties, t, mesh, size, is_carried, err);
        is_carried[ties->vertex[t]] = 1;
    }
    return status;
}

// ---- what each vertex moves by

typedef struct spread { // every tie in terms of free vertices
    const pal_fem *fem;
    const pal_ties *ties;
    int32_t *tie_of; // [vertex_count], -1: none
    int32_t *first;  // [ties + 1]
    int32_t *count;  // [ties]
    int32_t *free_;  // [first[ties]]
    double *weight;
} spread;

static void add_share(spread *s, int32_t t, int32_t i, double weight) {
    int32_t k = s->first[t];
    const int32_t end = k + s->count[t];
    while (k < end && s->free_[k] != i) {
        k++;
    }
    s->count[t] += k == end;
    s->free_[k] = i;
    s->weight[k] += weight;
}

static void spread_tie(spread *s, int32_t t) {
    for (int32_t k = s->ties->start[t]; k < s->ties->start[t + 1]; k++) {
        const int32_t v = s->ties->carrier[k], other = s->tie_of[v];
        const double weight = s->ties->weight[k];
        if (s->fem->free_index[v] >= 0) {
            add_share(s, t, s->fem->free_index[v], weight);
        }
        for (int32_t n = 0; other >= 0 && n < s->count[other]; n++) {
            const int32_t at = s->first[other] + n;
            add_share(s, t, s->free_[at], weight * s->weight[at]);
        }
    }
}

// At most so many shares has each.
static pal_status measure(spread *s, pal_err *err) {
    const pal_ties *ties = s->ties;
    s->tie_of = PAL_NEW(int32_t, s->fem->mesh->vertex_count, err);
    s->first = PAL_NEW(int32_t, (size_t)ties->count + 1, err);
    s->count = PAL_NEW(int32_t, ties->count, err);
    if (!s->tie_of || !s->first || !s->count) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t v = 0; v < s->fem->mesh->vertex_count; v++) {
        s->tie_of[v] = -1;
    }
    for (int32_t t = 0; t < ties->count; t++) {
        int64_t most = 0;
        for (int32_t k = ties->start[t]; k < ties->start[t + 1]; k++) {
            const int32_t other = s->tie_of[ties->carrier[k]];
            most += other < 0 ? 1 : s->first[other + 1] - s->first[other];
        }
        if (most > INT32_MAX - s->first[t]) {
            return pal_fail(err, PAL_ERR_UNSUPPORTED, "the ties hang on each other too deeply");
        }
        s->tie_of[ties->vertex[t]] = t;
        s->first[t + 1] = s->first[t] + (int32_t)most;
    }
    s->free_ = PAL_NEW(int32_t, s->first[ties->count], err);
    s->weight = PAL_NEW(double, s->first[ties->count], err);
    return s->free_ && s->weight ? PAL_OK : PAL_ERR_MEMORY;
}

static pal_status list_by_vertex(pal_fem *fem, const spread *s, pal_err *err) {
    const int32_t n = fem->mesh->vertex_count;
    pal_carried *to = &fem->carried;
    to->start = PAL_NEW(int32_t, (size_t)n + 1, err);
    to->free_index = PAL_NEW(int32_t, fem->free_count + s->first[s->ties->count], err);
    to->weight = PAL_NEW(double, fem->free_count + s->first[s->ties->count], err);
    to->element = PAL_NEW(uint8_t, fem->mesh->element_count, err);
    if (!to->start || !to->free_index || !to->weight || !to->element) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t v = 0; v < n; v++) {
        const int32_t t = s->tie_of[v];
        int32_t end = to->start[v];
        if (fem->free_index[v] >= 0) {
            to->free_index[end] = fem->free_index[v];
            to->weight[end++] = 1.0;
        }
        for (int32_t k = 0; t >= 0 && k < s->count[t]; k++) {
            to->free_index[end] = s->free_[s->first[t] + k];
            to->weight[end++] = s->weight[s->first[t] + k];
        }
        to->start[v + 1] = end;
    }
    for (int64_t k = 0; k < (int64_t)fem->mesh->element_count * (int)fem->mesh->kind; k++) {
        to->element[k / (int)fem->mesh->kind] |= s->tie_of[fem->mesh->element[k]] >= 0;
    }
    return PAL_OK;
}

pal_status pal_fem_take_ties(pal_fem *fem, const pal_ties *ties, pal_err *err) {
    spread s = {.fem = fem, .ties = ties};
    pal_status status = measure(&s, err);
    for (int32_t t = 0; status == PAL_OK && t < ties->count; t++) {
        spread_tie(&s, t);
    }
    if (status == PAL_OK) {
        status = list_by_vertex(fem, &s, err);
    }
    free(s.tie_of);
    free(s.first);
    free(s.count);
    free(s.free_);
    free(s.weight);
    return status;
}
