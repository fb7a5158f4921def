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

// A 3x3 block in the first nine lanes; what is in the others does not matter.
typedef float vec16 __attribute__((vector_size(64)));

static inline vec16 load16(const float *x) { // aligned or not
    vec16 v;
    memcpy(&v, x, sizeof v);
    return v;
}

// T_i = F_i G over the gathered vertices, for the forces that are wanted, a chunk of columns at a
// time: so much of G stays at hand for all of them. Two sums, so that one need not wait for the
// other.
static void spread_forces(pal_local_rows *rows, int32_t count, const int32_t *wanted) {
    enum { PARTS = PAL_LOCAL_CHUNK / 16 };
    const int32_t chunks = (9 * rows->vertex_count + PAL_LOCAL_CHUNK - 1) / PAL_LOCAL_CHUNK;
    rows->width = PAL_LOCAL_CHUNK * chunks + 16; // the last block is read as sixteen
    for (int32_t c = 0; c < chunks; c++) {
        for (int32_t i = 0; i < count; i++) {
            const pal_local_share *force = &rows->spread[wanted[i]];
            vec16 sum[PARTS] = {{0.0f}}, odd[PARTS] = {{0.0f}};
            int32_t k = 0;
            for (; k + 2 <= force->count; k += 2) {
                const float share = (float)force->weight[k], next = (float)force->weight[k + 1];
                const vec16 *from = (const void *)rows->block[c][force->vertex[k]];
                const vec16 *then = (const void *)rows->block[c][force->vertex[k + 1]];
                for (int p = 0; p < PARTS; p++) {
                    sum[p] += share * from[p];
                    odd[p] += next * then[p];
                }
            }
            if (k < force->count) {
                const vec16 *from = (const void *)rows->block[c][force->vertex[k]];
                for (int p = 0; p < PARTS; p++) {
                    sum[p] += (float)force->weight[k] * from[p];
                }
            }
            vec16 *to = (void *)(rows->work + i * rows->width + PAL_LOCAL_CHUNK * c);
            for (int p = 0; p < PARTS; p++) {
                to[p] = sum[p] + odd[p];
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
