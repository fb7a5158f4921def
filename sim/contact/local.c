// W_res = H G F^T in two stages: T_i = F_i G for each touch i on the vertices of all touches, by
// whole rows of G; then the blocks W_ji = (T_i H_j^T)^T, turned. With v vertices, n touches and s
// shares each that is 9 s n (v + n) multiply-adds.
//
// Symbols: F [n][v] shares of the forces, H [n][v] of the points, G_ab 3x3 blocks, R the turn.
#include "sim/contact/local.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// ---- Gather -------------------------------------------------------------------------------------

enum { SLOTS = 8192 }; // of the hash table, more than the shares

typedef struct sum { // one vertex of the touches
    int32_t row, place;
    double weight;
} sum;

typedef struct gathering {
    int16_t slot[SLOTS]; // 1 + index of a sum, 0: empty
    sum sum[2 * PAL_LOCAL_SHARES];
    int32_t count;
} gathering;

static int32_t find_sum(gathering *g, int32_t row) {
    uint32_t at = ((uint32_t)row * 2654435761u) % SLOTS;
    while (g->slot[at] != 0 && g->sum[g->slot[at] - 1].row != row) {
        at = (at + 1) % SLOTS;
    }
    if (g->slot[at] == 0) {
        g->sum[g->count] = (sum){.row = row};
        g->slot[at] = (int16_t)++g->count;
    }
    return g->slot[at] - 1;
}

// Adds to the share in a vertex; until they are placed, vertices are indices into g->sum.
static void take_share(const pal_local *local, int32_t vertex, double weight, gathering *g,
                       pal_local_share *share) {
    const int32_t row = local->row[vertex];
    int32_t k = 0;
    if (row < 0 || weight == 0.0) {
        return;
    }
    const int32_t s = find_sum(g, row);
    while (k < share->count && share->vertex[k] != s) {
        k++;
    }
    if (k == share->count) {
        share->vertex[k] = s;
        share->weight[k] = 0.0;
        share->count++;
    }
    share->weight[k] += weight;
    g->sum[s].weight += fabs(weight);
}

// What carries the point of a touch: barycentric times embedded.
static void take_point(const pal_local *local, const pal_body *body, const pal_touch *touch,
                       gathering *g, pal_local_share *share) {
    const pal_embedding *e = body->embedding;
    const int32_t *corner = body->triangle + 3 * (int64_t)touch->triangle;
    share->count = 0;
    for (int p = 0; p < 3; p++) {
        int64_t at = (int64_t)corner[p] * e->nodes;
        for (int32_t a = 0; a < e->nodes; a++) {
            if (fabs(e->weight[at + a]) >= PAL_EMBED_LEAST) {
                take_share(local, e->vertex[at + a], touch->weight[p] * e->weight[at + a], g,
                           share);
            }
        }
    }
}

// What its footprint covers.
static void take_footprint(const pal_local *local, const pal_footprint *footprint, int64_t cell,
                           gathering *g, pal_local_share *share) {
    const int64_t first = cell * PAL_FOOTPRINT_VERTICES;
    share->count = 0;
    for (int32_t k = 0; k < footprint->count[cell]; k++) {
        take_share(local, footprint->vertex[first + k], (double)footprint->weight[first + k], g,
                   share);
    }
}

// Puts the sum with index `at` where it belongs in a heap of indices, the smallest weight on top.
static void sift(const gathering *g, int16_t *heap, int32_t count, int32_t at) {
    for (;;) {
        int32_t child = 2 * at + 1;
        if (child >= count) {
            return;
        }
        if (child + 1 < count && g->sum[heap[child + 1]].weight < g->sum[heap[child]].weight) {
            child++;
        }
        if (g->sum[heap[at]].weight <= g->sum[heap[child]].weight) {
            return;
        }
        int16_t swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

// Marks with place -1 the vertices that there is no room for: those of the smallest weight.
static void drop_smallest(gathering *g) {
    int16_t heap[2 * PAL_LOCAL_SHARES];
    int32_t count = g->count;
    for (int32_t s = 0; s < count; s++) {
        heap[s] = (int16_t)s;
    }
    for (int32_t at = count / 2 - 1; at >= 0; at--) {
        sift(g, heap, count, at);
    }
    while (count > PAL_LOCAL_VERTICES) {
        g->sum[heap[0]].place = -1;
        heap[0] = heap[--count];
        sift(g, heap, count, 0);
    }
}

// Lists the kept vertices in the order of their rows, and gives each its place.
static void order_rows(gathering *g, pal_local_rows *rows) {
    int16_t order[PAL_LOCAL_VERTICES];
    int32_t count = 0;
    for (int32_t s = 0; s < g->count; s++) {
        if (g->sum[s].place < 0) {
            continue;
        }
        int32_t at = count++; // by insertion: few, and nearly in order
        for (; at > 0 && g->sum[order[at - 1]].row > g->sum[s].row; at--) {
            order[at] = order[at - 1];
        }
        order[at] = (int16_t)s;
    }
    rows->vertex_count = count;
    for (int32_t v = 0; v < count; v++) {
        rows->row[v] = g->sum[order[v]].row;
        g->sum[order[v]].place = v;
    }
}

// From indices of sums to places in `row`.
static void place_share(const gathering *g, pal_local_share *share) {
    int32_t kept = 0;
    for (int32_t k = 0; k < share->count; k++) {
        const int32_t place = g->sum[share->vertex[k]].place;
        if (place >= 0) {
            share->vertex[kept] = place;
            share->weight[kept++] = share->weight[k];
        }
    }
    share->count = kept;
}

// The lists by vertex.
static void list_users(pal_local_rows *rows) {
    int32_t next[PAL_LOCAL_VERTICES];
    memset(rows->user_first, 0, sizeof rows->user_first);
    for (int32_t j = 0; j < rows->touch_count; j++) {
        for (int32_t k = 0; k < rows->spread[j].count; k++) {
            rows->user_first[rows->spread[j].vertex[k] + 1]++;
        }
    }
    for (int32_t v = 0; v < rows->vertex_count; v++) {
        rows->user_first[v + 1] += rows->user_first[v];
    }
    memcpy(next, rows->user_first, sizeof next);
    for (int32_t j = 0; j < rows->touch_count; j++) {
        for (int32_t k = 0; k < rows->spread[j].count; k++) {
            const int32_t at = next[rows->spread[j].vertex[k]]++;
            rows->user[at] = j;
            rows->user_share[at] = (float)rows->spread[j].weight[k];
        }
    }
}

pal_outcome pal_local_gather(const pal_local *local, const pal_body *body,
                             const pal_footprint *footprint, const pal_touch_set *set,
                             pal_local_rows *rows) {
    gathering g;
    memset(g.slot, 0, sizeof g.slot);
    g.count = 0;
    rows->touch_count = local->row_count > 0 && body->embedding != NULL ? set->count : 0;
    for (int32_t j = 0; j < rows->touch_count; j++) {
        const pal_touch *touch = &set->item[j];
        take_point(local, body, touch, &g, &rows->point[j]);
        if (footprint != NULL && touch->spread) {
            take_footprint(local, footprint, footprint->shell->first[set->level] + touch->id, &g,
                           &rows->spread[j]);
        } else {
            rows->spread[j] = rows->point[j];
        }
    }
    pal_outcome outcome = 0;
    if (g.count > PAL_LOCAL_VERTICES) {
        drop_smallest(&g);
        outcome = PAL_OUT_BUDGET;
    }
    order_rows(&g, rows);
    for (int32_t j = 0; j < rows->touch_count; j++) {
        place_share(&g, &rows->point[j]);
        place_share(&g, &rows->spread[j]);
    }
    list_users(rows);
    return outcome;
}

// ---- The compliance -----------------------------------------------------------------------------

// The blocks of row rows->row[b] at the gathered vertices, zero where there is none: both lists
// ascend, so one pass finds them.
static void fetch_row(const pal_local *local, const pal_local_rows *rows, int32_t b,
                      float *restrict out) {
    const int32_t *column = local->column;
    int32_t k = local->first[rows->row[b]], end = local->first[rows->row[b] + 1];
    for (int32_t a = 0; a < rows->vertex_count; a++, out += 9) {
        int32_t wanted = rows->row[a];
        while (k < end && column[k] < wanted) {
            k++;
        }
        if (k < end && column[k] == wanted) {
            memcpy(out, local->block + 9 * (int64_t)k, 9 * sizeof *out);
        } else {
            memset(out, 0, 9 * sizeof *out);
        }
    }
}

static void add_scaled(int32_t count, float share, const float *restrict from, float *restrict to) {
    for (int32_t k = 0; k < count; k++) {
        to[k] += share * from[k];
    }
}

// out = scale R m R^T
static void turn_block(double scale, double (*turn)[3], const float *m, double (*out)[3]) {
    double half[3][3]; // R m
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            half[r][c] =
                scale * (turn[r][0] * m[c] + turn[r][1] * m[3 + c] + turn[r][2] * m[6 + c]);
        }
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out[r][c] = half[r][0] * turn[c][0] + half[r][1] * turn[c][1] + half[r][2] * turn[c][2];
        }
    }
}

// W_ij = T_i E_j^T and its mirror.
static void add_block(const pal_local_rows *rows, int32_t i, int32_t j, double scale,
                      double (*turn)[3], double *w, int32_t ld) {
    const pal_local_share *point = &rows->point[j];
    float m[9] = {0.0f};
    for (int32_t k = 0; k < point->count; k++) {
        const float *t = rows->work[i] + 9 * point->vertex[k];
        const float share = (float)point->weight[k];
        for (int c = 0; c < 9; c++) {
            m[c] += share * t[c];
        }
    }
    double block[3][3];
    turn_block(scale, turn, m, block);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            w[(int64_t)(3 * j + c) * ld + 3 * i + r] += block[r][c];
        }
    }
}

void pal_local_add(const pal_local *local, pal_local_rows *rows, double scale, double turn[3][3],
                   double *w, int32_t ld) {
    int32_t width = 9 * rows->vertex_count;
    float row[9 * PAL_LOCAL_VERTICES];
    if (width == 0) {
        return;
    }
    for (int32_t j = 0; j < rows->touch_count; j++) {
        memset(rows->work[j], 0, (size_t)width * sizeof *row);
    }
    // T_i = F_i G: whole rows of G, each weighted by the touches that share its vertex
    for (int32_t b = 0; b < rows->vertex_count; b++) {
        fetch_row(local, rows, b, row);
        for (int32_t u = rows->user_first[b]; u < rows->user_first[b + 1]; u++) {
            add_scaled(width, rows->user_share[u], row, rows->work[rows->user[u]]);
        }
    }
    for (int32_t i = 0; i < rows->touch_count; i++) {
        for (int32_t j = 0; j < rows->touch_count; j++) {
            add_block(rows, i, j, scale, turn, w, ld);
        }
    }
}

// ---- The dent -----------------------------------------------------------------------------------

void pal_dent_clear(pal_dent *dent) {
    for (int32_t k = 0; k < dent->touched_count; k++) {
        int32_t v = dent->touched[k];
        memset(dent->u + 3 * (int64_t)v, 0, 3 * sizeof *dent->u);
        dent->marked[v] = 0;
    }
    dent->touched_count = 0;
    dent->most = 0.0;
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

// u += R G_ab f at every vertex a near b; G_ab f = f^T G_ba.
static void spread(const pal_local *local, int32_t b, const double f[3], double (*turn)[3],
                   pal_dent *dent) {
    for (int64_t k = local->first[b]; k < local->first[b + 1]; k++) {
        int32_t v = local->vertex[local->column[k]];
        const float *g = local->block + 9 * k;
        double *u = dent->u + 3 * (int64_t)v, d[3];
        if (!dent->marked[v]) {
            dent->marked[v] = 1;
            dent->touched[dent->touched_count++] = v;
        }
        for (int c = 0; c < 3; c++) {
            d[c] = f[0] * (double)g[c] + f[1] * (double)g[3 + c] + f[2] * (double)g[6 + c];
        }
        for (int c = 0; c < 3; c++) {
            u[c] += turn[c][0] * d[0] + turn[c][1] * d[1] + turn[c][2] * d[2];
        }
    }
}

void pal_local_dent(const pal_local *local, const pal_local_rows *rows, double scale,
                    double turn[3][3], const double *force, pal_dent *dent) {
    for (int32_t v = 0; v < rows->vertex_count; v++) {
        double f[3];
        vertex_force(rows, v, turn, force, f);
        if (f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0) {
            for (int c = 0; c < 3; c++) {
                f[c] *= scale;
            }
            spread(local, rows->row[v], f, turn, dent);
        }
    }
    double most = 0.0;
    for (int32_t k = 0; k < dent->touched_count; k++) {
        const double *u = dent->u + 3 * (int64_t)dent->touched[k];
        most = fmax(most, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    dent->most = sqrt(most);
}
