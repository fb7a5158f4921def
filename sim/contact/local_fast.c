// G by patches and a coarse space, at a cost that grows with the mesh and hardly faster.
//
// [Q, U]: coarse functions (local_coarse.c) and the basis; C = Q (Q^T K Q)^-1 Q^T + U (U^T K U)^-1
// U^T; M = the inverse of K inside a patch whose boundary is held (zero outside). Coarse, patch,
// coarse:
//
//     G ~ C' + (I - C K) M (I - K C),      C' = C - U (U^T K U)^-1 U^T
//
// is symmetric, positive semidefinite, never more compliant than G, and blind to the basis as G is
// (G K U = 0), whatever the patch: the modes' share is taken out before and after the patch is
// solved, so that it is not counted twice. What the patch misses, the load's effect beyond its
// boundary, the coarse space has. In the patch, with y_t = (Q^T K Q)^-1 Q_t^T and F = [P, K U] (the
// nodes that the patch sees), X = M F, w the factors of F in K C e_t,
//
//     K C e_t = P y_t + K U ((U^T K U)^-1 (U_t^T - U^T P y_t)) = F w_t
//     G_st    = Q_s y_t + M_st - X_s w_t - w_s^T X_t^T + w_s^T F^T X w_t
//
// A patch serves all vertices of a cube of the body (its core) with their partners; a pair of two
// cores takes the mean of both.
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/contact/local_coarse.h"
#include "sim/fem/pattern.h"

enum { CORE_ROWS = 100 };          // rows to a core, about
static const double MARGIN = 0.25; // of the coarse grid's edge, beyond the partners

typedef struct patch {
    const pal_local_job *job;
    const pal_coarse *coarse;
    pal_chol *chol;
    int32_t *core; // rows of pal_local in the core
    int32_t core_count;
    int32_t *partner; // rows in the core or within the radius of it, ascending
    int32_t partner_count;
    int32_t *place;  // [free_count] number in the patch, -1 outside
    int32_t *inside; // [count] free vertices
    int32_t count;
    int32_t *local;    // [node_count] number among the patch's nodes, -1
    int32_t *node;     // [nodes]
    int32_t nodes, mq; // mq = 3 nodes + r
    pal_csr k;
    double *f, *x; // [mq][3 count] columns of F and X
    double *m;     // [3 core_count][3 count] columns of M
} patch;

static void free_patch(patch *p) {
    pal_chol_free(p->chol);
    void *array[] = {p->partner, p->inside, p->node, p->k.start, p->k.col,
                     p->k.value, p->f,      p->x,    p->m};
    for (size_t a = 0; a < sizeof array / sizeof *array; a++) {
        free(array[a]);
    }
}

// ---- What belongs to a patch --------------------------------------------------------------------

static pal_status choose_partners(patch *p, uint8_t *mark, pal_err *err) {
    const pal_local *local = p->job->local;
    p->partner = PAL_NEW(int32_t, local->row_count, err);
    if (p->partner == NULL) {
        return PAL_ERR_MEMORY;
    }
    memset(mark, 0, (size_t)local->row_count);
    for (int32_t c = 0; c < p->core_count; c++) {
        for (int32_t k = local->first[p->core[c]]; k < local->first[p->core[c] + 1]; k++) {
            mark[local->column[k]] = 1;
        }
    }
    for (int32_t a = 0; a < local->row_count; a++) {
        if (mark[a]) {
            p->partner[p->partner_count++] = a;
        }
    }
    return PAL_OK;
}

// The free vertices within the radius and the margin of the core's box.
static pal_status choose_inside(patch *p, pal_err *err) {
    const pal_fem *fem = p->job->fem;
    double low[3] = {0.0, 0.0, 0.0}, high[3] = {0.0, 0.0, 0.0};
    double reach = p->job->local->radius + MARGIN * p->coarse->edge;
    for (int32_t k = 0; k < p->core_count; k++) {
        const double *x = pal_local_place(p->job, p->core[k]);
        for (int c = 0; c < 3; c++) {
            low[c] = k == 0 ? x[c] : fmin(low[c], x[c]);
            high[c] = k == 0 ? x[c] : fmax(high[c], x[c]);
        }
    }
    p->inside = PAL_NEW(int32_t, fem->free_count, err);
    if (p->inside == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < fem->free_count; i++) {
        const double *x = fem->mesh->x + 3 * (int64_t)fem->free_vertex[i];
        double far = 0.0;
        for (int c = 0; c < 3; c++) {
            double d = fmax(0.0, fmax(low[c] - x[c], x[c] - high[c]));
            far += d * d;
        }
        p->place[i] = far <= reach * reach ? p->count : -1;
        if (p->place[i] >= 0) {
            p->inside[p->count++] = i;
        }
    }
    return PAL_OK;
}

// K of the patch.
static pal_status cut_stiffness(patch *p, pal_err *err) {
    const pal_fem *fem = p->job->fem;
    int64_t blocks = 0;
    for (int32_t a = 0; a < p->count; a++) {
        blocks += fem->block_start[p->inside[a] + 1] - fem->block_start[p->inside[a]];
    }
    p->k.n = 3 * (int64_t)p->count;
    p->k.start = PAL_NEW(int64_t, p->k.n + 1, err);
    p->k.col = PAL_NEW(int64_t, 9 * blocks, err);
    p->k.value = PAL_NEW(double, 9 * blocks, err);
    if (!p->k.start || !p->k.col || !p->k.value) {
        return PAL_ERR_MEMORY;
    }
    int64_t used = 0;
    for (int32_t a = 0; a < p->count; a++) {
        int32_t i = p->inside[a];
        for (int r = 0; r < 3; r++) {
            p->k.start[3 * (int64_t)a + r] = used;
            for (int32_t b = fem->block_start[i]; b < fem->block_start[i + 1]; b++) {
                int32_t to = p->place[fem->block_col[b]];
                for (int c = 0; to >= 0 && c < 3; c++) {
                    p->k.col[used] = 3 * (int64_t)to + c;
                    p->k.value[used++] = fem->stiffness.value[pal_fem_entry(fem, i, b, r, c)];
                }
            }
        }
    }
    p->k.start[p->k.n] = used;
    return PAL_OK;
}

// The nodes whose loads the patch sees; and room for the columns.
static pal_status choose_nodes(patch *p, pal_err *err) {
    p->node = PAL_NEW(int32_t, p->coarse->node_count, err);
    if (p->node == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t k = 0; k < p->coarse->node_count; k++) {
        p->local[k] = -1;
    }
    for (int32_t a = 0; a < p->count; a++) {
        int32_t node[8];
        double weight[8];
        pal_coarse_shape(p->coarse, p->job->fem, p->inside[a], node, weight);
        for (int k = 0; k < 8; k++) {
            if (weight[k] != 0.0 && p->local[node[k]] < 0) {
                p->local[node[k]] = p->nodes;
                p->node[p->nodes++] = node[k];
            }
        }
    }
    p->mq = 3 * p->nodes + p->job->r;
    p->f = PAL_NEW(double, p->mq * p->k.n, err);
    p->x = PAL_NEW(double, p->mq * p->k.n, err);
    p->m = PAL_NEW(double, 3 * (int64_t)p->core_count * p->k.n, err);
    return p->f && p->x && p->m ? PAL_OK : PAL_ERR_MEMORY;
}

// ---- The solves ---------------------------------------------------------------------------------

// Rows of F of one vertex.
static void fill_row(void *context, int index, int thread) {
    (void)thread;
    patch *p = context;
    int32_t i = p->inside[index], node[8];
    int64_t n = p->k.n;
    double weight[8];
    pal_coarse_shape(p->coarse, p->job->fem, i, node, weight);
    for (int k = 0; k < 24; k++) {
        if (weight[k / 3] != 0.0) {
            p->f[(3 * (int64_t)p->local[node[k / 3]] + k % 3) * n + 3 * (int64_t)index + k % 3] =
                weight[k / 3];
        }
    }
    for (int32_t l = 0; l < p->job->r; l++) {
        memcpy(p->f + (3 * (int64_t)p->nodes + l) * n + 3 * (int64_t)index,
               p->job->ku + l * p->job->n + 3 * (int64_t)i, 3 * sizeof *p->f);
    }
}

static pal_status solve_patch(patch *p, pal_err *err) {
    bool positive = false;
    p->chol = pal_chol_create(&p->k, err);
    pal_status status = p->chol ? pal_chol_factor(p->chol, &p->k, &positive, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK && !positive) {
        return pal_fail(err, PAL_ERR_NUMERIC,
                        "the stiffness at rest is not positive definite; look at the mesh with "
                        "'palpate info'");
    }
    if (status != PAL_OK) {
        return status;
    }
    pal_parallel_for(p->count, fill_row, p);
    memcpy(p->x, p->f, (size_t)(p->mq * p->k.n) * sizeof *p->x);
    for (int32_t d = 0; d < 3 * p->core_count; d++) {
        int32_t at = p->place[pal_local_free_index(p->job, p->core[d / 3])];
        p->m[d * p->k.n + 3 * (int64_t)at + d % 3] = 1.0;
    }
    status = pal_chol_solve(p->chol, p->mq, p->x, err);
    return status == PAL_OK ? pal_chol_solve(p->chol, 3 * p->core_count, p->m, err) : status;
}

// ---- Putting it together ------------------------------------------------------------------------

typedef struct product {
    double *qs, *ys; // [3 S][size] Q and y of the partners
    double *us;      // [3 S][r] U
    double *ws;      // [3 S][mq] w
    double *xs;      // [3 S][mq] X
    double *qt;      // [3 T][size] Q of the core
    double *wt;      // [3 T][mq] its w
    double *gram;    // [mq][mq] F^T X
    double *back;    // [3 T][mq] X_t, then w_t^T F^T X - X_t
    double *g;       // [3 T][3 S]
} product;

static void free_product(product *o) {
    double *array[] = {o->qs, o->ys, o->us, o->ws, o->xs, o->qt, o->wt, o->gram, o->back, o->g};
    for (size_t a = 0; a < sizeof array / sizeof *array; a++) {
        free(array[a]);
    }
}

static pal_status make_product(const patch *p, product *o, pal_err *err) {
    int64_t s = 3 * (int64_t)p->partner_count, t = 3 * (int64_t)p->core_count, m = p->mq;
    int64_t c = p->coarse->size;
    double **array[] = {&o->qs, &o->ys, &o->us,   &o->ws,   &o->xs,
                        &o->qt, &o->wt, &o->gram, &o->back, &o->g};
    int64_t size[] = {s * c, s * c, s * p->job->r, s * m, s * m, t * c, t * m, m * m, t * m, s * t};
    for (size_t a = 0; a < sizeof array / sizeof *array; a++) {
        *array[a] = PAL_NEW(double, size[a], err);
        if (*array[a] == NULL) {
            return PAL_ERR_MEMORY;
        }
    }
    return PAL_OK;
}

// What is known of partner a: Q, U, X, and M to the core.
static void fill_partner(const patch *p, int32_t a, product *o) {
    const pal_local_job *job = p->job;
    int64_t row = p->partner[a], i = pal_local_free_index(job, (int32_t)row), n = p->k.n;
    int64_t at = 3 * (int64_t)p->place[i], c = p->coarse->size, s = 3 * (int64_t)p->partner_count;
    memcpy(o->qs + 3 * a * c, p->coarse->q + 3 * row * c, 3 * (size_t)c * sizeof *o->qs);
    for (int64_t k = 0; k < 3 * (int64_t)job->r; k++) {
        o->us[3 * (int64_t)a * job->r + k] = job->u[(k % job->r) * job->n + 3 * i + k / job->r];
    }
    for (int64_t k = 0; k < 3 * (int64_t)p->mq; k++) {
        o->xs[3 * (int64_t)a * p->mq + k] = p->x[(k % p->mq) * n + at + k / p->mq];
    }
    for (int64_t d = 0; d < 3 * (int64_t)p->core_count; d++) {
        memcpy(o->g + d * s + 3 * (int64_t)a, p->m + d * n + at, 3 * sizeof *o->g);
    }
}

// y and w of the partners.
static void factors(const patch *p, product *o) {
    int s = 3 * p->partner_count, m = p->mq, c = p->coarse->size, r = p->job->r;
    int modes = 3 * p->nodes; // where U begins in w
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s, c, c, 1.0, o->qs, c,
                p->coarse->inverse, c, 0.0, o->ys, c);
    for (int64_t k = 0; k < s; k++) {
        for (int32_t j = 0; j < p->nodes; j++) {
            memcpy(o->ws + k * m + 3 * j, o->ys + k * c + 3 * (int64_t)p->node[j],
                   3 * sizeof *o->ws);
        }
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s, r, r, 1.0, o->us, r, p->coarse->kr, r,
                0.0, o->ws + modes, m);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, s, r, c, -1.0, o->ys, c, p->coarse->part,
                c, 1.0, o->ws + modes, m);
}

static void multiply(const patch *p, product *o) {
    int s = 3 * p->partner_count, t = 3 * p->core_count, m = p->mq, n = (int)p->k.n;
    int c = p->coarse->size;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, t, s, c, 1.0, o->qt, c, o->ys, c, 1.0,
                o->g, s);
    // - w_t X_s^T, and (w_t F^T X - X_t) w_s^T
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, m, n, 1.0, p->f, n, p->x, n, 0.0,
                o->gram, m);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, t, s, m, -1.0, o->wt, m, o->xs, m, 1.0,
                o->g, s);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, t, m, m, 1.0, o->wt, m, o->gram, m, -1.0,
                o->back, m);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, t, s, m, 1.0, o->back, m, o->ws, m, 1.0,
                o->g, s);
}

// The rows of the core among those of its partners.
static void take_core(const patch *p, const int32_t *column, product *o) {
    size_t c = (size_t)p->coarse->size, m = (size_t)p->mq;
    for (int32_t a = 0; a < p->core_count; a++) {
        size_t from = 3 * (size_t)column[p->core[a]], to = 3 * (size_t)a;
        memcpy(o->qt + to * c, o->qs + from * c, 3 * c * sizeof *o->qt);
        memcpy(o->wt + to * m, o->ws + from * m, 3 * m * sizeof *o->wt);
        memcpy(o->back + to * m, o->xs + from * m, 3 * m * sizeof *o->back);
    }
}

// G between the core and its partners into the table.
static pal_status combine(const patch *p, int32_t *column, pal_err *err) {
    product o = {0};
    pal_local *local = p->job->local;
    int64_t s = 3 * (int64_t)p->partner_count;
    pal_status status = make_product(p, &o, err);
    for (int32_t a = 0; status == PAL_OK && a < p->partner_count; a++) {
        column[p->partner[a]] = a;
        fill_partner(p, a, &o);
    }
    if (status == PAL_OK) {
        factors(p, &o);
        take_core(p, column, &o);
        multiply(p, &o);
    }
    for (int32_t a = 0; status == PAL_OK && a < p->core_count; a++) {
        for (int32_t k = local->first[p->core[a]]; k < local->first[p->core[a] + 1]; k++) {
            for (int e = 0; e < 9; e++) {
                local->block[9 * (int64_t)k + e] =
                    (float)o.g[(3 * (int64_t)a + e / 3) * s +
                               3 * (int64_t)column[local->column[k]] + e % 3];
            }
        }
    }
    free_product(&o);
    return status;
}

// ---- The cores ----------------------------------------------------------------------------------

typedef struct cores {
    int32_t count;
    int32_t *first; // [count + 1]
    int32_t *row;   // [row_count] sorted by core
} cores;

typedef struct keyed {
    int64_t key;
    int32_t row;
} keyed;

static int compare_keys(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->row > y->row) - (x->row < y->row);
}

// Cubes of the radius's edge, larger until they hold enough rows on average.
static pal_status make_cores(const pal_local_job *job, const pal_coarse *coarse, cores *out,
                             pal_err *err) {
    int32_t rows = job->local->row_count;
    keyed *item = PAL_NEW(keyed, rows, err);
    out->row = PAL_NEW(int32_t, rows, err);
    out->first = PAL_NEW(int32_t, rows + 1, err);
    if (!item || !out->row || !out->first) {
        free(item);
        return PAL_ERR_MEMORY;
    }
    for (double edge = job->local->radius;; edge *= 1.2) {
        for (int32_t a = 0; a < rows; a++) {
            const double *x = pal_local_place(job, a);
            item[a] = (keyed){.row = a};
            for (int c = 2; c >= 0; c--) {
                item[a].key = item[a].key * 100003 + (int64_t)((x[c] - coarse->low[c]) / edge);
            }
        }
        qsort(item, (size_t)rows, sizeof *item, compare_keys);
        out->count = 0;
        for (int32_t a = 0; a < rows; a++) {
            if (a == 0 || item[a].key != item[a - 1].key) {
                out->first[out->count++] = a;
            }
            out->row[a] = item[a].row;
        }
        out->first[out->count] = rows;
        if (out->count == 1 || rows / out->count >= CORE_ROWS) {
            break;
        }
    }
    free(item);
    return PAL_OK;
}

typedef struct scratch {
    int32_t *place, *local, *column;
    uint8_t *mark;
} scratch;

static pal_status do_core(const pal_local_job *job, const pal_coarse *coarse, const cores *all,
                          int32_t k, const scratch *w, pal_err *err) {
    patch p = {.job = job,
               .coarse = coarse,
               .core = all->row + all->first[k],
               .core_count = all->first[k + 1] - all->first[k],
               .place = w->place,
               .local = w->local};
    pal_status status = choose_partners(&p, w->mark, err);
    if (status == PAL_OK) {
        status = choose_inside(&p, err);
    }
    if (status == PAL_OK) {
        status = cut_stiffness(&p, err);
    }
    if (status == PAL_OK) {
        status = choose_nodes(&p, err);
    }
    if (status == PAL_OK) {
        status = solve_patch(&p, err);
    }
    if (status == PAL_OK) {
        status = combine(&p, w->column, err);
    }
    free_patch(&p);
    return status;
}

pal_status pal_local_fast(pal_local_job *job, pal_chol *chol, double element, pal_err *err) {
    pal_coarse coarse = {0};
    cores all = {0};
    scratch w = {.place = PAL_NEW(int32_t, job->fem->free_count, err),
                 .column = PAL_NEW(int32_t, job->local->row_count, err),
                 .mark = PAL_NEW(uint8_t, job->local->row_count, err)};
    pal_status status = w.place && w.column && w.mark ? PAL_OK : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        status = pal_local_factor(job, chol, err);
    }
    if (status == PAL_OK) {
        status = pal_coarse_make(job, chol, element, &coarse, err);
    }
    if (status == PAL_OK) {
        w.local = PAL_NEW(int32_t, coarse.node_count, err);
        status = w.local ? make_cores(job, &coarse, &all, err) : PAL_ERR_MEMORY;
    }
    for (int32_t k = 0; status == PAL_OK && k < all.count; k++) {
        status = do_core(job, &coarse, &all, k, &w, err);
        pal_progress_report(job->progress, "local compliance", (k + 1.0) / all.count);
    }
    pal_coarse_free(&coarse);
    free(all.first);
    free(all.row);
    free(w.place);
    free(w.local);
    free(w.column);
    free(w.mark);
    return status;
}
