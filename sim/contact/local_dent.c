// The dent that the forces of a tick leave in the surface: u = R G F^T f, summed over the tools.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/contact/local.h"

// The rows of a 3x3 block, each in three of four lanes; what is in the fourth does not matter.
typedef float vec4 __attribute__((vector_size(16)));

static inline vec4 load4(const float *x) { // aligned or not
    vec4 v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline void load_block(const float *block, vec4 row[3]) {
    row[0] = load4(block);
    row[1] = load4(block + 3);
    const vec4 last = load4(block + 5); // not past the end
    row[2] = __builtin_shufflevector(last, last, 1, 2, 3, 3);
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

void pal_dent_begin(pal_dent *dent) {
    int32_t *list = dent->last_touched;
    dent->last_touched = dent->touched;
    dent->last_count = dent->touched_count;
    dent->touched = list;
    dent->touched_count = 0;
    dent->most = 0.0;
    for (int32_t k = 0; k < dent->last_count; k++) {
        const int64_t v = dent->last_touched[k];
        memcpy(dent->last + 3 * v, dent->u + 3 * v, 3 * sizeof *dent->u);
        memset(dent->u + 3 * v, 0, 3 * sizeof *dent->u);
        dent->marked[v] = 0;
    }
}

static double change_of(const pal_dent *dent, int64_t vertex) {
    double by[3];
    pal_sub3(dent->u + 3 * vertex, dent->last + 3 * vertex, by);
    return pal_dot3(by, by);
}

void pal_dent_end(pal_dent *dent) {
    double most = 0.0, change = 0.0;
    for (int32_t k = 0; k < dent->touched_count; k++) {
        const double *u = dent->u + 3 * (int64_t)dent->touched[k];
        most = larger(most, pal_dot3(u, u));
        change = larger(change, change_of(dent, dent->touched[k]));
    }
    for (int32_t k = 0; k < dent->last_count; k++) {
        const int64_t v = dent->last_touched[k];
        if (!dent->marked[v]) {
            change = larger(change, change_of(dent, v));
        }
        memset(dent->last + 3 * v, 0, 3 * sizeof *dent->last);
    }
    dent->last_count = 0;
    dent->most = sqrt(most);
    dent->travel += sqrt(change);
}

static void empty_list(pal_dent *dent) {
    for (int32_t k = 0; k < dent->listed_count; k++) {
        dent->summed[dent->listed[k]] = 0;
    }
    for (int32_t k = 0; k < dent->source_count; k++) {
        dent->is_source[dent->source[k]] = 0;
    }
    dent->listed_count = dent->source_count = 0;
}

void pal_dent_clear(pal_dent *dent) {
    pal_dent_begin(dent);
    pal_dent_end(dent);
    empty_list(dent);
}

void pal_dent_add(pal_dent *dent, int32_t vertex, const double u[3]) {
    for (int c = 0; c < 3; c++) {
        dent->u[3 * (int64_t)vertex + c] += u[c];
    }
    if (!dent->marked[vertex]) {
        dent->marked[vertex] = 1;
        dent->touched[dent->touched_count++] = vertex;
    }
}

// f = R^T (sum of the shares of a vertex in the forces)
static void vertex_force(const pal_local_rows *rows, int32_t v, double (*turn)[3],
                         const double *force, double f[3]) {
    double world[3] = {0.0, 0.0, 0.0};
    for (int32_t u = rows->user_first[v]; u < rows->user_first[v + 1]; u++) {
        for (int c = 0; c < 3; c++) {
            world[c] += (double)rows->user_share[u] * force[3 * rows->user[u] + c];
        }
    }
    for (int c = 0; c < 3; c++) {
        f[c] = turn[0][c] * world[0] + turn[1][c] * world[1] + turn[2][c] * world[2];
    }
}

// The rows near those that carry a force are mostly those of the last tick. They stay listed until
// twice as many as carry one now have been listed for.
static void keep_list(int32_t loaded, pal_dent *dent) {
    enum { SPARE = 16 };
    if (dent->source_count > 2 * loaded + SPARE) {
        empty_list(dent);
    }
}

// Lists what is near row b, itself included.
static void list_near(const pal_local *local, int32_t b, pal_dent *dent) {
    if (dent->is_source[b]) {
        return;
    }
    dent->is_source[b] = 1;
    dent->source[dent->source_count++] = b;
    for (int64_t k = local->first[b]; k < local->first[b + 1]; k++) {
        const int32_t a = local->column[k];
        dent->listed[dent->listed_count] = a;
        dent->listed_count += !dent->summed[a];
        dent->summed[a] = 1;
    }
}

// sum += G_ab f at every row a near b; G_ab f = f^T G_ba. The fourth lane does not matter.
static void spread(const pal_local *local, int32_t b, const double f[3], pal_dent *dent) {
    const float f0 = (float)f[0], f1 = (float)f[1], f2 = (float)f[2];
    const int32_t *restrict column = local->column + local->first[b];
    const float *restrict block = local->block + 9 * (int64_t)local->first[b];
    float(*restrict sum)[4] = dent->sum;
    const int32_t count = local->first[b + 1] - local->first[b];
    for (int32_t k = 0; k < count; k++) {
        vec4 row[3], at = load4(sum[column[k]]);
        load_block(block + 9 * (int64_t)k, row);
        at += f0 * row[0] + f1 * row[1] + f2 * row[2];
        memcpy(sum[column[k]], &at, sizeof at);
    }
}

// u += R sum, and the sums are ready for the next tool.
static void turn_sums(const pal_local *local, double (*turn)[3], pal_dent *dent) {
    int32_t touched = dent->touched_count;
    for (int32_t k = 0; k < dent->listed_count; k++) {
        float *sum = dent->sum[dent->listed[k]];
        const int32_t v = local->vertex[dent->listed[k]];
        const double d[3] = {(double)sum[0], (double)sum[1], (double)sum[2]};
        double *u = dent->u + 3 * (int64_t)v;
        for (int c = 0; c < 3; c++) {
            u[c] += turn[c][0] * d[0] + turn[c][1] * d[1] + turn[c][2] * d[2];
        }
        dent->touched[touched] = v;
        touched += !dent->marked[v];
        dent->marked[v] = 1;
        memset(sum, 0, sizeof *dent->sum);
    }
    dent->touched_count = touched;
}

void pal_local_dent(const pal_local *local, const pal_local_rows *rows, double scale,
                    double turn[3][3], const double *force, pal_dent *dent) {
    int32_t loaded = 0, vertex[PAL_LOCAL_VERTICES];
    double f[PAL_LOCAL_VERTICES][3];
    for (int32_t v = 0; v < rows->vertex_count; v++) {
        vertex_force(rows, v, turn, force, f[loaded]);
        vertex[loaded] = v;
        loaded += f[loaded][0] != 0.0 || f[loaded][1] != 0.0 || f[loaded][2] != 0.0;
    }
    keep_list(loaded, dent);
    for (int32_t k = 0; k < loaded; k++) {
        for (int c = 0; c < 3; c++) {
            f[k][c] *= scale;
        }
        list_near(local, rows->row[vertex[k]], dent);
        spread(local, rows->row[vertex[k]], f[k], dent);
    }
    turn_sums(local, turn, dent);
}
