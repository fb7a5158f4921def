// The parts of joint_build.c that stand in files of their own. Private to it.
#ifndef PAL_CONTACT_JOINT_PARTS_H
#define PAL_CONTACT_JOINT_PARTS_H

#include "sim/contact/joint_build.h"

typedef struct pal_joining_side {
    const pal_joint_side *of;
    double *distance; // [vertex_count] from the interface, m of the parent's class
    uint8_t *is_tied; // [vertex_count]
    int32_t *list;    // [count] vertices that ties are between, then others that can be dented near
    int32_t tied;     // how many those are
    int32_t count;
    double *c; // [3 count][3 count]
} pal_joining_side;

typedef struct pal_joining {
    const pal_joint_spec *spec;
    double reach; // m, how far from the interface dents are put right
    pal_joining_side side[PAL_JOINT_SIDES];
    double *tie;     // [tied child][tied parent] x_child = sum of tie x_parent
    uint8_t *on_rim; // [tied child] 1: it carries what can be dented of the surface
} pal_joining;

// Where a vertex of a side is, in the parent's frame.
void pal_joint_place(const pal_joining *joining, int side, int32_t vertex, double out[3]);

// What is tied to what, for sides whose arrays are there: the child's held vertices, each to the
// element of the parent that it lies in or is nearest to. The parent's vertices are those of the
// interface, in their order, then others of such elements. *holds is false where one is farther
// from the parent than its elements are large.
pal_status pal_joint_tie(pal_joining *joining, bool *holds, pal_err *err);

// c of a side: the compliance between its listed vertices, in the axes and for the size of its
// class, of a patch of it that is free on the interface and held where it ends; zero where it is
// held.
pal_status pal_joint_patch(pal_joining *joining, int side, pal_err *err);

// g [3 count][3 count] = what the dents of a side do by themselves between vertices of its class,
// in its axes and for its size. Where the pairs that the table leaves out would be missed, for it
// is not positive without them, they are there.
pal_status pal_joint_own_dents(const pal_joint_side *side, int32_t count, const int32_t *vertex,
                               double *g, pal_err *err);

#endif
