// Bakes what a tree misses where two of its domains meet (see joint.h).
#ifndef PAL_CONTACT_JOINT_BUILD_H
#define PAL_CONTACT_JOINT_BUILD_H

#include "sim/contact/joint.h"
#include "sim/fem/problem.h"

typedef struct pal_joint_side { // a class, all borrowed
    const pal_volmesh *mesh;
    const pal_material *material;   // [mesh->region_count]
    const uint8_t *held;            // [vertex_count]
    const pal_local *local;         // whose rows can be dented
    const pal_embedding *embedding; // of its surface
    const double *basis;            // [3 vertex_count][r] that its dents are beyond
    int32_t r;
    pal_local *all_pairs; // filled where pairs that `local` leaves out are missed; to be freed
} pal_joint_side;

typedef struct pal_joint_spec {
    pal_joint_side parent, child;
    double place[3];         // of the child's frame in the parent's, at rest
    const double (*rest)[3]; // its turn
    double size;             // of the child's lengths over the parent's
    double stiffness;        // of its factor over the parent's
    double share;            // of the dents by themselves, that it may take away: 1 where no other
                             // joint is near
    int32_t vertex_count;    // of the parent's on the interface,
    const int32_t *vertex;   // [vertex_count] these,
    const double *weight;    // [vertex_count] with these weights: they carry the frame
} pal_joint_spec;

// The child's held vertices go with the parent's elements that they lie in or are nearest to; their
// meshes need not meet vertex by vertex. Where one is farther from the parent than its elements are
// large the joint is empty: nothing is known of how they hold together. On failure it is empty,
// too. Set-up only.
pal_status pal_joint_build(const pal_joint_spec *spec, pal_joint *joint, pal_err *err);
void pal_joint_free(pal_joint *joint);

// Memory for so many vertices, parent_count of them the parent's, whose classes have vertices
// [PAL_JOINT_SIDES] in all. Then, when their numbers are known, which rows they have. On failure
// *joint is empty.
pal_status pal_joint_alloc(pal_joint *joint, int32_t count, int32_t parent_count,
                           const int32_t *vertices, pal_err *err);
void pal_joint_index(pal_joint *joint);

// Memory for `room` joints and so many domains. On failure *joints is empty.
pal_status pal_joints_alloc(pal_joints *joints, int32_t room, int32_t domain_count, pal_err *err);
void pal_joints_free(pal_joints *joints);

#endif
