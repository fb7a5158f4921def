// The parts of joint_build.c that stand in files of their own. Private to it.
#ifndef PAL_CONTACT_JOINT_PARTS_H
#define PAL_CONTACT_JOINT_PARTS_H

#include "sim/contact/joint_build.h"

typedef struct pal_joining_side {
    const pal_joint_side *of;
    double *distance;   // [vertex_count] from the interface, m of the parent's class
    int32_t *interface; // [n] its vertices on the interface, in the parent's order
    int32_t *list;      // [count] those, then others that can be dented near by
    int32_t count;
    double *c; // [3 count][3 count]
} pal_joining_side;

typedef struct pal_joining {
    const pal_joint_spec *spec;
    int32_t n;    // vertices of the interface
    double reach; // m, how far from it dents are put right
    pal_joining_side side[PAL_JOINT_SIDES];
} pal_joining;

// c of a side: the compliance between its listed vertices, in the axes and for the size of its
// class, of a patch of it that is free on the interface and held where it ends; zero where it is
// held.
pal_status pal_joint_patch(pal_joining *joining, int side, pal_err *err);

#endif
