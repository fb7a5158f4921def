// Linear vibration modes: K psi = lambda M psi, lowest first, mass-normalised, by ARPACK
// shift-invert over CHOLMOD [BJ05 5.1].
#ifndef PAL_BASIS_EIGEN_H
#define PAL_BASIS_EIGEN_H

#include <math.h>

#include "sim/fem/problem.h"

typedef struct pal_modes {
    int32_t count;
    int64_t rows;        // 3 * vertex_count
    double *lambda;      // [count] = (2 pi f)^2
    double *psi;         // [count][rows] full vectors; the largest entry of each is positive
    double residual_max; // max over modes of |K psi - lambda M psi| / |K psi|
    int32_t rigid;       // rigid modes found and dropped (0 or 6)
} pal_modes;

// A free body's six rigid modes are found and left out.
pal_status pal_modes_solve(pal_fem *fem, int32_t count, const pal_progress *progress,
                           pal_modes *modes, pal_err *err);
void pal_modes_free(pal_modes *modes);

static inline double pal_mode_hz(double lambda) {
    return lambda > 0 ? sqrt(lambda) / 6.283185307179586476925 : 0.0;
}

#endif
