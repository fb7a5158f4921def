// What the bodies of classes and instances are made by: a class from its limbs, and the tree of its
// instances, one hung at a port of another.
#ifndef PAL_SCENES_DOMAIN_GROW_H
#define PAL_SCENES_DOMAIN_GROW_H

#include "scenes/domain_shapes.h"
#include "scenes/limbs.h"

// Room for `classes` classes and `domains` instances.
pal_status pal_domain_body_alloc(pal_domain_body *body, int32_t classes, int32_t domains,
                                 pal_err *err);

// A list of vertices (on the heap, the class's from now on) and the direction out of it.
pal_status pal_class_shape_add_port(pal_class_shape *class_, int32_t *vertex, int32_t count,
                                    const double normal[3], pal_err *err);
// A port at a patch of a limb (limbs.h). What goes wrong is kept in *limbs.
void pal_class_shape_port(pal_class_shape *class_, pal_limbs *limbs, int32_t limb,
                          pal_limb_side side, const int32_t at[2], const int32_t size[2]);
// Names the class and takes the mesh from the limbs; it is held where the first limb begins.
pal_status pal_class_shape_finish(pal_class_shape *class_, const char *name, int32_t modes,
                                  pal_limbs *limbs, pal_err *err);

// The next domain, whose class's z axis points along `along` and its y axis as near to `up` as may
// be, both in the world at rest. The root has parent -1. There must be room.
int32_t pal_domain_body_hang(pal_domain_body *body, int32_t kind, int32_t parent, int32_t port,
                             double scale, const double along[3], const double up[3],
                             const char *name);
// How a domain is turned, and where a port's normal points, in the world at rest.
void pal_domain_body_turn(const pal_domain_body *body, int32_t domain, double turn[3][3]);
void pal_domain_body_normal(const pal_domain_body *body, int32_t domain, int32_t port,
                            double normal[3]);

#endif
