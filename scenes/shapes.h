// The procedural shapes that scenes name: closed, manifold triangle surfaces, made from nothing.
#ifndef PAL_SCENES_SHAPES_H
#define PAL_SCENES_SHAPES_H

#include "scenes/solid.h"
#include "sim/mesh/surface.h"

typedef struct pal_figure { // how a shape is drawn
    const char *name;
    const char *about;
    void (*draw)(pal_solid *solid); // in the shape's own units
    double cell;                    // sampling cell, in the same units
} pal_figure;

// The shapes in the order of their names; NULL past the end.
const pal_figure *pal_shape_at(int index);

// The shape of that name, or NULL with an error that lists the known ones.
const pal_figure *pal_shape_find(const char *name, pal_err *err);

// The shape's surface: the longest side of its bounding box is `size` (m), the lower corner of the
// box is the origin, z is up.
pal_status pal_shape_make(const char *name, double size, pal_surface *surface, pal_err *err);

void pal_shape_draw_block(pal_solid *solid);
void pal_shape_draw_bridge(pal_solid *solid);
void pal_shape_draw_hook(pal_solid *solid);
void pal_shape_draw_heart(pal_solid *solid);
void pal_shape_draw_liver(pal_solid *solid);
void pal_shape_draw_spoon(pal_solid *solid);
void pal_shape_draw_strip(pal_solid *solid);
void pal_shape_draw_tower(pal_solid *solid);

#endif
