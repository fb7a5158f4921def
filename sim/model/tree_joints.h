// Where the domains of a tree meet: what their dents miss there (sim/contact/joint.h).
#ifndef PAL_MODEL_TREE_JOINTS_H
#define PAL_MODEL_TREE_JOINTS_H

#include "sim/base/progress.h"
#include "sim/model/tree_model.h"

// In so many ways, at most, may domains of one class hang on those of another: a table for each of
// a thousand leaves, no two turned alike, would take more than all the classes together.
enum { PAL_TREE_MOST_JOINTS = 16 };

// One table for all that hang alike; none where one class hangs on another in more than `most`
// ways, and where the latter is so hard that its dents cannot be felt. On failure *joints is empty.
// Set-up only.
pal_status pal_tree_joints_build(const pal_tree_model *model, int32_t most,
                                 const pal_progress *progress, pal_joints *joints, pal_err *err);

// Whether the model's own are there, and for how large and stiff its domains are now. Any thread.
bool pal_tree_joints_fit(const pal_tree_model *model);

// Who hangs on whom, of joints whose arrays are there.
void pal_tree_joints_list(const pal_tree_model *model, pal_joints *joints);

#endif
