// The six rigid motions of a free body.
#ifndef PAL_BASIS_RIGID_H
#define PAL_BASIS_RIGID_H

#include "sim/fem/problem.h"

// Mass-orthonormal: three translations and three linearised rotations about the centre of mass;
// w [6][free dofs].
pal_status pal_rigid_modes(const pal_fem *fem, double *w, pal_err *err);

// Takes the part along w [count][free dofs] (mass-orthonormal) out of x: x -= W W^T M x.
// work [free dofs].
void pal_project_out(const pal_fem *fem, const double *w, int count, double *x, double *work);

#endif
