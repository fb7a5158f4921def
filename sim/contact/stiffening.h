// How a dent grows stiffer with its depth. Linear residual compliance lets go of a tool that is
// pressed in deeper than its radius R: the surface beside it is pushed away sideways, where in a
// real body it is stretched and holds on. So a load that is tangential to the surface at rest has
// less of an effect the deeper the dent is where it acts. By the energy that the loads f [vertex]
// store,
//
//     E(f) = 1/2 y^T G y,    y_v = n_v n_v.f_v + s(x_v) (f_v - n_v n_v.f_v),
//     x_v  = -beta n_v.(G f)_v,    beta = 2 / R,    s(x) = 1 / (1 + (x - 0.1)^2), 1 where x < 0.1,
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

#define PAL_STIFFENING       2.0 // beta R
#define PAL_STIFFENING_BEGIN 0.1 // x up to which a dent is linear

typedef struct pal_stiffening {
    const float (*normal)[3]; // [row_count] of the table's rows; zero: not on the surface
    int32_t tool;             // whose press it is
    double per_depth;         // 1/m: beta
} pal_stiffening;

// s(x) and its derivative. RT safe.
static inline double pal_stiffening_share(double x, double *slope) {
    const double over = x > PAL_STIFFENING_BEGIN ? x - PAL_STIFFENING_BEGIN : 0.0;
    const double s = 1.0 / (1.0 + over * over);
    *slope = -2.0 * over * s * s;
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
