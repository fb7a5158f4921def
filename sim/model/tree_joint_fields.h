// The joints of a baked tree, field by field (see model_fields.h).
#ifndef PAL_MODEL_TREE_JOINT_FIELDS_H
#define PAL_MODEL_TREE_JOINT_FIELDS_H

#include "sim/model/model_fields.h"
#include "sim/model/tree_model.h"

// All tables as arrays, one after the other.
typedef struct pal_joint_arrays {
    int32_t joint_count;
    int32_t *by;                   // [domain_count] 1 + the joint by which it hangs, 0: none
    double *size, *stiffness;      // [domain_count] as in pal_joints
    int32_t *count, *parent_count; // [joint_count]
    int64_t vertex_count, d_count;
    int32_t *vertex; // [vertex_count]
    float *d;        // [d_count] of each the upper triangle, row by row
} pal_joint_arrays;
void pal_joint_arrays_free(pal_joint_arrays *arrays);

// From a model. On failure *arrays is empty.
pal_status pal_joint_arrays_take(pal_joint_arrays *arrays, const pal_tree_model *model,
                                 pal_err *err);

// To a model of the same domains, which has none. An error where they do not fit its classes
// (`owner`, the file's name, opens the message).
pal_status pal_joint_arrays_give(const pal_joint_arrays *arrays, pal_tree_model *model,
                                 const char *owner, pal_err *err);

// In this order: how many there are; how large each is; what they hold. Before the second and the
// third, when they are read, memory: for as many as there are, then for what they hold. The sizes
// must have been found to be within their limits.
pal_status pal_joint_visit_counts(pal_joint_arrays *arrays, pal_field_visit *visit, void *context,
                                  pal_err *err);
pal_status pal_joint_visit_sizes(pal_joint_arrays *arrays, int32_t domain_count,
                                 pal_field_visit *visit, void *context, pal_err *err);
pal_status pal_joint_visit_content(pal_joint_arrays *arrays, pal_field_visit *visit, void *context,
                                   pal_err *err);
pal_status pal_joint_arrays_alloc_sizes(pal_joint_arrays *arrays, int32_t domain_count,
                                        pal_err *err);
void pal_joint_arrays_add_up(pal_joint_arrays *arrays); // vertex_count and d_count from the sizes
pal_status pal_joint_arrays_alloc_content(pal_joint_arrays *arrays, pal_err *err);

double pal_joint_arrays_bytes(const pal_joint_arrays *arrays);

#endif
