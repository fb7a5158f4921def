#include "sim/model/tree_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/model/field_list.h"

enum { GROUP_NAME = 128 };

// ---- the instances as arrays

pal_status pal_tree_arrays_alloc(pal_tree_arrays *arrays, int32_t domain_count, pal_err *err) {
    *arrays = (pal_tree_arrays){.kind = PAL_NEW(int32_t, domain_count, err),
                                .above = PAL_NEW(int32_t, domain_count, err),
                                .port = PAL_NEW(int32_t, domain_count, err),
                                .rest = PAL_NEW(double, 9 * (size_t)domain_count, err),
                                .scale = PAL_NEW(double, domain_count, err),
                                .stiffness = PAL_NEW(double, domain_count, err)};
    if (arrays->kind && arrays->above && arrays->port && arrays->rest && arrays->scale &&
        arrays->stiffness) {
        return PAL_OK;
    }
    pal_tree_arrays_free(arrays);
    return PAL_ERR_MEMORY;
}

void pal_tree_arrays_free(pal_tree_arrays *arrays) {
    free(arrays->kind);
    free(arrays->above);
    free(arrays->port);
    free(arrays->rest);
    free(arrays->scale);
    free(arrays->stiffness);
    memset(arrays, 0, sizeof *arrays);
}

void pal_tree_arrays_take(pal_tree_arrays *arrays, const pal_tree_model *model) {
    for (int32_t i = 0; i < model->domain_count; i++) {
        const pal_domain *d = &model->domain[i];
        arrays->kind[i] = d->kind;
        arrays->above[i] = d->parent + 1;
        arrays->port[i] = d->parent < 0 ? 0 : d->port;
        memcpy(arrays->rest + 9 * (int64_t)i, d->rest, sizeof d->rest);
        arrays->scale[i] = d->scale;
        arrays->stiffness[i] = d->stiffness;
    }
}

void pal_tree_arrays_give(const pal_tree_arrays *arrays, pal_tree_model *model) {
    for (int32_t i = 0; i < model->domain_count; i++) {
        pal_domain *d = &model->domain[i];
        d->kind = arrays->kind[i];
        d->parent = arrays->above[i] - 1;
        d->port = arrays->port[i];
        memcpy(d->rest, arrays->rest + 9 * (int64_t)i, sizeof d->rest);
        d->scale = arrays->scale[i];
        d->stiffness = arrays->stiffness[i];
    }
}

// ---- fields of a model in the group of its class

typedef struct below {
    pal_field_visit *visit;
    void *context;
    const char *prefix;
} below;

static pal_status visit_below(void *context, const pal_field *field, pal_err *err) {
    const below *b = context;
    char group[GROUP_NAME];
    snprintf(group, sizeof group, "%s%s", b->prefix, field->group);
    pal_field moved = *field;
    moved.group = group;
    return b->visit(b->context, &moved, err);
}

static void class_group(int32_t k, char group[GROUP_NAME]) {
    snprintf(group, GROUP_NAME, "/classes/%d", (int)k);
}

// ---- sizes

pal_status pal_tree_visit_counts(pal_tree_model *model, pal_field_visit *visit, void *context,
                                 pal_err *err) {
    const pal_visitor v = {visit, context, err};
    return PAL_VISIT(&v, GROUP("/tree", "the instances, each a domain; parents before children"),
                     COUNT("/tree", "class_count", &model->class_count, "classes"),
                     COUNT("/tree", "domain_count", &model->domain_count, "instances"),
                     GROUP("/classes", "each class as a body that its parent holds"));
}

pal_status pal_tree_visit_class_sizes(pal_tree_model *model, int32_t k, pal_field_visit *visit,
                                      void *context, pal_err *err) {
    char group[GROUP_NAME], own[GROUP_NAME + 8];
    class_group(k, group);
    snprintf(own, sizeof own, "%s/domain", group);
    const pal_visitor v = {visit, context, err};
    below inner = {visit, context, group};
    pal_status status = PAL_VISIT(&v, GROUP(group, "a class, laid out as a model"));
    if (status == PAL_OK) {
        status = pal_model_visit_sizes(&model->body[k], visit_below, &inner, err);
    }
    return status == PAL_OK ? PAL_VISIT(&v, GROUP(own, "what the run time knows of it beside"),
                                        COUNT(own, "port_count", &model->class_[k].port_count,
                                              "interfaces to children"))
                            : status;
}

pal_status pal_tree_visit_port_sizes(pal_tree_model *model, int32_t k, int32_t *vertex_count,
                                     pal_field_visit *visit, void *context, pal_err *err) {
    const pal_visitor v = {visit, context, err};
    char group[GROUP_NAME];
    snprintf(group, sizeof group, "/classes/%d/domain", (int)k);
    return PAL_VISIT(&v, INDICES(group, "port_vertices", vertex_count, model->class_[k].port_count,
                                 INT32_MAX, "vertices of each port"));
}

// ---- content

static pal_status visit_moments(pal_domain_class *c, const char *group, const pal_visitor *v) {
    const int64_t r = c->r;
    return PAL_VISIT(
        v, TEXT(group, "name", c->name, "of the class"),
        NUMBER(group, "alpha", &c->alpha, "1/s", "Rayleigh damping by mass"),
        NUMBER(group, "beta", &c->beta, "s", "by stiffness"),
        NUMBER(group, "mass", &c->mass, "kg", "of the class at scale 1"),
        LIST(group, "first", c->first, 3, "kg m", "int rho X"),
        TABLE(group, "second", c->second, 3, 3, "kg m^2", "int rho X X^T"),
        TABLE(group, "lift", c->lift, 3, r, "kg^1/2", "T = int rho U"),
        TABLE(group, "xu", c->xu, r, 9, "kg^1/2 m", "int rho X U_l^T"),
        {group, "uu", PAL_FIELD_F64, c->uu, 3, {r, r, 9}, 0, "1", "int rho U_l U_p^T"});
}

static pal_status visit_port(pal_port *p, int64_t r, int32_t mesh_vertices, const char *group,
                             const pal_visitor *v) {
    return PAL_VISIT(
        v, GROUP(group, "an interface to a child"),
        LIST(group, "x", p->x, 3, "m", "its centroid at rest"),
        TABLE(group, "c", p->c, 3, 3, "m^2", "C = sum w (X - x)(X - x)^T"),
        TABLE(group, "a", p->a, 3, r, "kg^-1/2", "how the centroid moves with q"),
        TABLE(group, "b", p->b, r, 9, "kg^-1/2 m", "B_l: how it turns"),
        INDICES(group, "vertex", p->vertex, p->vertex_count, mesh_vertices, "its mesh vertices"),
        LIST(group, "weight", p->weight, p->vertex_count, "1", "their weights, sum 1"));
}

pal_status pal_tree_visit_class(pal_tree_model *model, int32_t k, pal_field_visit *visit,
                                void *context, pal_err *err) {
    char group[GROUP_NAME], own[GROUP_NAME + 8];
    class_group(k, group);
    snprintf(own, sizeof own, "%s/domain", group);
    const pal_visitor v = {visit, context, err};
    below inner = {visit, context, group};
    pal_domain_class *class_ = &model->class_[k];
    pal_status status = pal_model_visit_content(&model->body[k], visit_below, &inner, err);
    if (status == PAL_OK) {
        status = visit_moments(class_, own, &v);
    }
    for (int32_t p = 0; status == PAL_OK && p < class_->port_count; p++) {
        char port[GROUP_NAME + 32];
        snprintf(port, sizeof port, "%s/port%d", own, (int)p);
        status =
            visit_port(&class_->port[p], class_->r, model->body[k].mesh.vertex_count, port, &v);
    }
    return status;
}

pal_status pal_tree_visit_tree(pal_tree_model *model, pal_tree_arrays *arrays,
                               pal_field_visit *visit, void *context, pal_err *err) {
    const pal_visitor v = {visit, context, err};
    const int64_t n = model->domain_count;
    return PAL_VISIT(
        &v, STRING("/tree", "name", &model->name, "of the body"),
        STRING("/tree", "scene", &model->scene_text, "the scene file that made it"),
        {"/tree",
         "domain_name",
         PAL_FIELD_BYTE,
         model->domain_name,
         2,
         {n, PAL_DOMAIN_NAME},
         256,
         "1",
         "names of the domains, UTF-8, NUL after each"},
        FLAG("/tree", "flies", &model->tree.flies, "1: the root is free"),
        LIST("/tree", "root_x", model->tree.root_x, 3, "m", "the root's frame in the world"),
        TABLE("/tree", "root_turn", model->tree.root_turn, 3, 3, "1", "its rotation"),
        INDICES("/tree", "class", arrays->kind, n, model->class_count, "of each domain"),
        INDICES("/tree", "above", arrays->above, n, n + 1, "1 + the parent, 0 at the root"),
        INDICES("/tree", "port", arrays->port, n, INT32_MAX, "of the parent, where it hangs"),
        TABLE("/tree", "rest", arrays->rest, n, 9, "1", "rotation to the parent's frame at rest"),
        LIST("/tree", "scale", arrays->scale, n, "1", "of its lengths"),
        LIST("/tree", "stiffness", arrays->stiffness, n, "1", "factor on its internal force"));
}
