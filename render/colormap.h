// Colours for quantities: the map viridis (S. van der Walt and N. Smith, 2015, public domain), even
// to the eye and safe for the colour-blind, without its darkest tenth. Any thread.
#ifndef PAL_RENDER_COLORMAP_H
#define PAL_RENDER_COLORMAP_H

#include "render/image.h"

// The sRGB colour, 0..255 each, for value 0..1 (clamped; NaN counts as 0).
void pal_colormap(double value, double rgb[3]);
pal_rgb pal_colormap_rgb(double value);

// A colour for the n-th of many things, unlike those of its neighbours: hues a golden section
// apart, in two lightnesses.
pal_rgb pal_colour_of_number(int32_t n);

// Between sRGB 0..255 and light that adds up, 0..1.
double pal_srgb_to_linear(double srgb);
double pal_linear_to_srgb(double linear);

#endif
