#include "sim/mesh/embed.h"

void pal_embedding_displace(const pal_embedding *embedding, const double *u,
                            double *point_displacement) {
    for (int32_t p = 0; p < embedding->point_count; p++) {
        const int32_t *vertex = embedding->vertex + (int64_t)p * embedding->nodes;
        const double *weight = embedding->weight + (int64_t)p * embedding->nodes;
        double sum[3] = {0.0, 0.0, 0.0};
        for (int a = 0; a < embedding->nodes; a++) {
            const double *ua = u + 3 * (int64_t)vertex[a];
            sum[0] += weight[a] * ua[0];
            sum[1] += weight[a] * ua[1];
            sum[2] += weight[a] * ua[2];
        }
        for (int c = 0; c < 3; c++) {
            point_displacement[3 * (int64_t)p + c] = sum[c];
        }
    }
}

void pal_embedding_force(const pal_embedding *embedding, const double *point_force, double *force) {
    for (int32_t p = 0; p < embedding->point_count; p++) {
        const int32_t *vertex = embedding->vertex + (int64_t)p * embedding->nodes;
        const double *weight = embedding->weight + (int64_t)p * embedding->nodes;
        for (int a = 0; a < embedding->nodes; a++) {
            for (int c = 0; c < 3; c++) {
                force[3 * (int64_t)vertex[a] + c] += weight[a] * point_force[3 * (int64_t)p + c];
            }
        }
    }
}
