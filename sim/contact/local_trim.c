// The tables of several bodies under one cap: those that need much are cut to one size, those that
// need less keep what they have.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/contact/local_build.h"

static int compare_doubles(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

double pal_local_allowance(const double *need, int32_t count, double most, pal_err *err) {
    double *sorted = PAL_NEW(double, count, err);
    if (sorted == NULL) {
        return -1.0;
    }
    memcpy(sorted, need, (size_t)count * sizeof *need);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
    // What the smallest do not need is for the others, in equal shares
    double left = most, allowance = INFINITY;
    for (int32_t k = 0; k < count && isinf(allowance); k++) {
        const double share = left / (count - k);
        if (sorted[k] > share) {
            allowance = share;
        }
        left -= sorted[k];
    }
    free(sorted);
    return allowance;
}

static bool is_within(const pal_local *local, const double *x, int32_t row, int32_t k,
                      double radius) {
    double d[3];
    pal_sub3(x + 3 * (int64_t)local->vertex[local->column[k]], x + 3 * (int64_t)local->vertex[row],
             d);
    return pal_dot3(d, d) <= radius * radius; // as where the pairs were found
}

static int64_t count_within(const pal_local *local, const double *x, double radius) {
    int64_t count = 0;
    for (int32_t a = 0; a < local->row_count; a++) {
        for (int32_t k = local->first[a]; k < local->first[a + 1]; k++) {
            count += is_within(local, x, a, k, radius);
        }
    }
    return count;
}

pal_status pal_local_trim(pal_local *local, const double *x, double bytes, pal_err *err) {
    const double fixed = pal_local_bytes(local) - 40.0 * local->block_count;
    const double most =
        fmax((bytes - fixed) / 40.0, local->row_count); // a vertex with itself stays
    double radius = local->radius;
    int64_t count = local->block_count;
    while ((double)count > most) {
        radius *= fmin(0.97, sqrt(most / (double)count)); // pairs go with its square
        count = count_within(local, x, radius);
    }
    if (count == local->block_count) {
        return PAL_OK;
    }
    pal_local cut = {0};
    pal_status status =
        pal_local_alloc(&cut, local->vertex_count, local->row_count, (int32_t)count, err);
    if (status != PAL_OK) {
        return status;
    }
    cut.way = local->way;
    cut.radius = radius;
    memcpy(cut.vertex, local->vertex, (size_t)local->row_count * sizeof *cut.vertex);
    int32_t at = 0;
    for (int32_t a = 0; a < local->row_count; a++) {
        for (int32_t k = local->first[a]; k < local->first[a + 1]; k++) {
            if (is_within(local, x, a, k, radius)) {
                memcpy(cut.block + 9 * (int64_t)at, local->block + 9 * (int64_t)k,
                       9 * sizeof *cut.block);
                cut.column[at++] = local->column[k];
            }
        }
        cut.first[a + 1] = at;
    }
    pal_local_index(&cut);
    pal_local_free(local);
    *local = cut;
    return PAL_OK;
}
