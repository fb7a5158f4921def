#include "sim/model/tree_bake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/clock.h"
#include "sim/base/memory.h"
#include "sim/contact/local_build.h"
#include "sim/mesh/faces.h"
#include "sim/model/tree_joints.h"

// ---- The tree as asked for

static pal_status check_domain(const pal_tree_spec *spec, int32_t i, pal_err *err) {
    const pal_domain *domain = &spec->domain[i];
    const char *name = spec->domain_name[i];
    if (domain->kind < 0 || domain->kind >= spec->class_count) {
        return pal_fail(err, PAL_ERR_INPUT, "domain '%s': class %d, and there are %d", name,
                        domain->kind, spec->class_count);
    }
    if (i == 0 ? domain->parent != -1 : domain->parent < 0 || domain->parent >= i) {
        return pal_fail(err, PAL_ERR_INPUT,
                        "domain '%s': its parent must come before it, and the root first", name);
    }
    if (!(domain->scale > 0.0) || !isfinite(domain->scale)) {
        return pal_fail(err, PAL_ERR_INPUT, "domain '%s': its scale is not above zero", name);
    }
    const pal_class_spec *class_ = &spec->class_[domain->kind];
    if ((i == 0 && spec->flies) != (class_->held == NULL)) {
        return pal_fail(err, PAL_ERR_INPUT,
                        class_->held == NULL
                            ? "domain '%s': its class '%s' is held nowhere"
                            : "domain '%s' is the root of a tree that flies, but its class '%s' is "
                              "held",
                        name, class_->name);
    }
    return PAL_OK;
}

// The place of each domain's first port in a list of all ports: start [domain_count].
static int64_t number_ports(const pal_tree_spec *spec, int64_t *start) {
    int64_t count = 0;
    for (int32_t i = 0; i < spec->domain_count; i++) {
        start[i] = count;
        count += spec->class_[spec->domain[i].kind].port_count;
    }
    return count;
}

static pal_status check_ports(const pal_tree_spec *spec, pal_err *err) {
    int64_t *start = PAL_NEW(int64_t, spec->domain_count, err);
    int64_t count = start ? number_ports(spec, start) : 0;
    int32_t *taken = PAL_NEW(int32_t, count, err); // by the domain of this number; 0: free
    pal_status status = start && taken ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t i = 1; status == PAL_OK && i < spec->domain_count; i++) {
        const pal_domain *domain = &spec->domain[i];
        const char *parent = spec->domain_name[domain->parent];
        int32_t ports = spec->class_[spec->domain[domain->parent].kind].port_count;
        int32_t *by = taken + start[domain->parent] + domain->port;
        if (domain->port < 0 || domain->port >= ports) {
            status = pal_fail(err, PAL_ERR_INPUT, "domain '%s': port %d of '%s', which has %d",
                              spec->domain_name[i], domain->port, parent, ports);
        } else if (*by > 0) {
            status = pal_fail(err, PAL_ERR_INPUT, "domains '%s' and '%s' hang on one port of '%s'",
                              spec->domain_name[*by], spec->domain_name[i], parent);
        } else {
            *by = i;
        }
    }
    free(start);
    free(taken);
    return status;
}

static pal_status check_spec(const pal_tree_spec *spec, pal_err *err) {
    if (spec->class_count < 1 || spec->domain_count < 1) {
        return pal_fail(err, PAL_ERR_INPUT, "a tree of domains needs a class and a domain");
    }
    pal_status status = PAL_OK;
    for (int32_t i = 0; status == PAL_OK && i < spec->domain_count; i++) {
        status = check_domain(spec, i, err);
    }
    return status == PAL_OK ? check_ports(spec, err) : status;
}

// What hangs on each port of each class, at the scale of the class, the most of its instances:
// load[class] is an array [port_count].
static pal_status find_loads(const pal_tree_spec *spec, double **load, pal_err *err) {
    double *mass = PAL_NEW(double, spec->class_count, err);
    double *subtree = PAL_NEW(double, spec->domain_count, err);
    pal_status status = mass && subtree ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < spec->class_count; k++) {
        double first[3];
        const pal_class_spec *class_ = &spec->class_[k];
        status = pal_mesh_mass(class_->mesh, class_->material, &mass[k], first, err);
        status = status == PAL_OK ? PAL_OK : pal_fail_in(err, status, class_->name);
    }
    for (int32_t i = spec->domain_count - 1; status == PAL_OK && i >= 0; i--) {
        const pal_domain *domain = &spec->domain[i];
        subtree[i] += mass[domain->kind] * pow(domain->scale, 3.0);
        if (domain->parent >= 0) {
            const pal_domain *parent = &spec->domain[domain->parent];
            double *hangs = &load[parent->kind][domain->port];
            *hangs = fmax(*hangs, subtree[i] / pow(parent->scale, 3.0));
            subtree[domain->parent] += subtree[i];
        }
    }
    free(mass);
    free(subtree);
    return status;
}

// ---- One class

typedef struct class_work { // a class in its frame
    const pal_class_spec *spec;
    bool is_root, is_only; // its first instance is the root; it has no other
    double origin[3];      // of the frame, in the mesh as given
    pal_volmesh mesh;      // its vertices moved; the rest is borrowed
    pal_surface surface;
    pal_port_vertices *port; // with weights
    pal_basis_port *loaded;
} class_work;

static void free_class_work(class_work *work) {
    for (int32_t p = 0; work->port != NULL && p < work->spec->port_count; p++) {
        free((void *)work->port[p].weight);
    }
    free(work->mesh.x);
    pal_surface_free(&work->surface);
    free(work->port);
    free(work->loaded);
}

// The centroid of what is held, or the centre of mass.
static pal_status find_origin(const pal_class_spec *spec, double origin[3], pal_err *err) {
    double c[3][3], mass = 0.0;
    if (spec->held == NULL) {
        pal_status status = pal_mesh_mass(spec->mesh, spec->material, &mass, origin, err);
        for (int i = 0; i < 3; i++) {
            origin[i] /= mass;
        }
        return status;
    }
    int32_t count = 0, *vertex = PAL_NEW(int32_t, spec->mesh->vertex_count, err);
    double *weight = PAL_NEW(double, spec->mesh->vertex_count, err);
    pal_status status = vertex && weight ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t v = 0; status == PAL_OK && v < spec->mesh->vertex_count; v++) {
        if (spec->held[v]) {
            weight[count] = spec->held_weight != NULL ? spec->held_weight[v] : 0.0;
            vertex[count++] = v;
        }
    }
    if (status == PAL_OK && spec->held_weight == NULL) {
        status = pal_interface_weights(spec->mesh, count, vertex, weight, err);
    }
    if (status == PAL_OK) {
        pal_interface_moments(spec->mesh, count, vertex, weight, origin, c);
        status = pal_interface_check(count, c, "the interface to the parent", err);
    }
    free(vertex);
    free(weight);
    return status;
}

static pal_status move_mesh(class_work *work, pal_err *err) {
    work->mesh = *work->spec->mesh;
    work->mesh.x = PAL_NEW(double, 3 * (size_t)work->mesh.vertex_count, err);
    if (work->mesh.x == NULL) {
        return PAL_ERR_MEMORY;
    }
    for (int64_t i = 0; i < 3 * (int64_t)work->mesh.vertex_count; i++) {
        work->mesh.x[i] = work->spec->mesh->x[i] - work->origin[i % 3];
    }
    return PAL_OK;
}

// The ports with their weights and what hangs on them.
static pal_status weigh_ports(class_work *work, const double *load, pal_err *err) {
    const pal_class_spec *spec = work->spec;
    work->port = PAL_NEW(pal_port_vertices, spec->port_count, err);
    work->loaded = PAL_NEW(pal_basis_port, spec->port_count, err);
    pal_status status = work->port && work->loaded ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t p = 0; status == PAL_OK && p < spec->port_count; p++) {
        const pal_port_vertices *given = &spec->port[p];
        double *weight = PAL_NEW(double, given->vertex_count, err);
        work->port[p] = (pal_port_vertices){given->vertex_count, given->vertex, weight};
        work->loaded[p] = (pal_basis_port){given->vertex_count, given->vertex, weight, load[p]};
        if (weight == NULL) {
            status = PAL_ERR_MEMORY;
        } else if (given->weight != NULL) {
            memcpy(weight, given->weight, (size_t)given->vertex_count * sizeof *weight);
        } else {
            status =
                pal_interface_weights(&work->mesh, given->vertex_count, given->vertex, weight, err);
        }
        if (status == PAL_OK) {
            double x[3], c[3][3];
            char owner[32];
            snprintf(owner, sizeof owner, "port %d", p);
            pal_interface_moments(&work->mesh, given->vertex_count, given->vertex, weight, x, c);
            status = pal_interface_check(given->vertex_count, c, owner, err);
        }
    }
    return status;
}

// Whether all corners of a face are in the set `which` of of_vertex [vertex_count].
static bool is_within(const pal_volmesh *mesh, int32_t face, const int32_t *of_vertex,
                      int32_t which) {
    int32_t v[4];
    int corners = pal_face_vertices(mesh, face, v);
    bool within = true;
    for (int a = 0; a < corners; a++) {
        within = within && of_vertex[v[a]] == which;
    }
    return within;
}

// Takes the faces between the marked vertices out of the list; returns how many stay.
static int32_t drop_faces(const pal_volmesh *mesh, const int32_t *mark, int32_t which,
                          int32_t *face, int32_t count) {
    int32_t stay = 0;
    for (int32_t i = 0; i < count; i++) {
        if (!is_within(mesh, face[i], mark, which)) {
            face[stay++] = face[i];
        }
    }
    return stay;
}

// The boundary without the faces of its interfaces.
static pal_status outer_surface(class_work *work, pal_err *err) {
    const pal_volmesh *mesh = &work->mesh;
    const pal_class_spec *spec = work->spec;
    int32_t *face = NULL, count = 0;
    int32_t *mark = PAL_NEW(int32_t, mesh->vertex_count, err);
    pal_status status = mark ? pal_boundary_faces(mesh, &face, &count, err) : PAL_ERR_MEMORY;
    if (status == PAL_OK) {
        for (int32_t p = 0; p < spec->port_count; p++) {
            for (int32_t k = 0; k < spec->port[p].vertex_count; k++) {
                mark[spec->port[p].vertex[k]] = p + 1;
            }
            count = drop_faces(mesh, mark, p + 1, face, count);
        }
        const bool keeps = work->is_root && work->is_only;
        for (int32_t v = 0; spec->held != NULL && !keeps && v < mesh->vertex_count; v++) {
            mark[v] = spec->held[v] ? -1 : 0;
        }
        count = drop_faces(mesh, mark, -1, face, count);
        status = pal_surface_of_faces(mesh, face, count, &work->surface, NULL, err);
    }
    free(mark);
    free(face);
    return status;
}

static pal_status given_surface(class_work *work, pal_err *err) {
    const pal_surface *given = work->spec->surface;
    pal_status status =
        pal_surface_alloc(&work->surface, given->vertex_count, given->triangle_count, err);
    if (status == PAL_OK) {
        memcpy(work->surface.triangle, given->triangle,
               3 * (size_t)given->triangle_count * sizeof *given->triangle);
        for (int64_t i = 0; i < 3 * (int64_t)given->vertex_count; i++) {
            work->surface.x[i] = given->x[i] - work->origin[i % 3];
        }
    }
    return status;
}

static pal_status prepare_class(class_work *work, const double *load, pal_err *err) {
    const pal_class_spec *spec = work->spec;
    pal_status status = PAL_OK;
    for (int32_t p = 0; status == PAL_OK && p < spec->port_count; p++) {
        for (int32_t k = 0; status == PAL_OK && k < spec->port[p].vertex_count; k++) {
            int32_t v = spec->port[p].vertex[k];
            if (v < 0 || v >= spec->mesh->vertex_count) {
                status = pal_fail(err, PAL_ERR_INPUT, "port %d names vertex %d, and there are %d",
                                  p, v, spec->mesh->vertex_count);
            }
        }
    }
    if (status == PAL_OK) {
        status = find_origin(spec, work->origin, err);
    }
    if (status == PAL_OK) {
        status = move_mesh(work, err);
    }
    if (status == PAL_OK) {
        status = weigh_ports(work, load, err);
    }
    if (status == PAL_OK) {
        status = spec->surface != NULL ? given_surface(work, err) : outer_surface(work, err);
    }
    return status;
}

static pal_status bake_class(class_work *work, const double *load, const pal_progress *progress,
                             pal_model *body, pal_domain_class *class_, pal_class_times *times,
                             pal_err *err) {
    const pal_class_spec *spec = work->spec;
    double start = pal_seconds();
    pal_status status = prepare_class(work, load, err);
    if (status == PAL_OK) {
        pal_bake_spec bake = {.name = spec->name,
                              .scene_text = "",
                              .mesh = &work->mesh,
                              .surface = &work->surface,
                              .held = spec->held,
                              .material = spec->material,
                              .mass_kind = spec->mass_kind,
                              .damping_alpha = spec->damping_alpha,
                              .damping_beta = spec->damping_beta,
                              .rigid = spec->basis.size == 0,
                              .basis = spec->basis,
                              .local = spec->local};
        bake.basis.port_count = spec->port_count;
        bake.basis.port = work->loaded;
        status = pal_bake(&bake, progress, body, &times->bake, err);
    }
    double middle = pal_seconds();
    if (status == PAL_OK) {
        pal_class_body made = {.name = spec->name,
                               .mesh = &body->mesh,
                               .material = spec->material,
                               .mass_kind = spec->mass_kind,
                               .r = body->r,
                               .basis = body->basis,
                               .quartic = &body->quartic,
                               .alpha = spec->damping_alpha,
                               .beta = spec->damping_beta,
                               .port_count = spec->port_count,
                               .port = work->port};
        status = pal_domain_class_build(&made, class_, err);
    }
    times->moments = pal_seconds() - middle;
    times->total = pal_seconds() - start;
    return status;
}

// ---- All of them

typedef struct class_progress { // a class is one stage, its own stages are parts of it
    const pal_progress *outer;
    const char *name;
    char stage[64]; // the one under way
    int begun;      // how many were
} class_progress;

static void report_class(void *user, const char *stage, double fraction) {
    enum { STAGES = 7 }; // of a bake, about
    class_progress *progress = user;
    if (strncmp(stage, progress->stage, sizeof progress->stage - 1) != 0) {
        snprintf(progress->stage, sizeof progress->stage, "%s", stage);
        progress->begun++;
    }
    pal_progress_report(progress->outer, progress->name,
                        fmin(1.0, (progress->begun - 1 + fraction) / STAGES));
}

static int32_t count_instances(const pal_tree_spec *spec, int32_t kind) {
    int32_t count = 0;
    for (int32_t i = 0; i < spec->domain_count; i++) {
        count += spec->domain[i].kind == kind;
    }
    return count;
}

static pal_status bake_classes(const pal_tree_spec *spec, double *const *load,
                               const pal_progress *progress, pal_tree_model *model,
                               pal_class_times *times, pal_err *err) {
    pal_status status = PAL_OK;
    for (int32_t k = 0; status == PAL_OK && k < spec->class_count; k++) {
        pal_class_times spent = {0};
        class_work work = {.spec = &spec->class_[k],
                           .is_root = spec->domain[0].kind == k,
                           .is_only = count_instances(spec, k) == 1};
        class_progress named = {.outer = progress, .name = spec->class_[k].name};
        const pal_progress inner = {report_class, &named};
        status =
            bake_class(&work, load[k], &inner, &model->body[k], &model->class_[k], &spent, err);
        for (int i = 0; status == PAL_OK && work.is_root && i < 3; i++) {
            model->tree.root_x[i] = spec->root_x[i];
            for (int j = 0; j < 3; j++) {
                model->tree.root_x[i] +=
                    spec->domain[0].scale * spec->root_turn[i][j] * work.origin[j];
            }
        }
        free_class_work(&work);
        pal_progress_report(progress, spec->class_[k].name, 1.0);
        if (times != NULL) {
            times[k] = spent;
        }
        status = status == PAL_OK ? PAL_OK : pal_fail_in(err, status, spec->class_[k].name);
    }
    return status;
}

// One cap for the local compliance of all classes.
static pal_status share_local(const pal_tree_spec *spec, pal_tree_model *model,
                              pal_class_times *times, pal_err *err) {
    const double most = spec->local_bytes > 0.0 ? spec->local_bytes : PAL_LOCAL_BYTES;
    double *need = PAL_NEW(double, spec->class_count, err), all = 0.0;
    for (int32_t k = 0; need != NULL && k < spec->class_count; k++) {
        const pal_local *local = &model->body[k].local;
        need[k] = local->row_count > 0 ? pal_local_bytes(local) : 0.0;
        all += need[k];
    }
    const double allowance =
        need != NULL ? pal_local_allowance(need, spec->class_count, most, err) : -1.0;
    pal_status status = allowance >= 0.0 ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < spec->class_count; k++) {
        pal_local *local = &model->body[k].local;
        const double before = local->radius;
        if (need[k] <= allowance) {
            continue;
        }
        status = pal_local_trim(local, model->body[k].mesh.x, allowance, err);
        if (status == PAL_OK && times != NULL) {
            pal_local_report *report = &times[k].bake.local_report;
            report->is_cut = true;
            snprintf(report->note, sizeof report->note,
                     "local compliance of %.60s: the radius was cut from %.3g mm to %.3g mm; the "
                     "tables of all classes would take %.0f MB, and a tree may have %.0f",
                     spec->class_[k].name, 1e3 * before, 1e3 * local->radius, 1e-6 * all,
                     1e-6 * most);
        }
    }
    free(need);
    return status;
}

static pal_status start_model(const pal_tree_spec *spec, pal_tree_model *model, pal_err *err) {
    *model = (pal_tree_model){.class_count = spec->class_count, .domain_count = spec->domain_count};
    pal_status status = pal_tree_model_alloc(model, err);
    if (status != PAL_OK) {
        return status;
    }
    model->name = pal_copy_text(spec->name, err);
    model->scene_text = pal_copy_text(spec->scene_text, err);
    memcpy(model->domain, spec->domain, (size_t)spec->domain_count * sizeof *model->domain);
    memcpy(model->domain_name, spec->domain_name, (size_t)spec->domain_count * PAL_DOMAIN_NAME);
    model->tree.flies = spec->flies;
    memcpy(model->tree.root_turn, spec->root_turn, sizeof spec->root_turn);
    return model->name && model->scene_text ? PAL_OK : PAL_ERR_MEMORY;
}

pal_status pal_tree_bake(const pal_tree_spec *spec, const pal_progress *progress,
                         pal_tree_model *model, pal_class_times *times, pal_err *err) {
    memset(model, 0, sizeof *model);
    pal_status status = check_spec(spec, err);
    if (status != PAL_OK) {
        return status;
    }
    double **load = PAL_NEW(double *, spec->class_count, err);
    status = load ? PAL_OK : PAL_ERR_MEMORY;
    for (int32_t k = 0; status == PAL_OK && k < spec->class_count; k++) {
        load[k] = PAL_NEW(double, spec->class_[k].port_count, err);
        status = load[k] ? PAL_OK : PAL_ERR_MEMORY;
    }
    if (status == PAL_OK) {
        status = find_loads(spec, load, err);
    }
    if (status == PAL_OK) {
        status = start_model(spec, model, err);
    }
    if (status == PAL_OK) {
        status = bake_classes(spec, load, progress, model, times, err);
    }
    if (status == PAL_OK) {
        status = share_local(spec, model, times, err);
    }
    if (status == PAL_OK) {
        status = pal_tree_joints_build(model, PAL_TREE_MOST_JOINTS, progress, &model->joints, err);
    }
    for (int32_t k = 0; load != NULL && k < spec->class_count; k++) {
        free(load[k]);
    }
    free(load);
    if (status != PAL_OK) {
        pal_tree_model_free(model);
    }
    return status;
}

// ---- What goes in

void pal_class_spec_take_part(pal_class_spec *spec, const pal_part *part) {
    spec->mesh = &part->mesh;
    spec->held = part->is_held ? part->held : NULL;
    spec->held_weight = part->held_weight;
    spec->port_count = part->port_count;
    spec->port = part->port;
}

void pal_tree_spec_take_partition(pal_tree_spec *spec, const pal_partition *partition,
                                  const pal_class_spec *class_) {
    static const double upright[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    spec->class_count = partition->class_count;
    spec->class_ = class_;
    spec->domain_count = partition->domain_count;
    spec->domain = partition->domain;
    spec->domain_name = (const char(*)[PAL_DOMAIN_NAME])partition->name;
    spec->flies = partition->flies;
    memset(spec->root_x, 0, sizeof spec->root_x);
    memcpy(spec->root_turn, upright, sizeof upright);
}
