// The arrays of joints (see joint.h).
#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "sim/contact/joint_build.h"

pal_status pal_joint_alloc(pal_joint *joint, int32_t count, int32_t parent_count,
                           const int32_t *vertices, pal_err *err) {
    *joint = (pal_joint){
        .count = count, .parent_count = parent_count, .stride = pal_joint_stride(count)};
    joint->vertex = PAL_NEW(int32_t, count, err);
    joint->d = PAL_NEW(float, 3 * (size_t)count * (size_t)joint->stride, err);
    bool made = joint->vertex != NULL && joint->d != NULL;
    for (int s = 0; s < PAL_JOINT_SIDES; s++) {
        joint->row[s] = PAL_NEW(int32_t, vertices[s], err);
        made = made && joint->row[s] != NULL;
        for (int32_t v = 0; made && v < vertices[s]; v++) {
            joint->row[s][v] = -1;
        }
    }
    if (!made) {
        pal_joint_free(joint);
    }
    return made ? PAL_OK : PAL_ERR_MEMORY;
}

void pal_joint_index(pal_joint *joint) {
    for (int32_t k = 0; k < joint->count; k++) {
        joint->row[k < joint->parent_count ? PAL_PARENT : PAL_CHILD][joint->vertex[k]] = k;
    }
}

void pal_joint_free(pal_joint *joint) {
    free(joint->row[PAL_PARENT]);
    free(joint->row[PAL_CHILD]);
    free(joint->vertex);
    free(joint->d);
    memset(joint, 0, sizeof *joint);
}

pal_status pal_joints_alloc(pal_joints *joints, int32_t room, int32_t domain_count, pal_err *err) {
    const size_t n = (size_t)domain_count;
    *joints = (pal_joints){.item = PAL_NEW(pal_joint, room, err),
                           .of_child = PAL_NEW(int32_t, n, err),
                           .size = PAL_NEW(double, n, err),
                           .stiffness = PAL_NEW(double, n, err),
                           .first_child = PAL_NEW(int32_t, n + 1, err),
                           .child = PAL_NEW(int32_t, n, err)};
    if (joints->item && joints->of_child && joints->size && joints->stiffness &&
        joints->first_child && joints->child) {
        return PAL_OK;
    }
    pal_joints_free(joints);
    return PAL_ERR_MEMORY;
}

void pal_joints_free(pal_joints *joints) {
    for (int32_t k = 0; joints->item != NULL && k < joints->count; k++) {
        pal_joint_free(&joints->item[k]);
    }
    free(joints->item);
    free(joints->of_child);
    free(joints->size);
    free(joints->stiffness);
    free(joints->first_child);
    free(joints->child);
    memset(joints, 0, sizeof *joints);
}
