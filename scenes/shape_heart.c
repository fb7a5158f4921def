// The heart of [BJ05 fig. 4], drawn 80 units high, seen from the front (low y): hollow ventricles
// and atria, the aorta with its arch, the pulmonary trunk and the two great veins, all open at
// their ends. +x is the heart's left side.
#include "scenes/shapes.h"

static const double apex[3] = {0.50, -0.28, -0.82}; // from the base to the apex
static const double front[3] = {0, 1, 0}, right[3] = {1, 0, 0}, up[3] = {0, 0, 1};
static const double vessel_wall = 1.5;

// {x, y, z, radius}
static const double aorta[][4] = {{1, 0, 34, 4.0},   {-2.5, -1, 46, 4.2}, {-2, 1, 57, 4.1},
                                  {2.5, 5, 62, 3.9}, {8, 9, 58.5, 3.7},   {10, 11, 50, 3.5},
                                  {10, 13, 38, 3.4}, {9, 14, 24, 3.3},    {8, 14, 10, 3.2}};
static const double trunk[][4] = {{-1, -8, 34, 4.0}, {2, -7, 44, 4.0}, {6, -2, 50.5, 3.8}};
static const double lung_left[][4] = {{6, -2, 50.5, 3.4}, {13, 1, 52, 3.3}, {22, 2, 51, 3.2}};
static const double lung_right[][4] = {{6, -2, 50.5, 3.4}, {-3, 7, 49, 3.3}, {-18, 6, 49, 3.2}};
static const double upper_vein[][4] = {{-10, 2, 36, 3.6}, {-11.5, 2, 50, 3.6}, {-11, 1, 72, 3.4}};
static const double lower_vein[][4] = {{-10, 3, 32, 3.6}, {-10.5, 6, 18, 3.6}, {-10, 7, 0, 3.4}};
static const double branch[3][2][4] = {{{-2, 1, 59, 2.9}, {-5.5, 0, 78, 2.7}},
                                       {{2.5, 5, 62, 2.9}, {3, 4, 80, 2.7}},
                                       {{7, 8, 60, 2.9}, {10.5, 7, 77, 2.7}}};

// Left ventricle, right ventricle in front of it, left and right atrium; each `thinner` all round.
static void draw_chambers(pal_solid *solid, double thinner) {
    const double t = thinner;
    pal_solid_ellipsoid(solid, (const double[]){4, 2, 26},
                        (const double[]){17 - 1.3 * t, 11 - 1.15 * t, 10.5 - 1.15 * t}, apex, front,
                        0.12);
    pal_solid_ellipsoid(solid, (const double[]){-3, -3, 27},
                        (const double[]){14.5 - t, 9.5 - t, 8 - t}, apex, front, 0.15);
    pal_solid_ellipsoid(solid, (const double[]){5, 8, 37},
                        (const double[]){9 - t, 6.5 - t, 6.5 - t}, right, up, 0);
    pal_solid_ellipsoid(solid, (const double[]){-9.5, 2, 35}, (const double[]){7 - t, 7 - t, 8 - t},
                        right, up, 0);
}

static void draw_vessels(pal_solid *solid, double thinner) {
    pal_solid_tube(solid, 9, aorta, 4, thinner);
    pal_solid_tube(solid, 3, trunk, 4, thinner);
    pal_solid_tube(solid, 3, lung_left, 4, thinner);
    pal_solid_tube(solid, 3, lung_right, 4, thinner);
    pal_solid_tube(solid, 3, upper_vein, 4, thinner);
    pal_solid_tube(solid, 3, lower_vein, 4, thinner);
    for (int i = 0; i < 3; i++) {
        pal_solid_tube(solid, 2, branch[i], 1, thinner);
    }
}

// Flat ends, so that the vessels are open.
static void trim(pal_solid *solid) {
    pal_solid_box(solid, (const double[]){0, 0, 85}, (const double[]){40, 40, 8}, 0);
    pal_solid_box(solid, (const double[]){0, 0, -8}, (const double[]){40, 40, 8.5}, 0);
}

void pal_shape_draw_heart(pal_solid *solid) {
    solid->blend = 4.0;
    draw_chambers(solid, 0.0);
    solid->blend = 1.6;
    draw_vessels(solid, 0.0);
    solid->cut = true;
    solid->blend = 0.5;
    draw_chambers(solid, 3.2);
    draw_vessels(solid, vessel_wall);
    solid->blend = 0.4;
    (void)trim;
}
