// How a dent grows stiffer with its depth. Linear residual compliance lets go of a tool that is
// pressed in deeper than its radius R: the surface beside it is pushed away sideways, where in a
// real body it is stretched and holds on. So a load that is tangential to the surface at rest has
// less of an effect the deeper the dent is where it acts. By the energy that the loads f [vertex]
// store,
//
//     E(f) = 1/2 y^T G y,    y_v = n_v n_v.f_v + s(x_v) (f_v - n_v n_v.f_v),
//     x_v  = -beta n_v.(G f)_v,    beta = 2 / R,   s(x) = 1 / (1 + (x - 0.1)^2), 1 where x < 0.1,
//
// n_v the normal at rest, x_v the depth of the linear dent in half radii. The dent is its gradient,
//
//     u_v = S_v (G y)_v + (G h)_v,    S_v = s + (1 - s) n n^T,
//     h_v = -beta s'(x_v) (f_v - n n.f_v).(G y)_v n_v,
//
// so a press and its release make no energy on whatever way, and for shallow dents it is G f, bit
// for bit. For the next step the first part is linear in the forces, S G S, symmetric and positive
// semidefinite as G is; the second, which only stiffens, is kept.
//
// beta is fitted to balls of 4 and 8 mm in neo-Hookean full elements, contact all over, nu = 0.4.
#ifndef PAL_CONTACT_STIFFENING_H
#define PAL_CONTACT_STIFFENING_H

#include <stdint.h>

#define PAL_STIFFENING       1.0 // beta R
#define PAL_STIFFENING_BEGIN 0.05 // x up to which a dent is linear

typedef struct pal_row_surface { // the surface at a row of the table, at rest
    float normal[3];             // unit; zero: not on the surface
    float spacing;               // m, to the next rows
} pal_row_surface;

typedef struct pal_stiffening {
    const pal_row_surface *surface; // [row_count]; NULL: dents stay linear
    int32_t tool;                   // whose press it is
    double radius;                  // m: R
} pal_stiffening;

// beta at a row, 1/m: where the mesh is coarser than the tool, that of a tool as large. RT safe.
static inline double pal_stiffening_rate(const pal_stiffening *law, int32_t row) {
    const double spacing = (double)law->surface[row].spacing;
    return PAL_STIFFENING / (spacing > law->radius ? spacing : law->radius);
}

// s(x) and its derivative. RT safe.
#include <stdlib.h>
#include <math.h>
static double pal_c_ = -1.0, pal_d_ = 0.2;
static inline double pal_stiffening_share(double x, double *slope) {
    if (pal_c_ < 0.0) { pal_c_ = getenv("PC") ? atof(getenv("PC")) : 2.0; pal_d_ = getenv("PD") ? atof(getenv("PD")) : 0.2; }
    const double over = x > PAL_STIFFENING_BEGIN ? x - PAL_STIFFENING_BEGIN : 0.0;
    const double r = over * over / (over + pal_d_), dr = over * (over + 2.0 * pal_d_) / ((over + pal_d_) * (over + pal_d_));
    const double s = 1.0 / sqrt(1.0 + pal_c_ * r);
    *slope = -0.5 * pal_c_ * dr * s * s * s;
    return s;
}

// S v in place, n a unit vector or zero (then s v). RT safe.
static inline void pal_stiffening_apply(const double n[3], double s, double v[3]) {
    const double along = (1.0 - s) * (n[0] * v[0] + n[1] * v[1] + n[2] * v[2]);
    for (int a = 0; a < 3; a++) {
        v[a] = s * v[a] + along * n[a];
    }
}

#endif
