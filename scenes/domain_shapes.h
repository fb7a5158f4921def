// The procedural bodies of domains that scenes name, made from nothing. Such a body is told in one
// of two ways: as one whole mesh whose regions are its domains, or as classes, each with a mesh and
// its ports, and the instances of them.
#ifndef PAL_SCENES_DOMAIN_SHAPES_H
#define PAL_SCENES_DOMAIN_SHAPES_H

#include "sim/substruct/class_build.h"
#include "sim/substruct/tree.h"

typedef struct pal_class_shape { // a class of domains
    char name[PAL_DOMAIN_NAME];
    int32_t modes;    // r; 0: rigid
    pal_volmesh mesh; // its parent holds it about the origin; one region, of the class's name
    uint8_t *held;    // [mesh.vertex_count] the interface to the parent; root: fixed to the ground
    int32_t port_count, port_room;
    pal_port_vertices *port; // [port_count], the lists on the heap
    double (*normal)[3];     // [port_count] out of the class, in its axes
} pal_class_shape;

typedef struct pal_domain_body {
    pal_volmesh mesh; // of the whole; empty where there are classes
    int32_t class_count;
    pal_class_shape *class_; // [class_count]; the root is of the first
    int32_t domain_count, domain_room;
    pal_domain *domain;                   // [domain_count]
    char (*domain_name)[PAL_DOMAIN_NAME]; // [domain_count]
    double root_x[3], root_turn[3][3];    // where the root's class, as its mesh is, stands
} pal_domain_body;

typedef struct pal_domain_shape {
    const char *name, *about;
    bool has_classes; // and instances, in the place of one whole mesh
    pal_status (*make)(pal_domain_body *body, pal_err *err); // m, at its own size
    // As the paper has it, over all instances; zeros for our own.           [BZ11 table 1]
    int32_t vertices, elements, domains, modes, depth;
} pal_domain_shape;

// The shapes in the order of their names; NULL past the end.
const pal_domain_shape *pal_domain_shape_at(int index);
// The shape of that name, or NULL; no error, since a name may be one of a plain shape (shapes.h).
const pal_domain_shape *pal_domain_shape_find(const char *name);

// The body with the longest side of its bounding box `size` (m), the lower corner of the box at the
// origin, z up. On failure *body is empty. Set-up only.
pal_status pal_domain_shape_make(const char *name, double size, pal_domain_body *body,
                                 pal_err *err);
void pal_domain_body_free(pal_domain_body *body);

typedef struct pal_domain_sizes { // over all instances
    int64_t vertices, elements;   // vertices of an interface count in both its domains
    int32_t domains, depth;       // depth: interfaces from the root to the farthest domain
    int32_t modes;                // of classes
} pal_domain_sizes;
void pal_domain_body_sizes(const pal_domain_body *body, pal_domain_sizes *sizes);

pal_status pal_domain_shape_dragon(pal_domain_body *body, pal_err *err);
pal_status pal_domain_shape_flower(pal_domain_body *body, pal_err *err);
pal_status pal_domain_shape_letters(pal_domain_body *body, pal_err *err);
pal_status pal_domain_shape_oak(pal_domain_body *body, pal_err *err);
pal_status pal_domain_shape_station(pal_domain_body *body, pal_err *err);
pal_status pal_domain_shape_vessels(pal_domain_body *body, pal_err *err);

#endif
