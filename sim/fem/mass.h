// Mass of elements and of the body, consistent (rho int phi_a phi_b) or lumped (its row sums).
#ifndef PAL_FEM_MASS_H
#define PAL_FEM_MASS_H

#include "sim/fem/element.h"
#include "sim/fem/problem.h"

// m [nodes][nodes] at density 1: int phi_a phi_b dV, exact on tets and voxels; a diagonal of row
// sums when lumped.
void pal_element_mass(const pal_quadrature *quadrature, pal_mass_kind mass_kind, double *m);

// Fills fem->mass and fem->total_mass.
pal_status pal_fem_make_mass(pal_fem *fem, pal_err *err);

#endif
