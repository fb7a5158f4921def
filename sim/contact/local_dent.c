// The dent of forces on the surface, linear or growing stiffer with its depth (stiffening.h).
#include <math.h>
#include <string.h>

#include "sim/base/vec3.h"
#include "sim/contact/local.h"

static double larger(double a, double b) {
    return a > b ? a : b;
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

// The rows near those that carry a force are mostly those of the last tick. They stay listed until
// twice as many as carried one then have been listed for.
static void keep_list(pal_dent *dent) {
    enum { SPARE = 16 };
    if (dent->source_count > 2 * dent->loaded + SPARE) {
        empty_list(dent);
    }
    dent->loaded = 0;
}

// How deep the dents of the last tick were.
static void clear_depths(pal_dent *dent) {
    for (int32_t k = 0; k < dent->listed_count && dent->stiffened; k++) {
        memset(dent->depth[dent->listed[k]], 0, sizeof *dent->depth);
    }
    dent->stiffened = false;
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
        memset(dent->yielding + 3 * v, 0, 3 * sizeof *dent->yielding);
        dent->marked[v] = 0;
    }
    clear_depths(dent);
    keep_list(dent);
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

void pal_dent_clear(pal_dent *dent) {
    pal_dent_begin(dent);
    pal_dent_end(dent);
    empty_list(dent);
}

void pal_dent_add(pal_dent *dent, int32_t vertex, const double u[3]) {
    for (int c = 0; c < 3; c++) {
        dent->u[3 * (int64_t)vertex + c] += u[c];
        dent->yielding[3 * (int64_t)vertex + c] += u[c];
    }
    if (!dent->marked[vertex]) {
        dent->marked[vertex] = 1;
        dent->touched[dent->touched_count++] = vertex;
    }
}

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

// sum[part] += G_ab f at every row a near b; G_ab f = f^T G_ba. The fourth lane does not matter.
static void spread(const pal_local *local, int32_t b, const double f[3], int part, pal_dent *dent) {
    const float f0 = (float)f[0], f1 = (float)f[1], f2 = (float)f[2];
    const int32_t *restrict column = local->column + local->first[b];
    const float *restrict block = local->block + 9 * (int64_t)local->first[b];
    float(*restrict sum)[PAL_DENT_PARTS][4] = dent->sum;
    const int32_t count = local->first[b + 1] - local->first[b];
    for (int32_t k = 0; k < count; k++) {
        vec4 row[3], at = load4(sum[column[k]][part]);
        load_block(block + 9 * (int64_t)k, row);
        at += f0 * row[0] + f1 * row[1] + f2 * row[2];
        memcpy(sum[column[k]][part], &at, sizeof at);
    }
}

enum { LINEAR, YIELDING, KEPT }; // parts of the sums: G f, G y, G h

typedef struct loads { // of one tool, on the vertices that carry any
    int32_t count;
    int32_t row[PAL_LOCAL_VERTICES];
    double f[PAL_LOCAL_VERTICES][3]; // N, in the axes at rest, times how much softer it is there
    double normal[PAL_LOCAL_VERTICES][3]; // the part of it along the normals of the touches
} loads;

// The parts of forces [n][3] along the normals of their touches, both in world axes.
static void find_normal_parts(const pal_local_rows *rows, double (*turn)[3], const double *force,
                              double *part) {
    for (int32_t j = 0; j < rows->touch_count; j++) {
        const float *at = rows->touch_normal[j];
        const double rest[3] = {(double)at[0], (double)at[1], (double)at[2]};
        const double n[3] = {pal_dot3(turn[0], rest), pal_dot3(turn[1], rest),
                             pal_dot3(turn[2], rest)};
        const double along = pal_dot3(n, force + 3 * j);
        for (int c = 0; c < 3; c++) {
            part[3 * j + c] = along * n[c];
        }
    }
}

static void find_loads(const pal_local_rows *rows, double scale, double (*turn)[3],
                       const double *force, loads *on) {
    double part[3 * PAL_MAX_TOUCHES];
    find_normal_parts(rows, turn, force, part);
    on->count = 0;
    for (int32_t v = 0; v < rows->vertex_count; v++) {
        double *f = on->f[on->count], *normal = on->normal[on->count];
        vertex_force(rows, v, turn, force, f);
        if (f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0) {
            vertex_force(rows, v, turn, part, normal);
            on->row[on->count++] = rows->row[v];
            for (int c = 0; c < 3; c++) {
                f[c] *= scale;
                normal[c] *= scale;
            }
        }
    }
}

static void read3(const float x[3], double out[3]) {
    for (int c = 0; c < 3; c++) {
        out[c] = (double)x[c];
    }
}

// x_v of a row, from G f.
static double depth_of(const pal_dent *dent, const pal_stiffening *law, int32_t row) {
    const float *n = law->surface[row].normal, *u = dent->sum[row][LINEAR];
    return -pal_stiffening_rate(law, row) * (double)(n[0] * u[0] + n[1] * u[1] + n[2] * u[2]);
}

static bool is_shallow(const pal_dent *dent, const pal_stiffening *law, const loads *on) {
    double deepest = 0.0;
    for (int32_t k = 0; k < on->count; k++) {
        deepest = larger(deepest, depth_of(dent, law, on->row[k]));
    }
    return !(deepest > PAL_STIFFENING_BEGIN);
}

// G f is there: x, G y and G h, and with these the dent in the place of G f.
static void stiffen(const pal_local *local, const pal_stiffening *law, const loads *on,
                    pal_dent *dent) {
    double n[3], g[3], slope;
    dent->stiffened = true;
    for (int32_t k = 0; k < dent->listed_count; k++) {
        const int32_t row = dent->listed[k];
        dent->depth[row][law->tool] = (float)depth_of(dent, law, row);
    }
    for (int32_t k = 0; k < on->count; k++) {
        const double share =
            pal_stiffening_share((double)dent->depth[on->row[k]][law->tool], &slope);
        double y[3];
        for (int c = 0; c < 3; c++) {
            y[c] = on->normal[k][c] + share * (on->f[k][c] - on->normal[k][c]);
        }
        spread(local, on->row[k], y, YIELDING, dent);
    }
    for (int32_t k = 0; k < on->count; k++) {
        read3(law->surface[on->row[k]].normal, n);
        read3(dent->sum[on->row[k]][YIELDING], g);
        pal_stiffening_share((double)dent->depth[on->row[k]][law->tool], &slope);
        const double work = pal_dot3(on->f[k], g) - pal_dot3(on->normal[k], g);
        const double size = -pal_stiffening_rate(law, on->row[k]) * slope * work,
                     h[3] = {size * n[0], size * n[1], size * n[2]};
        spread(local, on->row[k], h, KEPT, dent);
    }
}

// The dent of one row in its axes at rest, and how much of it is linear in the forces; the sums are
// ready for the next tool.
static void take_sums(pal_dent *dent, const pal_stiffening *law, int32_t row, double u[3],
                      double yielding[3]) {
    float(*sum)[4] = dent->sum[row];
    read3(sum[law != NULL ? YIELDING : LINEAR], yielding);
    if (law != NULL) {
        double n[3], slope;
        read3(law->surface[row].normal, n);
        pal_stiffening_apply(n, pal_stiffening_share((double)dent->depth[row][law->tool], &slope),
                             yielding);
    }
    for (int c = 0; c < 3; c++) {
        u[c] = yielding[c] + (law != NULL ? (double)sum[KEPT][c] : 0.0);
    }
    memset(sum, 0, (law != NULL ? PAL_DENT_PARTS : 1) * sizeof *sum);
}

// The dent += R of these, law: NULL where it is linear.
static void turn_sums(const pal_local *local, const pal_stiffening *law, double (*turn)[3],
                      pal_dent *dent) {
    int32_t touched = dent->touched_count;
    for (int32_t k = 0; k < dent->listed_count; k++) {
        const int32_t v = local->vertex[dent->listed[k]];
        double d[3], e[3], *u = dent->u + 3 * (int64_t)v,
                           *yielding = dent->yielding + 3 * (int64_t)v;
        take_sums(dent, law, dent->listed[k], d, e);
        for (int c = 0; c < 3; c++) {
            u[c] += turn[c][0] * d[0] + turn[c][1] * d[1] + turn[c][2] * d[2];
            yielding[c] += turn[c][0] * e[0] + turn[c][1] * e[1] + turn[c][2] * e[2];
        }
        dent->touched[touched] = v;
        touched += !dent->marked[v];
        dent->marked[v] = 1;
    }
    dent->touched_count = touched;
}

void pal_local_dent(const pal_local *local, const pal_local_rows *rows, const pal_stiffening *law,
                    double scale, double turn[3][3], const double *force, pal_dent *dent) {
    loads on;
    find_loads(rows, scale, turn, force, &on);
    dent->loaded += on.count;
    for (int32_t k = 0; k < on.count; k++) {
        list_near(local, on.row[k], dent);
        spread(local, on.row[k], on.f[k], LINEAR, dent);
    }
    const bool linear = law == NULL || law->surface == NULL || is_shallow(dent, law, &on);
    if (!linear) {
        stiffen(local, law, &on, dent);
    }
    turn_sums(local, linear ? NULL : law, turn, dent);
}

// ---- what it means for the touches

static void find_touch_normal(pal_local_rows *rows, const pal_stiffening *law, int32_t touch) {
    const pal_local_share *point = &rows->point[touch];
    double n[3] = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < point->count; k++) {
        const float *at = law->surface[rows->row[point->vertex[k]]].normal;
        for (int c = 0; c < 3; c++) {
            n[c] += point->weight[k] * (double)at[c];
        }
    }
    const double length = pal_norm3(n);
    for (int c = 0; c < 3; c++) {
        rows->touch_normal[touch][c] = length > 0.0 ? (float)(n[c] / length) : 0.0f;
    }
}

void pal_local_stiffen(pal_local_rows *rows, const pal_stiffening *law, const pal_dent *dent) {
    rows->stiffened = false;
    rows->least = 1.0f;
    if (law == NULL || law->surface == NULL) {
        return;
    }
    for (int32_t j = 0; j < rows->touch_count; j++) {
        find_touch_normal(rows, law, j);
    }
    for (int32_t v = 0; v < rows->vertex_count && dent->stiffened; v++) {
        const int32_t row = rows->row[v];
        double slope;
        rows->share[v] = (float)pal_stiffening_share((double)dent->depth[row][law->tool], &slope);
        memcpy(rows->normal[v], law->surface[row].normal, sizeof rows->normal[v]);
        rows->least = rows->share[v] < rows->least ? rows->share[v] : rows->least;
    }
    rows->stiffened = rows->least < 1.0f;
}
