// Q = [P, U]. With S = P^T K P - (P^T K U) Kr^-1 (U^T K P), Kr = U^T K U, Y = S^-1 (P^T K U) Kr^-1,
//
//     (Q^T K Q)^-1 = [ S^-1  -Y ; -Y^T  Kr^-1 + Kr^-1 (U^T K P) Y ]
//
// and the part of it beyond the basis is the same without Kr^-1.
#include "sim/contact/local_coarse.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/fem/pattern.h"

enum { MOST_NODES = 300 };
static const double FINEST = 2.0; // elements to a cell of the grid, at least
static const double RIDGE = 1e-9; // of the diagonal: where few vertices see a node

void pal_coarse_free(pal_coarse *coarse) {
    free(coarse->node);
    free(coarse->inverse);
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

void pal_coarse_stiffness_row(const pal_coarse *g, const pal_fem *fem, int32_t i,
                              pal_coarse_row *row) {
    row->count = 0;
    for (int32_t b = fem->block_start[i]; b < fem->block_start[i + 1]; b++) {
        int32_t node[8];
        double weight[8];
        pal_coarse_shape(g, fem, fem->block_col[b], node, weight);
        for (int a = 0; a < 8; a++) {
            int32_t k = 0;
            while (k < row->count && row->node[k] != node[a]) {
                k++;
            }
            if (k == row->count) {
                if (weight[a] == 0.0 || k == PAL_COARSE_NEAR) {
                    continue;
                }
                row->node[row->count++] = node[a];
                memset(row->block[k], 0, sizeof row->block[k]);
            }
            for (int e = 0; e < 9; e++) {
                row->block[k][e] +=
                    weight[a] * fem->stiffness.value[pal_fem_entry(fem, i, b, e / 3, e % 3)];
            }
        }
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

// s [m][m] += P^T K P and t [m][r] += P^T K U, m = 3 nodes.
static void project(const pal_local_job *job, const pal_coarse *g, double *s, double *t) {
    const pal_fem *fem = job->fem;
    int64_t m = 3 * (int64_t)g->node_count;
    pal_coarse_row row;
    for (int32_t i = 0; i < fem->free_count; i++) {
        int32_t node[8];
        double weight[8];
        pal_coarse_shape(g, fem, i, node, weight);
        pal_coarse_stiffness_row(g, fem, i, &row);
        for (int a = 0; a < 8; a++) {
            for (int32_t k = 0; k < row.count && weight[a] != 0.0; k++) {
                double *to = s + 3 * node[a] * m + 3 * row.node[k];
                for (int e = 0; e < 9; e++) {
                    to[(e / 3) * m + e % 3] += weight[a] * row.block[k][e];
                }
            }
            for (int c = 0; c < 3 && weight[a] != 0.0; c++) {
                for (int32_t l = 0; l < job->r; l++) {
                    t[(3 * (int64_t)node[a] + c) * job->r + l] +=
                        weight[a] * job->ku[l * job->n + 3 * (int64_t)i + c];
                }
            }
        }
    }
}

// From S (lower triangle) and T = P^T K U to the inverse beyond the basis.
static pal_status invert(const pal_local_job *job, pal_coarse *g, double *s, double *t, double *y,
                         pal_err *err) {
    int m = 3 * g->node_count, r = job->r;
    double *half = y; // T L^-T, then S^-1 T Kr^-1
    memcpy(half, t, (size_t)m * (size_t)r * sizeof *t);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, r, 1.0, job->kr,
                r, half, r);
    for (int64_t k = 0; k < m; k++) {
        s[k * m + k] += RIDGE * s[k * m + k];
    }
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, m, r, -1.0, half, r, 1.0, s, m);
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', m, s, m) != 0 ||
        LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', m, s, m) != 0) {
        return pal_fail(err, PAL_ERR_NUMERIC,
                        "the coarse problem of the local compliance is not positive definite; bake "
                        "it exactly (local: {way: exact}) or leave it out (local: {way: none})");
    }
    // T <- T Kr^-1, Y = S^-1 T
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, m, r, 1.0,
                job->kr, r, half, r);
    memcpy(t, half, (size_t)m * (size_t)r * sizeof *t);
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, m, r, 1.0, s, m, t, r, 0.0, y, r);
    for (int64_t i = 0; i < g->size; i++) {
        for (int64_t j = 0; j < g->size; j++) {
            g->inverse[i * g->size + j] = i < m && j < m ? (j <= i ? s[i * m + j] : s[j * m + i])
                                          : i < m        ? -y[i * r + j - m]
                                          : j < m        ? -y[j * r + i - m]
                                                         : 0.0;
        }
    }
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, r, r, m, 1.0, t, r, y, r, 0.0,
                g->inverse + m * (int64_t)g->size + m, g->size);
    return PAL_OK;
}

pal_status pal_coarse_make(const pal_local_job *job, double element, pal_coarse *g, pal_err *err) {
    pal_status status = make_grid(job, element, g, err);
    if (status != PAL_OK) {
        return status;
    }
    int64_t m = 3 * (int64_t)g->node_count, r = job->r;
    g->r = job->r;
    g->size = (int32_t)(m + r);
    double *s = PAL_NEW(double, m *m, err), *t = PAL_NEW(double, m *r, err);
    double *y = PAL_NEW(double, m *r, err);
    g->inverse = PAL_NEW(double, (m + r) * (m + r), err);
    g->kr = PAL_NEW(double, r *r, err);
    status = s && t && y && g->inverse && g->kr ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        project(job, g, s, t);
        status = invert(job, g, s, t, y, err);
    }
    if (status == PAL_OK) { // Kr^-1 whole
        memcpy(g->kr, job->kr, (size_t)(r * r) * sizeof *g->kr);
        LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', (int)r, g->kr, (int)r);
        for (int64_t i = 0; i < r * r; i++) {
            g->kr[i] = i % r <= i / r ? g->kr[i] : g->kr[(i % r) * r + i / r];
        }
    }
    free(s);
    free(t);
    free(y);
    return status;
}
