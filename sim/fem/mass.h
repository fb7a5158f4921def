// Mass of elements and of the body, consistent (rho int phi_a phi_b) or lumped (its row sums).
#ifndef PAL_FEM_MASS_H
#define PAL_FEM_MASS_H

#include "sim/fem/element.h"
#include "sim/fem/problem.h"

// m [nodes][nodes] at density 1: int phi_a phi_b dV, exact on tets and hexahedra with 3 points per
// axis (with 2 on voxels); a diagonal of row sums when lumped.
void pal_element_mass(const pal_quadrature *quadrature, pal_mass_kind mass_kind, double *m);

// Adds weight times the mass of one region at density 1 to mass [block_start[free_count]] (blocks
// as in fem->mass) and, when total is not NULL, to *total, held vertices included.
pal_status pal_fem_add_region_mass(const pal_fem *fem, int32_t region, double weight, double *mass,
                                   double *total, pal_err *err);

// Fills fem->mass and fem->total_mass.
pal_status pal_fem_make_mass(pal_fem *fem, pal_err *err);

#endif
