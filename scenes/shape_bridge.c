// The bridge of [BJ05 fig. 1], as a bowstring bridge, drawn 128 units long: a deck along x on two
// abutments, an arch on each side that carries it by hangers, and railings. Thin parts lie within
// one layer of unit voxels counted from the box's lower corner.
#include <math.h>
#include <string.h>

#include "scenes/shapes.h"

enum { PANELS = 17 };
static const double up[3] = {0, 0, 1};
static const double length = 128, half_width = 6.42, deck = 5.46, thin = 0.44;

static double panel_x(int i) {
    return 4.5 + i * (length - 9.0) / PANELS;
}

static double arch_height(int i) {
    double s = 2.0 * i / PANELS - 1.0;
    return deck + 25.72 * (1.0 - s * s);
}

static void rod(pal_solid *solid, const double a[3], const double b[3]) {
    pal_solid_cone(solid, a, thin, b, thin);
}

static void draw_deck(pal_solid *solid) {
    pal_solid_box(solid, (const double[]){length / 2, 0, deck},
                  (const double[]){length / 2, half_width, 0.42}, 0.2);
    for (int end = 0; end < 2; end++) { // the abutments
        pal_solid_box(solid, (const double[]){end ? length - 2.4 : 2.4, 0, deck / 2},
                      (const double[]){2.4, half_width, deck / 2}, 0.3);
    }
}

// The arch rib and its hangers.
static void draw_arch(pal_solid *solid, double side) {
    double rib = side * (half_width - 2.0), hanger = side * (half_width - 1.5);
    double last[3] = {panel_x(0), rib, deck};
    for (int i = 1; i <= PANELS; i++) {
        double next[3] = {panel_x(i), rib, arch_height(i)};
        pal_solid_beam(solid, last, next, (const double[]){0.8, 0.75}, up, 0.3);
        if (i < PANELS) {
            pal_solid_cone(solid, next, 0.7, next, 0.7);
            rod(solid, (const double[]){panel_x(i), hanger, arch_height(i)},
                (const double[]){panel_x(i), hanger, deck});
        }
        memcpy(last, next, sizeof last);
    }
}

// Struts and crossed braces between the arches where there is head room.
static void draw_bracing(pal_solid *solid) {
    const double w = half_width - 2.0;
    for (int i = 5; i <= PANELS - 5; i++) {
        const double left[3] = {panel_x(i), -w, arch_height(i)};
        const double right[3] = {panel_x(i), w, arch_height(i)};
        rod(solid, left, right);
        if (i < PANELS - 5) {
            rod(solid, left, (const double[]){panel_x(i + 1), w, arch_height(i + 1)});
            rod(solid, right, (const double[]){panel_x(i + 1), -w, arch_height(i + 1)});
        }
    }
}

static void draw_railing(pal_solid *solid, double y) {
    const int posts = 31;
    const double top = deck + 2.97;
    rod(solid, (const double[]){1.5, y, top}, (const double[]){length - 1.5, y, top});
    for (int i = 0; i <= posts; i++) {
        double x = 1.5 + floor(i * (length - 3.0) / posts);
        rod(solid, (const double[]){x, y, deck}, (const double[]){x, y, top});
    }
}

void pal_shape_draw_bridge(pal_solid *solid) {
    solid->blend = 0.2;
    draw_deck(solid);
    for (int side = -1; side <= 1; side += 2) {
        draw_arch(solid, side);
        draw_railing(solid, side * (half_width - 0.5));
    }
    draw_bracing(solid);
}
