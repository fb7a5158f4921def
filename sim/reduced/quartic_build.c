// Everything is one symmetric product. A row of the matrix A is a basis vector's e1_i or a pair's
// e2_ij, a column a strain component at a quadrature point, weighted by the square root of the
// point's volume. In place of the six components: the trace (for lambda) and five of an orthonormal
// basis of deviatoric tensors,
//
//     A:B = dev A : dev B + trA trB / 3,     so  <A,B> = lambda T + 2 mu (D + T / 3),
//
// and T = A_t A_t^T and D = A_d A_d^T cost six columns a point together. A is filled for a block of
// points, vectorised over the points, and added by one SYRK each.
#include "sim/reduced/quartic_build.h"

#include <cblas.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/fem/element.h"

enum {
    BLOCK_POINTS = 64, // quadrature points in one SYRK
    PARTS = 16,        // partial sums over the elements, added in order
    DEVIATORIC = 5,
};

typedef struct build {
    const pal_volmesh *mesh;
    const double *basis; // [3n][r]
    int32_t r;
    int32_t rows;     // r + m: e1 of each vector, then e2 of each pair (packed order)
    int32_t *element; // [element_count] of this region
    int32_t element_count;
    double *trace;      // [PARTS][rows][rows], lower triangles
    double *deviatoric; // the same
    atomic_bool out_of_memory;
} build;

typedef struct block { // of points, filled before a SYRK
    int32_t points;
    double *g;   // [r][9][BLOCK_POINTS] gradients
    double *a_t; // [rows][BLOCK_POINTS]
    double *a_d; // [rows][DEVIATORIC * BLOCK_POINTS]
    double root[BLOCK_POINTS];
} block;

// Gradients of all basis vectors at point p of an element, into column `at` of the block.
static void put_gradients(const build *job, const int32_t *vertex, const pal_quadrature *q, int p,
                          block *b, int at) {
    int32_t r = job->r;
    double sum[64];
    b->root[at] = sqrt(q->weight[p]);
    for (int rc = 0; rc < 9; rc++) {
        for (int32_t i0 = 0; i0 < r; i0 += 64) {
            int32_t some = r - i0 < 64 ? r - i0 : 64;
            memset(sum, 0, sizeof sum);
            for (int a = 0; a < q->nodes; a++) {
                const double *u = job->basis + (3 * (int64_t)vertex[a] + rc / 3) * r + i0;
                double grad = q->grad[p][a][rc % 3];
                for (int32_t i = 0; i < some; i++) {
                    sum[i] += u[i] * grad;
                }
            }
            for (int32_t i = 0; i < some; i++) {
                b->g[((i0 + i) * 9 + rc) * BLOCK_POINTS + at] = sum[i];
            }
        }
    }
}

// One row of A from the strain components xx yy zz and the doubled shears 2xy 2yz 2xz.
static inline void put_strain(double root, double xx, double yy, double zz, double xy2, double yz2,
                              double xz2, double *restrict t, double *restrict d, int p) {
    const double half_root = 0.70710678118654752440, sixth_root = 0.40824829046386301637;
    t[p] = root * (xx + yy + zz);
    d[p] = root * half_root * (xx - yy);
    d[p + BLOCK_POINTS] = root * sixth_root * (xx + yy - 2.0 * zz);
    d[p + 2 * BLOCK_POINTS] = root * half_root * xy2; // sqrt(2) xy
    d[p + 3 * BLOCK_POINTS] = root * half_root * yz2;
    d[p + 4 * BLOCK_POINTS] = root * half_root * xz2;
}

// e1_i = sym(G_i)
static void put_linear(const double *restrict g, const double *restrict root, double *restrict t,
                       double *restrict d) {
    enum { N = BLOCK_POINTS };
    for (int p = 0; p < N; p++) {
        put_strain(root[p], g[p], g[4 * N + p], g[8 * N + p], g[N + p] + g[3 * N + p],
                   g[5 * N + p] + g[7 * N + p], g[2 * N + p] + g[6 * N + p], t, d, p);
    }
}

// e2_ij = sym(G_i^T G_j): component (r, c) is half the sum of G_i[.,r].G_j[.,c] and
// G_i[.,c].G_j[.,r].
static void put_pair(const double *restrict g, const double *restrict h,
                     const double *restrict root, double *restrict t, double *restrict d) {
    enum { N = BLOCK_POINTS };
    for (int p = 0; p < N; p++) {
        double xx = 0.0, yy = 0.0, zz = 0.0, xy2 = 0.0, yz2 = 0.0, xz2 = 0.0;
        for (int m = 0; m < 9; m += 3) {
            double gx = g[m * N + p], gy = g[(m + 1) * N + p], gz = g[(m + 2) * N + p];
            double hx = h[m * N + p], hy = h[(m + 1) * N + p], hz = h[(m + 2) * N + p];
            xx += gx * hx;
            yy += gy * hy;
            zz += gz * hz;
            xy2 += gx * hy + gy * hx;
            yz2 += gy * hz + gz * hy;
            xz2 += gx * hz + gz * hx;
        }
        put_strain(root[p], xx, yy, zz, xy2, yz2, xz2, t, d, p);
    }
}

// Fills A for the block and adds both products to the part's sums.
static void flush(const build *job, block *b, int part) {
    if (b->points == 0) {
        return;
    }
    for (int p = b->points; p < BLOCK_POINTS; p++) {
        b->root[p] = 0.0; // unused columns weigh nothing
    }
    const int wide = DEVIATORIC * BLOCK_POINTS;
    int32_t r = job->r, row = r;
    for (int32_t j = 0; j < r; j++) {
        const double *gj = b->g + (int64_t)j * 9 * BLOCK_POINTS;
        put_linear(gj, b->root, b->a_t + (int64_t)j * BLOCK_POINTS, b->a_d + (int64_t)j * wide);
        for (int32_t i = 0; i <= j; i++, row++) {
            put_pair(b->g + (int64_t)i * 9 * BLOCK_POINTS, gj, b->root,
                     b->a_t + (int64_t)row * BLOCK_POINTS, b->a_d + (int64_t)row * wide);
        }
    }
    int64_t at = (int64_t)part * job->rows * job->rows;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, job->rows, BLOCK_POINTS, 1.0, b->a_t,
                BLOCK_POINTS, 1.0, job->trace + at, job->rows);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, job->rows, wide, 1.0, b->a_d, wide, 1.0,
                job->deviatoric + at, job->rows);
    b->points = 0;
}

static void add_element(const build *job, int32_t e, block *b, int part) {
    const int32_t *vertex = pal_volmesh_element(job->mesh, e);
    pal_quadrature q;
    if (!pal_quadrature_of_element(&q, job->mesh, e, PAL_GAUSS_EXACT)) {
        return; // never: the mesh has been tidied and its mass assembled
    }
    for (int p = 0; p < q.points; p++) {
        put_gradients(job, vertex, &q, p, b, b->points++);
        if (b->points == BLOCK_POINTS) {
            flush(job, b, part);
        }
    }
}

static void run_part(void *context, int part, int thread) {
    (void)thread;
    build *job = context;
    size_t rows = (size_t)job->rows;
    block b = {0};
    b.g = PAL_NEW(double, (size_t)job->r * 9 * BLOCK_POINTS, NULL);
    b.a_t = PAL_NEW(double, rows *BLOCK_POINTS, NULL);
    b.a_d = PAL_NEW(double, rows *DEVIATORIC *BLOCK_POINTS, NULL);
    if (b.g && b.a_t && b.a_d) {
        int64_t first = (int64_t)job->element_count * part / PARTS;
        int64_t end = (int64_t)job->element_count * (part + 1) / PARTS;
        for (int64_t k = first; k < end; k++) {
            add_element(job, job->element[k], &b, part);
        }
        flush(job, &b, part);
    } else {
        atomic_store(&job->out_of_memory, true);
    }
    free(b.g);
    free(b.a_t);
    free(b.a_d);
}

// trace <- lambda table of inner products, deviatoric <- mu table, summed over the parts.
static void sum_parts(build *job) {
    int64_t size = (int64_t)job->rows * job->rows;
    for (int part = 1; part < PARTS; part++) {
        for (int64_t k = 0; k < size; k++) {
            job->trace[k] += job->trace[part * size + k];
            job->deviatoric[k] += job->deviatoric[part * size + k];
        }
    }
    for (int64_t k = 0; k < size; k++) {
        job->deviatoric[k] = 2.0 * (job->deviatoric[k] + job->trace[k] / 3.0);
    }
}

// Entry of the product matrix for e1_i (i < r) or e2_ij (r + pair).
static double product(const double *matrix, int64_t rows, int64_t a, int64_t b) {
    return a >= b ? matrix[a * rows + b] : matrix[b * rows + a];
}

// P, Q, S from the matrix of inner products.
static void symmetrise(const double *matrix, int32_t r, int64_t rows, pal_quartic *out) {
    for (int64_t l = 0; l < r; l++) {
        for (int64_t k = 0; k <= l; k++) {
            out->p[pal_pair_at(k, l)] = product(matrix, rows, l, k);
            for (int64_t j = 0; j <= k; j++) {
                out->q[pal_triple_at(j, k, l)] = product(matrix, rows, j, r + pal_pair_at(k, l)) +
                                                 product(matrix, rows, k, r + pal_pair_at(j, l)) +
                                                 product(matrix, rows, l, r + pal_pair_at(j, k));
                for (int64_t i = 0; i <= j; i++) {
                    out->s[pal_quadruple_at(i, j, k, l)] =
                        product(matrix, rows, r + pal_pair_at(i, j), r + pal_pair_at(k, l)) +
                        product(matrix, rows, r + pal_pair_at(i, k), r + pal_pair_at(j, l)) +
                        product(matrix, rows, r + pal_pair_at(i, l), r + pal_pair_at(j, k));
                }
            }
        }
    }
}

static pal_status prepare(build *job, int32_t region, pal_err *err) {
    size_t square = (size_t)job->rows * (size_t)job->rows;
    job->element = PAL_NEW(int32_t, job->mesh->element_count, err);
    job->trace = PAL_NEW(double, PARTS *square, err);
    job->deviatoric = PAL_NEW(double, PARTS *square, err);
    if (!job->element || !job->trace || !job->deviatoric) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t e = 0; e < job->mesh->element_count; e++) {
        if (job->mesh->region[e] == region) {
            job->element[job->element_count++] = e;
        }
    }
    return PAL_OK;
}

pal_status pal_quartic_build(const pal_volmesh *mesh, int32_t region, const double *basis,
                             int32_t r, const pal_progress *progress, pal_quartic *per_lambda,
                             pal_quartic *per_mu, pal_err *err) {
    build job = {.mesh = mesh, .basis = basis, .r = r, .rows = r + (int32_t)pal_pairs(r)};
    pal_status status = prepare(&job, region, err);
    if (status == PAL_OK) {
        pal_progress_report(progress, "quartic", (double)region / mesh->region_count);
        pal_parallel_for(PARTS, run_part, &job);
        if (atomic_load(&job.out_of_memory)) {
            status =
                pal_fail(err, PAL_ERR_MEMORY, "out of memory for the quartic of %d vectors", r);
        }
    }
    if (status == PAL_OK) {
        sum_parts(&job);
        symmetrise(job.trace, r, job.rows, per_lambda);
        symmetrise(job.deviatoric, r, job.rows, per_mu);
        pal_progress_report(progress, "quartic", (double)(region + 1) / mesh->region_count);
    }
    free(job.element);
    free(job.trace);
    free(job.deviatoric);
    return status;
}

pal_status pal_quartic_alloc(pal_quartic *quartic, int32_t r, pal_err *err) {
    *quartic = (pal_quartic){.r = r};
    quartic->p = PAL_NEW(double, pal_pairs(r), err);
    quartic->q = PAL_NEW(double, pal_triples(r), err);
    quartic->s = PAL_NEW(double, pal_quadruples(r), err);
    if (!quartic->p || !quartic->q || !quartic->s) {
        pal_quartic_free(quartic);
        return PAL_ERR_MEMORY;
    }
    return PAL_OK;
}

void pal_quartic_free(pal_quartic *quartic) {
    free(quartic->p);
    free(quartic->q);
    free(quartic->s);
    *quartic = (pal_quartic){0};
}
