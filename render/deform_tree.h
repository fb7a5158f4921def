// The surface of a tree of domains as a snapshot has it, on the CPU: each instance is its class,
// deformed by the instance's own coordinates (deform.h), drawn at its scale and put into its frame.
// Where the surfaces of neighbours meet in the same points at rest, both copies are drawn at their
// mean, so that the surface has no gaps                                             [BZ11 fig. 8]
#ifndef PAL_RENDER_DEFORM_TREE_H
#define PAL_RENDER_DEFORM_TREE_H

#include "render/deform.h"
#include "sim/model/tree_model.h"

typedef struct pal_deform_tree {
    const pal_tree_model *model; // borrowed
    int32_t point_count;         // of all instances
    pal_deform *class_;          // [class_count]
    float *rest;                 // [point_count][3] in the world
    float *own;                  // of the largest class, room for one instance
    float *frame;                // [domain_count][12] at rest: place and turn
    // Points that are one at rest
    int32_t group_count;
    int32_t *first;  // [group_count + 1]
    int32_t *member; // [first[group_count]]
} pal_deform_tree;

// whole: of the model (tree_whole.h), not kept. Set-up only; on failure *deform is empty.
pal_status pal_deform_tree_open(pal_deform_tree *deform, const pal_tree_model *model,
                                const pal_model *whole, pal_err *err);
void pal_deform_tree_close(pal_deform_tree *deform);

// place [point_count][4] = (x, how far it has come, m); their extent.
pal_deform_extent pal_deform_tree_places(const pal_deform_tree *deform, const pal_snapshot *shot,
                                         float *place);

#endif
