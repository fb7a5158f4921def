// Energy, internal force and tangent stiffness of the whole body at a displacement.
#ifndef PAL_FEM_ASSEMBLE_H
#define PAL_FEM_ASSEMBLE_H

#include "sim/fem/element.h"
#include "sim/fem/law.h"
#include "sim/fem/problem.h"

// Quadrature of element e of the mesh, scaled by its share; an error naming the element when it is
// inside out.
pal_status pal_fem_quadrature(const pal_volmesh *mesh, int32_t e, int order,
                              pal_quadrature *quadrature, pal_err *err);

// At the free displacement u (NULL: rest). Each output may be NULL: *energy [J]; force [free dofs],
// R(u) = dV/du; stiffness != 0 fills fem->stiffness with K(u) = dR/du. Uses all threads; the result
// does not depend on their number.
pal_status pal_fem_evaluate(pal_fem *fem, const double *u, double *energy, double *force,
                            bool stiffness, pal_err *err);
// The same by another law than St. Venant-Kirchhoff's. The energy is INFINITY where an element is
// inside out and the law does not go there.
pal_status pal_fem_evaluate_law(pal_fem *fem, pal_law law, const double *u, double *energy,
                                double *force, bool stiffness, pal_err *err);

// Whether some element is inside out at one of its points.
pal_status pal_fem_is_inverted(const pal_fem *fem, const double *u, bool *inverted, pal_err *err);

#endif
