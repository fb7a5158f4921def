// A nerve hook, drawn 100 units long: a shaft with a handle at low x, thinner to the front, its tip
// bent to the side at high x.
#include "scenes/shapes.h"

void pal_shape_draw_hook(pal_solid *solid) {
    static const double shaft[][4] = {{4, 0, 0, 3.2},      {20, 0, 0, 3.4},     {34, 0, 0, 3.0},
                                      {44, 0, 0, 1.9},     {70, 0, 0, 1.6},     {86, 0, 0, 1.5},
                                      {94, 0, 0.8, 1.4},   {97.6, 0, 4.2, 1.3}, {97.9, 0, 8.6, 1.2},
                                      {96.9, 0, 12.4, 1.2}};
    solid->blend = 0.5;
    solid->group = 1; // one tube without seams
    pal_solid_tube(solid, (int)(sizeof shaft / sizeof *shaft), shaft, 6, 0.0);
    solid->group = 0;
}
