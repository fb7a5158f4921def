// Shape functions of one element at its quadrature points.
//
// A linear tet has constant gradients: one point, weight = volume. A hexahedron uses a tensor Gauss
// rule; on a voxel the StVK stiffness and force (degree 4 per axis) need 3 points per axis to be
// exact, the mass and everything linear or quadratic in u only 2.
#ifndef PAL_FEM_ELEMENT_H
#define PAL_FEM_ELEMENT_H

#include <stdbool.h>

#include "sim/mesh/volmesh.h"

enum { PAL_MAX_NODES = 8, PAL_MAX_POINTS = 64 };

typedef struct pal_quadrature {
    int nodes;                                     // 4 or 8
    int points;                                    // 1, or order^3
    double weight[PAL_MAX_POINTS];                 // m^3, sums to the volume
    double shape[PAL_MAX_POINTS][PAL_MAX_NODES];   // phi_a
    double grad[PAL_MAX_POINTS][PAL_MAX_NODES][3]; // d phi_a / dX, 1/m
} pal_quadrature;

enum { PAL_GAUSS_EXACT = 3 }; // Gauss points per axis that integrate StVK on voxels exactly

// The points of an element with vertices x; order = Gauss points per axis, 1..4 (tets ignore it).
// False when the element is inside out or flat at one of its points. RT safe.
bool pal_quadrature_make(pal_quadrature *quadrature, pal_element_kind kind,
                         double (*x)[3], // [kind]
                         int order);

// The same of element e of a mesh, with the weights scaled by its share: its energy, force,
// stiffness, mass and volume are that share of a whole element's. RT safe.
bool pal_quadrature_of_element(pal_quadrature *quadrature, const pal_volmesh *mesh, int32_t e,
                               int order);

// The upper triangle of an n x n matrix becomes as the lower one. RT safe.
static inline void pal_mirror_lower(int n, double *matrix) {
    for (int r = 0; r < n; r++) {
        for (int c = r + 1; c < n; c++) {
            matrix[r * n + c] = matrix[c * n + r];
        }
    }
}

#endif
