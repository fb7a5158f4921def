// P [n][3 nodes] spreads the three forces on a node over the vertices about it. With the modes'
// share taken out of the loads, P' = P - K U (U^T K U)^-1 U^T P, the coarse functions are
//
//     Q = K^-1 P',    U^T K Q = 0,    Q^T K Q = P^T Q
//
// so that a body however slender bends in them as it really does (trilinear functions as
// displacements would lock). A load less its spread image has neither force nor moment, and its
// effect dies out within a cell or two: the patch has that.
#include "sim/contact/local_coarse.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"

enum { MOST_NODES = 300, BATCH = 48, MOST_BASIS = 1024 };
static const double FINEST = 2.0; // elements to a cell of the grid, at least
static const double RIDGE = 1e-9; // of the diagonal: where few vertices see a node

void pal_coarse_free(pal_coarse *coarse) {
    free(coarse->node);
    free(coarse->q);
    free(coarse->inverse);
    free(coarse->part);
    free(coarse->kr);
    memset(coarse, 0, sizeof *coarse);
}

static int32_t grid_index(const pal_coarse *g, int32_t i, int32_t j, int32_t k) {
    return i + (g->cells[0] + 1) * (j + (g->cells[1] + 1) * k);
}

// The cell of a vertex and its place in it, 0..1.
static void locate(const pal_coarse *g, const double *x, int32_t cell[3], double at[3]) {
    for (int c = 0; c < 3; c++) {
        double t = (x[c] - g->low[c]) / g->edge;
        int32_t i = (int32_t)t;
        cell[c] = i >= g->cells[c] ? g->cells[c] - 1 : i;
        at[c] = t - cell[c];
    }
}

// The weight of corner a at a place in its cell; 0 where it is no more than rounding.
static double corner_weight(int a, const double t[3]) {
    double weight = (a & 1 ? t[0] : 1.0 - t[0]) * (a >> 1 & 1 ? t[1] : 1.0 - t[1]) *
                    (a >> 2 ? t[2] : 1.0 - t[2]);
    return weight > 1e-6 ? weight : 0.0;
}

void pal_coarse_shape(const pal_coarse *g, const pal_fem *fem, int32_t i, int32_t node[8],
                      double weight[8]) {
    int32_t cell[3];
    double t[3];
    locate(g, fem->mesh->x + 3 * (int64_t)fem->free_vertex[i], cell, t);
    for (int a = 0; a < 8; a++) {
        node[a] =
            g->node[grid_index(g, cell[0] + (a & 1), cell[1] + (a >> 1 & 1), cell[2] + (a >> 2))];
        weight[a] = corner_weight(a, t);
    }
}

// Numbers the nodes of the cells that hold a free vertex (with a weight that counts).
static int32_t number_nodes(const pal_fem *fem, pal_coarse *g) {
    int64_t total = (int64_t)(g->cells[0] + 1) * (g->cells[1] + 1) * (g->cells[2] + 1);
    for (int64_t k = 0; k < total; k++) {
        g->node[k] = -1;
    }
    for (int32_t i = 0; i < fem->free_count; i++) {
        int32_t cell[3];
        double t[3];
        locate(g, fem->mesh->x + 3 * (int64_t)fem->free_vertex[i], cell, t);
        for (int a = 0; a < 8; a++) {
            if (corner_weight(a, t) > 0.0) {
                g->node[grid_index(g, cell[0] + (a & 1), cell[1] + (a >> 1 & 1),
                                   cell[2] + (a >> 2))] = 0;
            }
        }
    }
    int32_t count = 0;
    for (int64_t k = 0; k < total; k++) {
        g->node[k] = g->node[k] == 0 ? count++ : -1;
    }
    return count;
}

// The finest grid with few enough nodes.
static pal_status make_grid(const pal_local_job *job, double element, pal_coarse *g, pal_err *err) {
    const pal_fem *fem = job->fem;
    double high[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < fem->free_count; i++) {
        const double *x = fem->mesh->x + 3 * (int64_t)fem->free_vertex[i];
        for (int c = 0; c < 3; c++) {
            g->low[c] = i == 0 ? x[c] : fmin(g->low[c], x[c]);
            high[c] = i == 0 ? x[c] : fmax(high[c], x[c]);
        }
    }
    double longest = fmax(high[0] - g->low[0], fmax(high[1] - g->low[1], high[2] - g->low[2]));
    for (g->edge = fmax(FINEST * element, longest / 200.0);; g->edge *= 1.1) {
        for (int c = 0; c < 3; c++) {
            g->cells[c] = 1 + (int32_t)((high[c] - g->low[c]) / g->edge);
        }
        free(g->node);
        g->node = PAL_NEW(int32_t,
                          (int64_t)(g->cells[0] + 1) * (g->cells[1] + 1) * (g->cells[2] + 1), err);
        if (g->node == NULL) {
            return PAL_ERR_MEMORY;
        }
        g->node_count = number_nodes(fem, g);
        if (g->node_count <= MOST_NODES) {
            return PAL_OK;
        }
    }
}

typedef struct columns { // some columns of Q
    const pal_local_job *job;
    pal_coarse *coarse;
    int32_t first, count;
    double *x; // [count][n]
    double *s; // [size][size] P^T Q
} columns;

// One column of P', and its share of U^T P.
static void set_load(void *context, int index, int thread) {
    (void)thread;
    columns *c = context;
    const pal_local_job *job = c->job;
    pal_coarse *g = c->coarse;
    double *x = c->x + index * job->n;
    int32_t column = c->first + index, r = job->r;
    memset(x, 0, (size_t)job->n * sizeof *x);
    for (int32_t i = 0; i < job->fem->free_count; i++) {
        int32_t node[8];
        double weight[8];
        pal_coarse_shape(g, job->fem, i, node, weight);
        for (int a = 0; a < 8; a++) {
            if (weight[a] != 0.0 && node[a] == column / 3) {
                x[3 * (int64_t)i + column % 3] = weight[a];
            }
        }
    }
    double part[MOST_BASIS];
    for (int32_t l = 0; l < r; l++) {
        part[l] = cblas_ddot((int)job->n, job->u + l * job->n, 1, x, 1);
    }
    cblas_dsymv(CblasRowMajor, CblasLower, r, 1.0, g->kr, r, part, 1, 0.0, g->part + column,
                g->size);
    for (int32_t l = 0; l < r; l++) {
        cblas_daxpy((int)job->n, -g->part[l * (int64_t)g->size + column], job->ku + l * job->n, 1,
                    x, 1);
    }
}

// A solved column: its rows of Q, and its column of P^T Q.
static void keep_column(void *context, int index, int thread) {
    (void)thread;
    columns *c = context;
    const pal_local_job *job = c->job;
    pal_coarse *g = c->coarse;
    const double *x = c->x + index * job->n;
    int32_t column = c->first + index;
    for (int32_t a = 0; a < job->local->row_count; a++) {
        for (int e = 0; e < 3; e++) {
            g->q[(3 * (int64_t)a + e) * g->size + column] =
                x[3 * (int64_t)pal_local_free_index(job, a) + e];
        }
    }
    for (int32_t i = 0; i < job->fem->free_count; i++) {
        int32_t node[8];
        double weight[8];
        pal_coarse_shape(g, job->fem, i, node, weight);
        for (int k = 0; k < 24; k++) {
            if (weight[k / 3] != 0.0) {
                c->s[(3 * (int64_t)node[k / 3] + k % 3) * g->size + column] +=
                    weight[k / 3] * x[3 * (int64_t)i + k % 3];
            }
        }
    }
}

static pal_status solve_columns(const pal_local_job *job, pal_chol *chol, pal_coarse *g, double *s,
                                pal_err *err) {
    columns c = {.job = job, .coarse = g, .s = s, .x = PAL_NEW(double, BATCH * job->n, err)};
    pal_status status = c.x != NULL ? PAL_OK : PAL_ERR_MEMORY;
    for (; status == PAL_OK && c.first < g->size; c.first += BATCH) {
        c.count = g->size - c.first < BATCH ? g->size - c.first : BATCH;
        pal_parallel_for(c.count, set_load, &c);
        status = pal_chol_solve(chol, c.count, c.x, err);
        if (status == PAL_OK) {
            pal_parallel_for(c.count, keep_column, &c);
        }
    }
    free(c.x);
    return status;
}

// a [n][n], its lower triangle a Cholesky factor (or a matrix to factor first), becomes the whole
// inverse.
static bool invert(double *a, int n, bool is_factor) {
    if ((!is_factor && LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, a, n) != 0) ||
        LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', n, a, n) != 0) {
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i + 1; j < n; j++) {
            a[i * n + j] = a[j * n + i];
        }
    }
    return true;
}

pal_status pal_coarse_make(const pal_local_job *job, pal_chol *chol, double element, pal_coarse *g,
                           pal_err *err) {
    pal_status status = make_grid(job, element, g, err);
    if (status != PAL_OK) {
        return status;
    }
    int64_t m = 3 * (int64_t)g->node_count, r = job->r;
    g->size = (int32_t)m;
    g->q = PAL_NEW(double, 3 * (int64_t)job->local->row_count * m, err);
    g->inverse = PAL_NEW(double, m *m, err);
    g->part = PAL_NEW(double, r *m, err);
    g->kr = PAL_NEW(double, r *r, err);
    if (!g->q || !g->inverse || !g->part || !g->kr) {
        return PAL_ERR_MEMORY;
    }
    memcpy(g->kr, job->kr, (size_t)(r * r) * sizeof *g->kr);
    bool fine = invert(g->kr, (int)r, true);
    status = solve_columns(job, chol, g, g->inverse, err);
    for (int64_t k = 0; status == PAL_OK && k < m; k++) {
        g->inverse[k * m + k] *= 1.0 + RIDGE;
    }
    fine = status == PAL_OK && fine && invert(g->inverse, (int)m, false);
    return status == PAL_OK && !fine
               ? pal_fail(err, PAL_ERR_NUMERIC,
                          "the coarse problem of the local compliance is not positive definite; "
                          "bake it exactly (local: {way: exact}) or leave it out (local: {way: "
                          "none})")
               : status;
}
