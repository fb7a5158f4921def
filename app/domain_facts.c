#include "app/domain_facts.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/packed.h"
#include "sim/base/vec3.h"
#include "sim/mesh/faces.h"
#include "sim/substruct/tree_step.h"

enum { LEAST_MODES = 4 };

void pal_domain_facts_free(pal_domain_facts *facts) {
    free(facts->domain);
    free(facts->class_name);
    free(facts->edge);
    memset(facts, 0, sizeof *facts);
}

// ---- a class: what its instances have in common, at scale 1

typedef struct class_fact {
    double mass, area, spread[3];
    int32_t shared;
} class_fact;

static pal_status measure_area(const pal_class_spec *spec, class_fact *fact, pal_err *err) {
    int32_t *face, count;
    pal_status status = pal_boundary_faces(spec->mesh, &face, &count, err);
    for (int32_t f = 0; status == PAL_OK && f < count; f++) {
        int32_t corner[4];
        const int corners = pal_face_vertices(spec->mesh, face[f], corner);
        bool all = true;
        for (int c = 0; c < corners; c++) {
            all = all && spec->held[corner[c]];
        }
        fact->area += all ? pal_face_area(spec->mesh, face[f]) : 0.0;
    }
    free(status == PAL_OK ? face : NULL);
    return status;
}

// The eigenvalues of C of the held vertices.
static pal_status measure_spread(const pal_class_spec *spec, class_fact *fact, pal_err *err) {
    const int32_t n = spec->mesh->vertex_count;
    int32_t *vertex = PAL_NEW(int32_t, n, err), count = 0;
    double *weight = PAL_NEW(double, n, err), x[3], c[3][3], value[3] = {0.0, 0.0, 0.0};
    pal_status status = vertex && weight ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t v = 0; status == PAL_OK && v < n; v++) {
        if (spec->held[v]) {
            weight[count] = spec->held_weight != NULL ? spec->held_weight[v] : 0.0;
            vertex[count++] = v;
        }
    }
    fact->shared = count;
    if (status == PAL_OK && spec->held_weight == NULL) {
        status = pal_interface_weights(spec->mesh, count, vertex, weight, err);
    }
    if (status == PAL_OK) {
        pal_interface_moments(spec->mesh, count, vertex, weight, x, c);
        if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 3, &c[0][0], 3, value) != 0) {
            status =
                pal_fail(err, PAL_ERR_NUMERIC, "'%s': no eigenvalues of its interface", spec->name);
        }
    }
    for (int k = 0; status == PAL_OK && k < 3; k++) {
        const double rounding = 1e-12 * value[2];
        fact->spread[k] = value[2 - k] > rounding ? sqrt(value[2 - k]) : 0.0;
    }
    free(vertex);
    free(weight);
    return status;
}

static pal_status measure_mass(const pal_volmesh *mesh, const pal_material *material, double *mass,
                               pal_err *err) {
    double first[3];
    for (int32_t e = 0; e < mesh->element_count; e++) {
        if (isnan(material[mesh->region[e]].density)) {
            *mass = (double)NAN;
            return PAL_OK;
        }
    }
    return pal_mesh_mass(mesh, material, mass, first, err);
}

static pal_status measure_class(const pal_class_spec *spec, class_fact *fact, pal_err *err) {
    pal_status status = measure_mass(spec->mesh, spec->material, &fact->mass, err);
    if (status == PAL_OK && spec->held != NULL) {
        status = measure_area(spec, fact, err);
    }
    return status == PAL_OK && spec->held != NULL ? measure_spread(spec, fact, err) : status;
}

// ---- a tree

static pal_status tell_tree(const pal_tree_spec *spec, bool knows_modes, pal_domain_facts *facts,
                            pal_err *err) {
    class_fact *class_ = PAL_NEW(class_fact, spec->class_count, err);
    facts->domain = PAL_NEW(pal_domain_fact, spec->domain_count, err);
    facts->class_name = pal_alloc((size_t)spec->class_count, PAL_DOMAIN_NAME, err);
    pal_status status = class_ && facts->domain && facts->class_name ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < spec->class_count; k++) {
        status = measure_class(&spec->class_[k], &class_[k], err);
        snprintf(facts->class_name[k], PAL_DOMAIN_NAME, "%s", spec->class_[k].name);
    }
    facts->count = status == PAL_OK ? spec->domain_count : 0;
    facts->class_count = spec->class_count;
    facts->is_tree = true;
    facts->flies = spec->flies;
    for (int32_t i = 0; i < facts->count; i++) {
        const pal_domain *domain = &spec->domain[i];
        const pal_class_spec *from = &spec->class_[domain->kind];
        const class_fact *of = &class_[domain->kind];
        const double s = domain->scale;
        pal_domain_fact *to = &facts->domain[i];
        memcpy(to->name, spec->domain_name[i], PAL_DOMAIN_NAME);
        to->parent = domain->parent;
        to->depth = domain->parent < 0 ? 0 : facts->domain[domain->parent].depth + 1;
        to->kind = domain->kind;
        to->elements = from->mesh->element_count;
        to->vertices = from->mesh->vertex_count;
        to->r = knows_modes ? from->basis.size : -1;
        to->mass = of->mass * s * s * s;
        to->shared = of->shared;
        to->area = of->area * s * s;
        for (int c = 0; c < 3; c++) {
            to->spread[c] = of->spread[c] * s;
        }
        to->deviation = (double)NAN;
    }
    free(class_);
    return status;
}

// ---- no tree

static pal_status tell_labels(const pal_domain_cut *cut, const pal_label_graph *graph,
                              pal_domain_facts *facts, pal_err *err) {
    const int32_t n = graph->label_count;
    facts->domain = PAL_NEW(pal_domain_fact, n, err);
    facts->edge = pal_alloc((size_t)graph->edge_count, sizeof *facts->edge, err);
    if (facts->domain == NULL || facts->edge == NULL) {
        return PAL_ERR_MEMORY;
    }
    facts->count = facts->class_count = n;
    for (int32_t d = 0; d < n; d++) {
        pal_domain_fact *to = &facts->domain[d];
        *to = (pal_domain_fact){.parent = -1,
                                .depth = -1,
                                .kind = d,
                                .elements = graph->element_count[d],
                                .r = -1,
                                .mass = (double)NAN,
                                .deviation = (double)NAN};
        memcpy(to->name, cut->labels.name[d], PAL_DOMAIN_NAME);
    }
    for (int32_t k = 0; k < graph->place[graph->mesh->vertex_count]; k++) {
        facts->domain[graph->label_at[k]].vertices++;
    }
    facts->edge_count = graph->edge_count;
    for (int32_t e = 0; e < graph->edge_count; e++) {
        facts->edge[e][0] = graph->edge[e].a;
        facts->edge[e][1] = graph->edge[e].b;
    }
    return PAL_OK;
}

// ---- modes that the user shares

static pal_status share(int32_t modes, int32_t total, pal_domain_facts *facts, pal_err *err) {
    int32_t *elements = PAL_NEW(int32_t, facts->count, err);
    int32_t *r = PAL_NEW(int32_t, facts->count, err);
    pal_status status = elements && r ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t i = 0; status == PAL_OK && i < facts->count; i++) {
        elements[i] = facts->domain[i].elements;
        r[i] = modes > 0 ? modes : -1;
    }
    if (status == PAL_OK && total > 0) {
        status = pal_tree_share_modes(PAL_SHARE_LOGARITHMIC, total, LEAST_MODES,
                                      PAL_DOMAIN_MOST_MODES, facts->count, elements, r, err);
    }
    for (int32_t i = 0; status == PAL_OK && i < facts->count; i++) {
        facts->domain[i].r = r[i];
    }
    free(elements);
    free(r);
    return status;
}

// ---- all of it

// The tree of the labels, when they form one; else the first thing that is wrong in *why.
static pal_status tell_partition(const pal_domain_cut *cut, pal_domain_facts *facts, pal_err *why,
                                 pal_err *err) {
    const pal_scene_body *body = pal_domain_cut_body(cut);
    const char **name = PAL_NEW(const char *, cut->labels.count, err);
    int32_t *class_of = PAL_NEW(int32_t, cut->labels.count, err);
    pal_partition parts = {0};
    pal_class_spec *class_ = NULL;
    pal_tree_spec spec = {0};
    pal_status status = name && class_of ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t d = 0; status == PAL_OK && d < cut->labels.count; d++) {
        name[d] = cut->labels.name[d];
    }
    const int32_t classes =
        status == PAL_OK ? pal_domain_labels_classes(&cut->labels, class_of) : 0;
    const pal_partition_spec wanted = {.mesh = &body->mesh,
                                       .label_count = cut->labels.count,
                                       .label = cut->labels.label,
                                       .name = name,
                                       .fixed = body->held,
                                       .root = -1,
                                       .class_count = classes,
                                       .class_of = class_of};
    if (status == PAL_OK && pal_partition_make(&wanted, &parts, why) == PAL_OK) {
        class_ = PAL_NEW(pal_class_spec, parts.class_count, err);
        status = class_ != NULL ? PAL_OK : PAL_ERR_MEMORY;
        for (int32_t d = parts.domain_count - 1; status == PAL_OK && d >= 0; d--) {
            pal_class_spec *to = &class_[parts.domain[d].kind]; // named by its first domain
            pal_class_spec_take_part(to, &parts.part[parts.domain[d].kind]);
            to->material = body->material;
            to->name = parts.name[d];
        }
        if (status == PAL_OK) {
            pal_tree_spec_take_partition(&spec, &parts, class_);
            status = tell_tree(&spec, false, facts, err);
        }
    }
    pal_partition_free(&parts);
    free(class_);
    free(class_of);
    free(name);
    return status;
}

pal_status pal_domain_facts_make(const pal_domain_cut *cut, int32_t modes, int32_t total,
                                 pal_domain_facts *facts, pal_err *err) {
    memset(facts, 0, sizeof *facts);
    pal_status status = PAL_OK;
    if (cut->tree.spec.domain_count > 0) {
        status = tell_tree(&cut->tree.spec, true, facts, err);
    } else {
        pal_label_graph graph;
        pal_err why = {0};
        status = pal_label_graph_make(&pal_domain_cut_body(cut)->mesh, cut->labels.label,
                                      cut->labels.count, &graph, err);
        if (status != PAL_OK) {
            return status;
        }
        status = pal_domain_problems_find(&graph, &cut->labels, &facts->problems, err);
        if (status == PAL_OK) {
            status = tell_partition(cut, facts, &why, err);
        }
        if (status == PAL_OK && why.status != PAL_OK && facts->problems.count == 0) {
            pal_domain_problems_add(&facts->problems, "%.500s", why.text);
        }
        if (status == PAL_OK && !facts->is_tree) {
            status = tell_labels(cut, &graph, facts, err);
        }
        pal_label_graph_free(&graph);
        if (status == PAL_OK && facts->is_tree && modes + total > 0) {
            status = share(modes, total, facts, err);
        }
    }
    if (status != PAL_OK) {
        pal_domain_facts_free(facts);
    }
    return status;
}

// ---- how far the interfaces are from rigid

// q along the lowest mode of a class, so that no vertex moves by more than bend times the extent.
static pal_status bend_class(const pal_model *body, const pal_domain_class *class_, double bend,
                             double *q, pal_err *err) {
    const int32_t r = class_->r;
    double *k = PAL_NEW(double, (size_t)r *(size_t)r, err), value[PAL_DOMAIN_MOST_MODES];
    if (k == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int32_t j = 0; j < r; j++) {
        for (int32_t i = 0; i <= j; i++) {
            k[i * r + j] = class_->quartic.p[pal_pair_at(i, j)];
        }
    }
    if (LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', r, k, r, value) != 0) {
        free(k);
        return pal_fail(err, PAL_ERR_NUMERIC, "'%s': no eigenvalues of its stiffness",
                        class_->name);
    }
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double farthest = 0.0;
    for (int32_t v = 0; v < body->mesh.vertex_count; v++) {
        double u[3] = {0.0, 0.0, 0.0};
        for (int c = 0; c < 3; c++) {
            const double x = body->mesh.x[3 * (int64_t)v + c];
            low[c] = fmin(low[c], x);
            high[c] = fmax(high[c], x);
            for (int32_t i = 0; i < r; i++) {
                u[c] += body->basis[(3 * (int64_t)v + c) * r + i] * k[i * r];
            }
        }
        farthest = fmax(farthest, pal_norm3(u));
    }
    const double extent = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    for (int32_t i = 0; i < r; i++) {
        q[i] = farthest > 0.0 ? bend * extent / farthest * k[i * r] : 0.0;
    }
    free(k);
    return PAL_OK;
}

pal_status pal_domain_facts_bend(const pal_tree_model *model, double bend, pal_domain_facts *facts,
                                 pal_err *err) {
    const pal_tree_options options = {.dt = 1e-3, .inertia = PAL_INERTIA_EXACT, .threads = 1};
    const size_t most = PAL_DOMAIN_MOST_MODES;
    double *q = PAL_NEW(double, most *(size_t)model->class_count, err);
    pal_tree_state *state = NULL;
    pal_status status =
        q != NULL ? pal_tree_open(&model->tree, &options, &state, err) : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < model->class_count; k++) {
        if (model->class_[k].r > 0) {
            status =
                bend_class(&model->body[k], &model->class_[k], bend, q + most * (size_t)k, err);
        }
    }
    for (int32_t i = 0; status == PAL_OK && i < model->domain_count; i++) {
        pal_tree_set(state, i, q + most * (size_t)model->domain[i].kind, NULL, NULL);
    }
    if (status == PAL_OK) {
        pal_tree_settle(state);
    }
    for (int32_t i = 1; status == PAL_OK && i < model->domain_count; i++) {
        facts->domain[i].deviation = pal_tree_gap(state, i);
    }
    pal_tree_close(state);
    free(q);
    return status;
}
