// Where the domains of a tree meet: what their dents miss there (sim/contact/joint.h).
#ifndef PAL_HAPTICS_LIVE_JOINTS_H
#define PAL_HAPTICS_LIVE_JOINTS_H

#include "sim/contact/joint.h"
#include "sim/model/tree_model.h"

// One table for all that hang alike. On failure *joints is empty. Set-up only.
pal_status pal_live_joints_open(const pal_tree_model *model, pal_joints *joints, pal_err *err);
void pal_live_joints_close(pal_joints *joints);

#endif
