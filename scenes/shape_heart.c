// The heart of [BJ05 fig. 4], drawn 80 units high, seen from the front (low y): hollow ventricles
// and atria, the aorta with its arch, the pulmonary trunk and the two great veins, all open at
// their ends. +x is the heart's left side.
#include "scenes/shapes.h"
#include "sim/base/vec3.h"

static const double apex[3] = {0.50, -0.28, -0.82}; // from the base to the apex
static const double front[3] = {0, 1, 0}, right[3] = {1, 0, 0}, up[3] = {0, 0, 1};
static const double vessel_wall = 1.3;

// {x, y, z, radius}
static const double aorta[][4] = {{1, 0, 32, 3.6},   {-2, -1, 44, 3.7}, {-1.5, 1, 55, 3.6},
                                  {3, 5, 60, 3.5},   {8, 8.5, 56, 3.4}, {9.5, 10.5, 47, 3.3},
                                  {9.5, 12, 37, 3.2}};
static const double trunk[][4] = {{-1, -7, 32, 3.6}, {2, -6, 42, 3.6}, {6, -2, 48.5, 3.4}};
static const double lung_left[][4] = {{6, -2, 48.5, 3.1}, {12, 0, 50, 3.0}, {21, 1, 49, 3.0}};
static const double lung_right[][4] = {{6, -2, 48.5, 3.1}, {-3, 6, 48, 3.0}, {-17, 5, 48, 3.0}};
static const double upper_vein[][4] = {{-8.5, 2, 34, 3.3}, {-10, 2, 48, 3.3}, {-10, 1, 68, 3.1}};
static const double lower_vein[][4] = {{-8, 3, 30, 3.3}, {-8.5, 5, 16, 3.3}, {-8, 6, 0, 3.2}};
static const double branch[3][2][4] = {{{-1.5, 1, 57, 2.6}, {-5, 0, 76, 2.5}},
                                       {{3, 5, 60, 2.6}, {3.5, 4, 80, 2.5}},
                                       {{7, 8, 58, 2.6}, {10.5, 7, 75, 2.5}}};

// Left ventricle, right ventricle in front of it, left and right atrium; each `thinner` all round.
static void draw_chambers(pal_solid *solid, double thinner) {
    const double t = thinner;
    pal_solid_ellipsoid(solid, (const double[]){4, 2, 25},
                        (const double[]){15.5 - 1.2 * t, 9.8 - 1.1 * t, 9.2 - 1.1 * t}, apex, front,
                        0.12);
    pal_solid_ellipsoid(solid, (const double[]){-2, -2.5, 26},
                        (const double[]){13 - t, 8.6 - t, 7.2 - t}, apex, front, 0.15);
    pal_solid_ellipsoid(solid, (const double[]){5, 7, 34.5},
                        (const double[]){8 - t, 5.6 - t, 5.6 - t}, right, up, 0);
    pal_solid_ellipsoid(solid, (const double[]){-8, 2, 33}, (const double[]){6 - t, 6 - t, 7 - t},
                        right, up, 0);
}

// A vessel, or when `thinner` is above 0 its lumen with a flat mouth at its last point.
static void draw_vessel(pal_solid *solid, int count, const double (*point)[4], double thinner) {
    pal_solid_tube(solid, count, point, 4, thinner);
    if (thinner > 0.0) {
        const double *before = point[count - 2], *end = point[count - 1];
        double along[3], out[3];
        pal_sub3(end, before, along);
        for (int c = 0; c < 3; c++) {
            out[c] = end[c] + 6.0 * along[c] / pal_norm3(along);
        }
        const double half[2] = {end[3] + 1.0, end[3] + 1.0};
        pal_solid_beam(solid, end, out, half, front, 0.0);
    }
}

static void draw_vessels(pal_solid *solid, double thinner) {
    draw_vessel(solid, 7, aorta, thinner);
    draw_vessel(solid, 3, lung_left, thinner);
    draw_vessel(solid, 3, lung_right, thinner);
    draw_vessel(solid, 3, upper_vein, thinner);
    draw_vessel(solid, 3, lower_vein, thinner);
    for (int i = 0; i < 3; i++) {
        draw_vessel(solid, 2, branch[i], thinner);
    }
    pal_solid_tube(solid, 3, trunk, 4, thinner); // it ends where the two to the lungs begin
}

void pal_shape_draw_heart(pal_solid *solid) {
    solid->blend = 4.0;
    draw_chambers(solid, 0.0);
    solid->blend = 1.6;
    draw_vessels(solid, 0.0);
    solid->cut = true;
    solid->blend = 0.5;
    draw_chambers(solid, 2.1);
    draw_vessels(solid, vessel_wall);
}
