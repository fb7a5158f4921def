#include "sim/model/tree_unite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/mesh/embed_build.h"

static const double same = 1e-6; // of a domain's size: vertices nearer than that are one

typedef struct uniting {
    const pal_tree_model *tree;
    pal_unite_options options;
    pal_tree_united *out;
    double *x, *turn; // [domain_count][3], [domain_count][3][3] the frames at rest
    pal_err *err;
} uniting;

static bool is_in(const uniting *u, int32_t i) {
    return u->options.wanted == NULL || u->options.wanted[i];
}

static const pal_model *body_of(const pal_tree_model *tree, int32_t i) {
    return &tree->body[tree->domain[i].kind];
}

static void place(const uniting *u, int32_t i, const double rest[3], double x[3]) {
    const double *turn = u->turn + 9 * (int64_t)i, scale = u->tree->domain[i].scale;
    for (int k = 0; k < 3; k++) {
        x[k] = u->x[3 * (int64_t)i + k] + scale * pal_dot3(turn + 3 * k, rest);
    }
}

// The other way: a place in the world at rest, in the axes and the size of a domain's class.
static void unplace(const uniting *u, int32_t i, const double x[3], double rest[3]) {
    const double *turn = u->turn + 9 * (int64_t)i, scale = u->tree->domain[i].scale;
    double away[3];
    pal_sub3(x, u->x + 3 * (int64_t)i, away);
    for (int k = 0; k < 3; k++) {
        rest[k] = (turn[k] * away[0] + turn[3 + k] * away[1] + turn[6 + k] * away[2]) / scale;
    }
}

static int32_t *place_of(const uniting *u, int32_t i) {
    return u->out->place + u->out->first[i];
}

// ---- sizes

static int32_t held_count(const pal_model *body) {
    int32_t count = 0;
    for (int32_t v = 0; body->held != NULL && v < body->mesh.vertex_count; v++) {
        count += body->held[v] != 0;
    }
    return count;
}

int64_t pal_tree_free_vertices(const pal_tree_model *tree, const bool *wanted) {
    int64_t count = 0;
    for (int32_t i = 0; i < tree->domain_count; i++) {
        if (wanted == NULL || wanted[i]) { // (what is held of a child is its parent's)
            count += body_of(tree, i)->mesh.vertex_count - held_count(body_of(tree, i));
        }
    }
    return count;
}

static pal_status check(const uniting *u) {
    const pal_tree_model *tree = u->tree;
    for (int32_t i = 0; i < tree->domain_count; i++) {
        if (!is_in(u, i)) {
            continue;
        }
        if (body_of(tree, i)->mesh.kind != body_of(tree, 0)->mesh.kind) {
            return pal_fail(u->err, PAL_ERR_UNSUPPORTED,
                            "the domains '%s' and '%s' have other kinds of elements",
                            tree->domain_name[0], tree->domain_name[i]);
        }
        if (tree->class_[tree->domain[i].kind].r == 0 && !(u->options.rigid > 0.0)) {
            return pal_fail(u->err, PAL_ERR_UNSUPPORTED,
                            "the domain '%s' is rigid, and full elements are not",
                            tree->domain_name[i]);
        }
    }
    return PAL_OK;
}

typedef struct sizes {
    int64_t vertices, held, elements, regions, points, triangles;
} sizes;

// Of all domains that are in it, as if none met; held: by parents.
static sizes add_up(const uniting *u) {
    sizes of = {0};
    for (int32_t i = 0; i < u->tree->domain_count; i++) {
        const pal_model *body = body_of(u->tree, i);
        u->out->first[i] = is_in(u, i) ? of.vertices : -1;
        if (is_in(u, i)) {
            of.vertices += body->mesh.vertex_count;
            of.held += i > 0 ? held_count(body) : 0;
            of.elements += body->mesh.element_count;
            of.regions += body->region_count;
            of.points += body->surface.vertex_count;
            of.triangles += body->surface.triangle_count;
        }
    }
    return of;
}

static pal_status alloc_lists(uniting *u, const sizes *n) {
    pal_model *model = &u->out->model;
    pal_embedding *e = &model->embedding;
    e->nodes = (int32_t)model->mesh.kind;
    e->point_count = (int32_t)n->points;
    e->vertex = PAL_NEW(int32_t, n->points * e->nodes, u->err);
    e->weight = PAL_NEW(double, n->points * e->nodes, u->err);
    model->held = PAL_NEW(uint8_t, n->vertices, u->err);
    model->region_count = (int32_t)n->regions;
    model->region = PAL_NEW(pal_model_region, n->regions, u->err);
    u->out->domain = PAL_NEW(int32_t, n->vertices, u->err);
    u->out->vertex = PAL_NEW(int32_t, n->vertices, u->err);
    u->out->place = PAL_NEW(int32_t, n->vertices, u->err);
    u->out->triangle = PAL_NEW(int32_t, n->triangles, u->err);
    u->x = PAL_NEW(double, 3 * (size_t)u->tree->domain_count, u->err);
    u->turn = PAL_NEW(double, 9 * (size_t)u->tree->domain_count, u->err);
    const bool all = e->vertex && e->weight && model->held && model->region && u->out->domain &&
                     u->out->vertex && u->out->place && u->out->triangle && u->x && u->turn;
    return all ? pal_ties_alloc(&u->out->ties, (int32_t)n->held, n->held * e->nodes, u->err)
               : PAL_ERR_MEMORY;
}

// Room for shares, all whole, where some body has them.
static pal_status alloc_shares(uniting *u) {
    pal_volmesh *mesh = &u->out->model.mesh;
    bool any = false;
    for (int32_t i = 0; i < u->tree->domain_count; i++) {
        any = any || body_of(u->tree, i)->mesh.share != NULL;
    }
    mesh->share = any ? PAL_NEW(double, mesh->element_count, u->err) : NULL;
    for (int32_t e = 0; mesh->share != NULL && e < mesh->element_count; e++) {
        mesh->share[e] = 1.0;
    }
    return any && mesh->share == NULL ? PAL_ERR_MEMORY : PAL_OK;
}

static pal_status alloc(uniting *u) {
    const pal_volmesh *like = &body_of(u->tree, 0)->mesh;
    pal_model *model = &u->out->model;
    u->out->first = PAL_NEW(int64_t, u->tree->domain_count, u->err);
    if (u->out->first == NULL) {
        return PAL_ERR_MEMORY;
    }
    const sizes n = add_up(u);
    if (n.vertices > INT32_MAX / 3 || n.elements > INT32_MAX / 64 || n.triangles > INT32_MAX / 3) {
        return pal_fail(u->err, PAL_ERR_UNSUPPORTED, "the domains are too large for one mesh");
    }
    pal_status status = pal_volmesh_alloc(&model->mesh, like->kind, (int32_t)n.vertices,
                                          (int32_t)n.elements, (int32_t)n.regions, u->err);
    if (status == PAL_OK) {
        status = alloc_shares(u);
    }
    if (status == PAL_OK) {
        status =
            pal_surface_alloc(&model->surface, (int32_t)n.points, (int32_t)n.triangles, u->err);
    }
    return status == PAL_OK ? alloc_lists(u, &n) : status;
}

// ---- vertices

// The parent's vertex at the place of one that is held by it; -1: there is none.
static int32_t find_held(const uniting *u, int32_t i, const double x[3]) {
    const pal_domain *domain = &u->tree->domain[i];
    const int32_t parent = domain->parent;
    const pal_port *port = &u->tree->class_[u->tree->domain[parent].kind].port[domain->port];
    double nearest = INFINITY, size = 0.0;
    int32_t found = -1;
    for (int32_t k = 0; k < port->vertex_count; k++) {
        const double *rest = body_of(u->tree, parent)->mesh.x + 3 * (int64_t)port->vertex[k];
        double there[3], away[3];
        place(u, parent, rest, there);
        pal_sub3(there, x, away);
        size = fmax(size, pal_norm3(away));
        if (pal_norm3(away) < nearest) {
            nearest = pal_norm3(away);
            found = port->vertex[k];
        }
    }
    return nearest <= same * size ? found : -1;
}

static int32_t add_vertex(uniting *u, int32_t i, int32_t v, const double x[3], bool held) {
    const int32_t at = u->out->model.mesh.vertex_count++;
    memcpy(u->out->model.mesh.x + 3 * (int64_t)at, x, 3 * sizeof *x);
    u->out->model.held[at] = held;
    u->out->domain[at] = i;
    u->out->vertex[at] = v;
    return at;
}

typedef struct loose { // vertices of a domain's interface that meet none of its parent's
    int32_t count;
    int32_t *vertex;        // [count]
    double *x;              // [count][3] in the axes and the size of the parent's class
    double low[3], high[3]; // of the whole interface, so too
} loose;

static pal_status alloc_loose(loose *l, int32_t most, pal_err *err) {
    *l = (loose){.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    l->vertex = PAL_NEW(int32_t, most, err);
    l->x = PAL_NEW(double, 3 * (size_t)most, err);
    return l->vertex != NULL && l->x != NULL ? PAL_OK : PAL_ERR_MEMORY;
}

// One vertex of the interface, at x: the parent's vertex there, or one more loose one.
static void join_held(uniting *u, int32_t i, int32_t v, const double x[3], loose *l) {
    const int32_t parent = u->tree->domain[i].parent, there = find_held(u, i, x);
    double rest[3];
    unplace(u, parent, x, rest);
    for (int c = 0; c < 3; c++) {
        l->low[c] = fmin(l->low[c], rest[c]);
        l->high[c] = fmax(l->high[c], rest[c]);
    }
    if (there >= 0) {
        place_of(u, i)[v] = place_of(u, parent)[there];
    } else {
        memcpy(l->x + 3 * (int64_t)l->count, rest, sizeof rest);
        l->vertex[l->count++] = v;
    }
}

// By the parent's element that it is in or nearest to; the corner itself where it is at one.
static void tie(uniting *u, int32_t i, int32_t v, const pal_embedding *in, int32_t at) {
    const int32_t parent = u->tree->domain[i].parent;
    const double *weight = in->weight + (int64_t)at * in->nodes;
    int32_t carrier[8], most = 0;
    double x[3], rest = 0.0;
    for (int32_t k = 0; k < in->nodes; k++) {
        carrier[k] = place_of(u, parent)[in->vertex[(int64_t)at * in->nodes + k]];
        most = fabs(weight[k]) > fabs(weight[most]) ? k : most;
        rest += fabs(weight[k]);
    }
    if (rest - fabs(weight[most]) < same) {
        place_of(u, i)[v] = carrier[most];
        return;
    }
    place(u, i, body_of(u->tree, i)->mesh.x + 3 * (int64_t)v, x);
    place_of(u, i)[v] = add_vertex(u, i, v, x, false);
    pal_ties_add(&u->out->ties, place_of(u, i)[v], in->nodes, carrier, weight);
}

static pal_status tie_loose(uniting *u, int32_t i, const loose *l) {
    const int32_t parent = u->tree->domain[i].parent;
    pal_embedding in;
    double beside, wide[3];
    pal_status status =
        pal_embedding_build(&body_of(u->tree, parent)->mesh, l->x, l->count, &in, &beside, u->err);
    if (status != PAL_OK) {
        return status;
    }
    pal_sub3(l->high, l->low, wide);
    if (beside > pal_norm3(wide)) {
        status = pal_fail(u->err, PAL_ERR_UNSUPPORTED,
                          "the interface of '%s' is %.3g m beside the mesh of '%s', which is to "
                          "carry it",
                          u->tree->domain_name[i], beside * u->tree->domain[parent].scale,
                          u->tree->domain_name[parent]);
    }
    for (int32_t k = 0; status == PAL_OK && k < l->count; k++) {
        tie(u, i, l->vertex[k], &in, k);
    }
    u->out->beside = fmax(u->out->beside, beside * u->tree->domain[parent].scale);
    pal_embedding_free(&in);
    return status;
}

static pal_status join_vertices(uniting *u, int32_t i) {
    const pal_model *body = body_of(u->tree, i);
    loose l;
    pal_status status = alloc_loose(&l, held_count(body), u->err);
    for (int32_t v = 0; status == PAL_OK && v < body->mesh.vertex_count; v++) {
        double x[3];
        place(u, i, body->mesh.x + 3 * (int64_t)v, x);
        const bool held = body->held != NULL && body->held[v];
        if (held && i > 0) {
            join_held(u, i, v, x, &l);
        } else {
            place_of(u, i)[v] = add_vertex(u, i, v, x, held);
        }
    }
    if (status == PAL_OK && l.count > 0) {
        status = tie_loose(u, i, &l);
    }
    free(l.vertex);
    free(l.x);
    return status;
}

// ---- what is made of them

typedef struct filled { // so far
    int32_t elements, regions, points, triangles;
    int32_t of_all; // triangles of all domains
} filled;

static void take_elements(uniting *u, int32_t i, filled *f) {
    const pal_model *body = body_of(u->tree, i);
    const int nodes = (int)body->mesh.kind;
    const bool rigid = u->tree->class_[u->tree->domain[i].kind].r == 0;
    pal_model *to = &u->out->model;
    for (int32_t e = 0; e < body->mesh.element_count; e++) {
        const int64_t at = (int64_t)(f->elements + e) * nodes;
        for (int k = 0; k < nodes; k++) {
            to->mesh.element[at + k] = place_of(u, i)[body->mesh.element[(int64_t)e * nodes + k]];
        }
        to->mesh.region[f->elements + e] = f->regions + body->mesh.region[e];
        if (to->mesh.share != NULL) {
            to->mesh.share[f->elements + e] = pal_volmesh_share(&body->mesh, e);
        }
    }
    for (int32_t g = 0; g < body->region_count; g++) {
        pal_model_region *region = &to->region[f->regions + g];
        snprintf(region->name, sizeof region->name, "%s", u->tree->domain_name[i]);
        region->material = body->region[g].material;
        region->material.young *= rigid ? u->options.rigid : u->tree->domain[i].stiffness;
    }
    f->elements += body->mesh.element_count;
    f->regions += body->region_count;
}

static void take_surface(uniting *u, int32_t i, filled *f) {
    const pal_model *body = body_of(u->tree, i);
    const pal_embedding *from = &body->embedding;
    pal_surface *to = &u->out->model.surface;
    pal_embedding *e = &u->out->model.embedding;
    for (int64_t p = 0; p < body->surface.vertex_count; p++) {
        place(u, i, body->surface.x + 3 * p, to->x + 3 * (f->points + p));
        for (int64_t k = 0; k < e->nodes; k++) {
            const int64_t at = (f->points + p) * e->nodes + k;
            e->vertex[at] = place_of(u, i)[from->vertex[p * e->nodes + k]];
            e->weight[at] = from->weight[p * e->nodes + k];
        }
    }
    for (int64_t k = 0; k < 3 * (int64_t)body->surface.triangle_count; k++) {
        to->triangle[3 * (int64_t)f->triangles + k] = f->points + body->surface.triangle[k];
        u->out->triangle[f->triangles + k / 3] = f->of_all + (int32_t)(k / 3);
    }
    f->points += body->surface.vertex_count;
    f->triangles += body->surface.triangle_count;
}

static pal_status unite(uniting *u) {
    const pal_tree_model *tree = u->tree;
    filled f = {0};
    pal_status status = check(u);
    if (status == PAL_OK) {
        status = alloc(u);
    }
    if (status == PAL_OK) {
        u->out->model.mesh.vertex_count = 0; // as they come
        pal_tree_rest_frames(&tree->tree, u->x, u->turn);
    }
    for (int32_t i = 0; status == PAL_OK && i < tree->domain_count; i++) {
        if (is_in(u, i)) {
            status = join_vertices(u, i);
            if (status == PAL_OK) {
                take_elements(u, i, &f);
                take_surface(u, i, &f);
            }
        }
        f.of_all += body_of(tree, i)->surface.triangle_count;
    }
    u->out->model.lumped_mass = body_of(tree, 0)->lumped_mass;
    return status;
}

pal_status pal_tree_unite(const pal_tree_model *tree, const pal_unite_options *options,
                          pal_tree_united *united, pal_err *err) {
    uniting u = {.tree = tree, .out = united, .err = err};
    if (options != NULL) {
        u.options = *options;
    }
    memset(united, 0, sizeof *united);
    const pal_status status = unite(&u);
    free(u.x);
    free(u.turn);
    if (status != PAL_OK) {
        pal_tree_united_free(united);
    }
    return status;
}

void pal_tree_united_free(pal_tree_united *united) {
    pal_model_free(&united->model);
    pal_ties_free(&united->ties);
    free(united->domain);
    free(united->vertex);
    free(united->first);
    free(united->place);
    free(united->triangle);
    memset(united, 0, sizeof *united);
}

pal_status pal_tree_united_fem(const pal_tree_united *united, bool flies, pal_fem *fem,
                               pal_err *err) {
    const pal_model *model = &united->model;
    pal_material *material = PAL_NEW(pal_material, model->region_count, err);
    for (int32_t g = 0; material != NULL && g < model->region_count; g++) {
        material[g] = model->region[g].material;
    }
    const pal_status status =
        material != NULL
            ? pal_fem_init_tied(fem, &model->mesh, material, flies ? NULL : model->held,
                                &united->ties,
                                model->lumped_mass ? PAL_MASS_LUMPED : PAL_MASS_CONSISTENT, err)
            : PAL_ERR_MEMORY;
    free(material);
    return status;
}
