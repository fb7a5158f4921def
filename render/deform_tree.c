#include "render/deform_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

// ---- set-up

typedef struct spot { // a point, by the cell of a fine grid that it lies in
    int64_t cell[3];
    int32_t point;
} spot;

static int by_cell(const void *a, const void *b) {
    const spot *x = a, *y = b;
    for (int c = 0; c < 3; c++) {
        if (x->cell[c] != y->cell[c]) {
            return x->cell[c] < y->cell[c] ? -1 : 1;
        }
    }
    return (x->point > y->point) - (x->point < y->point);
}

static double size_of(const pal_surface *surface) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < 3 * (int64_t)surface->vertex_count; i++) {
        low = fmin(low, surface->x[i]);
        high = fmax(high, surface->x[i]);
    }
    return high - low;
}

// Groups of two points and more in one cell of a millionth of the body's size.
static pal_status find_groups(pal_deform_tree *d, const pal_surface *surface, pal_err *err) {
    const int32_t n = surface->vertex_count;
    const double cell = 1e-6 * size_of(surface);
    spot *all = PAL_NEW(spot, n, err);
    d->first = PAL_NEW(int32_t, (size_t)n + 1, err);
    d->member = PAL_NEW(int32_t, n, err);
    if (all == NULL || d->first == NULL || d->member == NULL) {
        free(all);
        return PAL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) { // (off the grid, on which meshes like to lie)
            all[i].cell[c] = (int64_t)floor(surface->x[3 * (int64_t)i + c] / cell + 0.37);
        }
        all[i].point = i;
    }
    qsort(all, (size_t)n, sizeof *all, by_cell);
    for (int32_t i = 0, end; i < n; i = end) {
        end = i + 1;
        while (end < n && memcmp(all[i].cell, all[end].cell, sizeof all[i].cell) == 0) {
            end++;
        }
        int32_t used = d->first[d->group_count];
        for (int32_t k = i; k < end && end > i + 1; k++) {
            d->member[used++] = all[k].point;
        }
        if (end > i + 1) {
            d->first[++d->group_count] = used;
        }
    }
    free(all);
    return PAL_OK;
}

static pal_status fill(pal_deform_tree *d, const pal_model *whole, pal_err *err) {
    const pal_tree *tree = &d->model->tree;
    double *x = PAL_NEW(double, 3 * (size_t)tree->domain_count, err);
    double *turn = PAL_NEW(double, 9 * (size_t)tree->domain_count, err);
    if (x == NULL || turn == NULL) {
        free(x);
        free(turn);
        return PAL_ERR_MEMORY;
    }
    pal_tree_rest_frames(tree, x, turn);
    for (int64_t i = 0; i < tree->domain_count; i++) {
        for (int k = 0; k < 12; k++) {
            d->frame[12 * i + k] = (float)(k < 3 ? x[3 * i + k] : turn[9 * i + k - 3]);
        }
    }
    for (int64_t i = 0; i < 3 * (int64_t)d->point_count; i++) {
        d->rest[i] = (float)whole->surface.x[i];
    }
    free(x);
    free(turn);
    return find_groups(d, &whole->surface, err);
}

static pal_status open(pal_deform_tree *d, const pal_model *whole, pal_err *err) {
    const pal_tree_model *model = d->model;
    pal_status status = PAL_OK;
    int32_t blocks = 1;
    d->point_count = whole->surface.vertex_count;
    d->class_ = PAL_NEW(pal_deform, model->class_count, err);
    for (int32_t k = 0; d->class_ != NULL && status == PAL_OK && k < model->class_count; k++) {
        status = pal_deform_open(&d->class_[k], &model->body[k], err);
        blocks = d->class_[k].block_count > blocks ? d->class_[k].block_count : blocks;
    }
    if (status != PAL_OK) {
        return status;
    }
    d->own = PAL_NEW(float, 4 * (size_t)PAL_DEFORM_LANES * (size_t)blocks, err);
    d->rest = PAL_NEW(float, 3 * (size_t)d->point_count, err);
    d->frame = PAL_NEW(float, 12 * (size_t)model->domain_count, err);
    return d->class_ != NULL && d->own != NULL && d->rest != NULL && d->frame != NULL
               ? fill(d, whole, err)
               : PAL_ERR_MEMORY;
}

pal_status pal_deform_tree_open(pal_deform_tree *d, const pal_tree_model *model,
                                const pal_model *whole, pal_err *err) {
    *d = (pal_deform_tree){.model = model};
    const pal_status status = open(d, whole, err);
    if (status != PAL_OK) {
        pal_deform_tree_close(d);
    }
    return status;
}

void pal_deform_tree_close(pal_deform_tree *d) {
    for (int32_t k = 0; d->class_ != NULL && k < d->model->class_count; k++) {
        pal_deform_close(&d->class_[k]);
    }
    free(d->class_);
    free(d->rest);
    free(d->own);
    free(d->frame);
    free(d->first);
    free(d->member);
    memset(d, 0, sizeof *d);
}

// ---- places

static void put(const pal_deform_tree *d, int32_t domain, const float *state, float *place) {
    const pal_deform *class_ = &d->class_[d->model->domain[domain].kind];
    const float s = (float)d->model->domain[domain].scale, *turn = state + 3;
    pal_deform_places(class_, state + 12, PAL_DEFORM_MOVED, d->own);
    for (int64_t p = 0; p < class_->point_count; p++) {
        const float x = s * d->own[4 * p], y = s * d->own[4 * p + 1], z = s * d->own[4 * p + 2];
        for (int k = 0; k < 3; k++) {
            place[4 * p + k] =
                state[k] + turn[3 * k] * x + turn[3 * k + 1] * y + turn[3 * k + 2] * z;
        }
    }
}

static bool is_dented(const pal_snapshot *shot, int32_t domain) {
    for (int32_t k = 0; k < shot->dent_count; k++) {
        if (shot->dent_domain[k] == domain) {
            return true;
        }
    }
    return false;
}

static void join(const pal_deform_tree *d, float *place) {
    for (int32_t g = 0; g < d->group_count; g++) {
        const int32_t first = d->first[g], end = d->first[g + 1];
        for (int c = 0; c < 3; c++) {
            float sum = 0.0F;
            for (int32_t k = first; k < end; k++) {
                sum += place[4 * (int64_t)d->member[k] + c];
            }
            for (int32_t k = first; k < end; k++) {
                place[4 * (int64_t)d->member[k] + c] = sum / (float)(end - first);
            }
        }
    }
}

static pal_deform_extent measure(const pal_deform_tree *d, float *place) {
    pal_deform_extent out = {
        0.0, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int64_t p = 0; p < d->point_count; p++) {
        float square = 0.0F;
        for (int c = 0; c < 3; c++) {
            const float x = place[4 * p + c], way = x - d->rest[3 * p + c];
            square += way * way;
            out.low[c] = fmin(out.low[c], x);
            out.high[c] = fmax(out.high[c], x);
        }
        place[4 * p + 3] = sqrtf(square);
        out.most = fmax(out.most, place[4 * p + 3]);
    }
    return out;
}

pal_deform_extent pal_deform_tree_places(const pal_deform_tree *d, const pal_snapshot *shot,
                                         float *place) {
    const float *from = shot->domain_count == d->model->domain_count ? shot->domain : NULL;
    float at_rest[12 + PAL_DOMAIN_MOST_MODES] = {0.0F};
    float *to = place;
    for (int32_t i = 0; i < d->model->domain_count; i++) {
        pal_deform *class_ = &d->class_[d->model->domain[i].kind];
        const bool dented = from != NULL && is_dented(shot, i);
        int32_t span[2];
        memcpy(at_rest, d->frame + 12 * (int64_t)i, 12 * sizeof *at_rest);
        if (dented) {
            pal_deform_set_dents(class_, shot, i, span);
        }
        put(d, i, from != NULL ? from : at_rest, to);
        if (dented) { // others of its class have none
            pal_deform_set_dents(class_, shot, -1, span);
        }
        to += 4 * (int64_t)class_->point_count;
        from = from != NULL ? from + 12 + class_->r : NULL;
    }
    join(d, place);
    return measure(d, place);
}
