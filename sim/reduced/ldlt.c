// Four rows at a time: their 4x4 triangle is eliminated along the whole rows (right-hand side
// included), then all rows below get a rank-4 update. Vectors run along the rows.
#include "sim/reduced/ldlt.h"

#include <math.h>

#include "sim/reduced/vec4.h"

static inline pal_vec4 *at(double *a, int stride, int row, int column) {
    return (pal_vec4 *)(void *)(a + row * stride + column);
}

// Padding rows become rows of the identity with right-hand side 0.
static void pad(int n, int rows, int stride, double *a) {
    for (int i = n; i < rows; i++) {
        for (int j = 0; j < stride; j++) {
            a[i * stride + j] = i == j;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = n; j < rows; j++) {
            a[i * stride + j] = 0.0;
        }
        for (int j = rows + 1; j < stride; j++) {
            a[i * stride + j] = 0.0;
        }
    }
}

// Eliminates rows k..k+3 among themselves; pivot[4] receives 1/d. False when a pivot is too small.
static inline bool factor_panel(int k, int stride, double *a, const double *least, double *pivot) {
    for (int t = 0; t < 4; t++) {
        for (int u = 0; u < t; u++) {
            const double f = -a[(k + u) * stride + k + t] * pivot[u];
            for (int c = k; c < stride; c += 4) {
                *at(a, stride, k + t, c) += f * *at(a, stride, k + u, c);
            }
        }
        const double d = a[(k + t) * stride + k + t];
        if (!(d > least[k + t])) {
            return false;
        }
        pivot[t] = 1.0 / d;
    }
    return true;
}

// Rows i..i+3 minus the panel's part.
static inline void update_rows(int k, int i, int stride, double *restrict a, const double *pivot) {
    double f[4][4];
    for (int t = 0; t < 4; t++) {
        for (int u = 0; u < 4; u++) {
            f[t][u] = -a[(k + t) * stride + i + u] * pivot[t];
        }
    }
    for (int c = i; c < stride; c += 4) {
        const pal_vec4 b0 = *at(a, stride, k, c), b1 = *at(a, stride, k + 1, c),
                       b2 = *at(a, stride, k + 2, c), b3 = *at(a, stride, k + 3, c);
        for (int u = 0; u < 4; u++) {
            *at(a, stride, i + u, c) += f[0][u] * b0 + f[1][u] * b1 + f[2][u] * b2 + f[3][u] * b3;
        }
    }
}

// x from the eliminated rows, last block of four first.
static void substitute(int rows, int stride, const double *a, const double *inverse, double *x) {
    for (int i = rows - 4; i >= 0; i -= 4) {
        pal_vec4 sum[4] = {{0}};
        for (int c = i + 4; c < rows; c += 4) {
            const pal_vec4 xc = pal_load4(x + c);
            for (int t = 0; t < 4; t++) {
                sum[t] += pal_load4(a + (i + t) * stride + c) * xc;
            }
        }
        const pal_vec4 known = pal_sum_rows4(sum);
        for (int t = 3; t >= 0; t--) {
            const double *row = a + (i + t) * stride;
            double value = row[rows] - known[t];
            for (int u = t + 1; u < 4; u++) {
                value -= row[i + u] * x[i + u];
            }
            x[i + t] = value * inverse[i + t];
        }
    }
}

bool pal_ldlt_solve(int32_t n, double *a, double *x) {
    enum { MOST = 128 };
    const int rows = (n + 3) & ~3, stride = pal_ldlt_stride(n);
    double least[MOST], inverse[MOST];
    pad(n, rows, stride, a);
    for (int i = 0; i < rows; i++) { // a pivot that lost all its digits is not positive
        least[i] = 1e-14 * a[i * stride + i];
        if (!(least[i] > 0.0)) {
            return false;
        }
    }
    for (int k = 0; k < rows; k += 4) {
        if (!factor_panel(k, stride, a, least, inverse + k)) {
            return false;
        }
        for (int i = k + 4; i < rows; i += 4) {
            update_rows(k, i, stride, a, inverse + k);
        }
    }
    substitute(rows, stride, a, inverse, x);
    return true;
}

// Row i of the factor is row i of D L^T; its first entry is the pivot.
static inline double pivot_of(const double *a, int stride, int i) {
    return a[i * stride + i];
}

void pal_ldlt_halve(int32_t n, const double *a, double *x, int32_t stride) {
    const int width = pal_ldlt_stride(n);
    for (int i = 0; i < n; i++) {
        double *xi = x + i * stride;
        const double inverse = 1.0 / pivot_of(a, width, i), root = sqrt(inverse);
        for (int k = i + 1; k < n; k++) {
            const double f = -a[i * width + k] * inverse;
            double *xk = x + k * stride;
            for (int c = 0; c < stride; c += 4) {
                pal_store4(xk + c, pal_load4(xk + c) + f * pal_load4(xi + c));
            }
        }
        for (int c = 0; c < stride; c += 4) {
            pal_store4(xi + c, root * pal_load4(xi + c));
        }
    }
}

void pal_ldlt_apply(int32_t n, const double *a, double *x) {
    const int width = pal_ldlt_stride(n);
    for (int i = 0; i < n; i++) {
        const double f = -x[i] / pivot_of(a, width, i);
        for (int k = i + 1; k < n; k++) {
            x[k] += f * a[i * width + k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        double value = x[i];
        for (int k = i + 1; k < n; k++) {
            value -= a[i * width + k] * x[k];
        }
        x[i] = value / pivot_of(a, width, i);
    }
}
