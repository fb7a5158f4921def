// What a baked tree holds, field by field (see model_fields.h).
#ifndef PAL_MODEL_TREE_FIELDS_H
#define PAL_MODEL_TREE_FIELDS_H

#include "sim/model/model_fields.h"
#include "sim/model/tree_model.h"

// The instances as arrays; a pal_domain is an element of each.
typedef struct pal_tree_arrays {
    int32_t *kind, *above, *port;     // [domain_count]; above: 1 + the parent, 0 at the root
    double *rest, *scale, *stiffness; // [domain_count][9], [domain_count], [domain_count]
} pal_tree_arrays;
pal_status pal_tree_arrays_alloc(pal_tree_arrays *arrays, int32_t domain_count, pal_err *err);
void pal_tree_arrays_free(pal_tree_arrays *arrays);
void pal_tree_arrays_take(pal_tree_arrays *arrays, const pal_tree_model *model);
void pal_tree_arrays_give(const pal_tree_arrays *arrays, pal_tree_model *model);

// In this order: the counts of classes and domains; of each class its sizes, then those of its
// ports; then the content of each class, and that of the tree.
pal_status pal_tree_visit_counts(pal_tree_model *model, pal_field_visit *visit, void *context,
                                 pal_err *err);
pal_status pal_tree_visit_class_sizes(pal_tree_model *model, int32_t k, pal_field_visit *visit,
                                      void *context, pal_err *err);
pal_status pal_tree_visit_port_sizes(pal_tree_model *model, int32_t k, int32_t *vertex_count,
                                     pal_field_visit *visit, void *context, pal_err *err);
pal_status pal_tree_visit_class(pal_tree_model *model, int32_t k, pal_field_visit *visit,
                                void *context, pal_err *err);
pal_status pal_tree_visit_tree(pal_tree_model *model, pal_tree_arrays *arrays,
                               pal_field_visit *visit, void *context, pal_err *err);

#endif
