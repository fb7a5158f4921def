// Symmetric 3x3 matrices. RT safe.
#ifndef PAL_BASE_SYM3_H
#define PAL_BASE_SYM3_H

#include <math.h>
#include <string.h>

// m -> R^T m R, R a turn in the plane of axes p and q that makes m[p][q] zero; axes -> axes R.
static inline void pal_sym3_rotate(double (*m)[3], double (*axes)[3], int p, int q) {
    if (m[p][q] == 0.0) {
        return;
    }
    const double half = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
    const double t = copysign(1.0, half) / (fabs(half) + sqrt(half * half + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double a = m[k][p], b = m[k][q], u = axes[k][p], v = axes[k][q];
        m[k][p] = c * a - s * b;
        m[k][q] = s * a + c * b;
        axes[k][p] = c * u - s * v;
        axes[k][q] = s * u + c * v;
    }
    for (int k = 0; k < 3; k++) {
        const double a = m[p][k], b = m[q][k];
        m[p][k] = c * a - s * b;
        m[q][k] = s * a + c * b;
    }
}

// Its eigenvalues, and unit eigenvectors in the columns of axes, by Jacobi's turns, which converge
// quadratically.
static inline void pal_sym3_eigen(double (*m)[3], double value[3], double (*axes)[3]) {
    static const double identity[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double left[3][3];
    memcpy(left, m, sizeof left);
    memcpy(axes, identity, sizeof identity);
    for (int sweep = 0; sweep < 5; sweep++) {
        pal_sym3_rotate(left, axes, 0, 1);
        pal_sym3_rotate(left, axes, 0, 2);
        pal_sym3_rotate(left, axes, 1, 2);
    }
    for (int k = 0; k < 3; k++) {
        value[k] = left[k][k];
    }
}

#endif
