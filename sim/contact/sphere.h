// A sphere tool against a deforming surface: one contact at the nearest point, as an implicit
// spring.
//
// Outside, the nearest point is sought in the tree. Once the centre has gone through the surface,
// its point is tracked along the surface from where it went in, however deep: the sphere is pushed
// out the way it came, also where another side is nearer. The normal is the direction between
// centre and nearest point, so that the spring row is exactly the derivative of the depth; it turns
// gradually over convex edges and jumps by the angle of the faces over concave ones.
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
    bool known;                     // on which side the centre is; false to start afresh
    bool near;                      // the surface was near: hint is tracked
    double normal[3];               // of the last contact
} pal_sphere_contact;

typedef struct pal_contact { // what was found this tick; zeros when not touching
    bool touching;
    double point[3];     // on the surface
    double normal[3];    // unit, out of the body into the tool
    double depth;        // m, how far the sphere overlaps the surface
    pal_nearest nearest; // also of a surface that is near without touching
} pal_contact;

// Settings, and no memory: the next find tells by itself whether the centre is inside. Also for a
// tool that is put elsewhere at one stroke. RT safe.
void pal_sphere_init(pal_sphere_contact *tool, double radius, double stiffness, double damping,
                     int32_t budget);

// Finds the contact of a sphere at x (velocity v, which says how far ahead to look) and, when
// touching, fills row [size] and the spring for pal_newmark_step: row = -normal . J(point), so that
// a row.dq > 0 lessens the depth. Continuous as the sphere moves over edges; a centre below the
// surface pushes out the way it came. PAL_OUT_BUDGET: the best so far was used; PAL_OUT_NAN: no
// contact. RT safe.
pal_outcome pal_sphere_find(pal_sphere_contact *tool, const pal_bdtree *tree, const pal_body *body,
                            const double x[3], const double v[3], double *row, pal_spring *spring,
                            pal_contact *contact);

#endif
