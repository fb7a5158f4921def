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

enum { FEWEST_SLOTS = 256, SLOTS = 8192 }; // of the hash table, more than the shares

typedef struct vertex_sum { // one vertex of the touches
    int32_t row, place;
    double weight;
    const pal_local_share *in; // the last share that it was taken into, and where in it
    int32_t at;
} vertex_sum;

typedef struct gathering {
    uint32_t slots;      // that are in use, a power of two
    int16_t slot[SLOTS]; // 1 + index of a sum, 0: empty
    vertex_sum sum[2 * PAL_LOCAL_SHARES];
    int32_t count;
} gathering;

// For so many touches, at most half full.
static void begin_gathering(gathering *g, int32_t touches) {
    g->count = 0;
    g->slots = FEWEST_SLOTS;
    while (g->slots < SLOTS && g->slots < 4u * PAL_LOCAL_SHARE * (uint32_t)touches) {
        g->slots *= 2;
    }
    memset(g->slot, 0, g->slots * sizeof *g->slot);
}

static int32_t find_sum(gathering *g, int32_t row) {
    uint32_t at = (((uint32_t)row * 2654435761u) >> 16) & (g->slots - 1);
    while (g->slot[at] != 0 && g->sum[g->slot[at] - 1].row != row) {
        at = (at + 1) & (g->slots - 1);
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
    if (row < 0 || weight == 0.0) {
        return;
    }
    const int32_t s = find_sum(g, row);
    vertex_sum *sum = &g->sum[s];
    if (sum->in != share) {
        sum->in = share;
        sum->at = share->count++;
        share->vertex[sum->at] = s;
        share->weight[sum->at] = 0.0;
    }
    share->weight[sum->at] += weight;
    sum->weight += fabs(weight);
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

void pal_local_clear(pal_local_rows *rows) {
    rows->vertex_count = 0;
    memset(rows->slot, 0, sizeof rows->slot);
}

// Where entry e of the block between vertices a and b is kept.
static float *block_entry(pal_local_rows *rows, int32_t a, int32_t b, int e) {
    const int32_t at = 9 * b + e;
    return &rows->block[at / PAL_LOCAL_CHUNK][a][at % PAL_LOCAL_CHUNK];
}

// Adds a vertex, and G between it and those that are there.
static void add_vertex(const pal_local *local, int32_t row, pal_local_rows *rows) {
    const int32_t v = rows->vertex_count++;
    rows->row[v] = row;
    rows->slot[find_slot(rows, row)] = (int16_t)(v + 1);
    for (int32_t c = 0; PAL_LOCAL_CHUNK * c < 9 * rows->vertex_count; c++) {
        memset(rows->block[c][v], 0, sizeof rows->block[c][v]);
    }
    for (int32_t a = 0; a < v; a++) {
        for (int e = 0; e < 9; e++) {
            *block_entry(rows, a, v, e) = 0.0f;
        }
    }
    for (int64_t k = local->first[row]; k < local->first[row + 1]; k++) {
        const int32_t a = pal_local_find(rows, local->column[k]);
        for (int e = 0; e < 9 && a >= 0; e++) {
            const float g = local->block[9 * k + e];
            *block_entry(rows, v, a, e) = g;
            *block_entry(rows, a, v, 3 * (e % 3) + e / 3) = g;
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
        pal_local_clear(rows);
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
    rows->touch_count = local->row_count > 0 && body->embedding != NULL ? set->count : 0;
    begin_gathering(&g, rows->touch_count);
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

// A 3x3 block in the first nine lanes; what is in the others does not matter.
typedef float vec16 __attribute__((vector_size(64)));

static inline vec16 load16(const float *x) { // aligned or not
    vec16 v;
    memcpy(&v, x, sizeof v);
    return v;
}

// sum_k weight_k of the forces' vertices times a chunk of columns of G. Two sums, so that one need
// not wait for the other.
enum { PARTS = PAL_LOCAL_CHUNK / 16 };

static inline void spread_force(const pal_local_rows *rows, int32_t c, const pal_local_share *force,
                                const float *weight, float *out) {
    vec16 sum[PARTS] = {{0.0f}}, odd[PARTS] = {{0.0f}};
    int32_t k = 0;
    for (; k + 2 <= force->count; k += 2) {
        const vec16 *from = (const void *)rows->block[c][force->vertex[k]];
        const vec16 *then = (const void *)rows->block[c][force->vertex[k + 1]];
        for (int p = 0; p < PARTS; p++) {
            sum[p] += weight[k] * from[p];
            odd[p] += weight[k + 1] * then[p];
        }
    }
    if (k < force->count) {
        const vec16 *from = (const void *)rows->block[c][force->vertex[k]];
        for (int p = 0; p < PARTS; p++) {
            sum[p] += weight[k] * from[p];
        }
    }
    vec16 *to = (void *)out;
    for (int p = 0; p < PARTS; p++) {
        to[p] = sum[p] + odd[p];
    }
}

// The weights of a force: whole, or times s and 1 - s.
static void weigh(const pal_local_rows *rows, const pal_local_share *force,
                  float weight[2][PAL_LOCAL_SHARE]) {
    for (int32_t k = 0; k < force->count; k++) {
        const float share = (float)force->weight[k];
        const float s = rows->stiffened ? rows->share[force->vertex[k]] : 1.0f;
        weight[0][k] = s * share;
        weight[1][k] = (1.0f - s) * share;
    }
}

// T_i = F_i G over the gathered vertices, for the forces that are wanted, a chunk of columns at a
// time: so much of G stays at hand for all of them.
static void spread_forces(pal_local_rows *rows, int32_t count, const int32_t *wanted) {
    const int32_t chunks = (9 * rows->vertex_count + PAL_LOCAL_CHUNK - 1) / PAL_LOCAL_CHUNK;
    float weight[PAL_MAX_TOUCHES][2][PAL_LOCAL_SHARE];
    rows->width = PAL_LOCAL_CHUNK * chunks + 16; // the last block is read as sixteen
    for (int32_t i = 0; i < count; i++) {
        weigh(rows, &rows->spread[wanted[i]], weight[i]);
    }
    for (int32_t c = 0; c < chunks; c++) {
        for (int32_t i = 0; i < count; i++) {
            const pal_local_share *force = &rows->spread[wanted[i]];
            const int64_t at = (int64_t)i * rows->width + PAL_LOCAL_CHUNK * c;
            spread_force(rows, c, force, weight[i][0], rows->work + at);
            if (rows->stiffened) {
                spread_force(rows, c, force, weight[i][1], rows->along + at);
            }
        }
    }
}

// T_i = S F_i G S: row r of a block is how the vertex moves by the force's component r. With n of
// the touch, S F_i = F_i s + n n^T F_i (1 - s), the two products that are there.
static void stiffen_work(pal_local_rows *rows, int32_t count, const int32_t *wanted) {
    for (int32_t i = 0; i < count; i++) {
        const float *n = rows->touch_normal[wanted[i]];
        for (int32_t v = 0; v < rows->vertex_count; v++) {
            float *t = rows->work + (int64_t)i * rows->width + 9 * v;
            const float *a = rows->along + (int64_t)i * rows->width + 9 * v;
            const float *m = rows->normal[v], s = rows->share[v];
            float by[3];
            for (int c = 0; c < 3; c++) {
                by[c] = n[0] * a[c] + n[1] * a[3 + c] + n[2] * a[6 + c];
            }
            for (int r = 0; r < 3; r++) {
                float *row = t + 3 * r;
                for (int c = 0; c < 3; c++) {
                    row[c] += n[r] * by[c];
                }
                const float out = (1.0f - s) * (row[0] * m[0] + row[1] * m[1] + row[2] * m[2]);
                for (int c = 0; c < 3; c++) {
                    row[c] = s * row[c] + out * m[c];
                }
            }
        }
    }
}

// R m R^T = sum_e m_e way_e, way_e [c][r] = R_c,e/3 R_r,e%3 (transposed), times scale.
static void find_ways(double scale, double turn[3][3], vec16 way[9]) {
    for (int e = 0; e < 9; e++) {
        way[e] = (vec16){0.0f};
        for (int k = 0; k < 9; k++) {
            way[e][k] = (float)(scale * turn[k % 3][e / 3] * turn[k / 3][e % 3]);
        }
    }
}

// What TOGETHER forces do to a point, R (T_i H_j^T)^T R^T: m [force][3x3], as lanes.
enum { TOGETHER = PAL_LOCAL_TOGETHER };

static inline void fill_blocks(const float *work, int32_t width, const pal_local_share *point,
                               const vec16 way[9], vec16 m[TOGETHER]) {
    vec16 sum[TOGETHER] = {{0.0f}}, odd[TOGETHER] = {{0.0f}};
    int32_t k = 0;
    for (; k + 2 <= point->count; k += 2) {
        const float share = (float)point->weight[k], next = (float)point->weight[k + 1];
        const float *from = work + 9 * point->vertex[k], *then = work + 9 * point->vertex[k + 1];
        for (int c = 0; c < TOGETHER; c++) {
            sum[c] += share * load16(from + c * width);
            odd[c] += next * load16(then + c * width);
        }
    }
    for (int c = 0; c < TOGETHER; c++) {
        if (k < point->count) {
            sum[c] += (float)point->weight[k] * load16(work + 9 * point->vertex[k] + c * width);
        }
        sum[c] += odd[c];
        m[c] = sum[c][8] * way[8];
        odd[c] = sum[c][7] * way[7];
        for (int e = 0; e < 6; e += 2) {
            m[c] += sum[c][e] * way[e];
            odd[c] += sum[c][e + 1] * way[e + 1];
        }
        m[c] += sum[c][6] * way[6] + odd[c];
    }
}

void pal_local_add(pal_local_rows *rows, const bool *presses, double scale, double turn[3][3],
                   double *w, int32_t ld) {
    int32_t count = 0, wanted[PAL_MAX_TOUCHES];
    vec16 way[9], m[TOGETHER];
    for (int32_t i = 0; i < rows->touch_count; i++) {
        wanted[count] = i;
        count += presses == NULL || presses[i];
    }
    find_ways(scale, turn, way);
    spread_forces(rows, count, wanted);
    if (rows->stiffened) {
        stiffen_work(rows, count, wanted);
    }
    for (int32_t j = 0; j < rows->touch_count; j++) {
        double *restrict row = w + 3 * (int64_t)j * ld;
        for (int32_t i = 0; i < count; i += TOGETHER) {
            fill_blocks(rows->work + i * rows->width, rows->width, &rows->point[j], way, m);
            for (int32_t c = 0; c < TOGETHER && i + c < count; c++) {
                double *restrict to = row + 3 * wanted[i + c];
                for (int e = 0; e < 9; e++) {
                    to[e / 3 * ld + e % 3] += (double)m[c][e];
                }
            }
        }
    }
}
