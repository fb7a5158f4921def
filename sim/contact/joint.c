#include "sim/contact/joint.h"

#include <math.h>
#include <string.h>

static void take(int32_t vertex, double weight, pal_local_share *share) {
    if (weight != 0.0 && share->count < PAL_LOCAL_SHARE) {
        share->vertex[share->count] = vertex;
        share->weight[share->count++] = weight;
    }
}

static void take_point(const pal_body *body, const pal_touch *touch, pal_local_share *share) {
    const pal_embedding *e = body->embedding;
    share->count = 0;
    for (int p = 0; p < 3; p++) {
        const int64_t at = (int64_t)body->triangle[3 * (int64_t)touch->triangle + p] * e->nodes;
        for (int32_t a = 0; a < e->nodes; a++) {
            if (fabs(e->weight[at + a]) >= PAL_EMBED_LEAST) {
                take(e->vertex[at + a], touch->weight[p] * e->weight[at + a], share);
            }
        }
    }
}

void pal_joint_gather(const pal_soft_part *part, const pal_touch_set *set, pal_joint_touches *out) {
    const pal_footprint *footprint = part->footprint;
    out->count = set->count;
    for (int32_t j = 0; j < set->count; j++) {
        const pal_touch *touch = &set->item[j];
        take_point(part->body, touch, &out->point[j]);
        if (!touch->spread) {
            out->spread[j] = out->point[j];
            continue;
        }
        const int64_t cell = footprint->shell->first[set->level] + touch->id;
        out->spread[j].count = 0;
        for (int32_t k = 0; k < footprint->count[cell]; k++) {
            take(footprint->vertex[cell * PAL_FOOTPRINT_VERTICES + k],
                 (double)footprint->weight[cell * PAL_FOOTPRINT_VERTICES + k], &out->spread[j]);
        }
    }
}

// p [3][stride] = H D of a point; false: it is not near.
static bool reach(const pal_joint *joint, int side, const pal_local_share *point, float *p) {
    bool near = false;
    for (int32_t k = 0; k < point->count; k++) {
        const int32_t row = joint->row[side][point->vertex[k]];
        if (row < 0) {
            continue;
        }
        if (!near) {
            memset(p, 0, 3 * (size_t)joint->stride * sizeof *p);
            near = true;
        }
        const float weight = (float)point->weight[k];
        const float *d = joint->d + 3 * (int64_t)row * joint->stride;
        for (int32_t i = 0; i < 3 * joint->stride; i++) {
            p[i] += weight * d[i];
        }
    }
    return near;
}

// w += scale R_to m R_from^T
static void add_turned(double scale, const double (*to)[3], const double (*from)[3],
                       const double m[3][3], double *w, int32_t ld) {
    for (int k = 0; k < 9; k++) {
        const int a = k / 3, b = k % 3;
        double sum = 0.0;
        for (int e = 0; e < 9; e++) {
            sum += to[a][e / 3] * m[e / 3][e % 3] * from[b][e % 3];
        }
        w[a * ld + b] += scale * sum;
    }
}

void pal_joint_add(const pal_joint *joint, double scale, const bool *presses,
                   const pal_joint_contact *from, const pal_joint_contact *to, double *w,
                   int32_t ld) {
    float p[3 * (3 * PAL_JOINT_VERTICES + 16)];
    for (int32_t j = 0; j < to->touches->count; j++) {
        if (!reach(joint, to->side, &to->touches->point[j], p)) {
            continue;
        }
        for (int32_t i = 0; i < from->touches->count; i++) {
            const pal_local_share *force = &from->touches->spread[i];
            if (!presses[i]) {
                continue;
            }
            double m[3][3] = {{0.0}};
            for (int32_t k = 0; k < force->count; k++) {
                const int32_t row = joint->row[from->side][force->vertex[k]];
                for (int e = 0; e < 9 && row >= 0; e++) {
                    m[e / 3][e % 3] +=
                        force->weight[k] * (double)p[e / 3 * joint->stride + 3 * row + e % 3];
                }
            }
            add_turned(scale, to->turn, from->turn, (const double(*)[3])m,
                       w + (int64_t)3 * j * ld + 3 * i, ld);
        }
    }
}

bool pal_joint_dent(const pal_joint *joint, double scale, const pal_joint_contact *from,
                    const double *force, double *u) {
    float sum[3 * PAL_JOINT_VERTICES + 16] = {0.0f};
    bool near = false;
    for (int32_t i = 0; i < from->touches->count; i++) {
        const pal_local_share *share = &from->touches->spread[i];
        const double *f = force + 3 * i;
        for (int32_t k = 0; k < share->count; k++) {
            const int32_t row = joint->row[from->side][share->vertex[k]];
            for (int c = 0; c < 3 && row >= 0; c++) {
                const double own =
                    from->turn[0][c] * f[0] + from->turn[1][c] * f[1] + from->turn[2][c] * f[2];
                const float by = (float)(scale * share->weight[k] * own);
                const float *d = joint->d + (3 * (int64_t)row + c) * joint->stride; // symmetric
                near = near || by != 0.0f;
                for (int32_t e = 0; e < joint->stride && by != 0.0f; e++) {
                    sum[e] += by * d[e];
                }
            }
        }
    }
    for (int32_t e = 0; e < 3 * joint->count; e++) {
        u[e] = (double)sum[e];
    }
    return near;
}
