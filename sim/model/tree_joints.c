#include "sim/model/tree_joints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/base/vec3.h"
#include "sim/contact/joint_build.h"
#include "sim/contact/local_build.h"

void pal_tree_joints_list(const pal_tree_model *model, pal_joints *joints) {
    const int32_t n = model->domain_count;
    int32_t used = 0;
    for (int32_t i = 0; i < n; i++) {
        joints->first_child[i] = 0;
    }
    for (int32_t i = 1; i < n; i++) {
        joints->first_child[model->domain[i].parent]++;
    }
    for (int32_t i = 0; i < n; i++) { // where its children end; placed from there
        used += joints->first_child[i];
        joints->first_child[i] = used;
    }
    joints->first_child[n] = used;
    for (int32_t i = n - 1; i > 0; i--) {
        joints->child[--joints->first_child[model->domain[i].parent]] = i;
    }
}

static double ratio(const pal_tree_model *model, int32_t child, bool of_stiffness) {
    const pal_domain *own = &model->domain[child], *parent = &model->domain[own->parent];
    return of_stiffness ? own->stiffness / parent->stiffness : own->scale / parent->scale;
}

// Whether two turns are the same but for rounding: instances are turned one after the other.
static bool are_turned_alike(const double (*a)[3], const double (*b)[3]) {
    double most = 0.0;
    for (int k = 0; k < 9; k++) {
        most = fmax(most, fabs(a[k / 3][k % 3] - b[k / 3][k % 3]));
    }
    return most < 1e-9;
}

// Whether two domains hang in the same way on the same place of the same class.
static bool are_alike(const pal_tree_model *model, int32_t a, int32_t b) {
    const pal_domain *x = &model->domain[a], *y = &model->domain[b];
    return x->kind == y->kind && x->port == y->port && (x->parent == 0) == (y->parent == 0) &&
           model->domain[x->parent].kind == model->domain[y->parent].kind &&
           are_turned_alike(x->rest, y->rest) &&
           fabs(ratio(model, a, false) / ratio(model, b, false) - 1.0) < 1e-9 &&
           fabs(ratio(model, a, true) / ratio(model, b, true) - 1.0) < 1e-9;
}

static pal_material *materials(const pal_model *body, pal_err *err) {
    pal_material *list = PAL_NEW(pal_material, body->region_count, err);
    for (int32_t g = 0; list != NULL && g < body->region_count; g++) {
        list[g] = body->region[g].material;
    }
    return list;
}

static pal_joint_side side_of(const pal_model *body, const pal_material *material,
                              pal_local *all_pairs) {
    return (pal_joint_side){.mesh = &body->mesh,
                            .material = material,
                            .held = body->held,
                            .local = &body->local,
                            .embedding = &body->embedding,
                            .basis = body->basis,
                            .r = body->r,
                            .all_pairs = all_pairs};
}

// How far the vertices of an interface are from its middle.
static double arm_of(const pal_volmesh *mesh, const double middle[3], int32_t count,
                     const int32_t *vertex) {
    double most = 0.0;
    for (int32_t k = 0; k < count; k++) {
        double d[3];
        pal_sub3(mesh->x + 3 * (int64_t)vertex[k], middle, d);
        most = fmax(most, pal_norm3(d));
    }
    return most;
}

// Joints near one place of a class share what they may take away of its dents.
static double share_of(const pal_domain_class *class_, const pal_volmesh *mesh, int32_t port,
                       bool is_root) {
    static const double far = 3.0; // arms: a joint reaches a breadth beyond its interface
    const pal_port *own = &class_->port[port];
    const double arm = arm_of(mesh, own->x, own->vertex_count, own->vertex);
    int32_t near = !is_root && pal_norm3(own->x) < 2.0 * far * arm; // by what it hangs is at 0
    for (int32_t p = 0; p < class_->port_count; p++) {
        const pal_port *other = &class_->port[p];
        double apart[3];
        pal_sub3(other->x, own->x, apart);
        near += pal_norm3(apart) <
                far * (arm + arm_of(mesh, other->x, other->vertex_count, other->vertex));
    }
    return 1.0 / (near > 1 ? near : 1); // itself among them
}

// all_pairs [class_count], see joint_build.h.
static pal_status build(const pal_tree_model *model, int32_t child, pal_local *all_pairs,
                        pal_joint *joint, pal_err *err) {
    const pal_domain *own = &model->domain[child];
    const int32_t kind = model->domain[own->parent].kind;
    const pal_model *above = &model->body[kind], *below = &model->body[own->kind];
    const pal_port *port = &model->class_[kind].port[own->port];
    pal_material *upper = materials(above, err), *lower = materials(below, err);
    double rest[3][3];
    memcpy(rest, own->rest, sizeof rest);
    const pal_joint_spec spec = {
        .parent = side_of(above, upper, &all_pairs[kind]),
        .child = side_of(below, lower, &all_pairs[own->kind]),
        .place = {port->x[0], port->x[1], port->x[2]},
        .rest = (const double(*)[3])rest,
        .size = ratio(model, child, false),
        .stiffness = ratio(model, child, true),
        .share = share_of(&model->class_[kind], &above->mesh, own->port, own->parent == 0),
        .vertex_count = port->vertex_count,
        .vertex = port->vertex,
        .weight = port->weight};
    const pal_status status =
        upper != NULL && lower != NULL ? pal_joint_build(&spec, joint, err) : PAL_ERR_MEMORY;
    free(upper);
    free(lower);
    return status;
}

// How far the softest vertex of a class is dented along an axis, m/N; 0: it is not.
static double softest(const pal_local *local) {
    float most = 0.0f;
    for (int32_t row = 0; row < local->row_count; row++) {
        for (int32_t e = local->first[row]; e < local->first[row + 1]; e++) {
            const float *block = local->block + 9 * (int64_t)e;
            for (int a = 0; a < 3 && local->column[e] == row; a++) {
                most = fmaxf(most, block[4 * a]);
            }
        }
    }
    return (double)most;
}

typedef struct work {
    double *soft;         // [class_count] m/N
    int32_t count;        // ways to hang
    int32_t *first;       // [domain_count] the first child that hangs so,
    int32_t *item;        // [domain_count] and its joint, -1: none
    int32_t *way;         // [domain_count] how it hangs, -1: without a joint
    pal_local *all_pairs; // [class_count]
} work;

// Both sides can be dented, and the parent's dents can be felt: on the stiffest of devices, 8 kN/m,
// a hand notices 7 % of what that gives way by (FEEL.md 3 and 5). A harder parent is the wall that
// the child's own dents take it for.
static bool can_join(const pal_tree_model *model, const work *w, int32_t child) {
    static const double felt = 0.07 / 8e3; // m/N
    const pal_domain *own = &model->domain[child], *above = &model->domain[own->parent];
    return w->soft[own->kind] > 0.0 &&
           w->soft[above->kind] / (above->scale * above->stiffness) > felt;
}

static void list_ways(const pal_tree_model *model, work *w) {
    w->count = 0;
    for (int32_t i = 0; i < model->domain_count; i++) {
        w->way[i] = -1;
        if (model->domain[i].parent >= 0 && can_join(model, w, i)) {
            int32_t k = 0;
            while (k < w->count && !are_alike(model, w->first[k], i)) {
                k++;
            }
            w->way[i] = k;
            if (k == w->count) {
                w->first[w->count++] = i;
            }
        }
    }
}

static bool are_of_same_classes(const pal_tree_model *model, int32_t a, int32_t b) {
    const pal_domain *x = &model->domain[a], *y = &model->domain[b];
    return x->kind == y->kind && model->domain[x->parent].kind == model->domain[y->parent].kind;
}

// In how many ways domains of the same class hang on the same class.
static int32_t ways_like(const pal_tree_model *model, const work *w, int32_t way) {
    int32_t count = 0;
    for (int32_t k = 0; k < w->count; k++) {
        count += are_of_same_classes(model, w->first[k], w->first[way]);
    }
    return count;
}

static pal_status build_all(const pal_tree_model *model, int32_t most, const pal_progress *progress,
                            work *w, pal_joints *joints, pal_err *err) {
    pal_status status = PAL_OK;
    list_ways(model, w);
    if (w->count > 0) {
        pal_progress_report(progress, "joints", 0.0);
    }
    for (int32_t k = 0; status == PAL_OK && k < w->count; k++) {
        pal_joint *joint = &joints->item[joints->count];
        const int32_t child = w->first[k];
        w->item[k] = -1;
        if (ways_like(model, w, k) <= most) {
            status = build(model, child, w->all_pairs, joint, err);
            status =
                status == PAL_OK ? status : pal_fail_in(err, status, model->domain_name[child]);
            w->item[k] = joint->count > 0 ? joints->count++ : -1;
            pal_progress_report(progress, "joints", (k + 1.0) / w->count);
        }
    }
    for (int32_t i = 0; status == PAL_OK && i < model->domain_count; i++) {
        const bool hangs = model->domain[i].parent >= 0;
        joints->of_child[i] = w->way[i] >= 0 ? w->item[w->way[i]] : -1;
        joints->size[i] = hangs ? ratio(model, i, false) : 0.0;
        joints->stiffness[i] = hangs ? ratio(model, i, true) : 0.0;
    }
    if (w->count > 0) {
        pal_progress_report(progress, "joints", 1.0);
    }
    return status;
}

pal_status pal_tree_joints_build(const pal_tree_model *model, int32_t most,
                                 const pal_progress *progress, pal_joints *joints, pal_err *err) {
    work w = {.soft = PAL_NEW(double, model->class_count, err),
              .first = PAL_NEW(int32_t, model->domain_count, err),
              .item = PAL_NEW(int32_t, model->domain_count, err),
              .way = PAL_NEW(int32_t, model->domain_count, err),
              .all_pairs = PAL_NEW(pal_local, model->class_count, err)};
    pal_status status = pal_joints_alloc(joints, model->domain_count, model->domain_count, err);
    for (int32_t k = 0; w.soft != NULL && k < model->class_count; k++) {
        w.soft[k] = softest(&model->body[k].local);
    }
    status = status == PAL_OK && w.soft && w.first && w.item && w.way && w.all_pairs
                 ? build_all(model, most, progress, &w, joints, err)
                 : PAL_ERR_MEMORY;
    for (int32_t k = 0; w.all_pairs != NULL && k < model->class_count; k++) {
        pal_local_free(&w.all_pairs[k]);
    }
    free(w.soft);
    free(w.first);
    free(w.item);
    free(w.way);
    free(w.all_pairs);
    if (status == PAL_OK) {
        pal_tree_joints_list(model, joints);
    } else {
        pal_joints_free(joints);
    }
    return status;
}

bool pal_tree_joints_fit(const pal_tree_model *model) {
    const pal_joints *joints = &model->joints;
    bool fit = joints->of_child != NULL;
    for (int32_t i = 1; fit && i < model->domain_count; i++) {
        fit = fabs(ratio(model, i, false) / joints->size[i] - 1.0) < 1e-9 &&
              fabs(ratio(model, i, true) / joints->stiffness[i] - 1.0) < 1e-9;
    }
    return fit;
}
