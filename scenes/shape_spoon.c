// The spoon of [BJ05 fig. 3], drawn 100 units long: handle at low x, bowl at high x.
#include <math.h>
#include <string.h>

#include "scenes/shapes.h"

static const double up[3] = {0, 0, 1}, along[3] = {1, 0, 0};

// An egg-shaped dish: the outside, less the same egg made smaller, less all above the rim.
static void draw_bowl(pal_solid *solid) {
    const double centre[3] = {86, 0, 0}, radius[3] = {14.0, 8.6, 5.2}, taper = 0.16, wall = 1.0;
    const double inside[3] = {radius[0] - wall, radius[1] - wall, radius[2] - wall};
    pal_solid_ellipsoid(solid, centre, radius, along, up, taper);
    solid->cut = true;
    pal_solid_ellipsoid(solid, centre, inside, along, up, taper);
    solid->blend = 1.0;
    pal_solid_box(solid, (const double[]){86, 0, 19.5}, (const double[]){30, 30, 20}, 0);
    solid->cut = false;
    // a bead along the rim
    const int pieces = 48;
    double last[3] = {0};
    solid->group = 1;
    solid->blend = 0.4;
    for (int i = 0; i <= pieces; i++) {
        double angle = 2.0 * M_PI * i / pieces, x = cos(angle);
        double across = (radius[1] - 0.5 * wall) * (1.0 - taper * x) * sin(angle);
        const double p[3] = {centre[0] + (radius[0] - 0.5 * wall) * x, across, -0.6};
        if (i > 0) {
            pal_solid_cone(solid, last, 0.72, p, 0.72);
        }
        memcpy(last, p, sizeof last);
    }
    solid->group = 0;
}

// Height of the handle's middle: out of the bowl, over a crest, down to the end.
static double crest(double s) {
    return -1.6 + 8.5 * sin(M_PI * pow(s, 0.8)) * (1.0 - 0.55 * s) + 2.2 * s;
}

static void draw_handle(pal_solid *solid) {
    const int pieces = 24;
    double last[3] = {0}, last_size[2] = {0};
    solid->group = 2;
    solid->blend = 2.0;
    for (int i = 0; i <= pieces; i++) {
        double s = (double)i / pieces; // 0 at the neck, 1 at the far end
        double p[3] = {74.0 - 71.5 * s, 0, crest(s)};
        double size[2] = {1.25 + 1.45 * s * s, 1.0 - 0.08 * s * s};
        if (i > 0) {
            pal_solid_strap(solid, last, last_size, p, size, up);
        }
        memcpy(last, p, sizeof last);
        memcpy(last_size, size, sizeof last_size);
    }
    solid->group = 0;
}

void pal_shape_draw_spoon(pal_solid *solid) {
    draw_bowl(solid);
    draw_handle(solid);
}
