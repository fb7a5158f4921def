// W_res = H G F^T in two stages: T_i = F_i G for each touch i on the vertices of all touches, by
// whole rows of G; then the blocks W_ji = (T_i H_j^T)^T, turned. With v vertices, n touches and s
// shares each that is 9 s n (v + n) multiply-adds.
//
// Symbols: F [n][v] shares of the forces, H [n][v] of the points, G_ab 3x3 blocks, R the turn.
#include "sim/contact/local.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/contact/lanes.h"

// ---- Gather -------------------------------------------------------------------------------------

enum { SLOTS = 8192 }; // of the hash table, more than the shares

typedef struct vertex_sum { // one vertex of the touches
    int32_t row, place;
    double weight;
} vertex_sum;

typedef struct gathering {
    int16_t slot[SLOTS]; // 1 + index of a sum, 0: empty
    vertex_sum sum[2 * PAL_LOCAL_SHARES];
    int32_t count;
} gathering;

static int32_t find_sum(gathering *g, int32_t row) {
    uint32_t at = ((uint32_t)row * 2654435761u) % SLOTS;
    while (g->slot[at] != 0 && g->sum[g->slot[at] - 1].row != row) {
        at = (at + 1) % SLOTS;
    }
    if (g->slot[at] == 0) {
        g->sum[g->count] = (vertex_sum){.row = row};
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

// ---- Vertices that are kept ---------------------------------------------------------------------

static uint32_t slot_of(int32_t row) {
    return ((uint32_t)row * 2654435761u) / (UINT32_MAX / PAL_LOCAL_SLOTS + 1u);
}

// The slot where a row stands, or the empty one where it would.
static uint32_t find_slot(const pal_local_rows *rows, int32_t row) {
    uint32_t at = slot_of(row);
    while (rows->slot[at] != 0 && rows->row[rows->slot[at] - 1] != row) {
        at = (at + 1) % PAL_LOCAL_SLOTS;
    }
    return at;
}

int32_t pal_local_find(const pal_local_rows *rows, int32_t row) {
    return rows->slot[find_slot(rows, row)] - 1;
}

static void clear_vertices(pal_local_rows *rows) {
    rows->vertex_count = 0;
    memset(rows->slot, 0, sizeof rows->slot);
}

// Adds a vertex, and G between it and those that are there.
static void add_vertex(const pal_local *local, int32_t row, pal_local_rows *rows) {
    const int32_t v = rows->vertex_count++;
    rows->row[v] = row;
    rows->slot[find_slot(rows, row)] = (int16_t)(v + 1);
    memset(rows->block[v], 0, 9 * (size_t)rows->vertex_count * sizeof **rows->block);
    for (int32_t a = 0; a < v; a++) {
        memset(rows->block[a] + 9 * v, 0, 9 * sizeof **rows->block);
    }
    for (int64_t k = local->first[row]; k < local->first[row + 1]; k++) {
        const int32_t a = pal_local_find(rows, local->column[k]);
        for (int e = 0; e < 9 && a >= 0; e++) {
            const float g = local->block[9 * k + e];
            rows->block[v][9 * a + e] = g;
            rows->block[a][9 * v + 3 * (e % 3) + e / 3] = g;
        }
    }
}

// Gives each vertex that is wanted its place, beside those of earlier ticks as long as these are
// not many more.
static void place_vertices(const pal_local *local, gathering *g, pal_local_rows *rows) {
    enum { SPARE = 16 };
    int32_t wanted = 0, absent = 0;
    for (int32_t s = 0; s < g->count; s++) {
        wanted += g->sum[s].place >= 0;
        absent += g->sum[s].place >= 0 && pal_local_find(rows, g->sum[s].row) < 0;
    }
    const int32_t most = 2 * wanted + SPARE;
    if (rows->vertex_count + absent > (most < PAL_LOCAL_VERTICES ? most : PAL_LOCAL_VERTICES)) {
        clear_vertices(rows);
    }
    for (int32_t s = 0; s < g->count; s++) {
        if (g->sum[s].place >= 0) {
            if (pal_local_find(rows, g->sum[s].row) < 0) {
                add_vertex(local, g->sum[s].row, rows);
            }
            g->sum[s].place = pal_local_find(rows, g->sum[s].row);
        }
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
        rows->spreads[j] = footprint != NULL && touch->spread;
    }
    pal_outcome outcome = 0;
    if (g.count > PAL_LOCAL_VERTICES) {
        drop_smallest(&g);
        outcome = PAL_OUT_BUDGET;
    }
    place_vertices(local, &g, rows);
    for (int32_t j = 0; j < rows->touch_count; j++) {
        place_share(&g, &rows->point[j]);
        place_share(&g, &rows->spread[j]);
    }
    list_users(rows);
    return outcome;
}

// ---- The compliance -----------------------------------------------------------------------------

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

// T_i = F_i G over the gathered vertices, for all touches, 64 columns at a time: so much of G stays
// at hand for all of them.
static void spread_forces(pal_local_rows *rows) {
    typedef float vec16 __attribute__((vector_size(64)));
    for (int32_t e = 0; e < 9 * rows->vertex_count; e += 64) {
        for (int32_t i = 0; i < rows->touch_count; i++) {
            const pal_local_share *force = &rows->spread[i];
            vec16 sum[4] = {{0.0f}};
            for (int32_t k = 0; k < force->count; k++) {
                const float share = (float)force->weight[k];
                const vec16 *from = (const void *)(rows->block[force->vertex[k]] + e);
                for (int c = 0; c < 4; c++) {
                    sum[c] += share * from[c];
                }
            }
            memcpy(rows->work[i] + e, sum, sizeof sum);
        }
    }
}

// out = R m R^T, rows in lanes: axis[c] are the columns of R.
static inline void turn_block(const vec4 axis[3], const vec4 m[3], vec4 out[3]) {
    vec4 half[3]; // m R^T
    for (int r = 0; r < 3; r++) {
        half[r] = m[r][0] * axis[0] + m[r][1] * axis[1] + m[r][2] * axis[2];
    }
    for (int r = 0; r < 3; r++) {
        out[r] = axis[0][r] * half[0] + axis[1][r] * half[1] + axis[2][r] * half[2];
    }
}

// The block of W that force i has on point j: R (T_i H_j^T)^T R^T.
static void add_block(const pal_local_rows *rows, int32_t i, int32_t j, const vec4 axis[3],
                      bool mirror, double *w, int32_t ld) {
    const pal_local_share *point = &rows->point[j];
    vec4 m[3] = {{0.0f}}, turned[3];
    for (int32_t k = 0; k < point->count; k++) {
        const float share = (float)point->weight[k];
        vec4 row[3];
        load_block(rows->work[i] + 9 * point->vertex[k], row);
        for (int r = 0; r < 3; r++) {
            m[r] += share * row[r];
        }
    }
    turn_block(axis, m, turned);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            w[(int64_t)(3 * j + c) * ld + 3 * i + r] += (double)turned[r][c];
            if (mirror) {
                w[(int64_t)(3 * i + r) * ld + 3 * j + c] += (double)turned[r][c];
            }
        }
    }
}

void pal_local_add(pal_local_rows *rows, double scale, double turn[3][3], double *w, int32_t ld) {
    const float root = (float)sqrt(scale); // it is on both sides
    vec4 axis[3];
    for (int c = 0; c < 3; c++) {
        axis[c] = root * (vec4){(float)turn[0][c], (float)turn[1][c], (float)turn[2][c], 0.0f};
    }
    spread_forces(rows);
    for (int32_t i = 0; i < rows->touch_count; i++) {
        for (int32_t j = 0; j < rows->touch_count; j++) {
            const bool alike = !rows->spreads[i] && !rows->spreads[j]; // then W is symmetric
            if (!alike || j >= i) {
                add_block(rows, i, j, axis, alike && j > i, w, ld);
            }
        }
    }
}

// ---- The dent -----------------------------------------------------------------------------------

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
        change = larger(change, change_of(dent, v));
        memset(dent->last + 3 * v, 0, 3 * sizeof *dent->last);
    }
    dent->last_count = 0;
    dent->most = sqrt(most);
    dent->travel += sqrt(change);
}

void pal_dent_clear(pal_dent *dent) {
    pal_dent_begin(dent);
    pal_dent_end(dent);
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

// sum += G_ab f at every row a near b; G_ab f = f^T G_ba. The fourth lane says that a is listed.
static void spread(const pal_local *local, int32_t b, const double f[3], pal_dent *dent) {
    const float f0 = (float)f[0], f1 = (float)f[1], f2 = (float)f[2];
    const int32_t *column = local->column;
    float(*sum)[4] = dent->sum;
    int32_t listed = dent->listed_count;
    for (int64_t k = local->first[b]; k < local->first[b + 1]; k++) {
        vec4 row[3], at = load4(sum[column[k]]);
        load_block(local->block + 9 * k, row);
        dent->listed[listed] = column[k];
        listed += at[3] == 0.0f;
        at += f0 * row[0] + f1 * row[1] + f2 * row[2];
        at[3] = 1.0f;
        memcpy(sum[column[k]], &at, sizeof at);
    }
    dent->listed_count = listed;
}

// u += R sum, and the sums are ready for the next tool.
static void turn_sums(const pal_local *local, double (*turn)[3], pal_dent *dent) {
    for (int32_t k = 0; k < dent->listed_count; k++) {
        float *sum = dent->sum[dent->listed[k]];
        const int32_t v = local->vertex[dent->listed[k]];
        const double d[3] = {(double)sum[0], (double)sum[1], (double)sum[2]};
        double *u = dent->u + 3 * (int64_t)v;
        for (int c = 0; c < 3; c++) {
            u[c] += turn[c][0] * d[0] + turn[c][1] * d[1] + turn[c][2] * d[2];
        }
        dent->touched[dent->touched_count] = v;
        dent->touched_count += !dent->marked[v];
        dent->marked[v] = 1;
        memset(sum, 0, sizeof *dent->sum);
    }
    dent->listed_count = 0;
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
            spread(local, rows->row[v], f, dent);
        }
    }
    turn_sums(local, turn, dent);
}
