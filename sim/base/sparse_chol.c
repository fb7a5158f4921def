#include "sim/base/sparse_chol.h"

#include <cholmod.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"

enum { SOLVE_COLUMNS = 16, MOST_SHIFTS = 12 };
static const double FLOPS_FOR_THREADS = 2e10; // below, BLAS threads wait more than they work

struct pal_chol {
    int64_t n;
    cholmod_factor *factor;
    cholmod_common main;                    // analysis and factorisation
    cholmod_common worker[PAL_MAX_THREADS]; // per solving thread: CHOLMOD's workspace is not shared
    int worker_count;                       // started so far
};

static void start_common(cholmod_common *common) {
    cholmod_l_start(common);
    common->print = 0;
    common->supernodal = CHOLMOD_SUPERNODAL;
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_GIVEN;
    common->postorder = 1;
}

// A view of the upper triangle; CHOLMOD ignores the lower one.
static cholmod_sparse view(const pal_csr *a) {
    return (cholmod_sparse){.nrow = (size_t)a->n,
                            .ncol = (size_t)a->n,
                            .nzmax = (size_t)a->start[a->n],
                            .p = a->start,
                            .i = a->col,
                            .x = a->value,
                            .stype = 1,
                            .itype = CHOLMOD_LONG,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

// The graph of 3x3 blocks of a (upper triangle, no values).
static cholmod_sparse *block_graph(const pal_csr *a, cholmod_common *common) {
    int64_t blocks = a->n / 3, count = a->start[a->n] / 9;
    cholmod_sparse *graph = cholmod_l_allocate_sparse((size_t)blocks, (size_t)blocks, (size_t)count,
                                                      1, 1, 1, CHOLMOD_PATTERN, common);
    if (graph == NULL) {
        return NULL;
    }
    SuiteSparse_long *start = graph->p, *row = graph->i, used = 0;
    for (int64_t b = 0; b < blocks; b++) {
        start[b] = used;
        for (int64_t k = a->start[3 * b]; k < a->start[3 * b + 1]; k += 3) {
            if (a->col[k] <= 3 * b) {
                row[used++] = a->col[k] / 3;
            }
        }
    }
    start[blocks] = used;
    return graph;
}

// Nested dissection of the blocks, spread to the rows.
static bool order_blocks(const pal_csr *a, SuiteSparse_long *permutation, cholmod_common *common) {
    int64_t blocks = a->n / 3;
    cholmod_sparse *graph = block_graph(a, common);
    SuiteSparse_long *block_order =
        cholmod_l_malloc((size_t)blocks, sizeof(SuiteSparse_long), common);
    bool done = graph != NULL && block_order != NULL &&
                cholmod_l_metis(graph, NULL, 0, 1, block_order, common);
    for (int64_t b = 0; done && b < blocks; b++) {
        for (int c = 0; c < 3; c++) {
            permutation[3 * b + c] = 3 * block_order[b] + c;
        }
    }
    cholmod_l_free((size_t)blocks, sizeof(SuiteSparse_long), block_order, common);
    cholmod_l_free_sparse(&graph, common);
    return done;
}

static pal_status cholmod_failure(const cholmod_common *common, pal_err *err) {
    if (common->status == CHOLMOD_OUT_OF_MEMORY || common->status == CHOLMOD_TOO_LARGE) {
        return pal_fail(err, PAL_ERR_MEMORY,
                        "out of memory in the sparse factorisation; use a coarser mesh");
    }
    return pal_fail(err, PAL_ERR_NUMERIC, "the sparse factorisation failed (CHOLMOD status %d)",
                    common->status);
}

pal_chol *pal_chol_create(const pal_csr *a, pal_err *err) {
    pal_chol *chol = PAL_NEW(pal_chol, 1, err);
    SuiteSparse_long *permutation = PAL_NEW(SuiteSparse_long, a->n, err);
    if (chol == NULL || permutation == NULL) {
        free(permutation);
        free(chol);
        return NULL;
    }
    chol->n = a->n;
    start_common(&chol->main);
    cholmod_sparse matrix = view(a);
    if (order_blocks(a, permutation, &chol->main)) {
        chol->factor = cholmod_l_analyze_p(&matrix, permutation, NULL, 0, &chol->main);
    }
    free(permutation);
    if (chol->factor == NULL) {
        cholmod_failure(&chol->main, err);
        pal_chol_free(chol);
        return NULL;
    }
    return chol;
}

void pal_chol_free(pal_chol *chol) {
    if (chol == NULL) {
        return;
    }
    cholmod_l_free_factor(&chol->factor, &chol->main);
    for (int t = 0; t < chol->worker_count; t++) {
        cholmod_l_finish(&chol->worker[t]);
    }
    cholmod_l_finish(&chol->main);
    free(chol);
}

double pal_chol_entries(const pal_chol *chol) {
    return chol->main.lnz;
}

pal_status pal_chol_factor(pal_chol *chol, const pal_csr *a, bool *positive, pal_err *err) {
    cholmod_sparse matrix = view(a);
    *positive = false;
    pal_blas_share(chol->main.fl >= FLOPS_FOR_THREADS);
    bool ran = cholmod_l_factorize(&matrix, chol->factor, &chol->main);
    pal_blas_share(false);
    if (!ran) {
        return cholmod_failure(&chol->main, err);
    }
    if (chol->main.status == CHOLMOD_NOT_POSDEF) {
        return PAL_OK;
    }
    if (chol->main.status < CHOLMOD_OK) {
        return cholmod_failure(&chol->main, err);
    }
    *positive = true;
    return PAL_OK;
}

// Adds a shift to the diagonal; returns the mean of what was there.
static double shift_diagonal(pal_csr *a, double shift) {
    double sum = 0.0;
    for (int64_t r = 0; r < a->n; r++) {
        for (int64_t k = a->start[r]; k < a->start[r + 1]; k++) {
            sum += a->col[k] == r ? fabs(a->value[k]) : 0.0;
            a->value[k] += a->col[k] == r ? shift : 0.0;
        }
    }
    return sum / (double)a->n;
}

pal_status pal_chol_factor_shifted(pal_chol *chol, pal_csr *a, bool *positive, pal_err *err) {
    pal_status status = pal_chol_factor(chol, a, positive, err);
    double shift = 0.0;
    for (int attempt = 1; status == PAL_OK && !*positive && attempt < MOST_SHIFTS; attempt++) {
        const double more = shift > 0.0 ? 3.0 * shift : 1e-4 * shift_diagonal(a, 0.0);
        shift_diagonal(a, more);
        shift += more;
        status = pal_chol_factor(chol, a, positive, err);
    }
    return status;
}

typedef struct solve_job {
    pal_chol *chol;
    int count;
    double *b;
    atomic_bool failed;
} solve_job;

// Solves one group of columns.
static void solve_columns(void *context, int index, int thread) {
    solve_job *job = context;
    int64_t n = job->chol->n;
    int first = index * SOLVE_COLUMNS;
    int columns = job->count - first < SOLVE_COLUMNS ? job->count - first : SOLVE_COLUMNS;
    double *b = job->b + (int64_t)first * n;
    cholmod_common *common = &job->chol->worker[thread];
    cholmod_dense right = {.nrow = (size_t)n,
                           .ncol = (size_t)columns,
                           .nzmax = (size_t)(n * columns),
                           .d = (size_t)n,
                           .x = b,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    cholmod_dense *solution = cholmod_l_solve(CHOLMOD_A, job->chol->factor, &right, common);
    if (solution == NULL) {
        atomic_store(&job->failed, true);
        return;
    }
    memcpy(b, solution->x, (size_t)(n * columns) * sizeof *b);
    cholmod_l_free_dense(&solution, common);
}

pal_status pal_chol_solve(pal_chol *chol, int count, double *b, pal_err *err) {
    solve_job job = {.chol = chol, .count = count, .b = b};
    for (; chol->worker_count < pal_thread_count(); chol->worker_count++) {
        start_common(&chol->worker[chol->worker_count]);
    }
    pal_parallel_for((count + SOLVE_COLUMNS - 1) / SOLVE_COLUMNS, solve_columns, &job);
    if (atomic_load(&job.failed)) {
        return pal_fail(err, PAL_ERR_MEMORY, "out of memory while solving with a sparse factor");
    }
    return PAL_OK;
}
