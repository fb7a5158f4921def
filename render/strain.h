// Where the energy of the body's strain is: its density at the middle of each element of the volume
// mesh, spread to the vertices and carried to the surface. St. Venant-Kirchhoff:
//
//     E = (F^T F - 1) / 2,   density = lambda / 2 (tr E)^2 + mu E : E      (J/m^3)
//
// A voxel is taken at its middle, with the derivatives of its eight shape functions there. For
// colours: the forces come from elsewhere. Any thread, one at a time.
#ifndef PAL_RENDER_STRAIN_H
#define PAL_RENDER_STRAIN_H

#include "haptics/snapshot.h"
#include "sim/model/model.h"

typedef struct pal_strain {
    const pal_model *model; // borrowed
    float *gradient;        // [element_count][nodes][3] derivatives of the shape functions, 1/m
    float *u;               // [vertex_count][3] displacement of the volume mesh
    float *vertex;          // [vertex_count] density
    float *share;           // [vertex_count] elements that it is part of
} pal_strain;

// On failure *strain is empty.
pal_status pal_strain_open(pal_strain *strain, const pal_model *model, pal_err *err);
void pal_strain_close(pal_strain *strain);

// u = U q + dents: sets strain->u.
void pal_strain_displace(pal_strain *strain, const pal_snapshot *shot);

// The density at each point of the surface, number [point][4][3] (every fourth float), from
// strain->u; materials as baked, softer as the snapshot says. Returns the largest, J/m^3.
double pal_strain_density(pal_strain *strain, const pal_snapshot *shot, float *extra);

#endif
