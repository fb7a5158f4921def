// (H:a_i) a_j for all pairs i <= j. At a quadrature point, with G_i the gradient of a_i, the second
// variation of the first Piola stress F S is
//
//     P_ij = C:sym(G_i^T G_j) + G_j (C:sym G_i) + G_i (C:sym G_j)
//
// with C:E = lambda tr(E) I + 2 mu E, and the force on node a is sum over points of w P_ij grad_a.
// Pairs are the vector dimension: for one j all i <= j lie side by side. Threads take different j
// and never share an output.
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/packed.h"
#include "sim/base/parallel.h"
#include "sim/basis/modal_deriv.h"
#include "sim/fem/assemble.h"

enum { ORDER = 2, PARTS = 4 }; // Gauss points per axis exact for cubic terms; parts of the pairs

typedef struct products {
    const pal_fem *fem;
    const double *a; // [k][rows]
    int32_t k;
    double *out; // [pairs][dofs]
    atomic_bool out_of_memory;
} products;

typedef struct workspace {  // of one task: the pairs of j in first_j .. end_j - 1
    int32_t first_j, end_j; //
    int32_t pairs;          // how many
    double *modes;          // [nodes][3][k] the modes at the element's vertices
    double *g;              // [9][k] gradients, row-major 3x3
    double *s;              // [6][k] C:sym G: xx yy zz xy yz xz
    double *p;              // [9][pairs] P_ij
    double *f;              // [3 nodes][pairs]
    double *sum;            // [dofs][pairs]
} workspace;

// Gradients and linear stresses of all modes at a point.
static void point_gradients(const pal_quadrature *q, int point, double lambda, double mu, int k,
                            workspace *w) {
    memset(w->g, 0, (size_t)(9 * k) * sizeof *w->g);
    for (int a = 0; a < q->nodes; a++) {
        for (int rc = 0; rc < 9; rc++) {
            const double grad = q->grad[point][a][rc % 3];
            const double *restrict u = w->modes + (3 * a + rc / 3) * k;
            double *restrict g = w->g + rc * k;
            for (int i = 0; i < k; i++) {
                g[i] += u[i] * grad;
            }
        }
    }
    const double *g = w->g;
    double *restrict s = w->s;
    for (int i = 0; i < k; i++) {
        double trace = lambda * (g[i] + g[4 * k + i] + g[8 * k + i]);
        s[i] = trace + 2.0 * mu * g[i];
        s[k + i] = trace + 2.0 * mu * g[4 * k + i];
        s[2 * k + i] = trace + 2.0 * mu * g[8 * k + i];
        s[3 * k + i] = mu * (g[k + i] + g[3 * k + i]);
        s[4 * k + i] = mu * (g[5 * k + i] + g[7 * k + i]);
        s[5 * k + i] = mu * (g[2 * k + i] + g[6 * k + i]);
    }
}

// Entry (r, c) of a symmetric matrix kept as xx yy zz xy yz xz.
static const int packed[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};

// P_ij for one j and i = 0..j into p [9][stride].
static void pair_stresses(const workspace *w, int k, int j, double lambda, double mu,
                          double *restrict p, int stride) {
    const double *restrict g = w->g, *restrict s = w->s;
    double gj[9], sj[6];
    for (int c = 0; c < 9; c++) {
        gj[c] = g[c * k + j];
    }
    for (int c = 0; c < 6; c++) {
        sj[c] = s[c * k + j];
    }
    for (int i = 0; i <= j; i++) {
        double trace = 0.0;
        for (int c = 0; c < 9; c++) {
            trace += g[c * k + i] * gj[c];
        }
        p[0 * stride + i] = p[4 * stride + i] = p[8 * stride + i] = lambda * trace;
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            double *restrict out = p + (3 * r + c) * stride;
            const double *gr0 = g + r * k, *gr1 = g + (3 + r) * k, *gr2 = g + (6 + r) * k;
            const double *gc0 = g + c * k, *gc1 = g + (3 + c) * k, *gc2 = g + (6 + c) * k;
            const double *row0 = g + 3 * r * k, *row1 = row0 + k, *row2 = row1 + k;
            const double *s0 = s + packed[0][c] * k, *s1 = s + packed[1][c] * k,
                         *s2 = s + packed[2][c] * k;
            const double keep = r == c ? 1.0 : 0.0;
            for (int i = 0; i <= j; i++) {
                // 2 mu sym(G_i^T G_j)
                double strain = gr0[i] * gj[c] + gr1[i] * gj[3 + c] + gr2[i] * gj[6 + c] +
                                gc0[i] * gj[r] + gc1[i] * gj[3 + r] + gc2[i] * gj[6 + r];
                // G_j S_i + G_i S_j
                double turned = gj[3 * r] * s0[i] + gj[3 * r + 1] * s1[i] + gj[3 * r + 2] * s2[i] +
                                row0[i] * sj[packed[0][c]] + row1[i] * sj[packed[1][c]] +
                                row2[i] * sj[packed[2][c]];
                out[i] = (keep != 0.0 ? out[i] : 0.0) + mu * strain + turned;
            }
        }
    }
}

// f_a += w P grad_a for all pairs of the task.
static void add_forces(const pal_quadrature *q, int point, workspace *w) {
    int pairs = w->pairs;
    for (int a = 0; a < q->nodes; a++) {
        const double *grad = q->grad[point][a];
        double g0 = q->weight[point] * grad[0], g1 = q->weight[point] * grad[1],
               g2 = q->weight[point] * grad[2];
        for (int r = 0; r < 3; r++) {
            const double *restrict p = w->p + 3 * r * pairs;
            double *restrict f = w->f + (3 * a + r) * pairs;
            for (int n = 0; n < pairs; n++) {
                f[n] += p[n] * g0 + p[pairs + n] * g1 + p[2 * pairs + n] * g2;
            }
        }
    }
}

static void gather_modes(const products *job, const int32_t *vertex, int nodes, workspace *w) {
    int64_t rows = 3 * (int64_t)job->fem->mesh->vertex_count;
    for (int a = 0; a < nodes; a++) {
        for (int c = 0; c < 3; c++) {
            for (int32_t i = 0; i < job->k; i++) {
                w->modes[(3 * a + c) * job->k + i] = job->a[i * rows + 3 * (int64_t)vertex[a] + c];
            }
        }
    }
}

static void scatter(const pal_fem *fem, const int32_t *vertex, int nodes, workspace *w) {
    for (int a = 0; a < nodes; a++) {
        const pal_carriers by = pal_fem_carriers(fem, vertex[a]);
        for (int k = 0; k < 3 * by.count; k++) {
            const double *restrict f = w->f + (3 * a + k % 3) * w->pairs;
            double *restrict sum = w->sum + (3 * (int64_t)by.free_index[k / 3] + k % 3) * w->pairs;
            for (int n = 0; n < w->pairs; n++) {
                sum[n] += by.weight[k / 3] * f[n];
            }
        }
    }
}

static void add_element(const products *job, int32_t e, workspace *w) {
    const pal_volmesh *mesh = job->fem->mesh;
    const int32_t *vertex = pal_volmesh_element(mesh, e);
    const pal_material *material = &job->fem->material[mesh->region[e]];
    double lambda = pal_material_lambda(material), mu = pal_material_mu(material);
    int nodes = (int)mesh->kind;
    pal_quadrature q;
    pal_fem_quadrature(mesh, e, ORDER, &q,
                       NULL); // the mass has been assembled: it is not inside out
    gather_modes(job, vertex, nodes, w);
    memset(w->f, 0, (size_t)(3 * nodes * w->pairs) * sizeof *w->f);
    for (int point = 0; point < q.points; point++) {
        point_gradients(&q, point, lambda, mu, job->k, w);
        int64_t done = 0;
        for (int32_t j = w->first_j; j < w->end_j; j++) {
            pair_stresses(w, job->k, j, lambda, mu, w->p + done, w->pairs);
            done += j + 1;
        }
        add_forces(&q, point, w);
    }
    scatter(job->fem, vertex, nodes, w);
}

// out [pairs][dofs] is the transpose of sum [dofs][pairs].
static void hand_over(const products *job, const workspace *w) {
    int64_t dofs = pal_fem_dofs(job->fem);
    double *out = job->out + pal_pairs(w->first_j) * dofs;
    enum { TILE = 32 };
    for (int64_t d0 = 0; d0 < dofs; d0 += TILE) {
        for (int32_t n = 0; n < w->pairs; n++) {
            for (int64_t d = d0; d < d0 + TILE && d < dofs; d++) {
                out[n * dofs + d] = w->sum[d * w->pairs + n];
            }
        }
    }
}

// Where part `part` of the pairs begins: parts have about the same number of pairs.
static int32_t part_start(int32_t k, int part) {
    return (int32_t)lround(k * sqrt((double)part / PARTS));
}

static void run_part(void *context, int part, int thread) {
    (void)thread;
    products *job = context;
    workspace w = {.first_j = part_start(job->k, part), .end_j = part_start(job->k, part + 1)};
    w.pairs = (int32_t)(pal_pairs(w.end_j) - pal_pairs(w.first_j));
    size_t k = (size_t)job->k, pairs = (size_t)w.pairs, nodes = (size_t)job->fem->mesh->kind;
    if (pairs == 0) {
        return;
    }
    w.modes = PAL_NEW(double, 3 * nodes * k, NULL);
    w.g = PAL_NEW(double, 9 * k, NULL);
    w.s = PAL_NEW(double, 6 * k, NULL);
    w.p = PAL_NEW(double, 9 * pairs, NULL);
    w.f = PAL_NEW(double, 3 * nodes * pairs, NULL);
    w.sum = PAL_NEW(double, (size_t)pal_fem_dofs(job->fem) * pairs, NULL);
    if (w.modes && w.g && w.s && w.p && w.f && w.sum) {
        for (int32_t e = 0; e < job->fem->mesh->element_count; e++) {
            add_element(job, e, &w);
        }
        hand_over(job, &w);
    } else {
        atomic_store(&job->out_of_memory, true);
    }
    free(w.modes);
    free(w.g);
    free(w.s);
    free(w.p);
    free(w.f);
    free(w.sum);
}

pal_status pal_hessian_products(const pal_fem *fem, const double *a, int32_t k, double *out,
                                pal_err *err) {
    products job = {.fem = fem, .a = a, .k = k, .out = out};
    pal_parallel_for(PARTS, run_part, &job);
    return atomic_load(&job.out_of_memory)
               ? pal_fail(err, PAL_ERR_MEMORY,
                          "out of memory for the modal derivatives of %d modes", k)
               : PAL_OK;
}
