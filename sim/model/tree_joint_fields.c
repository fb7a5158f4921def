#include "sim/model/tree_joint_fields.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/contact/joint_build.h"
#include "sim/model/field_list.h"
#include "sim/model/tree_joints.h"

// ---- as arrays

// The upper triangle of a table of so many vertices.
static int64_t triangle(int64_t count) {
    return 3 * count * (3 * count + 1) / 2;
}

pal_status pal_joint_arrays_alloc_sizes(pal_joint_arrays *arrays, int32_t domain_count,
                                        pal_err *err) {
    arrays->by = PAL_NEW(int32_t, domain_count, err);
    arrays->size = PAL_NEW(double, domain_count, err);
    arrays->stiffness = PAL_NEW(double, domain_count, err);
    arrays->count = PAL_NEW(int32_t, arrays->joint_count, err);
    arrays->parent_count = PAL_NEW(int32_t, arrays->joint_count, err);
    return arrays->by && arrays->size && arrays->stiffness && arrays->count && arrays->parent_count
               ? PAL_OK
               : PAL_ERR_MEMORY;
}

void pal_joint_arrays_add_up(pal_joint_arrays *arrays) {
    arrays->vertex_count = arrays->d_count = 0;
    for (int32_t k = 0; k < arrays->joint_count; k++) {
        arrays->vertex_count += arrays->count[k];
        arrays->d_count += triangle(arrays->count[k]);
    }
}

pal_status pal_joint_arrays_alloc_content(pal_joint_arrays *arrays, pal_err *err) {
    arrays->vertex = PAL_NEW(int32_t, arrays->vertex_count, err);
    arrays->d = PAL_NEW(float, arrays->d_count, err);
    return arrays->vertex && arrays->d ? PAL_OK : PAL_ERR_MEMORY;
}

void pal_joint_arrays_free(pal_joint_arrays *arrays) {
    free(arrays->by);
    free(arrays->size);
    free(arrays->stiffness);
    free(arrays->count);
    free(arrays->parent_count);
    free(arrays->vertex);
    free(arrays->d);
    memset(arrays, 0, sizeof *arrays);
}

double pal_joint_arrays_bytes(const pal_joint_arrays *arrays) {
    return 4.0 * ((double)arrays->vertex_count + (double)arrays->d_count) +
           8.0 * arrays->joint_count;
}

// ---- from a model and back

static void take_joints(pal_joint_arrays *arrays, const pal_joints *joints) {
    int32_t *vertex = arrays->vertex;
    float *d = arrays->d;
    for (int32_t k = 0; k < joints->count; k++) {
        const pal_joint *joint = &joints->item[k];
        memcpy(vertex, joint->vertex, (size_t)joint->count * sizeof *vertex);
        vertex += joint->count;
        for (int64_t row = 0; row < 3 * (int64_t)joint->count; row++) {
            const int64_t length = 3 * (int64_t)joint->count - row;
            memcpy(d, joint->d + row * joint->stride + row, (size_t)length * sizeof *d);
            d += length;
        }
    }
}

pal_status pal_joint_arrays_take(pal_joint_arrays *arrays, const pal_tree_model *model,
                                 pal_err *err) {
    const pal_joints *joints = &model->joints;
    *arrays = (pal_joint_arrays){.joint_count = joints->count};
    pal_status status = pal_joint_arrays_alloc_sizes(arrays, model->domain_count, err);
    for (int32_t k = 0; status == PAL_OK && k < joints->count; k++) {
        arrays->count[k] = joints->item[k].count;
        arrays->parent_count[k] = joints->item[k].parent_count;
    }
    for (int32_t i = 0; status == PAL_OK && joints->of_child && i < model->domain_count; i++) {
        arrays->by[i] = 1 + joints->of_child[i];
        arrays->size[i] = joints->size[i];
        arrays->stiffness[i] = joints->stiffness[i];
    }
    if (status == PAL_OK) {
        pal_joint_arrays_add_up(arrays);
        status = pal_joint_arrays_alloc_content(arrays, err);
    }
    if (status == PAL_OK) {
        take_joints(arrays, joints);
    } else {
        pal_joint_arrays_free(arrays);
    }
    return status;
}

typedef struct pair { // the classes that meet by a joint, each 1 + its number; 0: none is known
    int32_t kind[PAL_JOINT_SIDES];
} pair;

// Which classes meet by each joint, pair [joint_count]: the same wherever it is.
static bool find_pairs(const pal_joint_arrays *arrays, const pal_tree_model *model, pair *pairs) {
    bool fine = true;
    for (int32_t i = 0; i < model->domain_count; i++) {
        const pal_domain *domain = &model->domain[i];
        if (arrays->by[i] == 0) {
            continue;
        }
        fine = fine && domain->parent >= 0;
        pair *meet = &pairs[arrays->by[i] - 1];
        const int32_t kind[PAL_JOINT_SIDES] = {fine ? 1 + model->domain[domain->parent].kind : 0,
                                               1 + domain->kind};
        for (int s = 0; s < PAL_JOINT_SIDES; s++) {
            fine = fine && (meet->kind[s] == 0 || meet->kind[s] == kind[s]) &&
                   model->body[kind[s] - 1].local.row_count > 0;
            meet->kind[s] = kind[s];
        }
    }
    for (int32_t k = 0; k < arrays->joint_count; k++) {
        fine = fine && pairs[k].kind[PAL_PARENT] > 0 && arrays->count[k] > 0 &&
               arrays->parent_count[k] <= arrays->count[k];
    }
    return fine;
}

// Its vertices are of its classes, and none is there twice.
static bool index_joint(pal_joint *joint, const int32_t *vertices) {
    for (int32_t k = 0; k < joint->count; k++) {
        const int s = k < joint->parent_count ? PAL_PARENT : PAL_CHILD;
        if (joint->vertex[k] >= vertices[s] || joint->row[s][joint->vertex[k]] >= 0) {
            return false;
        }
        joint->row[s][joint->vertex[k]] = k;
    }
    return true;
}

static pal_status give_joint(const pal_joint_arrays *arrays, int32_t k, const int32_t *vertices,
                             const int32_t *vertex, const float *d, pal_joints *joints,
                             const char *owner, pal_err *err) {
    pal_joint *joint = &joints->item[k];
    if (pal_joint_alloc(joint, arrays->count[k], arrays->parent_count[k], vertices, err) !=
        PAL_OK) {
        return PAL_ERR_MEMORY;
    }
    joints->count = k + 1;
    memcpy(joint->vertex, vertex, (size_t)joint->count * sizeof *vertex);
    for (int64_t row = 0; row < 3 * (int64_t)joint->count; row++) {
        for (int64_t column = row; column < 3 * (int64_t)joint->count; column++) {
            joint->d[row * joint->stride + column] = *d;
            joint->d[column * joint->stride + row] = *d++;
        }
    }
    return index_joint(joint, vertices)
               ? PAL_OK
               : pal_fail(err, PAL_ERR_INPUT, "%s: the vertices of joint %d are not in order",
                          owner, (int)k);
}

pal_status pal_joint_arrays_give(const pal_joint_arrays *arrays, pal_tree_model *model,
                                 const char *owner, pal_err *err) {
    const int32_t *vertex = arrays->vertex;
    const float *d = arrays->d;
    pair *pairs = PAL_NEW(pair, arrays->joint_count, err);
    pal_joints *joints = &model->joints;
    pal_status status =
        pairs ? pal_joints_alloc(joints, arrays->joint_count, model->domain_count, err)
              : PAL_ERR_MEMORY;
    if (status == PAL_OK && !find_pairs(arrays, model, pairs)) {
        status = pal_fail(err, PAL_ERR_INPUT, "%s: joints do not fit the domains", owner);
    }
    for (int32_t k = 0; status == PAL_OK && k < arrays->joint_count; k++) {
        const int32_t vertices[PAL_JOINT_SIDES] = {
            model->body[pairs[k].kind[PAL_PARENT] - 1].mesh.vertex_count,
            model->body[pairs[k].kind[PAL_CHILD] - 1].mesh.vertex_count};
        status = give_joint(arrays, k, vertices, vertex, d, joints, owner, err);
        vertex += arrays->count[k];
        d += triangle(arrays->count[k]);
    }
    for (int32_t i = 0; status == PAL_OK && i < model->domain_count; i++) {
        joints->of_child[i] = arrays->by[i] - 1;
        joints->size[i] = arrays->size[i];
        joints->stiffness[i] = arrays->stiffness[i];
    }
    if (status == PAL_OK) {
        pal_tree_joints_list(model, joints);
    }
    free(pairs);
    return status;
}

// ---- fields

pal_status pal_joint_visit_counts(pal_joint_arrays *arrays, pal_field_visit *visit, void *context,
                                  pal_err *err) {
    const pal_visitor v = {visit, context, err};
    return PAL_VISIT(&v, GROUP("/joints", "what dents miss where two domains meet"),
                     COUNT("/joints", "joint_count", &arrays->joint_count, "tables"));
}

pal_status pal_joint_visit_sizes(pal_joint_arrays *arrays, int32_t domain_count,
                                 pal_field_visit *visit, void *context, pal_err *err) {
    const pal_visitor v = {visit, context, err};
    const int64_t n = arrays->joint_count;
    return PAL_VISIT(
        &v,
        INDICES("/joints", "by", arrays->by, domain_count, n + 1,
                "1 + the joint by which a domain hangs, 0: none"),
        LIST("/joints", "size", arrays->size, domain_count, "1",
             "of a domain over its parent's, as made for"),
        LIST("/joints", "stiffness", arrays->stiffness, domain_count, "1", "factors likewise"),
        INDICES("/joints", "count", arrays->count, n, PAL_JOINT_VERTICES + 1,
                "vertices of each joint"),
        INDICES("/joints", "parent_count", arrays->parent_count, n, PAL_JOINT_VERTICES + 1,
                "of them the parent's, which come first"));
}

pal_status pal_joint_visit_content(pal_joint_arrays *arrays, pal_field_visit *visit, void *context,
                                   pal_err *err) {
    const pal_visitor v = {visit, context, err};
    return PAL_VISIT(
        &v,
        INDICES("/joints", "vertex", arrays->vertex, arrays->vertex_count, INT32_MAX,
                "of their classes, joint by joint"),
        {"/joints",
         "d",
         PAL_FIELD_F32,
         arrays->d,
         1,
         {arrays->d_count},
         0,
         "m/N",
         "D = C_united - C_tree, 3 rows a vertex in the axes of its class, for the size of the "
         "parent's: the upper triangle of each joint, row by row"});
}
