// The rotation nearest to a 3x3 matrix. RT safe.
#ifndef PAL_BASE_POLAR_H
#define PAL_BASE_POLAR_H

#include <math.h>
#include <string.h>

#include "sim/base/mat3.h"

// The rotation R of m = R S by Newton's iteration X <- (X + X^-T) / 2, which converges to full
// precision in a few steps for matrices near a multiple of a rotation. The identity where m has no
// positive determinant.
static inline void pal_polar(double (*m)[3], double (*rotation)[3]) {
    static const double identity[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const double det = pal_mat3_det(m);
    if (!(det > 0.0) || !isfinite(det)) {
        memcpy(rotation, identity, sizeof identity);
        return;
    }
    const double size = cbrt(det);
    double inverse[3][3];
    for (int k = 0; k < 9; k++) {
        rotation[k / 3][k % 3] = m[k / 3][k % 3] / size;
    }
    for (int step = 0; step < 8; step++) {
        pal_mat3_inverse(rotation, inverse);
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) {
                rotation[a][b] = 0.5 * (rotation[a][b] + inverse[b][a]);
            }
        }
    }
}

#endif
