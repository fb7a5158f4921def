// A rigid ball without friction against the facets of a full body's surface: the penalty energy
//
//     k/2 sum over places of dA min(0, |x + u - c| - R)^2
//
// over places spread densely all over each facet (the middles of n^2 equal parts), at rest areas.
// Internal to pal_indent_full.
#ifndef PAL_FEM_INDENT_CONTACT_H
#define PAL_FEM_INDENT_CONTACT_H

#include "sim/fem/indent.h"

typedef struct pal_ball_facet {
    int32_t corner[3]; // of the surface
    int32_t parts;     // along an edge
    double area;       // m^2, of one place
    double layer;      // m^3/N
} pal_ball_facet;

typedef struct pal_ball {
    const pal_fem *fem;
    const pal_surface *surface;
    pal_surface own; // the mesh's, where none is given
    double radius, centre[3];
    double penalty; // N/m^3
    int32_t facet_count;
    pal_ball_facet *facet; // [facet_count] that the ball may touch
    int32_t *start;        // [surface vertex_count + 1]: who carries a point of the surface
    int32_t *free_index;   // [start[vertex_count]]
    double *weight;        // [start[vertex_count]]
    double *now;           // [surface vertex_count][3] m, where its points are

    pal_fem wide;  // K and contact: free_count, blocks and stiffness only
    int32_t *seat; // [blocks of fem]: each one's block in `wide`

    // Of the last evaluation
    double energy;         // J
    double on_body[3];     // N
    double overlap;        // m, the largest, without what the layer gives
    double contact_radius; // m: farthest loaded place from the axis
    int32_t contacts;      // loaded facets
} pal_ball;

// The facets within `reach` (m) of the way of the ball's centre; none is an error. Room for the
// tangent. Free it after a failure, too.
pal_status pal_ball_open(pal_ball *ball, const pal_fem *fem, const pal_indent_spec *spec,
                         const pal_indent_skin *skin, double reach, pal_err *err);
void pal_ball_free(pal_ball *ball);

// At the free displacement u: energy, forces, overlap. force (NULL: not wanted) += those on the
// body.
void pal_ball_evaluate(pal_ball *ball, const double *u, const double axis[3], double *force);

// wide.stiffness = the fem's stiffness and that of contact at the last evaluated u; `geometric`:
// with what the turning normals take from it, k overlap / |x - c| along the ball.
void pal_ball_assemble(pal_ball *ball, bool geometric);

#endif
