// G from whole columns of K^-1, three a vertex, many at a time; of the elastic flexibility where
// the body is not held.
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/basis/flexibility.h"
#include "sim/contact/local_parts.h"

enum { BATCH_BYTES = 64 << 20, LEAST_BATCH = 16, MOST_BATCH = 256 };

typedef struct batch {
    pal_local_job *job;
    int32_t first, count; // rows
    double *x;            // [3 count][n]
    pal_flexibility flexibility;
} batch;

// The three unit loads of a vertex, less their rigid inertia.
static void set_load(void *context, int index, int thread) {
    (void)thread;
    batch *b = context;
    int64_t n = b->job->n;
    for (int c = 0; c < 3; c++) {
        double *x = b->x + (3 * (int64_t)index + c) * n;
        memset(x, 0, (size_t)n * sizeof *x);
        x[3 * (int64_t)pal_local_free_index(b->job, b->first + index) + c] = 1.0;
        pal_flexibility_balance(&b->flexibility, x);
    }
}

// The blocks of one row: (K^-1)_ba = (K^-1)_ab^T less the modes' share.
static void keep_row(void *context, int index, int thread) {
    (void)thread;
    batch *b = context;
    const pal_local_job *job = b->job;
    pal_local *local = job->local;
    int32_t row = b->first + index, r = job->r;
    double *x = b->x + 3 * (int64_t)index * job->n;
    for (int c = 0; c < 3; c++) {
        pal_flexibility_clean(&b->flexibility, x + c * job->n);
    }
    const double *vb = job->v + 3 * (int64_t)row * r;
    for (int64_t k = local->first[row]; k < local->first[row + 1]; k++) {
        int32_t a = local->column[k];
        int64_t at = 3 * (int64_t)pal_local_free_index(job, a);
        const double *va = job->v + 3 * (int64_t)a * r;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double modes = 0.0; // U_b (U^T K U)^-1 U_a^T
                for (int32_t l = 0; l < r; l++) {
                    modes += vb[i * r + l] * va[j * r + l];
                }
                local->block[9 * k + 3 * i + j] = (float)(x[i * job->n + at + j] - modes);
            }
        }
    }
}

pal_status pal_local_exact(pal_local_job *job, pal_chol *chol, pal_err *err) {
    int32_t rows = job->local->row_count;
    int64_t fit = BATCH_BYTES / (24 * job->n);
    int32_t size = (int32_t)(fit < LEAST_BATCH ? LEAST_BATCH : fit > MOST_BATCH ? MOST_BATCH : fit);
    batch b = {.job = job, .x = PAL_NEW(double, 3 * (int64_t)size * job->n, err)};
    pal_status status =
        b.x != NULL ? pal_flexibility_factor(job->fem, chol, &b.flexibility, err) : PAL_ERR_MEMORY;
    for (; status == PAL_OK && b.first < rows; b.first += size) {
        b.count = rows - b.first < size ? rows - b.first : size;
        pal_parallel_for(b.count, set_load, &b);
        status = pal_chol_solve(chol, 3 * b.count, b.x, err);
        if (status == PAL_OK) {
            pal_parallel_for(b.count, keep_row, &b);
        }
        pal_progress_report(job->progress, "local compliance",
                            (double)(b.first + b.count) / (double)rows);
    }
    free(b.x);
    pal_flexibility_free(&b.flexibility);
    return status;
}
