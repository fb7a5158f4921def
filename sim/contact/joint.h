// Where two domains meet. A tree knows an interface as a face that stays rigid: to the child it is
// as hard as a wall, and the parent bears what hangs there as a bare wrench, as if it ended in the
// open. So near it a dent is too small on the child's side, and too large on the parent's; and the
// one does not know of the other. What is missing to the united body,
//
//     D = C_united - C_tree      between vertices near the interface, on both sides,
//
// is short-ranged (what differs carries no wrench) and is added to their dents.
#ifndef PAL_CONTACT_JOINT_H
#define PAL_CONTACT_JOINT_H

#include "sim/contact/soft_part.h"

enum { PAL_JOINT_VERTICES = 240 }; // of both sides, at most

enum { PAL_PARENT, PAL_CHILD, PAL_JOINT_SIDES };

typedef struct pal_joint {
    int32_t count;                 // vertices of both sides, the parent's first; 0: none
    int32_t *row[PAL_JOINT_SIDES]; // [vertices of its class] which of them it is, -1: none
    int32_t *vertex;               // [count] of its class
    int32_t parent_count;          // of them
    int32_t stride;                // of d, in floats
    float *d; // [3 count][stride] m/N for the size and stiffness of the parent's class, each side
              // in its own axes
} pal_joint;

// Of so many vertices: whole lanes.
static inline int32_t pal_joint_stride(int32_t count) {
    enum { LANES = 16 };
    return (3 * count + LANES - 1) / LANES * LANES;
}

typedef struct pal_joints { // of a tree
    int32_t count;
    pal_joint *item;      // [count]
    int32_t *of_child;    // [domain_count] by which joint a domain hangs, -1: none
    double *size;         // [domain_count] of a domain over its parent's, as they were made for;
    double *stiffness;    // [domain_count] likewise; at the root 0
    int32_t *first_child; // [domain_count + 1]
    int32_t *child;       // [first_child[domain_count]] the domains that hang on each
} pal_joints;

// What touches bear on: vertices of the class, also those of its held interface.
typedef struct pal_joint_touches {
    int32_t count;
    pal_local_share point[PAL_MAX_TOUCHES];
    pal_local_share spread[PAL_MAX_TOUCHES];
} pal_joint_touches;

// The touches of a set, whose numbers are the part's own. RT safe.
void pal_joint_gather(const pal_soft_part *part, const pal_touch_set *set,
                      pal_joint_touches *touches);

// A side of a joint, and what is touched there.
typedef struct pal_joint_contact {
    int side;
    const pal_joint_touches *touches;
    const double (*turn)[3]; // of the surface there, from the axes of its class to the world
} pal_joint_contact;

// w [3 n_to][ld] += scale R_to H_to D F_from^T R_from^T: what the forces of one do to the points of
// the other. presses [n_from]: whose columns are wanted. RT safe.
void pal_joint_add(const pal_joint *joint, double scale, const bool *presses,
                   const pal_joint_contact *from, const pal_joint_contact *to, double *w,
                   int32_t ld);

// u [3 count] = scale D F^T R^T force, force [n][3] on the touches of `from` in the world: the dent
// at the vertices of both sides, each in its own axes at rest. false: the forces are not near it.
// RT safe.
bool pal_joint_dent(const pal_joint *joint, double scale, const pal_joint_contact *from,
                    const double *force, double *u);

#endif
