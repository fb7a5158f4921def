#include "sim/model/tree_unite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"

static const double same = 1e-6; // of a domain's size: vertices nearer than that are one

typedef struct uniting {
    const pal_tree_model *tree;
    const bool *wanted;
    pal_tree_united *out;
    double *x, *turn; // [domain_count][3], [domain_count][3][3] the frames at rest
    int32_t **at;     // [domain_count][vertices of its class] in the united mesh
    pal_err *err;
} uniting;

static bool is_in(const uniting *u, int32_t i) {
    return u->wanted == NULL || u->wanted[i];
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
        if (tree->class_[tree->domain[i].kind].r == 0) {
            return pal_fail(u->err, PAL_ERR_UNSUPPORTED,
                            "the domain '%s' is rigid, and full elements are not",
                            tree->domain_name[i]);
        }
    }
    return PAL_OK;
}

static pal_status alloc(uniting *u) {
    const pal_tree_model *tree = u->tree;
    pal_model *model = &u->out->model;
    int64_t vertices = pal_tree_free_vertices(tree, u->wanted), elements = 0, regions = 0;
    int64_t points = 0, triangles = 0;
    vertices += held_count(body_of(tree, 0));
    for (int32_t i = 0; i < tree->domain_count; i++) {
        const pal_model *body = body_of(tree, i);
        elements += is_in(u, i) ? body->mesh.element_count : 0;
        regions += is_in(u, i) ? body->region_count : 0;
        points += is_in(u, i) ? body->surface.vertex_count : 0;
        triangles += is_in(u, i) ? body->surface.triangle_count : 0;
    }
    if (vertices > INT32_MAX / 3 || elements > INT32_MAX / 8 || triangles > INT32_MAX / 3) {
        return pal_fail(u->err, PAL_ERR_UNSUPPORTED, "the domains are too large for one mesh");
    }
    const pal_volmesh *like = &body_of(tree, 0)->mesh;
    pal_status status = pal_volmesh_alloc(&model->mesh, like->kind, (int32_t)vertices,
                                          (int32_t)elements, (int32_t)regions, u->err);
    if (status == PAL_OK) {
        status = pal_surface_alloc(&model->surface, (int32_t)points, (int32_t)triangles, u->err);
    }
    pal_embedding *e = &model->embedding;
    e->nodes = (int32_t)like->kind;
    e->point_count = (int32_t)points;
    e->vertex = PAL_NEW(int32_t, points * e->nodes, u->err);
    e->weight = PAL_NEW(double, points * e->nodes, u->err);
    model->held = PAL_NEW(uint8_t, vertices, u->err);
    model->region_count = (int32_t)regions;
    model->region = PAL_NEW(pal_model_region, regions, u->err);
    u->out->domain = PAL_NEW(int32_t, vertices, u->err);
    u->out->vertex = PAL_NEW(int32_t, vertices, u->err);
    u->out->triangle = PAL_NEW(int32_t, triangles, u->err);
    u->x = PAL_NEW(double, 3 * (size_t)tree->domain_count, u->err);
    u->turn = PAL_NEW(double, 9 * (size_t)tree->domain_count, u->err);
    u->at = PAL_NEW(int32_t *, tree->domain_count, u->err);
    for (int32_t i = 0; u->at != NULL && i < tree->domain_count; i++) {
        u->at[i] =
            is_in(u, i) ? PAL_NEW(int32_t, body_of(tree, i)->mesh.vertex_count, u->err) : NULL;
        status = is_in(u, i) && u->at[i] == NULL ? PAL_ERR_MEMORY : status;
    }
    const bool all = e->vertex && e->weight && model->held && model->region && u->out->domain &&
                     u->out->vertex && u->out->triangle && u->x && u->turn && u->at;
    return status == PAL_OK && !all ? PAL_ERR_MEMORY : status;
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

static pal_status join_vertices(uniting *u, int32_t i, int32_t *count) {
    const pal_model *body = body_of(u->tree, i);
    const int32_t parent = u->tree->domain[i].parent;
    pal_model *to = &u->out->model;
    for (int32_t v = 0; v < body->mesh.vertex_count; v++) {
        double x[3];
        place(u, i, body->mesh.x + 3 * (int64_t)v, x);
        const bool held = body->held != NULL && body->held[v];
        if (held && parent >= 0) {
            const int32_t there = find_held(u, i, x);
            if (there < 0) {
                return pal_fail(u->err, PAL_ERR_UNSUPPORTED,
                                "'%s' does not hang on '%s' vertex by vertex",
                                u->tree->domain_name[i], u->tree->domain_name[parent]);
            }
            u->at[i][v] = u->at[parent][there];
            continue;
        }
        memcpy(to->mesh.x + 3 * (int64_t)*count, x, sizeof x);
        to->held[*count] = held;
        u->out->domain[*count] = i;
        u->out->vertex[*count] = v;
        u->at[i][v] = (*count)++;
    }
    return PAL_OK;
}

// ---- what is made of them

typedef struct filled { // so far
    int32_t elements, regions, points, triangles;
    int32_t of_all; // triangles of all domains
} filled;

static void take_elements(uniting *u, int32_t i, filled *f) {
    const pal_model *body = body_of(u->tree, i);
    const int nodes = (int)body->mesh.kind;
    pal_model *to = &u->out->model;
    for (int32_t e = 0; e < body->mesh.element_count; e++) {
        const int64_t at = (int64_t)(f->elements + e) * nodes;
        for (int k = 0; k < nodes; k++) {
            to->mesh.element[at + k] = u->at[i][body->mesh.element[(int64_t)e * nodes + k]];
        }
        to->mesh.region[f->elements + e] = f->regions + body->mesh.region[e];
    }
    for (int32_t g = 0; g < body->region_count; g++) {
        pal_model_region *region = &to->region[f->regions + g];
        snprintf(region->name, sizeof region->name, "%s", u->tree->domain_name[i]);
        region->material = body->region[g].material;
        region->material.young *= u->tree->domain[i].stiffness;
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
            e->vertex[at] = u->at[i][from->vertex[p * e->nodes + k]];
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
    int32_t vertices = 0;
    pal_status status = check(u);
    if (status == PAL_OK) {
        status = alloc(u);
    }
    if (status == PAL_OK) {
        pal_tree_rest_frames(&tree->tree, u->x, u->turn);
    }
    for (int32_t i = 0; status == PAL_OK && i < tree->domain_count; i++) {
        if (is_in(u, i)) {
            status = join_vertices(u, i, &vertices);
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

pal_status pal_tree_unite(const pal_tree_model *tree, const bool *wanted, pal_tree_united *united,
                          pal_err *err) {
    uniting u = {.tree = tree, .wanted = wanted, .out = united, .err = err};
    memset(united, 0, sizeof *united);
    const pal_status status = unite(&u);
    for (int32_t i = 0; u.at != NULL && i < tree->domain_count; i++) {
        free(u.at[i]);
    }
    free(u.at);
    free(u.x);
    free(u.turn);
    if (status != PAL_OK) {
        pal_tree_united_free(united);
    }
    return status;
}

void pal_tree_united_free(pal_tree_united *united) {
    pal_model_free(&united->model);
    free(united->domain);
    free(united->vertex);
    free(united->triangle);
    memset(united, 0, sizeof *united);
}
