#include "haptics/live_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/parallel.h"
#include "sim/base/vec3.h"
#include "sim/contact/joint_build.h"
#include "sim/model/surface_regions.h"
#include "sim/model/tree_joints.h"

// ---- what identifies it

static void hash_doubles(pal_hash *hash, const double *value, int64_t count) {
    pal_hash_update(hash, value, (size_t)count * sizeof *value);
}

static void hash_class(pal_hash *hash, const pal_domain_class *c, const pal_domain_skin *skin) {
    const int64_t r = c->r;
    const double numbers[] = {(double)r, c->alpha, c->beta, c->mass, (double)c->port_count};
    hash_doubles(hash, numbers, sizeof numbers / sizeof *numbers);
    hash_doubles(hash, c->first, 3);
    hash_doubles(hash, c->second[0], 9);
    hash_doubles(hash, c->lift, 3 * r);
    hash_doubles(hash, c->xu, 9 * r);
    hash_doubles(hash, c->uu, 9 * r * r);
    if (r > 0) {
        hash_doubles(hash, c->quartic.p, pal_pairs(c->r));
        hash_doubles(hash, c->quartic.q, pal_triples(c->r));
        hash_doubles(hash, c->quartic.s, pal_quadruples(c->r));
    }
    for (int32_t k = 0; k < c->port_count; k++) {
        const pal_port *port = &c->port[k];
        hash_doubles(hash, port->x, 3);
        hash_doubles(hash, port->c[0], 9);
        hash_doubles(hash, port->a, 3 * r);
        hash_doubles(hash, port->b, 9 * r);
    }
    hash_doubles(hash, skin->x, 3 * (int64_t)skin->point_count);
    hash_doubles(hash, skin->basis, 3 * (int64_t)skin->point_count * r);
    pal_hash_update(hash, skin->triangle, 3 * (size_t)skin->triangle_count * sizeof(int32_t));
    if (skin->local != NULL) {
        pal_hash_update(hash, skin->local->block,
                        9 * (size_t)skin->local->block_count * sizeof *skin->local->block);
    }
}

// All numbers that a tick depends on.
static void hash_live(pal_live_body *live, const pal_live_tree_options *how) {
    const pal_live_tree *t = live->domains;
    const pal_tree *tree = &t->model->tree;
    const double numbers[] = {how->dt,        (double)how->inertia, how->wind.speed,
                              how->wind.gust, how->wind.period,     tree->flies ? 1.0 : 0.0};
    pal_hash hash;
    pal_hash_init(&hash);
    hash_doubles(&hash, numbers, sizeof numbers / sizeof *numbers);
    hash_doubles(&hash, how->gravity, 3);
    hash_doubles(&hash, how->wind.direction, 3);
    hash_doubles(&hash, tree->root_x, 3);
    hash_doubles(&hash, tree->root_turn[0], 9);
    for (int32_t k = 0; k < tree->class_count; k++) {
        hash_class(&hash, &tree->class_[k], &t->skin[k]);
    }
    for (int32_t i = 0; i < tree->domain_count; i++) {
        const pal_domain *d = &tree->domain[i];
        const double own[] = {(double)d->kind, (double)d->parent, (double)d->port, d->scale,
                              d->stiffness};
        hash_doubles(&hash, own, sizeof own / sizeof *own);
        hash_doubles(&hash, d->rest[0], 9);
    }
    for (int32_t k = 0; t->joints != NULL && k < t->joints->count; k++) {
        const pal_joint *joint = &t->joints->item[k];
        pal_hash_update(&hash, joint->d,
                        3 * (size_t)joint->count * (size_t)joint->stride * sizeof *joint->d);
    }
    pal_hash_text(&hash, live->hash);
}

// ---- the wind

// A domain has the drag of its mean shadow, a quarter of its surface (Cauchy), in air of
// 1.2 kg/m^3: 1/2 rho A / m, with a coefficient of 1.
static double drag_of(const pal_domain_skin *skin, const pal_domain_class *class_, double scale) {
    double area = 0.0;
    for (int32_t t = 0; t < skin->triangle_count; t++) {
        const int32_t *corner = skin->triangle + 3 * (int64_t)t;
        const double *x = skin->x + 3 * (int64_t)corner[0];
        double ab[3], ac[3], n[3];
        pal_sub3(skin->x + 3 * (int64_t)corner[1], x, ab);
        pal_sub3(skin->x + 3 * (int64_t)corner[2], x, ac);
        pal_cross3(ab, ac, n);
        area += 0.5 * pal_norm3(n);
    }
    return 0.5 * 1.2 * 0.25 * area / (class_->mass * scale);
}

// How late the gusts are at a domain: they go with the mean wind, and no slower than a walk.
static pal_status open_wind(pal_live_tree *t, const pal_wind *wind, pal_err *err) {
    const pal_tree *tree = &t->model->tree;
    const int32_t n = tree->domain_count;
    t->wind = *wind;
    t->drag = PAL_NEW(double, n, err);
    t->phase = PAL_NEW(double, 2 * PAL_WIND_WAVES * (size_t)n, err);
    if (t->drag == NULL || t->phase == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t kind = tree->domain[i].kind;
        double x[3], turn[3][3];
        pal_tree_frame(t->state, i, x, turn);
        t->drag[i] = drag_of(&t->skin[kind], &tree->class_[kind], tree->domain[i].scale);
        for (int k = 0; k < PAL_WIND_WAVES && wind->period > 0.0; k++) {
            const double late = pal_dot3(x, wind->direction) / fmax(wind->speed, 1.0);
            double *phase = t->phase + 2 * (PAL_WIND_WAVES * (int64_t)i + k);
            phase[0] = cos(pal_wind_rate(wind, k) * late);
            phase[1] = sin(pal_wind_rate(wind, k) * late);
        }
    }
    return PAL_OK;
}

// ---- opening

static pal_status open_skins(pal_live_tree *t, pal_err *err) {
    t->skin = PAL_NEW(pal_domain_skin, t->model->class_count, err);
    for (int32_t k = 0; t->skin != NULL && k < t->model->class_count; k++) {
        const pal_model *model = &t->model->body[k];
        const pal_surface *surface = &model->surface;
        double *basis = PAL_NEW(double, 3 * (size_t)surface->vertex_count * (size_t)model->r, err);
        if (basis == NULL) {
            return PAL_ERR_MEMORY;
        }
        if (model->r > 0) {
            pal_live_carry_basis(model, basis);
        }
        t->skin[k] = (pal_domain_skin){.point_count = surface->vertex_count,
                                       .triangle_count = surface->triangle_count,
                                       .triangle = surface->triangle,
                                       .x = surface->x,
                                       .basis = basis,
                                       .local = model->local.row_count > 0 ? &model->local : NULL,
                                       .embedding = &model->embedding,
                                       .vertex_x = model->mesh.x};
    }
    return t->skin != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

typedef struct opening {
    pal_live_tree *tree;
    const pal_live_tree_options *how;
    pal_status status[2];
    pal_err err[2];
} opening;

static void open_half(void *context, int index, int thread) {
    opening *o = context;
    pal_live_tree *t = o->tree;
    (void)thread;
    if (index == 0) {
        o->status[0] = pal_domains_open(&t->domains, t->state, t->skin, t->joints, o->how->feature,
                                        o->how->keep, &o->err[0]);
    } else if (t->joints == &t->own_joints) {
        o->status[1] =
            pal_tree_joints_build(t->model, PAL_TREE_MOST_JOINTS, NULL, &t->own_joints, &o->err[1]);
    }
}

// The surfaces; and where they meet, if the model does not say, side by side with them.
static pal_status open_contact(pal_live_tree *t, const pal_live_tree_options *how, pal_err *err) {
    opening o = {.tree = t, .how = how};
    t->joints = how->no_dents                   ? NULL
                : pal_tree_joints_fit(t->model) ? &t->model->joints
                                                : &t->own_joints;
    pal_parallel_for(2, open_half, &o);
    if (t->joints != NULL && t->joints->count == 0) {
        t->domains.joints = NULL;
    }
    for (int k = 0; k < 2; k++) {
        if (o.status[k] != PAL_OK) {
            if (err != NULL) {
                *err = o.err[k];
            }
            return o.status[k];
        }
    }
    return PAL_OK;
}

static pal_status open(pal_live_body *live, const pal_live_tree_options *how, pal_err *err) {
    pal_live_tree *t = live->domains;
    const pal_tree_options options = {
        .dt = how->dt,
        .inertia = how->inertia,
        .gravity = {how->gravity[0], how->gravity[1], how->gravity[2]},
        .threads = how->threads};
    pal_status status = pal_tree_open(&t->model->tree, &options, &t->state, err);
    if (status == PAL_OK) {
        status = open_skins(t, err);
    }
    if (status == PAL_OK) {
        status = open_contact(t, how, err);
    }
    if (status == PAL_OK) {
        status = open_wind(t, &how->wind, err);
    }
    if (status == PAL_OK) {
        live->law[0] = PAL_SURFACE_LAW_DEFAULT;
        hash_live(live, how);
    }
    return status;
}

pal_status pal_live_tree_open(pal_live_body *live, const pal_tree_model *model,
                              const pal_live_tree_options *options, pal_err *err) {
    memset(live, 0, sizeof *live);
    live->domains = PAL_NEW(pal_live_tree, 1, err);
    if (live->domains == NULL) {
        return PAL_ERR_MEMORY;
    }
    live->domains->model = model;
    live->dt = options->dt;
    live->feature = options->feature;
    pal_status status = open(live, options, err);
    if (status != PAL_OK) {
        pal_live_body_close(live);
    }
    return status;
}

void pal_live_tree_close(pal_live_tree *t) {
    if (t == NULL) {
        return;
    }
    pal_domains_close(&t->domains);
    pal_joints_free(&t->own_joints);
    pal_tree_close(t->state);
    for (int32_t k = 0; t->skin != NULL && k < t->model->class_count; k++) {
        free((double *)t->skin[k].basis);
    }
    free(t->skin);
    free(t->drag);
    free(t->phase);
    free(t);
}

// ---- how the surface feels

typedef struct named_laws {
    int count;                            // the first is of all that has no rule
    const char *region[PAL_SURFACE_LAWS]; // of each
} named_laws;

static pal_status take_rules(pal_live_body *live, const pal_surface_rule *rule, int count,
                             named_laws *laws, pal_err *err) {
    for (int i = 0; i < count; i++) {
        if (rule[i].region[0] == '\0') {
            pal_surface_lay_over(&rule[i].law, &live->law[0]);
        }
    }
    for (int i = 0; i < count; i++) {
        int k = 1;
        while (k < laws->count && strcmp(laws->region[k], rule[i].region) != 0) {
            k++;
        }
        if (rule[i].region[0] == '\0') {
            continue;
        }
        if (k == PAL_SURFACE_LAWS) {
            return pal_fail(err, PAL_ERR_UNSUPPORTED,
                            "surfaces of more than %d regions; give some regions one law",
                            PAL_SURFACE_LAWS - 1);
        }
        if (k == laws->count) {
            laws->region[laws->count++] = rule[i].region;
            live->law[k] = live->law[0];
        }
        pal_surface_lay_over(&rule[i].law, &live->law[k]);
    }
    return PAL_OK;
}

// law [triangle_count] of a class; `used` gets a mark for each law that it has.
static pal_status laws_of_class(const pal_model *model, const named_laws *laws, uint8_t *law,
                                bool *used, pal_err *err) {
    uint16_t *region = PAL_NEW(uint16_t, model->surface.triangle_count, err);
    pal_status status =
        region != NULL ? pal_model_surface_regions(model, region, err) : PAL_ERR_MEMORY;
    for (int64_t t = 0; status == PAL_OK && t < model->surface.triangle_count; t++) {
        int k = laws->count - 1;
        while (k > 0 && strcmp(laws->region[k], model->region[region[t]].name) != 0) {
            k--;
        }
        law[t] = (uint8_t)k;
        used[k] = true;
    }
    free(region);
    return status;
}

static pal_status spread_laws(pal_live_body *live, const named_laws *laws, pal_err *err) {
    const pal_domains *d = &live->domains->domains;
    const pal_tree_model *model = live->domains->model;
    bool used[PAL_SURFACE_LAWS] = {false};
    uint8_t **law = PAL_NEW(uint8_t *, model->class_count, err);
    live->law_of_triangle = PAL_NEW(uint8_t, d->body.triangle_count, err);
    pal_status status = law != NULL && live->law_of_triangle != NULL ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < model->class_count; k++) {
        law[k] = PAL_NEW(uint8_t, model->body[k].surface.triangle_count, err);
        status = law[k] != NULL ? laws_of_class(&model->body[k], laws, law[k], used, err)
                                : PAL_ERR_MEMORY;
    }
    for (int32_t i = 0; status == PAL_OK && i < model->domain_count; i++) {
        const int32_t first = d->first_triangle[i];
        memcpy(live->law_of_triangle + first, law[model->domain[i].kind],
               (size_t)(d->first_triangle[i + 1] - first));
    }
    for (int k = 1; status == PAL_OK && k < laws->count; k++) {
        if (!used[k]) {
            status = pal_fail(err, PAL_ERR_INPUT, "no domain has a region '%.100s' on its surface",
                              laws->region[k]);
        }
    }
    for (int32_t k = 0; law != NULL && k < model->class_count; k++) {
        free(law[k]);
    }
    free(law);
    return status;
}

pal_status pal_live_tree_set_surface(pal_live_body *live, const pal_surface_law *base,
                                     const pal_surface_rule *rule, int count, pal_err *err) {
    named_laws laws = {.count = 1};
    live->law[0] = *base;
    pal_status status = take_rules(live, rule, count, &laws, err);
    return status == PAL_OK && laws.count > 1 ? spread_laws(live, &laws, err) : status;
}
