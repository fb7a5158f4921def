// A sphere tool against a deforming surface: one contact at the nearest point, as an implicit
// spring.
#ifndef PAL_CONTACT_SPHERE_H
#define PAL_CONTACT_SPHERE_H

#include <stdbool.h>

#include "sim/contact/bdtree.h"
#include "sim/reduced/newmark.h"

typedef struct pal_sphere_contact { // settings and the memory of the last tick; one per tool
    double radius;                  // m
    double stiffness, damping;      // N/m, N s/m of the contact spring
    int32_t budget;                 // tree nodes a tick
    int32_t hint;                   // triangle of the last contact, -1
    bool inside;                    // the centre went through the surface at the last tick
} pal_sphere_contact;

typedef struct pal_contact { // what was found this tick
    bool touching;
    double point[3];  // on the surface
    double normal[3]; // unit, out of the body into the tool
    double depth;     // m, how far the sphere overlaps the surface
    pal_nearest nearest;
} pal_contact;

// Finds the contact of a sphere at x (velocity v) and, when touching, fills row [size] and the
// spring for pal_newmark_step. Continuous as the sphere moves over edges; a centre below the
// surface pushes out the way it came. RT safe.
pal_outcome pal_sphere_find(pal_sphere_contact *tool, const pal_bdtree *tree, const pal_body *body,
                            const double x[3], const double v[3], double *row, pal_spring *spring,
                            pal_contact *contact);

#endif
