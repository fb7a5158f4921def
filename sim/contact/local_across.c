// What the forces of one tool do to the points of another: two tools on both sides of a thin part,
// or side by side. The blocks W_ji = R (F_i G H_j^T)^T R^T go the other way round than in local.c,
// for the vertices of the two are different ones, and often few are near each other: each vertex b
// of the forces brings S_j = G_b H_j^T of all points, and each force its share of that.
#include <string.h>

#include "sim/contact/local.h"

// The points by vertex: those of place v are user[first[v]] .. user[first[v + 1] - 1].
typedef struct point_users {
    int32_t first[PAL_LOCAL_VERTICES + 1];
    int16_t user[PAL_LOCAL_SHARES];
    float share[PAL_LOCAL_SHARES];
} point_users;

static void list_points(const pal_local_rows *rows, point_users *p) {
    int32_t next[PAL_LOCAL_VERTICES + 1];
    memset(p->first, 0, sizeof p->first);
    for (int32_t j = 0; j < rows->touch_count; j++) {
        for (int32_t k = 0; k < rows->point[j].count; k++) {
            p->first[rows->point[j].vertex[k] + 1]++;
        }
    }
    for (int32_t v = 0; v < rows->vertex_count; v++) {
        p->first[v + 1] += p->first[v];
    }
    memcpy(next, p->first, sizeof next);
    for (int32_t j = 0; j < rows->touch_count; j++) {
        for (int32_t k = 0; k < rows->point[j].count; k++) {
            const int32_t at = next[rows->point[j].vertex[k]]++;
            p->user[at] = (int16_t)j;
            p->share[at] = (float)rows->point[j].weight[k];
        }
    }
}

// m S, S at row a of the dent.
static void stiffen(const pal_stiffening *law, const pal_dent *dent, int32_t a, const float *m,
                    float out[9]) {
    double slope;
    const float *n = law->surface[a].normal;
    const float s = (float)pal_stiffening_share((double)dent->depth[a][law->tool], &slope);
    for (int r = 0; r < 3; r++) {
        const float along =
            (1.0f - s) * (m[3 * r] * n[0] + m[3 * r + 1] * n[1] + m[3 * r + 2] * n[2]);
        for (int c = 0; c < 3; c++) {
            out[3 * r + c] = s * m[3 * r + c] + along * n[c];
        }
    }
}

// S_j = G_b H_j^T for the row of one vertex (law: NULL: linear); false when no point is near it.
static int reach_points(const pal_local *local, int32_t row, const pal_local_rows *to,
                        const pal_stiffening *law, const pal_dent *dent, const point_users *p,
                        float (*s)[9]) {
    int near = 0;
    memset(s, 0, (size_t)to->touch_count * sizeof *s);
    for (int64_t k = local->first[row]; k < local->first[row + 1]; k++) {
        const int32_t v = pal_local_find(to, local->column[k]);
        float block[9];
        memcpy(block, local->block + 9 * k, sizeof block);
        if (v >= 0 && law != NULL) {
            stiffen(law, dent, local->column[k], local->block + 9 * k, block);
        }
        for (int32_t u = v < 0 ? 0 : p->first[v]; v >= 0 && u < p->first[v + 1]; u++) {
            near = 1;
            for (int e = 0; e < 9; e++) {
                s[p->user[u]][e] += p->share[u] * block[e];
            }
        }
    }
    return near;
}

// w += scale (R m R^T)^T
static void add_turned(double scale, double (*turn)[3], const float m[9], double *w, int32_t ld) {
    double half[3][3]; // R m
    for (int k = 0; k < 9; k++) {
        const float *column = m + k % 3;
        const double *r = turn[k / 3];
        half[k / 3][k % 3] = scale * (r[0] * (double)column[0] + r[1] * (double)column[3] +
                                      r[2] * (double)column[6]);
    }
    for (int k = 0; k < 9; k++) {
        const double *h = half[k / 3], *r = turn[k % 3];
        w[(int64_t)(k % 3) * ld + k / 3] += h[0] * r[0] + h[1] * r[1] + h[2] * r[2];
    }
}

// m += share S s, S of the vertex with the normal of the touch.
static void add_share(const pal_local_rows *from, int32_t b, int32_t user, const float s[9],
                      float m[9]) {
    const float *n = from->touch_normal[from->user[user]];
    const float share = from->user_share[user], part = from->stiffened ? from->share[b] : 1.0f;
    for (int c = 0; c < 3; c++) {
        const float along =
            (1.0f - part) *
            (from->stiffened ? n[0] * s[c] + n[1] * s[3 + c] + n[2] * s[6 + c] : 0.0f);
        for (int r = 0; r < 3; r++) {
            m[3 * r + c] += share * (part * s[3 * r + c] + along * n[r]);
        }
    }
}

void pal_local_add_across(const pal_local *local, const pal_local_rows *from,
                          const pal_local_rows *to, const pal_stiffening *law, const pal_dent *dent,
                          double scale, double turn[3][3], double *w, int32_t ld) {
    point_users p;
    float s[PAL_MAX_TOUCHES][9], m[PAL_MAX_TOUCHES][PAL_MAX_TOUCHES][9]; // of force i on point j
    int near = 0;
    if (from->touch_count == 0 || to->touch_count == 0) {
        return;
    }
    list_points(to, &p);
    memset(m, 0, (size_t)from->touch_count * sizeof *m);
    for (int32_t b = 0; b < from->vertex_count; b++) {
        const int32_t first = from->user_first[b], end = from->user_first[b + 1];
        if (first == end ||
            !reach_points(local, from->row[b], to, from->stiffened ? law : NULL, dent, &p, s)) {
            continue;
        }
        near = 1;
        for (int32_t u = first; u < end; u++) {
            for (int32_t j = 0; j < to->touch_count; j++) {
                add_share(from, b, u, s[j], m[from->user[u]][j]);
            }
        }
    }
    for (int32_t k = 0; near && k < from->touch_count * to->touch_count; k++) {
        const int32_t i = k / to->touch_count, j = k % to->touch_count;
        add_turned(scale, turn, m[i][j], w + (int64_t)3 * j * ld + 3 * i, ld);
    }
}
