// Solids for the procedural shapes: simple parts joined, or cut away, one after the other, with
// rounded seams. The solid is where its field is negative; near the surface the field is about the
// distance in metres (or whatever length unit the shape is drawn in).
#ifndef PAL_SCENES_SOLID_H
#define PAL_SCENES_SOLID_H

#include <stdbool.h>

#include "sim/base/status.h"

typedef enum pal_part_kind {
    PAL_PART_CONE,      // a ball that goes from a to b while its radius changes
    PAL_PART_STRAP,     // a flat ball (an ellipsoid of half width w and half thickness t) likewise
    PAL_PART_BOX,       // with rounded edges
    PAL_PART_ELLIPSOID, // three radii
} pal_part_kind;

typedef struct pal_solid_part {
    pal_part_kind kind;
    bool cut;          // taken away instead of added
    double blend;      // radius of the seam with what was there before
    double a[3], b[3]; // cone, strap: the ends; box, ellipsoid: a is the centre
    int group;         // parts of one group join without a seam, then meet the rest with one
    double axis[3][3]; // rows: the part's own axes: along, across, up
    double size[2][3]; // cone: [end][0] = radius; strap: [end] = w, t; box and ellipsoid: [0] =
                       // half sizes or radii, [1][0] = the box's rounding or the ellipsoid's taper
    double low[3], high[3]; // a box around the part
} pal_solid_part;

typedef struct pal_solid {
    double blend; // for the parts that follow
    bool cut;     // likewise
    int group;    // likewise; 0: each part by itself
    int count, capacity;
    pal_solid_part *part; // [count], in the order drawn
    pal_err *err;         // where a failed allocation is told; may be NULL
    bool failed;          // an allocation failed: the parts since then are missing
} pal_solid;

void pal_solid_free(pal_solid *solid);

// Each draws one more part with the solid's blend and cut.
void pal_solid_cone(pal_solid *solid, const double a[3], double radius_a, const double b[3],
                    double radius_b);
// `up` is the direction of the thickness. size_a and size_b: half width, half thickness.
void pal_solid_strap(pal_solid *solid, const double a[3], const double size_a[2], const double b[3],
                     const double size_b[2], const double up[3]);
// A box whose first axis goes from a to b and is as long; half[0] is across, half[1] along `up`.
void pal_solid_beam(pal_solid *solid, const double a[3], const double b[3], const double half[2],
                    const double up[3], double rounding);
void pal_solid_box(pal_solid *solid, const double centre[3], const double half[3], double rounding);
// The first axis is `along`, the third is as near to `up` as may be. `taper` makes an egg of it:
// its width goes from 1 + taper times at the near end to 1 - taper times at the far end of `along`.
void pal_solid_ellipsoid(pal_solid *solid, const double centre[3], const double radius[3],
                         const double along[3], const double up[3], double taper);

// A tube through `count` points (x, y, z, radius), smooth between them (Catmull-Rom), by `pieces`
// cones between two points. `thinner` is taken off the radii, so that a cut makes the same tube
// hollow.
void pal_solid_tube(pal_solid *solid, int count, const double (*point)[4], int pieces,
                    double thinner);

// The field at p from the parts that `list` names, in ascending order.
double pal_solid_field(const pal_solid *solid, const int *list, int list_count, const double p[3]);

// Whether the part can matter within `radius` of p for field values up to `margin`.
bool pal_solid_part_near(const pal_solid_part *part, const double p[3], double radius,
                         double margin);

#endif
