// A block of tissue, drawn 100 units long, its base on the ground: to be felt from above.
#include "scenes/shapes.h"

void pal_shape_draw_block(pal_solid *solid) {
    pal_solid_box(solid, (const double[]){50, 40, 19.95}, (const double[]){50, 40, 19.95}, 3);
}
