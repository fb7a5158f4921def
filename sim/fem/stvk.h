// One St. Venant-Kirchhoff element: energy, internal force, tangent stiffness.
//
//     F = I + sum_a u_a grad_a^T,  E = (F^T F - I) / 2
//     S = lambda tr(E) I + 2 mu E                                                  [BJ05 eq. 1]
//     V = int lambda/2 (tr E)^2 + mu E:E,   R = dV/du (resists),   K = dR/du
#ifndef PAL_FEM_STVK_H
#define PAL_FEM_STVK_H

#include "sim/fem/element.h"

// u [nodes][3]; returns the energy [J]; force [nodes][3] [N] and stiffness [3 nodes][3 nodes] [N/m]
// may be NULL and are overwritten. RT safe.
double pal_stvk_element(const pal_quadrature *quadrature, double lambda, double mu, double (*u)[3],
                        double *force, double *stiffness);

#endif
