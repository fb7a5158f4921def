// Ground truth: a rigid ball pressed into a body, without friction, at rest: no place of the
// surface is in it, and forces only push, away from its centre.
//
// Full elements: R(u) = f by any law, contact all over the surface at its displaced place
// (pal_indent_full). Of anything else whose displacements at some points are W times the forces
// there: pal_indent_points.
#ifndef PAL_FEM_INDENT_H
#define PAL_FEM_INDENT_H

#include "sim/fem/law.h"
#include "sim/fem/problem.h"
#include "sim/mesh/embed.h"
#include "sim/mesh/surface.h"

typedef struct pal_indent_spec {
    double at[3];   // m, where the ball first touches
    double axis[3]; // unit, into the body
    double radius;  // m
    int32_t count;
    const double *depth;       // [count] m, ascending: the centre is at - axis (radius - depth)
    const double (*centre)[3]; // [count] m, or there (pal_indent_full only); NULL: as said
    double tolerance;          // of the force (pal_indent_full only); 0: 1e-5
} pal_indent_spec;

typedef struct pal_indent_result {
    double force;          // N, of the body on the ball against the axis
    double sideways;       // N, the rest of it
    double vector[3];      // N, all of it, on the ball
    double contact_radius; // m: farthest loaded place from the axis, where it is now
    int32_t contacts;      // loaded vertices, or facets
    int32_t iterations;
    double energy;  // J, of the body and its contact (pal_indent_full only)
    double overlap; // m, how deep any place of the surface is still in the ball
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

// The error of a body that is not held.
pal_status pal_indent_refuse_free(pal_err *err);
// And that of a ball that is not near it.
pal_status pal_indent_refuse_far(pal_err *err);

// W of vertices: [3 count][3 count] from columns of K^-1. Assembles K at rest.
pal_status pal_indent_compliance(pal_fem *fem, int32_t count, const int32_t *vertex, double *w,
                                 pal_err *err);

// Linear elements, contact at vertices only. result [spec->count]. Needs a body that is held.
pal_status pal_indent_linear(pal_fem *fem, const pal_indent_spec *spec,
                             const pal_progress *progress, pal_indent_result *result, pal_err *err);

// ---- Full elements

// Where the ball may touch: a surface, embedded in the mesh. NULL in its place: the mesh's own.
typedef struct pal_indent_skin {
    const pal_surface *surface;
    const pal_embedding *embedding; // of the surface's points in the mesh
    const double *layer;            // [triangle_count] m^3/N, of a thin elastic layer; NULL: none
} pal_indent_skin;

typedef enum pal_indent_end {
    PAL_INDENT_WHOLE,    // all depths came out
    PAL_INDENT_LOST,     // beyond, no equilibrium was found
    PAL_INDENT_INVERTED, // beyond, elements turn inside out: the law collapses
    PAL_INDENT_RELEASED  // beyond, less than half of the largest force is left
} pal_indent_end;

typedef struct pal_indent_outcome {
    pal_indent_end end;
    int32_t reached;    // so many depths of the spec came out
    double deepest;     // m, of the last equilibrium
    double peak;        // m, where the force was largest
    double largest;     // N, that
    int32_t iterations; // factored tangents
} pal_indent_outcome;

// The overlap of a result is less than this share of the depth, unless a stiffer contact has no
// equilibrium.
#define PAL_INDENT_OVERLAP 0.005

// result [spec->count], of which outcome->reached are filled: to end early is no error. Needs a
// body that is held.
pal_status pal_indent_full(pal_fem *fem, pal_law law, const pal_indent_spec *spec,
                           const pal_indent_skin *skin, const pal_progress *progress,
                           pal_indent_result *result, pal_indent_outcome *outcome, pal_err *err);

// The centre of the ball at depth k, or where it only touches (-1).
void pal_indent_centre(const pal_indent_spec *spec, int32_t k, double centre[3]);

// The middle of one of the parts^2 equal parts of a triangle, barycentric; index 0..parts^2 - 1.
void pal_indent_place(int parts, int index, double weight[3]);

// Hertz: 4/3 E / (1 - nu^2) sqrt(R) d^1.5 N of a half space.
double pal_indent_hertz(double young, double poisson, double radius, double depth);

#endif
