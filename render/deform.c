#include "render/deform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

enum { LANES = PAL_DEFORM_LANES, HALF = 8, SAMPLE = 128 }; // blocks that tell how far all moved

typedef float lanes __attribute__((vector_size(4 * HALF))); // half a block

// ---- set-up

// W U of one point into its lane.
static void carry(const pal_model *model, int32_t i, float *basis) {
    const pal_embedding *e = &model->embedding;
    for (int32_t l = 0; l < model->r; l++) {
        for (int c = 0; c < 3; c++) {
            double sum = 0.0;
            for (int64_t k = (int64_t)i * e->nodes; k < (int64_t)(i + 1) * e->nodes; k++) {
                sum += e->weight[k] * model->basis[(3 * (int64_t)e->vertex[k] + c) * model->r + l];
            }
            basis[(3 * (int64_t)l + c) * LANES] = (float)sum;
        }
    }
}

// The embedding the other way round.
static void turn_round(pal_deform *d, const pal_embedding *e) {
    const int64_t entries = (int64_t)e->point_count * e->nodes;
    for (int64_t k = 0; k < entries; k++) {
        d->first[e->vertex[k] + 1] += fabs(e->weight[k]) > PAL_EMBED_LEAST;
    }
    for (int32_t v = 0; v < d->vertex_count; v++) {
        d->first[v + 1] += d->first[v];
    }
    // Filling moves each first to its end; moving all by one place puts them right again.
    for (int64_t k = 0; k < entries; k++) {
        if (fabs(e->weight[k]) > PAL_EMBED_LEAST) {
            const int32_t at = d->first[e->vertex[k]]++;
            d->point[at] = (int32_t)(k / e->nodes);
            d->weight[at] = (float)e->weight[k];
        }
    }
    for (int32_t v = d->vertex_count; v > 0; v--) {
        d->first[v] = d->first[v - 1];
    }
    d->first[0] = 0;
}

static void fill(pal_deform *d, const pal_model *model) {
    for (int32_t i = 0; i < d->point_count; i++) {
        const int64_t block = i / LANES, lane = i % LANES;
        carry(model, i, d->basis + block * d->r * 3 * LANES + lane);
        for (int c = 0; c < 3; c++) {
            d->rest[(3 * block + c) * LANES + lane] = (float)model->surface.x[3 * (int64_t)i + c];
        }
    }
    turn_round(d, &model->embedding);
}

pal_status pal_deform_open(pal_deform *d, const pal_model *model, pal_err *err) {
    const int32_t points = model->surface.vertex_count;
    *d = (pal_deform){.point_count = points,
                      .r = model->r,
                      .block_count = (points + LANES - 1) / LANES,
                      .vertex_count = model->mesh.vertex_count};
    const size_t blocks = (size_t)d->block_count;
    const size_t entries = (size_t)points * (size_t)model->embedding.nodes;
    d->basis = PAL_NEW(float, blocks *(size_t)d->r * 3 * LANES, err);
    d->rest = PAL_NEW(float, blocks * 3 * LANES, err);
    d->first = PAL_NEW(int32_t, (size_t)d->vertex_count + 1, err);
    d->point = PAL_NEW(int32_t, entries, err);
    d->weight = PAL_NEW(float, entries, err);
    d->extra = PAL_NEW(float, 4 * blocks * LANES, err);
    d->dented = PAL_NEW(int32_t, points, err);
    if (d->basis == NULL || d->rest == NULL || d->first == NULL || d->point == NULL ||
        d->weight == NULL || d->extra == NULL || d->dented == NULL) {
        pal_deform_close(d);
        return PAL_ERR_MEMORY;
    }
    fill(d, model);
    return PAL_OK;
}

void pal_deform_close(pal_deform *d) {
    free(d->basis);
    free(d->rest);
    free(d->first);
    free(d->point);
    free(d->weight);
    free(d->extra);
    free(d->dented);
    memset(d, 0, sizeof *d);
}

// ---- dents

static void widen(int32_t span[2], int32_t point) {
    span[0] = point < span[0] ? point : span[0];
    span[1] = point >= span[1] ? point + 1 : span[1];
}

static bool is_dented(const float *extra) {
    return extra[0] != 0.0F || extra[1] != 0.0F || extra[2] != 0.0F;
}

static void add_dent(pal_deform *d, int32_t vertex, const float u[3], int32_t span[2]) {
    for (int32_t k = d->first[vertex]; k < d->first[vertex + 1]; k++) {
        float *extra = d->extra + 4 * (int64_t)d->point[k];
        if (!is_dented(extra)) {
            d->dented[d->dented_count++] = d->point[k];
        }
        for (int c = 0; c < 3; c++) {
            extra[c] += d->weight[k] * u[c];
        }
        if (!is_dented(extra)) { // as it would be listed twice
            extra[0] = 1e-30F;
        }
        widen(span, d->point[k]);
    }
}

void pal_deform_set_dents(pal_deform *d, const pal_snapshot *shot, int32_t domain,
                          int32_t span[2]) {
    span[0] = d->point_count;
    span[1] = 0;
    for (int32_t k = 0; k < d->dented_count; k++) {
        memset(d->extra + 4 * (int64_t)d->dented[k], 0, 3 * sizeof *d->extra);
        widen(span, d->dented[k]);
    }
    d->dented_count = 0;
    for (int32_t k = 0; k < shot->dent_count; k++) {
        const float *u = shot->dent[k];
        if (shot->dent_domain[k] == domain && shot->dent_vertex[k] >= 0 &&
            shot->dent_vertex[k] < d->vertex_count && is_dented(u)) {
            add_dent(d, shot->dent_vertex[k], u, span);
        }
    }
}

// ---- places

// u [3] of the two halves of a block.
static inline void displace(const float *basis, const float *q, int32_t r, lanes u[3][2]) {
    lanes sum[3][2] = {0};
    for (int32_t l = 0; l < r; l++, basis += 3 * LANES) {
        for (int c = 0; c < 3; c++) {
            lanes low, high;
            memcpy(&low, basis + (size_t)c * LANES, sizeof low);
            memcpy(&high, basis + (size_t)c * LANES + HALF, sizeof high);
            sum[c][0] += q[l] * low;
            sum[c][1] += q[l] * high;
        }
    }
    memcpy(u, sum, sizeof sum);
}

void pal_deform_places(const pal_deform *d, const float *q, pal_deform_tone tone, float *place) {
    const int64_t block_floats = 3 * (int64_t)LANES * d->r;
    for (int32_t b = 0; b < d->block_count; b++) {
        lanes sum[3][2];
        float u[3][LANES];
        displace(d->basis + b * block_floats, q, d->r, sum);
        memcpy(u, sum, sizeof u);
        const float *rest = d->rest + 3 * (int64_t)LANES * b;
        const float *extra = d->extra + 4 * (int64_t)LANES * b;
        const int32_t left = d->point_count - b * LANES, count = left < LANES ? left : LANES;
        float *out = place + 4 * (int64_t)LANES * b;
        for (int32_t i = 0; i < count; i++, out += 4, extra += 4) {
            const float x = u[0][i] + extra[0], y = u[1][i] + extra[1], z = u[2][i] + extra[2];
            out[0] = rest[i] + x;
            out[1] = rest[LANES + i] + y;
            out[2] = rest[2 * LANES + i] + z;
            out[3] = tone == PAL_DEFORM_NUMBER ? extra[3] : sqrtf(x * x + y * y + z * z);
        }
    }
}

static void measure_block(const pal_deform *d, const float *q, int32_t b, pal_deform_extent *out) {
    lanes sum[3][2];
    float u[3][LANES];
    displace(d->basis + 3 * (int64_t)LANES * d->r * b, q, d->r, sum);
    memcpy(u, sum, sizeof u);
    const int32_t left = d->point_count - b * LANES, count = left < LANES ? left : LANES;
    for (int32_t i = 0; i < count; i++) {
        const float *extra = d->extra + 4 * ((int64_t)LANES * b + i);
        double square = 0.0;
        for (int c = 0; c < 3; c++) {
            const double way = u[c][i] + extra[c];
            const double x = way + d->rest[(3 * (int64_t)b + c) * LANES + i];
            square += way * way;
            out->low[c] = fmin(out->low[c], x);
            out->high[c] = fmax(out->high[c], x);
        }
        out->most = fmax(out->most, sqrt(square));
    }
}

pal_deform_extent pal_deform_measure(const pal_deform *d, const float *q) {
    pal_deform_extent out = {
        0.0, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const int32_t step = d->block_count > SAMPLE ? d->block_count / SAMPLE : 1;
    for (int32_t b = 0; b < d->block_count; b += step) {
        measure_block(d, q, b, &out);
    }
    int32_t last = -1;
    for (int32_t k = 0; k < d->dented_count; k++) {
        const int32_t b = d->dented[k] / LANES;
        if (b != last) {
            measure_block(d, q, b, &out);
        }
        last = b;
    }
    return out;
}
