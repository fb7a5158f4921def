// The vertices are sorted into cubes of the radius's edge, so that the partners of each are in the
// 27 cubes about it.
#include "sim/contact/local_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"

enum { MOST_CELLS = 64 }; // along one axis

typedef struct cells {
    double low[3], edge;
    int32_t n[3];
    int32_t *first; // [cells + 1]
    int32_t *item;  // [count] places, ascending in each cell
} cells;

static void cell_of(const cells *c, const double *x, int32_t p[3]) {
    for (int k = 0; k < 3; k++) {
        int32_t at = (int32_t)((x[k] - c->low[k]) / c->edge);
        p[k] = at < 0 ? 0 : at >= c->n[k] ? c->n[k] - 1 : at;
    }
}

static int32_t cell_index(const cells *c, const int32_t p[3]) {
    return p[0] + c->n[0] * (p[1] + c->n[1] * p[2]);
}

static void free_cells(cells *c) {
    free(c->first);
    free(c->item);
}

static pal_status make_cells(const double *x, const int32_t *vertex, int32_t count, double radius,
                             cells *c, pal_err *err) {
    double high[3] = {0.0, 0.0, 0.0};
    for (int32_t a = 0; a < count; a++) {
        for (int k = 0; k < 3; k++) {
            double at = x[3 * (int64_t)vertex[a] + k];
            c->low[k] = a == 0 ? at : fmin(c->low[k], at);
            high[k] = a == 0 ? at : fmax(high[k], at);
        }
    }
    c->edge = radius;
    for (int k = 0; k < 3; k++) {
        c->edge = fmax(c->edge, (high[k] - c->low[k]) / MOST_CELLS);
    }
    for (int k = 0; k < 3; k++) {
        c->n[k] = 1 + (int32_t)((high[k] - c->low[k]) / c->edge);
    }
    int32_t total = c->n[0] * c->n[1] * c->n[2];
    c->first = PAL_NEW(int32_t, total + 1, err);
    c->item = PAL_NEW(int32_t, count, err);
    int32_t *next = PAL_NEW(int32_t, total, err);
    if (!c->first || !c->item || !next) {
        free(next);
        free_cells(c);
        return PAL_ERR_MEMORY;
    }
    int32_t p[3];
    for (int32_t a = 0; a < count; a++) {
        cell_of(c, x + 3 * (int64_t)vertex[a], p);
        c->first[cell_index(c, p) + 1]++;
    }
    for (int32_t k = 0; k < total; k++) {
        c->first[k + 1] += c->first[k];
        next[k] = c->first[k];
    }
    for (int32_t a = 0; a < count; a++) {
        cell_of(c, x + 3 * (int64_t)vertex[a], p);
        c->item[next[cell_index(c, p)]++] = a;
    }
    free(next);
    return PAL_OK;
}

// The partners of vertex a into out (NULL: only counted).
static int64_t partners(const cells *c, const double *x, const int32_t *vertex, int32_t a,
                        double radius, int32_t *out) {
    const double *here = x + 3 * (int64_t)vertex[a];
    int32_t p[3], q[3];
    int64_t found = 0;
    cell_of(c, here, p);
    for (q[2] = p[2] - 1; q[2] <= p[2] + 1; q[2]++) {
        for (q[1] = p[1] - 1; q[1] <= p[1] + 1; q[1]++) {
            for (q[0] = p[0] - 1; q[0] <= p[0] + 1; q[0]++) {
                if (q[0] < 0 || q[1] < 0 || q[2] < 0 || q[0] >= c->n[0] || q[1] >= c->n[1] ||
                    q[2] >= c->n[2]) {
                    continue;
                }
                int32_t cell = cell_index(c, q);
                for (int32_t k = c->first[cell]; k < c->first[cell + 1]; k++) {
                    double d[3];
                    pal_sub3(x + 3 * (int64_t)vertex[c->item[k]], here, d);
                    if (pal_dot3(d, d) <= radius * radius) {
                        if (out != NULL) {
                            out[found] = c->item[k];
                        }
                        found++;
                    }
                }
            }
        }
    }
    return found;
}

static int compare(const void *a, const void *b) {
    return (*(const int32_t *)a > *(const int32_t *)b) -
           (*(const int32_t *)a < *(const int32_t *)b);
}

// Counts the pairs into found->first; true when they are few enough.
static pal_status count_pairs(const double *x, int32_t count, double radius, int32_t most, cells *c,
                              pal_local_pairs *found, bool *fits, pal_err *err) {
    pal_status status = make_cells(x, found->vertex, count, radius, c, err);
    if (status != PAL_OK) {
        return status;
    }
    int64_t total = 0;
    for (int32_t a = 0; a < count; a++) {
        total += partners(c, x, found->vertex, a, radius, NULL);
        found->first[a + 1] = (int32_t)(total < INT32_MAX ? total : INT32_MAX);
    }
    *fits = total <= most || total == count;
    return PAL_OK;
}

pal_status pal_local_find_pairs(const pal_volmesh *mesh, const uint8_t *wanted, int32_t count,
                                double *radius, int32_t most, pal_local_pairs *found,
                                pal_err *err) {
    found->vertex = PAL_NEW(int32_t, count, err);
    found->first = PAL_NEW(int32_t, count + (int64_t)1, err);
    if (!found->vertex || !found->first) {
        return PAL_ERR_MEMORY;
    }
    int32_t at = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        if (wanted[v]) {
            found->vertex[at++] = v;
        }
    }
    cells c = {0};
    bool fits = false;
    pal_status status = count_pairs(mesh->x, count, *radius, most, &c, found, &fits, err);
    while (status == PAL_OK && !fits) {
        // surface vertices: pairs go with the square of the radius
        *radius *= fmin(0.97, sqrt((double)most / (double)found->first[count]));
        free_cells(&c);
        status = count_pairs(mesh->x, count, *radius, most, &c, found, &fits, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    found->column = PAL_NEW(int32_t, found->first[count], err);
    for (int32_t a = 0; found->column != NULL && a < count; a++) {
        int32_t *row = found->column + found->first[a];
        partners(&c, mesh->x, found->vertex, a, *radius, row);
        qsort(row, (size_t)(found->first[a + 1] - found->first[a]), sizeof *row, compare);
    }
    free_cells(&c);
    return found->column != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

void pal_local_pairs_free(pal_local_pairs *found) {
    free(found->vertex);
    free(found->first);
    free(found->column);
    memset(found, 0, sizeof *found);
}
