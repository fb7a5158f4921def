// Four rows at a time: the 4x4 triangle on the diagonal is factored by itself, its elimination runs
// along the rest of the rows (right-hand side included), then all rows below get a rank-4 update.
// Vectors run along the rows. With A = U^T D^-1 U, eliminated rows are kept as the unit rows
// W = D^-1 U, so that the substitution needs no pivots.
#include "sim/reduced/ldlt.h"

#include <math.h>

#include "sim/reduced/newmark.h"
#include "sim/reduced/vec4.h"

// The unit triangle of four rows, and 1/D.
typedef struct triangle {
    double w01, w02, w03, w12, w13, w23;
    double inverse[4];
} triangle;

typedef struct workspace {
    double least[PAL_MAX_R]; // below it a pivot is not positive
    triangle triangle[PAL_MAX_R / 4];
    pal_vec4 panel[PAL_MAX_R / 4 + 1][4]; // U of the four rows at work, by blocks of columns
} workspace;

static inline pal_vec4 *at(double *a, int stride, int row, int column) {
    return (pal_vec4 *)(void *)(a + row * stride + column);
}

// Padding rows and columns become those of the identity, with right-hand side 0.
static inline void pad(int n, int rows, int stride, double *a) {
    typedef long long mask __attribute__((vector_size(32)));
    const int first = rows - 4;
    const mask column = {first, first + 1, first + 2, first + 3}, inside = column < n;
    for (int i = 0; i < n; i++) {
        *at(a, stride, i, first) = (pal_vec4)((mask)*at(a, stride, i, first) & inside);
    }
    for (int i = n; i < rows; i++) {
        const mask one = (column == i) & (mask)(1.0 - (pal_vec4){0});
        *at(a, stride, i, first) = (pal_vec4)one;
        *at(a, stride, i, rows) = (pal_vec4){0};
    }
}

// Factors the block of four rows that begins at a. The reciprocals of two pivots d0, d1 come from
// d0 and d0 d1, the determinant of their 2x2 block, so that they need not wait for each other.
// False when a pivot is too small.
static inline bool factor_triangle(const double *a, int stride, const double *least, triangle *t) {
    const double *b = a + stride, *c = b + stride, *d = c + stride;
    const double d01 = a[0] * b[1] - a[1] * a[1];
    const double i0 = 1.0 / a[0], i1 = a[0] * (1.0 / d01);
    t->w01 = a[1] * i0;
    t->w02 = a[2] * i0;
    t->w03 = a[3] * i0;
    const double b2 = b[2] - t->w01 * a[2], b3 = b[3] - t->w01 * a[3];
    t->w12 = b2 * i1;
    t->w13 = b3 * i1;
    const double c2 = c[2] - t->w02 * a[2] - t->w12 * b2;
    const double c3 = c[3] - t->w02 * a[3] - t->w12 * b3;
    const double d3 = d[3] - t->w03 * a[3] - t->w13 * b3;
    const double d23 = c2 * d3 - c3 * c3;
    const double i2 = 1.0 / c2, i3 = c2 * (1.0 / d23);
    t->w23 = c3 * i2;
    t->inverse[0] = i0;
    t->inverse[1] = i1;
    t->inverse[2] = i2;
    t->inverse[3] = i3;
    return a[0] > least[0] && d01 > least[1] * a[0] && c2 > least[2] && d23 > least[3] * c2;
}

// Eliminates rows k..k+3 among themselves, right of their triangle: U to the panel, W in place.
static inline void eliminate(int k, int stride, double *a, const triangle *t, workspace *w) {
    for (int c = k + 4; c < stride; c += 4) {
        pal_vec4 *u = w->panel[c / 4];
        u[0] = *at(a, stride, k, c);
        u[1] = *at(a, stride, k + 1, c) - t->w01 * u[0];
        u[2] = *at(a, stride, k + 2, c) - t->w02 * u[0] - t->w12 * u[1];
        u[3] = *at(a, stride, k + 3, c) - t->w03 * u[0] - t->w13 * u[1] - t->w23 * u[2];
        for (int row = 0; row < 4; row++) {
            *at(a, stride, k + row, c) = t->inverse[row] * u[row];
        }
    }
}

// Rows i..i+3 minus the panel's part: A -= U^T W.
static inline void update_rows(int k, int i, int stride, double *a, const workspace *w) {
    const pal_vec4 *u = w->panel[i / 4];
    for (int c = i; c < stride; c += 4) {
        const pal_vec4 w0 = *at(a, stride, k, c), w1 = *at(a, stride, k + 1, c),
                       w2 = *at(a, stride, k + 2, c), w3 = *at(a, stride, k + 3, c);
        for (int row = 0; row < 4; row++) {
            *at(a, stride, i + row, c) -=
                u[0][row] * w0 + u[1][row] * w1 + u[2][row] * w2 + u[3][row] * w3;
        }
    }
}

// x from the unit rows, last block of four first.
static inline void substitute(int rows, int stride, const double *a, const workspace *w,
                              double *x) {
    for (int i = rows - 4; i >= 0; i -= 4) {
        const triangle *t = &w->triangle[i / 4];
        const double *right = a + i * stride + rows;
        pal_vec4 sum[4] = {{0}};
        for (int c = i + 4; c < rows; c += 4) {
            const pal_vec4 xc = pal_load4(x + c);
            for (int row = 0; row < 4; row++) {
                sum[row] += pal_load4(a + (i + row) * stride + c) * xc;
            }
        }
        const pal_vec4 known = pal_sum_rows4(sum);
        const double x3 = right[3 * stride] - known[3];
        const double x2 = right[2 * stride] - known[2] - t->w23 * x3;
        const double x1 = right[stride] - known[1] - t->w13 * x3 - t->w12 * x2;
        const double x0 = right[0] - known[0] - t->w03 * x3 - t->w02 * x2 - t->w01 * x1;
        pal_store4(x + i, (pal_vec4){x0, x1, x2, x3});
    }
}

// The triangle to its place in a, with 1/D on the diagonal: the factor stays there for more
// right-hand sides.
static inline void keep_triangle(const triangle *t, int stride, double *a) {
    double *b = a + stride, *c = b + stride, *d = c + stride;
    a[0] = t->inverse[0];
    a[1] = t->w01;
    a[2] = t->w02;
    a[3] = t->w03;
    b[1] = t->inverse[1];
    b[2] = t->w12;
    b[3] = t->w13;
    c[2] = t->inverse[2];
    c[3] = t->w23;
    d[3] = t->inverse[3];
}

// The solution for one number of rows; always inlined, so that small ones get code of their own.
static inline __attribute__((always_inline)) bool solve(const int rows, double *a, double *x) {
    const int stride = rows + 4;
    workspace w;
    for (int i = 0; i < rows; i++) { // a pivot that lost all its digits is not positive
        w.least[i] = 1e-14 * a[i * stride + i];
    }
    for (int k = 0; k < rows; k += 4) {
        triangle *t = &w.triangle[k / 4];
        if (!factor_triangle(a + k * stride + k, stride, w.least + k, t)) {
            return false;
        }
        eliminate(k, stride, a, t, &w);
        keep_triangle(t, stride, a + k * stride + k);
        for (int i = k + 4; i < rows; i += 4) {
            update_rows(k, i, stride, a, &w);
        }
    }
    substitute(rows, stride, a, &w, x);
    return true;
}

bool pal_ldlt_solve(int32_t n, double *a, double *x) {
    const int rows = (n + 3) & ~3;
    if (n < rows) {
        pad(n, rows, rows + 4, a);
    }
    switch (rows) {
    case 4:
        return solve(4, a, x);
    case 8:
        return solve(8, a, x);
    case 12:
        return solve(12, a, x);
    case 16:
        return solve(16, a, x);
    case 20:
        return solve(20, a, x);
    default:
        return solve(rows, a, x);
    }
}

void pal_ldlt_halve(int32_t n, const double *a, double *x, int32_t stride) {
    const int width = pal_ldlt_stride(n);
    for (int i = 0; i < n; i++) {
        const double *w = a + i * width, root = sqrt(w[i]);
        double *xi = x + i * stride;
        for (int k = i + 1; k < n; k++) {
            double *xk = x + k * stride;
            for (int c = 0; c < stride; c += 4) {
                pal_store4(xk + c, pal_load4(xk + c) - w[k] * pal_load4(xi + c));
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
        const double *w = a + i * width;
        for (int k = i + 1; k < n; k++) {
            x[k] -= w[k] * x[i];
        }
        x[i] *= w[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *w = a + i * width;
        for (int k = i + 1; k < n; k++) {
            x[i] -= w[k] * x[k];
        }
    }
}
