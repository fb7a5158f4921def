// A strip of rubber on a table, drawn 120 units long: a plate with a flat top for things to be
// tried on, side by side.
#include "scenes/shapes.h"

void pal_shape_draw_strip(pal_solid *solid) {
    pal_solid_box(solid, (const double[]){60, 15, 10}, (const double[]){60, 15, 10}, 2);
}
