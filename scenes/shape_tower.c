// The Eiffel tower of [BJ05 fig. 4], drawn 140 units high: four splayed legs of lattice that meet
// above the second platform, a lattice column, and a spire.
#include <math.h>

#include "scenes/shapes.h"

static const double first_platform = 25, second_platform = 50, top_platform = 119, height = 140;
static const double chord = 0.46, brace = 0.36;

// Half the width of the tower at height z, to the outer edge of the legs, after the real one.
static double outer(double z) {
    static const double at[][2] = {{0, 27},   {25, 15.3}, {50, 8.8}, {75, 5.4},
                                   {95, 3.6}, {119, 2.1}, {140, 0.5}};
    int i = 0;
    while (z > at[i + 1][0] && i < 5) {
        i++;
    }
    double t = (z - at[i][0]) / (at[i + 1][0] - at[i][0]);
    return at[i][1] * pow(at[i + 1][1] / at[i][1], t); // exponential between the levels
}

// Half the clear width between the legs.
static double inner(double z) {
    double leg = 9.0 - 0.095 * z;
    return fmax(outer(z) - leg, 0.0);
}

// A panel of lattice: chords a-c and b-d, crossed braces, and the strut c-d on top.
static void draw_panel(pal_solid *solid, const double a[3], const double b[3], const double c[3],
                       const double d[3], bool braced) {
    pal_solid_cone(solid, a, chord, c, chord);
    if (braced) {
        pal_solid_cone(solid, a, brace, d, brace);
        pal_solid_cone(solid, b, brace, c, brace);
        pal_solid_cone(solid, c, brace, d, brace);
    }
}

// The corner (i, j) of the leg in quadrant (sx, sy) at height z; i, j = 0: inner edge.
static void leg_corner(double sx, double sy, const int ij[2], double z, double p[3]) {
    p[0] = sx * (ij[0] ? outer(z) : inner(z));
    p[1] = sy * (ij[1] ? outer(z) : inner(z));
    p[2] = z;
}

static void draw_leg(pal_solid *solid, double sx, double sy) {
    static const int ring[5][2] = {{1, 0}, {1, 1}, {0, 1}, {0, 0}, {1, 0}};
    static const double level[] = {0, 12.5, 25, 37.5, 50};
    for (int l = 0; l < 4; l++) {
        for (int k = 0; k < 4; k++) {
            double a[3], b[3], c[3], d[3];
            leg_corner(sx, sy, ring[k], level[l], a);
            leg_corner(sx, sy, ring[k + 1], level[l], b);
            leg_corner(sx, sy, ring[k], level[l + 1], c);
            leg_corner(sx, sy, ring[k + 1], level[l + 1], d);
            draw_panel(solid, a, b, c, d, k < 2);
        }
    }
    // the foot
    double w = (outer(0) + inner(0)) / 2, half = (outer(0) - inner(0)) / 2 + 0.8;
    pal_solid_box(solid, (const double[]){sx * w, sy * w, 0.0}, (const double[]){half, half, 0.9},
                  0.3);
}

// The arch between two feet, below the first platform. `turn` 0..3 is the side.
static void draw_arch(pal_solid *solid, int turn) {
    static const double c[4] = {1, 0, -1, 0}, s[4] = {0, 1, 0, -1};
    const int pieces = 14;
    double last[3] = {0};
    for (int i = 0; i <= pieces; i++) {
        double angle = M_PI * i / pieces, z = 9 + 13.0 * sin(angle);
        double x = inner(9) * cos(angle),
               y = 0.5 * (outer(z) + inner(z)) + 0.5 * (outer(z) - inner(z));
        double p[3] = {c[turn] * x - s[turn] * y, s[turn] * x + c[turn] * y, z};
        if (i > 0) {
            pal_solid_cone(solid, last, 0.42, p, 0.42);
        }
        for (int k = 0; k < 3; k++) {
            last[k] = p[k];
        }
    }
}

static void draw_platform(pal_solid *solid, double z, double half, double thick) {
    for (int side = 0; side < 4; side++) {
        double s = side & 1 ? 1.0 : -1.0, w = half * 0.28;
        double centre[3] = {0, 0, z}, size[3] = {half, half, thick};
        centre[side >> 1] = s * (half - w);
        size[side >> 1] = w;
        pal_solid_box(solid, centre, size, 0.2);
    }
}

static void draw_column(pal_solid *solid) {
    double z = second_platform;
    while (z < top_platform - 0.5) {
        double next = fmin(z + fmax(2.5 * outer(z), 6.5), top_platform);
        double w0 = outer(z), w1 = outer(next);
        for (int k = 0; k < 4; k++) {
            double s0 = k == 0 || k == 3 ? 1 : -1, t0 = k < 2 ? 1 : -1;
            double s1 = k < 2 ? -1 : 1, t1 = k == 0 || k == 3 ? 1 : -1;
            const double a[3] = {s0 * w0, t0 * w0, z}, b[3] = {s1 * w0, t1 * w0, z};
            const double c[3] = {s0 * w1, t0 * w1, next}, d[3] = {s1 * w1, t1 * w1, next};
            draw_panel(solid, a, b, c, d, true);
        }
        z = next;
    }
}

void pal_shape_draw_tower(pal_solid *solid) {
    solid->blend = 0.25;
    for (int k = 0; k < 4; k++) {
        draw_leg(solid, k & 1 ? 1 : -1, k & 2 ? 1 : -1);
        draw_arch(solid, k);
    }
    draw_platform(solid, first_platform, outer(first_platform) + 1.2, 0.7);
    draw_platform(solid, second_platform, outer(second_platform) + 1.0, 0.6);
    draw_column(solid);
    // the top platform, the lantern and the spire
    pal_solid_box(solid, (const double[]){0, 0, top_platform}, (const double[]){3.2, 3.2, 0.8},
                  0.3);
    pal_solid_box(solid, (const double[]){0, 0, top_platform + 2.5},
                  (const double[]){1.7, 1.7, 2.5}, 0.5);
    pal_solid_cone(solid, (const double[]){0, 0, top_platform + 4}, 1.3,
                   (const double[]){0, 0, top_platform + 9}, 0.7);
    pal_solid_cone(solid, (const double[]){0, 0, top_platform + 9}, 0.7,
                   (const double[]){0, 0, height - 0.5}, 0.5);
}
