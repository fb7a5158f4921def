#include "haptics/live_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "haptics/live_tree.h"
#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/base/vecn.h"
#include "sim/contact/local_build.h"
#include "sim/contact/surface_index.h"
#include "sim/model/surface_regions.h"

void pal_live_carry_basis(const pal_model *model, double *basis) {
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

// The largest Frobenius norm of a point's J, which bounds its speed by |q'|.
static double largest_row(const pal_body *body) {
    double most = 0.0;
    for (int64_t i = 0; i < body->point_count; i++) {
        most = fmax(most, pal_norm(3 * (int64_t)body->size, body->basis + 3 * i * body->size));
    }
    return most;
}

// No point of a body goes further than many times its size: a state beyond that is none.
static void bound_state(pal_live_body *live, const pal_surface *surface) {
    static const double sizes = 1000.0;
    double size = 0.0;
    for (int64_t i = 1; i < surface->vertex_count; i++) {
        double across[3];
        pal_sub3(surface->x + 3 * i, surface->x, across);
        size = fmax(size, pal_norm3(across));
    }
    pal_newmark_bound(live->newmark, sizes * size / live->row_bound);
}

// Dents: the model's local compliance, and room for what it does.
static pal_status open_dent(pal_live_body *live, const pal_model *model, pal_err *err) {
    const pal_local *local = &model->local;
    if (local->row_count == 0) {
        return PAL_OK;
    }
    live->local = local;
    const pal_status status = pal_dent_alloc(local, &live->dent, err);
    if (status != PAL_OK) {
        return status;
    }
    live->body.embedding = &model->embedding;
    live->body.dent = live->dent.u;
    live->body.yielding = live->dent.yielding;
    live->body.dent_bound = &live->dent.most;
    return pal_local_find_rows(local, &live->body, &live->local_rows, err);
}

// The surface: one law everywhere, its regions, and these as soft as they were baked.
static pal_status open_surface(pal_live_body *live, const pal_model *model, pal_err *err) {
    live->law[0] = PAL_SURFACE_LAW_DEFAULT;
    live->region_count = model->region_count;
    live->law_of_triangle = PAL_NEW(uint8_t, model->surface.triangle_count, err);
    live->region_of_triangle = PAL_NEW(uint16_t, model->surface.triangle_count, err);
    live->local_scale = PAL_NEW(double, model->region_count, err);
    if (live->law_of_triangle == NULL || live->region_of_triangle == NULL ||
        live->local_scale == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t g = 0; g < model->region_count; g++) {
        live->local_scale[g] = 1.0;
    }
    return pal_model_surface_regions(model, live->region_of_triangle, err);
}

static pal_surface_index index_of(pal_live_body *live) {
    return (pal_surface_index){&live->tree, &live->shell, &live->footprint, &live->kept};
}

// What a tool feels for, and what it would press on.
static pal_status open_shell(pal_live_body *live, const pal_model *model, const pal_keep *keep,
                             pal_err *err) {
    const pal_surface_source source = {.body = &live->body,
                                       .vertex_x = live->local != NULL ? model->mesh.x : NULL,
                                       .feature = live->feature,
                                       .keep = keep};
    const pal_surface_index index = index_of(live);
    return pal_surface_index_open(&source, &index, err);
}

// Whether the other's parts are what this one would build. (A model that was lent may lie at
// another place; its arrays do not.)
static bool is_like(const pal_live_body *live, const pal_live_body *other) {
    return other != NULL && other->model->basis == live->model->basis &&
           other->model->surface.x == live->model->surface.x && other->dt == live->dt &&
           other->feature == live->feature && other->precision == live->precision;
}

static void share(pal_live_body *live, const pal_live_body *other) {
    live->shares = true;
    live->basis = other->basis;
    live->tree = other->tree;
    live->shell = other->shell;
    live->footprint = other->footprint;
    live->row_bound = other->row_bound;
    memcpy(live->hash, other->hash, sizeof live->hash);
}

static pal_status open(pal_live_body *live, const pal_model *model, const pal_live_options *how,
                       pal_err *err) {
    const pal_precision precision = live->precision = how->precision;
    const double dt = live->dt = how->dt;
    const pal_surface *surface = &model->surface;
    live->model = model;
    live->feature = how->feature;
    if (is_like(live, how->like)) {
        share(live, how->like);
    } else {
        live->basis = PAL_NEW(double, 3 * (size_t)surface->vertex_count * (size_t)model->r, err);
    }
    live->memory = pal_alloc(pal_newmark_bytes(model->r, precision), 1, err);
    if (live->basis == NULL || live->memory == NULL) {
        return PAL_ERR_MEMORY;
    }
    if (!live->shares) {
        pal_live_carry_basis(model, live->basis);
    }
    pal_newmark_options options = {.dt = dt,
                                   .alpha = model->damping_alpha,
                                   .beta = model->damping_beta,
                                   .newton_iterations = 1};
    live->newmark = pal_newmark_init(live->memory, &model->quartic, NULL, precision, &options);
    pal_body_init_linear(&live->body, model->r, surface->vertex_count, surface->triangle_count,
                         surface->triangle, surface->x, live->basis, pal_newmark_q(live->newmark),
                         pal_newmark_velocity(live->newmark));
    pal_body_attach(&live->body, live->newmark);
    pal_status status = open_surface(live, model, err);
    if (status == PAL_OK) {
        status = open_dent(live, model, err);
    }
    if (status != PAL_OK) {
        return status;
    }
    live->row_bound = live->shares ? live->row_bound : largest_row(&live->body);
    bound_state(live, surface);
    if (live->shares) {
        return PAL_OK;
    }
    hash_live(live, model, dt, precision);
    return open_shell(live, model, how->keep, err);
}

// ---- how the surface feels

void pal_surface_lay_over(const pal_surface_law *from, pal_surface_law *to) {
    enum { COUNT = sizeof *to / sizeof(double) };
    double number[COUNT], old[COUNT];
    memcpy(number, from, sizeof number);
    memcpy(old, to, sizeof old);
    for (int i = 0; i < COUNT; i++) {
        old[i] = isnan(number[i]) ? old[i] : number[i];
    }
    memcpy(to, old, sizeof old);
}

pal_status pal_live_body_set_surface(pal_live_body *live, const pal_model *model,
                                     const pal_surface_law *base, const pal_surface_rule *rule,
                                     int count, pal_err *err) {
    int32_t owner[PAL_SURFACE_LAWS] = {-1}; // the region of each law
    int laws = 1;
    live->law[0] = *base;
    for (int i = 0; i < count; i++) {
        if (rule[i].region[0] == '\0') {
            pal_surface_lay_over(&rule[i].law, &live->law[0]);
        }
    }
    for (int i = 0; i < count; i++) {
        if (rule[i].region[0] == '\0') {
            continue;
        }
        const int32_t g = pal_model_find_region(model, rule[i].region, err);
        int k = 1;
        while (g >= 0 && k < laws && owner[k] != g) {
            k++;
        }
        if (g < 0 || k == PAL_SURFACE_LAWS) {
            return g < 0 ? PAL_ERR_INPUT
                         : pal_fail(err, PAL_ERR_UNSUPPORTED,
                                    "surfaces of more than %d regions; give some regions one law",
                                    PAL_SURFACE_LAWS - 1);
        }
        if (k == laws) {
            owner[laws] = g;
            live->law[laws++] = live->law[0];
        }
        pal_surface_lay_over(&rule[i].law, &live->law[k]);
    }
    for (int64_t t = 0; t < live->body.triangle_count; t++) {
        int k = laws - 1;
        while (k > 0 && owner[k] != live->region_of_triangle[t]) {
            k--;
        }
        live->law_of_triangle[t] = (uint8_t)k;
    }
    return PAL_OK;
}

void pal_live_body_world(pal_live_body *live, pal_world *world) {
    memset(world, 0, sizeof *world);
    if (live->domains != NULL) {
        world->domains = &live->domains->domains;
        world->scene = (pal_contact_scene){.body = &world->domains->body,
                                           .domains = world->domains,
                                           .law = live->law,
                                           .law_of_triangle = live->law_of_triangle};
        return;
    }
    world->tree = &live->tree;
    world->row_bound = live->row_bound;
    world->dent = live->dent;
    world->scene = (pal_contact_scene){.body = &live->body,
                                       .law = live->law,
                                       .law_of_triangle = live->law_of_triangle,
                                       .local = live->local,
                                       .footprint = live->local != NULL ? &live->footprint : NULL,
                                       .region_of_triangle = live->region_of_triangle,
                                       .local_scale = live->local_scale};
    live->body.dent_bound = &world->dent.most;
    live->body.dent_travel = &world->dent.travel;
}

pal_status pal_live_body_open(pal_live_body *live, const pal_model *model,
                              const pal_live_options *options, pal_err *err) {
    memset(live, 0, sizeof *live);
    if (model->r > PAL_MAX_R) {
        return pal_fail(err, PAL_ERR_UNSUPPORTED,
                        "the model has %d basis vectors; a body that runs has at most %d: bake it "
                        "with a smaller basis",
                        (int)model->r, PAL_MAX_R);
    }
    pal_status status = open(live, model, options, err);
    if (status != PAL_OK) {
        pal_live_body_close(live);
    }
    return status;
}

void pal_live_body_close(pal_live_body *live) {
    if (!live->shares) {
        const pal_surface_index index = index_of(live);
        pal_surface_index_close(&index);
        free(live->basis);
    }
    pal_live_tree_close(live->domains);
    pal_dent_free(&live->dent);
    free(live->law_of_triangle);
    free(live->region_of_triangle);
    free(live->local_scale);
    free(live->local_rows);
    free(live->memory);
    memset(live, 0, sizeof *live);
}
