// Ground truth: a rigid ball pressed into the full mesh, without friction, at rest.
//
//     |x_i + u_i - c| >= R  at the vertices of the surface,   forces only push, along (x_i + u_i -
//     c)
//
// Linear: u = K^-1 f, by columns of K^-1 at the vertices near the ball. StVK: R(u) = f by Newton,
// the ball being a stiff penalty; StVK loses its stiffness in compression and collapses under a
// small ball, so this may end early and says how far it came.
#ifndef PAL_FEM_INDENT_H
#define PAL_FEM_INDENT_H

#include "sim/fem/problem.h"

typedef struct pal_indent_spec {
    double at[3];   // m, where the ball first touches
    double axis[3]; // unit, into the body
    double radius;  // m
    int32_t count;
    const double *depth; // [count] m, ascending: the centre is at - axis (radius - depth)
} pal_indent_spec;

typedef struct pal_indent_result {
    double force;          // N, of the body on the ball against the axis
    double sideways;       // N, the rest of it
    double vector[3];      // N, all of it, on the ball
    double contact_radius; // m: farthest loaded vertex from the axis, where it is now
    int32_t contacts;      // loaded vertices
    int32_t iterations;
    double overlap; // m, how deep any vertex of the surface is still in the ball
} pal_indent_result;

// Its three forces, from the sum of what acts on the body.
void pal_indent_set_force(pal_indent_result *result, const double on_body[3], const double axis[3]);

// The unilateral problem of `count` points at x [count][3] whose displacements are W times forces,
// w [3 count][3 count] m/N, at all depths of the spec; result [spec->count].
pal_status pal_indent_points(int32_t count, const double *x, const double *w,
                             const pal_indent_spec *spec, pal_indent_result *result, pal_err *err);

// The candidates of a spec: free surface vertices within 1.25 radii of the centre at the deepest.
// vertex is a heap array [*count]. None is an error.
pal_status pal_indent_candidates(const pal_fem *fem, const pal_indent_spec *spec, int32_t *count,
                                 int32_t **vertex, pal_err *err);

// W of vertices: [3 count][3 count] from columns of K^-1. Assembles K at rest.
pal_status pal_indent_compliance(pal_fem *fem, int32_t count, const int32_t *vertex, double *w,
                                 pal_err *err);

// result [spec->count]. Needs a body that is held.
pal_status pal_indent_linear(pal_fem *fem, const pal_indent_spec *spec,
                             const pal_progress *progress, pal_indent_result *result, pal_err *err);

// *reached: how many depths came out; a failure of Newton is not an error but ends the list.
pal_status pal_indent_stvk(pal_fem *fem, const pal_indent_spec *spec, const pal_progress *progress,
                           pal_indent_result *result, int32_t *reached, double *deepest,
                           pal_err *err);

// Hertz: 4/3 E / (1 - nu^2) sqrt(R) d^1.5 N of a half space.
double pal_indent_hertz(double young, double poisson, double radius, double depth);

#endif
