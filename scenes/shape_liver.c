// A liver, drawn 100 units wide, seen from the front (low y): the large right lobe at low x, the
// left lobe thinning out to high x, domed above, hollowed below.
#include "scenes/shapes.h"

static const double right[3] = {1, 0, 0}, up[3] = {0, 0, 1};

void pal_shape_draw_liver(pal_solid *solid) {
    solid->blend = 16;
    pal_solid_ellipsoid(solid, (const double[]){26, 2, 30}, (const double[]){25, 23, 24}, right, up,
                        0);
    pal_solid_ellipsoid(solid, (const double[]){18, -2, 15}, (const double[]){12, 16, 18}, right,
                        up, 0);
    pal_solid_ellipsoid(solid, (const double[]){50, -4, 36}, (const double[]){26, 18, 18},
                        (const double[]){1, 0.05, 0.1}, up, 0);
    pal_solid_ellipsoid(solid, (const double[]){74, -6, 40}, (const double[]){25, 15, 11},
                        (const double[]){1, 0.1, 0.12}, up, 0.25);
    // the visceral face: the hollow of the stomach and the kidney's, the groove of the portal vein
    solid->cut = true;
    solid->blend = 7;
    pal_solid_ellipsoid(solid, (const double[]){68, 12, 6}, (const double[]){40, 34, 24}, right, up,
                        0);
    pal_solid_ellipsoid(solid, (const double[]){36, 24, 4}, (const double[]){18, 18, 20}, right, up,
                        0);
    // the falciform ligament's notch between the lobes
    solid->blend = 5;
    pal_solid_cone(solid, (const double[]){55, -26, 14}, 3, (const double[]){54, -26, 34}, 1);
    solid->cut = false;
    // the gall bladder peeps out below the edge
    solid->blend = 3;
    pal_solid_cone(solid, (const double[]){38, -17, 12}, 4.5, (const double[]){44, 0, 18}, 3);
}
