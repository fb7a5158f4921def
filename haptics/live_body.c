#include "haptics/live_body.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/contact/bdtree_build.h"

// basis = W U, point by point.
static void carry_basis(const pal_model *model, double *basis) {
    const pal_embedding *e = &model->embedding;
    const size_t block = 3 * (size_t)model->r;
    for (int64_t i = 0; i < e->point_count; i++) {
        double *out = basis + (size_t)i * block;
        for (int64_t k = i * e->nodes; k < (i + 1) * e->nodes; k++) {
            const double *u = model->basis + (size_t)e->vertex[k] * block;
            for (size_t l = 0; l < block; l++) {
                out[l] += e->weight[k] * u[l];
            }
        }
    }
}

static void hash_doubles(pal_hash *hash, const double *value, int64_t count) {
    pal_hash_update(hash, value, (size_t)count * sizeof *value);
}

// The model file's own hash covers texts too; this one tells whether a replay can be exact.
static void hash_live(pal_live_body *live, const pal_model *model, double dt,
                      pal_precision precision) {
    const pal_quartic *quartic = &model->quartic;
    const int64_t points = live->body.point_count, r = model->r;
    const double numbers[] = {dt, model->damping_alpha, model->damping_beta, (double)precision,
                              (double)r};
    pal_hash hash;
    pal_hash_init(&hash);
    hash_doubles(&hash, numbers, sizeof numbers / sizeof *numbers);
    hash_doubles(&hash, quartic->p, pal_pairs(model->r));
    hash_doubles(&hash, quartic->q, pal_triples(model->r));
    hash_doubles(&hash, quartic->s, pal_quadruples(model->r));
    hash_doubles(&hash, live->body.rest, 3 * points);
    hash_doubles(&hash, live->basis, 3 * points * r);
    pal_hash_update(&hash, live->body.triangle,
                    3 * (size_t)live->body.triangle_count * sizeof(int32_t));
    pal_hash_text(&hash, live->hash);
}

static pal_status open(pal_live_body *live, const pal_model *model, double dt,
                       pal_precision precision, pal_err *err) {
    const pal_surface *surface = &model->surface;
    live->basis = PAL_NEW(double, 3 * (size_t)surface->vertex_count * (size_t)model->r, err);
    live->memory = pal_alloc(pal_newmark_bytes(model->r, precision), 1, err);
    if (live->basis == NULL || live->memory == NULL) {
        return PAL_ERR_MEMORY;
    }
    carry_basis(model, live->basis);
    pal_newmark_options options = {.dt = dt,
                                   .alpha = model->damping_alpha,
                                   .beta = model->damping_beta,
                                   .newton_iterations = 1};
    live->newmark = pal_newmark_init(live->memory, &model->quartic, NULL, precision, &options);
    pal_body_init_linear(&live->body, model->r, surface->vertex_count, surface->triangle_count,
                         surface->triangle, surface->x, live->basis, pal_newmark_q(live->newmark),
                         pal_newmark_velocity(live->newmark));
    hash_live(live, model, dt, precision);
    return pal_bdtree_build(&live->body, &live->tree, err);
}

pal_status pal_live_body_open(pal_live_body *live, const pal_model *model, double dt,
                              pal_precision precision, pal_err *err) {
    memset(live, 0, sizeof *live);
    if (model->r > PAL_MAX_R) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "the model has %d basis vectors; a body that runs has at most %d: bake it "
                        "with a smaller basis",
                        (int)model->r, PAL_MAX_R);
    }
    pal_status status = open(live, model, dt, precision, err);
    if (status != PAL_OK) {
        pal_live_body_close(live);
    }
    return status;
}

void pal_live_body_close(pal_live_body *live) {
    pal_bdtree_free(&live->tree);
    free(live->memory);
    free(live->basis);
    memset(live, 0, sizeof *live);
}
