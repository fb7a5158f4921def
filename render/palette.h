// Colours for any number of things that are to be told apart: regions, domains. The first eight are
// those of Okabe and Ito (2008), which the colour-blind can tell apart; each further one is that of
// all colours that suit a lit surface which is farthest from those before it, as people with usual
// sight and those who lack the red or the green cones see them (Viénot, Brettel and Mollon 1999).
// Distances are in Oklab (Ottosson 2020). Any thread.
#ifndef PAL_RENDER_PALETTE_H
#define PAL_RENDER_PALETTE_H

#include "render/image.h"
#include "sim/base/status.h"

enum { PAL_PALETTE_MOST = 512 }; // distinct colours; then they come round again

// colour [count]; beyond PAL_PALETTE_MOST the same again. The first n of a palette are the palette
// of n. Fails only for want of memory.
pal_status pal_palette_make(int32_t count, pal_rgb *colour, pal_err *err);

// How far two colours look apart to whoever of the three sees them least apart; black and white are
// 1 apart.
double pal_palette_distance(pal_rgb a, pal_rgb b);

#endif
