// The elastic laws of full elements: energy, force and stiffness of one element.
//
// F = I + D, D = sum_a u_a grad_a^T, J = det F, F = R S (polar), e = (D + D^T) / 2,
// E = (F^T F - I) / 2. Energies per volume:
//
//     linear                lambda/2 (tr e)^2 + mu e:e
//     corotational          lambda/2 (tr S - 3)^2 + mu |S - I|^2
//     St. Venant-Kirchhoff  lambda/2 (tr E)^2 + mu E:E
//     neo-Hookean           mu/2 (F:F - 3) - mu ln J + lambda/2 (ln J)^2
//
// All agree to first order; all but the linear one are at rest in any rigid motion. The
// corotational and the neo-Hookean one have no energy where J <= 0.
#ifndef PAL_FEM_LAW_H
#define PAL_FEM_LAW_H

#include "sim/base/material.h"
#include "sim/fem/element.h"

typedef enum pal_law {
    PAL_LAW_LINEAR,
    PAL_LAW_COROTATIONAL,
    PAL_LAW_STVK,
    PAL_LAW_NEO_HOOKEAN,
    PAL_LAWS
} pal_law;

const char *pal_law_name(pal_law law); // "neo-Hookean"

// u [nodes][3]; returns the energy [J], INFINITY where the element is inside out at one of its
// points and the law does not go there; force [nodes][3] [N] and stiffness [3 nodes][3 nodes] [N/m]
// may be NULL and are overwritten, without what such points would add.
double pal_law_element(pal_law law, const pal_quadrature *quadrature, const pal_material *material,
                       double (*u)[3], double *force, double *stiffness);

#endif
